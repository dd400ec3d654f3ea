#!/usr/bin/env bats
# An honest sweep of a driver and of the applications, bound by a nonce, is accepted: what is held of records against
# their plan and themselves refuses none that a program wrote.

load lib

@test "a sweep of a driver and of applications is as its plan has it" {
    local jobs='{"name": "ialltoall", "program": "ovl_ialltoall", "options": ["-m", "1K:2K", "-i", "6", "-x", "1", "--compute-us", "20"]},
        {"name": "halo", "program": "ovl_halo", "options": ["-g", "16,12", "-i", "6:6", "-t", "4", "--mode", "blocking,host,host-t"]},
        {"name": "pd", "program": "ovl_serve", "options": ["--model", "gpt2-small", "--requests", "4", "--output", "3", "--scale-bytes", "100", "-i", "6:6", "-t", "2", "--mode", "blocking,host,host-t", "--compute-us", "500"]},
        {"name": "tp", "program": "ovl_serve", "options": ["--strategy", "tp", "--model", "gpt2-small", "--requests", "4", "--output", "2", "--overlap", "two", "--chunk", "300", "--scale-bytes", "100", "-i", "6:6"]},
        {"name": "tiny", "program": "ovl_train", "options": ["--tiny", "-i", "6:6", "--compute-us", "500"]},
        {"name": "dpu", "program": "ovl_iallgather", "ranks": 3, "options": ["-m", "1K:4K", "-i", "6:6", "--dpu-min", "2K", "--workers", "1", "--mode", "host,dpu"]}'
    grep -qx 'WITH_FFTW := none' "$OVL_BUILD/config.mk" ||
        jobs+=', {"name": "fft", "program": "ovl_fft3d", "options": ["--grid=16,8x16x16", "--iter", "6:6", "--chunks", "auto"]}'
    grep -qx 'WITH_CBLAS := none' "$OVL_BUILD/config.mk" ||
        jobs+=', {"name": "hpl", "program": "ovl_hpl", "options": ["-n", "96,64", "--nb", "16", "-i", "6", "--depth", "0,1", "--bcast", "ring,ibcast"]},
        {"name": "column", "program": "ovl_hpl", "ranks": 3, "options": ["-n", "64", "--nb", "16", "--procs", "2x1", "--mode", "host,dpu"]}'
    jobs=$(sed "s#\"program\": \"#&$OVL_BIN/#g; /\"ranks\"/!s#\"options\"#\"ranks\": 2, &#" <<<"${jobs//\}, \{/\},
\{}")
    echo "{\"plan\": 1, \"nonce\": \"n-1\", \"launches\": 1, \"environment\": {\"MPIR_CVAR_FOO\": \"a\\tb\"}, \"jobs\": [$jobs]}" >plan.json
    echo '{"limits": 1, "rules": [{"match": {"benchmark": "ialltoall"}, "metric": "total_seconds", "operator": "<=", "limit": 1}]}' >limits.json
    "$OVL_BIN/ovl" accept --bind plan.json limits.json
    LIMIT=120 ends "0 2" "$OVL_BIN/ovl" sweep plan.json -o s # a busy machine has invalid cells
    ends "1 2" "$OVL_BIN/ovl" accept limits.json s             # and a launch is no interval
    local launches; launches=$(grep -o '"name"' <<<"$jobs" | grep -c .)
    grep "PASS: $launches records are as the plan has their jobs" out
    grep "PASS: $launches records hold n-1" out
    ! grep -E ' (validate|jobs|records|retries|nonce|plans) .*(FAIL|INCONCLUSIVE)' out
}

# Two sweeps of one plan: the file behind its name is another in the second.
@test "what --edges reads is bound with the plan" {
    printf '0,1\n1,0\n' >ring
    echo '{"plan": 1, "nonce": "n-1", "launches": 1, "jobs": [{"name": "a", "program": "'"$OVL_BIN"'/ovl_ineighbor_alltoall", "ranks": 2,
        "options": ["--edges", "ring", "-m", "1K:1K", "-i", "6:6", "-x", "1", "--compute-us", "20"]}]}' >plan.json
    echo '{"limits": 1, "rules": [{"match": {"benchmark": "ineighbor_alltoall"}, "metric": "total_seconds", "operator": "<=", "limit": 1}]}' >limits.json
    "$OVL_BIN/ovl" accept --bind plan.json limits.json
    grep -F "\"sha256\": \"$(sha256sum <ring | cut -d' ' -f1)\"" limits.json
    LIMIT=120 ends "0 2" "$OVL_BIN/ovl" sweep plan.json -o s
    ends "1 2" "$OVL_BIN/ovl" accept limits.json s
    grep "PASS: launches read the files that the limits name" out
    printf '0,1\n1,0\n0,0\n' >ring
    LIMIT=120 ends "0 2" "$OVL_BIN/ovl" sweep plan.json -o t
    ends 1 "$OVL_BIN/ovl" accept limits.json t
    grep "FAIL: a launch read --edges ring with another SHA-256 than the limits have" out
}
