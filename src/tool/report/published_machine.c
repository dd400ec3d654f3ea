/* Where launches of `ovl published` were measured. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/report/published_machine.h"
#include "record/field.h"

#include <stdio.h>
#include <stdlib.h>

static void collect_text(void *to, const char *name, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    (void)name;
    json_object_set_new(to, text, json_true());
    free(text);
}

/* The different texts of a field: as many nodes of one kind as there may be are one. */
static json_t *texts_of(const struct ovl_field *f, const json_t *head)
{
    json_t *texts = json_object();
    ovl_field_each(head, f, collect_text, texts);
    return texts;
}

/* What a figure must have in common though no text of it is printed: `ovl compare` holds apart what differs in it. A
   rank more has a processor more to be bound to. */
static json_t *machine_of(const struct ovl_run *run, bool ranks)
{
    static const char *const names[] = {
        "hosts[].cpu", "hosts[].cores", "hosts[].physical_cores", "hosts[].caches[].bytes",
        "mpi.library", "blas",          "hosts[].governor",       "binding[]"};
    json_t *all = json_object();
    for (size_t i = 0; i < sizeof names / sizeof *names - ranks; i++) {
        const struct ovl_field *f = ovl_field_named(ovl_fields_run, names[i]);
        json_t *texts = f ? texts_of(f, run->head) : NULL;
        if (json_object_size(texts) > 0 || (f && !f->later))
            json_object_set(all, names[i], texts);
        json_decref(texts);
    }
    return all;
}

/* What earlier records do not tell is like anything. */
void ovl_published_same_machine(json_t **first, const struct ovl_run *run, bool ranks, char *apart, size_t room)
{
    const char *name;
    json_t *texts, *machine = machine_of(run, ranks);
    json_object_foreach(machine, name, texts) {
        const json_t *other = json_object_get(*first, name);
        if (other && !json_equal(other, texts) && !*apart)
            snprintf(apart, room, "%s", name);
    }
    if (*first)
        json_decref(machine);
    else
        *first = machine;
}
