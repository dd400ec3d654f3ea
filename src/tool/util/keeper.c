/* Keepers of commands: time limits, signals, and an end for all that a command started. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/keeper.h"
#include "tool/util/signals.h"
#include "tool/util/slurm_step.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SRUN_SECONDS = 5 }; /* that srun, told to end, has to kill its step */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The locks and pipes of the tool are not held longer than it lives. */
static bool keep_descriptors(const struct ovl_keeper *k)
{
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(k->out, STDOUT_FILENO) < 0 ||
        dup2(k->out, STDERR_FILENO) < 0)
        return false;
    DIR *all = opendir("/proc/self/fd");
    for (struct dirent *e; all && (e = readdir(all));) {
        int fd = atoi(e->d_name); /* 0 for . and .. */
        if (fd > STDERR_FILENO && fd != k->tool && fd != dirfd(all))
            close(fd);
    }
    if (all)
        closedir(all);
    return true;
}

static _Noreturn void become(const struct ovl_keeper *k, char **argv, pid_t parent)
{
    const char *name;
    json_t *value;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    if (getppid() != parent) /* it died before that */
        _exit(126);
    json_object_foreach(k->request->environment, name, value) {
        setenv(name, json_string_value(value), 1);
    }
    ovl_signals_restore_pipe();
    sigprocmask(SIG_SETMASK, &k->before, NULL);
    execvp(argv[0], argv);
    fprintf(stderr, "ovl: cannot start %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

/* Had it come to a good end when a signal came, which may have been waiting for longer? It stays to be waited for. */
static bool ended_well(pid_t child)
{
    siginfo_t end = {.si_pid = 0};
    return waitid(P_PID, (id_t)child, &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == child &&
           end.si_code == CLD_EXITED && end.si_status == 0;
}

/* Waits until the child has ended (0), a signal other than SIGCHLD came (its number), or the time is over (-1). */
static int wait_for(const struct ovl_keeper *k, pid_t child, double until, int *status)
{
    sigset_t any = k->held;
    sigaddset(&any, SIGCHLD);
    for (;;) {
        if (waitpid(child, status, WNOHANG) == child)
            return 0;
        double left = until - now();
        if (left <= 0)
            return -1;
        struct timespec t = {(time_t)left, (long)(1e9 * (left - (double)(time_t)left))};
        int signal = sigtimedwait(&any, NULL, &t);
        if (signal > 0 && signal != SIGCHLD && !ended_well(child))
            return signal;
    }
}

/* Sends the signal to the children, and takes those that have ended. false when there are none. */
static bool signal_orphans(int signal)
{
    char path[64];
    bool any = false;
    long orphan;
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *in = fopen(path, "re");
    while (in && fscanf(in, "%ld", &orphan) == 1) {
        kill((pid_t)orphan, signal);
        any = true;
    }
    if (in)
        fclose(in);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    return any;
}

/* Orphans of the job: a rank that a killed launcher left behind would disturb all that follows. TERM once a second
   until the grace is over, since each that ends may leave more of them; then KILL. */
static void end_orphans(double grace)
{
    const int rounds = 50, patient = (int)(grace * rounds);
    for (int i = 0; i < patient + rounds; i++) {
        if (!signal_orphans(i >= patient ? SIGKILL : i % rounds == 0 ? SIGTERM : 0))
            return;
        nanosleep(&(struct timespec){0, 1000000000 / rounds}, NULL);
    }
}

/* Has the child ended by then? Another Ctrl-C does not hurry it. */
static bool ends_within(const struct ovl_keeper *k, pid_t child, double seconds, int *status)
{
    double until = now() + seconds;
    int came;
    while ((came = wait_for(k, child, until, status)) > 0)
        ;
    return came == 0;
}

static void stop(const struct ovl_keeper *k, pid_t child, int *status)
{
    const struct ovl_process_request *r = k->request;
    bool asked = r->step && ovl_slurm_step_signal(r->step, "TERM") > 0;
    if (!asked)
        kill(-child, SIGTERM);
    bool ended = ends_within(k, child, r->grace, status);
    if (!ended && asked) {
        kill(-child, SIGTERM); /* srun kills its step now */
        ended = ends_within(k, child, SRUN_SECONDS, status);
    }
    kill(-child, SIGKILL);
    if (!ended && r->step)
        ovl_slurm_step_signal(r->step, NULL); /* nobody else would */
    if (!ended)
        waitpid(child, status, 0);
}

static void run(const struct ovl_keeper *k, char **argv, struct ovl_process *p)
{
    int status = 0;
    pid_t self = getpid();
    double start = now();
    pid_t child = fork();
    if (child == 0)
        become(k, argv, self);
    if (child < 0)
        return;
    setpgid(child, child);
    int came = wait_for(k, child, start + k->request->limit, &status);
    double end = now(); /* what it left behind takes time to be found */
    p->how = came == 0 ? OVL_PROCESS_ENDED : came < 0 ? OVL_PROCESS_TIME_OUT : OVL_PROCESS_INTERRUPTED;
    if (came != 0)
        stop(k, child, &status);
    if (!k->request->left)
        end_orphans(0);
    p->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    p->seconds = (came == 0 ? end : now()) - start;
    errno = 0;
}

_Noreturn void ovl_keeper_run(const struct ovl_keeper *k)
{
    struct ovl_keeper_report report = {.error = 0};
    size_t n = json_array_size(k->request->words);
    char **argv = calloc(n + 1, sizeof *argv), none;
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, NULL);
    setpgid(0, 0); /* the terminal's Ctrl-C is for the tool, which passes it on */
    for (size_t i = 0; argv && i < n; i++)
        argv[i] = (char *)(uintptr_t)json_string_value(json_array_get(k->request->words, i));
    errno = ENOMEM;
    if (argv && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) == 0 &&
        getppid() == k->parent && keep_descriptors(k))
        run(k, argv, &report.process);
    report.error = errno;
    send(k->tool, &report, sizeof report, MSG_NOSIGNAL);
    if (k->request->left) {
        while (recv(k->tool, &none, 1, 0) < 0 && errno == EINTR)
            ;
        end_orphans(k->request->grace);
    }
    _exit(0);
}
