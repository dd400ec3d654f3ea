/* Between the files that bring ranks and workers together. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_BOOT_CONNECT_MPI_H
#define OVL_OFFLOAD_BOOT_CONNECT_MPI_H

#include "offload/boot/engine_mpi.h"

/* Collective over MPI_COMM_WORLD: opens adapters and joins each rank to its worker. -1 everywhere with one error. */
int ovl_engine_connect_eps(struct ovl_engine *e, struct ovl_error *err);
/* Gives all of that back, as far as it is there. */
void ovl_engine_disconnect_eps(struct ovl_engine *e);

/* Does that worker serve the node of that rank? */
bool ovl_engine_serves(const struct ovl_job_map *r, int worker, int rank);

/* Collective over MPI_COMM_WORLD, once it is known who serves whom: sockets between workers and the ranks of the node
   that they serve. Where none can be had the rank is remote. */
int ovl_engine_join(struct ovl_engine *e, struct ovl_error *err);
/* Closes them: until then each sees whether the other lives. */
void ovl_engine_close_sockets(struct ovl_engine *e);
/* Of a worker: all ranks at the other ends have ended. */
bool ovl_engine_peers_ended(const struct ovl_engine *e);
/* To those at the other ends, as far as this process may signal them. */
void ovl_engine_signal_others(int signal);
/* Collective over MPI_COMM_WORLD: e->mine goes to all at the other ends, and theirs come to e->others, in the order of
   their numbers. */
int ovl_engine_exchange_memory(struct ovl_engine *e, struct ovl_error *err);

/* The engine of this process while it has such sockets, else NULL. */
struct ovl_engine *ovl_engine_current(void);
/* MPI_Wait, in which a worker looks whether its ranks live; where they do not, it leaves. */
void ovl_engine_await(struct ovl_engine *e, MPI_Request *request);
/* A worker is in its loop, which sees who has died and notifies others, or has left it. */
void ovl_engine_set_in_loop(bool now);
/* The launcher has told it to end. */
bool ovl_engine_cancelled(void);
/* A worker's answer to signals that the launcher passes on to all: it obeys TERM where all its ranks have ended. */
void ovl_engine_ignore_signals(void);

/* From now on this process leaves with OVL_ENVIRONMENT where another process of its Slurm step aborts the job. */
void ovl_engine_leave_on_abort(void);

#endif
