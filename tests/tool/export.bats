#!/usr/bin/env bats
# `ovl export`: each form as its readers want it. Python's parsers read them where python3 is here.

load ../cli/lib
load tool

python() {
    command -v python3 >/dev/null || skip "python3 is not here to read it"
    python3 -c "$1"
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

@test "junit is well formed, counts right, and fails what is invalid or has no end" {
    launches a 2 1
    sed -i '2s/"status":"[a-z_]*","reason":"[^"]*"/"status":"invalid","reason":"<\&>\\" started late"/; $d' a/2.jsonl
    ovl 0 export --to junit a -o a.xml
    has a.xml '<testsuites name="ovl" tests="10" failures="2" errors="0" skipped="0">'
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
}

@test "gha has the entries that github-action-benchmark reads" {
    launches a 8 1
    ovl 0 export --to gha a -o a.json
    ovl 0 export --to gha -m hidden_fraction a/1.jsonl
    prints '"unit": "1"'
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

@test "export says what is wrong and leaves nothing half-written" {
    launches a 2 1
    ovl 3 export a
    says "give --to csv, junit, bmf or gha"
    ovl 3 export --to xml a
    ovl 3 export --to csv
    ovl 3 export --to gha --metric speed a
    ovl 5 export --to csv nowhere
    echo old >a.csv
    sed -i '3s/"ranks":2/"ranks":"two"/' a/2.jsonl
    ovl 4 export --to csv a -o a.csv
    says "a/2.jsonl:3: ranks"
    [ "$(cat a.csv)" = old ]
    ovl 5 export --to csv a/1.jsonl -o nowhere/a.csv
    says "nowhere/a.csv: cannot write"
    [ "$(ls -A | grep -c '^\.[0-9]')" = 0 ]
}

# Texts that are cut inside a character, or hold what XML has not, lose neither the cell nor the file.
@test "no text makes a cell disappear or a file unreadable" {
    odd=$(printf 'xx%060d' 0 | sed $'s/0/\xe2\x82\xac/g')
    sed "1s/\"environment\":{/&\"OVL_CLUSTER\":\"$odd\",/" "$data/ialltoall.jsonl" >b.jsonl
    sed 's/4d4346abbbb67a49/4d4346abbbb67a50/' "$data/ialltoall.jsonl" >>b.jsonl
    sed -i $'s/"reason":"[^"]*"/"reason":"\xef\xbf\xbe\xef\xbf\xbf<"/; s/"status":"ok"/"status":"invalid"/' b.jsonl
    mv b.jsonl $'b\xff.jsonl'
    for form in csv junit bmf gha; do
        ovl 0 export --to $form $'b\xff.jsonl' -o a.$form
        iconv -f UTF-8 -t UTF-8 a.$form >/dev/null
    done
    [ "$(wc -l <a.csv)" = 9 ]
    [ "$(grep -c '<testcase ' a.junit)" = 10 ]
    [ "$(grep -c '"total_seconds": {' a.bmf)" = 8 ]
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
    grep -q ' (2)"' a.gha
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
