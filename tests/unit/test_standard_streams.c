/* Standard streams: those that a program was started without, and whole lines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/standard_streams.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* 0, or the line that does not hold. */
#define WANT(condition)                                                                                                \
    if (!(condition))                                                                                                  \
    _exit(__LINE__ & 0xff)

static _Noreturn void begin_without(int closed)
{
    char byte = 'x';
    struct stat before[3], after;
    for (int fd = 0; fd < 3; fd++) {
        WANT(fstat(fd, &before[fd]) == 0);
        if (closed & 1 << fd)
            close(fd);
    }
    WANT(ovl_standard_streams_open() == 0);
    WANT(open("/dev/null", O_RDONLY) > 2);
    for (int fd = 0; fd < 3; fd++) {
        WANT(fstat(fd, &after) == 0);
        if (!(closed & 1 << fd)) {
            WANT(after.st_ino == before[fd].st_ino && after.st_dev == before[fd].st_dev);
            continue;
        }
        WANT(S_ISCHR(after.st_mode));
        WANT((fd == 0 ? read(fd, &byte, 1) : write(fd, &byte, 1)) == -1 && errno == EBADF);
    }
    _exit(0);
}

/* Each set of the three. */
LOOP_TEST(closed_ones_are_taken_and_still_fail, 0, 8)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        begin_without(_i);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}

/* A pipe of packets (pipe(2), O_DIRECT) shows each write: one a line, whatever its length and however it was printed.
 */
static void whole_lines(FILE *stream, int fd)
{
    int ends[2];
    char got[PIPE_BUF], want[PIPE_BUF];
    snprintf(want, sizeof want, "a program: %0*d is one line\n", 400, 7);
    WANT(pipe2(ends, O_DIRECT) == 0);
    WANT(dup2(ends[1], fd) == fd);
    WANT(ovl_standard_streams_open() == 0);
    fprintf(stream, "a program: ");
    fprintf(stream, "%0*d", 400, 7);
    fprintf(stream, " is one line\na second");
    ssize_t n = read(ends[0], got, sizeof got);
    WANT(n == (ssize_t)strlen(want));
    WANT(memcmp(got, want, strlen(want)) == 0);
    _exit(0);
}

LOOP_TEST(lines_are_written_whole, 0, 2)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        whole_lines(_i ? stderr : stdout, _i ? STDERR_FILENO : STDOUT_FILENO);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}
