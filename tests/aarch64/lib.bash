# What the tests with workers of aarch64 share: the bed is ready (scripts/beds/aarch64), and jobs have ranks of this machine's
# own processor beside workers that QEMU runs. Shared memory of UCX between the two kinds is no subject of theirs.

load ../cli/lib

export UCX_TLS=tcp,self
bed=${OVL_AARCH64:-$OVL_BUILD/aarch64}
foreign=$bed/ovl_worker

# every_byte LAYOUT PATH PROGRAM...: every operation, all bytes checked, in the job of these programs; it says LAYOUT, such as
# "ranks 2, workers 1, nodes 1". RANKS of them check.
every_byte() {
    local said=$1 path=$2 command=("$OVL_BUILD/tests/mpi/offload" beside 0 "$2") program=()
    shift 2
    # shellcheck disable=SC2206,SC2086
    for worker; do program+=(: -n 1 $worker); done
    ends 0 $OVL_MPIEXEC ${NODES:+-genv MPIR_CVAR_ODD_EVEN_CLIQUES 1} -n "$RANKS" "${command[@]}" "${program[@]}"
    [ "$out" = "ok every operation: $said" ]
}

# measures OPTION...: ovl_ialltoall of two ranks beside a worker of aarch64, whose outputs are as of drive.
measures() {
    drive 2 ovl_ialltoall --mode host,dpu --workers 0 "${work[@]}" "$@" : -n 1 "$foreign"
}
