/* One run of ovl_serve. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_SERVE_STATE_H
#define OVL_APPS_SERVE_STATE_H

#include "apps/serve/options.h"
#include "apps/serve/strategy/plan.h"
#include "apps/serve/tiny/answers.h"
#include "apps/train/timeline/timeline.h"
#include "base/rng.h"
#include "bench/app/message.h"
#include "machine/work.h"

enum {
    OVL_SERVE_KEPT = 63, /* samples of T whose exposed times are kept */
    OVL_SERVE_PERCENTS = 3,
    OVL_SERVE_STEPS = 20, /* of a distribution: from the least to the largest value in so many equal steps of rank */
};

/* What a request took of a sample of T, in seconds; NaN where it has none: to its first token, the same from when it
   was begun, what that takes at least, and for each further token. */
struct ovl_serve_taken {
    double first, begun, least, further;
};

/* What bytes over a node's link take at least, in seconds. */
struct ovl_serve_link {
    double byte;  /* one that is behind the first `burst` bytes; NaN where ranks share cores, which leaves no bound */
    double burst; /* that go at once */
    double carry; /* where one machine carries all links' bytes, what its cores together need for one; else 0 */
};

/* A time of all requests of a sample; NaN where too few have it. */
struct ovl_serve_spread {
    double percent[OVL_SERVE_PERCENTS], mean, step[OVL_SERVE_STEPS + 1];
};

/* Of all requests of a sample, and of it the share that met --slo; and by how much decoding was slowed while keys and
   values came: the time of its iterations by that of the same ones in the sample of the work alone; NaN without. */
struct ovl_serve_told {
    struct ovl_serve_spread first, begun, least, further;
    double met, slowed;
};

struct ovl_serve {
    struct ovl_app_job job; /* the first */
    struct ovl_serve_options options;
    struct ovl_serve_choice choice; /* of them */
    struct ovl_served model;
    struct ovl_request_trace trace;
    struct ovl_serve_plan plan;
    struct ovl_app_plan blocking; /* its twin */
    struct ovl_work work;

    /* Operations of this rank, by id; and the last one that brought what is in a place, or of those that only send. */
    struct ovl_exchange *messages;
    int message_count;
    int *last;  /* [places] */
    int *lists; /* of tokens: counts and places of each operation, four for each rank; NULL without */
    struct ovl_serve_team {
        int first, second; /* ranks: of all of them, or a pair */
        MPI_Comm comm;
        struct ovl_team team;
        bool attached;
    } * teams;
    int team_count;
    bool opened;
    struct ovl_serve_tiny { /* --tiny: the network at this rank, and the program that it must agree with */
        struct ovl_lm_rank rank;
        struct ovl_lm_serial serial;
    } * tiny; /* NULL without, and while no problem is open */

    struct ovl_trace tracing;       /* of the sample that is traced; NULLs while none is */
    uint64_t plays, key;            /* samples that were played; key of the data of the last one that computed */
    double us;                      /* of work at the rank with most of it; NaN: by --compute-ratio */
    uint64_t *units;                /* [events]: of the kernel */
    int playing;                    /* the scheme of the last sample */
    bool looks;                     /* at all that comes, when it has come; else at some numbers of it */
    uint16_t *expanded;             /* of --compress: what a message had, as f16 */
    double packed_error;            /* the largest by what it may be, since it was set to 0 */
    bool *bad;                      /* [ids]: brought wrong data in the present sample */
    int iterations;                 /* the most of any rank */
    int64_t kv_most;                /* tokens whose keys and values a rank had at a time: the most of any rank */
    struct ovl_serve_tiered tiered; /* of all ranks; the most that a tier keeps is that of any */
    struct ovl_batcher_told pushed; /* of all ranks */
    bool *brings;                   /* [iterations]: keys and values come while this rank computes it */
    double *alone[2]; /* [iterations]: seconds that its work took in the last sample of the work alone; by plan */
    double *summed;   /* [iterations]: bytes that come in over its node's link for what all ranks do together */

    struct ovl_serve_player {
        struct ovl_serve *serve;
        const struct ovl_mode *mode;
        int plan;                     /* 0: of the blocking twin */
        int in_slot[OVL_TRAIN_SLOTS]; /* ids */
        struct ovl_app_run run;
        double start, *begin, *end; /* [iterations]: of this rank, in seconds from the start of the last sample of T */
        double *exposed;            /* [iterations]: of it */
        double *computed;           /* [iterations]: seconds of it that the work took */
        struct ovl_serve_wrong {    /* the first data that came wrong; by `any` 0: none have */
            int any, rank, request, part, iteration, from, back, place, token,
                returns; /* place: of a token of
                           --tiny, token: of ep; else -1 */
        } wrong;
        double packed_error;  /* of --compress: the largest error by what it may be, of the sample that was validated */
        uint64_t written;     /* of --tiny: a number by all tokens of the sample that was validated */
        double *kept_exposed; /* at rank 0: [OVL_SERVE_KEPT][iterations], of the slowest rank in each */
        size_t kept;
        json_t *lanes;               /* at rank 0: of the sample that was traced; NULL */
        struct ovl_serve_told *told; /* at rank 0: [told_count] */
        size_t told_count;
    } * players; /* [schemes]; NULL while no problem is open */
};

extern const struct ovl_app_schemes_row ovl_serve_schemes;

/* need.c: what a rank's messages and steps need, and all its multiply-adds, of s->plan, whose ask, strategy and scale
   are set. -1 and OVL_USAGE where the trace does not fit. */
int ovl_serve_need(struct ovl_serve *s, int rank, struct ovl_app_need *need, double *macs, struct ovl_error *err);

/* print.c: --plan, as ovl_app.print. */
int ovl_serve_print(struct ovl_app_job *job, struct ovl_error *err);

/* simulated.c: the same in time, of s->plan, whose ask, strategy and scale are set; so many bytes come in over the link
   of the busiest node. -1 and OVL_USAGE of ep, whose exchanges are of other sizes at each rank, of --tiny, of a trace
   with too many steps, or as ovl_simulated_plan_print. */
int ovl_serve_simulate(struct ovl_serve *s, double link_bytes, struct ovl_error *err);

/* Bytes of a rank's messages where what it posts comes to `totals`: of all of them, or, where they follow each other in
   few places, of these. */
double ovl_serve_messages_bytes(const struct ovl_serve_plan *p, const struct ovl_serve_totals *totals, int places);

/* messages.c. Collective: communicators, teams of workers, memory and descriptions of all operations. -1 with *err, the
   same at all ranks; then ovl_serve_messages_close all the same. */
int ovl_serve_messages_open(struct ovl_serve *s, struct ovl_error *err);
void ovl_serve_messages_close(struct ovl_serve *s);
/* Fills what an operation sends, by the key of the data. */
void ovl_serve_message_fill(struct ovl_serve *s, int id);
/* --compress: the numbers of what it brought, as they are kept. */
void ovl_serve_message_expand(struct ovl_serve *s, int id);
/* What an operation brought, just now: at all of it or at some numbers. What is wrong is counted. */
void ovl_serve_message_look(struct ovl_serve *s, int id, bool all);
/* How many of this rank's operations brought wrong data: in the sample so far, and of those that can still be seen.
   Of --tiny, whose serial program must have the sample, all of pd's. */
int ovl_serve_messages_wrong(struct ovl_serve *s);
/* fault.c. Collective: the first wrong place of all ranks at all of them; and words on it. */
void ovl_serve_locate(struct ovl_app_job *job, int scheme);
void ovl_serve_fault(const struct ovl_app_job *job, int scheme, double error, char text[128]);

/* answers.c: --tiny. Opens where it was asked for. */
void ovl_serve_tiny_open(struct ovl_serve *s);
void ovl_serve_tiny_close(struct ovl_serve *s);
/* Before a sample of known data: what was brought before is none of it. */
void ovl_serve_tiny_clear(struct ovl_serve *s);
/* How many messages and tokens of the sample that was played last are not those of the serial program. */
int ovl_serve_tiny_wrong(struct ovl_serve *s);
/* Collective, after that: the number of all ranks' tokens, for a scheme's `written`. */
uint64_t ovl_serve_tiny_written(const struct ovl_serve *s);

/* first_token.c. What the first token of a request takes at least from when it was begun, as far as this rank knows, in
   seconds, -INFINITY where it does not read it: the bytes that its prompt waits for over the link, beside what is
   worked at meanwhile; then the work alone of the iterations from there to the token, or what all ranks' bytes in them
   take, if that is more. */
double ovl_serve_first_least(const struct ovl_serve *s, const struct ovl_serve_player *p, size_t request,
                             const struct ovl_serve_link *link);
/* For `summed`; the caller frees it. */
double *ovl_serve_summed_bytes(const struct ovl_serve *s);
/* Collective. */
struct ovl_serve_link ovl_serve_link_of(struct ovl_serve *s);

/* requests.c. Collective, after a sample of T: what requests took, at all ranks; taken[requests]. */
void ovl_serve_gather(const struct ovl_serve *s, const struct ovl_serve_player *p, const struct ovl_serve_link *link,
                      struct ovl_serve_taken *taken);
struct ovl_serve_told ovl_serve_tell(const struct ovl_serve *s, const struct ovl_serve_taken *taken);
/* As ovl_app_schemes_row.kept. */
void ovl_serve_keep(struct ovl_app_job *job, size_t block);

/* foresee.c. Collective: seconds of all operations of a trace, about. And at rank 0: says where a run will be long, by
   the seconds of a sample's communication. */
double ovl_serve_guess(struct ovl_serve *s);
void ovl_serve_foresee(struct ovl_serve *s, double comm);

/* trace.c. Collective: of three samples of a scheme the one of middle length, as lanes of the record, where one is
   asked for: of the whole trace, or of the iteration in its middle. */
void ovl_serve_trace(struct ovl_serve *s, int scheme);

/* report.c: what only its cells and its run line have. */
void ovl_serve_fill_cell(const struct ovl_app_job *job, int scheme, struct ovl_cell *c);
void ovl_serve_describe(struct ovl_app_job *job, json_t *line);

#endif
