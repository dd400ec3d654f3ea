/* Launches of unlike work. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/unlike.h"
#include "record/status.h"

#include <math.h>
#include <string.h>

static const double calibrated = 2, beside_much = 1.5;

bool ovl_same_units(const struct ovl_cell *a, const struct ovl_cell *b)
{
    bool told = a->units > 0 || b->units > 0; /* 0 are as none */
    return !told ? ovl_cell_solves(a) && !*a->compute_kind && !*b->compute_kind : a->units == b->units;
}

double ovl_work_beside(const struct ovl_cell *cell)
{
    return cell->summary[OVL_COMPUTE].median / cell->summary[OVL_COMM].median;
}

bool ovl_work_beside_like(double ratio)
{
    return ratio <= beside_much && ratio >= 1 / beside_much;
}

static const json_t *model_of(const struct ovl_run *run)
{
    return json_object_get(json_object_get(run->head, "input_files"), "model");
}

bool ovl_same_model(const struct ovl_run *a, const struct ovl_run *b)
{
    return model_of(a) == model_of(b) || json_equal(model_of(a), model_of(b));
}

double ovl_members_work_ratio(const struct ovl_member *members, size_t count)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < count; i++)
        if (ovl_member_claims(&members[i])) {
            least = fmin(least, members[i].cell->units); /* fmin and fmax pass over NAN */
            most = fmax(most, members[i].cell->units);
        }
    return most > least ? most / least : 1;
}

const char *ovl_members_unlike(const struct ovl_member *members, size_t count)
{
    const struct ovl_member *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!ovl_member_claims(&members[i]))
            continue;
        first = first ? first : &members[i];
        if (!ovl_same_model(first->run, members[i].run))
            return "model";
    }
    return ovl_members_work_ratio(members, count) > calibrated ? "units" : NULL;
}

/* What a host tells of its machine; NULL: nothing. */
static const char *machine_of(const json_t *hosts, size_t i)
{
    return json_string_value(json_object_get(json_array_get(hosts, i), "machine"));
}

bool ovl_share_machine(const struct ovl_run *a, const struct ovl_run *b)
{
    const json_t *mine = json_object_get(a->head, "hosts"), *theirs = json_object_get(b->head, "hosts");
    bool told[2] = {false, false};
    for (size_t i = 0; i < json_array_size(mine); i++)
        told[0] = told[0] || machine_of(mine, i);
    for (size_t k = 0; k < json_array_size(theirs); k++) {
        const char *two = machine_of(theirs, k);
        told[1] = told[1] || two;
        for (size_t i = 0; i < json_array_size(mine) && two; i++)
            if (machine_of(mine, i) && strcmp(machine_of(mine, i), two) == 0)
                return true;
    }
    return !told[0] && !told[1];
}
