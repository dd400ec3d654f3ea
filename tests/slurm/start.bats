#!/usr/bin/env bats
# Starts by srun over two nodes: plain, heterogeneous and --multi-prog steps, and what their records say. Run inside
# scripts/beds/slurm. One size is enough: four ranks on two processors wait for each other, not for data.

load lib

driver=("$OVL_BIN/ovl_ialltoall" -m 64:64 "${quick[@]}" --compute-us 50 --json r.jsonl)

@test "two ranks on each of two nodes" {
    since=$(now)
    bounded "${four[@]}" true
    code_is 0
    figure "a step of 4 tasks on 2 nodes: $(seconds_since "$since") s"
    since=$(now)
    bounded "${four[@]}" "$OVL_BIN/ovl_ialltoall" --help
    code_is 0
    figure "a start of 4 ranks on 2 nodes, with MPI and its end: $(seconds_since "$since") s"
    bounded "${four[@]}" "${driver[@]}"
    code_is "${measured[@]}"
    sound r.jsonl
    [ "$(nodes_of r.jsonl)" = "node1 node2 [0,0,1,1]" ]
    nothing_left
}

@test "--multi-prog: a driver's rank and a worker on each node" {
    printf '%s\n' "0,2 ${driver[*]} --mode host,dpu --workers 0" "1,3 $OVL_BIN/ovl_worker" >programs
    bounded "${four[@]}" --multi-prog programs
    code_is "${measured[@]}"
    sound r.jsonl
    [ "$(nodes_of r.jsonl)" = "node1 node2 [0,1]" ]
    grep -q '"workers":2,"most_on_a_node":1,' r.jsonl
    grep '"mode":"dpu"' r.jsonl | grep -q '"name":"worker","path":"shm","placement":"host-core","workers":2'
    nothing_left
}

@test "a heterogeneous step of ranks and workers on both nodes" {
    bounded srun --mpi=pmi2 -N1 -n2 "${driver[@]}" --mode host,dpu : -N1 -n2 "${driver[@]}" --mode host,dpu
    code_is "${measured[@]}"
    sound r.jsonl
    [ "$(nodes_of r.jsonl)" = "node1 node2 [0,1]" ]
    grep -q '"workers":2,"most_on_a_node":1,' r.jsonl
    nothing_left
}

@test "a heterogeneous step of ranks on both nodes is one job" {
    bounded srun --mpi=pmi2 -N1 -n1 "${driver[@]}" : -N1 -n2 "${driver[@]}"
    code_is "${measured[@]}"
    sound r.jsonl
    [ "$(nodes_of r.jsonl)" = "node1 node2 [0,1,1]" ]
    nothing_left
}

@test "a heterogeneous step whose workers are on another node than their ranks: one line and code 5 from all components" {
    for path in auto shm; do
        bounded srun --mpi=pmi2 -N1 -n2 "${driver[@]}" --mode host,dpu --workers 0 --path "$path" : \
            -N1 -n2 "$OVL_BIN/ovl_worker"
        code_is 5
        one_line
        case $path in
        auto) says "--path verbs" ;;
        shm) says "node node1 is served by worker 0 (process 2) on node node2, another machine" ;;
        esac
        [ ! -e r.jsonl ]
    done
    nothing_left
}

@test "a type of --mpi that makes each task a job of its own is warned of, and finds no worker" {
    bounded srun -N2 -n2 --mpi=none "${driver[@]}"
    code_is "${measured[@]}"
    grep -q '"each of the 2 tasks of srun is a job of one rank: give --mpi=pmi2 or --mpi=pmix (ovl doctor says which)"' r.jsonl
    bounded srun -N2 -n2 --mpi=none "${driver[@]}" --mode host,dpu --workers 0
    code_is 5
    says "there is no worker"
    nothing_left
}
