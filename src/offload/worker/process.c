/* What the process of a worker asks of the system. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sched_slice.h"
#include "offload/worker/worker.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Memory is kept rather than given back, since page faults cost more than copies. No limit is set at which blocks would
   be mapped one by one: glibc before 2.35 refuses one above 32 MiB. */
void ovl_worker_tune_process(enum ovl_idle idle)
{
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
    if (idle == OVL_IDLE_SLEEP) {
        prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
        ovl_sched_short_slice();
    }
}

/* One that leads a group, as Open MPI starts them, joins its parent's before: else it could not begin one. */
static bool begin_session(void)
{
    return setsid() >= 0 || (setpgid(0, getpgid(getppid())) == 0 && setsid() >= 0);
}

bool ovl_worker_raise_process(void)
{
    /* Only a session that nobody else is in: an autogroup is one session's. */
    if (getsid(0) != getpid() && !begin_session())
        return false;
    int file = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
    bool raised = file >= 0 && write(file, "-20", 3) == 3;
    if (file >= 0)
        close(file);
    return raised;
}
