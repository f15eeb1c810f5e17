#!/bin/sh
# Install the tools we are measured against, each into an environment of its own: benchmarks/.peers/<name>.
#   benchmarks/install_peers.sh            PYTHON chooses the interpreter (3.11)
set -eu
cd "$(dirname "$0")"
for versions in peers/*.txt; do
    name=$(basename "$versions" .txt)
    "${PYTHON:-python3}" -m venv ".peers/$name"
    ".peers/$name/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --requirement "$versions"
    echo "installed .peers/$name"
done
