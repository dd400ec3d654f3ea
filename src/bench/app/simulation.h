/* What --plan of drivers and applications prints and records alike where it simulates: the head with all that is
   assumed, numbers, lines of the record. Nothing here is measured, and every output says so. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_APP_SIMULATION_H
#define OVL_BENCH_APP_SIMULATION_H

#include "bench/app/rates.h"
#include "cli/app_options.h"
#include "cli/network_options.h"
#include "record/derived/writer.h"
#include "simulate/library.h"

/* As the schemes of applications; what drivers have without --tests is OVL_WAY_HOST, too. */
enum ovl_sim_way { OVL_WAY_BLOCKING, OVL_WAY_HOST, OVL_WAY_HOST_T, OVL_WAY_THREAD, OVL_WAY_DPU, OVL_WAYS };

extern const char *const ovl_way_names[OVL_WAYS];

struct ovl_simulation {
    /* The caller's. */
    const char *program, *benchmark; /* the latter in the record */
    const char *plan;                /* the text of --plan */
    int ranks, per_node;
    const struct ovl_network_options *options;
    const struct ovl_app_options *common;
    bool wanted[OVL_WAYS];
    const char *tests; /* when ranks call MPI_Test, for the head: "10 tests" */

    /* By ovl_simulation_open. */
    int nodes;
    struct ovl_network network;
    const struct ovl_mpi_library *library;
    struct ovl_rates_from from; /* what of it comes from records */
    bool headed;
};

/* Refuses what all have and is not simulated, reads the network, and sees that the file of --json can be written; a new
   one is made by its first line. -1 with *err filled. */
int ovl_simulation_open(struct ovl_simulation *s, struct ovl_error *err);

/* The machine in which messages are moved in that way. */
struct ovl_sim_machine ovl_simulation_machine(const struct ovl_simulation *s, enum ovl_sim_way way);

/* Settles how an operation is done in that way, of whose ranks `here` are on a node, and which are on so many: by the
   library's rules, or the workers'. `operation` has shape, first and stride. Returns what it is called. */
const char *ovl_simulation_choose(const struct ovl_simulation *s, enum ovl_sim_way way, int here, int nodes,
                                  struct ovl_sim_operation *operation);

/* What is assumed, once: with the first row, so that who is refused gets one line. */
void ovl_simulation_head(struct ovl_simulation *s);
/* "-" where there is no value. */
void ovl_simulation_number(int width, int decimals, double x);
/* The last line. */
void ovl_simulation_foot(void);

/* A line of the kind "simulated" with what all of them have; the caller adds its own. */
json_t *ovl_simulation_line(const struct ovl_simulation *s, enum ovl_sim_way way);
json_t *ovl_simulation_json(double x); /* null where there is no value */
/* Takes the line. */
int ovl_simulation_write(struct ovl_simulation *s, json_t *line, struct ovl_error *err);

#endif
