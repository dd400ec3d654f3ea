/* Offload lines of a record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/offload/lines.h"

#include <string.h>

/* The first field that was not as it should be; NULL: none. */
struct reading {
    const json_t *line;
    const char *wrong;
};

static const json_t *field(struct reading *in, const char *name, bool (*fits)(const json_t *value))
{
    const json_t *value = json_object_get(in->line, name);
    if (fits(value))
        return value;
    in->wrong = in->wrong ? in->wrong : name;
    return NULL;
}

static bool whole(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool seconds(const json_t *value)
{
    return json_is_number(value) && json_number_value(value) >= 0;
}

static bool text(const json_t *value)
{
    return json_is_string(value);
}

static bool list(const json_t *value)
{
    return json_is_array(value) && json_array_size(value) <= OVL_OFFLOAD_OPERATIONS;
}

static bool reasons(const json_t *value)
{
    return json_is_object(value) && json_object_size(value) <= OVL_OFFLOAD_REASONS;
}

static uint64_t count_of(struct reading *in, const char *name)
{
    return (uint64_t)json_integer_value(field(in, name, whole));
}

/* Earlier records do not tell. */
static uint64_t later_count(struct reading *in, const char *name)
{
    return json_object_get(in->line, name) ? count_of(in, name) : 0;
}

static const char *text_of(struct reading *in, const char *name)
{
    const char *value = json_string_value(field(in, name, text));
    return value ? value : "";
}

static double seconds_of(struct reading *in, const char *name)
{
    return json_number_value(field(in, name, seconds));
}

static void read_operation(struct reading *of, const json_t *line, struct ovl_offload_operation *o)
{
    struct reading in = {.line = line};
    const char *why;
    json_t *calls;
    *o = (struct ovl_offload_operation){.name = text_of(&in, "name"),
                                        .calls = count_of(&in, "calls"),
                                        .offloaded = count_of(&in, "offloaded"),
                                        .bytes = count_of(&in, "bytes")};
    json_object_foreach((json_t *)field(&in, "host", reasons), why, calls) {
        if (!whole(calls))
            in.wrong = "host";
        o->host[o->reasons++] = (struct ovl_offload_reason){why, (uint64_t)json_integer_value(calls)};
    }
    of->wrong = of->wrong ? of->wrong : in.wrong;
}

int ovl_offload_from_json(const json_t *line, struct ovl_offload_report *r, struct ovl_error *err)
{
    struct reading in = {.line = line};
    const json_t *refused = json_object_get(line, "refused"), *why = json_object_get(line, "least_why"),
                 *operations = field(&in, "operations", list);
    *r = (struct ovl_offload_report){.program = text_of(&in, "program"),
                                     .ended = text_of(&in, "ended"),
                                     .refused = refused ? text_of(&in, "refused") : NULL,
                                     .ranks = (int)count_of(&in, "ranks"),
                                     .nodes = (int)count_of(&in, "nodes"),
                                     .workers = (int)count_of(&in, "workers"),
                                     .path = text_of(&in, "path"),
                                     .shared_cores = json_is_true(json_object_get(line, "shared_cores")),
                                     .least = count_of(&in, "least_bytes"),
                                     .least_why = why ? text_of(&in, "least_why") : "",
                                     .raised = strcmp(text_of(&in, "priority"), "high") == 0,
                                     .done = count_of(&in, "worker_operations"),
                                     .posted = count_of(&in, "posted"),
                                     .packed = count_of(&in, "packed"),
                                     .mapped_bytes = later_count(&in, "mapped_bytes"),
                                     .staged_bytes = later_count(&in, "staged_bytes"),
                                     .heap_ranks = later_count(&in, "heap_ranks"),
                                     .unfinished = count_of(&in, "unfinished"),
                                     .unproven_ranks = count_of(&in, "unproven_ranks"),
                                     .start_seconds = seconds_of(&in, "start_seconds"),
                                     .seconds = seconds_of(&in, "seconds"),
                                     .posting_seconds = seconds_of(&in, "posting_seconds"),
                                     .waited_seconds = seconds_of(&in, "waited_seconds"),
                                     .waited_most_seconds = seconds_of(&in, "waited_most_seconds")};
    for (size_t i = 0; i < json_array_size(operations); i++)
        read_operation(&in, json_array_get(operations, i), &r->operation[r->operations++]);
    return in.wrong ? ovl_error_set(err, OVL_WRONG_DATA, "%s: a value of another kind is wanted here", in.wrong) : 0;
}

/* The values that are compared are numbers. */
static int check_launch(const json_t *line, struct ovl_error *err)
{
    static const char *const texts[] = {"comparison", "side"};
    const json_t *command = json_object_get(line, "command");
    const char *wrong = !json_is_number(json_object_get(line, "wall_seconds")) ? "wall_seconds"
                        : !whole(json_object_get(line, "pair"))                ? "pair"
                        : !json_is_object(json_object_get(line, "values"))     ? "values"
                        : !json_is_array(command)                              ? "command"
                                                                               : NULL;
    for (size_t i = 0; i < 2; i++)
        wrong = text(json_object_get(line, texts[i])) ? wrong : texts[i];
    for (size_t i = 0; i < json_array_size(command); i++)
        wrong = text(json_array_get(command, i)) ? wrong : "command";
    return wrong ? ovl_error_set(err, OVL_WRONG_DATA, "%s: a value of another kind is wanted here", wrong) : 0;
}

bool ovl_offload_owns(const char *kind)
{
    return strcmp(kind, "offload") == 0 || strcmp(kind, "launch") == 0;
}

int ovl_offload_keep(json_t **lines, json_t *line, struct ovl_error *err)
{
    struct ovl_offload_report report;
    const char *kind = json_string_value(json_object_get(line, "record"));
    if ((kind && strcmp(kind, "launch") == 0 ? check_launch(line, err) : ovl_offload_from_json(line, &report, err)) !=
        0)
        return -1;
    *lines = *lines ? *lines : json_array();
    return json_array_append(*lines, line);
}
