#!/bin/sh
# Time `make demo` from a fresh clone: first with installation, then again with the environment in place.
#   benchmarks/demo_time.sh [FOLDER]      FOLDER: where to clone to (default: a temporary one, removed afterwards)
# PYTHON and CORES are passed on to make. What is committed is what is timed. Goals on 2 cores: 10 minutes, 6 minutes.
set -eu
repository=$(cd "$(dirname "$0")/.." && pwd)
results=$repository/benchmarks/results/demo_time.md
folder=${1:-}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
git clone --quiet --no-hardlinks "$repository" "$folder/clone"
cd "$folder/clone"

timed() {
    start=$(date +%s)
    make demo CORES="${CORES:-2}" PYTHON="${PYTHON:-python3}" > "$folder/$1.log" 2>&1 \
        || { tail -20 "$folder/$1.log" >&2; exit 1; }
    seconds=$(($(date +%s) - start))
    echo "$1: $seconds s" >&2
}
timed with_installation
with=$seconds
rm -rf results .snakemake
timed without_installation
without=$seconds

cat > "$results" << EOF
# make demo from a fresh clone

| | seconds | goal |
| --- | ---: | ---: |
| with installation | $with | 600 |
| without | $without | 360 |

- Commit $(git rev-parse --short HEAD), $(date +%Y-%m-%d), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), ${CORES:-2} of $(nproc) processors,
  load at the end: $(cut -d' ' -f1-3 /proc/loadavg). Installation downloads from wherever pip is told to.
- Command: \`benchmarks/demo_time.sh\`
EOF
cat "$results"
