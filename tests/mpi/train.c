/* ranks: 2 3 4 5 */
/* What ovl_train moves by each strategy and what its small network learns, many options in one job: every byte by
   blocking calls, the host and workers, of which there is one, the last process. What a run of them prints and records
   is for tests/cli/train.bats. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/state.h"
#include "tests/mpi/mpi_test.h"

#include <stdlib.h>
#include <string.h>

#define GPT2 "--model gpt2 --scale-bytes 500 "
#define BERT "--model bert-large --scale-bytes 500 "
#define EDSR "--model edsr_x2 --scale-bytes 100 "

/* So many ranks by these words, and the samples of their step. */
static const struct row {
    int ranks;
    const char *words;
    int samples;
} rows[] = {
    {3, "--strategy ddp --model resnet20", 3},
    {3, "--strategy zero1 --model resnet20", 3},
    {3, "--strategy zero2 --model resnet56 --bucket 1M", 3},
    {3, "--strategy zero3 --model resnet20", 3},
    {3, "--strategy fsdp --scale-bytes 1000", 3},
    {3, "--strategy tp " GPT2, 1},
    {3, "--strategy moe " GPT2, 3},
    {3, "--strategy pp --microbatches 5 " EDSR, 5},
    {3, "--strategy pp --interleave 2 --microbatches 6 " EDSR, 6},
    {4, "--strategy 3d --tp 1 --pp 2 " GPT2, 8},
    {4, "--strategy 3d --tp 2 --pp 2 " GPT2, 4},
    {4, "--strategy 3d --tp 2 --pp 1 --microbatches 1 " GPT2, 2},
    {3, "--strategy zero1:deepspeed --model resnet20", 3},
    {3, "--strategy zero2:deepspeed --model resnet56 --bucket 500K", 3},
    {3, "--strategy zero2:overlap_comm --model resnet56 --bucket 500K", 3},
    {3, "--strategy zero3:deepspeed --bucket 64M " GPT2, 3},
    {4, "--strategy tp:sequence " BERT, 1},
    {4, "--strategy 3d:sequence --tp 2 --microbatches 2 " GPT2, 2},
    {1, "--strategy zero1:deepspeed --model resnet20", 1},
    {1, "--strategy zero3:deepspeed --model resnet20", 1},
    {1, "--strategy moe -b 2 --overlap two " GPT2, 2},
    {2, "--strategy moe --overlap none --dispatch f32 --combine f32 --top-k 3 --dtype bf16:f16:f8 " GPT2, 2},
    {3, "--strategy moe --overlap shared --experts 3 --dispatch-per expert --gate-skew 1.5 --capacity 0.5 " GPT2, 3},
    {4, "--strategy moe -b 2 --overlap two --experts 4 --top-k 1 --gate-skew 10 " GPT2, 8},
    {1, "--model resnet20 --dtype f16", 1},
    {2, "--model resnet20 --dtype i8 --strategy zero2", 2},
    {3, "--model resnet20 --dtype bf16", 3},
    {3, "--strategy fsdp --model resnet20 --dtype f16:f8:bf16", 3},
    {3, "--strategy tp --dtype bf16:f32:f8 " GPT2, 1},
    {1, "--tiny", OVL_TINY_SAMPLES},
    {2, "--tiny --strategy horovod --fusion 3000", OVL_TINY_SAMPLES},
    {3, "--tiny --strategy ddp --bucket 1500 --first-bucket 1", OVL_TINY_SAMPLES},
    {3, "--tiny --strategy zero1 --bucket 1K --first-bucket 1", OVL_TINY_SAMPLES},
    {3, "--tiny --strategy zero2", OVL_TINY_SAMPLES},
    {3, "--tiny --strategy zero3", OVL_TINY_SAMPLES},
    {3, "--tiny --strategy fsdp", OVL_TINY_SAMPLES},
    {3, "--tiny --strategy zero1:deepspeed --bucket 3000", OVL_TINY_SAMPLES},
    {3, "--tiny --strategy zero2:overlap_comm --bucket 3000", OVL_TINY_SAMPLES},
    {3, "--tiny --strategy horovod --fusion 0", OVL_TINY_SAMPLES},
};
enum { ROWS = sizeof rows / sizeof *rows };

static struct ovl_train t;
static struct ovl_error err;

static int parse(const char *words)
{
    static char text[400];
    char name[] = "ovl_train", *argv[40] = {name}, *state;
    int argc = 1;
    snprintf(text, sizeof text, "--mode blocking,host,dpu --workers 1 --compute sleep --compute-us 200 %s", words);
    for (char *word = strtok_r(text, " ", &state); word; word = strtok_r(NULL, " ", &state))
        argv[argc++] = word;
    if (ovl_train_options_parse(argc, argv, &t.options, &err) != 0)
        return -1;
    const char *top = getenv("OVL_TOP");
    static char file[4096];
    snprintf(file, sizeof file, "%s/src/apps/train/models/%s.json", top ? top : ".", t.options.model);
    t.options.model = file; /* that of the sources */
    return 0;
}

/* What the frame of all applications opens of its job, for as long as there are ranks. */
static void open_job(struct ovl_exchange *none)
{
    static const struct ovl_app app = {.name = "train", .schemes = &ovl_train_schemes};
    struct ovl_app_job *job = &t.job;
    job->app = &app;
    job->options = &t.options.common;
    job->comm = job->offload.engine.comm;
    MPI_Comm_rank(job->comm, &job->rank);
    MPI_Comm_size(job->comm, &job->ranks);
    ovl_stage_open(&job->stage, job->comm);
    job->stage.exchanges = none;
    job->stage.offload = &job->offload;
    job->schemes.node = ovl_check_alloc(calloc((size_t)job->ranks, sizeof(int))); /* one node */
}

/* A byte of an operation's that is another one is seen, and that alone. */
static void expect_seen(int id)
{
    struct ovl_exchange *x = &t.messages[id];
    unsigned char *byte = (unsigned char *)x->recv + (x->recv_bytes ? (size_t)id * 7919 % x->recv_bytes : 0);
    if (x->recv_bytes == 0)
        return;
    *byte ^= 1;
    EXPECT(ovl_train_messages_wrong(&t) == 1);
    *byte ^= 1;
}

static void play(const struct row *row)
{
    int rc = ovl_train_schemes.open(&t.job, 0, &err);
    EXPECT(rc == 0);
    if (rc == 0) {
        EXPECT(ovl_app_schemes_validate(&t.job));
        if (!t.tiny && t.message_count < 50) /* with other data, where that is short */
            EXPECT(ovl_app_schemes_validate(&t.job));
        EXPECT((int)(t.tiny ? OVL_TINY_SAMPLES : t.plan.strategy->samples(&t.plan.ask)) == row->samples);
        if (!t.tiny) { /* what is given is other data by now: all of it comes again */
            ovl_train_sample(&t, 0);
            EXPECT(ovl_train_messages_wrong(&t) == 0);
        }
        for (int k = 0; k < 3 && !t.tiny && t.message_count > 0; k++)
            expect_seen(k * (t.message_count - 1) / 2); /* the first, one between, the last */
    }
    ovl_train_schemes.close(&t.job);
    ovl_app_memory_end(&t.job);
}

/* All but the job is a row's own. */
static void run(const struct row *row)
{
    int *node = t.job.schemes.node;
    memset((char *)&t + sizeof t.job, 0, sizeof t - sizeof t.job);
    t.job.schemes = (struct ovl_app_schemes){.node = node};
    EXPECT(parse(row->words) == 0 && ovl_train_choose(&t.options, &t.choice, &err) == 0);
    ovl_app_schemes_choose(&t.job);
    int rc = ovl_train_begin(&t.job, &err);
    EXPECT(rc == 0);
    if (rc == 0)
        play(row);
    if (mpi_test_wrong)
        fprintf(stderr, "of %s: %s\n", row->words, err.text);
    ovl_train_plan_close(&t.plan);
    ovl_model_free(&t.model);
    free(t.tiny);
}

int main(int argc, char **argv)
{
    struct ovl_exchange none = {.size = 0};
    int wrong[ROWS] = {0}, ranks;
    ovl_engine_prepare(1);
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ranks--;
    t.job.offload.program = "train test";
    if (parse("") != 0 || ovl_offload_join(&t.job.offload, &t.options.common.offload, false, &err) != 0) {
        fprintf(stderr, "%s\n", err.text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (!t.job.offload.engine.worker) {
        open_job(&none);
        for (int i = 0; i < ROWS; i++, mpi_test_wrong = 0)
            if (rows[i].ranks == ranks) {
                run(&rows[i]);
                wrong[i] = mpi_test_wrong;
            }
        ovl_stage_close(&t.job.stage);
        free(t.job.schemes.node);
    }
    ovl_offload_release(&t.job.offload);
    for (int i = 0; i < ROWS; i++)
        if (rows[i].ranks == ranks) {
            mpi_test_wrong = wrong[i];
            mpi_test_end(rows[i].words);
        }
    return ovl_engine_finalize(mpi_test_failed ? 1 : 0);
}
