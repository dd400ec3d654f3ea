/* Starting a carrier, sending it its job, and letting it go; ovl_carrier_attach is in attach.c. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/carrier/carrier.h"
#include "base/abi_check.h"
#include "offload/carrier/handshake.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the carrier gets of the environment: nothing of a launcher, and no library before its own. */
static void environment_of(char **to, size_t most)
{
    static const char *const names[] = {"PATH",         "HOME",          "TMPDIR",      "LD_LIBRARY_PATH",
                                        "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"};
    size_t n = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && n + 1 < most; i++) {
        const char *value = getenv(names[i]);
        if (value && asprintf(&to[n], "%s=%s", names[i], value) >= 0)
            n++;
    }
    to[n] = NULL;
}

/* The program makes a child of its own and ends, so that nobody waits for the carrier, and no wait() of the caller's
   program finds it. */
static int spawn(const char *program, int socket)
{
    char *environment[16], name[] = "ovl_carrier", *arguments[] = {name, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    pid_t child;
    int status;
    environment_of(environment, sizeof environment / sizeof *environment);
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, socket, OVL_CARRIER_FD);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    int why = posix_spawn(&child, program, &files, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    for (char **e = environment; *e; e++)
        free(*e);
    while (why == 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR) /* the caller ignores SIGCHLD */
            break;
    return why;
}

int ovl_carrier_start(struct ovl_carrier *c, const char *program, const char *host, const cpu_set_t *cpus,
                      double seconds, struct ovl_error *err)
{
    int ends[2];
    struct ovl_carrier_hello hello = {.abi = OVL_ABI_VERSION};
    struct ovl_carrier_reply reply;
    *c = (struct ovl_carrier){.socket = 0};
    if (strlen(host) >= sizeof hello.host)
        return ovl_error_set(err, OVL_USAGE, "'%.60s' is no numeric address: give one such as 10.0.0.1", host);
    memcpy(hello.host, host, strlen(host) + 1);
    if (cpus)
        hello.cpus = *cpus;
    else
        memset(&hello.cpus, 0xff, sizeof hello.cpus);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no socket for a carrier: %s", strerror(errno));
    /* Above the carrier's own number: dup2 onto itself would leave it closed on exec. */
    int theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, OVL_CARRIER_FD + 1), mine = fcntl(ends[0], F_DUPFD_CLOEXEC, 3);
    close(ends[0]);
    close(ends[1]);
    c->socket = mine;
    int why = theirs < 0 || mine < 0 ? errno : spawn(program, theirs);
    if (theirs >= 0)
        close(theirs);
    if (why != 0) {
        ovl_carrier_release(c);
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot start the carrier %s: %s", program, strerror(why));
    }
    if (ovl_timed_write(mine, &hello, sizeof hello, seconds) != 0 ||
        ovl_timed_read(mine, &reply, sizeof reply, seconds) != 0) {
        why = errno;
        ovl_carrier_release(c);
        return ovl_error_set(err, OVL_ENVIRONMENT, "the carrier %s gave no answer: %s", program,
                             why == EPIPE || why == ECONNRESET ? "it ended; is it ovl_carrier of this version?"
                                                               : strerror(why));
    }
    if (reply.err.code != OVL_OK) {
        ovl_carrier_release(c);
        *err = reply.err;
        return -1;
    }
    c->address = reply.address;
    return 0;
}

int ovl_carrier_send_job(struct ovl_carrier *c, const struct ovl_carrier_job *job, int number, struct ovl_error *err)
{
    struct ovl_carrier_job_msg msg = {.number = number,
                                      .ranks = job->ranks,
                                      .carriers = job->carriers,
                                      .idle = job->idle,
                                      .high = job->high,
                                      .slowdown = job->slowdown,
                                      .timeout = job->timeout,
                                      .memory = job->memory};
    if (ovl_timed_write(c->socket, &msg, sizeof msg, job->timeout) == 0 &&
        ovl_timed_write(c->socket, job->addresses, (size_t)job->carriers * sizeof *job->addresses, job->timeout) == 0 &&
        ovl_timed_write(c->socket, job->peers, (size_t)job->ranks * sizeof *job->peers, job->timeout) == 0)
        return 0;
    return ovl_error_set(err, OVL_ENVIRONMENT, "carrier %d (process %d) took no plan: %s", number, c->address.pid,
                         strerror(errno));
}

void ovl_carrier_release(struct ovl_carrier *c)
{
    if (c->socket > 0)
        close(c->socket);
    c->socket = 0;
}

bool ovl_carrier_raised(const struct ovl_carrier_address *address)
{
    char path[64];
    int nice = 0;
    snprintf(path, sizeof path, "/proc/%d/autogroup", address->pid);
    FILE *in = fopen(path, "re");
    bool read = in && fscanf(in, "/autogroup-%*d nice %d", &nice) == 1;
    if (in)
        fclose(in);
    return read && nice == -20;
}
