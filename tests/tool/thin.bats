#!/usr/bin/env bats
# `ovl thin`: old records without their samples, and who takes them.

load tool

@test "old records lose their samples and nothing else, and are compared as before" {
    launches old 10 1; launches new 10 1.2
    ovl 1 compare old new
    verdicts=$(grep -v '^# note' <<<"$out")
    ovl 0 export --to csv old
    values=$out
    before=$(sha256sum <old/3.jsonl | cut -d' ' -f1)
    tells 0 "# 10 of 10 files would be thinned" thin --before 2026-01-02 --dry-run old
    [ "$before" = "$(sha256sum <old/3.jsonl | cut -d' ' -f1)" ]
    tells 0 "# 10 of 10 files thinned" thin --before 2026-01-02 old
    [ "$(wc -c <old/3.jsonl)" -lt "$(wc -c <new/3.jsonl)" ]
    has old/3.jsonl "\"sha256\":\"$before\""
    has old/3.jsonl '"samples_crc32":'
    absent '"samples":' "$(<old/3.jsonl)"
    ovl 1 compare old new
    prints "# note     thinned.day: "
    diff <(grep -v '^# note' <<<"$out") - <<<"$verdicts"
    ovl 0 export --to csv old
    diff - <(echo "$values") <<<"$out"
    ovl 0 history old new
    ovl 0 rank old new
    tells 0 "it has no samples" thin --before 2026-01-02 old
}

@test "who needs the samples refuses a thinned record" {
    launches old 10 1
    cp -r old whole
    ovl 0 thin --before 2026-01-02 old
    tells 4 "/thinned: ovl thin took the samples out" validate old/1.jsonl
    for command in "show" "plot" "report -o r.html" "compare whole -m total_seconds.p99" "accept limits.json"; do
        echo '{"limits": 1, "rules": [{"match": {"benchmark": "ialltoall"}, "metric": "total_seconds", "operator": "<=", "limit": 1}]}' >limits.json
        # shellcheck disable=SC2086
        refuses 4 "there are none, as after ovl thin" $command old/1.jsonl
    done
}

@test "young and cut records stay, and wrong calls are one line" {
    launches old 2 1
    head -n 3 old/2.jsonl >old/3.jsonl
    head -c -40 old/1.jsonl >old/4.jsonl
    sed -i '1s/2026-01-01T/2026-05-01T/; s/"run_id":"/&x/' old/2.jsonl
    cp -r old kept
    tells 0 "# 2 of 4 files thinned" thin --before 2026-02-01 old
    prints "old/2.jsonl: left as it is: not all of it is older" "old/4.jsonl: left as it is: cut short"
    cmp old/2.jsonl kept/2.jsonl; cmp old/4.jsonl kept/4.jsonl
    refuses 3 "say by --before DATE" thin old
    refuses 3 "--before yesterday: give a day such as 2026-01-31" thin --before yesterday old
    refuses 3 "--before 2026-01-31T10: give a day" thin --before 2026-01-31T10 old
    refuses 3 "--before 2026-31-01: give a day" thin --before 2026-31-01 old # day and month
    refuses 3 "--before 2026-1- 15: give a day" thin --before "2026-1- 15" old
    refuses 3 "give one record file or more" thin --before 2026-01-31
    refuses 5 "nothing: cannot read" thin --before 2026-01-31 nothing
    echo '{"record":"run"}' >bad.jsonl
    : >empty.jsonl
    ovl 4 thin --before 2026-01-31 empty.jsonl
    # A folder that cannot be written keeps what it has.
    if [ "$(id -u)" != 0 ]; then
        chmod -w kept
        ovl 5 thin --before 2026-02-01 kept
        chmod +w kept
    fi
}

@test "control characters in texts and names reach no terminal, and are read as before" {
    launches old 1 1
    sed -i '1s/"hosts":\[{"name":"[^"]*"/"hosts":[{"name":"n\\u001b[31m1\\u0007"/; s/"reason":""/"reason":"a\\u001b[2Jb"/' old/1.jsonl
    has old/1.jsonl 'n\u001b[31m1\u0007'
    mv old/1.jsonl old/$'1\e[2J.jsonl'
    tells 0 "# 1 of 1 files thinned" thin --before 2026-01-02 old
    prints 'old/1\u001b[2J.jsonl: '
    absent $'\e' "$out"
    has old/$'1\e[2J.jsonl' 'n\\u001b[31m1\\u0007' # as every command reads it
    tells 0 "left as it is: it has no samples" thin --before 2026-01-02 old
    absent $'\e' "$out"
    refuses 5 "no?such" thin --before 2026-01-02 $'no\asuch'
}

@test "what another name leads to, may not be written, or holds a half line stays as it is" {
    launches old 5 1
    mkdir away
    mv old/1.jsonl away/real.jsonl
    ln -s ../away/real.jsonl old/1.jsonl
    ln old/2.jsonl away/2.jsonl
    chmod 400 old/3.jsonl
    { head -c -40 old/5.jsonl; echo; cat old/5.jsonl; } >half
    mv half old/4.jsonl
    chmod 640 old/5.jsonl
    sha256sum away/* old/[1-4].jsonl >sums
    tells 0 "# 1 of 5 files thinned" thin --before 2026-01-02 old
    prints "old/1.jsonl: left as it is: a link" "old/2.jsonl: left as it is: it has other names, too" \
        "old/3.jsonl: left as it is: it may not be written" "old/4.jsonl: left as it is: cut short"
    sha256sum --quiet -c sums
    [ -L old/1.jsonl ]
    [ "$(stat -c %a old/5.jsonl)" = 640 ]
}

@test "a thinned sweep has its launches: resume runs none again, and status takes them for done" {
    plan "$(job a good)"
    ovl 0 sweep plan.json -o s
    ovl 0 thin --before 2199-01-01 s
    cp -r s before
    tells 0 "2 were there already" sweep plan.json -o s --resume
    diff -r before s
    ovl 0 sweep --status s
    # One that a launch of elsewhere left is none.
    sed -i 's/"sha256":"[0-9a-f]*"/"sha256":"'"$(echo other | sha256sum | cut -d' ' -f1)"'"/' s/a/001.jsonl
    tells 0 "1 done, 0 failed, 1 were there already" sweep plan.json -o s --resume
    ls s/a/*.partial
}
