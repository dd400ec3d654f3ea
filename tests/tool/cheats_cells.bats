#!/usr/bin/env bats
# What a vendor might write into a cell, so that it follows from its own samples and from nothing else of its record: another
# cell of the same blocks, the run line, the program, or the time that the run took contradicts it.

load vendor

demo="$OVL_TOP/results/demo/ialltoall.jsonl"

# edited SED WORDS [RECORD]: a record of which each line is edited, and all that follows from samples follows again, is refused
# with these words.
edited() {
    sed -E "$1" "${3:-$demo}" >edited.jsonl
    ! cmp -s edited.jsonl "${3:-$demo}"
    derived edited.jsonl bad.jsonl
    tells 4 "$2" validate bad.jsonl
}

@test "cells of the same blocks have another work or blocking twin" {
    edited '/"mode":"dpu"/s/("blocking_seconds":\{"max":\[[0-9.]*)/\11/' \
        ":3: /samples/blocking_seconds: not those of the cell in line 2, of the same blocks"
    edited '/"mode":"dpu"/s/("compute_seconds":\{"max":\[[0-9.]*)/\11/' \
        ":3: /samples/compute_seconds: not those of the cell in line 2, of the same blocks"
    # Wherever its cell stands.
    sed -n '2p;4p;6p' "$demo" >host
    sed -n '3p;5p;7p' "$demo" | sed -E 's/("compute_seconds":\{"max":\[[0-9.]*)/\11/' >dpu
    { head -n 1 "$demo"; cat host dpu; tail -n 1 "$demo"; } >apart.jsonl
    derived apart.jsonl bad.jsonl
    tells 4 ":5: /samples/compute_seconds: not those of the cell in line 2, of the same blocks" validate bad.jsonl
    local launches=1
    buyer "$(job a ', "modes": ["host", "dpu"]' | sed 's/"ranks": 2/"ranks": 3/')" "$(ratio dpu host 2)"
    vendor './drive "$@"; sed -E -i "/\"mode\":\"dpu\"/s/(\"blocking_seconds\":\{\"max\":\[[0-9.]*)/\\11/" "${@: -1}"'
    caught 1 t "not those of the cell in line "
}

@test "cells of the same blocks did other units of work" {
    edited '/"mode":"dpu"/s/"units":[0-9]*/&1/' ":3: /compute/units: 167267141, and the cell in line 2 of the same blocks has 16726714"
}

@test "a run took less time than what was measured in it" {
    # 13 s of the 16 s are in samples, of which those of T have 6 s.
    edited 's/"finished":"[^"]*"/"finished":"2026-11-26T16:18:45Z"/' "and the samples took"
}
