#!/usr/bin/env bash
#SBATCH --job-name=ovl
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=16
#SBATCH --exclusive
#SBATCH --time=02:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
# A sweep in a batch job. Submitted again with the same settings and programs, or requeued, it goes on with what is missing;
# with others it is refused (3), and wants another OUTPUT-FOLDER.
# SPDX-License-Identifier: BSD-3-Clause
#
#   sbatch [OPTION]... scripts/ci/slurm.sh [OUTPUT-FOLDER]
#
#   OVL_BIN    the folder of the programs; else they are taken from PATH
#   SIZES      default 64K:1M
#   LAUNCHES   of each job, default 8
#   OPTIONS    more options of the drivers, such as "--max-time 5"
#   WORK_FROM  the folder of an earlier sweep whose units of work this one takes, so that totals compare
#   BUDGET     such as 100m: start only what should be done by then; ends with 2 while launches are left out
#   MPI_TYPE   of srun --mpi; default pmi2, which MPICH speaks (Open MPI: pmix); ovl doctor says what is here
#
# Times: a launch has time_limit_seconds, then grace_seconds to end, both by ovl sweep; the job has --time, of which --signal
# leaves 120 s to end in good order. ovl sweep has each step end with its first rank that fails, as the others would wait
# for it for ever, and ranks bound to cores: unbound ones move, and two on one core measure each other. Workers are ranks
# and need cores of their own. For a driver by hand see "Under Slurm" in ovl_bench(1).
set -euo pipefail
out=${1:-ovl-results}
: "${SIZES:=64K:1M}" "${LAUNCHES:=8}" "${OPTIONS:=}" "${SLURM_NTASKS:?to be started by sbatch}" "${SLURM_JOB_NUM_NODES:?to be started by sbatch}"
bin=${OVL_BIN:+$OVL_BIN/}

mkdir -p "$out"
more=$(for word in $OPTIONS; do printf ', "%s"' "$word"; done)
# What a plan says of the programs is a part of it: ovl sweep goes on with no other one.
build=$(for name in ovl_ialltoall ovl_ibcast; do cksum <"$(command -v "$bin$name")"; done 2>/dev/null | tr '\n' ' ') || :
cat >"$out/plan.json" <<PLAN
{"plan": 1, "title": "cksum of the programs: $build", "launches": $LAUNCHES, "order": "random", "seed": 1, "time_limit_seconds": 900,
 "grace_seconds": 30,
 "launcher": {"kind": "srun", "options": ["--mpi=${MPI_TYPE:-pmi2}"]},
 "jobs": [
  {"name": "ialltoall", "program": "${bin}ovl_ialltoall", "ranks": $SLURM_NTASKS, "nodes": $SLURM_JOB_NUM_NODES,
   "options": ["-m", "$SIZES", "--quiet"$more]},
  {"name": "ibcast", "program": "${bin}ovl_ibcast", "ranks": $SLURM_NTASKS, "nodes": $SLURM_JOB_NUM_NODES,
   "options": ["-m", "$SIZES", "--quiet"$more]}
 ]}
PLAN

# Two minutes before the time is over Slurm sends TERM to this shell: pass it on, so that no launch is cut in two. The
# launch that it interrupts is attempted again later; ovl accept counts that, and `retries` of its limits allows it.
"${bin}ovl" sweep "$out/plan.json" ${WORK_FROM:+--work-from "$WORK_FROM"} ${BUDGET:+--budget "$BUDGET"} -o "$out/sweep" --resume &
sweep=$!
told=
trap 'told=yes; kill -TERM $sweep' TERM
code=0
wait $sweep || code=$?
while kill -0 $sweep 2>/dev/null; do wait $sweep || :; done # each TERM ends a wait, and there may be several
wait $sweep 2>/dev/null || code=$?
if [ -n "$told" ] && [ $code -gt 128 ] && command -v scontrol >/dev/null; then
    scontrol requeue "$SLURM_JOB_ID"
    exit 0
fi
[ $code -lt 3 ] || exit $code # no sweep of these settings, and no page of others
"${bin}ovl" report "$out/sweep" -o "$out/report.html" || echo "no page: see above" >&2
exit $code
