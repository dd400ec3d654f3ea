#!/usr/bin/env bats
# `ovl doctor`, on this machine and on ones that are made up: folders in the place of /etc, /sys, /proc and /dev, and
# programs that only play a part.

load tool

# doctor CODE WORD...: with that code, or one of "0 5", and the words before it as `env` takes them. Each line fits; a
# feature is told once.
doctor() {
    local want=$1 code=0
    shift
    timeout -k 5 120 env "$@" "$ovl" doctor >out 2>err </dev/null || code=$?
    out=$(cat out)
    echo "$out"
    cat err
    case " $want " in *" $code "*) ;; *) echo "exit $code, not $want"; return 1 ;; esac
    [ ! -s err ]
    [ -z "$(grep -E '.{101}' out)" ] || { echo "a line is longer than 100 columns"; return 1; }
    [ -z "$(grep -vE '^#|^  (ok   |note |lacks|WRONG)  [^ ]' out)" ]
    [ "$(grep -c '^  ' out)" = "$(grep '^  ' out | cut -c10-22 | sort -u | wc -l)" ]
    tail -1 out | grep -q '^# .*\(first\|try\) [^ ]'
}

# line NAME: what is said of that feature.
line() { grep -E "^  .....  $1  " out; }
is() { line "$1" | grep -qF -- "$2" || { echo "$1: not: $2"; line "$1"; return 1; }; }

# program NAME TEXT...: bin/NAME, a script
program() {
    mkdir -p bin
    printf '%s\n' '#!/bin/sh' "${@:2}" >"bin/$1"
    chmod +x "bin/$1"
}

# release WORD...: root/etc/os-release
release() {
    mkdir -p root/etc
    printf '%s\n' "$@" >root/etc/os-release
}

setup_file() { export UCX_LOG_LEVEL=error; }

ovl=$OVL_BIN/ovl

@test "a launcher whose name is no UTF-8 loses nothing of the JSON" {
    "$OVL_BIN/ovl" doctor --json >json || [ $? = 5 ]
    all=$(grep -c '^   "name":' json)
    program $'m\xe9' 'exit 0'
    OVL_MPIEXEC=./bin/$'m\xe9' "$OVL_BIN/ovl" doctor --json >json || [ $? = 5 ]
    [ "$(grep -c '^   "name":' json)" = "$all" ]
}

@test "the doctor looks at this machine, in lines and as JSON" {
    code=0
    "$ovl" doctor >/dev/null || code=$?
    [ $code = 0 ] || [ $code = 5 ]
    doctor $code A=1
    is "drivers      " "beside ovl"
    tells $code '"doctor": 1' doctor --json
    [ "$(grep -c '^   "name": ' out)" -gt 25 ]
    prints '"cost": "'
    [ $code = 5 ] || prints '"musts_lacking": 0'
    ovl 3 doctor now
    ovl 3 doctor --no-such
}

@test "hardly anything there: no environment, no programs, no files" {
    mkdir -p bin root
    doctor 5 -i PATH="$PWD/bin" OVL_DOCTOR_ROOT="$PWD/root" OVL_MPIEXEC=mpiexec
    is "/dev/shm     " "no /dev/shm: "
    is "shared memory" "memfd, room for "
    is "MPI launcher " "no mpiexec: no launch: "
    is "clock source " "not told by this kernel"
    is "gnuplot 5.2  " "no charts: "
    has out "# ovl "
    tail -1 out | grep -qE '^# [0-9]+ WRONG; first /dev/shm: '
    doctor 5 -i OVL_DOCTOR_ROOT=/nowhere
}

@test "memory of workers is a memfd, and where none can be had that is said" {
    # no file may grow: the text goes through a pipe
    (trap '' XFSZ; ulimit -f 0; timeout -k 5 120 "$ovl" doctor || true) 2>&1 | cat >out
    is "shared memory" "no memfd: "
    line "shared memory" | grep -qE '^  lacks'
}

@test "what lacks has its name on this distribution" {
    [ "$(id -u)" = 0 ] || skip "who is not root is told to ask for it"
    mkdir -p bin
    while IFS='|' read -r id like gnuplot cblas bats; do
        release "ID=$id" "ID_LIKE=\"$like\"" "PRETTY_NAME=\"the $id\""
        doctor 5 -i PATH="$PWD/bin" OVL_DOCTOR_ROOT="$PWD/root"
        has out ", the $id, root"
        is "gnuplot 5.2  " "no charts: $gnuplot"
        is "CBLAS        " "$cblas" || line "CBLAS        " | grep -qE 'cblas.h|in this build|BLAS '
        is "bats         " "$bats"
    done <<END
debian||apt-get install gnuplot-nox|apt-get install libopenblas-dev|apt-get install bats
linuxmint|ubuntu debian|apt-get install gnuplot-nox|apt-get install libopenblas-dev|apt-get install bats
rocky|rhel centos fedora|dnf install gnuplot|dnf --enablerepo=crb install openblas-devel|dnf install epel-release; dnf install bats
fedora||dnf install gnuplot|dnf install openblas-devel|dnf install bats
opensuse-leap|suse opensuse|zypper install gnuplot|zypper install openblas-devel|zypper install bats
arch||pacman -S gnuplot|pacman -S openblas|pacman -S bats
nixos||spack install gnuplot|spack install openblas|spack install bats
END
}

# bats test_tags=long
@test "who is not root is told of modules, of Spack, or what to ask for" {
    mkdir -p bin
    release ID=rocky
    [ "$(id -u)" != 0 ] || as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    chmod 755 . bin root root/etc
    [ "$(id -u)" != 0 ] || "${as[@]}" test -r root/etc/os-release -a -x "$ovl" || skip "another user cannot read this folder"
    told() { timeout -k 5 60 "${as[@]}" env -i PATH=bin OVL_DOCTOR_ROOT=root "$@" "$ovl" doctor >out || [ $? = 5 ]; }
    told LMOD_CMD=/lmod SPACK_ROOT=/spack
    is "gnuplot 5.2  " "no charts: module load gnuplot"
    is "bats         " "spack install bats"
    has out ", modules, Spack"
    told A=1
    is "gnuplot 5.2  " "no charts: ask for gnuplot"
}

# What another launcher and a mute one are called, whatever plain mpiexec is.
another_or_mute() {
    doctor 5 PATH="$PWD/bin:$PATH" OVL_MPIEXEC="$PWD/bin/other -x"
    is "MPI launcher " "other is of $name, the drivers are of ${OVL_MPI%% [0-9]*}" || is "MPI launcher " "is of $name, the drivers"
    is "MPI launcher " "or name one in OVL_MPIEXEC" || is "MPI launcher " "..."
    doctor "0 5" PATH="$PWD/bin:$PATH" OVL_MPIEXEC="bin/mute"
    is "MPI launcher " "bin/mute does not tell which MPI it is of"
}

@test "a launcher of another MPI is wrong, one that hangs or says nothing is told" {
    case $OVL_MPI in Open*) theirs="HYDRA build details:" name=MPICH ;; *) theirs="mpirun (Open MPI) 5.0.3" name="Open MPI" ;; esac
    program other "echo '$theirs'"
    program mute ":"
    for plain in nothing other mute; do # plain mpiexec, which is not what was named
        [ $plain = nothing ] || ln -sf $plain bin/mpiexec
        another_or_mute
    done
    rm bin/mpiexec
    program mpiexec "echo '$theirs'"
    [ -x "$(command -v "${OVL_MPIEXEC%% *}")" ] || skip "no launcher of this MPI"
    [ "${OVL_MPIEXEC##*/}" != mpiexec ] || return 0
    doctor "0 5" PATH="$PWD/bin:$PATH"
    is "MPI launcher " ": plain mpiexec is of $name"
}

# bats test_tags=long
@test "programs that never answer do not hold it up" {
    for name in srun gnuplot mpiexec; do program $name "sleep 300 & sleep 300"; done
    start=$SECONDS
    doctor 5 -i PATH="$PWD/bin:/usr/bin:/bin" OVL_DOCTOR_ROOT=/nowhere OVL_MPIEXEC=mpiexec
    [ $((SECONDS - start)) -lt 60 ]
    is "Slurm        " "srun does not answer"
    is "gnuplot 5.2  " "gnuplot does not tell its version"
    [ -z "$(pgrep -f "$PWD/bin/srun")" ]
}

@test "versions, types of srun, and libraries that the loader lacks" {
    program gnuplot "echo 'gnuplot 5.0 patchlevel 3'"
    program srun "echo 'MPI plugin types are...' >&2; printf '\tnone\n\tcray_shasta\n' >&2"
    doctor "0 5" PATH="$PWD/bin:$PATH"
    is "gnuplot 5.2  " "gnuplot 5.0 patchlevel 3 is too old: "
    is "Slurm        " "srun --mpi=list has no type for "
    program srun "printf 'MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\nspecific pmix plugin versions available: pmix_v4\n'"
    doctor "0 5" PATH="$PWD/bin:$PATH"
    line "Slurm        " | grep -qE 'srun --mpi=(pmi2|pmix)(,|$)'
    # An installation whose module is not loaded.
    mkdir -p opt/bin
    cp "$ovl" opt/bin
    ovl=opt/bin/ovl
    doctor 5 A=1
    is "drivers      " "none beside ovl: make, or make install"
    is "ovl_hpl      " "not built for want of CBLAS: "
    program ovl_null "echo 'ovl_null: error while loading shared libraries: libmpi.so.40: cannot open' >&2; exit 127"
    mv bin/ovl_null opt/bin
    doctor 5 A=1
    is "drivers      " "1 of "
    is "MPI library  " "libmpi.so.40 of "
    tail -1 out | grep -q "first MPI library: "
    # One that a full disk cut short is none.
    : >opt/bin/ovl_null
    chmod +x opt/bin/ovl_null
    doctor 5 A=1
    is "drivers      " "none beside ovl: make, or make install"
    head -c 100000 "$OVL_BIN/ovl_worker" >opt/bin/ovl_null
    doctor 5 A=1
    is "drivers      " "none beside ovl: make, or make install"
    cp "$OVL_BIN/ovl_worker" opt/bin/ovl_null
    doctor "0 5" A=1
    is "drivers      " "1 of "
}

@test "ovl offload wants its library and its carrier, whole" {
    [ -r "$OVL_BUILD/lib/libovl_offload.so" ] || skip "a build without ovl offload"
    mkdir -p opt/bin opt/lib
    cp "$ovl" opt/bin/ovl
    cp "$OVL_BIN/ovl_carrier" opt/bin
    cp "$OVL_BUILD/lib/libovl_offload.so" opt/lib
    ovl=opt/bin/ovl
    doctor 5 A=1
    is "ovl offload  " "built"
    : >opt/lib/libovl_offload.so
    doctor 5 A=1
    absent built "$(line "ovl offload  ")"
    cp "$OVL_BUILD/lib/libovl_offload.so" opt/lib
    rm opt/bin/ovl_carrier
    doctor 5 A=1
    absent built "$(line "ovl offload  ")"
}

@test "a /dev/shm too small for two ranks is no place to start them" {
    mkdir -p root/dev/shm
    unshare -rm true || skip "no namespaces here"
    unshare -rm sh -c "mount -t tmpfs -o size=8m none root/dev/shm && OVL_DOCTOR_ROOT='$PWD/root' '$ovl' doctor" >out || code=$?
    [ "$code" = 5 ]
    is "/dev/shm     " "/dev/shm, 8 of 8 MiB free: ranks of a node cannot start; make it larger"
}

# A worker for a DPU that lies where its host looks.
@test "a worker for another processor than ovl's own is told" {
    mkdir -p opt/bin
    cp "$ovl" "$OVL_BIN/ovl_worker" opt/bin
    program ovl_null "echo ovl_null"
    mv bin/ovl_null opt/bin
    ovl=opt/bin/ovl
    doctor "0 5" A=1
    line "drivers      " | grep -qE ' 1 of [0-9]+: make'
    other='aarch64:\267' # in two bytes at the place 18 of an ELF file
    [ "$(uname -m)" != aarch64 ] || other='x86_64:\076'
    printf "${other#*:}\\000" | dd of=opt/bin/ovl_worker bs=1 seek=18 conv=notrunc status=none
    doctor "0 5" A=1
    line "drivers      " | grep -qE " 1 of [0-9]+; ovl_worker is for ${other%:*}, not [a-z0-9_]+$"
}

@test "RDMA devices, clock source, frequency and SMT are read where the kernel shows them" {
    cpu=root/sys/devices/system/cpu
    ports=root/sys/class/infiniband/mlx5_0/ports/1
    mkdir -p $cpu/smt $ports root/sys/devices/system/clocksource/clocksource0 root/dev/shm
    for ((i = 0; i < 64; i++)); do mkdir -p $cpu/cpu$i/cpufreq; echo powersave >$cpu/cpu$i/cpufreq/scaling_governor; done
    echo 1 >$cpu/smt/active
    echo hpet >root/sys/devices/system/clocksource/clocksource0/current_clocksource
    echo "1: DOWN" >$ports/state
    doctor "0 5" OVL_DOCTOR_ROOT="$PWD/root"
    is "RDMA devices " "mlx5_0"
    line "RDMA devices " | grep -qE 'no port is active|no libibverbs'
    is "clock source " "hpet: root can choose tsc"
    is "processor    " "whether it is emulated this kernel does not tell"
    mkdir -p root/proc/sys/kernel
    echo s390x >root/proc/sys/kernel/arch
    doctor "0 5" OVL_DOCTOR_ROOT="$PWD/root"
    is "processor    " "$(uname -m), emulated on s390x: a build for the processor"
    uname -m >root/proc/sys/kernel/arch
    doctor "0 5" OVL_DOCTOR_ROOT="$PWD/root"
    is "processor    " "$(uname -m)"
    is "CPU frequency" "governor powersave: srun --cpu-freq=performance"
    is "cores        " "SMT is on"
    line "/dev/shm     " | grep -qE '^  (ok|note)'
    echo "4: ACTIVE" >$ports/state
    doctor "0 5" OVL_DOCTOR_ROOT="$PWD/root"
    line "RDMA devices " | grep -qE 'not ours to open|no libibverbs'
}

@test "a CPU quota of the control group is told beside the cores" {
    mkdir -p root/proc/self root/sys/fs/cgroup/jobs/1
    echo 0::/jobs/1 >root/proc/self/cgroup
    echo 50000 100000 >root/sys/fs/cgroup/jobs/cpu.max
    doctor "0 5" OVL_DOCTOR_ROOT="$PWD/root"
    is "cores        " "the time of 0.5 by a CPU quota"
    line "cores        " | grep -qE '^  note '
    echo max 100000 >root/sys/fs/cgroup/jobs/cpu.max
    doctor "0 5" OVL_DOCTOR_ROOT="$PWD/root"
    line "cores        " | grep -qv quota
}

@test "a header is found where the compiler finds it" {
    program pkg-config "exit 1"
    program cc 'for w; do case $w in *.h) echo "null.o: /dev/null /of/its/own/$w \\\\"; exit ;; esac; done; exit 1'
    doctor "0 5" PATH="$PWD/bin:$PATH"
    line "FFTW         " | grep -q '/of/its/own/fftw3.h'
    line "hwloc        " | grep -q '/of/its/own/hwloc.h'
}

@test "a library that is here and not in this build is told with how it gets in" {
    left_out=$(sed -n 's/^WITH_\(HWLOC\|VERBS\|CBLAS\|FFTW\) := none$/\1/p' "$OVL_BUILD/config.mk" | head -n 1)
    program pkg-config "echo 9.9"
    doctor "0 5" PATH="$PWD/bin:$PATH"
    [ -n "$left_out" ] || { ! grep -q "not in this build" out && line "FFTW         " | grep -q 9.9; return; }
    has out "9.9, not in this build: make reconfigure WITH_$left_out="
}
