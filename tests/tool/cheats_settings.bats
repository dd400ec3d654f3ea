#!/usr/bin/env bats
# What a vendor might try to have a bad machine accepted, with how launches run: options, defaults, variables, files, nodes,
# machines and networks that the plan does not have. Each ends with a verdict that is not PASS.

load vendor

@test "the launcher appends options, changes them, or leaves some out" {
    local launches=1
    buyer "$(job a)" "$(rule)"
    vendor 'exec ./drive "$@" --compute-ratio 0.2'
    sed -i 's/file=.*/for word; do [ "${last:-}" != --json ] || file=$word; last=$word; done/' drive
    caught 1 s "FAIL: 1 of 1 records are not as the plan has their jobs: s/a/001.jsonl: --compute-ratio 0.2 is not in the plan"
    vendor 'for word; do case ${ours:-}$word in */ovl_*) ours=: ;; :-x) word=--compute-ratio=0.2 ;; :2) [ "${last:-}" = -n ] || { last=2; continue; } ;; esac; words+=("$word"); last=$word; done
exec ./drive "${words[@]}"'
    caught 1 t "t/a/001.jsonl: its command has --compute-ratio=0.2 where the plan has -x"
    vendor 'for word; do case ${ours:-}$word in */ovl_*) ours=: ;; :-x) break ;; esac; words+=("$word"); done
exec ./drive "${words[@]}" --json "${@: -1}"'
    caught 1 u "u/a/001.jsonl: its command has --json where the plan has -x"
    vendor 'p=$3; set -- "${@:1:2}" "${p%/*}/ovl_ibcast" "${@:4}"; exec ./drive "$@"'
    caught 1 v "it is of ovl_ibcast, and the plan says ovl_ialltoall"
}

@test "an ovl with other defaults measures" {
    local launches=1
    buyer "$(job a)" "$(rule)"
    vendor './drive "$@"; sed -i "s/\"compute_ratio\":\[1.0\]/\"compute_ratio\":[0.5]/" "${@: -1}"'
    caught 1 s "its option compute_ratio is [0.5], by another default than that of this version"
}

@test "attempts that another launcher started than the plan's are not its own" {
    buyer "$(job host)" "$(rule)"
    sed -i 's|"launches": 6|"launches": 6, "launcher": {"kind": "mpiexec", "program": "./launch", "options": ["-a", "1"]}|' plan.json
    bound "$(rule)"
    vendor '[ "$3 $4" != "-a 1" ] || set -- "${@:1:2}" "${@:5}"; exec ./drive "$@"'
    accepted s
    for words in '"cluster"' '"./other","-n","2","-a","1"' '"./launch","-n","2"' '"./launch","-n","2","-a","2"' \
        '"./launch","-n","4","-a","1"' '"./launch","-n","2","-a","1","-more"'; do
        cp -r s other
        relogged other "s|\"launcher\":\[[^]]*\]|\"launcher\":[$words]|"
        rejected 1 other
        prints "another launcher than the plan's started it"
        # An attempt of the plan's launcher that leaves nothing changes nothing of that.
        printf '{"%s":"%s","job":"host","launch":1,"attempt":2%s,"previous":""}\n' \
            started "$(date -u +%FT%TZ)" ',"launcher":["./launch","-n","2","-a","1"]' \
            ended "$(date -u +%FT%TZ)" ',"status":"failed","why":"","exit":5,"seconds":1.0,"wrong_data":false' >>other/sweep.log
        relogged other 's|^||'
        "$OVL_BIN/ovl" accept limits.json other >out 2>err && return 1
        grep -q "FAIL: 6 of 6 records do not belong to sweep.log" out
        rm -r other
    done
    cp -r s passed
    relogged passed 's|"launcher":\[[^]]*|&,"-x","OVL_NONCE"|'
    ovl 0 accept limits.json passed
}

@test "the launcher starts other numbers of processes, or on other nodes" {
    local launches=1
    buyer "$(job a ', "nodes": 1')" "$(rule)"
    vendor 'shift 2; exec ./drive -n 4 "$@"'
    tells 1 "its record is of 4 ranks and 0 workers, and the plan says 2 processes" sweep plan.json -o s
    vendor './drive "$@"; sed -i "1s/\"workers\":0/\"workers\":1/" "${@: -1}"'
    caught 1 t "it is of 2 ranks and 1 workers, and the plan says 2 processes"
    # As many processes, and a worker more among them.
    buyer "$(job a ', "modes": ["dpu"]' | sed 's/"ranks": 2/"ranks": 4/')" "$(rule 8192 20 dpu)"
    vendor './drive "$@"; sed -i "1s/\"workers\":1/\"workers\":2/; 1s/\"ranks\":3/\"ranks\":2/; s/\"engine\":{\"name\":\"worker\",\"workers\":1/\"engine\":{\"name\":\"worker\",\"workers\":2/" "${@: -1}"'
    caught 1 v "it is of 2 workers on 1 nodes, and its command has 1 on each"
}

# bats test_tags=long
@test "a baseline is spoilt by a variable, or is of another machine" {
    buyer "$(job tuned ', "baseline": "tuned", "environment": {"MPIR_CVAR_ASYNC_PROGRESS": "1"}'), $(job a)" "$(ratio host tuned 0.95)"
    echo 0.9 >factor.a
    accepted s
    vendor 'case ${*: -1} in */tuned/*) export UCX_TLS=tcp ;; esac
exec ./drive "$@"'
    caught 2 t "INCONCLUSIVE: another setting than the baseline tuned in 6 of 6 launches: UCX_TLS: not set, and tcp"
    vendor 'rm -f cpu; case ${*: -1} in */tuned/*) echo Atom >cpu ;; esac
exec ./drive "$@"'
    caught 2 w "another setting than the baseline tuned in 6 of 6 launches: hosts[].cpu: AMD EPYC, and Atom"
    # What a buyer allows.
    sed -i 's/"limits": 1,/"limits": 1, "may_differ": ["hosts[].cpu"],/' limits.json
    ovl 0 accept limits.json w
    sed -i 's/"launches": 6/"launches": 1/' plan.json
    bound "$(ratio host tuned 0.95)"
    vendor 'case ${*: -1} in */tuned/*) unset MPIR_CVAR_ASYNC_PROGRESS ;; esac
exec ./drive "$@"'
    caught 1 u "the plan sets MPIR_CVAR_ASYNC_PROGRESS, and it ran without"
    vendor 'case ${*: -1} in */tuned/*) export MPIR_CVAR_ASYNC_PROGRESS=0 ;; esac
exec ./drive "$@"'
    caught 1 v "the plan sets MPIR_CVAR_ASYNC_PROGRESS to 1, and it ran with 0"
}

@test "some launches are of a better machine" {
    buyer "$(job a)" "$(rule)"
    vendor 'rm -f cpu; case ${*: -1} in */.00[1-5].jsonl) echo Genoa >cpu ;; esac
exec ./drive "$@"'
    caught 2 s "INCONCLUSIVE: its launches differ in hosts[].cpu: Genoa, and AMD EPYC"
}

# second_node [MACHINE]: vendor's words that make a record one of two nodes, the second on MACHINE, by default on the first's.
second_node() {
    echo './drive "$@"; sed -i -E '"'"'s/"nodes":1,/"nodes":2,/; s/"hosts":\[(.*"machine":")([^"]*)("[^]]*\[\]\})\]/"hosts":[\1\2\3,\1'"${1:-\\2}"'\3]/'"'"' "${@: -1}"'
}

@test "one machine is taken for two nodes" {
    buyer "$(job a ', "nodes": 2')" "$(rule)"
    vendor "$(second_node b19e)"
    accepted s
    launches=1 buyer "$(job a ', "nodes": 2')" "$(rule)"
    vendor "$(second_node)"
    caught 1 t "FAIL: 1 of 1 records are not as the plan has their jobs: t/a/001.jsonl: its 2 nodes are 1 machine, by hosts[].machine"
}

# bats test_tags=long
@test "ranks sit on fewer nodes than half of the plan's, where the others may be DPUs" {
    buyer "$(job a ', "nodes": 4, "modes": ["host", "dpu"]' | sed "s/\"ranks\": 2/\"ranks\": 3/; s/\"-x\"/\"--workers\", \"1\", &/")" "$(rule)"
    vendor './drive "$@"'
    tells 1 "its ranks were on 1 node and the plan says 4" sweep plan.json -o s
    # Workers that are programs of their own may have nodes of their own.
    sed -i 's/"--workers", "1"/"--workers", "0"/' plan.json
    bound "$(rule)"
    vendor './drive "$@"; sed -i "s/\"options\":{/&\"workers\":0,/" "${@: -1}"'
    caught 1 t "its ranks are on 1 of the plan's 4 nodes"
    vendor "$(second_node b19e)
sed -i 's/\"options\":{/&\"workers\":0,/' \"\${@: -1}\""
    accepted v
    prints "of 6 the workers may have been on nodes of their own: their ranks were on 2 of 4"
    # Nor where there are no workers at all.
    buyer "$(job a ', "nodes": 4, "modes": ["host"]' | sed "s/\"-x\"/\"--workers\", \"0\", &/")" "$(rule)"
    ovl 1 sweep plan.json -o u
    prints "its ranks were on 1 node and the plan says 4"
}

# trains: makes ./drive a run of ovl_train, whose record tells what was in net.json, or as the file `told` does.
trains() {
    cat >drive <<'SCRIPT'
#!/bin/bash
shift 2
while [ "$1" = -x ]; do shift 2; done
file=${*: -1} now=$(date -u +%FT%TZ)
told=$(cat told 2>/dev/null || echo "\"input_files\":{\"model\":\"$(sha256sum <net.json | cut -c 1-64)\"},")
from=$OVL_TOP/results/train-phases/resnet20/$(basename "$file" | tr -dc 0-9).jsonl
id=$(grep -o '"run_id":"[^"]*' "$from" | head -n 1 | cut -d'"' -f4)
sed -E 's#"command":\[[^]]*\]#"command":['"$(printf ',"%s"' "$@" | cut -c 2-)"']#; s/'"$id/r-$RANDOM$RANDOM"'/
    s/"input_files":\{[^}]*\},?//; s/"(started|finished)":"[^"]*/"\1":"'"$now"'/; s/"OVL_CLUSTER":"[^"]*",?//
    s/"environment":\{/&"OVL_NONCE":"'"${OVL_NONCE:-}"'",/; s/,\}/}/; s/"hosts":/'"$told"'&/; 1s/"model":"resnet20"/"model":"net.json"/' "$from" >"$file"
SCRIPT
}

# bats test_tags=long
@test "the file of a model is another than the buyer's" {
    local net=$OVL_TOP/src/apps/train/models/resnet20.json
    [ -d "$OVL_TOP/results/train-phases/resnet20" ] || skip "results/ is not here"
    local rule='{"match": {"benchmark": "train", "model": "resnet20", "mode": "host"}, "metric": "total_seconds", "operator": "<=", "limit": 10}'
    local job='{"name": "a", "program": "ovl_train", "ranks": 1,
        "options": ["--model", "net.json", "-b", "32", "--compute-us", "15000", "--offload", "none,o-da,o-mv,o-hy", "--epochs", "3", "--steps-per-epoch", "24", "-x", "1", "-i", "15:15", "--quiet", "--mode", "host"]}'
    cp "$net" net.json
    buyer "$job" "$rule"
    has limits.json "$(digest <"$net")"
    trains
    honest
    ovl 0 sweep plan.json -o s
    ovl 0 accept limits.json s
    prints "PASS: launches read the files that the limits name"
    sed 's/"repeat": *[0-9]*/"repeat": 1/' "$net" >net.json
    ovl 0 sweep plan.json -o t
    rejected 1 t
    prints "FAIL: a launch read --model net.json with another SHA-256 than the limits have"
    ovl 4 accept --bind plan.json limits.json
    says "another file has this name"
    rm net.json
    ovl 5 accept --bind plan.json limits.json
    cp "$net" net.json
    echo >told
    ovl 0 sweep plan.json -o u
    rejected 2 u
    prints "INCONCLUSIVE: a record does not tell what was in --model net.json"
    # Limits that name the plan alone.
    sed -i -z 's/,\n "input_files": \[[^]]*\]//' limits.json
    rejected 2 s
    prints "INCONCLUSIVE: the limits name the plan, and not what is in --model net.json: bind them again"
    # Limits that bind nothing: all launches have read the same.
    rm told
    sed -i 's/"nonce": "n-1", //' plan.json
    echo "{\"limits\": 1, \"rules\": [$rule]}" >limits.json
    vendor '[[ ${*: -1} != */.003.jsonl ]] || sed -i s/repeat/Repeat/ net.json; ./drive "$@"; cp '"$net"' net.json'
    ovl 0 sweep plan.json -o v
    rejected 2 v
    prints "input_files.model: $(digest <"$net" | cut -c 1-60)"
    # A model that is installed has a file too.
    echo '{"plan": 1, "jobs": [{"name": "a", "program": "ovl_train", "ranks": 2}, {"name": "b", "program": "ovl_train", "ranks": 2,
        "options": ["--tiny", "--dpu-map", "site.map"]}]}' >plan.json
    ovl 0 accept --bind plan.json limits.json
    prints "--dpu-map site.map is not here: it is not bound"
    has limits.json "$(digest <"$OVL_TOP/src/apps/train/models/edsr_x2.json")"
    [ "$(grep -c '"sha256"' limits.json)" = 1 ]
}

@test "options of an application, its modes and its cells are others than the plan's words have" {
    local jobs='' name
    for name in order gone mode lost honest; do
        jobs+=', {"name": "'$name'", "program": "ovl_hpl", "ranks": 2, "options": ["-n", "6000", "--procs", "1x2", "--bcast", "ring,ring-m,long,ibcast", "-i", "3:3"]}'
    done
    buyer "${jobs#, }" '{"match": {"benchmark": "hpl", "bcast": "ring-m"}, "metric": "gflops", "operator": ">=", "limit": 500}'
    sed -i 's/"launches": 6/"launches": 1/' plan.json
    bound '{"match": {"benchmark": "hpl", "bcast": "ring-m"}, "metric": "gflops", "operator": ">=", "limit": 500}'
    cat >order.sed <<<'s/"n":6000/"n":12000/; s/"order":\[6000.0\]/"order":[12000.0]/'
    cat >gone.sed <<<'s/"n":6000/"n":12000/; s/"order":\[6000.0\],//'
    cat >mode.sed <<<'s/"mode":"host","workers"/"mode":"blocking,host","workers"/'
    cat >lost.sed <<<'/"record":"cell"/{ /"bcast":"ring-m"/!d }; s/"cells":4/"cells":1/'
    : >honest.sed
    cat >drive <<'SCRIPT'
#!/bin/bash
shift 2
while [ "$1" = -x ]; do shift 2; done
file=${*: -1} now=$(date -u +%FT%TZ) from=$OVL_TOP/tests/cli/data/kept/hpl.jsonl
id=$(grep -o '"run_id":"[^"]*' "$from" | head -n 1 | cut -d'"' -f4)
sed -E 's#"command":\[[^]]*\]#"command":['"$(printf ',"%s"' "$@" | cut -c 2-)"']#; s/'"$id/r-$RANDOM$RANDOM"'/
    s/"input_files":\{[^}]*\},?//; s/"(started|finished)":"[^"]*/"\1":"'"$now"'/; s/"environment":\{/&"OVL_NONCE":"'"${OVL_NONCE:-}"'",/; s/,\}/}/' "$from" |
    sed -f "$(basename "$(dirname "$file")").sed" >"$file"
SCRIPT
    honest
    ovl 0 sweep plan.json -o s
    rejected 1 s
    prints "4 of 5 records are not as the plan has their jobs"
    prints "s/gone/001.jsonl: line 1: /options/order: is missing, and the command has it"
    # Three blocks of seconds are the same by no chance.
    prints "FAIL: 13 of 17 cells have every sample of another"
}

@test "variables that the plan does not set, or sets for another job" {
    unset UCX_LOG_LEVEL
    buyer "$(job tuned ', "baseline": "tuned", "environment": {"MPIR_CVAR_ASYNC_PROGRESS": "1"}'), $(job a)" "$(ratio host tuned 0.95)"
    echo 0.9 >factor.a
    sed -i 's/"launches": 6/"launches": 1/' plan.json
    bound "$(ratio host tuned 0.95)"
    # The baseline's own way, for the other job, too: two that are the same are no comparison.
    vendor 'export MPIR_CVAR_ASYNC_PROGRESS=1
exec ./drive "$@"'
    caught 1 s "s/a/001.jsonl: it ran with MPIR_CVAR_ASYNC_PROGRESS of 1, which the plan sets for other jobs"
    vendor 'case ${*: -1} in */a/*) export MPIR_CVAR_ASYNC_PROGRESS=2 ;; esac
exec ./drive "$@"'
    caught 1 w "w/a/001.jsonl: it ran with MPIR_CVAR_ASYNC_PROGRESS of 2, which the plan sets for other jobs"
    prints "INCONCLUSIVE: another setting than the baseline tuned in 1 of 1 launches: MPIR_CVAR_ASYNC_PROGRESS: 2, and 1"
    # An emulated network where the plan names none.
    vendor './drive "$@"; sed -i "s/\"environment\":{/&\"OVL_CLUSTER\":\"nodes=2 rate=125000000 burst=81920\",/" "${@: -1}"'
    caught 1 u "it ran on an emulated network, and the plan does not: OVL_CLUSTER is nodes=2"
    # What all launches have is told.
    sed -i 's/"launches": 1/"launches": 6/' plan.json
    bound "$(ratio host tuned 0.95)"
    vendor 'export UCX_TLS=tcp
exec ./drive "$@"'
    ovl 0 sweep plan.json -o t
    tells 0 "#          variables that the plan does not set: UCX_TLS=tcp (12 launches)" accept limits.json t -o report.json
    tells 0 "#          variables that the plan does not set: UCX_TLS=tcp (12 launches)" accept --verify report.json
    # Of a launcher's own the names, where not all have them.
    grep -q "variables of the launcher" <<<"$out" && return 1
    sed -i 's/"environment":{/&"SLURM_TASKS_PER_NODE":"2",/' t/a/003.jsonl
    "$OVL_BUILD/tests/sim" rederive t/a/003.jsonl again.jsonl && mv again.jsonl t/a/003.jsonl
    "$OVL_BIN/ovl" accept limits.json t >out || true
    grep -qF "#          variables of the launcher that some launches lack: SLURM_TASKS_PER_NODE (1 launch)" out
    # Variables have threads, and bind nothing.
    vendor './drive "$@"; case ${*: -1} in */tuned/*) sed -i "s/\"binding\":\[\"0-1\",\"0-1\"\]/\"binding\":[\"0\",\"0\"]/" "${@: -1}" ;; esac'
    caught 2 v "INCONCLUSIVE: another setting than the baseline tuned in 6 of 6 launches: binding[]: "
}

# bats test_tags=long
@test "settings of Slurm, the interface of MPICH's launcher, and an emulated network are as the plan sets them" {
    buyer "$(job tuned ', "baseline": "tuned"'), $(job a)" "$(ratio host tuned 0.95)"
    echo 3 >factor.tuned
    vendor './drive "$@"; case ${*: -1} in */tuned/*) sed -i "s/\"environment\":{/&\"SLURM_CPU_FREQ_REQ\":\"low\",/" "${@: -1}" ;; esac'
    caught 2 s "another setting than the baseline tuned in 6 of 6 launches: SLURM_CPU_FREQ_REQ: not set, and low"
    vendor './drive "$@"; case ${*: -1} in */tuned/*) i=eth9 ;; *) i=vm ;; esac
sed -i "s/\"environment\":{/&\"SLURM_JOB_ID\":\"$RANDOM\",/; s/INTERFACE_HOSTNAME\":\"[^\"]*/INTERFACE_HOSTNAME\":\"$i/" "${@: -1}"'
    caught 2 t "6 of 6 launches: MPIR_CVAR_CH3_INTERFACE_HOSTNAME: "
    # Each host has an address of its own, in the same network.
    sed -i 's/i=eth9/i=10.0.7.1/; s/i=vm/i=172.16.5.$((RANDOM % 200))/' launch
    caught 2 apart "6 of 6 launches: MPIR_CVAR_CH3_INTERFACE_HOSTNAME: "
    prints "INTERFACE_HOSTNAME=10.0.7.* (6 launches)"
    sed -i 's/i=10.0.7.1/i=172.16.5.202/' launch
    accepted network
    sed -i 's/i=172.16.5.202/i=1gbe/; s/i=172[^ ]* [^ ]* [^ ]*/i=vm/' launch
    caught 2 digit
    # A host's name with its domain is in the network of the domain.
    sed -i 's/i=1gbe/i=vm.slow/; s/i=vm ;;/i=vm.quick ;;/' launch
    caught 2 domain "INTERFACE_HOSTNAME: *.quick, and *.slow"
    sed -i 's/i=vm.slow/i=vm.quick/' launch
    accepted named
    local launches=1
    set='"environment": {"OVL_CLUSTER": "nodes=2 rate=125000000"}'
    buyer "$(job a ", $set")" "$(rule)"
    vendor './drive "$@"; sed -i "s/\"environment\":{/&\"OVL_CLUSTER\":\"nodes=2 rate=12500000000\",/" "${@: -1}"'
    caught 1 u "the plan sets OVL_CLUSTER to nodes=2 rate=125000000, and it ran with nodes=2 rate=12500000000"
}

# bats test_tags=long
@test "the nodes of a baseline are more of the slower kind, or its ranks sit closer" {
    buyer "$(job tuned ', "baseline": "tuned"'), $(job a)" "$(ratio host tuned 0.95)"
    echo 3 >factor.tuned
    node='{\"name\":\"n\",\"cpu\":\"C\",\"cores\":2,\"numa\":1,\"kernel\":\"k\",\"machine\":\"m\",\"governor\":null,\"adapters\":[]}'
    vendor 'case ${*: -1} in */tuned/*) of="A B B" ;; *) of="A A B" ;; esac
for c in $of; do hosts="$hosts${hosts:+,}$(echo "'"$node"'" | sed "s/C/$c/")"; done
./drive "$@"; sed -i "s/\"hosts\":\[.*\],\"binding\"/\"hosts\":[$hosts],\"binding\"/" "${@: -1}"'
    caught 2 s "another setting than the baseline tuned in 6 of 6 launches: hosts[].cpu: "
    vendor './drive "$@"; case ${*: -1} in */tuned/*) at=1,0 ;; *) at=0,1 ;; esac
sed -i "s/\"nodes\":1,/\"nodes\":2,/; s/\"hosts\":\[.*\],\"binding\"/\"hosts\":['"$node,$node"'],\"rank_hosts\":[$at],\"binding\"/" "${@: -1}"'
    caught 2 t "another setting than the baseline tuned in 6 of 6 launches: rank_hosts[]"
}

@test "a second node tells no machine" {
    buyer "$(job a ', "nodes": 2')" "$(rule)"
    vendor "$(second_node)"'
sed -i "s/\"machine\":\"[^\"]*\"\([^]]*\]}\],\"binding\)/\"machine\":null\1/" "${@: -1}"'
    caught 1 s "its 2 nodes are 1 machine, by hosts[].machine"
}

# bats test_tags=long
@test "most ranks sit on one node of those that the plan has" {
    buyer "$(job a ', "nodes": 2' | sed 's/"ranks": 2/"ranks": 4/')" "$(rule)"
    host='{\"name\":\"n\",\"cpu\":\"C\",\"cores\":2,\"numa\":1,\"kernel\":\"k\",\"machine\":\"M\",\"governor\":null,\"adapters\":[]}'
    vendor './drive "$@"; sed -i -E "s/\"nodes\":1,/\"nodes\":2,/; s/\"hosts\":\[.*\],\"binding\"/\"hosts\":['"$host,${host/M/K}"'],\"rank_hosts\":[$(cat at)],\"binding\"/" "${@: -1}"'
    echo 0,1,0,1 >at
    accepted s
    echo 0,0,0,1 >at
    caught 1 t "its nodes have 1 to 3 ranks: spread them evenly"
}

@test "a wrapper changes variables at other ranks than the first" {
    buyer "$(job a)" "$(rule)"
    vendor './drive "$@"; sed -i "s/\"environment\":/\"environment_differs\":[\"UCX_TLS\"],&/" "${@: -1}"'
    caught 1 s "s/a/001.jsonl: its ranks differ in UCX_TLS"
    # What a buyer allows, such as an adapter for each rank.
    sed -i 's/"limits": 1,/"limits": 1, "may_differ": ["UCX_TLS"],/' limits.json
    ovl 0 accept limits.json s
    vendor './drive "$@"; sed -i "s/\"environment\":/\"environment_differs\":[1],&/" "${@: -1}"'
    caught 1 t "its ranks differ in what has no name"
}

@test "a variable of the plan that no record tells is not taken as set" {
    launches=1 buyer "$(job tuned ', "baseline": "tuned", "environment": {"HCOLL_ENABLE_NBC": "1"}'), $(job a)" "$(ratio host tuned 0.95)"
    echo 0.9 >factor.a
    caught 1 s "the plan sets HCOLL_ENABLE_NBC, and it ran without"
    buyer "$(job tuned ', "baseline": "tuned", "environment": {"OTHER_WAY": "1", "UCX_IB_PKEY": "0x7fff"}'), $(job a)" "$(ratio host tuned 0.95)"
    vendor 'unset OTHER_WAY OVL_TELL; exec ./drive "$@"'
    caught 2 t "INCONCLUSIVE: the plan sets OTHER_WAY, and 6 of 12 records do not tell it"
    buyer "$(job tuned ', "baseline": "tuned", "environment": {"OTHER_WAY": "1"}'), $(job a)" "$(ratio host tuned 0.95)"
    # As a driver tells what OVL_TELL names.
    vendor './drive "$@"; [ -z "${OTHER_WAY:-}" ] || sed -i "s/\"environment\":{/&${OVL_TELL:+\"$OVL_TELL\":\"${!OVL_TELL}\",}/" "${@: -1}"'
    accepted u
    sed -i 's/"launches": 6/"launches": 1/' plan.json
    bound "$(ratio host tuned 0.95)"
    vendor 'case ${*: -1} in */tuned/*) OTHER_WAY=2 ;; esac; ./drive "$@"; [ -z "${OTHER_WAY:-}" ] || sed -i "s/\"environment\":{/&${OVL_TELL:+\"$OVL_TELL\":\"${!OVL_TELL}\",}/" "${@: -1}"'
    caught 1 v "the plan sets OTHER_WAY to 1, and it ran with 2"
    # What the plan sets for one job is asked of all.
    vendor 'export OTHER_WAY=1; ./drive "$@"; [ -z "${OVL_TELL:-}" ] || sed -i "s/\"environment\":{/&\"$OVL_TELL\":\"${!OVL_TELL}\",/" "${@: -1}"'
    caught 1 w "it ran with OTHER_WAY of 1, which the plan sets for other jobs"
}

@test "data that the plan does not have checked are told" {
    sizes=8K:16K
    buyer "$(job a | sed 's/"-x", "2"/&, "--no-validation"/')" "$(rule)"
    vendor './drive "$@"; sed -i "s/\"validated\":true/\"validated\":null/; s/\"check_data\":true/\"check_data\":false/" "${@: -1}"'
    accepted s
    prints "note     data not checked in 12 cells: wrong data can be quick"
}

@test "the emulated network is quicker than the plan's launcher makes it" {
    buyer "$(job a ', "nodes": 2')" "$(rule)"
    cat >cl <<'SCRIPT'
#!/bin/bash
while [ "$1" != -- ]; do [[ $1 != --env ]] || export "${2?}"; shift; done
shift
./drive -n 2 "$@"
host='{"name":"n","cpu":"C","cores":2,"numa":1,"kernel":"k","machine":"m","governor":null,"adapters":[]}'
sed -i -E "s/\"nodes\":1,/\"nodes\":2,/; s/\"hosts\":\[.*\],\"binding\"/\"hosts\":[$host,$host],\"binding\"/
s/\"environment\":\{/&\"OVL_CLUSTER\":\"nodes=2 rate=$(cat rate)\",/" "${@: -1}"
SCRIPT
    chmod +x cl
    sed -i 's|"launches": 6|"launches": 6, "launcher": {"kind": "cluster", "program": "./cl", "rate": "100gbit"}|' plan.json
    bound "$(rule)"
    echo "100000000000 burst=131072" >rate
    accepted s
    sed -i 's/"launches": 6/"launches": 1/' plan.json
    bound "$(rule)"
    echo "10000000000000 burst=131072" >rate
    caught 1 t "the plan's launcher emulates 100gbit, and it ran with OVL_CLUSTER of nodes=2 rate=10000000000000"
    # What an idle link lets through at once.
    echo "100000000000 burst=99999999999" >rate
    caught 1 u "and it ran with OVL_CLUSTER of nodes=2 rate=100000000000 burst=99999999999"
    # A latency that the plan has, and the links had not; and the other way round.
    echo "100000000000 burst=131072 latency_us=50" >rate
    caught 1 delayed "the plan's launcher adds 0 us of latency, and it ran with 50 us"
    sed -i 's/"rate": "100gbit"/&, "options": ["--latency", "50"]/' plan.json
    bound "$(rule)"
    ovl 0 sweep plan.json -o latency
    "$OVL_BIN/ovl" accept limits.json latency >out || true
    grep -q ' jobs .* records are as the plan has their jobs' out
    echo "100000000000 burst=131072" >rate
    caught 1 at_once "the plan's launcher adds 50 us of latency, and it ran with 0 us"
    # A wire that the samples say was not there.
    echo "1000000 burst=81920" >rate
    sed -i 's/100gbit/1mbit/' plan.json
    bound "$(rule)"
    caught 1 v "/unshaped: null, but C is under 0.9 of the time of its bytes at the emulated rate"
}

# bats test_tags=long
@test "another job beside a baseline is told by the load of its launches" {
    buyer "$(job tuned ', "baseline": "tuned"'), $(job a)" "$(ratio host tuned 1.5)"
    accepted s
    absent 'others used the cores' "$out"
    vendor './drive "$@" || exit; case ${*: -1} in */tuned/*) sed -i "1s/\"cores\":2,/&\"load\":50.0,/" "${@: -1}" ;; esac'
    accepted t
    prints "# note     others used the cores in 6 of 12 launches, by hosts[].load or steal_fraction (noisy): t/tuned/001.jsonl"
    vendor './drive "$@" || exit; case ${*: -1} in */tuned/*) sed -i "s/\"clock_read_seconds\"/\"steal_fraction\":0.5,&/" "${@: -1}" ;; esac'
    ovl 0 sweep plan.json -o u
    "$OVL_BIN/ovl" accept limits.json u >out || true
    has out "# note     others used the cores in 6 of 12 launches, by hosts[].load or steal_fraction (noisy): u/tuned/001.jsonl"
}

@test "records of ovl_noise say that nodes are noisy, or are deleted" {
    buyer "{\"name\": \"quiet\", \"program\": \"ovl_noise\", \"ranks\": 2, \"options\": [\"--time\", \"8\", \"--full\"], \"launches\": 6}, $(job a)" "$(rule)"
    vendor 'case ${*: -1} in */quiet/*) shift 2; while [ "$1" = -x ]; do shift 2; done
words=$(printf ",\"%s\"" "$@"); now=$(date -u +%FT%TZ)
sed "s#\"command\":\[[^]]*\]#\"command\":[${words#,}]#; s/made-up-noise/n-$RANDOM$RANDOM/; s/\"\(started\|finished\)\":\"[^\"]*/\"\1\":\"$now/
    s/\"environment\":{/&\"OVL_NONCE\":\"$OVL_NONCE\"/" "$OVL_TOP/tests/fuzz/corpus/record/noise.jsonl" >"${@: -1}" ;; *) exec ./drive "$@" ;; esac'
    ovl 2 sweep plan.json -o s
    rejected 2 s
    prints "INCONCLUSIVE: 6 of 6 records of ovl_noise are not quiet: s/quiet/001.jsonl: "
    rm s/quiet/*.jsonl
    rejected 1 s
    prints "no record of job quiet is given, of which 6 launches ended well"
}

# bats test_tags=long
@test "records of ovl_noise are quiet, and of machines that the judged launches did not run on" {
    buyer "{\"name\": \"quiet\", \"program\": \"ovl_noise\", \"ranks\": 2, \"options\": [\"--time\", \"8\", \"--full\"], \"launches\": 6}, $(job a)" "$(rule)"
    cat >quiet.sed <<'SCRIPT'
s/"(steal|above_quickest|lost)_fraction":[^,}]*/"\1_fraction":0.0001/g
s/"detours_per_second":[^,}]*/"detours_per_second":1.0/g
s/"detour_(longest|median|typical|p99)_seconds":[^,}]*/"detour_\1_seconds":3e-6/g
s/"period_seconds":[^,}]*/"period_seconds":null/g
s/"(late_seconds|late_median_seconds|late_p90_seconds|late_p99_seconds)":[^,}]*/"\1":1e-8/g
s/"(quanta":\{[^}]*)"quickest_seconds":[^,}]*/"\1"quickest_seconds":8.4e-4/; s/"(quanta":\{[^}]*)"usual_seconds":[^,}]*/"\1"usual_seconds":8.4e-4/
s/("short_quanta":\{[^}]*)"quickest_seconds":[^,}]*/\1"quickest_seconds":9.7e-6/; s/("short_quanta":\{[^}]*)"usual_seconds":[^,}]*/\1"usual_seconds":9.7e-6/
SCRIPT
    vendor 'case ${*: -1} in */quiet/*) shift 2; while [ "$1" = -x ]; do shift 2; done
words=$(printf ",\"%s\"" "$@"); now=$(date -u +%FT%TZ)
sed "s#\"command\":\[[^]]*\]#\"command\":[${words#,}]#; s/made-up-noise/n-$RANDOM$RANDOM/; s/\"\(started\|finished\)\":\"[^\"]*/\"\1\":\"$now/
    s/\"environment\":{/&\"OVL_NONCE\":\"$OVL_NONCE\"/" "$OVL_TOP/tests/fuzz/corpus/record/noise.jsonl" | sed -E -f quiet.sed >"${@: -1}" ;;
*) ./drive "$@"; sed -i "s/\"machine\":\"[^\"]*\"/\"machine\":\"$(cat machine)\"/" "${@: -1}" ;; esac'
    grep -oE '"machine":"[^"]*' "$OVL_TOP/tests/fuzz/corpus/record/noise.jsonl" | head -n 1 | cut -d '"' -f 4 >machine
    accepted s
    prints "PASS: 6 records of ovl_noise are quiet"
    echo elsewhere >machine
    caught 2 t "6 records of ovl_noise are quiet, and not of each machine that the judged launches ran on"
    # Records that tell no machine are of none that is told.
    for side in 's|>"\${@: -1}" ;;$|\| sed "s/\\"machine\\":\\"[^\\"]*\\"/\\"machine\\":null/g" &|' 's|:\\"\$(cat machine)\\"/|:null/|'; do
        cp launch whole
        sed -i "$side" launch
        if cmp -s launch whole; then return 1; fi
        caught 2 "u${#side}" "6 records of ovl_noise are quiet, and not of each machine that the judged launches ran on"
        mv whole launch
    done
}

# bats test_tags=long
@test "a baseline, or some launches, ran on another machine of the same kind" {
    buyer "$(job tuned ', "baseline": "tuned"'), $(job a)" "$(ratio host tuned 0.95)"
    echo 0.9 >factor.a
    vendor './drive "$@"; case ${*: -1} in */tuned/*) sed -i "s/\"machine\":\"[^\"]*/\"machine\":\"slow/" "${@: -1}" ;; esac'
    caught 2 s "another setting than the baseline tuned in 6 of 6 launches: hosts[].machine: no machine of the other"
    bound "$(ratio host tuned 0.95)" '"may_differ": ["hosts[].machine"],'
    ovl 0 accept limits.json s
    bound "$(rule)"
    vendor './drive "$@"; case ${*: -1} in */.00[123].jsonl) sed -i "s/\"machine\":\"[^\"]*/\"machine\":\"other/" "${@: -1}" ;; esac'
    caught 2 t "hosts[].machine: no machine of the other"
    # Launches that tell no machine are of another than those that tell theirs.
    vendor './drive "$@"; case ${*: -1} in */.00[123].jsonl) sed -i "s/\"machine\":\"[^\"]*\"/\"machine\":null/" "${@: -1}" ;; esac'
    caught 2 u "hosts[].machine: no machine of the other"
    vendor './drive "$@"; sed -i "s/\"machine\":\"[^\"]*\"/\"machine\":null/" "${@: -1}"'
    accepted v
}

# bats test_tags=long
@test "a budget takes the launches of a job and of its baseline apart" {
    buyer "$(job a ', "priority": 1'), $(job tuned ', "baseline": "tuned"')" "$(ratio host tuned 0.95)"
    echo 0.9 >factor.a
    honest
    ovl 0 sweep plan.json -o s
    ovl 0 accept limits.json s
    # All of the one job, and later all of the other.
    ovl 2 sweep plan.json --budget 65s -o t
    [ "$(find t/a t/tuned -name '*.jsonl' | xargs -n 1 dirname | uniq -c | xargs)" = "6 t/a" ]
    ovl 0 sweep plan.json --resume -o t
    rejected 2 t
    prints "INCONCLUSIVE: 6 of 6 launches were not taken in turns with those of the baseline tuned, as the plan has it"
}

@test "a program of another folder than the plan's runs" {
    buyer "$(job a | sed 's#"ovl_ialltoall"#"/opt/ovl/bin/ovl_ialltoall"#')" "$(rule)"
    accepted s
    vendor 'set -- "${@:1:2}" /tmp/evil/ovl_ialltoall "${@:4}"; exec ./drive "$@"'
    caught 1 t "it is of /tmp/evil/ovl_ialltoall, and the plan says /opt/ovl/bin/ovl_ialltoall"
}

@test "a variable with PIN within a word binds nothing" {
    buyer "$(job tuned ', "baseline": "tuned", "environment": {"UCX_SPIN_COUNT": "1000"}'), $(job a)" "$(ratio host tuned 0.95)"
    echo 0.9 >factor.a
    vendor './drive "$@"; case ${*: -1} in */tuned/*) sed -i "s/\"binding\":\[\"0-1\",\"0-1\"\]/\"binding\":[\"0\",\"0\"]/" "${@: -1}" ;; esac'
    caught 2 s "another setting than the baseline tuned in 6 of 6 launches: binding[]: "
}

@test "a launch runs on other nodes than the plan names" {
    local host
    host=$(head -n 1 "$OVL_TOP/tests/cli/data/ialltoall.jsonl" | grep -oP '"hosts":\[\{"name":"\K[^"]*')
    buyer "$(job a ", \"hosts\": \"other,${host%%.*}\"")" "$(rule)"
    vendor './drive "${@:1:2}" "${@:5}"'
    accepted s
    launches=1 buyer "$(job a ', "hosts": "slow[1-4]"')" "$(rule)"
    vendor './drive "${@:1:2}" "${@:5}"'
    caught 1 t "t/a/001.jsonl: it ran on $host, which is none of the plan's hosts"
}

@test "the quicker of two baselines is on other nodes than the plan has both on" {
    buyer "$(job quick ', "baseline": "tuned"'), $(job slow ', "baseline": "tuned"'), $(job a)" "$(ratio host tuned 1.05)"
    echo 2 >factor.slow
    echo 1.5 >factor.a
    caught 1 s "T / tuned"
    node='{\"name\":\"N\",\"cpu\":\"C\",\"cores\":2,\"numa\":1,\"kernel\":\"k\",\"machine\":\"N\",\"governor\":null,\"adapters\":[]}'
    vendor './drive "$@"; case ${*: -1} in */quick/*) sed -i "s/\"nodes\":1,/\"nodes\":2,/; s/\"hosts\":\[.*\],\"binding\"/\"hosts\":['"${node//N/m},${node//N/n}"'],\"binding\"/" "${@: -1}" ;; esac'
    caught 2 t "INCONCLUSIVE: another setting than the baseline tuned in 6 of 6 launches: nodes, or OVL_CLUSTER"
    # Where the plan itself has them on other nodes, they are other problems.
    sed -i 's/"name": "quick",/& "nodes": 2,/' plan.json
    bound "$(ratio host tuned 1.05)"
    accepted u
    # A launcher of one's own, the same, stands in each job.
    sed -i 's/"nodes": 2,//; s/{"name"/{"launcher": {"kind": "mpiexec", "program": ".\/launch"}, "name"/g' plan.json
    bound "$(ratio host tuned 1.05)"
    caught 2 own "another setting than the baseline tuned in 6 of 6 launches: nodes, or OVL_CLUSTER"
    # One launch elsewhere is lacking where the others are.
    sed -i 's|\*/quick/\*)|*/quick/.003.jsonl)|' launch
    caught 1 one "FAIL: no valid cell of the baseline tuned beside 1 of 6 launches"
}
