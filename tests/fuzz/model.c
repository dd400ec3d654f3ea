/* Model files of any bytes, of a training and of what is served: refused by layer and member, or sound, and then their
   sums are those of their layers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/model.h"
#include "apps/serve/strategy/served.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

enum { CODES = 1 << OVL_WRONG_DATA | 1 << OVL_ENVIRONMENT };

static void look_at_trained(const struct ovl_model *m)
{
    size_t tensors = 0;
    double numbers = 0;
    MUST(m->layer_count > 0 && m->units > 0);
    for (size_t i = 0; i < m->layer_count; i++) {
        const struct ovl_layer *l = &m->layers[i];
        MUST(l->first == tensors && l->unit >= 0 && l->unit < m->units);
        MUST(l->macs >= 0 && l->activation_bytes >= 0 && l->numbers >= 0);
        tensors += l->tensors;
        numbers += l->numbers;
    }
    MUST(tensors == m->tensor_count && numbers == m->numbers && isfinite(numbers) && isfinite(m->macs));
    for (size_t i = 0; i < m->skip_count; i++)
        MUST(m->skips[i].from >= 0 && m->skips[i].from < m->skips[i].to && m->skips[i].to < (int)m->layer_count);
    MUST(m->tied.of >= 0 && m->tied.of <= m->tied.by && m->tied.by < (int)m->layer_count);
}

static void look_at_served(const struct ovl_served *m)
{
    struct ovl_error err = {.code = OVL_OK};
    MUST(m->blocks > 0 && m->hidden > 0 && m->heads > 0);
    MUST(ovl_served_kept(m) > 0 && ovl_served_kept_shared(m, m->heads) > 0);
    MUST(isfinite(ovl_served_look_macs(m, false)) && isfinite(ovl_served_attention_macs(m)));
    MUST(isfinite(ovl_served_own_macs(m, 0)) && isfinite(ovl_served_own_macs(m, m->blocks - 1)));
    for (int ranks = 1; ranks < 9; ranks++)
        if (ovl_served_check_ranks(m, ranks, &err) != 0)
            fuzz_check_refusal(&err, 1 << OVL_USAGE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"model.json", NULL};
    struct ovl_model trained;
    struct ovl_served served;
    struct ovl_error err = {.code = OVL_OK};
    fuzz_files_put(names, data, size);
    if (ovl_model_load(&trained, "./model.json", &err) == 0) {
        look_at_trained(&trained);
        ovl_model_free(&trained);
    } else {
        fuzz_check_refusal(&err, CODES);
    }
    if (ovl_served_load(&served, "./model.json", &err) == 0)
        look_at_served(&served);
    else
        fuzz_check_refusal(&err, CODES);
    fuzz_files_remove(names);
    return 0;
}

FUZZ_JSON
