/* A connection between a rank and a worker that share a machine: a Unix socket, by which memory is handed over without
 * a name, and whose closing tells the end of the other process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_MEM_LOCAL_H
#define OVL_OFFLOAD_MEM_LOCAL_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { OVL_LOCAL_NAME = 40 };

/* A descriptor that was made, above those that a launcher or a program may have closed, and of which 0 would be one. 0
   where `fd` is below 0 or there is none left. */
int ovl_local_above_standard(int fd);

/* A socket is a descriptor above 2; 0 stands for none. Its name is one that nobody else has, in the abstract namespace,
   which belongs to the network namespace: who can connect shares memory and processors. */
int ovl_local_listen(char name[OVL_LOCAL_NAME], int waiting, struct ovl_error *err);
/* 0: nobody listens under that name here, another user does, or no place came free among those that wait within the
   time. `who` is what the listener is told; one that has hung up is told nothing, and what it said can be read. */
int ovl_local_connect(const char *name, int32_t who, double seconds);
/* The next one who has connected. 0 and errno: EAGAIN, nobody waits; EPERM, it was another user's process, which can
   find the name, and has been sent away; else what this process lacks, such as EMFILE, and it still waits. */
int ovl_local_accept(int listener);
/* What that one said; -1 while nothing has come. */
int32_t ovl_local_caller(int socket);
void ovl_local_close(int *socket);

/* The other process, as this one's PID namespace numbers it; 0 where it does not. */
pid_t ovl_local_pid(int socket);
/* Has the other process ended, or closed its end? */
bool ovl_local_closed(int socket);

/* Hands over a file that is open here; the other end takes it by the same number, in the order given. 0 or an errno. */
int ovl_local_send_file(int socket, uint32_t number, int file);
/* The descriptor, or 0 and errno. */
int ovl_local_receive_file(int socket, uint32_t number);

/* A descriptor for each process at the other ends, and as many for their memory: also those that are on their way
   count, and of all processes of a user. Raises this process's limit as far as it may. */
void ovl_local_raise_file_limit(void);

#endif
