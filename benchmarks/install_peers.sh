#!/bin/sh
# Install the tools we are measured against, each into an environment of its own: benchmarks/.peers/<name>.
#   benchmarks/install_peers.sh            PYTHON chooses the interpreter (3.11)
set -eu
cd "$(dirname "$0")"
for versions in peers/*.txt; do
    name=$(basename "$versions" .txt)
    case $name in *-build) continue ;; esac
    "${PYTHON:-python3}" -m venv ".peers/$name"
    install() { ".peers/$name/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "$@"; }
    if [ -f "peers/$name-build.txt" ]; then # needed to build the others, so before them
        install --requirement "peers/$name-build.txt"
        install --no-build-isolation --requirement "$versions"
    else
        install --requirement "$versions"
    fi
    echo "installed .peers/$name"
done
