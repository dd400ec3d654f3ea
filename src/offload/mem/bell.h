/* A bell by which a rank wakes a worker that waits for all its sources at once (OVL_WORKER_LISTENS): an eventfd, which
 * the worker makes and hands to its ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_MEM_BELL_H
#define OVL_OFFLOAD_MEM_BELL_H

enum { OVL_BELL_NUMBER = 1 }; /* under which it is handed over (ovl_local_send_file); the status page has 0 */

/* A descriptor above 2, which the caller closes (ovl_local_close); 0 where there is none: the worker then looks now and
   then. It is never read: epoll tells of each ring where it is asked for edges (EPOLLET). */
int ovl_bell_make(void);
/* 0: nothing. Never waits. */
void ovl_bell_ring(int bell);

#endif
