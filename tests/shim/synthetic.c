/* An MPI_Ialltoall whose truth is known: f T(m) of it progresses alone from the post, the rest only inside MPI calls.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* T(m) = OVL_SYNTHETIC_BASE_US + m bytes x OVL_SYNTHETIC_NS_PER_BYTE; f is OVL_SYNTHETIC_FRACTION. The blocking twin
   takes T(m). With OVL_SYNTHETIC_THEFT = s, a timer's signal handler takes share s of the core from the post until the
   wait returns, as a progress thread on the same core would. No data move: run with --no-validation. */
#include "core/clock.h"

#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static double fraction, base_ns, ns_per_byte, theft;
static timer_t thief;

static struct {
    bool active;
    int64_t alone_until; /* clock, ns */
    int64_t inside;      /* ns still to be spent inside MPI calls */
} operation;

enum { PERIOD_NS = 2000000 };

static void steal(int signal)
{
    (void)signal;
    int64_t until = ovl_clock_ns() + (int64_t)(theft * PERIOD_NS);
    while (ovl_clock_ns() < until)
        continue;
}

static void set_thief(bool on)
{
    /* Of each period the program has the first part and the thief the rest. */
    struct itimerspec every = {{0, on ? PERIOD_NS : 0}, {0, on ? (long)((1 - theft) * PERIOD_NS) : 0}};
    if (theft > 0)
        timer_settime(thief, 0, &every, NULL);
}

static double setting(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text ? atof(text) : otherwise;
}

int MPI_Init(int *argc, char ***argv)
{
    fraction = setting("OVL_SYNTHETIC_FRACTION", 1);
    base_ns = 1e3 * setting("OVL_SYNTHETIC_BASE_US", 5);
    ns_per_byte = setting("OVL_SYNTHETIC_NS_PER_BYTE", 20);
    theft = setting("OVL_SYNTHETIC_THEFT", 0);
    if (theft > 0) {
        struct sigaction action = {.sa_handler = steal, .sa_flags = SA_RESTART};
        struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
        event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
        sigaction(SIGRTMIN, &action, NULL);
        timer_create(CLOCK_MONOTONIC, &event, &thief);
    }
    return PMPI_Init(argc, argv);
}

static double duration(int count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return base_ns + ns_per_byte * (double)count * size;
}

static void spin_until(int64_t when)
{
    while (ovl_clock_ns() < when)
        continue;
}

int MPI_Ialltoall(const void *send, int count, MPI_Datatype type, void *recv, int recv_count, MPI_Datatype recv_type,
                  MPI_Comm comm, MPI_Request *request)
{
    (void)send, (void)recv, (void)recv_count, (void)recv_type, (void)comm;
    int64_t now = ovl_clock_ns();
    double t = duration(count, type);
    operation.active = true;
    operation.alone_until = now + (int64_t)(fraction * t);
    operation.inside = (int64_t)((1 - fraction) * t);
    *request = MPI_REQUEST_NULL;
    set_thief(true);
    return MPI_SUCCESS;
}

int MPI_Alltoall(const void *send, int count, MPI_Datatype type, void *recv, int recv_count, MPI_Datatype recv_type,
                 MPI_Comm comm)
{
    (void)send, (void)recv, (void)recv_count, (void)recv_type, (void)comm;
    spin_until(ovl_clock_ns() + (int64_t)duration(count, type));
    return MPI_SUCCESS;
}

/* The part inside begins when the part alone is over. */
int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (!operation.active)
        return PMPI_Wait(request, status);
    int64_t now = ovl_clock_ns(), from = now > operation.alone_until ? now : operation.alone_until;
    spin_until(from + operation.inside);
    operation.active = false;
    set_thief(false);
    return MPI_SUCCESS;
}

int MPI_Test(MPI_Request *request, int *complete, MPI_Status *status)
{
    if (!operation.active)
        return PMPI_Test(request, complete, status);
    /* A call gives the operation 1 us of the core, as a progress call that moves some bytes does. */
    int64_t now = ovl_clock_ns(), given = now < operation.alone_until ? 0
                                          : operation.inside < 1000   ? operation.inside
                                                                      : 1000;
    spin_until(now + given);
    operation.inside -= given;
    *complete = now >= operation.alone_until && operation.inside <= 0;
    if (*complete) {
        operation.active = false;
        set_thief(false);
    }
    return MPI_SUCCESS;
}
