/* Asking another program something. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/ask.h"
#include "tool/util/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void become(const char *const argv[], int out)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    ovl_signals_restore_pipe();
    setpgid(0, 0);
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

/* Reads to the end of the output, or until the time is over. */
static void listen(int in, double until, char *answer, size_t room)
{
    char part[512];
    size_t n = 0;
    for (double left; (left = until - now()) > 0;) {
        struct pollfd ready = {.fd = in, .events = POLLIN};
        if (poll(&ready, 1, (int)(1e3 * left) + 1) <= 0)
            continue;
        ssize_t got = read(in, part, sizeof part);
        if (got <= 0)
            return;
        size_t kept = (size_t)got < room - 1 - n ? (size_t)got : room - 1 - n;
        memcpy(answer + n, part, kept);
        answer[n += kept] = '\0';
    }
}

int ovl_ask(const char *const argv[], double seconds, char *answer, size_t room)
{
    int ends[2], status = 0;
    double until = now() + seconds;
    answer[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0)
        return OVL_ASK_NO_ANSWER;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        become(argv, ends[1]);
    close(ends[1]);
    if (child > 0)
        listen(ends[0], until, answer, room);
    close(ends[0]);
    if (child < 0)
        return OVL_ASK_NO_ANSWER;
    setpgid(child, child);
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 && now() < until)
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    kill(-child, SIGKILL); /* and what it left behind */
    while (ended == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : OVL_ASK_NO_ANSWER;
}

static int is_program(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

int ovl_ask_path(const char *program, struct ovl_path *path)
{
    const char *folders = getenv("PATH");
    folders = folders ? folders : "/usr/local/bin:/usr/bin:/bin";
    if (strchr(program, '/')) {
        *path = ovl_path("%s", program);
        if (is_program(path->text))
            return 0;
        folders = "";
    }
    while (*folders) {
        size_t n = strcspn(folders, ":");
        *path = ovl_path("%.*s/%s", (int)(n ? n : 1), n ? folders : ".", program);
        if (is_program(path->text))
            return 0;
        folders += n + (folders[n] == ':');
    }
    path->text[0] = '\0';
    return -1;
}
