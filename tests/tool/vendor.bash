# What the tests of cheats share: a vendor's launcher and the machine behind it, and the plan and limits of a buyer.
load tool

# drive: ./drive, which plays mpiexec and the driver: a record of ialltoall.jsonl with the command, sizes, processes and
# variables that it was given, written now. What a machine is like stands in files: factor.JOB times the total (of
# mode dpu factor.JOB.dpu), cpu, sizes that are lost. It starts few processes: there are a thousand launches here.
drive() {
    cat >drive.awk <<'SCRIPT'
BEGIN { ranks = modes ~ /dpu/ ? processes - 1 : processes }
{
    gsub(/20261121T123144Z-4d4346abbbb67a49/, id)
    gsub(/"ranks":2/, "\"ranks\":" ranks)
}
/"record":"run"/ {
    sub(/"command":\[[^]]*\]/, "\"command\":[" substr(command, 2) "]")
    sub(/"started":"[^"]*"/, "\"started\":\"" now "\"")
    sub(/"environment":\{"UCX_LOG_LEVEL":"error",/, "\"environment\":{" set)
    sub(/"mode":"host"/, "\"mode\":\"" modes "\"")
    sub(/"message_size":\[[^]]*\]/, "\"message_size\":[" least "," most "]")
    sub(/"workers":0/, "\"workers\":" processes - ranks)
    for (k = 2; k < ranks; k++)
        sub(/"binding":\[/, "&\"0-1\",")
    if (set ~ /ASYNC_PROGRESS":"1"/)
        sub(/"thread_level":"single"/, "\"thread_level\":\"multiple\"")
    if (cpu)
        sub(/"cpu":"[^"]*"/, "\"cpu\":\"" cpu "\"")
}
/"record":"end"/ {
    sub(/"finished":"[^"]*"/, "\"finished\":\"" now "\"")
    sub(/"cells":[0-9]*/, "\"cells\":" cells)
}
/"record":"cell"/ {
    match($0, /"size_bytes":[0-9]*/)
    size = substr($0, RSTART + 13, RLENGTH - 13) + 0
    if (size < least || size > most || size == lost)
        next
    quickest = modes ~ /dpu/ && (dpu < host || modes !~ /host/) ? dpu : host
    work = quickest < 1 ? quickest * (1 + jitter) : 0 # one for all modes
    if (modes ~ /host/) { print total($0, host * (1 + jitter), work); cells++ }
    if (modes ~ /dpu/) {
        sub(/"mode":"host"/, "\"mode\":\"dpu\"")
        sub(/"engine":\{"name":"mpi"/, "\"engine\":{\"name\":\"worker\"")
        sub(/"workers":0,"worker_ops":null,"worker_bytes":null/, "\"workers\":" processes - ranks ",\"worker_ops\":64,\"worker_bytes\":67108864")
        print total($0, dpu * (1 + jitter + 5e-12), work)
        cells++
    }
    next
}
{ print }
SCRIPT
    cat >drive <<'SCRIPT'
#!/bin/bash
[ "$1" = -n ] || exit 9
processes=$2
shift 2
while [ "$1" = -x ]; do shift 2; done
file=${*: -1}
job=${file%/*}
job=${job##*/}
modes=host sizes=8K:64K
for word; do case ${before:-} in --mode) modes=$word ;; -m) sizes=$word ;; esac; before=$word; done
sizes=${sizes//K/ * 1024}
TZ=UTC printf -v now '%(%FT%TZ)T' -1
printf -v command ',"%s"' "$@"
for variable in "${!UCX_@}" "${!MPIR_CVAR_A@}" "${!OVL_NONCE@}"; do set+="\"$variable\":\"${!variable}\","; done
of() { # what stands in a file, or else
    text=$2
    [ ! -e "$1" ] || text=$(<"$1")
}
of cpu ""; cpu=$text
of lost 0; lost=$text
of "factor.$job" 1; host=$text
of "factor.$job.dpu" 1; dpu=$text
echo "$file" >>measured # no two launches take the very same times
mapfile -t all <measured
awk -v jitter="${#all[@]}e-11" -v id="${file//[^a-z0-9]/-}-$RANDOM$RANDOM" -v command="$command" -v processes="$processes" -v modes="$modes" \
    -v now="$now" -v cpu="$cpu" -v lost="$lost" -v host="$host" -v dpu="$dpu" -v set="${set:-}" \
    -v least=$((${sizes%:*})) -v most=$((${sizes#*:})) \
    -f "$OVL_TOP/tests/tool/totals.awk" -f drive.awk "$OVL_TOP/tests/cli/data/ialltoall.jsonl" >>"$file"
# A launch that has this as its child derives the record when it has made its changes.
read -r parent <"/proc/$PPID/comm"
[ "$parent" != launch ] || exit 0
[ ! -e made.$$ ] || rm made.$$
"$OVL_BUILD/tests/sim" rederive "$file" made.$$ && exec mv made.$$ "$file"
SCRIPT
    chmod +x drive
}

# vendor WORDS: ./launch, the vendor's launcher, a script of these lines. What it makes of a record follows from the samples
# again, as if a program had written it. honest: it only measures.
vendor() {
    cat >launch <<SCRIPT
#!/bin/bash
trap '[ ! -s "\${@: -1}" ] || { [ ! -e edited.\$\$ ] || rm edited.\$\$; "$OVL_BUILD/tests/sim" rederive "\${@: -1}" edited.\$\$ && mv edited.\$\$ "\${@: -1}"; }' EXIT
$1
SCRIPT
    chmod +x launch
}
honest() { cp drive launch; }

# job NAME [MORE]: of the sizes in `sizes`, 8 KiB by default.
job() { echo "{\"name\": \"$1\", \"program\": \"ovl_ialltoall\", \"ranks\": 2, \"options\": [\"-m\", \"${sizes:-8K:8K}\", \"-i\", \"8:8\", \"-x\", \"2\"]${2:-}}"; }

# buyer JOBS RULES: plan.json with a nonce, and limits.json bound to it. Six launches of each job are what a verdict needs;
# where one shows as well that no launch is as it should be, `launches` is 1.
buyer() {
    unset OVL_MPIEXEC
    drive
    honest
    export OVL_MPIEXEC=./launch
    echo "{\"plan\": 1, \"nonce\": \"n-1\", \"launches\": ${launches:-6}, \"jobs\": [$1]}" >plan.json
    bound "$2"
}

# bound RULES [MORE]: limits.json, bound to plan.json.
bound() {
    echo "{\"limits\": 1, ${2:-} \"rules\": [$1]}" >limits.json
    ovl 0 accept --bind plan.json limits.json
}

# rule [SIZES [LIMIT [MODE]]]: totals at 8 KiB are 17.1 us where factor is 1.
rule() {
    echo "{\"match\": {\"benchmark\": \"ialltoall\", \"mode\": \"${3:-host}\", \"size_bytes\": ${1:-8192}},
        \"metric\": \"total_seconds\", \"operator\": \"<=\", \"limit\": ${2:-18e-6}}"
}

ratio() {
    echo "{\"match\": {\"benchmark\": \"ialltoall\", \"mode\": \"$1\", \"size_bytes\": 8192},
        \"metric\": \"total_seconds\", \"ratio_to\": [\"$2\"], \"operator\": \"<=\", \"limit\": $3}"
}

# rejected CODE: by accept and by --verify of its report.
rejected() {
    ovl "$1" accept limits.json "${@:2}" -o report.json
    verdict=$out
    ovl "$1" accept --verify report.json
    out=$verdict
}

# caught CODE FOLDER [WORDS]: a sweep into the folder, which is rejected, with these words; accepted: one that is not.
caught() {
    ovl 0 sweep plan.json -o "$2"
    rejected "$1" "$2"
    prints "${3:-}"
}
accepted() {
    ovl 0 sweep plan.json -o "$1"
    ovl 0 accept limits.json "$1"
}

# relogged FOLDER SED: edits a log, and gives its lines the hashes that follow.
relogged() {
    sed -i -E "$2" "$1/sweep.log"
    "$OVL_BUILD/tests/sim" seal --links "$1"
}
