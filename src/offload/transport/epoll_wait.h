/* Waiting for descriptors for so many nanoseconds, on kernels that can and on those that cannot. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_TRANSPORT_EPOLL_WAIT_H
#define OVL_OFFLOAD_TRANSPORT_EPOLL_WAIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

/* False once the kernel has said that it has no epoll_pwait2: Linux before 5.11, and emulators of processors. */
extern _Atomic bool ovl_has_epoll_pwait2;

/* As epoll_wait; `ns` from 0 on. Without epoll_pwait2 a wait of less than a millisecond takes a second call. */
int ovl_epoll_wait(int epoll, struct epoll_event *events, int most, int64_t ns);

#endif
