#!/usr/bin/env bats
# Digests and signatures of sweeps: --digests and --sign of ovl sweep, `signers` of limits.

load vendor

# key NAME: a key without a password; its line for the limits is in $line.
key() {
    ssh-keygen -q -t ed25519 -N '' -C '' -f "$1"
    line="$1@example.org $(cut -d' ' -f1,2 "$1.pub")"
}

@test "a sweep prints digests that limits can name, and signs its log" {
    command -v ssh-keygen >/dev/null || skip "no ssh-keygen"
    buyer "$(job a)" "$(rule)"
    key vendor
    ovl 0 sweep plan.json -o s --sign vendor
    [ "$(grep -c '^# digest [0-9a-f]\{64\}$' <<<"$out")" = "$(grep -c '"ended"' s/sweep.log)" ]
    last=$(tail -n 1 s/sweep.log | tr -d '\n' | digest)
    [ "$(grep '^# digest' <<<"$out" | tail -1)" = "# digest $last" ]
    [ -s s/sweep.log.sig ]
    [ -s s/plan.json.sig ]
    echo "$line" >allowed; sed -i 's/\\//g' allowed
    # As the pages of OpenSSH check it.
    ssh-keygen -Y verify -f allowed -I vendor@example.org -n ovl-sweep -s s/sweep.log.sig <s/sweep.log
    sed -i "s|\"limits\": 1,|\"limits\": 1, \"log_lines\": [\"$last\"], \"signers\": [\"$line\"],|" limits.json
    tells 0 "signed by vendor@example.org" accept limits.json s -o report.json
    ovl 0 accept --verify report.json
    # Another's signature, one of another file, for another purpose, and none.
    cp s/sweep.log.sig good.sig
    key stranger
    rm s/sweep.log.sig; ssh-keygen -q -Y sign -f stranger -n ovl-sweep s/sweep.log
    tells 1 "by nobody whom the limits name" accept limits.json s
    cp s/plan.json.sig s/sweep.log.sig
    tells 1 "not of this file" accept limits.json s
    rm s/sweep.log.sig; ssh-keygen -q -Y sign -f vendor -n mail s/sweep.log
    ovl 1 accept limits.json s
    rm s/sweep.log.sig
    tells 1 "it is not signed: no sweep.log.sig" accept limits.json s
    ovl 4 accept --verify report.json
    cp good.sig s/sweep.log.sig
    ovl 0 accept limits.json s
    # A sweep that goes on signs again.
    rm s/*/001.jsonl
    sed -i '/log_lines/s/"log_lines": \[[^]]*\], //; s/"limits": 1,/"limits": 1, "retries": 9,/' limits.json
    ovl 0 sweep plan.json -o s --resume --sign vendor
    tells 0 "signed by" accept limits.json s
}

@test "a sweep that is interrupted signs what it has, anew where it goes on" {
    command -v ssh-keygen >/dev/null || skip "no ssh-keygen"
    plan '{"name": "a", "program": "./good", "ranks": 2}, {"name": "b", "program": "./slow", "ranks": 2}'
    key vendor
    echo "$line" >allowed
    sed -i 's/\\//g' allowed
    verified() { ssh-keygen -Y verify -f allowed -I vendor@example.org -n ovl-sweep -s s/sweep.log.sig <s/sweep.log; }
    for more in "" --resume; do
        # shellcheck disable=SC2086
        started timeout 60 "$OVL_BIN/ovl" sweep plan.json -o s --sign vendor $more
        kill -TERM $!
        code=0
        wait $! || code=$?
        [ $code -gt 123 ]
        verified
    done
    touch again
    ovl 0 sweep plan.json -o s --sign vendor --resume
    verified
}

# Such a log can be signed, and records exchanged after that.
@test "a signature of a log without SHA-256 is of no record" {
    command -v ssh-keygen >/dev/null || skip "no ssh-keygen"
    derive=1 swept s 6 1
    key vendor
    ssh-keygen -q -Y sign -f vendor -n ovl-sweep s/sweep.log
    echo '{"limits": 1, "log_required": false, "rules": [{"match": {"benchmark": "ialltoall"}, "metric": "total_seconds", "operator": "<=", "limit": 1}]}' >limits.json
    ovl 0 accept limits.json s
    sed -i "s|\"limits\": 1,|\"limits\": 1, \"signers\": [\"$line\"],|" limits.json
    tells 2 "the log is signed, and holds no SHA-256: its signature is of no record" accept limits.json s
    derive=1 swept other 6 1
    cp other/a/*.jsonl s/a/
    ovl 2 accept limits.json s
    sealed s
    rm s/sweep.log.sig; ssh-keygen -q -Y sign -f vendor -n ovl-sweep s/sweep.log
    tells 0 "signed by vendor@example.org" accept limits.json s
}

@test "a key that cannot sign ends a sweep before anything starts" {
    command -v ssh-keygen >/dev/null || skip "no ssh-keygen"
    buyer "$(job a)" "$(rule)"
    refuses 5 "--sign nokey: cannot read" sweep plan.json -o s --sign nokey
    echo no key >bad
    refuses 5 "cannot sign it with bad" sweep plan.json -o s --sign bad --resume
    ssh-keygen -q -t ed25519 -N secret -C '' -f locked
    SSH_AUTH_SOCK= refuses 5 "cannot sign it with locked" sweep plan.json -o s --sign locked --resume
    [ ! -e measured ]
    key mine
    ovl 0 sweep plan.json -o s --resume --sign mine
    ovl 0 sweep plan.json -o t --digests
    [ "$(grep -c '^# digest ' <<<"$out")" = 6 ]
}

@test "signers of limits that are none are one line with file, line and field" {
    derive=1 launches a 1 1
    limits() { echo "{\"limits\": 1, \"log_required\": false, \"signers\": $1, \"rules\": [{\"match\": {\"benchmark\": \"ialltoall\"}, \"metric\": \"total_seconds\", \"operator\": \"<=\", \"limit\": 1}]}" >limits.json; }
    limits '[]'
    refuses 4 "limits.json:1: /signers: a signer is wanted here" accept limits.json a
    limits '["nobody"]'
    refuses 4 "limits.json:1: /signers/0: a line such as" accept limits.json a
    limits '["a ssh-ed25519 AAAA\nb ssh-ed25519 BBBB"]'
    refuses 4 "/signers/0" accept limits.json a
    limits '["a ssh-ed25519 AAAA"]'
    tells 2 "launches of no sweep have no log that could be signed" accept limits.json a
}
