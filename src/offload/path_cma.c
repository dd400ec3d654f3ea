/* cma: the rank's own memory, which the worker reads and writes by process_vm_readv and process_vm_writev. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int obtain(struct ovl_region *region, size_t bytes, struct ovl_error *err)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    region->shared.bytes = (bytes / page + 1) * page;
    region->shared.base = aligned_alloc(page, region->shared.bytes);
    if (!region->shared.base)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %zu bytes; send smaller messages", bytes);
    memset(region->shared.base, 0, region->shared.bytes);
    return 0;
}

static void abandon(struct ovl_region *region)
{
    free(region->shared.base);
    region->shared.base = NULL;
}

/* Workers are no ancestors of the ranks, which Yama asks for unless it is told otherwise. EINVAL: there is no Yama. */
static void permit(void)
{
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

static const char *advice(int why)
{
    return why == EPERM    ? "the worker needs permission to trace the rank: run both as one user, give it "
                             "CAP_SYS_PTRACE, set /proc/sys/kernel/yama/ptrace_scope to 0 or 1, or use --path shm"
           : why == ENOSYS ? "this kernel has no process_vm_readv; use --path shm"
                           : "the worker cannot reach the rank's memory; use --path shm";
}

const struct ovl_path ovl_path_cma = {
    .name = "cma",
    .summary = "the rank's own memory by process_vm_readv and process_vm_writev, staged through the worker's blocks",
    .staged = true,
    .obtain = obtain,
    .abandon = abandon,
    .permit = permit,
    .advice = advice,
};
