#!/usr/bin/env bats
# What the pages say to type under Slurm, typed: with small messages, and two tasks where they have 16. Run inside
# scripts/beds/slurm.

load lib

# The programs by their names, as on a site, with the shortest options.
setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p ovl/bin
    printf '#!/bin/sh\nexec "%s" "$@" %s\n' "$OVL_BIN/ovl_ialltoall" "-m 64:64 ${quick[*]} --compute-us 50" >ovl/bin/ovl_ialltoall
    ln -s "$OVL_BIN/ovl_worker" ovl/bin
    chmod +x ovl/bin/ovl_ialltoall
    HOME=$PWD PATH=$PWD/ovl/bin:$PATH
}

# typed LEAST: the lines of stdin, which are at least so many. Workers on nodes of their own need RDMA, which is not here.
typed() {
    local lines line
    mapfile -t lines
    [ ${#lines[@]} -ge "$1" ]
    for line in "${lines[@]}"; do
        echo "\$ $line"
        bounded bash -c "${line//=16/=2}"
        case $line in
        *' : '*) code_is 5; says "--path verbs: no RDMA adapter on node node1" ;;
        *) code_is "${measured[@]}" ;;
        esac
    done
    nothing_left
}

@test "the lines of ovl_bench(1)" {
    sed -n '/^\.Ss Under Slurm/,/^\.Sh /s/\\e/\\/g; /^\.Ss Under Slurm/,/^\.Sh /p' "$OVL_TOP/man/ovl_bench.1.in" |
        grep -E '^(srun|timeout|printf) ' >lines
    typed 5 <lines
    sound a.jsonl
}

@test "the lines of the README" {
    sed -n '/^    export PATH=$HOME/,/^$/s/^ *//p' "$OVL_TOP/README" >lines
    [ "$(grep -c '^srun ' lines)" = 2 ]
    typed 1 < <(grep . lines | paste -sd ';')
    sound a.jsonl
    sound b.jsonl
}

# A partition for each kind of nodes, of one node each.
@test "the line of ovl_dpu(7), a job on two partitions" {
    scontrol create PartitionName=hosts Nodes=node1 State=UP
    scontrol create PartitionName=dpus Nodes=node2 State=UP
    echo 'node1 node2 - -' >map
    sed -n '/^\.Sh STARTING/,/^\.Sh /p' "$OVL_TOP/man/ovl_dpu.7" | sed -n '/^srun /,/^\.Ed/{/^\.Ed/!p}' |
        sed -e 's/\\e$//' -e 's/-N 2 -n 4/-N 1 -n 2/' | paste -sd ' ' >lines
    [ "$(grep -o ' -N 1 -n 2 ' lines | wc -l)" = 2 ]
    typed 1 <lines
}
