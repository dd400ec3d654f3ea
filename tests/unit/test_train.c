/* Models of training steps, and their buckets and fusion buffers by the published rules. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/train_case.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

LOOP_TEST(models_have_their_papers_totals, 0, TRAIN_CASES)
{
    double numbers = 0, macs = 0;
    size_t tensors = 0;
    train_load(train_cases[_i].name);
    ck_assert_str_eq(train_model.name, train_cases[_i].name);
    ck_assert_double_eq(train_model.numbers, train_cases[_i].numbers);
    ck_assert_uint_eq(train_model.tensor_count, train_cases[_i].tensors);
    ck_assert_double_eq_tol(1e-9 * train_model.macs, train_cases[_i].gmacs, 0.0005);
    for (size_t l = 0; l < train_model.layer_count; l++) {
        ck_assert_uint_eq(train_model.layers[l].first, tensors);
        tensors += train_model.layers[l].tensors;
        numbers += train_model.layers[l].numbers;
        macs += train_model.layers[l].macs;
        ck_assert(train_model.layers[l].activation_bytes > 0);
    }
    ck_assert_uint_eq(tensors, train_model.tensor_count);
    ck_assert_double_eq(numbers, train_model.numbers);
    ck_assert_double_eq(macs, train_model.macs);
}

static void buckets_are(const struct ovl_buckets *b, const double *mib, size_t count, double unit)
{
    double all = 0;
    ck_assert_uint_eq(b->count, count);
    for (size_t i = 0; i < count; i++) {
        double bytes = 0;
        for (size_t t = b->low[i]; t < (i > 0 ? b->low[i - 1] : train_model.tensor_count); t++)
            bytes += 4 * (double)train_model.tensors[t];
        ck_assert_double_eq(b->bytes[i], bytes); /* tensors are covered once, in reverse order */
        ck_assert_msg(i >= 16 || mib[i] == 0 || fabs(b->bytes[i] / (1 << 20) - mib[i]) <= unit * 0.5001,
                      "%s: bucket %zu of %.0f bytes", train_model.name, i, b->bytes[i]);
        all += bytes;
    }
    ck_assert_uint_eq(b->low[count - 1], 0);
    ck_assert_double_eq(all, 4 * train_model.numbers);
}

LOOP_TEST(buckets_are_those_of_pytorch_and_horovod, 0, TRAIN_CASES)
{
    struct ovl_buckets b;
    train_load(train_cases[_i].name);
    struct ovl_train_ask ask = train_ask(4);
    ovl_buckets_ddp(&b, &ask);
    buckets_are(&b, train_cases[_i].ddp, train_cases[_i].ddp_count, 0.01);
    for (size_t i = 0; i < b.count; i++) { /* closed by its last tensor, and not before */
        double limit = i > 0 ? 25 << 20 : 1 << 20;
        ck_assert(b.bytes[i] - 4 * (double)train_model.tensors[b.low[i]] < limit);
        ck_assert(b.bytes[i] >= limit || i + 1 == b.count);
    }
    ovl_buckets_free(&b);
    for (int all = 0; all < 2; all++) {
        ask.cycle = all ? INFINITY : 0;
        ovl_buckets_horovod(&b, &ask);
        buckets_are(&b, train_cases[_i].horovod, train_cases[_i].horovod_count, 0.1);
        ovl_buckets_free(&b);
    }
}

TEST(buckets_are_right_to_the_byte)
{
    static const double resnet50[] = {8196000, 31502336, 26255360, 26550272, 9724160},
                        edsr[] = {66117644, 66088960, 30711808};
    struct ovl_buckets b;
    struct ovl_train_ask ask = train_ask(2);
    train_load("resnet50");
    ovl_buckets_ddp(&b, &ask);
    for (size_t i = 0; i < 5; i++)
        ck_assert_double_eq(b.bytes[i], resnet50[i]);
    ovl_buckets_free(&b);
    ask.fusion = 128 << 20;
    ovl_buckets_horovod(&b, &ask);
    ck_assert_uint_eq(b.count, 1);
    ovl_buckets_free(&b);
    train_unload();
    train_load("edsr_x2");
    ck_assert_ptr_eq(ovl_strategy_find("horovod:0.19", &ask, &train_err), &ovl_strategy_horovod);
    ovl_buckets_horovod(&b, &ask);
    for (size_t i = 0; i < 3; i++)
        ck_assert_double_eq(b.bytes[i], edsr[i]);
    ovl_buckets_free(&b);
    ask.local = 100000; /* 51,200,000 bytes at a time: the threshold becomes 102,400,000 */
    ovl_buckets_horovod(&b, &ask);
    ck_assert_uint_eq(b.count, 2);
    ck_assert(b.bytes[0] > 66117644 && b.bytes[0] <= 102400000);
    ovl_buckets_free(&b);
}

/* A cycle after each tenth of the backward pass: what is ready goes, and is posted no earlier than the cycle's end. */
TEST(cycles_of_horovod_count_in_work)
{
    struct ovl_buckets b;
    train_load("resnet152");
    struct ovl_train_ask ask = train_ask(2);
    ask.cycle = ovl_backward_macs(&ask) / 10;
    ovl_buckets_horovod(&b, &ask);
    ck_assert(b.count >= 8 && b.count <= 14);
    for (size_t i = 0; i < b.count; i++)
        ck_assert(b.after[i] <= ovl_backward_macs(&ask) && (i == 0 || b.after[i] >= b.after[i - 1]));
    ovl_buckets_free(&b);
    struct ovl_events e;
    double done = 0;
    int posts = 0;
    ovl_events_open(&e);
    ovl_strategy_horovod.build(&ask, 0, &e, &train_err);
    ovl_buckets_horovod(&b, &ask);
    for (size_t i = 0; i < e.count; i++) {
        done += e.list[i].work == OVL_EVENT_BACKWARD ? e.list[i].macs : 0;
        if (e.list[i].kind == OVL_EVENT_POST)
            ck_assert_double_ge(done * (1 + 1e-9), b.after[posts++]);
    }
    ck_assert_uint_eq((size_t)posts, b.count);
    ovl_buckets_free(&b);
    ovl_events_close(&e);
}

/* What a file says in place of the rule: here a benchmark's list for resnet152 of other boundaries than tensors have.
 */
static const struct {
    const char *text, *says;
    enum ovl_exit code;
} lists[] = {
    {"6511592 6567936 5905920 6113280 6176256\n# half\n6112768 6176256 6112768 # two more\n5321216\n5194816", NULL, 0},
    {"60192808\n", NULL, 0},
    {"60192807\n", "60192807 parameters, and resnet152 60192808", OVL_USAGE},
    {"", "0 parameters", OVL_USAGE},
    {"60000000\n192808 x\n", "line 2: give whole numbers", OVL_WRONG_DATA},
    {"60192808 0", "line 1", OVL_WRONG_DATA},
    {"60192807.5 0.5", "line 1", OVL_WRONG_DATA},
};

LOOP_TEST(buckets_of_a_file, 0, sizeof lists / sizeof *lists)
{
    char path[] = "/tmp/ovl-buckets-XXXXXX";
    int fd = mkstemp(path);
    ck_assert(write(fd, lists[_i].text, strlen(lists[_i].text)) == (ssize_t)strlen(lists[_i].text));
    close(fd);
    train_load("resnet152");
    struct ovl_train_ask ask = train_ask(2);
    int rc = ovl_bucket_list_read(&ask.list, path, &train_model, &train_err);
    unlink(path);
    ck_assert_int_eq(rc, lists[_i].says ? -1 : 0);
    if (lists[_i].says) {
        ck_assert_int_eq(train_err.code, lists[_i].code);
        ck_assert_msg(strstr(train_err.text, lists[_i].says) != NULL, "%s", train_err.text);
        return;
    }
    struct ovl_events e;
    double number = train_model.numbers, layer = train_model.numbers;
    int l = (int)train_model.layer_count;
    ovl_events_open(&e);
    ovl_strategy_ddp.build(&ask, 0, &e, &train_err);
    ck_assert_int_eq(e.ids, (int)ask.list.count);
    ck_assert_double_eq(train_check_events(&e), 4 * train_model.numbers);
    for (size_t i = 0; i < e.count; i++) { /* posted when all its parameters have gradients, and not later */
        const struct ovl_event *t = &e.list[i];
        if (t->kind == OVL_EVENT_COMPUTE && t->work == OVL_EVENT_BACKWARD)
            while (l > t->first_layer)
                layer -= train_model.layers[--l].numbers;
        if (t->kind != OVL_EVENT_POST)
            continue;
        number -= ask.list.numbers[t->id];
        ck_assert_double_eq(t->number, number);
        ck_assert(layer <= number && number < layer + train_model.layers[l].numbers + (l == 0));
    }
    ck_assert_double_eq(number, 0);
    ovl_events_close(&e);
    ovl_bucket_list_free(&ask.list);
}

static const struct {
    const char *text, *says;
    enum ovl_exit code;
} damaged[] = {
    {"{", "line 1", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-limits-1\"}", "schema: give \"ovl-model-1\"", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":\"f64\"}", "dtype: give \"f32\", \"bf16\"", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":{\"parameters\":\"bf16\",\"gradients\":\"f8\"}}",
     "dtype.activations: give \"f32\", \"bf16\"", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":\"f32\",\"layers\":[]}", "layers: give a list",
     OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":\"f32\",\"layers\":[{\"macs\":1,\"activation_bytes\":"
     "1,"
     "\"tensors\":[0]}]}",
     "layers[0].tensors: give whole numbers", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":\"f32\",\"layers\":[{\"repeat\":2,\"layers\":[{"
     "\"macs\":1,"
     "\"activation_bytes\":1,\"tensors\":[1]},{\"macs\":-1,\"tensors\":[1]}]}]}",
     "layers[0].layers[1].macs: give a number", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":\"f32\",\"layers\":[{\"repeat\":100000,\"layers\":[{"
     "\"repeat\":100000,\"macs\":1,\"activation_bytes\":1,\"tensors\":[1]}]}]}",
     "over 100000 layers", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":\"f32\",\"layers\":[{\"repeat\":100000,\"layers\":[{"
     "\"repeat\":100000,\"layers\":[{\"repeat\":0,\"macs\":1,\"activation_bytes\":1,\"tensors\":[1]}]}]}]}",
     "layers[0].layers[0].layers[0].repeat: give a whole number from 1", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":\"f32\",\"layers\":[{\"name\":\"a\",\"skip\":\"a\",\"macs\":"
     "1,"
     "\"activation_bytes\":1,\"tensors\":[1]}]}",
     "layers[0].skip: give the name of an earlier layer", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":\"f32\",\"layers\":[{\"name\":\"a\",\"macs\":1,\"activation_"
     "bytes\":1,"
     "\"tensors\":[1]},{\"tied\":7,\"macs\":1,\"activation_bytes\":1,\"tensors\":[1]}]}",
     "layers[1].tied: give the name of an earlier layer", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":\"f32\",\"layers\":[{\"name\":\"a\",\"macs\":1,\"activation_"
     "bytes\":1,"
     "\"tensors\":[]},{\"tied\":\"a\",\"macs\":1,\"activation_bytes\":1,\"tensors\":[1]}]}",
     "layers[1].tied: give the name of a layer with tensors", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":\"f32\",\"layers\":[{\"name\":\"a\",\"macs\":1,\"activation_"
     "bytes\":1,"
     "\"tensors\":[1]},{\"repeat\":1001,\"layers\":[{\"name\":\"b\",\"macs\":1,\"activation_bytes\":1,\"tensors\":[1]},"
     "{\"skip\":\"b\",\"macs\":1,\"activation_bytes\":1,\"tensors\":[1]}]}]}",
     "skips of over 1000 layers", OVL_WRONG_DATA},
};

LOOP_TEST(damaged_models_are_refused_with_the_place, 0, sizeof damaged / sizeof *damaged)
{
    char path[] = "/tmp/ovl-model-XXXXXX.json";
    int fd = mkstemps(path, 5);
    ck_assert(write(fd, damaged[_i].text, strlen(damaged[_i].text)) == (ssize_t)strlen(damaged[_i].text));
    close(fd);
    int rc = ovl_model_load(&train_model, path, &train_err);
    unlink(path);
    ck_assert_int_eq(rc, -1);
    ck_assert_int_eq(train_err.code, damaged[_i].code);
    ck_assert_msg(strstr(train_err.text, damaged[_i].says) != NULL, "%s", train_err.text);
}

TEST(unknown_names_are_told_with_those_that_are_known)
{
    struct ovl_train_ask ask = train_ask(1);
    ck_assert_int_eq(ovl_model_load(&train_model, "resnet51", &train_err), -1);
    ck_assert_int_eq(train_err.code, OVL_USAGE);
    ck_assert_msg(strstr(train_err.text, "bert-2.5b, bert-large, edsr_x2, edsr_x4, gpt2") != NULL, "%s",
                  train_err.text);
    ck_assert_ptr_null(ovl_strategy_find("dpp", &ask, &train_err));
    ck_assert_msg(strstr(train_err.text, "ddp, horovod") != NULL, "%s", train_err.text);
    ck_assert_ptr_null(ovl_strategy_find("horovod:0.20", &ask, &train_err));
    ck_assert_ptr_null(ovl_strategy_find("ddp:0.19", &ask, &train_err));
    ck_assert_int_eq(train_err.code, OVL_USAGE);
}

AROUND(NULL, train_unload)
