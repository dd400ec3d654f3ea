#!/usr/bin/env bats
# The tool on recorded runs: what it says, its exit codes, damaged records, and the texts in its charts.

load tool

setup() {
    own_folder
    cp "$data"/*.jsonl .
}

lacks() { ! grep -qF -- "$2" "$1" || { echo "$1 says: $2"; return 1; }; }

# A second run, as if workers had done it: the same cells in dpu mode, with another time at one size.
add_dpu_run() {
    sed -e 's/"run_id":"/&dpu-/; s/"mode":"host"/"mode":"dpu"/; s/"placement":"host"/"placement":"host-core"/' \
        -e '/"size_bytes":65536,/s/"total_seconds":{"median":[^,]*/"total_seconds":{"median":1e-3/' \
        ialltoall.jsonl >dpu.jsonl
    cat dpu.jsonl >>ialltoall.jsonl
}

@test "the tool lists its commands, and each its options" {
    ovl 0 --help
    commands=$(grep -oE '^  [a-z]+ ' <<<"$out")
    [ "$(wc -w <<<"$commands")" = 18 ]
    pages=$OVL_BUILD/share/man/man1
    for command in $commands; do
        tells 0 "usage: ovl $command" $command --help
        prints "  0  "
        [ $command != offload ] || continue # its page is of the preload library
        summary=$(sed -n "0,/^$/p" <<<"$out" | tail -n 2 | head -n 1)
        has $pages/ovl.1 "$summary"
        has $pages/ovl-$command.1 ".Nd $summary"
        codes=$(sed -n '/^exit codes:$/,$p' <<<"$out" | grep -oE '^  [0-5]  ' | tr -d ' ')
        [ "$codes" = "$(sed -n '/^\.Sh EXIT STATUS/,$s/^\.It \([0-5]\)$/\1/p' $pages/ovl-$command.1)" ]
    done
    ovl 0 --version
    [[ $out =~ ^ovl\ [0-9]+\.[0-9]+ ]]
}

@test "a full disk is an error" {
    [ -w /dev/full ] || skip "no /dev/full"
    run bash -c '"$OVL_BIN/ovl" show ialltoall.jsonl >/dev/full'
    [ "$status" = 5 ]
    [[ $output =~ "cannot write to standard output" ]]
}

@test "list names what can be measured and with what" {
    ovl 0 list
    for word in ovl_ialltoall MPI_Iallreduce fma triad sleep host dpu shm "adapters found here"; do
        prints "$word"
    done
}

@test "show prints the table and the omb form of a record" {
    tells 0 "# ovl_ialltoall" show ialltoall.jsonl
    [ "$(grep -c '^ .* host ' <<<"$out")" = 4 ]
    short=$(awk '/ 8192 / {print NF}' <<<"$out")
    ovl 0 show -f ialltoall.jsonl
    [ "$(awk '/ 8192 / {print NF}' <<<"$out")" -gt "$short" ]
    tells 0 "# OSU MPI Non-blocking All-to-All Latency Test v7.4" show --format omb ialltoall.jsonl
    grep -qE '^65536 ' <<<"$out"
    tells 0 "# ovl_ibarrier" show ibarrier.jsonl ialltoall.jsonl
    prints "# ovl_ialltoall"
    grep '"size_bytes":65536,' ialltoall.jsonl | sed 's/"mode":"host"/"mode":"dpu"/' >again
    sed -i '$d' ialltoall.jsonl
    cat again >>ialltoall.jsonl
    refuses 3 "one row a size" show --format omb ialltoall.jsonl
    sed -i '2{p; s/"mode":"host"/"mode":"dpu"/}' ibarrier.jsonl # nor a row without a size
    refuses 3 "one row a size" show --format omb ibarrier.jsonl
}

@test "a truncated record is shown, validated and drawn, and said to be truncated" {
    sed -i '$d' ialltoall.jsonl
    printf '{"record":"cell","run_id":"2' >>ialltoall.jsonl
    tells 0 "# truncated: the job ended before its end line; the 4 cells above are whole" show ialltoall.jsonl
    tells 0 "ialltoall.jsonl: 1 run, 4 cells, 1 truncated (no end line) but usable, the last line cut short, ok" validate ialltoall.jsonl
    cat ibarrier.jsonl <(head -c 300 ialltoall.jsonl) >more.jsonl # the next run's first line
    tells 0 "more.jsonl: 1 run, 1 cell, the last line cut short, ok" validate more.jsonl
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 0 plot ialltoall.jsonl --chart latency
    [ -s ialltoall-latency.svg ]
}

@test "a run that ended before its first cell is shown, validated, and has no chart" {
    sed -e '/"record":"cell"/d' -e 's/"cells":4/"cells":0/; s/"status":"complete"/"status":"failed"/' ialltoall.jsonl >none.jsonl
    tells 0 "# failed: the run ended early; the 0 cells above are whole" show none.jsonl
    ovl 0 validate none.jsonl
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    refuses 4 "ovl plot: no chart made" plot none.jsonl
}

@test "validate finds nothing in sound records" {
    ovl 0 validate ialltoall.jsonl ibarrier.jsonl
    [ "$out" = "ialltoall.jsonl: 1 run, 4 cells, ok
ibarrier.jsonl: 1 run, 1 cell, ok" ]
}

@test "validate finds one changed byte in a sample" {
    sed -i '2s/\("samples":{"comm_seconds":{"max":\[[0-9]\.[0-9]\)./\19/' ialltoall.jsonl
    if cmp -s ialltoall.jsonl "$data/ialltoall.jsonl"; then return 1; fi
    [ "$(cmp -l ialltoall.jsonl "$data/ialltoall.jsonl" | wc -l)" = 1 ]
    ovl 4 validate ialltoall.jsonl
    grep -qE '^ialltoall.jsonl:2: /[a-z_/]*: .*, but the samples give ' <<<"$out"
    # No derived value needs the mean of the wait.
    cp "$data/ialltoall.jsonl" .
    sed -i '3s/\("samples":.*"wait_seconds":{"max":[^]]*\],"mean":\[\)./\19/' ialltoall.jsonl
    ovl 4 validate ialltoall.jsonl
    prints "ialltoall.jsonl:3: /samples/wait_seconds: block 0 has a mean over ranks above its slowest rank"
}

@test "validate finds a changed derived value, summary and count" {
    sed -i '3s/"hidden_fraction":{"value":[^,]*/"hidden_fraction":{"value":0.5/
            4s/\("blocking_seconds":{"median":\)[^,]*/\11e-3/
            5s/"invalid_samples":{"comm_seconds":[0-9]*/"invalid_samples":{"comm_seconds":7/
            5s/"omb_overlap_percent":[^,]*/"omb_overlap_percent":null/' ialltoall.jsonl
    tells 4 "ialltoall.jsonl:3: /hidden_fraction/value: 0.5, but the samples give " validate ialltoall.jsonl
    prints "ialltoall.jsonl:4: /blocking_seconds/median: 0.001, but the samples give "
    prints "ialltoall.jsonl:5: /invalid_samples/comm_seconds: 7, but the samples give "
    prints "ialltoall.jsonl:5: /omb_overlap_percent: null, but the samples give "
    [ "$(wc -l <<<"$out")" = 4 ]
}

@test "the omb form of a run that was cut short does not end with 0" {
    ovl 0 show --format omb ialltoall.jsonl
    sed '$s/"status":"complete"/"status":"interrupted"/' ialltoall.jsonl >early.jsonl
    sed '$d' ialltoall.jsonl >cut.jsonl
    tells 2 "# interrupted: the run ended early" show --format omb early.jsonl
    tells 2 "# truncated: " show --format omb cut.jsonl
    ovl 2 show --format omb-blocking cut.jsonl
    # Their cells carry no claim, and so have no number; nor have such as no measurement gives.
    for format in omb omb-blocking; do
        ovl 2 show --format $format cut.jsonl
        [ "$(grep -c '^[0-9]' <<<"$out")" = 0 ]
        sed '3s/"total_seconds":{"median":[0-9.e-]*/"total_seconds":{"median":0.0/' ialltoall.jsonl >none.jsonl
        tells 2 "its stored values cannot be" show --format $format none.jsonl
        [ "$(grep -c '^[0-9]' <<<"$out")" = 3 ]
    done
    ovl 0 show cut.jsonl
}

@test "the omb form has no Pass where nothing is checked" {
    sed 's/"validation":false/"validation":true/' ibarrier.jsonl >ib.jsonl
    tells 0 "Validation" show --format omb ib.jsonl
    prints "Pass"
    sed 's/"benchmark":"ibarrier"/"benchmark":"null"/; s/"validated":true/"validated":null/' ib.jsonl >null.jsonl
    for form in omb omb-blocking; do
        ovl 0 show --format $form null.jsonl
        [ "$(grep -c Validation <<<"$out")" = 0 ]
        [ "$(grep -c Pass <<<"$out")" = 0 ]
        grep -qE '^ *[0-9]' <<<"$out"
    done
}

@test "validate finds cells and ends that are not of their run" {
    while IFS='|' read -r record change problem; do
        cp "$data/$record" .
        sed -i "$change" $record
        ! cmp -s $record "$data/$record" || { echo "no change: $change"; return 1; }
        tells 4 "$problem" validate $record
    done <<'END'
iallgather.jsonl|2s/"ranks":[0-9]*/"ranks":64/|:2: /ranks: 64, in a run of
iallgather.jsonl|2s/"mode":"host"/"mode":"dpu"/|:2: /mode: "dpu", in a run of --mode host
iallgather.jsonl|$s/"finished":"20/"finished":"19/|, before the run started at 20
iallgather.jsonl|2s/"validated":true/"validated":false/|but /validated is false: cells with wrong data are invalid
hpl.jsonl|1s/"options":{/&"ci":0.001,/|:2: /status: "few", but the samples give "ci_not_reached"
END
}

# bats test_tags=long
@test "validate finds a changed digit anywhere in the samples, by their checksum" {
    tells 0 "iallgather.jsonl: 1 run, 3 cells, ok" validate iallgather.jsonl
    # The mean of a part of T, in its last digit: nothing else in the record follows from it.
    cp iallgather.jsonl before
    sed -i -E '3s/("samples":.*"init_seconds":\{"max":\[[^]]*\],"mean":\[[0-9.]*)[1-9]e-/\10e-/' iallgather.jsonl
    [ "$(cmp -l before iallgather.jsonl | wc -l)" = 1 ]
    ovl 4 validate iallgather.jsonl
    [ "$(wc -l <<<"$out")" = 1 ]
    grep -qE '^iallgather.jsonl:3: /samples_crc32: "[0-9a-f]{8}", but the samples give "[0-9a-f]{8}": a sample was changed$' <<<"$out"
    sed -i '3s/"samples_crc32":"[0-9a-f]*",//; 4s/"samples_crc32":"[0-9a-f]*"/"samples_crc32":17/' iallgather.jsonl
    tells 4 "iallgather.jsonl:4: /samples_crc32: a text is wanted here, not 17" validate iallgather.jsonl
}

# One run with both modes in the same blocks, its efficiencies right: another sample of T in each, and the same median.
make_both_modes() {
    sed -n '1s/"mode":"host"/"mode":"host,dpu"/p' ialltoall.jsonl
    sed -n '2,5p' ialltoall.jsonl | while read -r line; do
        echo "$line"
        sed 's/"mode":"host"/"mode":"dpu"/; s/"offload_efficiency":null/"offload_efficiency":1.0/
            s/\("total_seconds":{"max":\[.*\)\(1.5814\|1.4802\|1.9088\|3.9378\)e-5/\1\21e-5/' <<<"$line"
    done
    sed -n '6s/"cells":4/"cells":8/p' ialltoall.jsonl
}

@test "validate computes the offload efficiency again" {
    make_both_modes >both
    derived both both.jsonl
    ovl 0 validate both.jsonl
    [ "$out" = "both.jsonl: 1 run, 8 cells, ok" ]
    sed '3s/"offload_efficiency":1.0/"offload_efficiency":1.25/; 5s/"offload_efficiency":1.0/"offload_efficiency":null/
         6s/"offload_efficiency":null/"offload_efficiency":1.0/; 9s/"block_group":"/&x/' both.jsonl >wrong.jsonl
    ovl 4 validate wrong.jsonl
    [ "$(grep -v ': /block_group: ' <<<"$out")" = "wrong.jsonl:3: /offload_efficiency: 1.25, but the samples give 1
wrong.jsonl:5: /offload_efficiency: null, but the samples give 1
wrong.jsonl:6: /offload_efficiency: 1, but this is no dpu cell
wrong.jsonl:9: /offload_efficiency: 1, but no host cell that carries a claim was measured in the same blocks" ]
}

@test "validate finds fields that the schema does not allow" {
    sed -i '1s/"ranks":2/"ranks":0/
            1s/"warnings":/"remarks":/
            2s/"size_bytes":8192/"size_bytes":"8K"/
            3s/"status":"[a-z_]*"/"status":"good"/
            6s/"record":"end"/"record":"fin"/' ialltoall.jsonl
    tells 4 "ialltoall.jsonl:1: /ranks: 1 or more is wanted here, not 0" validate ialltoall.jsonl
    prints "ialltoall.jsonl:1: /warnings: is missing"
    prints 'ialltoall.jsonl:2: /size_bytes: a whole number or null is wanted here, not "8K"'
    prints 'ialltoall.jsonl:3: /status: "ok", "ci_not_reached", "few", "drifting" or "invalid" is wanted here, not "good"'
    prints 'ialltoall.jsonl:6: /record: "run", "cell", "node", "end", "offload" or "launch" is wanted here, not "fin"'
}

@test "validate finds cells without a run, lost, and after the end" {
    sed -n '2p' ialltoall.jsonl >orphan.jsonl
    tells 4 "orphan.jsonl:1: /run_id: no run line with it before this line" validate orphan.jsonl
    sed '3d' ialltoall.jsonl >lost.jsonl
    tells 4 "lost.jsonl:5: /cells: 4, but the file has 3 cells of this run" validate lost.jsonl
    sed '5{h;d};6G' ialltoall.jsonl >late.jsonl
    tells 4 "late.jsonl:6: /run_id: a cell after the end of its run" validate late.jsonl
    cat ialltoall.jsonl ialltoall.jsonl >twice.jsonl
    tells 4 "twice.jsonl:7: /run_id: this run is in the file twice" validate twice.jsonl
    sed '3s/"benchmark":"ialltoall"/"benchmark":"ibcast"/' ialltoall.jsonl >other.jsonl
    tells 4 'other.jsonl:3: /benchmark: "ibcast", in a run of ialltoall' validate other.jsonl
}

@test "validate tells at most twenty problems, and those of every file" {
    sed 's/"max":\[[^]]*\]/"max":["x","x","x","x","x","x","x","x"]/' ialltoall.jsonl >many.jsonl
    ovl 4 validate many.jsonl ibarrier.jsonl
    [ "$(grep -c '^many.jsonl:[0-9]' <<<"$out")" = 20 ]
    grep -qE '^many.jsonl: and [0-9]+ more problems' <<<"$out"
    prints "ibarrier.jsonl: 1 run, 1 cell, ok"
    ovl 5 validate nowhere.jsonl ibarrier.jsonl gone.jsonl
    says "nowhere.jsonl: cannot read: No such file or directory; gone.jsonl: cannot read: "
    prints "ibarrier.jsonl: 1 run, 1 cell, ok"
}

# bats test_tags=long
@test "plot makes every chart in every form" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    for term in svg png pdf; do
        ovl 0 plot ialltoall.jsonl -o made --term $term
        for chart in overlap total latency breakdown interference; do
            prints "made/ialltoall-$chart.$term"
            [ "$(stat -c %s made/ialltoall-$chart.$term)" -gt 2000 ]
        done
    done
    [ "$(head -c 4 made/ialltoall-total.pdf)" = "%PDF" ]
    [ "$(head -c 4 made/ialltoall-total.png | tail -c 3)" = "PNG" ]
    has made/ialltoall-total.svg "</svg>"
    [ "$(find made -type f | wc -l)" = 15 ] # no temporary file is left
    [ -z "$(ls -A tmp)" ]
}

@test "the charts say what was measured where" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 0 plot ialltoall.jsonl
    for chart in overlap total latency breakdown interference; do
        file=ialltoall-$chart.svg
        has $file "MPI_Ialltoall: " "MPICH 4.0.2; AMD EPYC; 2 cores; 2 ranks; 1 node; kernel fma"
        has $file "work 1 x host communication; host mode, no workers" "message size (bytes)"
        has $file "ranks are not bound to cores" ">64K<"
        lacks $file DPU
        lacks $file NaN
    done
    has ialltoall-overlap.svg "hidden part (%)"
    has ialltoall-overlap.svg ">-25<" # off the scale: marked at the edge with its value
    has ialltoall-total.svg "medium messages" "large messages" "Compute, then blocking call"
    has ialltoall-latency.svg "Blocking call"
    has ialltoall-breakdown.svg "share of the time (%)" ">wait<"
}

# per_rank FILE: the first cell with samples of two ranks, each on a node of its own; rank 1 exposes 7 us more.
per_rank() {
    sed '1s/"hosts":\[\({.*}\)\],"binding"/"hosts":[\1,\1],"rank_hosts":[0,1],"binding"/; 1s/"nodes":1,/"nodes":2,/
        1s/"name":"vm"/"name":"alpha"/; 1s/"name":"vm"/"name":"beta <2>"/
        2s/"samples":{/"rank_samples":{"compute_seconds":[[1e-4,1e-4,1e-4,1e-4,1e-4,1e-4,1e-4,1e-4],[1e-4,1e-4,null,1e-4,1e-4,1e-4,1e-4,1e-4]],"total_seconds":[[1.1e-4,1.1e-4,1.12e-4,1.08e-4,1.1e-4,1.1e-4,1.1e-4,1.13e-4],[1.17e-4,1.17e-4,null,1.17e-4,1.17e-4,1.17e-4,1.17e-4,1.17e-4]]},&/' \
        ialltoall.jsonl >"$1"
    grep -q '"rank_hosts":\[0,1\]' "$1" && grep -q '"rank_samples"' "$1"
}

@test "stragglers are named with their nodes" {
    per_rank ranks.jsonl
    ovl 0 validate ranks.jsonl
    tells 0 '# exposed   8K host: 13.5 us in the median over 2 ranks; 17 us at rank 1 (beta <2>)' show -f ranks.jsonl
    ovl 0 show ranks.jsonl
    [[ $out != *exposed* ]]
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 0 plot ranks.jsonl
    prints ./ialltoall-stragglers.svg
    has ialltoall-stragglers.svg "MPI_Ialltoall: what each rank exposed" ">8K, Host<" "T - W (µs)" ">alpha<"
    has ialltoall-stragglers.svg "1: rank 1 on beta &lt;2>, 17 µs"
    lacks ialltoall-stragglers.svg NaN
    # Without a word of nodes, as in records of before.
    sed '1s/"rank_hosts":\[0,1\],//' ranks.jsonl >before.jsonl
    ovl 0 plot before.jsonl --chart stragglers
    has ialltoall-stragglers.svg "1: rank 1, 17 µs"
    tells 4 "ialltoall: no stragglers chart: no cell has a value for it" plot ialltoall.jsonl --chart stragglers
}

# bats test_tags=long
@test "a chart of stragglers reads at 1,000 ranks" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    per_rank ranks.jsonl
    awk -v ranks=1000 'NR == 1 {
            sub(/"rank_hosts":\[0,1\]/, "\"rank_hosts\":" list("0"))
        }
        NR == 2 {
            sub(/"rank_samples":\{.*\},"samples":/, "\"rank_samples\":{\"compute_seconds\":" list("[1e-4]") \
                ",\"total_seconds\":" list("[1.1e-4]") "},\"samples\":")
        }
        { print }
        function list(value, text, r) {
            for (r = 0; r < ranks; r++)
                text = text (r ? "," : "") (r == 777 && value ~ /1.1e/ ? "[2e-4]" : value)
            return "[" text "]"
        }' ranks.jsonl >many.jsonl
    ovl 0 plot many.jsonl --chart stragglers --term png
    ovl 0 plot many.jsonl --chart stragglers
    has ialltoall-stragglers.svg "1: rank 777 on alpha, 100 µs"
    tells 0 '# exposed   8K host: 10 us in the median over 1000 ranks; 100 us at rank 777 (alpha)' show -f many.jsonl
}

@test "host and dpu mode stand side by side, with the change of the total" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    add_dpu_run
    ovl 0 plot ialltoall.jsonl --chart overlap,total,latency
    for chart in overlap total latency; do
        has ialltoall-$chart.svg ">Host<" ">DPU<" "host and DPU modes" "workers on host cores (emulated)"
    done
    grep -qE '>\+2[0-9]{3} %<' ialltoall-total.svg
    has ialltoall-total.svg ">0 %<" "percentages: DPU / host - 1, at the same amount of work"
}

@test "runs that differ become series or panels, and of equal ones the latest is drawn" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    own() { sed "s/\"samples\":{/\"samples_crc32\":\"0000000$1\",&/"; } # samples, as their sum has it
    sed 's/"run_id":"/&tests-/; s/"test_calls":0/"test_calls":16/' ialltoall.jsonl | own 1 >tests.jsonl
    sed 's/"run_id":"/&inf-/; s/"environment":{/&"UCX_RNDV_THRESH":"inf",/' ialltoall.jsonl | own 2 >inf.jsonl
    ovl 0 plot ialltoall.jsonl tests.jsonl inf.jsonl --chart overlap
    has ialltoall-overlap.svg ">Host<" ">Host, 16 MPI_Test calls<" ">Host, UCX_RNDV_THRESH=inf<"
    sed 's/"run_id":"/&ranks-/; s/"ranks":2/"ranks":4/; s/"nodes":1/"nodes":2/' ialltoall.jsonl >ranks.jsonl
    ovl 0 plot ialltoall.jsonl ranks.jsonl --chart overlap
    has ialltoall-overlap.svg ">2 ranks, 1 node<" ">4 ranks, 2 nodes<"
    sed 's/"run_id":"/&later-/; s/"started":"2/"started":"3/
         s/"hidden_fraction":{"value":[^,]*/"hidden_fraction":{"value":-3.21/' ialltoall.jsonl | own 3 >later.jsonl
    ovl 0 plot later.jsonl ialltoall.jsonl --chart overlap
    prints "ialltoall: 4 points were measured by several runs of the same set-up; the latest of each is drawn"
    has ialltoall-overlap.svg ">-321<"
    lacks ialltoall-overlap.svg ">-25<"
}

# bats test_tags=long
@test "from 6 launches on a chart shows their medians, with intervals over launches" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    # Alike but for the hidden part of the smallest size: 10, 20 ... 70 %, and -900 % in one that is invalid.
    for i in 1 2 3 4 5 6 7; do
        sed "s/\"samples\":{/\"samples_crc32\":\"0000000$i\",&/; s/\"run_id\":\"/&l$i-/; s/\"started\":\"2/\"started\":\"3/
             2s/\"hidden_fraction\":{\"value\":[^}]*/\"hidden_fraction\":{\"value\":0.${i},\"ci_low\":0.${i},\"ci_high\":0.${i}/" ialltoall.jsonl >$i.jsonl
    done
    sed 's/"samples":{/"samples_crc32":"0000000b",&/; s/"run_id":"/&bad-/; 2s/"status":"[a-z_]*"/"status":"invalid"/
         2s/"hidden_fraction":{"value":[^,]*/"hidden_fraction":{"value":-9/' ialltoall.jsonl >bad.jsonl
    tells 0 "the latest of each is drawn" plot [1-5].jsonl --chart overlap
    lacks ialltoall-overlap.svg "medians over"
    ovl 0 plot [1-7].jsonl bad.jsonl 7.jsonl --chart overlap,total,breakdown
    [[ $out != *"latest"* ]]
    has ialltoall-overlap.svg "medians over 7 to 8 launches"
    has ialltoall-total.svg "medians over 7 to 8 launches"
    lacks ialltoall-overlap.svg ">-900<"
}

@test "points without a value and invalid ones are not drawn as good" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    sed -i '2s/"status":"[a-z_]*"/"status":"invalid"/
            3s/"hidden_fraction":{[^}]*}/"hidden_fraction":{"value":null,"ci_low":null,"ci_high":null}/' ialltoall.jsonl
    ovl 0 plot ialltoall.jsonl --chart overlap
    has ialltoall-overlap.svg ">invalid<" "1 point not drawn: the communication takes under 20 reads of the clock"
}

@test "cores: time, and time x cores, of workers with cores of their own; where they share them it is not shown" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    # Each cell again in dpu mode, on twice the cores.
    sed '/"record":"cell"/{
        h
        s/"block_group"/"cores":{"count":2,"shared":false},&/
        p
        g
        s/"mode":"host"/"mode":"dpu"/
        s/"engine":{"name":"mpi","path":null,"placement":"host","workers":0/"engine":{"name":"worker","path":"shm","placement":"host-core","workers":2/
        s/"block_group"/"cores":{"count":4,"shared":false},&/
    }; s/"cells":4/"cells":8/' ialltoall.jsonl >cores.jsonl
    ovl 0 plot cores.jsonl --chart cores
    has ialltoall-cores.svg "MPI_Ialltoall: time, and time x cores" "dark: time; pale: time x cores that it took" ">DPU<" ", 2 cores<" ", 4 cores<" ">64K<"
    lacks ialltoall-cores.svg "not shown" NaN
    # Of other work no part in per cent says anything; and where DPU is faster at all sizes, it is said so.
    sed '/"mode":"dpu"/s/"units":[0-9.e+]*/"units":7/' cores.jsonl >unlike.jsonl
    refuses 4 "no chart made" plot unlike.jsonl --chart cores
    sed '/"mode":"dpu"/s/\("comm_seconds":{"median":\)[0-9.e-]*/\11e-9/' cores.jsonl >quick.jsonl
    ovl 0 plot quick.jsonl --chart latency
    has ialltoall-latency.svg "the communication by DPU is faster at all sizes"
    lacks ialltoall-latency.svg "vertical line" "there is no size"
    sed 's/"count":4,"shared":false/"count":2,"shared":true/' cores.jsonl >shared.jsonl
    refuses 4 "no chart made" plot shared.jsonl --chart cores
    prints "ialltoall: no cores chart: not shown here: no workers or progress threads had cores of their own"
    # Of host mode alone there is nothing to compare.
    sed '/"mode":"dpu"/d; s/"cells":8/"cells":4/' cores.jsonl >host.jsonl
    refuses 4 "no chart made" plot host.jsonl --chart cores
}

@test "a benchmark without message sizes has a breakdown, and says why no more" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 0 plot ibarrier.jsonl
    [ "$out" = ./ibarrier-breakdown.svg ]
    has ibarrier-breakdown.svg "MPI_Ibarrier: what the execution time is made of"
    [ "$(ls ./*.svg)" = ./ibarrier-breakdown.svg ]
    refuses 4 "no chart made" plot ibarrier.jsonl --chart overlap
}

@test "texts in a record cannot break a chart" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    sed -i "1s/\"cpu\":\"[^\"]*\"/\"cpu\":\"O'Brien's \`touch hit\` \\\\\" \\\\\\\\ \$(touch hit) @x {}_^ <b> %d\"/" ialltoall.jsonl
    ovl 0 plot ialltoall.jsonl --chart total
    has ialltoall-total.svg "O'Brien's \`touch hit\`" '&lt;b'
    [ ! -e hit ]
}

# no_controls FILE: but for line ends and tabs.
no_controls() { ! LC_ALL=C grep -n $'[\x01-\x08\x0b-\x1f\x7f]\|\xc2[\x80-\x9f]' "$1"; }

@test "texts and names in a record cannot reach a terminal as control codes, or make lines of a table" {
    # Escape, C1's CSI, a line end, DEL.
    local text='\\u001b]0;title\\u0007\\u009b2J\\n# warning   made up\\u007f' side
    mkdir old new
    for side in old new; do
        sed -e "1s/\"cpu\":\"[^\"]*\"/\"cpu\":\"$side $text\"/" -e "1s/\"warnings\":\[/&\"$side $text\",/" \
            -e "1s/\"UCX_LOG_LEVEL\":\"error\"/\"UCX_$text\":\"$side\"/" \
            -e "s/4d4346abbbb67a49/$side/" ialltoall.jsonl >$side/a.jsonl
    done
    for call in "show old/a.jsonl" "show --full old/a.jsonl" "show old/a.jsonl new/a.jsonl" "validate old/a.jsonl"; do
        # shellcheck disable=SC2086
        ovl 0 $call
        no_controls out
        [ "$(grep -c '^# warning   made up' out)" = 0 ]
    done
    tells 0 '# machine   old \u001b]0;title\u0007\u009b2J\u000a# warning   made up\u007f, 2 cores' show old/a.jsonl
    ovl 5 compare old new
    no_controls out
    prints '# differs  UCX_\u001b]0;title'
    ovl 2 report new/a.jsonl --old old/a.jsonl --across --output page.html
    no_controls page.html
}

@test "a gnuplot that is too old is refused by its version" {
    gnuplot=$(command -v gnuplot) || skip "gnuplot is not here"
    mkdir bin
    printf '#!/bin/sh\nexec %s -d -e "$(echo "$5" | sed "s/GPVAL_VERSION/5.0/")"\n' "$gnuplot" >bin/gnuplot
    chmod +x bin/gnuplot
    PATH=$PWD/bin:$PATH refuses 5 "gnuplot failed: line 0: this one is older than 5.2, which ovl needs" plot ialltoall.jsonl
}

@test "plot says what is wrong with its folder and with gnuplot, and leaves nothing behind" {
    : >file
    refuses 5 "--output file: cannot write there: Not a directory" plot ialltoall.jsonl -o file
    refuses 5 "--output no/such/folder: cannot make it: No such file" plot ialltoall.jsonl -o no/such/folder
    mkdir bin
    for row in debian:gnuplot-nox rocky:gnuplot; do # by the names of this distribution, as the doctor does
        mkdir -p root/etc
        echo "ID=${row%%:*}" >root/etc/os-release
        run env -i PATH="$PWD/bin" OVL_DOCTOR_ROOT="$PWD/root" "$OVL_BIN/ovl" plot ialltoall.jsonl
        [ "$status" = 5 ]
        [[ $output =~ ^"ovl plot: gnuplot is not here: "(apt-get install|dnf install|ask for)" ${row##*:}"$ ]]
    done
    printf '#!/bin/sh\necho first >&2\necho "line 3: out of ink" >&2\nexit 1\n' >bin/gnuplot
    chmod +x bin/gnuplot
    PATH=$PWD/bin:$PATH refuses 5 "ovl plot: gnuplot failed: line 3: out of ink" plot ialltoall.jsonl
    printf '#!/bin/sh\nexit 0\n' >bin/gnuplot
    PATH=$PWD/bin:$PATH refuses 5 "cannot write ./ialltoall-overlap.svg: " plot ialltoall.jsonl
    [ -z "$(ls -A tmp)" ]
    [ -z "$(find . -maxdepth 1 -name '*.svg' -o -maxdepth 1 -name '.*svg')" ]
    [ -z "${OVL_VALGRIND:-}" ] || return 0 # it needs a TMPDIR itself
    TMPDIR=/nowhere refuses 5 "set TMPDIR to a folder that can be written" plot ialltoall.jsonl
}

@test "the columns of the table never touch, however wide a number is" {
    sed -i '2s/"hidden_fraction":{[^}]*}/"hidden_fraction":{"value":-123456.789,"ci_low":-234567.89,"ci_high":-12345.67}/
            3s/"hidden_fraction":{[^}]*}/"hidden_fraction":{"value":-12.3456,"ci_low":-12.345,"ci_high":9.876}/
            2s/"comm_seconds":{"median":[^,]*/"comm_seconds":{"median":1234567.891/' ialltoall.jsonl
    ovl 0 show ialltoall.jsonl
    [ "$(sed -n '3p;8,10p;12p' <<<"$out")" = "\
# mpi       MPICH 4.0.2, threads single; 2 ranks on 1 node, 0 workers
#     size mode    comm us compute us blocking us   total us  hidden %    95 % interval hideable % speedup blocks  status
      8192 host 1234567891000.0 11.32        4.62      17.14 -12345678.9 -23456789.0..-1234567.0 100.0 0.930    8  wide, uneven, W/C
     16384 host       7.66       7.41        7.56      14.91   -1234.6   -1234.5..987.6       96.8   1.004      8  wide, uneven
     65536 host      20.09      21.39       20.18      41.46       0.1      -30.2..17.0      100.0   1.003      8  wide" ]
}

@test "one is told as one" {
    sed '2,4d;6d' ialltoall.jsonl >one.jsonl
    tells 0 "# truncated: the job ended before its end line; the 1 cell above is whole" show one.jsonl
    sed 's/"run_id":"/&later-/; s/"samples":{/"samples_crc32":"00000001",&/' one.jsonl >later.jsonl
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 0 plot one.jsonl later.jsonl --chart latency
    prints "ialltoall: 1 point was measured by several runs of the same set-up; the latest of each is drawn"
}

@test "the omb form names the datatype that was measured" {
    for type in MPI_FLOAT MPI_SIGNED_CHAR; do
        sed "s/\"benchmark\":\"ialltoall\"/\"benchmark\":\"iallreduce\"/; s/MPI_CHAR/$type/" ialltoall.jsonl >sum.jsonl
        ovl 0 show --format omb sum.jsonl
        [ "$(sed -n 5p <<<"$out")" = "# Datatype: $type." ]
    done
    ovl 0 show --format omb ialltoall.jsonl
    [ "$(sed -n 5p <<<"$out")" = "# Datatype: MPI_CHAR." ]
    # Before its first cell a run tells it in its own line, if it is new enough to have one.
    head -1 ialltoall.jsonl | sed 's/"workers":/"datatype":"MPI_FLOAT",&/' >begun.jsonl
    ovl 2 show --format omb begun.jsonl
    [ "$(sed -n 5p <<<"$out")" = "# Datatype: MPI_FLOAT." ]
    head -1 ialltoall.jsonl >begun.jsonl
    ovl 2 show --format omb begun.jsonl
    [ "$(sed -n 5p <<<"$out")" = "# Datatype: unknown." ]
    # Lines that were lost are no run in good order.
    sed 2d ialltoall.jsonl >lost.jsonl
    tells 2 "# damaged: its end tells 4 cells, and the record has 3" show --format omb lost.jsonl
    tells 0 "# damaged: its end tells 4 cells, and the record has 3" show lost.jsonl --filter mode=host
    # A line behind the end counts as well.
    { cat ialltoall.jsonl; sed -n '2s/"size_bytes":[0-9]*/"size_bytes":999/p' ialltoall.jsonl; } >more.jsonl
    tells 2 "# damaged: its end tells 4 cells, and the record has 5" show --format omb more.jsonl
    ovl 0 export --to junit lost.jsonl
    grep -q '"the run ended in good order" .*<failure message="damaged: its end tells 4 cells, and the record has 3"/>' <<<"$out"
}

# Three launches beside ialltoall.jsonl: one with a variable set, half the work at 64 KiB and no 16 KiB; one whose run
# holds both modes, the dpu mode without 8 KiB; one that measured nothing.
make_launches() {
    sed -e 's/"run_id":"/&inf-/; s/"environment":{/&"UCX_RNDV_THRESH":"inf",/; s/"warnings":\[/&"slow clock",/' \
        -e '3d; s/"cells":4/"cells":3/; s/"units":13107/"units":6553/' \
        -e '/"size_bytes":65536,/s/"total_seconds":{"median":[^,]*/"total_seconds":{"median":2.073075e-5/' \
        -e '/"size_bytes":65536,/s/"comm_seconds":{"median":[^,]*/"comm_seconds":{"median":4.0179e-5/' \
        ialltoall.jsonl >inf.jsonl
    {
        sed -n '1p;5p' ialltoall.jsonl
        sed '1,2d;6d' ialltoall.jsonl | sed 's/"mode":"host"/"mode":"dpu"/; s/"placement":"host"/"placement":"host-core"/
            s/"workers":0/"workers":1/; s/"status":"[a-z_]*"/"status":"invalid"/'
    } | sed 's/"run_id":"/&both-/; s/"workers":0,"seed"/"workers":1,"seed"/' >both.jsonl
    sed -n '1p;6p' ialltoall.jsonl | sed 's/"run_id":"/&none-/; s/"ci":2.0/"ci":5.0/; s/"cells":4/"cells":0/' >>both.jsonl
}

@test "show joins launches of one benchmark into one table" {
    make_launches
    ovl 0 show ialltoall.jsonl inf.jsonl both.jsonl
    diff - out <<'END'
# ovl_ialltoall: MPI_Ialltoall, blocking twin MPI_Alltoall; 5 launches
# common    MPICH 4.0.2; AMD EPYC; 2 cores; 2 ranks; 1 node; kernel fma; work 1 x host communication;
#           workers on host cores (emulated); 1 worker
# a         host; ci=2.0; ialltoall.jsonl
# b         host; UCX_RNDV_THRESH=inf; ci=2.0; inf.jsonl
# c         host; ci=2.0; both.jsonl, run 1; truncated
# d         dpu; ci=2.0; both.jsonl, run 1; truncated
# e         no cells; ci=5.0; both.jsonl, run 2
# warning   ranks are not bound to cores (mpiexec -bind-to core)
# warning   b: slow clock
#
#     size  key mode    comm us blocking us   total us  total/a   comm/a   work/a  hidden %    95 % interval  status
      8192    a host       4.67        4.62      17.14    1.000    1.000    1.000     -24.5       -91.0..6.3  wide, uneven, W/C
      8192    b host       4.67        4.62      17.14    1.000    1.000    1.000     -24.5       -91.0..6.3  wide, uneven, W/C
      8192    c host          -           -          -        -        -        -         -                -  missing
      8192    d  dpu          -           -          -        -        -        -         -                -  missing
      8192    e    -          -           -          -        -        -        -         -                -  missing
     16384    a host       7.66        7.56      14.91    1.000    1.000    1.000       2.1        -8.0..9.8  wide
     16384    b host          -           -          -        -        -        -         -                -  missing
     16384    c host          -           -          -        -        -        -         -                -  missing
     16384    d  dpu       7.66        7.56      14.91        -        -        -         -                -  invalid
     16384    e    -          -           -          -        -        -        -         -                -  missing
     32768    a host       9.98       10.05      19.19    1.000    1.000    1.000       4.4       -2.4..15.1  wide
     32768    b host       9.98       10.05      19.19    1.000    1.000    1.000       4.4       -2.4..15.1  wide
     32768    c host          -           -          -        -        -        -         -                -  missing
     32768    d  dpu       9.98       10.05      19.19        -        -        -         -                -  invalid
     32768    e    -          -           -          -        -        -        -         -                -  missing
     65536    a host      20.09       20.18      41.46    1.000    1.000    1.000       0.1      -30.2..17.0  wide
     65536    b host      40.18       20.18      20.73    0.500    2.000    0.500       0.1      -30.2..17.0  wide, W/C
     65536    c host      20.09       20.18      41.46        -        -        -       0.1      -30.2..17.0  wide
     65536    d  dpu      20.09       20.18      41.46        -        -        -         -                -  invalid
     65536    e    -          -           -          -        -        -        -         -                -  missing
# /a: divided by launch a's at the same size. Totals compare like with like only where work/a is 1.000; ovl-sweep(1)
# says how to give launches the same work. One launch a side shows no more than this pair of launches.
END
    ovl 0 show --separate ialltoall.jsonl inf.jsonl
    [ "$(grep -c '^# ovl_ialltoall 0' <<<"$out")" = 2 ]
    [ "$(grep -c total/a <<<"$out")" = 0 ]
    ovl 0 show ialltoall.jsonl ibarrier.jsonl
    [ "$(grep -c total/a <<<"$out")" = 0 ]
    ovl 0 show --format omb ialltoall.jsonl inf.jsonl
    [ "$(grep -c '^# OSU' <<<"$out")" = 2 ]
}

@test "a mode that is neither host nor dpu is a series of its own" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    add_dpu_run
    sed '1,4s/"run_id":"/&third-/; 5,12d; s/"mode":"host"/"mode":"rdma"/' ialltoall.jsonl >third.jsonl
    ovl 0 plot ialltoall.jsonl third.jsonl
    for chart in overlap total latency interference; do
        for name in Host DPU Rdma; do
            [ "$(grep -c ">$name<" ialltoall-$chart.svg)" = 1 ]
        done
        has ialltoall-$chart.svg "host, DPU and rdma modes"
    done
    ovl 0 plot third.jsonl -o alone
    has alone/ialltoall-overlap.svg ">Rdma<" "; rdma mode"
    lacks alone/ialltoall-overlap.svg ">Host<"
}

@test "the interference chart has a panel for each kernel and says what 1 means" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    add_dpu_run
    sed 's/"run_id":"/&triad-/; s/"kind":"fma"/"kind":"triad"/; s/"compute_slowdown_ratio":{[^}]*}/"compute_slowdown_ratio":{"value":9,"ci_low":8.5,"ci_high":9.5}/' \
        ialltoall.jsonl >triad.jsonl
    ovl 0 plot ialltoall.jsonl triad.jsonl --chart interference
    file=ialltoall-interference.svg
    for text in ">kernel fma<" ">kernel triad<" ">Host<" ">DPU<" ">not slowed down<" ">slowdown (factor)<" ">1.05<" ">10<" \
        "MPI_Ialltoall: computation slowed down" "the same work takes as long beside the communication as without it"; do
        has $file "$text"
    done
}

@test "the latency chart shows the limit of the wire where a rate is known and nodes share no memory" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 0 plot ialltoall.jsonl --chart latency
    lacks ialltoall-latency.svg "wire limit"
    sed -i '1s/"nodes":1/"nodes":2/' ialltoall.jsonl
    ovl 0 plot ialltoall.jsonl --chart latency
    lacks ialltoall-latency.svg "wire limit"
    sed '1s/"environment":{/&"OVL_CLUSTER":"nodes=2 rate=1000000000 burst=262144",/' ialltoall.jsonl >cluster.jsonl
    ovl 0 plot cluster.jsonl --chart latency
    has ialltoall-latency.svg ">wire limit<" "wire limit: bytes through a node's link / its rate"
    has ialltoall-latency.svg "emulated network of 1 Gbit/s"
    sed '1s/"adapters":\[/&{"name":"mlx5_0","rate_gbps":100,"state":"active"}/' ialltoall.jsonl >adapter.jsonl
    ovl 0 plot adapter.jsonl --chart latency
    has ialltoall-latency.svg ">wire limit<"
    sed -i '1s/"active"/"down"/' adapter.jsonl
    ovl 0 plot adapter.jsonl --chart latency
    lacks ialltoall-latency.svg "wire limit"
}

# bats test_tags=long
@test "a signal ends plot at once and leaves neither a folder nor a half-written chart" {
    mkdir bin
    # Draws half a file, says so, and goes on for ever.
    cat >bin/gnuplot <<'END'
#!/bin/sh
output=$(printf '%s\n' "$3" | sed "s/.*output = '\([^']*\)'.*/\1/")
echo half >"$output"
echo "$output" >drawing
exec sleep 100
END
    chmod +x bin/gnuplot
    for signal in INT TERM HUP; do
        rm -f drawing
        # The shell ignores INT in what it starts behind its back; env does not.
        PATH=$PWD/bin:$PATH env --default-signal "$OVL_BIN/ovl" plot ialltoall.jsonl >out 2>err </dev/null 3>&- &
        pid=$!
        for _ in $(seq 200); do [ ! -s drawing ] || break; sleep 0.05; done
        [ -e "$(cat drawing)" ]
        [ -d tmp/ovl-plot-* ]
        kill -$signal $pid
        code=0
        wait $pid || code=$?
        [ $code = $((128 + $(kill -l $signal))) ]
        [ ! -s err ]
        [ -z "$(ls -A tmp)" ]
        [ -z "$(find . -name '*.svg')" ]
    done
}

@test "cells of proxies are shown, validated and drawn" {
    ovl 0 validate fft3d.jsonl hpl.jsonl
    [ "$out" = "fft3d.jsonl: 1 run, 6 cells, ok
hpl.jsonl: 1 run, 6 cells, ok" ]
    ovl 0 show fft3d.jsonl hpl.jsonl
    diff - out <<'END'
# fft3d 0.1.0
# machine   Intel(R) Xeon(R) Processor, 2 cores, Linux 6.18.44-fc-v595
# mpi       MPICH 4.0.2, threads single; 2 ranks on 1 node, 1 worker
# dpu       engine worker, path shm, on host-core: emulated, no BlueField; 1 worker beside the ranks on the same cores;
#           idle sleep; workers' UCX_RNDV_THRESH=inf, set by ovl
# solves    r2c transforms on 1 x 2 ranks, forwards and back; 3 variables, times of one; fftw-3.3.10-sse2-avx
# warning   oversubscribed: 2 ranks and 1 workers on 2 cores; times hold the waiting for a core
# warning   ranks are not bound to cores (mpiexec -bind-to core)
# set       UCX_LOG_LEVEL=error
#
#           grid     mode   total ms       95 % interval  GFLOP/s exposed ms  hidden %  gain %  T/bound     error blocks  status
        32x32x32 blocking      0.172        0.167..0.238    14.31      0.037         -       -        -  4.44e-16      6  wide
        32x32x32     host      0.208        0.193..0.254    11.84      0.065     -33.8   -20.8        -  4.44e-16      6  wide
        32x32x32      dpu      0.232        0.222..0.235    10.60      0.089      16.7   -35.0        -  4.44e-16      6  wide
        48x48x48 blocking      0.822        0.792..0.847    11.27      0.123         -       -        -  5.00e-16      6  wide
        48x48x48     host      0.853        0.831..0.898    10.86      0.122     -24.2    -3.8        -  5.00e-16      6  wide
        48x48x48      dpu      1.025        0.893..1.055     9.04      0.294     -45.1   -24.8        -  5.00e-16      6  wide
# exposed: communication that nothing hid; gain: time saved against the blocking scheme;
# T/bound: against the least that this plan's steps allow; error: the largest of the solution.

# hpl 0.1.0
# machine   Intel(R) Xeon(R) Processor, 2 cores, Linux 6.18.44-fc-v595
# mpi       MPICH 4.0.2, threads single; 2 ranks on 1 node, 1 worker
# dpu       engine worker, path shm, on host-core: emulated, no BlueField; 1 worker beside the ranks on the same cores;
#           idle sleep; workers' UCX_RNDV_THRESH=inf, set by ovl
# solves    an LU solution whose panels travel during the update, no rated HPL run; grid 1 x 2, NB 64, look-ahead 1;
#           1 thread a rank, OpenBLAS 0.3.21
# warning   oversubscribed: 2 ranks and 1 workers on 2 cores; times hold the waiting for a core
# warning   ranks are not bound to cores (mpiexec -bind-to core)
# set       UCX_LOG_LEVEL=error
#
#     N   bcast     mode depth   total ms       95 % interval  GFLOP/s factor ms exposed ms  swap ms update ms slowdown  gain %  T/bound  residual blocks  status
    200  ring-m     host     1      0.378        0.335..0.439    14.28     0.106      0.281    0.011     0.109    0.804       -        -  9.94e-03      6  few
    200  ibcast     host     1      0.469        0.364..0.510    11.50     0.142      0.356    0.019     0.138    1.289       -        -  9.94e-03      6  few
    200  ibcast      dpu     1      0.554        0.441..0.609     9.73     0.172      0.431    0.016     0.150    0.983       -        -  9.94e-03      6  few
    300  ring-m     host     1      0.748        0.734..0.798    24.25     0.202      0.364    0.029     0.330    0.908       -        -  6.61e-03      6  few
    300  ibcast     host     1      0.817        0.795..0.910    22.20     0.189      0.482    0.028     0.344    0.930       -        -  6.61e-03      6  few
    300  ibcast      dpu     1      0.949        0.863..0.965    19.11     0.253      0.507    0.032     0.421    1.168       -        -  6.61e-03      6  few
# times of the slowest rank, medians. exposed: in calls of the broadcast, waiting for a late panel too,
# each panel by its slowest rank; slowdown: of the update beside it; T/bound: against the least that this
# plan's steps allow. ovl_hpl(1) explains.
END
    ovl 0 show fft3d.jsonl fft3d.jsonl # never joined
    [ "$(grep -c '^# fft3d' <<<"$out")" = 2 ]
    refuses 3 "OMB has no hpl" show --format omb hpl.jsonl
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    tells 0 "./fft3d-fft3d.svg" plot fft3d.jsonl
    has fft3d-fft3d.svg "fft3d: there and back, by scheme"
    sed 's/"benchmark":"fft3d"/"benchmark":"halo"/' fft3d.jsonl >halo.jsonl
    ovl 0 plot halo.jsonl --chart fft3d
    has halo-fft3d.svg "halo: a step, by scheme"
    has fft3d-fft3d.svg ">48x48x48<" ">Blocking<" "1.0 ms, +25 %"
    lacks fft3d-fft3d.svg "below" # no line that is called a bound
    tells 4 "ialltoall: no fft3d chart: this benchmark has no grid and no model" plot --chart fft3d ialltoall.jsonl
}

@test "validate finds what is wrong in a proxy's cell, and names that" {
    sed -i '2s/"gflops":{"value":[^,]*/"gflops":{"value":"fast"/; 3s/"ranks":2,//; 4s/,"total_seconds":{"median":[^,]*/,"total_seconds":{"median":1.0/
            5s/"grid":"[^"]*"/"grid":[128,128,128]/; 6s/"gflops":{"value":[^,]*/"gflops":{"value":1.0/' fft3d.jsonl
    ovl 4 validate fft3d.jsonl
    [ "$out" = 'fft3d.jsonl:2: /gflops/value: a number or null is wanted here, not "fast"
fft3d.jsonl:3: /ranks: is missing
fft3d.jsonl:4: /total_seconds/median: 1, but the samples give 0.000231825166667
fft3d.jsonl:5: /problem/grid: a text is wanted here, not an array
fft3d.jsonl:6: /gflops/value: 1, but the samples give 10.8594620111' ]
    refuses 4 "fft3d.jsonl:2: gflops: value, ci_low and ci_high are wanted here" show fft3d.jsonl
    sed '2s/"fast"/1.0/; 4s/"median":1.0/"median":0.000231825166667/; 5s/\[128,128,128\]/"128"/' fft3d.jsonl >half.jsonl
    refuses 4 "half.jsonl:3: ranks: a number or null is wanted here" show half.jsonl
}

@test "the head names workers of machines on which they stand in turns, and counts machines" {
    local one all=
    for one in 'a:0,2,4,5' 'b:1,3' 'b:6' 'c:7' 'd:8'; do
        all+="{\"host\":\"${one%:*}\",\"architecture\":\"aarch64\",\"emulated\":false,\"workers\":[${one#*:}]},"
    done
    sed "s/\"offload\":{/&\"processors\":[${all%,}],/" "$data/fft3d.jsonl" >turns.jsonl
    ovl 0 show turns.jsonl
    tr '\n' ' ' <out | sed 's/ # */ /g' >line
    has line "workers 0,2,4-5: aarch64 on a; workers 1,3: aarch64 on b; worker 6: aarch64 on b; worker 7: aarch64 on c;"
    has line "and so on, 4 machines in all"
}

@test "where an emulator ran ranks, no cell of the run carries a claim" {
    sed 's/"placement":"[a-z-]*"/"placement":"emulated-processor"/; s/"marks":\[/&"emulated",/
        s/"emulated","emulated"/"emulated"/; s/"emulated",\]/"emulated"]/' "$data/fft3d.jsonl" >emulated.jsonl
    ovl 0 show emulated.jsonl
    [ "$(grep -c ' host .*, emulated$' out)" -gt 0 ]
    ovl 0 export --to csv emulated.jsonl -o a.csv
    [ "$(grep -cE ',no: (emulated|invalid|wrong)$' a.csv)" = "$(grep -c '"record":"cell"' emulated.jsonl)" ]
}

@test "a cell whose workers an emulator ran carries no claim, and is never shown as one of a DPU" {
    sed 's/"placement":"host-core"/"placement":"emulated-processor"/
        s/"offload":{/&"processors":[{"host":"dpu1","architecture":"aarch64","emulated":true,"workers":[0]}],/' \
        "$data/fft3d.jsonl" >emulated.jsonl
    ovl 0 show emulated.jsonl
    has out "on emulated-processor: emulated, no BlueField"
    has out "worker 0: aarch64 on dpu1, emulated"
    [ "$(grep -c ' dpu .*, emulated$' out)" -gt 0 ]
    [ "$(grep -c ' host .*, emulated$' out)" = 0 ]
    ovl 0 export --to csv emulated.jsonl -o a.csv
    [ "$(grep -c ',no: emulated$' a.csv)" = "$(grep -c '"engine":{"name":"worker"' emulated.jsonl)" ]
    ovl 0 export --to junit emulated.jsonl -o a.xml
    grep -q '<skipped message="[^"]*emulated' a.xml
}

@test "a cell that the emulated wire did not hold to its rate carries no claim" {
    sed 's/"run_id":"/&other-/' ialltoall.jsonl >other.jsonl
    sed -i '5s/"validated":true/&,"unshaped":true/' other.jsonl
    ovl 0 show ialltoall.jsonl other.jsonl
    prints "     65536    b host      20.09       20.18      41.46        -        -        -       0.1      -30.2..17.0  unshaped"
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 0 plot other.jsonl
    for chart in overlap total latency interference; do
        has ialltoall-$chart.svg ">unshaped<"
    done
    has ialltoall-breakdown.svg "; x: unshaped"
    sed -i '3s/"status":"[a-z_]*"/"status":"invalid"/' other.jsonl
    ovl 0 plot other.jsonl --chart overlap
    has ialltoall-overlap.svg ">invalid or unshaped<"
}

@test "show --format omb prints no number for a cell without a claim, and ends with 2" {
    # The first cell is invalid, though some of its samples are there; the second has T only in blocks without C.
    sed '2s/"status":"[a-z_]*","reason":[^,]*/"status":"invalid","reason":"ranks start apart: by far"/
        3s/"comm_seconds":{"max":\[[^]]*\],"mean":\[[^]]*\]}/"comm_seconds":{"max":[1,1,null,null,null,null,null,null],"mean":[1,1,null,null,null,null,null,null]}/
        3s/"total_seconds":{"max":\[[^]]*\],"mean":\[[^]]*\]}/"total_seconds":{"max":[null,null,1,1,1,1,1,1],"mean":[null,null,1,1,1,1,1,1]}/' \
        "$data/ialltoall.jsonl" | grep -vE '"mode":"dpu"' >r.jsonl
    ovl 0 show --format omb "$data/ibarrier.jsonl"
    for full in "" -f; do
        ovl 2 show --format omb $full r.jsonl
        [ -z "$(grep -E '^(8192|16384) ' out)" ]
        [ -z "$(grep -E '[nN]a[nN]|inf' out)" ]
        grep -qx '# 8192     invalid: ranks start apart: by far' out
        grep -qx "# 16384    invalid: no block has all of the row's values" out
        grep -qE '^32768 ' out
    done
    sed '2s/"validated":true/"validated":false/' "$data/ibarrier.jsonl" >wrong.jsonl
    ovl 4 show --format omb wrong.jsonl
    grep -qx '# Fail: wrong data' out
    sed '2s/"validated":true/"unshaped":true,&/' "$data/ibarrier.jsonl" >quick.jsonl
    ovl 2 show --format omb quick.jsonl
    [ -z "$(grep -E '^ *[0-9]' out)" ]
    # The blocking twin alone.
    ovl 2 show --format omb-blocking r.jsonl
    [ -z "$(grep -E '^8192 ' out)" ]
    grep -qE '^16384 ' out
}

@test "a row of show --format omb is of the blocks that have all of its values" {
    # Two blocks of eight have T, the work and C: T is 9 and C is 5 in these, and 1000 or nothing in the others.
    sed '2s/"comm_seconds":{"max":\[[^]]*\],"mean":\[[^]]*\]}/"comm_seconds":{"max":[5e-6,5e-6,1e-3,1e-3,null,null,null,null],"mean":[5e-6,5e-6,1e-3,1e-3,null,null,null,null]}/
        2s/"total_seconds":{"max":\[[^]]*\],"mean":\[[^]]*\]}/"total_seconds":{"max":[9e-6,9e-6,null,null,1e-3,1e-3,1e-3,1e-3],"mean":[9e-6,9e-6,null,null,1e-3,1e-3,1e-3,1e-3]}/
        2s/"inner_compute_seconds":{"max":\[[^]]*\],"mean":\[[^]]*\]}/"inner_compute_seconds":{"max":[8e-6,8e-6,null,null,8e-6,8e-6,8e-6,8e-6],"mean":[8e-6,8e-6,null,null,8e-6,8e-6,8e-6,8e-6]}/' \
        "$data/ibarrier.jsonl" >r.jsonl
    ovl 0 show --format omb r.jsonl
    [ "$(grep '^ *[0-9]' out | xargs)" = "9.00 8.00 5.00 80.00" ]
}

@test "offload --require ends with 5 where one program refused, whatever another said" {
    [ -e "$OVL_BUILD/lib/libovl_offload.so" ] || skip "built with an MPI that libovl_offload.so does not serve"
    for said in 01 10 0; do
        ovl 5 offload --require -- sh -c "printf $said >>\"\$OVL_OFFLOAD_SERVED\""
    done
    ovl 0 offload --require -- sh -c 'printf 11 >>"$OVL_OFFLOAD_SERVED"'
}

@test "folders stand for all records in them, wherever files are taken" {
    mkdir -p d/deep d/empty
    cp "$data/ialltoall.jsonl" d/a.jsonl
    cp "$data/hpl.jsonl" d/deep/b.jsonl
    echo "no record" >d/.hidden.jsonl
    ovl 0 show d
    folder=$out
    ovl 0 show d/a.jsonl d/deep/b.jsonl
    [ "$out" = "$folder" ]
    tells 0 "d/a.jsonl: 1 run, 4 cells, ok" validate d
    prints "d/deep/b.jsonl: 1 run, 6 cells, ok"
    ovl 0 plot d --chart overlap -o charts
    [ -s charts/ialltoall-overlap.svg ]
    for command in show validate plot; do
        refuses 5 "d/empty: no record file in this folder (*.jsonl)" $command d/empty
        refuses 5 "nowhere: cannot read: No such file" $command nowhere
    done
    refuses 5 "nowhere: cannot read: No such file or directory; d/empty: no record file" validate nowhere d d/empty
    sed 's/"blocks":8/"blocks":9/' d/a.jsonl >d/deep/c.jsonl
    tells 4 "d/deep/c.jsonl:" validate d
}

@test "folders are looked into however deep they are, and links that lead back end" {
    deep=d$(printf '/%s' {1..40})
    mkdir -p "$deep"
    cp "$data/ialltoall.jsonl" "$deep/a.jsonl"
    ln -s .. "$deep/up"
    ln -s "$PWD/d" d/1/self
    ln -s nowhere d/1/leads
    ovl 0 validate d
    [ "$out" = "$deep/a.jsonl: 1 run, 4 cells, ok" ]
    sed -i 's/"blocks":8/"blocks":9/' "$deep/a.jsonl"
    tells 4 "$deep/a.jsonl:" validate d
    # Names that no system call takes are told.
    name=$(printf 'x%.0s' {1..200})
    for ((i = 0; i < 21; i++)); do mkdir "$name" && cd "$name" || return 1; done
    cd "$BATS_TEST_TMPDIR"
    for command in validate show "compare d"; do
        # shellcheck disable=SC2086
        refuses 5 "cannot read: File name too long" $command "$name"
    done
}

# Four ways of the same work, six launches each; OMB's overlap of the thread is that of a thread on its rank's core.
@test "ovl show --rivals has who carries the communication in one table, and says where OMB's overlap hides a loss" {
    launches host 6 1
    launches tests 6 0.8
    launches thread 6 1.3
    launches dpu 6 0.6
    sed -i 's/"test_calls":0/"test_calls":64/' tests/*.jsonl
    sed -i 's/"mode":"host"/"mode":"thread"/; s/"omb_overlap_percent":[^,]*/"omb_overlap_percent":83/' thread/*.jsonl
    sed -i 's/"mode":"host"/"mode":"dpu"/' dpu/*.jsonl
    ovl 0 show --rivals host tests thread dpu
    for size in 8K 16K 32K 64K; do
        [ "$(awk -v s=$size '$2 == s { print $4 }' out | xargs)" = "host host-t thread dpu" ]
    done
    grep -qE '^# OMB hides  ialltoall 64K: thread overlaps 83 % by OMB, and takes 1\.[23][0-9] times the host.s total$' out
    grep -qE '^# dpu wins   ialltoall 64K: 0\.7[0-9] of the total of host-t \(0\.7[0-9] to 0\.[78][0-9]\)$' out
    absent "dpu draws" "$out"
    # Workers that take longer lose, who takes as long draws, and few launches leave it open.
    ovl 0 show --rivals host thread
    absent "dpu " "$out"
    rm dpu/*.jsonl
    launches late 6 1.4
    sed -i 's/"mode":"host"/"mode":"dpu"/' late/*.jsonl
    ovl 0 show --rivals host late
    grep -qE '^# dpu loses  ialltoall 64K: 1\.[34][0-9] of the total of host \(' out
    launches even 6 1
    sed -i 's/"mode":"host"/"mode":"dpu"/' even/*.jsonl
    ovl 0 show --rivals host even
    grep -qE '^# dpu draws  ialltoall 64K: ' out
    ovl 0 show --rivals host/1.jsonl late/1.jsonl
    grep -qE '^# dpu open   ialltoall 64K: 1\.[34][0-9] of the total of host; an interval needs 6 pairs of launches' out
    # Without a claim values are shown, and are called so.
    sed -i 's/"status":"[a-z]*"/"status":"invalid"/' thread/*.jsonl
    ovl 0 show --rivals host thread
    grep -qE '^  ialltoall +64K .* thread .* 0 of 6  ' out
    grep -qE '^# OMB hides  ialltoall 64K: thread .* \(no claim\)$' out
    # A host that carries no claim is nobody's measure, but of one without.
    launches quick 6 1.3
    sed -i 's/"mode":"host"/"mode":"thread"/; s/"omb_overlap_percent":[^,]*/"omb_overlap_percent":83/' quick/*.jsonl
    sed -i 's/"status":"[a-z]*"/"status":"invalid"/' host/*.jsonl
    ovl 0 show --rivals host quick
    absent "OMB hides" "$out"
    grep -qE '^  ialltoall +64K .* thread +[0-9.]+ +[0-9.]+ \.\. [0-9.]+ +- ' out
    for option in -f "-z 50" --separate "--format omb"; do ovl 3 show --rivals $option host; done
    says "--rivals has a table of its own: leave out --format"
}

@test "ovl show --rivals holds applications against those of the same work alone" {
    kept=$OVL_TOP/tests/cli/data/kept/train.jsonl
    mkdir h d
    for i in 1 2 3 4 5 6; do
        sed "1s/,dpu\",/\",/g; s/\"run_id\":\"/&h$i/; s/\"samples_crc32\":\"../&h$i/; /\"mode\":\"dpu\"/d; s/\"cells\":4/\"cells\":3/" "$kept" >h/$i.jsonl
        sed -E "1s/(\"mode\":\")[a-z,-]*,dpu\"/\1dpu\"/; s/\"run_id\":\"/&d$i/; s/\"samples_crc32\":\"../&d$i/; /\"mode\":\"(host|blocking)\"/d; s/\"cells\":4/\"cells\":1/" "$kept" >d/$i.jsonl
    done
    "$OVL_BIN/ovl" show --rivals h d >out
    has out "# dpu wins   train edsr_x2: "
    # Where each calibrated its own.
    sed -i 's/"units":341902954/"units":171902954/' d/*.jsonl
    "$OVL_BIN/ovl" show --rivals h d >out
    has out "# dpu open   train edsr_x2: "
    # A median over launches of unlike work is none.
    sed -i 's/"units":171902954/"units":17190295/' d/1.jsonl
    "$OVL_BIN/ovl" show --rivals h d >out
    [ "$(grep -cE '^  train .* dpu +- .*unlike units$' out)" = 1 ]
}

@test "ovl show --rivals names a host that the plan has as a baseline by the plan's word" {
    launches s/plain 6 1
    launches s/set 6 0.7
    launches s/first 6 0.6
    launches s/second 6 0.8
    sed -i 's/"mode":"host"/"mode":"dpu"/' s/first/*.jsonl s/second/*.jsonl
    jobs() {
        printf '{"plan":1,"launches":6,"jobs":[{"name":"plain","program":"x"},{"name":"set","program":"x"%s},{"name":"first","program":"x"},{"name":"second","program":"x"}]}' \
            "$1" >s/plan.json
    }
    jobs ',"baseline":"tuned"'
    show() { "$OVL_BIN/ovl" show --rivals s/*/*.jsonl >out 2>err || return; }
    show
    for size in 8K 64K; do
        [ "$(awk -v s=$size '$2 == s { print $4 }' out | xargs)" = "host tuned dpu dpu" ]
    done
    # The host is still the one that was not tuned, and two ways of one name are told by their jobs.
    awk '$2 == "64K" && $4 == "host"' out | grep -q ' 1\.000 '
    grep -qE '^# dpu wins   ialltoall 64K \(job first\): 0\.[89][0-9] of the total of tuned \(' out
    grep -qE '^# dpu loses  ialltoall 64K \(job second\): 1\.[01][0-9] of the total of tuned \(' out
    (cd s && "$OVL_BIN/ovl" show --rivals */*.jsonl) >in
    diff in out
    # Not given it may be quicker.
    "$OVL_BIN/ovl" show --rivals s/plain/*.jsonl s/first/*.jsonl >out
    grep -qE '^# dpu open   ialltoall 64K: 0\.6[0-9]* of the total of host; too few launches of job set are valid to say that it is no quicker$' out
    # A word that a way has is none for another one.
    jobs ',"baseline":"dpu"'
    show
    [ "$(awk '$2 == "64K" { print $4 }' out | xargs)" = "host host dpu dpu" ]
}

@test "ovl show --rivals compares nothing of other machines, and nothing with wrong data" {
    local word="0\\.[67][0-9] of the total of host"
    launches host 6 1
    launches tests 6 0.9
    launches dpu 6 0.6
    sed -i 's/"test_calls":0/"test_calls":64/' tests/*.jsonl
    sed -i 's/"mode":"host"/"mode":"dpu"/' dpu/*.jsonl
    ovl 0 show --rivals host tests dpu
    grep -qE "^# dpu wins   ialltoall 64K: $word-t \(" out
    absent "machine" "$out"
    # The quickest rival ran elsewhere: workers are held against the next one.
    cp -r tests here
    sed -i 's/"machine":"[^"]*"/"machine":"ffffffffffffffff"/' tests/*.jsonl
    ovl 0 show --rivals host tests dpu
    grep -qE "^# dpu wins   ialltoall 64K: 0\.[56][0-9] of the total of host \(" out
    grep -qxF "# apart      ialltoall 64K: host and host-t ran on other machines, and are not compared" out
    grep -qxF "# apart      ialltoall 64K: host-t and dpu ran on other machines, and are not compared" out
    [ "$(awk '$2 == "64K" && $4 == "host-t" { print $9 }' out)" = - ]
    ovl 0 show --rivals tests dpu
    absent "dpu wins" "$out"
    # Machines that tell no id, or the same one, and are not the same all the same.
    for id in null '"0123456789abcdef"'; do
        for fact in 's/"cpu":"[^"]*"/"cpu":"another"/ hosts[].cpu' 's/"cores":2/"cores":64/ hosts[].cores' \
            's/"library":"[^"]*"/"library":"another"/ mpi.library' 's/"governor":[^,]*/"governor":"powersave"/ hosts[].governor'; do
            rm -rf there twin
            cp -r here there; cp -r dpu twin
            sed -i "s/\"machine\":\"[^\"]*\"/\"machine\":$id/" there/*.jsonl twin/*.jsonl
            ovl 0 show --rivals there twin
            grep -qE "^# dpu wins   ialltoall 64K: $word-t \(" out
            sed -i "1${fact% *}" there/*.jsonl
            ovl 0 show --rivals there twin
            grep -qxF "# apart      ialltoall 64K: host-t and dpu differ in ${fact#* }, and are not compared" out
            absent "dpu wins" "$out"
        done
    done
    # An update of the kernel is no other machine.
    sed -i '1s/"kernel":"\([^"]*\)"/"kernel":"\1-99"/' twin/*.jsonl
    sed -i '1s/"governor":"powersave"/"governor":null/' there/*.jsonl
    ovl 0 show --rivals there twin
    absent "apart" "$out"
    # One launch with wrong data, of the workers or of a rival.
    sed -i 's/"validated":true/"validated":false/' dpu/3.jsonl
    ovl 4 show --rivals host here dpu
    grep -qxF "# dpu wrong ialltoall 64K: wrong data in 1 of 6 launches, so it is compared with nothing" out
    absent "dpu wins" "$out"
    sed -i 's/"validated":false/"validated":true/' dpu/3.jsonl
    sed -i 's/"validated":true/"validated":false/' here/3.jsonl
    ovl 4 show --rivals host here dpu
    grep -qxF "# host-t wrong ialltoall 64K: wrong data in 1 of 6 launches, so it is compared with nothing" out
    grep -qE "^# dpu wins   ialltoall 64K: 0\.[56][0-9] of the total of host \(" out
}

@test "ovl show --rivals calls no winner that stalls in some launches" {
    launches host 30 1
    launches dpu 30 0.6
    sed -i 's/"mode":"host"/"mode":"dpu"/' dpu/*.jsonl
    ovl 0 show --rivals host dpu
    grep -qE '^# dpu wins   ialltoall 64K: ' out
    launches slow 7 6
    for i in {1..7}; do
        began=$(grep -o '"started":"[^"]*"' dpu/$((4 * i)).jsonl)
        sed 's/"mode":"host"/"mode":"dpu"/; s/"started":"[^"]*"/'"$began/" slow/$i.jsonl >dpu/$((4 * i)).jsonl
    done
    ovl 0 show --rivals host dpu
    absent 'dpu wins' "$out"
    grep -qE '^# dpu open   ialltoall 64K: 0\.6[0-9]* of the total of host; 7 launches of dpu are far slower: they stall$' out
}

@test "ovl show --rivals calls no winner among launches that were not taken in turns, or of which most are invalid" {
    launches host 12 1
    launches dpu 12 0.6
    sed -i 's/"mode":"host"/"mode":"dpu"/' dpu/*.jsonl
    ovl 0 show --rivals host dpu
    grep -qE '^# dpu wins   ialltoall 64K: ' out
    cp -r dpu later
    sed -i -E 's/"(started|finished)":"2026-0[0-9]/"\1":"2026-11/' later/*.jsonl
    ovl 0 show --rivals host later
    absent 'dpu wins' "$out"
    grep -qE '^# dpu open   ialltoall 64K: 0\.6[0-9]* of the total of host; their launches were not taken in turns$' out
    # An honest one: a launch was made up for later, and another is lost.
    cp -r dpu honest
    cp later/2.jsonl honest/2.jsonl
    rm honest/5.jsonl
    ovl 0 show --rivals host honest
    grep -qE '^# dpu wins   ialltoall 64K: ' out
    # Six are left, of which an interval is.
    for i in {1..6}; do sed -i -E '/"record":"cell"/s/"status":"[a-z_]*"/"status":"invalid"/' dpu/$i.jsonl; done
    ovl 0 show --rivals host dpu
    absent 'dpu wins' "$out"
    grep -qE '^# dpu open   ialltoall 64K: 0\.6[0-9]* of the total of host; too many launches of dpu are lost or invalid$' out
}

@test "ovl show --rivals calls no winner where a rival did other work" {
    launches host 6 1
    launches tests 6 0.5
    launches dpu 6 0.6
    sed -i 's/"test_calls":0/"test_calls":64/' tests/*.jsonl
    sed -i 's/"mode":"host"/"mode":"dpu"/' dpu/*.jsonl
    ovl 0 show --rivals host tests dpu
    grep -qE '^# dpu loses  ialltoall 64K: ' out
    sed -i 's/"units":\([0-9]*\)/"units":1\1/' tests/*.jsonl
    ovl 0 show --rivals host tests dpu
    absent 'dpu (wins|draws)' "$out"
    grep -qE '^# dpu open   ialltoall 64K: 0\.6[0-9]* of the total of host; host-t has no launch of the same work \(work_of, --work-from\) and number, and may be quicker$' out
    ovl 0 show --rivals tests dpu
    grep -qxF '# dpu open   ialltoall 64K: host-t has no launch of the same work (work_of, --work-from) and number' out
}

@test "ovl show --rivals calls no winner where a rival has no valid launch, or a job has none with a cell" {
    local wins='^# dpu wins   ialltoall 64K: 0\.6[0-9]* of the total of host \(' unknown
    launches s/host 7 1
    launches s/tests 7 0.5
    launches s/dpu 7 0.6
    echo '{"plan": 1, "jobs": [{"name": "tuned", "program": "ovl_ialltoall"}]}' >s/plan.json
    sed -i 's/"test_calls":0/"test_calls":64/' s/tests/*.jsonl
    sed -i 's/"mode":"host"/"mode":"dpu"/' s/dpu/*.jsonl
    sed -i -E '/"record":"cell"/s/"status":"[a-z_]*"/"status":"invalid"/' s/tests/*.jsonl
    ovl 0 show --rivals s/host s/tests s/dpu
    absent 'dpu (wins|draws)' "$out"
    unknown='^# dpu open   ialltoall 64K: 0\.6[0-9]* of the total of host; too few launches of %s are valid to say that it is no quicker$'
    # shellcheck disable=SC2059
    grep -qE "$(printf "$unknown" host-t)" out
    # Workers that lose to another one lose whatever this one does.
    sed -i 's/"mode":"host"/"mode":"thread"/' s/tests/*.jsonl
    launches s/late 7 1.4
    sed -i 's/"mode":"host"/"mode":"dpu"/' s/late/*.jsonl
    ovl 0 show --rivals s/host s/tests s/late
    grep -qE '^# dpu loses  ialltoall 64K: 1\.[34][0-9] of the total of host \(' out
    rm -r s/tests s/late
    ovl 0 show --rivals s
    grep -qE "$wins" out
    # A job that crashed each time, one of another benchmark, and one that left a record of it.
    mkdir s/tuned
    for i in 1 2; do : >s/tuned/00$i.log; done
    ovl 0 show --rivals s
    absent 'dpu (wins|draws)' "$out"
    # shellcheck disable=SC2059
    grep -qE "$(printf "$unknown" 'job tuned')" out
    sed -i 's/ovl_ialltoall/ovl_ibcast/' s/plan.json
    ovl 0 show --rivals s
    grep -qE "$wins" out
    rm s/tuned/*
    sed -n '1s#s/host-1#&1#p' s/host/1.jsonl >s/tuned/001.partial
    ovl 0 show --rivals s
    # shellcheck disable=SC2059
    grep -qE "$(printf "$unknown" 'job tuned')" out
}

@test "ovl show --rivals calls no winner of few pairs among many launches, and says how many pairs there are" {
    launches host 14 1
    launches dpu 10 0.6
    launches slow 4 1.6
    sed -i 's/"mode":"host"/"mode":"dpu"/' dpu/*.jsonl slow/*.jsonl
    for side in host dpu slow; do for f in "$side"/*.jsonl; do i=${f##*/}; mv "$f" "$side/$(printf %03d "${i%.jsonl}").jsonl"; done; done
    # The four launches that lose have other numbers than the host's, which has four more behind.
    mv slow/* dpu
    rm host/00[1-4].jsonl
    ovl 0 show --rivals host dpu
    absent 'dpu wins' "$out"
    grep -qE '^# dpu open   ialltoall 64K: 0\.6[0-9]* of the total of host; 8 launches have no partner beside 6 pairs$' out
    # One of each without a partner changes nothing, but is told.
    rm dpu/00[1-3].jsonl host/01[1-3].jsonl
    ovl 0 show --rivals host dpu
    grep -qE '^# dpu wins   ialltoall 64K: 0\.6[0-9]* of the total of host \(.*\) in 6 pairs of launches$' out
}

# Which of two counts nobody should have to know.
@test "an option that decides, given twice with two values, is refused" {
    sides 3 1
    refuses 3 '--metric is given as total_seconds and as comm_seconds: give one of them' compare -m total_seconds -m comm_seconds old new
    refuses 3 '--delta is given as 0.05 and as 0.5: give one of them' compare -d 0.05 -d 0.5 old new
    refuses 3 '--limits is given as a.json and as b.json: give one of them' report --limits a.json --limits b.json old
    ovl 2 compare -m total_seconds --metric total_seconds --filter mode=host --filter size_bytes=65536 old new
}

# A plan's job that gave the others their work measures the same point once more, in one launch.
@test "ovl show --rivals leaves out the launch that gave its work to the others" {
    launches sweep/work 1 0.9
    launches sweep/all 6 1
    launches sweep/dpu 6 0.6
    sed -i 's/"mode":"host"/"mode":"dpu"/' sweep/dpu/*.jsonl
    echo '{"plan": 1}' >sweep/plan.json
    ovl 0 show --rivals sweep
    [ "$(awk '$2 == "64K" { print $4 }' out | xargs)" = "host dpu" ]
    grep -qE '^  ialltoall +64K .* host .* 6  ok$' out
    grep -qxF '# left out: 4 rows of jobs that measure in fewer launches what another job has, too' out
    # Four of ten launches of the workers left a log alone: nobody knows whether these were the slow ones.
    for i in {11..13}; do : >sweep/dpu/0$i.log; done
    ovl 0 show --rivals sweep
    grep -qE '^# dpu wins ' out
    prints "# note: 3 launches of a sweep left no record"
    : >sweep/dpu/014.log
    ovl 0 show --rivals sweep
    absent 'dpu wins' "$out"
    grep -qE '^# dpu open   ialltoall 64K: 0.* of the total of host; too many launches of dpu are lost or invalid$' out
    rm sweep/dpu/*.log
    # Nor of those that broke off before the first cell, and left a record of that.
    for i in {11..14}; do sed -n "1s#sweep/dpu-1#&$i#p" sweep/dpu/1.jsonl >sweep/dpu/0$i.partial; done
    ovl 0 show --rivals sweep
    absent 'dpu wins' "$out"
    prints "# note: 4 launches of a sweep left no record, or none with a cell"
    "$OVL_BIN/ovl" export --to csv sweep >csv 2>err
    has err "4 launches of a sweep left no record, or none with a cell"
    rm sweep/dpu/*.partial
    # A tuned host that has lost one of its launches is a rival yet.
    ovl 0 show --rivals sweep
    grep -qE '^# dpu wins ' out
    launches sweep/tuned 5 0.5
    ovl 0 show --rivals sweep
    [ "$(awk '$2 == "64K" { print $4 }' out | xargs)" = "host host dpu" ]
    absent 'dpu wins' "$out"
    rm -r sweep/tuned
    rm sweep/plan.json # without a plan nobody says that these are two jobs
    ovl 0 show --rivals sweep
    grep -qE '^  ialltoall +64K .* host .* 7  ok$' out
    absent "left out" "$out"
}

@test "ovl show --rivals sets workers beside as many ranks that compute, where a problem is laid out on either" {
    cp "$data/fft3d.jsonl" workers.jsonl
    sed 's/"run_id":"[^"]*"/"run_id":"more"/; s/"block_group":"[^"]*"/"block_group":"more\/0"/; s/"procs":"1x2"/"procs":"1x3"/; s/"ranks":2/"ranks":3/' \
        "$data/fft3d.jsonl" >ranks.jsonl
    grep -q '"procs":"1x3"' ranks.jsonl
    ovl 0 show --rivals workers.jsonl ranks.jsonl
    # One set for each grid, whatever the number of ranks.
    for grid in $(awk '$1 == "fft3d" { print $2 }' out | sort -u); do
        [ "$(awk -v g="$grid" '$2 == g { print $3 $4 }' out | xargs)" = "2blocking 3blocking 2host 3host 2+1dpu 3+1dpu" ]
    done
    [ "$(grep -c '^  fft3d ' out)" -ge 12 ]
}
