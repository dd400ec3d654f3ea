#!/usr/bin/env bash
#SBATCH --job-name=ovl
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=16
#SBATCH --exclusive
#SBATCH --time=02:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
# A sweep in a batch job. Submitted again, or requeued, it goes on with what is missing.
# SPDX-License-Identifier: BSD-3-Clause
#
#   sbatch [OPTION]... scripts/ci/slurm.sh [OUTPUT-FOLDER]
#
#   OVL_BIN    the folder of the programs; else they are taken from PATH
#   SIZES      default 64K:1M
#   WORK_FROM  the folder of an earlier sweep whose units of work this one takes, so that totals compare
set -euo pipefail
out=${1:-ovl-results}
: "${SIZES:=64K:1M}" "${SLURM_NTASKS:?to be started by sbatch}" "${SLURM_JOB_NUM_NODES:?to be started by sbatch}"
bin=${OVL_BIN:+$OVL_BIN/}

mkdir -p "$out"
[ -e "$out/plan.json" ] || cat >"$out/plan.json" <<PLAN
{"plan": 1, "launches": 8, "order": "random", "seed": 1, "time_limit_seconds": 900,
 "launcher": {"kind": "srun", "options": ["--cpu-bind=cores"]},
 "jobs": [
  {"name": "ialltoall", "program": "${bin}ovl_ialltoall", "ranks": $SLURM_NTASKS, "nodes": $SLURM_JOB_NUM_NODES,
   "options": ["-m", "$SIZES", "--quiet"]},
  {"name": "ibcast", "program": "${bin}ovl_ibcast", "ranks": $SLURM_NTASKS, "nodes": $SLURM_JOB_NUM_NODES,
   "options": ["-m", "$SIZES", "--quiet"]}
 ]}
PLAN

# Two minutes before the time is over Slurm sends TERM to this shell: pass it on, so that no launch is cut in two. The
# launch that it interrupts is attempted again later; ovl accept counts that, and `retries` of its limits allows it.
"${bin}ovl" sweep "$out/plan.json" ${WORK_FROM:+--work-from "$WORK_FROM"} -o "$out/sweep" --resume &
sweep=$!
trap 'kill -TERM $sweep' TERM
code=0
wait $sweep || code=$?
wait $sweep 2>/dev/null || code=$?
if [ $code -gt 128 ] && command -v scontrol >/dev/null; then
    scontrol requeue "$SLURM_JOB_ID"
    exit 0
fi
"${bin}ovl" report "$out/sweep" -o "$out/report.html" || echo "no page: see above" >&2
exit $code
