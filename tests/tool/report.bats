#!/usr/bin/env bats
# `ovl report`: the page's parts, that it needs nothing else, and how a browser takes it where one is here.

load tool

needs_gnuplot() { command -v gnuplot >/dev/null || skip "gnuplot is not here"; }

limits() {
    echo '{"limits": 1, "rules": [{"match": {"benchmark": "ialltoall", "size_bytes": [8192, 4096]},
        "metric": "total_seconds", "operator": "<=", "limit": 18e-6}]}' >limits.json
}

@test "the page has verdicts, charts, tables, set-up and fairness" {
    needs_gnuplot
    launches a 10 1.1
    launches old 10 1
    limits
    ovl 1 report a --old old --limits limits.json --title 'a < b & "c"' -o page.html
    [ "$out" = page.html ]
    has page.html '<title>a &lt; b &amp; &quot;c&quot;</title>'
    for part in summary verdicts charts cells setup fairness; do has page.html "<section id=\"$part\">"; done
    [ "$(grep -o '<figure><svg role="img"' page.html | wc -l)" = 6 ] # five of the record, one of the comparison
    [ "$(grep -c '<span class="REGRESSED">' page.html)" = 4 ]
    [ "$(grep -c '<span class="FAIL">FAIL</span>: not measured: 4096 bytes' page.html)" = 1 ]
    has page.html '<dt>Launches</dt><dd>10</dd>' 'Host mode only: no workers' 'ranks are not bound to cores'
    [ -z "$(ls -A tmp)" ]
}

# drawn FILE: what stands in its charts, a line each.
drawn() { grep -oE '<text[^>]*>[^<]*' "$1" | sed 's/.*>//' | sort; }

@test "charts on the page are those of ovl plot, over all launches, and their captions say what they show" {
    needs_gnuplot
    launches a 9 1
    ovl 0 plot a -o charts
    ovl 0 report a -o page.html
    cat charts/*.svg >all.svg
    grep -q 'medians over 9 launches' all.svg
    [ "$(drawn page.html)" = "$(drawn all.svg)" ]
    has page.html '<figcaption>ialltoall: execution time against message size. Shown: medians over launches, as in'
    # With fewer launches charts have the latest one, unlike the table.
    launches few 3 1
    ovl 0 report few -o page.html
    has page.html 'for cells with fewer than 6 launches: of these it is the latest, and the table has the medians'
    launches one 1 1
    ovl 0 report one -o page.html
    has page.html 'message size. Shown: one launch of each cell.'
}

# Twelve pairs in turns whose machine drifts by 15 % meanwhile; the new side is 8 % slower in each.
drifting_pairs() {
    local k side factor second
    mkdir old new
    for k in 01 02 03 04 05 06 07 08 09 10 11 12; do
        for side in old new; do
            factor=$(awk -v k="$k" -v side=$side 'BEGIN { print (1 + 0.03 * (k * 5 % 12)) * (side == "new" ? 1.08 : 1) }')
            launches "$side-$k" 1 "$factor"
            second=10
            [ $((10#$k % 2)) = $([ $side = old ] && echo 1 || echo 0) ] || second=40
            sed "s/\"started\":\"[^\"]*/\"started\":\"2026-01-01T00:$k:${second}Z/" "$side-$k/1.jsonl" >"$side/0$k.jsonl"
        done
    done
}

# verdicts: what a page says of each cell, and what compare says, from $out
on_page() { grep -oE '<span class="[A-Z]*">(REGRESSED|INCONCLUSIVE|OK|IMPROVED)' page.html | sed 's/.*>//' | sort | uniq -c; }
in_table() { grep -oE '^  [a-z].* v .*(REGRESSED|INCONCLUSIVE|OK|IMPROVED)' <<<"$out" | sed 's/.* //' | sort | uniq -c; }

@test "the page has the verdicts of compare, by the same test, and says by which" {
    needs_gnuplot
    drifting_pairs
    ovl 1 compare --paired old new
    [ "$(in_table | tr -s ' ')" = " 4 REGRESSED" ]
    prints "# test     signed ranks of the differences in pairs of launches (--paired)"
    said=$(in_table)
    ovl 1 report new --old old --paired -o page.html
    [ "$(on_page)" = "$said" ]
    has page.html '<p><strong>test:</strong> signed ranks of the differences in pairs of launches (--paired)</p>'
    has page.html '<p><strong>pairs:</strong> by launch number</p>' '<p>4 REGRESSED, 0 INCONCLUSIVE, 0 OK, 0 IMPROVED of 4 cells</p>'
    has page.html '<p><strong>outcome:</strong> the gate fails: 4 cells are worse by more than 0.05</p>'
    ovl 2 compare old new
    said=$(in_table)
    ovl 2 report new --old old -o page.html
    [ "$(on_page)" = "$said" ]
    has page.html "no pairs: p is the larger of Mann-Whitney's and Welch's"
    refuses 3 "--paired and --across go with --old OLD" report new --paired -o page.html
}

@test "the page compares what compare does: equal work, one setting, no launch with itself" {
    needs_gnuplot
    sides 11 1
    sed -i '2s/"units":[0-9]*/"units":77/' new/3.jsonl
    for more in "" --any-work; do
        code=0
        "$OVL_BIN/ovl" compare old new $more >out || code=$?
        out=$(cat out)
        said=$(in_table)
        ovl "$code" report new --old old $more -o page.html
        [ "$(on_page)" = "$said" ]
        has page.html 'in 1 cell the launches did not the same work'
    done
    sed -i '1s/"library":"[^"]*"/"library":"another"/' new/*.jsonl
    echo kept >page.html
    refuses 5 "give --across" report new --old old -o page.html
    prints "# differs  mpi.library: "
    [ "$(cat page.html)" = kept ]
    ovl 2 report new --old old --across -o page.html
    has page.html 'Old and new were measured in different settings:' '<strong>differs:</strong> mpi.library: '
    refuses 3 "is on both sides" report new --old new -o page.html
}

@test "sides without a common cell are not called measured in the same setting" {
    needs_gnuplot
    sides 2 1
    sed -i '1s/"environment":{/&"OVL_CLUSTER":"there",/' old/*.jsonl
    sed -i '1s/"environment":{/&"OVL_CLUSTER":"here",/' new/*.jsonl
    ovl 2 report new --old old --across -o page.html
    has page.html 'No cell is on both sides: nothing is compared.' '<li>cluster: there (old) &rarr; here (new)</li>'
    absent 'in the same setting' "$(cat page.html)"
}

@test "the set-up has each thing once, one word for what is not set, and folds long values" {
    needs_gnuplot
    launches a 3 1
    long=$(printf 'configure %.0s' {1..40})
    sed -i "1s/\"mpi\":{/&\"library_more\":\"$long\",/" a/*.jsonl
    sed -i '1s/"options":{/&"energy":null,/' a/1.jsonl a/2.jsonl
    ovl 0 report a -o page.html
    [ "$(grep -c '<dt>hosts\[\].kernel</dt>' page.html)" = 1 ]
    has page.html '<dt>hosts[].kernel</dt><dd>Linux 6.18.44-fc-v595</dd>' '<dt>hosts[].governor</dt><dd>not set</dd>' \
        '<dt>options.energy</dt><dd>not set</dd>' '<details><summary>configure configure '
    absent '<dd>(none|null)<' "$(cat page.html)"
}

@test "the page says what its words mean" {
    needs_gnuplot
    launches a 7 1
    ovl 0 report a -o page.html
    has page.html '<dt>wide</dt><dd>an interval is wider than --ci asks for'
    absent '<dt>(few|unshaped|wrong|own W|without a claim)</dt>' "$(cat page.html)"
    has page.html 'Hidden is 1 - (total - compute) / comm, with the columns'
    sed -i 's/"validated":true/"validated":false/' a/7.jsonl
    ovl 0 report a -o page.html
    has page.html '<dt>wrong</dt>' '<dt>without a claim</dt>'
}

@test "the page is whole in itself: nothing is loaded from elsewhere" {
    needs_gnuplot
    launches a 2 1
    ovl 0 report a -o page.html
    # Names of XML's vocabularies are no addresses that are loaded.
    absent 'https?://' "$(sed 's|http://www.w3.org/[0-9a-zA-Z/]*||g' page.html)"
    absent '<(script|img|iframe|link)[^>]* (src|href)="[^d#]' "$(cat page.html)"
    absent '@import|url\([^#]' "$(cat page.html)"
    # Every reference inside a chart leads to a name in the page, and no name is there twice.
    refs=$(grep -oE "href=['\"]#c[0-9]+-[^'\"]*" page.html | sed "s/.*#//" | sort -u)
    ids=$(grep -oE " id=['\"][^'\"]*" page.html | sed "s/.*=.//" | sort)
    [ -n "$refs" ]
    [ -z "$(comm -23 <(echo "$refs") <(echo "$ids" | sort -u))" ]
    [ -z "$(uniq -d <<<"$ids")" ]
}

@test "cells that cannot be judged or drawn are no reason for no page" {
    needs_gnuplot
    launches a 1 1
    sed -i 's/"status":"[a-z_]*","reason"/"status":"invalid","reason"/; $d' a/1.jsonl
    ovl 0 report a -o page.html
    has page.html '<dt>Launches cut short, which count for nothing</dt><dd>1</dd>'
    [ "$(grep -c '1 of 1 without a claim' page.html)" = 4 ]
    # Of a sweep's folder, also what a launch left that found wrong data, and that one left nothing.
    mkdir -p sweep/a
    launches b 2 1
    cp b/1.jsonl sweep/a/001.jsonl
    sed 's/"run_id":"/&w/; s/"validated":true/"validated":false/' b/2.jsonl >sweep/a/002.partial
    : >sweep/a/003.log
    ovl 0 report sweep -o page.html
    has page.html '<dt>Wrong data</dt><dd>4</dd>' '<dt>Invalid</dt><dd>0</dd>' 'with wrong data, or without a claim' \
        '<dt>Launches of a sweep that left no record</dt><dd>1</dd>'
    ovl 0 export --to junit sweep -o sweep.xml
    has err "ovl export: 1 launch of a sweep left no record"
    has sweep.xml 'testsuites name="ovl" tests="11" failures="5"' 'launches without a record'
    ovl 0 report "$data/fft3d.jsonl" "$data/hpl.jsonl" "$data/ibarrier.jsonl" -o page.html
    has page.html 'fft3d'
    # What a failed attempt left of other cells is in no chart, and where it is damaged it is no reason either.
    echo '{"record":' >>sweep/a/002.partial
    sed -i '1,3s/"validated":false/"validated":true/' sweep/a/002.partial
    ovl 0 report sweep -o page.html
    has page.html '<dt>Wrong data</dt><dd>2</dd>'
}

@test "the page says of all workers where they were, and of launches how many of them lost" {
    needs_gnuplot
    kept=$OVL_TOP/tests/cli/data/kept/fft3d.jsonl
    mkdir some
    cp "$kept" some/1.jsonl
    ovl 0 report some -o page.html
    has page.html "Placement: host-core. These are no results of a BlueField."
    sed 's/"placement":"host-core"/"placement":"bluefield"/g; s/"run_id":"/&b/; s/"samples_crc32":"../&b/' "$kept" >some/2.jsonl
    ovl 0 report some -o page.html
    has page.html "Placement: bluefield, host-core. Those that are not on bluefield are no results of a BlueField."
}

@test "report says what is wrong, and leaves the old page alone" {
    launches a 2 1
    echo kept >page.html
    sed -i '2s/"mode":"host"/"mode":1/' a/1.jsonl
    refuses 4 "a/1.jsonl:2: mode" report a -o page.html
    [ "$(cat page.html)" = kept ]
    launches a 2 1
    refuses 5 "nowhere/page.html: cannot write" report a -o nowhere/page.html
    ovl 5 report nowhere
    ovl 3 report
    mkdir bin
    PATH=$BATS_TEST_TMPDIR/bin "$OVL_BIN/ovl" report a -o page.html 2>err && return 1
    grep -q "gnuplot is not here" err
    [ "$(cat page.html)" = kept ]
    [ -z "$(find . -maxdepth 1 -name '.ovl-*')" ]
    [ -z "$(ls -A tmp)" ]
}

@test "a signal leaves neither half a page nor its charts behind" {
    launches a 2 1
    # A gnuplot that is still at work when the signal comes.
    mkdir bin
    printf '#!/bin/sh\ntouch drawing\nexec sleep 30\n' >bin/gnuplot
    chmod +x bin/gnuplot
    echo kept >page.html
    for output in page.html -; do
        rm -f drawing
        PATH=$PWD/bin:$PATH timeout 60 "$OVL_BIN/ovl" report a -o $output >said 2>&1 &
        pid=$!
        for ((i = 0; i < 100; i++)); do [ -e drawing ] && break; sleep 0.1; done
        [ -e drawing ]
        kill -TERM $pid
        code=0
        wait $pid || code=$?
        [ $code -gt 123 ]
    done
    [ "$(cat page.html)" = kept ]
    [ -z "$(find . -maxdepth 1 -name '.ovl-*')" ]
    [ -z "$(ls -A tmp)" ]
}

# bats test_tags=long
@test "a browser shows it: no errors, nothing overlaps, heads sort by keyboard, light and dark" {
    needs_gnuplot
    browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no Chromium here"
    launches a 8 1
    ovl 0 report a -o page.html
    sed -e 's|<head>|<head><script>window.wrong = []; onerror = (text) => { wrong.push(text); };\
        console.error = (...text) => { wrong.push(text.join(" ")); };</script>|' \
        -e '/^<\/body>/,$d' page.html >tested.html
    cat >>tested.html <<'PAGE'
<script>
const table = [...document.querySelectorAll("table.sorts")].pop(), found = {};
const values = () => [...table.tBodies[0].rows].map((row) => Number(row.cells[2].dataset.v));
const button = table.tHead.rows[0].cells[2].querySelector("button");
button.focus();
found.focus = document.activeElement === button && button.tabIndex === 0;
button.click();
found.up = values().every((v, i, all) => !i || all[i - 1] <= v);
button.click();
found.down = values().every((v, i, all) => !i || all[i - 1] >= v);
found.rows = values().length === 4;
found.fits = document.documentElement.scrollWidth <= document.documentElement.clientWidth;
const boxes = [...document.querySelectorAll("main section, header, nav, footer")].map((e) => e.getBoundingClientRect());
found.apart = boxes.every((a, i) => boxes.slice(i + 1).every((b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) <= 1));
const ground = () => getComputedStyle(document.body).backgroundColor, before = ground();
document.getElementById("theme").click();
found.theme = before !== ground();
found.alone = performance.getEntriesByType("resource").length === 0;
found.quiet = wrong.length === 0;
document.title = Object.entries(found).map(([name, good]) => name + "=" + good).join(" ");
</script></body></html>
PAGE
    for width in 1280 500; do
        timeout -k 5 60 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$BATS_TEST_TMPDIR/profile" \
            --window-size=$width,900 --dump-dom "file://$PWD/tested.html" >dom 2>log || { cat log; return 1; }
        has dom "<title>focus=true up=true down=true rows=true fits=true apart=true theme=true alone=true quiet=true</title>"
    done
}

# gnuplot writes texts into SVG as they are, but for & and <.
@test "no text of a record makes a chart unreadable" {
    needs_gnuplot
    command -v python3 >/dev/null || skip "python3 is not here"
    odd=$(printf 'x\xef\xbf\xbf]]>y\xef\xbf\xbe]]]>z')
    for k in 0 1; do
        sed "1s/\"environment\":{/&\"OVL_CLUSTER\":\"$k$odd\",/; s/4d4346abbbb67a49/4d4346abbbb67a5$k/" \
            "$data/ialltoall.jsonl" >$k.jsonl
    done
    ovl 0 plot 0.jsonl 1.jsonl -o charts
    ovl 0 report 0.jsonl 1.jsonl -o page.html
    [ "$(find charts -name '*.svg' | wc -l)" -ge 5 ]
    grep -qF '0x?]]?y?]]]?z' charts/ialltoall-overlap.svg
    python3 -c 'import sys, xml.etree.ElementTree as E; [E.parse(name) for name in sys.argv[1:]]' charts/*.svg
    absent $'\xef\xbf[\xbe\xbf]' "$(LC_ALL=C grep -a x page.html)"
}
