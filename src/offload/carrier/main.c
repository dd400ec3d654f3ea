/* ovl_carrier: a worker without MPI, started by a program whose communication it progresses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/standard_streams.h"
#include "offload/carrier/handshake.h"
#include "offload/carrier/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int usage(int code)
{
    fprintf(code == OVL_OK ? stdout : stderr,
            "ovl_carrier does the communication of programs that start it by themselves; it takes no arguments.\n"
            "See ovl(7).\n");
    return code;
}

/* Nothing that the starting program had open stays so: a launcher would wait for its end. */
static void close_the_rest(void)
{
    struct rlimit most;
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, 0);
    dup2(nothing, 1);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, OVL_CARRIER_FD + 1, ~0U, 0) == 0)
        return;
#endif
    if (getrlimit(RLIMIT_NOFILE, &most) != 0)
        return;
    for (int fd = OVL_CARRIER_FD + 1; fd < (int)(most.rlim_cur < 65536 ? most.rlim_cur : 65536); fd++)
        close(fd);
}

int main(int argc, char **argv)
{
    struct ovl_error err = {.code = OVL_OK, .text = ""};
    if (ovl_standard_streams_open() != 0)
        return OVL_ENVIRONMENT;
    if (argc > 1)
        return usage(strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ? OVL_OK : OVL_USAGE);
    if (fcntl(OVL_CARRIER_FD, F_GETFD) < 0)
        return usage(OVL_USAGE);
    pid_t child = fork();
    if (child < 0)
        fprintf(stderr, "ovl_carrier: cannot make a process (%s): raise ulimit -u\n", strerror(errno));
    if (child != 0) /* who started it waits for this one */
        _exit(child > 0 ? OVL_OK : OVL_ENVIRONMENT);
    setsid();
    signal(SIGPIPE, SIG_IGN);
    close_the_rest();
    if (ovl_carrier_serve(&err) == 0)
        return OVL_OK;
    if (*err.text)
        fprintf(stderr, "ovl_carrier: %s\n", err.text);
    return (int)err.code;
}
