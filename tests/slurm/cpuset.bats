#!/usr/bin/env bats
# Steps whose cpusets are smaller than the node: bound or not is told by what the job may use. Run inside scripts/beds/slurm.
# bed: TaskPlugin=task/cgroup,task/affinity

load lib
load binding

@test "a step of one core has a cpuset of it, also where srun does not bind" {
    (($(nproc) > 1)) || skip "one processor"
    bind -N1 -n1 --cpu-bind=none
    [ "$(srun -N1 -n1 --cpu-bind=none nproc)" = 1 ]
    [ "$(binding)" = 0 ]
    absent "not bound" "$(warnings)"
}

@test "a rank that wanders over all of a cpuset that is smaller than its node is not bound" {
    with_hwloc
    (($(nproc) > 1)) || skip "one processor"
    # hwloc makes up a machine of twice as many cores; the cpuset, and what ranks may run on, is real.
    export HWLOC_SYNTHETIC="core:$((2 * $(nproc))) pu:1" HWLOC_THISSYSTEM=1 HWLOC_THISSYSTEM_ALLOWED_RESOURCES=1
    bind -N1 -n1 -c2 --cpu-bind=none
    [ "$(binding)" = 0-1 ]
    warns "ranks are not bound to cores (srun --cpu-bind=cores)"
    bind -N1 -n2 --cpu-bind=cores
    absent "not bound" "$(warnings)"
}

@test "a cpuset of a real node's part" {
    (($(nproc) > 2)) || skip "two processors"
    bind -N1 -n1 -c2 --cpu-bind=none
    [ "$(srun -N1 -n1 -c2 --cpu-bind=none nproc)" = 2 ]
    warns "ranks are not bound to cores (srun --cpu-bind=cores)"
}
