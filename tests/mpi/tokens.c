/* ranks: 1 2 */
/* Where a token came wrong: of the scheme that is told and of the first rank that saw it, whatever came before. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/state.h"
#include "apps/train/token_shape.h"
#include "tests/mpi/mpi_test.h"

#include <stdlib.h>
#include <string.h>

static struct ovl_train t;
static struct ovl_model model;
static struct ovl_error err;

/* A step with all its tokens, which come as zeros. */
static void open_zeros(void)
{
    const char *top = getenv("OVL_TOP");
    char file[4096];
    MPI_Comm_rank(MPI_COMM_WORLD, &t.job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t.job.ranks);
    t.job.comm = MPI_COMM_WORLD;
    snprintf(file, sizeof file, "%s/src/apps/train/models/gpt2.json", top ? top : ".");
    EXPECT(ovl_model_load(&model, file, &err) == 0);
    t.plan = (struct ovl_train_plan){.ask = ovl_train_ask_default(), .strategy = &ovl_strategy_moe, .scale_bytes = 500};
    t.plan.ask.model = &model;
    t.plan.ask.ranks = t.job.ranks;
    EXPECT(ovl_train_plan_open(&t.plan, t.job.rank, &err) == 0);
    t.message_count = t.plan.own.events.ids;
    t.messages = ovl_check_alloc(calloc((size_t)t.message_count + 1, sizeof *t.messages));
    for (int id = 0; id < t.message_count; id++) {
        const struct ovl_event *post = &t.plan.own.events.list[t.plan.own.events.posted_at[id]];
        size_t words =
            post->route ? (size_t)ovl_token_shape_most(post, ovl_train_token_words(&t.plan, post->token_bytes)) : 0;
        t.messages[id].recv = ovl_check_alloc(calloc(words + 1, sizeof(uint32_t)));
    }
}

static void close_zeros(void)
{
    for (int id = 0; id < t.message_count; id++)
        free(t.messages[id].recv);
    free(t.messages);
    ovl_train_plan_close(&t.plan);
    ovl_model_free(&model);
}

/* A scheme's answers have the tokens of an operation wrong, which is the one of this number on tokens. */
static void see_wrong(int scheme, int number)
{
    int id = 0;
    for (; id < t.message_count; id++)
        if (t.plan.own.events.list[t.plan.own.events.posted_at[id]].route && number-- == 0)
            break;
    t.job.schemes.answered = scheme;
    EXPECT(id < t.message_count && ovl_train_tokens_wrong(&t, id, 77));
}

/* At all ranks: what is told of a scheme begins so; "" is nothing. */
static void expect_told(int scheme, const char *place, int rank)
{
    char text[128], end[32];
    ovl_train_tokens_locate(&t.job, scheme);
    ovl_train_tokens_fault(&t.job, scheme, 1, text);
    snprintf(end, sizeof end, " came wrong at rank %d", rank);
    EXPECT(strncmp(text, place, strlen(place)) == 0);
    EXPECT(*place ? strstr(text, end) != NULL : !*text);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    open_zeros();
    int last = t.job.ranks - 1;
    if (t.job.rank == last) {
        see_wrong(0, 5); /* there and back of two blocks, and there of the third */
        see_wrong(0, 8); /* the first place is kept */
    }
    see_wrong(1, 0);
    expect_told(0, "combine of block 2, forwards: token ", last);
    expect_told(1, "dispatch of block 0, forwards: token ", 0);
    expect_told(2, "", 0);
    mpi_test_end("a wrong token is told of the scheme that brought it");
    ovl_train_tokens_forget(&t);
    expect_told(0, "", 0);
    see_wrong(0, 2);
    expect_told(0, "dispatch of block 1, forwards: token ", 0);
    mpi_test_end("another problem has wrong tokens of its own");
    close_zeros();
    return mpi_test_finish();
}
