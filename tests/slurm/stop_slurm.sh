#!/usr/bin/env bash
# Stop what start_slurm.sh started, and forget its jobs.
set -uo pipefail
BOX=/var/lib/seqpre-slurm
grep -qs "^# Written by seqpre" /etc/slurm/slurm.conf || exit 0

scancel --user root 2> /dev/null
for _ in $(seq 100); do # Until no job is left.
    [ -n "$(squeue --noheader 2> /dev/null)" ] || break
    sleep 0.1
done
stopped=()
for file in "$BOX"/run/{slurmd-*,slurmctld,munged}.pid; do
    [ -e "$file" ] || continue
    pid=$(cat "$file") name=$(basename "$file" .pid)
    if [ "$(cat "/proc/$pid/comm" 2> /dev/null)" = "${name%%-*}" ]; then
        kill "$pid"
        stopped+=("$pid")
    fi
done
for pid in "${stopped[@]}"; do
    for _ in $(seq 200); do
        [ -e "/proc/$pid" ] || break
        sleep 0.1
    done
done
others=$(grep -v "# Written by seqpre" /etc/hosts) && echo "$others" > /etc/hosts
rm -rf "$BOX" /etc/slurm/{slurm,cgroup,gres}.conf
