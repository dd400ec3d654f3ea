/* Sorting the cells of launches into groups. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/group.h"
#include "base/utf8.h"
#include "cli/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDENTITY(function)                                                                                             \
    static void function(char text[OVL_IDENTITY_TEXT], const struct ovl_run *run, const struct ovl_cell *cell)
#define TEXT_OF(function, member)                                                                                      \
    IDENTITY(function)                                                                                                 \
    {                                                                                                                  \
        (void)run;                                                                                                     \
        snprintf(text, OVL_IDENTITY_TEXT, "%s", cell->member);                                                         \
    }
#define NUMBER_OF(function, member)                                                                                    \
    IDENTITY(function)                                                                                                 \
    {                                                                                                                  \
        (void)run;                                                                                                     \
        put_number(text, cell->member);                                                                                \
    }

static void put_number(char text[OVL_IDENTITY_TEXT], double x)
{
    text[0] = '\0';
    if (isfinite(x))
        snprintf(text, OVL_IDENTITY_TEXT, "%.12g", x);
}

TEXT_OF(benchmark, benchmark)
TEXT_OF(grid, grid)
TEXT_OF(kernel, compute_kind)
TEXT_OF(skew, skew)
TEXT_OF(mode, mode)
TEXT_OF(engine, engine)
TEXT_OF(memory_path, path)
TEXT_OF(placement, placement)
TEXT_OF(datatype, datatype)
TEXT_OF(transform, transform)
TEXT_OF(bcast, bcast)
NUMBER_OF(variables, variables)
NUMBER_OF(chunks, chunks)
NUMBER_OF(window, window)
NUMBER_OF(test_lines, test_lines)
NUMBER_OF(depth, depth)
NUMBER_OF(threads, threads)
NUMBER_OF(ranks, ranks)
NUMBER_OF(order, n)
NUMBER_OF(block, nb)
NUMBER_OF(ratio, ratio)
NUMBER_OF(compute_us, compute_us)
NUMBER_OF(test_calls, test_calls)
NUMBER_OF(rotate, rotate)
NUMBER_OF(size, size_bytes)
NUMBER_OF(workers, workers)

IDENTITY(nodes)
{
    (void)cell;
    put_number(text, json_number_value(json_object_get(run->head, "nodes")));
}

IDENTITY(cluster)
{
    (void)cell;
    const char *said = json_string_value(json_object_get(json_object_get(run->head, "environment"), "OVL_CLUSTER"));
    ovl_utf8_print(text, OVL_IDENTITY_TEXT, "%s", said ? said : "");
}

IDENTITY(persistent)
{
    (void)run;
    strcpy(text, cell->persistent > 0 ? "yes" : "");
}

IDENTITY(procs)
{
    (void)run;
    snprintf(text, OVL_IDENTITY_TEXT, "%s", cell->procs);
    if (!isnan(cell->p) && !isnan(cell->q))
        snprintf(text, OVL_IDENTITY_TEXT, "%.0fx%.0f", cell->p, cell->q);
}

/* What was chosen for the whole run: its option of that name. "" where the run has none, or does not say. */
static void put_option(char text[OVL_IDENTITY_TEXT], const struct ovl_run *run, const char *name)
{
    const json_t *value = json_object_get(json_object_get(run->head, "options"), name);
    text[0] = '\0';
    if (json_is_string(value))
        ovl_utf8_print(text, OVL_IDENTITY_TEXT, "%s", json_string_value(value));
    else if (json_is_number(value))
        put_number(text, json_number_value(value));
    else if (json_is_true(value))
        strcpy(text, "yes");
}

IDENTITY(root)
{
    (void)cell;
    put_option(text, run, "root");
}

/* Options of the workers say nothing of cells that none of them touched. */
#define WORKERS_OPTION(name)                                                                                           \
    IDENTITY(name)                                                                                                     \
    {                                                                                                                  \
        text[0] = '\0';                                                                                                \
        if (strcmp(cell->engine, "worker") == 0)                                                                       \
            put_option(text, run, #name);                                                                              \
    }

WORKERS_OPTION(device)
WORKERS_OPTION(cold)
WORKERS_OPTION(dpu_min)
WORKERS_OPTION(worker_idle)
WORKERS_OPTION(worker_map)
WORKERS_OPTION(worker_slowdown)

const struct ovl_identity ovl_identities[OVL_IDENTITIES] = {
    {"benchmark", false, benchmark, NULL},
    {"ranks", true, ranks, NULL},
    {"nodes", true, nodes, NULL},
    {"cluster", false, cluster, ""},
    {"grid", false, grid, ""},
    {"transform", false, transform, "r2c"},
    {"variables", true, variables, ""},
    {"n", true, order, ""},
    {"nb", true, block, ""},
    {"procs", false, procs, ""},
    {"bcast", false, bcast, ""},
    {"depth", true, depth, ""},
    {"threads", true, threads, "1"},
    {"chunks", true, chunks, ""},
    {"window", true, window, ""},
    {"test_lines", true, test_lines, "0"},
    {"kernel", false, kernel, "fma"},
    {"ratio", true, ratio, "1"},
    {"compute_us", true, compute_us, ""},
    {"test_calls", true, test_calls, "0"},
    {"skew", false, skew, "none"},
    {"persistent", false, persistent, ""},
    {"rotate", true, rotate, "1"},
    {"root", true, root, "0"},
    {"size_bytes", true, size, ""},
    {"mode", false, mode, NULL},
    {"engine", false, engine, "mpi"},
    {"path", false, memory_path, ""},
    {"placement", false, placement, "host"},
    {"workers", true, workers, "0"},
    {"device", false, device, ""},
    {"cold", false, cold, ""},
    {"dpu_min", true, dpu_min, "0"},
    {"worker_idle", false, worker_idle, "auto"},
    {"worker_map", false, worker_map, "cyclic"},
    {"worker_slowdown", true, worker_slowdown, "1"},
    {"datatype", false, datatype, "MPI_CHAR"},
};

const struct ovl_identity *ovl_identity_find(const char *name)
{
    for (size_t i = 0; i < OVL_IDENTITIES; i++)
        if (strcmp(ovl_identities[i].name, name) == 0)
            return &ovl_identities[i];
    return NULL;
}

static char *key_of(const struct ovl_run *run, const struct ovl_cell *cell)
{
    char key[OVL_IDENTITIES * OVL_IDENTITY_TEXT], text[OVL_IDENTITY_TEXT];
    size_t n = 0;
    for (size_t i = 0; i < OVL_IDENTITIES; i++) {
        ovl_identities[i].text(text, run, cell);
        n += (size_t)snprintf(key + n, sizeof key - n, "%s\t", text);
    }
    return strdup(key);
}

static int in_order(const void *a, const void *b)
{
    const struct ovl_member *x = a, *y = b;
    int by_key = strverscmp(x->key, y->key);
    if (by_key)
        return by_key;
    if (x->side != y->side)
        return x->side < y->side ? -1 : 1;
    int by_time = strcmp(ovl_run_text(x->run, "started"), ovl_run_text(y->run, "started"));
    if (by_time)
        return by_time;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    return x->cell < y->cell ? -1 : 1;
}

static int gather(struct ovl_groups *g, const struct ovl_record *const *records, size_t record_count)
{
    size_t most = 0;
    for (size_t side = 0; side < record_count; side++)
        for (size_t r = 0; r < records[side]->run_count; r++)
            most += records[side]->runs[r].cell_count;
    g->members = calloc(most ? most : 1, sizeof *g->members);
    g->group = calloc(most ? most : 1, sizeof *g->group);
    if (!g->members || !g->group)
        return -1;
    for (size_t side = 0; side < record_count; side++)
        for (size_t r = 0; r < records[side]->run_count; r++)
            for (size_t c = 0; c < records[side]->runs[r].cell_count; c++) {
                const struct ovl_run *run = &records[side]->runs[r];
                struct ovl_member *m = &g->members[g->member_count];
                *m = (struct ovl_member){side, run, &run->cells[c], key_of(run, &run->cells[c])};
                if (!m->key)
                    return -1;
                g->member_count++;
            }
    qsort(g->members, g->member_count, sizeof *g->members, in_order);
    return 0;
}

/* Drops what a run has twice and finds where each group begins. */
static void divide(struct ovl_groups *g)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->member_count; i++) {
        struct ovl_member *m = &g->members[i], *last = kept > 0 ? &g->members[kept - 1] : NULL;
        bool same = last && strcmp(last->key, m->key) == 0;
        if (same && last->run == m->run) {
            g->repeated++;
            free(m->key);
            continue;
        }
        if (!same)
            g->group[g->count++].member = &g->members[kept];
        g->members[kept++] = *m;
        g->group[g->count - 1].count++;
    }
    g->member_count = kept;
}

static void put_word(char *text, size_t room, const struct ovl_identity *id, const char *value)
{
    char size[24];
    size_t n = strlen(text);
    const char *gap = n ? " " : "";
    if (strcmp(id->name, "size_bytes") == 0) {
        ovl_options_size_text((uint64_t)strtoull(value, NULL, 10), size);
        ovl_utf8_print(text + n, room - n, "%s%s", gap, size);
    } else if (strcmp(id->name, "benchmark") == 0 || strcmp(id->name, "mode") == 0) {
        ovl_utf8_print(text + n, room - n, "%s%s", gap, value);
    } else {
        ovl_utf8_print(text + n, room - n, "%s%s=%s", gap, id->name, value);
    }
}

/* Benchmark, mode and size stand in each label; of the others those in which groups differ. */
static void label(struct ovl_groups *g)
{
    static const char *const always[] = {"benchmark", "mode", "size_bytes"};
    char text[OVL_IDENTITY_TEXT], other[OVL_IDENTITY_TEXT];
    for (size_t a = 0; a < 3; a++)
        for (size_t k = 0; k < g->count; k++) {
            const struct ovl_identity *id = ovl_identity_find(always[a]);
            const struct ovl_member *m = g->group[k].member; /* the analyzer does not see that divide() sets it */
            id->text(text, m->run, m->cell);                 /* NOLINT(clang-analyzer-core.NullDereference) */
            if (*text)
                put_word(g->group[k].label, sizeof g->group[k].label, id, text);
        }
    for (size_t i = 0; i < OVL_IDENTITIES && g->count > 0; i++) {
        const struct ovl_identity *id = &ovl_identities[i];
        bool differs = false;
        if (strcmp(id->name, always[0]) == 0 || strcmp(id->name, always[1]) == 0 || strcmp(id->name, always[2]) == 0)
            continue;
        id->text(text, g->group[0].member->run, g->group[0].member->cell);
        for (size_t k = 1; k < g->count; k++) {
            id->text(other, g->group[k].member->run, g->group[k].member->cell);
            differs |= strcmp(text, other) != 0;
        }
        if (!differs && *text)
            put_word(g->common, sizeof g->common, id, text);
        for (size_t k = 0; k < g->count && differs; k++) {
            id->text(text, g->group[k].member->run, g->group[k].member->cell);
            if (*text && !(id->usual && strcmp(text, id->usual) == 0))
                put_word(g->group[k].label, sizeof g->group[k].label, id, text);
        }
    }
}

int ovl_groups_make(struct ovl_groups *g, const struct ovl_record *const *records, size_t record_count,
                    struct ovl_error *err)
{
    *g = (struct ovl_groups){0};
    if (gather(g, records, record_count) != 0) {
        ovl_groups_free(g);
        return ovl_error_set(err, OVL_ENVIRONMENT, "no memory for the cells");
    }
    divide(g);
    label(g);
    return 0;
}

void ovl_groups_free(struct ovl_groups *g)
{
    for (size_t i = 0; i < g->member_count; i++)
        free(g->members[i].key);
    free(g->members);
    free(g->group);
    *g = (struct ovl_groups){0};
}

size_t ovl_group_side(const struct ovl_group *g, size_t side, const struct ovl_member **first)
{
    size_t before = 0, n = 0;
    while (before < g->count && g->member[before].side < side)
        before++;
    while (before + n < g->count && g->member[before + n].side == side)
        n++;
    *first = g->member + before;
    return n;
}

void ovl_group_name(const struct ovl_group *g, char name[256])
{
    snprintf(name, 256, "%s", g->label);
    for (char *c = name; *c; c++)
        if (*c == ' ')
            *c = '/';
}

json_t *ovl_group_json(const struct ovl_group *g)
{
    json_t *o = json_object();
    for (size_t i = 0; i < OVL_IDENTITIES; i++) {
        char text[OVL_IDENTITY_TEXT];
        ovl_identities[i].text(text, g->member->run, g->member->cell);
        if (!*text)
            continue;
        double x = strtod(text, NULL);
        bool whole = ovl_identities[i].number && x == floor(x) && fabs(x) < 1e15;
        json_object_set_new(o, ovl_identities[i].name,
                            whole                      ? json_integer((json_int_t)x)
                            : ovl_identities[i].number ? json_real(x)
                                                       : json_string(text));
    }
    return o;
}
