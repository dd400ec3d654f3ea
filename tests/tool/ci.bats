#!/usr/bin/env bats
# The examples of scripts/ci, as far as they can be tried without their servers.

load tool

# A launcher that records what it was asked for, and writes a made-up record; the new build's times are FACTOR times as long.
stand_in() {
    launches made 1 "${FACTOR:-1}"
    launches base 1 1
    cat >stand-in <<'SCRIPT'
#!/bin/bash
for last; do :; done
printf '%s\n' "$*" >>"$CALLS"
case "$*" in *new/ovl*) from=$MADE/made ;; *) from=$MADE/base ;; esac
case "$*" in *ovl_ibcast*) name=ibcast ;; *) name=ialltoall ;; esac
case "$*" in *-n\ 4*) ranks=4 ;; *) ranks=2 ;; esac
sed "s/\(made\|base\)-1/$(echo "$last" | tr -c 'a-z0-9\n' -)/; s/\"benchmark\":\"ialltoall\"/\"benchmark\":\"$name\"/; s/\"ranks\":2/\"ranks\":$ranks/; s/\"\(started\|finished\)\":\"[^\"]*/\"\1\":\"$(date -u +%FT%TZ)/
    s/\(\"comm_seconds\":{\"max\":\[[0-9]*\.[0-9][0-9][0-9]\)[0-9]*e/\1$(printf %05d "$(wc -l <"$CALLS")")e/" \
    "$from/1.jsonl" >>"$last"
SCRIPT
    chmod +x stand-in
    mkdir -p old new
    ln -sf "$OVL_BIN/ovl" new/ovl
    ln -sf "$OVL_BIN/ovl" old/ovl
    export CALLS=$PWD/calls MADE=$PWD OVL_MPIEXEC=$PWD/stand-in
}

@test "compare-builds takes launches in turns and leaves what a CI server reads" {
    FACTOR=1.2 stand_in
    ends 1 "$OVL_TOP/scripts/ci/compare-builds" old new out.d
    [ "$(grep -c -- '--json' calls)" = 21 ]
    # The first one sets the work of all others.
    [ "$(grep -c -- '--work-from out.d/work/old/001.jsonl' calls)" = 20 ]
    absent '--work-from' "$(head -n 1 calls)"
    [ "$(grep -oE '/(old|new)/ovl_ialltoall' calls | sed 1d | head -4 | tr '\n' ' ')" = "/old/ovl_ialltoall /new/ovl_ialltoall /new/ovl_ialltoall /old/ovl_ialltoall " ]
    has out.d/verdicts.xml 'failures="4"'
    has out.d/compare.txt REGRESSED
    has out.d/bench.json '"name": "ialltoall host 64K"'
    # The page has the verdicts of the table beside it.
    if command -v gnuplot >/dev/null; then
        has out.d/report.html 'in pairs of launches (--paired)'
        has out.d/report.html "$(grep -oE '[0-9]+ REGRESSED, [0-9]+ INCONCLUSIVE, .*' out.d/compare.txt)"
    fi
    # A second call measures nothing again.
    ends 1 "$OVL_TOP/scripts/ci/compare-builds" old new out.d
    [ "$(grep -c -- '--json' calls)" = 21 ]
    # The verdict of other builds, or settings, is none of these.
    for change in "SIZES=1K:2K" "LAUNCHES=12" "BUILT=again"; do
        [ "$change" != BUILT=again ] || echo another >new/ovl_ialltoall
        ends 3 env "$change" "$OVL_TOP/scripts/ci/compare-builds" old new out.d
        has err "holds the sweep of another plan"
        absent REGRESSED "$out$err"
    done
}

@test "compare-builds lets no build judge itself, and takes no failure of a tool for a verdict" {
    FACTOR=1.2 stand_in
    rm new/ovl
    printf '#!/bin/sh\nexit 0\n' >new/ovl
    chmod +x new/ovl
    ends 1 "$OVL_TOP/scripts/ci/compare-builds" old new out.d
    JUDGE=new ends 5 "$OVL_TOP/scripts/ci/compare-builds" old new other.d
    has err "compare-builds: $PWD/new/ovl left no cell in other.d/work/old/001.jsonl"
}

# bats test_tags=long
@test "compare-builds takes as many pairs as its cells need, and refuses fewer before it measures" {
    stand_in
    LAUNCHES=6 ends 3 "$OVL_TOP/scripts/ci/compare-builds" old new out.d
    [ "$(cat err)" = "compare-builds: 6 pairs of launches show nothing among 4 cells; give LAUNCHES=7 or fewer SIZES" ]
    [ "$(grep -c -- '--json' calls)" = 1 ]
    LAUNCHES=7 "$OVL_TOP/scripts/ci/compare-builds" old new out.d >said 2>&1 || [ $? = 2 ]
    [ "$(grep -c -- '--json' calls)" = 15 ]
    # A record of more cells, from the first launch of the old build.
    for n in 51:10 52:11 100:11 102:11 103:12 800:14; do
        rm -rf more
        mkdir -p more/work/old
        { echo run; yes '"record":"cell"' | head -n ${n%:*}; } >more/work/old/001.jsonl
        printf '#!/bin/bash\nexit 5\n' >new/ovl2
        pairs=$(sed -n '/^cells=/,/LAUNCHES:=/p' "$OVL_TOP/scripts/ci/compare-builds" | from=more/work/old/001.jsonl bash -c 'unset LAUNCHES; eval "$(cat)"; echo $LAUNCHES')
        [ "$pairs" = ${n#*:} ]
    done
}

# bats test_tags=long
@test "compare-builds does not blame a build that did not change" {
    stand_in
    "$OVL_TOP/scripts/ci/compare-builds" old new out.d >said 2>&1 || { cat said; return 1; }
    has out.d/compare.txt "# 0 REGRESSED, 0 INCONCLUSIVE"
}

@test "the YAML of GitHub and GitLab is sound, and names scripts that are there" {
    python3 -c 'import yaml' 2>/dev/null || skip "python3 with yaml is not here to read it"
    OVL_TOP=$OVL_TOP python3 -c '
import os, re, subprocess, yaml
top = os.environ["OVL_TOP"]
github = yaml.safe_load(open(top + "/scripts/ci/github.yml"))
gitlab = yaml.safe_load(open(top + "/scripts/ci/gitlab.yml"))
steps = github["jobs"]["compare"]["steps"]
assert all(("run" in s) != ("uses" in s) for s in steps)
job = gitlab["overlap"]
shell = [s["run"] for s in steps if "run" in s] + ["\n".join(job["before_script"] + job["script"])]
for text in shell:
    subprocess.run(["bash", "-n"], input=re.sub(r"\$\{\{.*?\}\}", "x", text), text=True, check=True)
    for script in re.findall(r"scripts/\S+", text):
        assert os.access(os.path.join(top, script), os.X_OK), script
assert job["artifacts"]["reports"]["junit"] == "ci-results/verdicts.xml"
'
}

@test "the ReFrame check is Python" {
    command -v python3 >/dev/null || skip "python3 is not here"
    python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$OVL_TOP/scripts/ci/ovl_reframe.py"
}

@test "the Slurm script sweeps by srun, goes on after the end of its time, and asks for another turn" {
    stand_in
    mkdir bin
    mv stand-in bin/srun
    printf '#!/bin/bash\necho "$*" >>requeued\n' >bin/scontrol
    chmod +x bin/scontrol
    export PATH=$PWD/bin:$PATH SLURM_NTASKS=4 SLURM_JOB_NUM_NODES=1 SLURM_JOB_ID=17 OVL_BIN
    # The third launch hangs: the batch system's TERM comes meanwhile, and once more before the launch has ended.
    sed -i '2a [ "$(grep -c . "$CALLS" 2>/dev/null)" != 2 ] || [ -e again ] || { trap "sleep 0.5; exit 1" TERM; touch hangs; while :; do sleep 0.1; done; }' bin/srun
    timeout 60 bash "$OVL_TOP/scripts/ci/slurm.sh" out.d >said 2>&1 &
    pid=$!
    for ((i = 0; i < 100; i++)); do [ -e hangs ] && break; sleep 0.1; done
    [ -e hangs ]
    touch again
    kill -TERM $pid
    sleep 0.2
    kill -TERM $pid
    wait $pid || :
    cat said
    has requeued "requeue 17"
    before=$(find out.d/sweep -name '[0-9]*.jsonl' | wc -l)
    [ "$before" = 2 ]
    timeout 60 bash "$OVL_TOP/scripts/ci/slurm.sh" out.d >said 2>&1 || { cat said; return 1; }
    [ "$(find out.d/sweep -name '[0-9]*.jsonl' | wc -l)" = 16 ]
    has calls "--kill-on-bad-exit=1 --cpu-bind=cores -n 4 -N 1 --mpi=pmi2"
    bash "$OVL_TOP/scripts/ci/slurm.sh" out.d >said 2>&1
    has said "16 were there already"
    # With other settings, or other programs, nothing of that is taken for theirs.
    rm out.d/report.html
    mkdir newbin
    ln -s "$OVL_BIN/ovl" newbin
    echo another >newbin/ovl_ialltoall
    chmod +x newbin/ovl_ialltoall
    calls_before=$(grep -c . calls)
    for change in SIZES=1K:2K LAUNCHES=4 "OPTIONS=--max-time 1" OVL_BIN="$PWD/newbin" SLURM_NTASKS=2; do
        ends 3 env "$change" bash "$OVL_TOP/scripts/ci/slurm.sh" out.d
        has err "out.d/sweep holds the sweep of another plan"
        [ ! -e out.d/report.html ]
    done
    [ "$(grep -c . calls)" = "$calls_before" ]
    # Programs that were built anew where they were are others, too.
    cp "$OVL_BIN"/ovl_ibcast newbin
    OVL_BIN=$PWD/newbin timeout 60 bash "$OVL_TOP/scripts/ci/slurm.sh" built.d >said 2>&1
    echo more >>newbin/ovl_ialltoall
    OVL_BIN=$PWD/newbin ends 3 bash "$OVL_TOP/scripts/ci/slurm.sh" built.d
    has err "(title differs, see built.d/sweep/plan.json)"
    # Launches that a budget leaves out are told by the exit code, and there is a page of the others.
    LAUNCHES=3 OPTIONS="--max-time 60" SIZES=64K:64K BUDGET=4m ends 2 bash "$OVL_TOP/scripts/ci/slurm.sh" budget.d
    has out "left out by --budget"
    [ -e budget.d/report.html ] || ! command -v gnuplot
    unset SLURM_NTASKS
    code=0
    bash "$OVL_TOP/scripts/ci/slurm.sh" other.d 2>said || code=$?
    [ $code != 0 ]
    has said "to be started by sbatch"
}

# bats test_tags=long
@test "the README's own lines about a change give a verdict: launches of equal work, and enough of them" {
    # A launcher under which a driver that is given no work calibrates its own, another each time.
    launches made 11 1
    cat >stand-in <<'SCRIPT'
#!/bin/bash
units=$((1000 + $(ls -R old new 2>/dev/null | grep -c jsonl))) from=
while [ $# -gt 0 ]; do
    [ "$1" != --work-from ] || from=$2
    last=$1
    shift
done
[ -z "$from" ] || units=$(sed -n '2s/.*"units":\([0-9]*\).*/\1/p' "$from")
number=$((10#$(basename "$last" | tr -dc 0-9)))
# No two launches have the very same samples.
sed "s/\(\"comm_seconds\":{\"max\":\[[0-9]*\.[0-9][0-9][0-9]\)[0-9]*e/\1$(printf %08d $$)e/
    s/made-$number/$(echo "$last" | tr -c 'a-z0-9\n' -)/; s/\"units\":[0-9]*/\"units\":$units/; s/\"\(started\|finished\)\":\"[^\"]*/\"\1\":\"$(date -u +%FT%TZ)/
    s/\"benchmark\":\"ialltoall\"/\"benchmark\":\"$(basename "$(dirname "$last")" | sed 's/^allreduce/iallreduce/')\"/" \
    "made/$number.jsonl" >>"$last"
SCRIPT
    chmod +x stand-in
    ln -s "$OVL_TOP/scripts" scripts
    sed -nE '/^More than one launch/,/^Where to go/s/^    (ovl (sweep|compare) .*[^ ])  .*/\1/p; /^More than/,/^Where/s/^    (ovl (sweep|compare) .*--work-from old)$/\1/p' "$OVL_TOP/README" >lines
    cat lines
    [ "$(grep -c . lines)" = 4 ]
    while read -r line; do
        code=0
        PATH=$OVL_BIN:$PATH OVL_MPIEXEC=$PWD/stand-in bash -c "$line" >said 2>&1 </dev/null || code=$?
        tail -n 20 said
        echo "$line: $code"
        [ $code = 0 ]
    done <lines
    # The third one is the verdict; no cell lacks one for its work or its launches.
    PATH=$OVL_BIN:$PATH bash -c "$(sed -n 3p lines)" >said
    grep -qE '^# 0 REGRESSED, 0 INCONCLUSIVE, [1-9]' said
}

@test "recipes of containers have packages of the one list, and EasyBuild's is of this version" {
    # The same packages and the same calls of make in both.
    for recipe in Containerfile apptainer.def; do
        tr -d '\\' <"$OVL_TOP/scripts/ci/$recipe" | tr -s ' &\n' ' ' | grep -oP 'no-install-recommends \K.*?(?= (rm|&))' | xargs -n 1 >"packages.$recipe"
        grep -o 'make -C /opt/ovl-source [^&\\]*' "$OVL_TOP/scripts/ci/$recipe" | sed 's/ *$//' >"calls.$recipe"
        [ "$(wc -l <"packages.$recipe")" -gt 8 ]
    done
    diff packages.Containerfile packages.apptainer.def
    diff calls.Containerfile calls.apptainer.def
    while read -r package; do
        awk -F', *' -v package="$package" '/^PACKAGE/ { n = split($3, of, " "); for (k = 1; k <= n; k++) if (of[k] == package) found = 1 } END { exit !found }' \
            "$OVL_TOP/scripts/build/packages.inc" || { echo "$package is not in packages.inc"; return 1; }
    done <packages.Containerfile
    # What `make` would be called with there is what there is.
    sed 's/.*DEPS=no B=[^ ]* *//' calls.Containerfile | grep -oE '\b(all|install)\b' | sort -u | diff - <(printf 'all\ninstall\n')
    command -v python3 >/dev/null || skip "no python3"
    version=$(sed -n 's/^AC_INIT(\[ovl\], \[\(.*\)\])$/\1/p' "$OVL_TOP/configure.ac")
    python3 - "$OVL_TOP"/scripts/easybuild/ovl-"$version"-*.eb "$version" <<'SCRIPT'
import os, sys
recipe = {"SOURCELOWER_TAR_GZ": "%(namelower)s-%(version)s.tar.gz", "SYSTEM": {"name": "system", "version": "system"}}
exec(open(sys.argv[1]).read(), recipe)
for name in "easyblock name version homepage description toolchain sources moduleclass sanity_check_paths".split():
    assert recipe[name], name
assert recipe["version"] == sys.argv[2]
chain = recipe["toolchain"]
assert os.path.basename(sys.argv[1]) == "ovl-%s-%s-%s.eb" % (recipe["version"], chain["name"], chain["version"])
SCRIPT
}
