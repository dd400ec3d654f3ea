#!/usr/bin/env bats
# `ovl export`: each form as its readers want it. Python's parsers read them where python3 is here.

load tool

python() {
    command -v python3 >/dev/null || skip "python3 is not here to read it"
    python3 -c "$1"
}

# latex FILE ROWS: a tabular of booktabs with that many rows, as TeX reads it: known commands only, groups closed, characters
# that mean something escaped, and as many columns in each row as are declared.
latex() {
    LC_ALL=C awk -v rows="$2" -v file="$1" '
        function bad(why) { print file ":" NR ": " why ": " $0; failed = 1 }
        /^%/ { next }
        /^\\begin\{tabular\}\{[lr]+\}$/ { if (stage++) bad("a second table"); columns = length($0) - length("\\begin{tabular}{}"); next }
        /^\\toprule$/ { if (stage++ != 1) bad("misplaced"); next }
        /^\\midrule$/ { if (stage++ != 2 || n != 1) bad("misplaced"); next }
        /^\\bottomrule$/ { if (stage++ != 3) bad("misplaced"); next }
        /^\\end\{tabular\}$/ { if (stage++ != 4) bad("misplaced"); next }
        {
            n++
            if (!sub(/ \\\\$/, "")) bad("a row without its end")
            text = $0
            gsub(/\\(textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|char34)\{\}/, "", text)
            gsub(/\\[{}$&#_%]/, "", text)
            if (text ~ /\\/) bad("an unknown command")
            if (text ~ /[#_%~^<>|"]/) bad("a character that is not escaped")
            if (text ~ /^[ ]*\[/) bad("an argument of the row before")
            if (text ~ /--|[`\047][`\047]/) bad("a ligature")
            if (gsub(/\$-?[0-9]+(\.[0-9]+)?\$|\$\[-?[0-9.]+, -?[0-9.]+\]\$/, "", text) < 1 && n > 1) bad("no number")
            if (text ~ /\$/) bad("mathematics that is none")
            if (gsub(/&/, "", text) + 1 != columns) bad("not " columns " columns")
            for (depth = i = 0; i++ < length(text) && depth >= 0;) {
                c = substr(text, i, 1)
                depth += (c == "{") - (c == "}")
            }
            if (depth != 0) bad("groups that are not closed")
        }
        END { if (stage != 5 || n != rows + 1) { print file ": not whole: " n " rows"; failed = 1 }; exit failed }' "$1"
}

# openmetrics FILE: by the grammar of OpenMetrics 1.0; also by Prometheus and by its Python parser where they are here.
openmetrics() {
    LC_ALL=C awk -v file="$1" '
        function bad(why) { print file ":" NR ": " why ": " $0; failed = 1 }
        ended { bad("behind # EOF") }
        /^# EOF$/ { ended = 1; next }
        /^# TYPE [a-z_][a-z0-9_]* gauge$/ { if (seen[$3]++) bad("a family that was there"); family = $3; samples = 0; next }
        /^# UNIT / { if (samples || $3 != family || $3 !~ "_" $4 "$") bad("a wrong unit"); next }
        /^# HELP / { if (samples || $3 != family) bad("a misplaced help"); next }
        /^#/ { bad("a comment") ; next }
        {
            samples++
            text = $0
            if (!sub(/^[a-z_][a-z0-9_]*/, "", text) || substr($0, 1, length(family) + 1) != family "{") bad("another family")
            if (!sub(/^\{([a-z_][a-z0-9_]*="([^"\\]|\\["\\n])*",?)*\}/, "", text)) bad("wrong labels")
            if (series[substr($0, 1, length($0) - length(text))]++) bad("a series that was there")
            if (text !~ /^ -?[0-9.]+(e[-+][0-9]+)?( [0-9]+)?$/) bad("a wrong value")
        }
        END { if (!ended) { print file ": no # EOF"; failed = 1 }; exit failed }' "$1"
    ! command -v promtool >/dev/null || grep -v '^# UNIT' "$1" | promtool check metrics
    ! python3 -c 'import prometheus_client' 2>/dev/null || python3 -c '
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
assert list(parse(open(sys.argv[1]).read()))' "$1"
}

# unclaimed FOLDER: 8 launches of which one cell is invalid in all, and another in one.
unclaimed() {
    launches "$1" 8 1
    sed -i '3s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' "$1"/*.jsonl
    sed -i '2s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' "$1"/3.jsonl
}

@test "csv has a line per cell and launch, with as many fields as its head" {
    launches a 3 1
    cp "$data/ibarrier.jsonl" "a/with, comma.jsonl"
    ovl 0 export --to csv a -o a.csv
    [ "$(wc -l <a.csv)" = 14 ]
    has a.csv '"a/with, comma.jsonl"'
    ovl 0 export --to csv a/1.jsonl
    awk -F, 'NF != n && n { exit 1 } { n = NF }' <<<"$out"
    python '
import csv
rows = list(csv.DictReader(open("a.csv", newline="")))
assert len(rows) == 13 and all(None not in r and None not in r.values() for r in rows)
cell = [r for r in rows if r["run_id"] == "a-2" and r["size_bytes"] == "65536"][0]
assert cell["benchmark"] == "ialltoall" and cell["ranks"] == "2" and float(cell["total_seconds"]) > 0
assert float(cell["hidden_fraction_ci_low"]) <= float(cell["hidden_fraction"])
assert [r["size_bytes"] for r in rows if r["benchmark"] == "ibarrier"] == [""]
'
}

@test "csv tells which values are no measurement, whatever the status says" {
    cp "$OVL_TOP/results/cluster/allreduce.jsonl" . || skip "results/ is not here"
    ovl 0 export --to csv allreduce.jsonl
    [ "$(head -1 <<<"$out" | grep -c ',claim$')" = 1 ]
    [ "$(grep -c ',no: unshaped$' <<<"$out")" = "$(grep -o '"unshaped":true' allreduce.jsonl | wc -l)" ]
    grep -q '^[^,]*,[^,]*,ok,.*,no: unshaped$' <<<"$out"
    launches a 1 1
    sed -i '2s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/; 3s/"validated":[a-z]*/"validated":false/' a/1.jsonl
    ovl 0 export --to csv a
    [ "$(sed 's/.*,//' <<<"$out" | tr '\n' ' ')" = "claim no: invalid no: wrong yes yes " ]
}

# example FIRST: the literal block of ovl-record(5) that begins so, as a reader sees it.
example() {
    awk -v first="$1" '/^\.Ed/ { on = 0 } on { print } /^\.Bd -literal/ { getline; on = index($0, first) == 1; if (on) print }' \
        "$OVL_TOP/man/ovl-record.5.in" | sed 's/\\e/\\/g'
}

@test "csv has what makes a value a claim" {
    launches a 1 1
    sed -i '2,5s/"reason":/"marks":["few","noisy"],"blocks_kept":5,&/; 2s/"reason":/"steal_fraction":0.25,"autocorrelation":0.5,&/' a/1.jsonl
    ovl 0 export --to csv a -o a.csv
    python '
import csv, json
rows = list(csv.DictReader(open("a.csv", newline="")))
cells = [json.loads(line) for line in open("a/1.jsonl")][1:5]
for r, c in zip(rows, cells):
    assert int(r["blocks"]) == c["blocks"] and int(r["blocks_kept"]) == c["blocks_kept"]
    assert r["validated"] == {True: "true", False: "false", None: ""}[c["validated"]]
    assert r["unshaped"] == {True: "true", False: "false", None: ""}[c.get("unshaped")]
    assert r["marks"] == " ".join(c["marks"]) and r["reason"] == (c["reason"] or "")
    assert float(r["compute.units"]) == c["compute"]["units"] and r["block_group"] == c["block_group"]
    for name in "steal_fraction", "autocorrelation", "omb_overlap_percent", "imb_overlap_percent":
        assert (float(r[name]) if r[name] else None) == c.get(name), name
assert rows[0]["marks"] == "few noisy" and rows[0]["steal_fraction"] == "0.25"
'
}

@test "the examples of ovl-record(5) read a record by sed, jq and pandas" {
    launches b 1 1
    sed '2s/"reason":/"marks":["wide"],&/; 3,5s/"reason":/"marks":[],&/; 3s/"validated":true/"validated":false/' b/1.jsonl >a.jsonl
    bash -c "$(example 'sed -n')" >by-sed
    [ "$(wc -l <by-sed)" = 4 ]
    command -v jq >/dev/null || skip "jq is not here"
    bash -c "$(example 'jq -r')" >by-jq
    [ "$(wc -l <by-jq)" = 3 ]
    [ "$(cut -f 1,3 by-jq | head -1)" = "$(head -1 by-sed | tr ' ' '\t')" ]
    [ "$(cut -f 4 by-jq | head -1)" = wide ]
    local with
    for with in python3 /usr/bin/python3; do $with -c 'import pandas' 2>/dev/null && break; done || skip "python3-pandas is not here"
    PATH=$OVL_BIN:$PATH bash -c "$(example 'ovl export')"
    $with -c "$(example 'import pandas')" >by-pandas
    # Of four cells one is wrong and one wide.
    [ "$(grep -o "'[a-z]*':" by-pandas | wc -l)" = 2 ]
}

@test "an export of nothing does not end with 0" {
    sed '/"record":"cell"/d; s/"cells":4/"cells":0/' "$data/ialltoall.jsonl" >none.jsonl
    for form in csv junit bmf gha markdown latex openmetrics extrap; do
        refuses 2 "no cell is in these files: nothing was exported" export --to $form none.jsonl
    done
    sed 's/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' "$data/ialltoall.jsonl" >invalid.jsonl
    refuses 2 "left out: 4 cells without a claim" export --to gha invalid.jsonl
    ovl 0 export --to csv invalid.jsonl # which has them all, and says so
}

@test "junit is well formed, counts right, and fails what is invalid or has no end" {
    launches a 2 1
    sed -i '2s/"status":"[a-z_]*","reason":"[^"]*"/"status":"invalid","reason":"<\&>\\" started late"/; $d' a/2.jsonl
    ovl 0 export --to junit a -o a.xml
    has a.xml '<testsuites name="ovl" tests="10" failures="2" errors="0" skipped="3">'
    has a.xml '<failure message="invalid: &lt;&amp;&gt;&quot; started late"/>'
    has a.xml '<failure message="no end line: the job was killed or still runs"/>'
    python '
import xml.etree.ElementTree as E
root = E.parse("a.xml").getroot()
assert root.tag == "testsuites"
def count(node, what): return len(node.findall(".//" + what))
for node in [root] + root.findall("testsuite"):
    for attribute, what in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped"), ("errors", "error")):
        assert int(node.get(attribute)) == count(node, what), (node.tag, attribute)
for case in root.iter("testcase"):
    assert case.get("name") and case.get("classname") and float(case.get("time")) >= 0
    assert [c.tag for c in case] in (["failure"], ["skipped"], ["system-out"])
'
}

@test "junit has one case for a cell that a run has twice" {
    sed '2{h;s/"status":"[a-z_]*","reason":"[^"]*"/"status":"invalid","reason":"late"/;p;g}' "$data/ialltoall.jsonl" >twice.jsonl
    "$OVL_BIN/ovl" export --to junit twice.jsonl >cases 2>err
    tests=$(grep -c '<testcase' cases) failures=$(grep -c '<failure' cases || true) skipped=$(grep -c '<skipped' cases || true)
    has cases "<testsuites name=\"ovl\" tests=\"$tests\" failures=\"$failures\" errors=\"0\" skipped=\"$skipped\">"
    # Of two with a claim nobody knows which is it.
    sed '2p; s/"cells":4/"cells":5/' "$data/ialltoall.jsonl" >both.jsonl
    "$OVL_BIN/ovl" export --to csv both.jsonl >csv 2>err
    [ "$(grep -c ',no: repeated$' csv)" = 1 ]
    "$OVL_BIN/ovl" export --to junit both.jsonl >cases 2>err
    grep -q 'message="repeated: its run has it twice"' cases
}

@test "bmf has a value with its bounds for each measure" {
    launches a 8 1
    ovl 0 export --to bmf a -o a.json
    has a.json '"ialltoall/host/64K": {'
    python '
import json
from numbers import Real
bmf = json.load(open("a.json"))
assert len(bmf) == 4
for name, measures in bmf.items():
    assert isinstance(name, str) and "total_seconds" in measures and "hidden_fraction" in measures
    for metric in measures.values():
        assert set(metric) <= {"value", "lower_value", "upper_value"} and "value" in metric
        assert all(isinstance(x, Real) and not isinstance(x, bool) for x in metric.values())
        assert metric.get("lower_value", metric["value"]) <= metric["value"] <= metric.get("upper_value", metric["value"])
    assert "upper_value" in measures["total_seconds"]
'
    ovl 0 export --to bmf a -m total_seconds -o a.json
    has a.json '"total_seconds": {'
    absent '"comm_seconds"|hidden_fraction' "$(cat a.json)"
}

@test "gha has the entries that github-action-benchmark reads" {
    launches a 8 1
    ovl 0 export --to gha a -o a.json
    tells 0 '"unit": "1"' export --to gha -m hidden_fraction a/1.jsonl
    python '
import json
entries = json.load(open("a.json"))
assert len(entries) == 4
for e in entries:
    assert set(e) <= {"name", "unit", "value", "range", "extra"} and {"name", "unit", "value"} <= set(e)
    assert isinstance(e["value"], (int, float)) and e["unit"] == "s" and isinstance(e["range"], str)
    assert all(isinstance(e[k], str) for k in ("name", "extra"))
'
}

@test "markdown and latex have a row per cell, with intervals" {
    launches a 8 1
    ovl 0 export --to markdown a
    [ "$(grep -cE '^\| ialltoall host [0-9]+K \| 8 \| [0-9.]+ \\\[[0-9.]+, [0-9.]+\\\] \|.* \| 8 wide(, 8 uneven, 8 W/C)? \|$' <<<"$out")" = 4 ]
    awk -F' [|] |^[|] | [|]$' '/^[|]/ { if (n && NF != n) exit 1; n = NF }' <<<"$out"
    prints '| cell | launches | total us | communication us | hidden % | status |' 'datatype=MPI\_CHAR'
    ovl 0 export --to latex a -o a.tex
    latex a.tex 4
    grep -qE '^ialltoall host 64K & \$8\$ & \$[0-9.]+\$ \$\[[0-9.]+, [0-9.]+\]\$ & ' a.tex
    ovl 0 export --to latex -m speedup_vs_blocking a -o a.tex
    latex a.tex 4
    has a.tex 'cell & launches & speedup\_vs\_blocking & status'
}

@test "openmetrics has a series per cell and statistic, and no timestamps unless asked" {
    launches a 8 1
    ovl 0 export --to openmetrics a "$OVL_TOP/tests/cli/data/kept/hpl.jsonl" -o a.om
    openmetrics a.om
    has a.om '# UNIT ovl_total_seconds seconds'
    [ "$(grep -cE '^ovl_total_seconds\{benchmark="ialltoall",.*,size_bytes="65536",.*,statistic="(median|ci_low|ci_high)"\} [0-9.e-]+$' a.om)" = 3 ]
    [ "$(tail -n 1 a.om)" = '# EOF' ]
    ovl 0 export --to openmetrics --timestamps -m total_seconds a -o a.om
    openmetrics a.om
    # The last launch of a began at 2026-01-01T00:08:00Z.
    [ "$(grep -c '} [0-9.e-]* 1767226080$' a.om)" = 20 ]
    absent comm_seconds "$(cat a.om)"
    # A launch that has no part in a value does not date it; it is one of those that were counted.
    sed -i '2s/"status":"[a-z_]*","reason"/"status":"invalid","reason"/' a/8.jsonl
    ovl 0 export --to openmetrics --timestamps -m total_seconds a -o a.om
    [ "$(grep -c '^ovl_total.* 1767226020$' a.om)" = 3 ]
    [ "$(grep -c '^ovl_total.* 1767226080$' a.om)" = 9 ]
    [ "$(grep -c '^ovl_launches.* 1767226080$' a.om)" = 8 ]
}

@test "what several jobs of a plan measured is told apart by their names in each form" {
    plan "$(job quick good), $(job slow good)"
    mkdir s && cp plan.json s
    launches s/quick 2 1
    launches s/slow 2 1.3
    ovl 0 export --to openmetrics -m total_seconds s -o a.om
    openmetrics a.om
    [ "$(sed 's/ [^ ]*$//' a.om | sort | uniq -d)" = "" ]
    [ "$(grep -c '^ovl_launches{.*,job="slow"} 2$' a.om)" = 4 ]
    ovl 0 export --to extrap -m total_seconds s -o a.jsonl
    [ "$(grep -c '"callpath":"ialltoall->host->job=quick"' a.jsonl)" = 8 ]
    [ "$(grep -c '"callpath":"ialltoall->host->job=slow"' a.jsonl)" = 8 ]
    for form in bmf gha markdown latex junit csv; do
        ovl 0 export --to $form s -o a.form
        grep -q slow a.form
    done
    # Of one job there is nothing to tell apart.
    ovl 0 export --to openmetrics s/quick -o a.om
    absent 'job=' "$(cat a.om)"
}

@test "medians over launches of other amounts of work are told" {
    launches a 6 1
    ovl 0 export --to gha a -o a.json
    for i in 1 2; do
        awk '{
            if (match($0, /"units":[0-9]+/))
                $0 = substr($0, 1, RSTART - 1) sprintf("\"units\":%d", 1.9 * substr($0, RSTART + 8)) substr($0, RSTART + RLENGTH)
            print
        }' a/$i.jsonl >more && mv more a/$i.jsonl
    done
    for form in bmf gha markdown latex openmetrics extrap; do
        ovl 0 export --to $form a -o a.form
        grep -q 'note: launches of 4 cells differ in work by up to 1.9 times, and so do their totals' err
    done
    ovl 0 export --to gha -m comm_seconds a -o a.form
    absent 'differ in work' "$(cat err)"
    ovl 0 export --to csv a -o a.form
    absent 'differ in work' "$(cat err)"
}

@test "extrap has a value per launch, by the parameters in which cells differ" {
    launches a 3 1
    launches b 2 1
    sed -i 's/"ranks":2/"ranks":4/' b/*.jsonl
    ovl 0 export --to extrap a b -o a.jsonl
    [ "$(grep -c '"metric":"total_seconds"' a.jsonl)" = 20 ]
    [ "$(grep -c '^{"params":{"ranks":4.0,"size_bytes":8192.0},"callpath":"ialltoall->host","metric":"total_seconds","value":' a.jsonl)" = 2 ]
    ovl 0 export --to extrap -m comm_seconds a/1.jsonl
    [ "$(grep -c . <<<"$out")" = 4 ]
    prints '{"params":{"size_bytes":65536.0},"callpath":"ialltoall->host","metric":"comm_seconds","value":'
    # Whatever its reader wants is there.
    python '
import json
names = None
for line in open("a.jsonl"):
    data = json.loads(line)
    names = names or list(data["params"])
    assert list(data["params"]) == names and all(isinstance(x, (int, float)) for x in data["params"].values())
    assert isinstance(data["value"], float) and data["callpath"] and data["metric"]
'
    refuses 3 'ibarrier host has no size_bytes, in which other cells differ' export --to extrap a/1.jsonl "$data/ibarrier.jsonl"
    tells 0 '{"params":{"ranks":2.0},"callpath":"ibarrier->host",' export --to extrap "$data/ibarrier.jsonl"
}

@test "cells without a claim are marked, or named as left out" {
    unclaimed a
    ovl 0 export --to bmf a -o a.json
    [ ! -s err ]
    python '
import json
bmf = json.load(open("a.json"))
assert len(bmf) == 4
assert set(bmf["ialltoall/host/16K"]) == {"launches", "launches_without_claim"}
assert bmf["ialltoall/host/16K"]["launches_without_claim"]["value"] == 8
assert bmf["ialltoall/host/8K"]["launches"]["value"] == 7 and "total_seconds" in bmf["ialltoall/host/8K"]
'
    tells 0 '| ialltoall host 16K | 0 | n/a | n/a | n/a | 8 without a claim |' export --to markdown a
    ovl 0 export --to latex a -o a.tex
    latex a.tex 4
    has a.tex 'ialltoall host 16K & $0$ & n/a & n/a & n/a & $8$ without a claim'
    ovl 0 export --to openmetrics a -o a.om
    openmetrics a.om
    [ "$(grep -c '^ovl_launches_without_claim{.*size_bytes="16384".*} 8$' a.om)" = 1 ]
    for form in gha extrap; do
        refuses 0 "left out: 9 cells without a claim (invalid, unshaped, emulated, of one rank, wrong, cut short, repeated or impossible)" export --to $form a -o a.$form
        says "; of no launch: ialltoall host 16K"
    done
    has a.gha '7 launches, 1 without a claim left out'
    ovl 2 export --to gha -m gflops a
    says "or that value; of no launch: ialltoall host 8K, ialltoall host 16K, ialltoall host 32K, ialltoall host 64K"
}

@test "tables have no character that means something to LaTeX or Markdown" {
    odd='a_b%c\&d#e$f{g}h~i^j\\\\k<l>m|n\\"o[p--q' # as sed and JSON want it
    sed "1s/\"environment\":{/&\"OVL_CLUSTER\":\"$odd\",/" "$data/ialltoall.jsonl" >b.jsonl
    sed "1s/\"environment\":{/&\"OVL_CLUSTER\":\"[x]\",/; s/4d4346abbbb67a49/4d4346abbbb67a50/" "$data/ialltoall.jsonl" >>b.jsonl
    [ "$(grep -c 'OVL_CLUSTER' b.jsonl)" = 2 ]
    ovl 0 export --to latex b.jsonl -o b.tex
    latex b.tex 8
    has b.tex 'cluster=a\_b\%c\&d\#e\$f\{g\}h\textasciitilde{}i\textasciicircum{}j\textbackslash{}k\textless{}l'
    tells 0 'cluster=a\_b%c&amp;d\#e\$f{g}h\~i^j\\k&lt;l&gt;m\|n"o\[p--q' export --to markdown b.jsonl
    ovl 0 export --to openmetrics b.jsonl -o b.om
    openmetrics b.om
    has b.om 'cluster="a_b%c&d#e$f{g}h~i^j\\k<l>m|n\"o[p--q"'
}

@test "export says what is wrong and leaves nothing half-written" {
    launches a 2 1
    refuses 3 "give --to csv, junit, bmf, gha, markdown, latex, openmetrics or extrap" export a
    ovl 3 export --to xml a
    ovl 3 export --to csv
    ovl 3 export --to gha --metric speed a
    refuses 3 "--timestamps goes with --to openmetrics" export --to csv --timestamps a
    ovl 5 export --to csv nowhere
    echo old >a.csv
    sed -i '3s/"ranks":2/"ranks":"two"/' a/2.jsonl
    refuses 4 "a/2.jsonl:3: ranks" export --to csv a -o a.csv
    [ "$(cat a.csv)" = old ]
    refuses 5 "nowhere/a.csv: cannot write" export --to csv a/1.jsonl -o nowhere/a.csv
    [ -z "$(find . -maxdepth 1 -name '.ovl-*')" ]
}

# Texts that are cut inside a character, or hold what XML has not, lose neither the cell nor the file.
@test "no text makes a cell disappear or a file unreadable" {
    odd=$(printf 'xx%060d' 0 | sed $'s/0/\xe2\x82\xac/g')
    sed "1s/\"environment\":{/&\"OVL_CLUSTER\":\"$odd\",/" "$data/ialltoall.jsonl" >b.jsonl
    sed 's/4d4346abbbb67a49/4d4346abbbb67a50/' "$data/ialltoall.jsonl" >>b.jsonl
    sed -i $'s/"reason":"[^"]*"/"reason":"\xef\xbf\xbe\xef\xbf\xbf<"/; s/"status":"ok"/"status":"invalid"/' b.jsonl
    mv b.jsonl $'b\xff.jsonl'
    for form in csv junit bmf gha markdown latex openmetrics extrap; do
        ovl 0 export --to $form $'b\xff.jsonl' -o a.$form
        iconv -f UTF-8 -t UTF-8 a.$form >/dev/null
    done
    [ "$(wc -l <a.csv)" = 9 ]
    [ "$(grep -c '<testcase ' a.junit)" = 10 ]
    [ "$(grep -c '"total_seconds": {' a.bmf)" = 8 ]
    [ "$(grep -c '^| ialltoall' a.markdown)" = 8 ]
    latex a.latex 8
    openmetrics a.openmetrics
    [ "$(grep -c '^ovl_launches{' a.openmetrics)" = 8 ]
    [ "$(grep -c '"metric":"total_seconds"' a.extrap)" = 8 ]
    [ "$(grep -c '"name":' a.gha)" = 8 ]
    [ "$(grep -c '"extra":' a.gha)" = 8 ]
    python '
import xml.etree.ElementTree as E, json, csv
assert len(E.parse("a.junit").getroot().findall(".//testcase")) == 10
assert len(json.load(open("a.bmf"))) == 8 and len(json.load(open("a.gha"))) == 8
assert all("\u20ac" in r["cluster"] or not r["cluster"] for r in csv.DictReader(open("a.csv", encoding="utf-8")))
'
}

@test "labels that are alike once they are cut keep their cells" {
    long=$(printf '%0120d' 0)
    for both in aa ab ba; do # cluster and device, of which a label has no room for the device's last letter
        sed "1s/\"environment\":{/&\"OVL_CLUSTER\":\"${both:0:1}$long\",/; 1s/\"options\":{/&\"device\":\"$long${both:1}\",/
             s/\"engine\":{\"name\":\"mpi\"/\"engine\":{\"name\":\"worker\"/; s/4d4346abbbb67a49/4d4346abbbb67a$both/" \
            "$data/ialltoall.jsonl" >$both.jsonl
    done
    cells=12
    ovl 0 export --to bmf ./*.jsonl -o a.bmf
    ovl 0 export --to gha ./*.jsonl -o a.gha
    [ "$(grep -c '"total_seconds": {' a.bmf)" = "$cells" ]
    [ "$(grep '"name":' a.gha | sort -u | wc -l)" = "$cells" ]
    grep -q '… (2)"' a.gha # a label that is cut says so
}

@test "a text is a field of its own and no formula" {
    sed '2s/"status":"[a-z_]*"/"status":"ok,1,2"/; s/"mode":"host"/"mode":"-host"/' "$data/ialltoall.jsonl" >'=1+1.jsonl'
    ovl 0 export --to csv '=1+1.jsonl'
    awk -F'"' '{ for (i = 2; i <= NF; i += 2) gsub(",", "", $i); print }' <<<"$out" |
        awk -F, 'NF != n && n { exit 1 } { n = NF }'
    [ "$(grep -c ",\"ok,1,2\",8,'=1+1.jsonl,ialltoall,2,1," <<<"$out")" = 1 ]
    [ "$(grep -c ",'-host,mpi," <<<"$out")" = 4 ]
    absent '(^|,)[=+@]|(^|,)-[^0-9]' "$out"
}
