#!/bin/sh
# A sweep as a job array on a real SLURM: munge, a controller and a node of this machine, started here from Debian's
# packages (slurmctld, slurmd, slurm-client, munge) and stopped at the end. Needs root, as slurmd does.
set -eu
warpwatt=$1
[ "$(id -u)" -eq 0 ] || { echo "skipped: slurmd needs root"; exit 77; }
for program in munged slurmctld slurmd sbatch squeue; do
    PATH="$PATH:/usr/sbin" command -v "$program" >/dev/null || { echo "skipped: no $program"; exit 77; }
done
PATH="$PATH:/usr/sbin"
work=$(mktemp -d)
chmod 755 "$work"
host=$(hostname -s)
SLURM_CONF="$work/slurm.conf"
export SLURM_CONF

stop() {
    code=$?
    for service in slurmd slurmctld munged; do
        [ ! -s "$work/$service.pid" ] || kill "$(cat "$work/$service.pid")" 2>/dev/null || true
    done
    [ "$code" -eq 0 ] || tail -n 20 "$work"/*.log
    sleep 1
    rm -rf "$work"
}
trap stop EXIT

cat >"$SLURM_CONF" <<CONF
ClusterName=warpwatt-test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
SlurmctldPort=26817
SlurmdPort=26818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
mkdir "$work/state" "$work/spool" "$work/munge"
chown munge "$work/munge"
dd if=/dev/urandom of="$work/munge/key" bs=1024 count=1 2>/dev/null
chmod 400 "$work/munge/key"
chown root "$work/munge/key" "$work/munge"
munged --force --key-file="$work/munge/key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
    --log-file="$work/munged.log" --seed-file="$work/munge/seed"
slurmctld
slurmd
tries=0
until sinfo --noheader --format=%t 2>/dev/null | grep -q idle; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] || { echo "the node did not come up"; sinfo; exit 1; }
    sleep 0.5
done

cat >"$work/sweep.xml" <<'XML'
<?xml version="1.0"?>
<sweep name="array">
  <configuration name="base" gpu="gtx580"><vary key="sm.max_ctas" values="2,4,8"/></configuration>
  <workload name="vectoradd" size="small"/>
  <workload name="matrixmul" size="small"/>
  <workload name="bfs" size="small"/>
</sweep>
XML
# One run is done before: the array must leave it alone.
"$warpwatt" sweep "$work/sweep.xml" --out "$work/out" --task 4/9
stat -c %Y.%Z "$work"/out/*/*/sweep-run.txt >"$work/first"
"$warpwatt" sweep "$work/sweep.xml" --out "$work/out" --launcher slurm --jobs 5 --sbatch=--partition=test >"$work/said"
cat "$work/said"
grep -q '8 runs in 5 tasks' "$work/said"
tries=0
while [ -n "$(squeue --noheader)" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 240 ] || { echo "the array did not end"; squeue; exit 1; }
    sleep 0.5
done
cat "$work"/out/logs/slurm-*.out
"$warpwatt" sweep "$work/sweep.xml" --out "$work/out" --status
[ "$(find "$work/out" -path '*/.work' -prune -o -name sweep-run.txt -print | wc -l)" -eq 9 ]
[ "$(stat -c %Y.%Z "$work/out/base,sm.max_ctas=4/matrixmul-small/sweep-run.txt")" = "$(cat "$work/first")" ]
"$warpwatt" sweep "$work/sweep.xml" --out "$work/here" --quiet
diff -r -x .work -x logs -x slurm.sh "$work/here" "$work/out"
"$warpwatt" sweep "$work/sweep.xml" --out "$work/out" --launcher slurm | grep -q 'all 9 runs are done'
if "$warpwatt" sweep "$work/sweep.xml" --out "$work/other" --launcher slurm --sbatch=--partition=none 2>"$work/err"; then
    echo "a partition that does not exist was accepted"
    exit 1
fi
grep -q 'sbatch did not take the job' "$work/err"
