/* cma: the rank's own memory, which the worker reads and writes by process_vm_readv and process_vm_writev. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/mem/path.h"

#include <errno.h>
#include <sys/prctl.h>

/* Workers are no ancestors of the ranks, which Yama asks for (ptrace_scope 1) unless it is told otherwise. A process
   has one such exception, which cannot be read, and MPI libraries need it for their own messages between ranks of a
   node: anything narrower would take it from them, and so would an end of it. EINVAL: there is no Yama. */
static void allow_access(void)
{
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

static const char *hint(int why)
{
    return why == EPERM   ? "the worker needs permission to trace the rank: run both as one user, give it "
                            "CAP_SYS_PTRACE, set /proc/sys/kernel/yama/ptrace_scope to 0 or 1, or use --path shm"
           : why == ESRCH ? "rank and worker have PID namespaces that do not see each other; start them in one, or use "
                            "--path shm"
           : why == ENOSYS ? "this kernel has no process_vm_readv; use --path shm"
                           : "the worker cannot reach the rank's memory; use --path shm";
}

const struct ovl_mem_path ovl_mem_path_cma = {
    .name = "cma",
    .summary = "the rank's own memory by process_vm_readv and process_vm_writev, staged through the worker's blocks",
    .staged = true,
    .alloc = ovl_region_alloc_own,
    .dealloc = ovl_region_free_own,
    .allow_access = allow_access,
    .hint = hint,
};
