/* What can be measured: a row per benchmark, known to the drivers and to the tool. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_CATALOG_H
#define OVL_CLI_CATALOG_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ovl_option;

struct ovl_benchmark {
    const char *name;            /* in the record */
    const char *program;         /* what mpiexec starts */
    const char *call;            /* the non-blocking call */
    const char *blocking;        /* its twin */
    const char *title;           /* as OMB prints it */
    const char *summary;         /* one line for --help and `ovl list`; says what size_bytes counts */
    uint64_t size_min, size_max; /* default -m; both 0 when there is no message (size_bytes null) */
    bool reduces;                /* combines numbers instead of moving bytes */
    bool host_only;              /* workers have no such operation */
    bool neighbours;             /* ranks exchange with their neighbours, whom --dims or --edges chooses */
    bool pairs;                  /* moves messages between single ranks, whom --pairs chooses */
    /* Bytes through the busiest node's link (record/derived/link_model.h), NULL where the ranks' places decide. */
    double (*wire_bytes)(double size, double ranks, double nodes);
    double fixed_us; /* work per cell in us where it cannot follow the communication (null); else 0 */
};

/* All benchmarks; the row with name NULL ends them. */
extern const struct ovl_benchmark ovl_benchmarks[];

/* Proxies of applications, which do real work and check its answer; and their command lines. */
struct ovl_proxy {
    const char *name, *program, *summary;
    const struct ovl_option *rows;                                             /* of its options */
    size_t size;                                                               /* of the struct that they fill, */
    int (*parse)(int argc, char **argv, void *options, struct ovl_error *err); /* and this, defaults first */
    double (*seconds)(const void *options);                 /* that they give to measuring; NAN where they do not say */
    size_t (*cells)(const void *options, const char *mode); /* of that mode, in a whole record; NULL: it has none */
};

/* All of them; the row with name NULL ends them. And what looks at the nodes. */
extern const struct ovl_proxy ovl_proxies[], ovl_noise_program;

/* Is there something that a check can look at? Not where nothing is called. */
bool ovl_benchmark_moves(const char *name);

/* The row of that record name, or NULL. */
const struct ovl_benchmark *ovl_benchmark_find(const char *name);

/* "iallreduce" of /usr/bin/ovl_allreduce, "hpl" of ovl_hpl; "" of what is none of these programs. */
const char *ovl_catalog_measures(const char *program);

#endif
