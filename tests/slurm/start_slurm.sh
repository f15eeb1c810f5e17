#!/usr/bin/env bash
# Start a Slurm cluster on this machine, for tests: NODES nodes of 8 CPUs and 4 GPUs that are none, partitions `normal`
# and `preempt` (whose jobs `normal` may requeue), no accounting. Needs root and, the first time, apt.
#
#     tests/slurm/start_slurm.sh          one node
#     NODES=2 tests/slurm/start_slurm.sh  two, each with a slurmd of its own
#
# A cluster that answers already is used as it is. tests/slurm/stop_slurm.sh stops what this one started.
set -euo pipefail

NODES=${NODES:-1}
BOX=/var/lib/seqpre-slurm
CONFIG=/etc/slurm
MARK="# Written by seqpre's tests/slurm/start_slurm.sh"

fail() {
    echo "start_slurm: $*" >&2
    exit 1
}

# Wait for up to $1 seconds until a command succeeds.
within() {
    local end=$((SECONDS + $1))
    shift
    until "$@" > /dev/null 2>&1; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}

munge_answers() { munge -n | unmunge; }
all_nodes_are_idle() { [ "$(sinfo --noheader --Node --partition normal --states idle | wc -l)" = "$NODES" ]; }

if scontrol ping 2> /dev/null | grep -q UP; then
    echo "start_slurm: a cluster answers already: $(sinfo --noheader -o '%P %D x %c CPUs %G' | tr '\n' ';')"
    exit 0
fi
[ "$(id -u)" = 0 ] || fail "needs root"
if [ -e $CONFIG/slurm.conf ] && ! grep -q "^$MARK" $CONFIG/slurm.conf; then
    fail "$CONFIG/slurm.conf is not of this script; it stays as it is"
fi

# ------------------------------------------------------------------------------------------------------------- packages

if ! command -v slurmctld slurmd sbatch munged > /dev/null; then
    command -v apt-get > /dev/null || fail "no Slurm here, and no apt to install it with"
    if [ ! -e /usr/sbin/policy-rc.d ]; then # No daemon may be started by its package.
        printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d
        chmod +x /usr/sbin/policy-rc.d
        trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    fi
    packages="slurmctld slurmd slurm-client munge"
    get() { DEBIAN_FRONTEND=noninteractive timeout 180 apt-get install -qq -y --no-install-recommends $packages; }
    get > /dev/null 2>&1 || { timeout 120 apt-get update -qq && get; } > /dev/null 2>&1 \
        || fail "apt could not install $packages"
fi

# -------------------------------------------------------------------------------------------------------- configuration

rm -rf $BOX/{state,spool} # Jobs of a cluster that was stopped while they ran are not taken up again.
mkdir -p $CONFIG $BOX/{state,spool,log,run}
cgroups=yes # A job is tracked and limited by cgroups where this machine lets us make them, as on a real cluster.
for controller in freezer memory; do
    probe=/sys/fs/cgroup/$controller/seqpre-probe
    mkdir $probe 2> /dev/null && rmdir $probe || cgroups=no
done
if [ $cgroups = yes ]; then
    tracking=$'ProctrackType=proctrack/cgroup\nTaskPlugin=task/cgroup\nJobAcctGatherType=jobacct_gather/cgroup'
else
    tracking=$'ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/linux'
fi
memory=$(awk '/^MemTotal/ {print int($2 / 1024)}' /proc/meminfo)

cat > $CONFIG/slurm.conf << END
$MARK
ClusterName=seqpre
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=27817
SlurmUser=root
AuthType=auth/munge
# else a requeued job waits for two minutes
AuthInfo=cred_expire=5
StateSaveLocation=$BOX/state
SlurmdSpoolDir=$BOX/spool/%n
SlurmctldPidFile=$BOX/run/slurmctld.pid
SlurmdPidFile=$BOX/run/slurmd-%n.pid
SlurmctldLogFile=$BOX/log/slurmctld.log
SlurmdLogFile=$BOX/log/slurmd-%n.log
$tracking
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
GresTypes=gpu,shard
# more CPUs and memory than there are: jobs of tests sleep and wait a lot
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=5
KillWait=5
ReturnToService=1
JobRequeue=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
AccountingStorageType=accounting_storage/none
$(for ((i = 0; i < NODES; i++)); do
    echo "NodeName=node$i NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$((27820 + i)) CPUs=8" \
        "RealMemory=$memory Gres=gpu:4,shard:8 State=UNKNOWN"
done)
PartitionName=DEFAULT Nodes=ALL DefaultTime=60 DefMemPerCPU=1000 MaxTime=2-0 State=UP
PartitionName=normal Default=YES PriorityTier=10
PartitionName=preempt PriorityTier=1 GraceTime=2
END
cat > $CONFIG/cgroup.conf << END
$MARK
CgroupPlugin=cgroup/v1
CgroupAutomount=no
ConstrainRAMSpace=$cgroups
END
for ((gpu = 0; gpu < 4; gpu++)); do # A second /dev/null for each GPU: Slurm only asks that the device exists.
    [ -e $BOX/gpu$gpu ] || mknod -m 666 $BOX/gpu$gpu c 1 3
done
nodes="NodeName=node[0-$((NODES - 1))]" # Two jobs may share a GPU.
printf '%s\n' "$MARK" "$nodes Name=gpu File=$BOX/gpu[0-3]" "$nodes Name=shard Count=8" > $CONFIG/gres.conf

# A training job on several nodes meets at the first one, by name.
grep -q "$MARK" /etc/hosts || echo "127.0.0.1 $(seq -s ' ' -f 'node%g' 0 $((NODES - 1))) $MARK" >> /etc/hosts

# -------------------------------------------------------------------------------------------------------------- daemons

if ! munge_answers > /dev/null 2>&1; then
    if [ ! -s /etc/munge/munge.key ]; then
        (umask 077 && head -c 1024 /dev/urandom > /etc/munge/munge.key)
        chown munge: /etc/munge/munge.key
    fi
    install -d -o munge -g munge -m 755 /run/munge
    install -d -o munge -g munge -m 700 /var/lib/munge /var/log/munge
    setpriv --reuid munge --regid munge --clear-groups munged
    within 10 munge_answers || fail "munged does not answer; see /var/log/munge"
    cp /run/munge/munged.pid $BOX/run/munged.pid
fi
# A controller that ends otherwise than by SIGTERM is started again, with its jobs, as a site's systemd does it.
setsid bash -c 'until slurmctld -D; do echo "slurmctld ended with status $? on $(date "+%F %T")"; sleep 1; done' \
    >> $BOX/log/restarts.log 2> $BOX/log/slurmctld.err < /dev/null &
within 20 scontrol show config || fail "slurmctld does not answer; see $BOX/log/slurmctld.log"
for ((i = 0; i < NODES; i++)); do
    mkdir -p $BOX/spool/node$i
    slurmd -N node$i
done
within 30 all_nodes_are_idle || fail "no usable node; see $BOX/log"
echo "start_slurm: $NODES node(s) of 8 CPUs and 4 fake GPUs, cgroups: $cgroups"
