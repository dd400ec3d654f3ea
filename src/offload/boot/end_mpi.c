/* The end of a job: its exit code comes through the launcher, also where MPI can no longer end in good order. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/boot/connect_mpi.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum launcher { ANOTHER, HYDRA, SLURM };

static int code_at_end = OVL_ENVIRONMENT, pmi_fd;
static enum launcher launcher;
static char abort_msg[64]; /* to Hydra */

/* Hydra's proxy sets MPI_LOCALRANKID. In a Slurm job it is a task itself and passes Slurm's variables on, as Open
   MPI's daemon does. Both Hydra and Slurm set PMI_FD. */
static enum launcher find_launcher(void)
{
    if (getenv("MPI_LOCALRANKID") && getenv("PMI_FD"))
        return HYDRA;
    bool step = getenv("SLURM_JOB_ID") && getenv("SLURM_STEP_ID");
    return step && !getenv("MPI_LOCALRANKID") && !getenv("OMPI_COMM_WORLD_LOCAL_RANK") ? SLURM : ANOTHER;
}

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

/* The messages of Hydra's PMI-1 are lines, which its proxy tells from PMI-2 one by one. "abort" ends a job that is no
   longer whole enough for MPI_Abort; a process that only left would look like a crash, and the job's code would be that
   of the signal for the others. (MPICH, src/pmi/simple/simple_pmi.c.) Slurm answers that line with SIGKILL for all, and
   the code would be 137; where processes only leave it takes the highest code of them. */
static void on_abort(int signal)
{
    enum { HYDRA_MS = 10000 };
    (void)signal;
    if (launcher == HYDRA && write(pmi_fd, abort_msg, strlen(abort_msg)) > 0)
        sleep_ms(HYDRA_MS);
    _exit(code_at_end);
}

static void handle(int signal, void (*handler)(int))
{
    sigaction(signal, &(struct sigaction){.sa_handler = handler}, NULL);
}

int ovl_engine_finalize(int code)
{
    int processes;
    fflush(NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    launcher = find_launcher();
    code_at_end = code;
    const char *fd = getenv("PMI_FD");
    pmi_fd = fd ? atoi(fd) : -1;
    snprintf(abort_msg, sizeof abort_msg, "cmd=abort exitcode=%d\n", code);
    handle(SIGALRM, on_abort);
    alarm((unsigned)(5 + processes / 100));
    bool srun = launcher == SLURM && code != OVL_OK; /* with srun -K the first to leave has the others terminated */
    if (srun)
        signal(SIGTERM, SIG_IGN);
    MPI_Barrier(MPI_COMM_WORLD);
    if (srun)
        _exit(code);
    alarm((unsigned)(1 + processes / 100)); /* all are here: MPICH 4.0.2 may never return from here, over TCP */
    MPI_Finalize();
    alarm(0);
    return code;
}

static volatile sig_atomic_t cancelled; /* a worker was told to end */
static volatile sig_atomic_t in_loop;   /* the worker's loop sees by itself who dies, and has to tell others */

/* The ranks decide what becomes of a signal; where none is left to do so, it has its way. */
static void on_term(int signal)
{
    const struct ovl_engine *e = ovl_engine_current();
    (void)signal;
    cancelled = 1;
    if (!in_loop && e && ovl_engine_peers_ended(e))
        _exit(OVL_ENVIRONMENT);
}

bool ovl_engine_cancelled(void)
{
    return cancelled;
}

void ovl_engine_set_in_loop(bool now)
{
    in_loop = now;
}

void ovl_engine_ignore_signals(void)
{
    handle(SIGTERM, on_term);
    signal(SIGINT, SIG_IGN);
    signal(SIGUSR1, SIG_IGN);
}

void ovl_engine_await(struct ovl_engine *e, MPI_Request *request)
{
    enum { LOOK_MS = 10, GRACE_MS = 1000 }; /* a rank may have sent what is still on its way, and ended */
    int done = 0;
    if (!e->worker) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
        return;
    }
    for (int ms = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE), !done && ms < GRACE_MS; sleep_ms(LOOK_MS))
        ms = ovl_engine_peers_ended(e) ? ms + LOOK_MS : 0;
    if (done)
        return;
    struct ovl_error err;
    ovl_error_set(&err, OVL_ENVIRONMENT, "all ranks of %s have ended before the job's end",
                  e->job_map.worker_name[e->job_map.member[e->world_rank].number]);
    ovl_engine_abort("ovl_worker", &err);
}

void ovl_engine_leave_on_abort(void)
{
    if (find_launcher() == SLURM)
        handle(SIGUSR2, on_abort);
}

/* Has all processes of the Slurm step leave by themselves; CONT is for those that were stopped. What is left after 5 s
   is killed. A heterogeneous step is one of each of its jobs. Returns where this cannot be done, or leaves. */
static void leave_with_step(void)
{
    static char shell[] = "sh", option[] = "-c",
                script[] = "steps=$0\n"
                           "[ -z \"$SLURM_HET_SIZE\" ] || steps=$(squeue -h -j ${0%.*} -o %A.${0#*.})\n"
                           "scancel -Q -s USR2 $steps && scancel -Q -s CONT $steps || exit\n"
                           "{ sleep 5; scancel -Q $steps; } >/dev/null 2>&1 &";
    enum { TRIES = 20, TRY_MS = 100 };
    char step[64];
    pid_t child;
    int status = -1;
    snprintf(step, sizeof step, "%s.%s", getenv("SLURM_JOB_ID"), getenv("SLURM_STEP_ID"));
    signal(SIGUSR2, SIG_IGN); /* the child inherits it */
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, (char *[]){shell, option, script, step, NULL}, environ) != 0)
        return;
    for (int i = 0; i < TRIES && !cancelled && waitpid(child, &status, WNOHANG) == 0; i++)
        sleep_ms(TRY_MS);
    if (status == 0)
        _exit(code_at_end);
}

static void on_timeout(int signal)
{
    (void)signal;
    _exit(code_at_end);
}

_Noreturn void ovl_engine_abort(const char *program, const struct ovl_error *err)
{
    enum { ABORT_S = 2 }; /* where the launcher is no more, MPI_Abort need not come back */
    struct ovl_engine *e = ovl_engine_current();
    int rank;
    for (int i = 0; e && i < e->client.conn_count && e->client.conns; i++)
        atomic_store(&e->client.conns[i].cmdq->ends_job, 1);
    if (e && !e->worker && ovl_client_end_reported(&e->client))
        sleep_ms(400);
    else if (*err->text)
        fprintf(stderr, "%s: %s\n", program, err->text);
    fflush(stderr);
    code_at_end = (int)err->code;
    sleep_ms(200); /* the launcher passes the line on, before it ends everything */
    if (find_launcher() == SLURM) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        sleep_ms(5 * rank); /* one that speaks to Slurm is enough: the others leave meanwhile */
        if (!cancelled)
            leave_with_step();
        ovl_engine_signal_others(SIGUSR2); /* a step that Slurm ends already takes no more of them from outside */
    }
    handle(SIGALRM, on_timeout);
    alarm(ABORT_S);
    MPI_Abort(MPI_COMM_WORLD, code_at_end);
    _exit(code_at_end);
}
