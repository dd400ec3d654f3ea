#!/usr/bin/env bats
# What the tool makes of records of training: Gantt charts, size classes, and rows beside published ones. No MPI.

load tool

setup() {
    own_folder
    # Cells that count, whatever the machine did when they were measured.
    sed 's/"status":"[a-z_]*","reason"/"status":"few","reason"/' "$OVL_TOP/tests/cli/data/train.jsonl" >train.jsonl
}

@test "a Gantt chart has the schemes one under the other, the ranks' lanes and what they waited" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    ovl 0 plot train.jsonl --chart gantt,checkpoints
    [ "$(grep -c . out)" = 4 ] # a step; epochs by three schemes
    chart_shows train-gantt.svg 'train: a step, by scheme' MPICH '2 ranks' '1 node' 'resnet56' Blocking Host DPU 'rank 0' \
        'rank 1' forward backward 'in flight' wait 'time (' 'one sample of each scheme'
    [ "$(chart_texts train-gantt.svg | grep -cx 'rank [01]')" = 6 ]
    [ "$(chart_texts train-gantt.svg | grep -xE 'Blocking|Host|DPU' | xargs)" = "Blocking Host DPU" ]
    chart_shows train-checkpoints.svg 'an epoch with checkpoints' 'no checkpoints, Host' 'root, Host' 'helper, Host' 'rank 0' \
        helper steps snapshot writing '6 steps, 2 checkpoints of 0.813 MiB, on '
    [ "$(chart_texts train-checkpoints.svg | grep -cx 'rank 0')" = 3 ]
    [ "$(chart_texts train-checkpoints.svg | grep -cx 'helper')" = 1 ]
    for file in train-*.svg; do ! grep -q NaN "$file" || { echo "$file has NaN"; return 1; }; done
    # An invalid cell is marked.
    sed 's/"status":"few"/"status":"invalid"/' train.jsonl >invalid.jsonl
    ovl 0 plot invalid.jsonl --chart gantt -o invalid
    [ "$(chart_texts invalid/train-gantt.svg | grep -c ' x$')" = 3 ]
    chart_shows invalid/train-gantt.svg 'x: invalid'
}

@test "lanes that are none are passed over, and a record without lanes has no such chart" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    sed 's/"lane":"rank 0"/"lane":7/g; s/"forward":\[/&"x",/g; s/"backward":\[/&-7,/g; s/"wait":\[/"wait":{},"away":[/g' \
        train.jsonl >hostile.jsonl
    ovl 0 plot hostile.jsonl --chart gantt
    chart_shows train-gantt.svg 'rank 1'
    [ "$(chart_texts train-gantt.svg | grep -cx 'rank 0')" = 0 ]
    [ "$(chart_texts train-gantt.svg | grep -cx 'wait')" = 0 ]
    # A kind that is there again and again is drawn once.
    sed 's/"epochs":\[/&{"checkpoint":"root","timeline":[{"lane":"a","forward":[0,1]}]},{"checkpoint":"root","timeline":[{"lane":"a","forward":[0,1]}]},{"checkpoint":"root","timeline":[{"lane":"a","forward":[0,1]}]},{"checkpoint":"root","timeline":[{"lane":"a","forward":[0,1]}]},{"checkpoint":"root","timeline":[{"lane":"a","forward":[0,1]}]},{"checkpoint":"root","timeline":[{"lane":"a","forward":[0,1]}]},{"checkpoint":"root","timeline":[{"lane":"a","forward":[0,1]}]},/' \
        train.jsonl >again.jsonl
    cmp -s train.jsonl again.jsonl && return 1
    ovl 0 plot again.jsonl --chart checkpoints
    sed 's/"timeline":\[/"then":[/g; s/"histogram":\[/"no":[/g' train.jsonl >none.jsonl
    tells 4 'train: no gantt chart: no cell has a value for it' plot none.jsonl --chart gantt,checkpoints,classes
    prints 'train: no checkpoints chart: no cell has a value for it'
    prints 'train: no classes chart: no cell has a value for it'
}

@test "bulk work has lines of its own, one below the other where it overlaps" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    if drawn_of train.jsonl plain | grep -qx 'bulk work'; then return 1; fi
    sed 's/"forward":\[/"bulk":[0.0001,0.0002,0.0003,0.0004],&/g' train.jsonl >apart.jsonl
    sed 's/"forward":\[/"bulk":[0.0001,0.0003,0.0002,0.0004],&/g' train.jsonl >over.jsonl
    drawn_of apart.jsonl apart | grep -qx 'bulk work'
    drawn_of over.jsonl over | grep -qx 'bulk work'
    height() { grep -o 'viewBox="[^"]*"' "$1/train-gantt.svg" | head -n 1; }
    [ "$(height apart)" != "$(height over)" ]
}

# drawn_of FILE FOLDER: the texts of a record's Gantt chart.
drawn_of() {
    ovl 0 plot "$1" --chart gantt -o "$2"
    chart_texts "$2/train-gantt.svg"
}

@test "a mixture of experts has a chart of what dispatch and combine exposed; others have none" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    sed 's/"curve":{/&"exposed_dispatch_seconds":[0.001,0.002],"exposed_combine_seconds":[0.003,0.004],"imbalance":[1.5],/' \
        train.jsonl >moe.jsonl
    ovl 0 plot moe.jsonl --chart experts
    chart_shows train-experts.svg 'dispatch and combine of a mixture of experts' Blocking Host DPU 'most / mean' 'exposed combine' \
        'time (ms)'
    if grep -q NaN train-experts.svg; then return 1; fi
    tells 4 'train: no experts chart: no cell has a value for it' plot train.jsonl --chart experts
    # Values that are none are passed over.
    sed 's/_seconds":\[0.00[13],0.00[24]\]/_seconds":["x",{}]/g' moe.jsonl >hostile.jsonl
    tells 4 'train: no experts chart: no cell has a value for it' plot hostile.jsonl --chart experts
}

@test "size classes have signed percentages, and totals that are made again" {
    command -v gnuplot >/dev/null || skip "gnuplot is not here"
    # histogram A B C D: of a mode the published seconds, with another total than they come to.
    histogram() {
        printf '"histogram":[{"class":"up to 128 KiB","calls":9,"seconds":%s},{"class":"128 KiB to 16 MiB","calls":5,"seconds":%s},{"class":"16 to 32 MiB","calls":1,"seconds":%s},{"class":"32 to 64 MiB","calls":2,"seconds":%s},{"class":"total","calls":0,"seconds":3.918}]' "$@"
    }
    sed "/\"mode\":\"host\"/ s/\"histogram\":\[[^]]*\]/$(histogram 0.392 0.320 1.321 5.145)/
         /\"mode\":\"dpu\"/ s/\"histogram\":\[[^]]*\]/$(histogram 0.391 0.342 0.619 2.587)/
         /\"mode\":\"blocking\"/{/\"record\":\"cell\"/d}; s/\"cells\":3/\"cells\":2/" train.jsonl >published.jsonl
    ovl 0 plot published.jsonl --chart classes
    chart_shows train-classes.svg 'by size class' '391 ms, -0.3 %' '342 ms, +6.9 %' '619 ms, -53.1 %' '2.6 s, -49.7 %' \
        '7.2 s' '3.9 s, -45.1 %' 'up to 128 KiB' 'to 16 MiB' '1 call' '17 calls' 'DPU / host - 1'
    if grep -q NaN train-classes.svg; then return 1; fi
    # Of launches that were calibrated anew too, whose times are the latest one's: no median is made of classes.
    for i in 1 2 3 4 5 6; do
        sed "s/\(\"samples_crc32\":\"\)./\\1$i/; s/ee598c8f8878738/ee598c8f887873$i/g; s/\"units\":[0-9]*/\"units\":$i/g" published.jsonl
    done >launches.jsonl
    ovl 0 plot launches.jsonl --chart classes -o launches
    chart_shows launches/train-classes.svg '391 ms, -0.3 %' '; the latest launch'
    # Another bar that has one class alone stands there; calls that differ are not told.
    sed 's/"mode":"dpu"/"mode":"blocking"/; /"mode":"blocking"/ s/{"class":"up to 128 KiB","calls":9,"seconds":[0-9.]*},//' \
        published.jsonl >fewer.jsonl
    ovl 0 plot fewer.jsonl --chart classes -o fewer
    chart_shows fewer/train-classes.svg 'up to 128 KiB' '9 calls' 'to 16 MiB' '5 calls'
    [ "$(chart_texts fewer/train-classes.svg | grep -c '1[78] calls')" = 0 ]
}

# here WHAT: what the records have of the case of that name: a figure, and of what it is.
here() { grep -v '^#' out | grep -F "$1" | sed -E 's/.* ([-0-9.]+( %)?)  +(([0-9]|not ).*)$/\1 \3/'; }

# launch FILE RANKS SED: the record as a launch of EDSR on so many ranks, changed further.
launch() {
    sed "s/\"run_id\":\"[^\"]*/&-$1/g; s/\"model\":\"resnet56\"/\"model\":\"edsr_x2\"/; s/\"ranks\":2/\"ranks\":$2/; $3" \
        train.jsonl >"$1.jsonl"
}

@test "the fusion buffer of a record is that of its command, or 0 as older ones have it where none was named" {
    version=$("$OVL_BIN/ovl" --version | head -n 1 | grep -o '[0-9][0-9.]*' | head -n 1)
    for how in '0|ovl_train|0' '67108864|ovl_train|0' '1024|ovl_train|1' '0|ovl_train","--fusion","1M|1' '0|ovl_train","--fusion","0|0'; do
        IFS='|' read -r told command wrong <<<"$how"
        sed "1s/\"fusion\":[0-9]*/\"fusion\":$told/; 1s|\"command\":\[\"[^\"]*|\"command\":[\"$command|; s/\"ovl_version\":\"[^\"]*/\"ovl_version\":\"$version/" \
            train.jsonl >fusion.jsonl
        [ "$(grep -c "\"fusion\":$told[,}]" fusion.jsonl)" = 1 ]
        [ "$({ "$OVL_BIN/ovl" validate fusion.jsonl 2>&1 || true; } | grep -c '/options/fusion: is not')" = "$wrong" ]
    done
}

@test "rows over ranks and of registered memory stand beside the published ones" {
    launch one 1 ''
    launch two 2 ''
    ovl 0 published one.jsonl two.jsonl
    # As many samples a second on two ranks as on one.
    here 'images/s, 1 to 2 by the host' |
        grep -Eq '^50.0 % [0-9.e+]+ to [0-9.e+]+ samples/s, strategy ddp, batch 1, scale_bytes 4, kernel fma, compute_us 1000, tests 0, buckets 1048576, 26214400; 1 launch$'
    [ "$(here 'images/s, 1 to 4 by the host')" = "- not measured" ]
    here 'images/s, 1 to 2 by workers' | grep -q '^50.0 % '
    # No figure is made of two machines, nor of two libraries; the binding of more ranks is another one.
    for change in 's/"cpu":"/&x/:hosts[].cpu' 's/"cores":[0-9]*/"cores":999/:hosts[].cores' \
        's/"library":"/&x/:mpi.library' ':' 's/"binding":\["[^"]*"/"binding":["0-77"/:'; do
        launch other 2 "${change%:*}"
        ovl 0 published one.jsonl other.jsonl
        if [ -n "${change##*:}" ]; then
            grep -v '^#' out | grep -F 'images/s, 1 to 2 by the host' |
                grep -F -- " -  " | grep -qF "of different machines: ${change##*:}; strategy ddp"
        else
            here 'images/s, 1 to 2 by the host' | grep -q '^50.0 % '
        fi
    done
    # Other buckets are another set-up.
    launch small 2 's/"buckets":"1048576, 26214400"/"buckets":"1024, 1024"/'
    ovl 0 published one.jsonl small.jsonl
    [ "$(here 'images/s, 1 to 2 by the host')" = "- not measured" ]
    # Compressed gradients are never among the others.
    launch lossy 2 's/"problem":{/&"compress":"fp16",/'
    ovl 0 published one.jsonl lossy.jsonl
    [ "$(here 'images/s, 1 to 2 by the host')" = "- not measured" ]
    # Registered anew for each operation, or not.
    launch warm 2 's/"path":"shm"/"path":"verbs"/'
    launch cold 2 's/"path":"shm"/"path":"verbs"/; s/"cold":false/"cold":true/g'
    ovl 0 published cold.jsonl warm.jsonl
    here 'registered memory kept' | grep -q '^0.0 % .* samples/s, ranks 2, nodes 1, strategy ddp, '
    ovl 0 published warm.jsonl
    [ "$(here 'registered memory kept')" = "- not measured" ]
}
