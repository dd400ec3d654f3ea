#!/usr/bin/env bats
# Which processors srun gives to ranks, and what the record says of it. Run inside scripts/beds/slurm, whose nodes have the same
# processors.
# bed: TaskPlugin=task/affinity

load lib
load binding

@test "one rank a node, each bound to the first core: they share a processor, and the record warns of it" {
    bind -N2 -n2
    [ "$(nodes_of r.jsonl)" = "node1 node2 [0,1]" ]
    warns "oversubscribed: 2 ranks on 1 cores; times hold the waiting for a core"
    absent "not bound" "$(warnings)"
}

@test "bound to cores, and unbound" {
    (($(nproc) > 1)) || skip "one processor"
    bind -N1 -n2 --cpu-bind=cores
    absent "not bound|oversubscribed" "$(warnings)"
    [ "$(binding | sort -u | wc -l)" = 2 ]
    bind -N1 -n2 --cpu-bind=none
    warns "ranks are not bound to cores (srun --cpu-bind=cores)"
    [ "$(binding | sort -u | wc -l)" = 1 ]
}

@test "whole nodes for a rank each are no binding" {
    (($(nproc) > 1)) || skip "one processor"
    bind -N2 -n2 -c "$(nproc)"
    warns "ranks are not bound to cores (srun --cpu-bind=cores)"
}

@test "two ranks bound to hardware threads of one core" {
    with_hwloc
    (($(nproc) > 1)) || skip "one processor"
    HWLOC_SYNTHETIC="core:$(nproc) pu:2" bind -N1 -n2 --cpu-bind=cores
    warns "2 ranks on 1 cores: the hardware threads of a core slow each other down"
    absent "not bound" "$(warnings)"
    grep -q "\"cores\":$((2 * $(nproc))),\"physical_cores\":$(nproc)," r.jsonl
}

@test "mpiexec within a job names its own option" {
    # shellcheck disable=SC2086
    bounded salloc -Q -N1 -n2 $OVL_MPIEXEC -n 2 "${null[@]}"
    code_is "${measured[@]}"
    absent "srun --cpu-bind" "$(warnings)"
}
