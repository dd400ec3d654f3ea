/* The head of a table: what was measured, where, and what is to be known of that. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/name.h"
#include "cli/catalog.h"
#include "cli/sizes.h"
#include "record/derived/link_model.h"
#include "record/field.h"
#include "table/table.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void ovl_words_put(FILE *out, struct ovl_words *words, const char *format, ...)
{
    static const char indent[] = "#           ";
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const size_t most = 118, length = strlen(text);
    if (words->count > 0 && words->column + length + 2 > most) {
        fputs(";\n", out);
        words->column = 0;
    }
    if (words->column == 0)
        words->column = (size_t)fprintf(out, "%s", words->count > 0 ? indent : words->head);
    else
        words->column += (size_t)fprintf(out, "; ");
    words->column += (size_t)fprintf(out, "%s", text);
    words->count++;
}

void ovl_words_end(FILE *out, struct ovl_words *words)
{
    if (words->count > 0)
        fputs("\n", out);
    words->column = words->count = 0;
}

static const char *text_at(const json_t *o, const char *name)
{
    const char *text = json_string_value(json_object_get(o, name));
    return text ? text : "?";
}

static long long whole_at(const json_t *o, const char *name)
{
    return (long long)json_integer_value(json_object_get(o, name));
}

/* The variables that steer the MPI library, as many on a line as fit; not those that only tell it of the job. */
static void print_environment(FILE *out, json_t *environment)
{
    const char *name;
    json_t *value;
    size_t column = 0;
    json_object_foreach(environment, name, value) {
        if (ovl_name_of_launcher(name))
            continue;
        const char *text = json_string_value(value) ? json_string_value(value) : "?";
        size_t length = strlen(name) + strlen(text) + 2;
        if (column == 0 || column + length > 118)
            column = (size_t)fprintf(out, "%s# set      ", column ? "\n" : "") - (column != 0);
        fprintf(out, " %s=%s", name, text);
        column += length;
    }
    if (column)
        fputs("\n", out);
}

/* "0-3,8", of rising numbers; what has no room ends in "...". */
static void list_numbers(char *text, size_t room, const json_t *numbers)
{
    size_t count = json_array_size(numbers), at = 0;
    *text = '\0';
    for (size_t i = 0, last; i < count; i = last + 1) {
        long long first = json_integer_value(json_array_get(numbers, i));
        for (last = i; last + 1 < count; last++)
            if (json_integer_value(json_array_get(numbers, last + 1)) != first + (long long)(last + 1 - i))
                break;
        char range[48] = "";
        if (last > i)
            snprintf(range, sizeof range, "-%lld", first + (long long)(last - i));
        if (at + 48 > room) {
            snprintf(text + at, room - at, ",...");
            return;
        }
        at += (size_t)snprintf(text + at, room - at, "%s%lld%s", i ? "," : "", first, range);
    }
}

/* A machine may have workers of two kinds. */
static size_t count_hosts(const json_t *processors)
{
    json_t *hosts = json_object();
    for (size_t i = 0; i < json_array_size(processors); i++)
        json_object_set_new(hosts, text_at(json_array_get(processors, i), "host"), json_true());
    size_t n = json_object_size(hosts);
    json_decref(hosts);
    return n;
}

/* Which workers are on which machine, of what kind; where these are many, how many more. */
static void put_processors(FILE *out, struct ovl_words *words, const json_t *processors)
{
    enum { MOST = 4 };
    size_t n = json_array_size(processors);
    for (size_t i = 0; i < n && i < MOST; i++) {
        const json_t *p = json_array_get(processors, i), *numbers = json_object_get(p, "workers");
        char list[96];
        list_numbers(list, sizeof list, numbers);
        ovl_words_put(out, words, "worker%s %s: %s on %.60s%s", json_array_size(numbers) > 1 ? "s" : "", list,
                      text_at(p, "architecture"), text_at(p, "host"),
                      json_is_true(json_object_get(p, "emulated")) ? ", emulated" : "");
    }
    if (n > MOST)
        ovl_words_put(out, words, "and so on, %zu machines in all", count_hosts(processors));
}

/* Who works in dpu mode, and what that costs: an emulated result must not pass for a real one. */
static void print_offload(FILE *out, const json_t *offload, long long workers)
{
    if (!offload)
        return;
    struct ovl_words words = {.head = "# dpu       "};
    const char *placement = text_at(offload, "placement"), *plural = workers == 1 ? "" : "s";
    const json_t *environment = json_object_get(offload, "worker_environment");
    const char *rendezvous = json_string_value(json_object_get(environment, "UCX_RNDV_THRESH"));
    double slowdown = json_number_value(json_object_get(offload, "slowdown"));
    ovl_words_put(out, &words, "engine %s, path %s, on %s%s", text_at(offload, "engine"), text_at(offload, "path"),
                  placement, strcmp(placement, "bluefield") == 0 ? "" : ": emulated, no BlueField");
    if (json_is_true(json_object_get(offload, "cores_shared")))
        ovl_words_put(out, &words, "%lld worker%s beside the ranks on the same cores", workers, plural);
    else
        ovl_words_put(out, &words, "%lld worker%s on %lld extra core%s", workers, plural, workers, plural);
    put_processors(out, &words, json_object_get(offload, "processors"));
    bool high = strcmp(text_at(offload, "priority"), "high") == 0;
    ovl_words_put(out, &words, "idle %s%s", text_at(offload, "idle"), high ? ", priority high (autogroup -20)" : "");
    if (slowdown > 1)
        ovl_words_put(out, &words, "each step slowed down %g times", slowdown);
    if (strcmp(text_at(offload, "transport"), "tcp") == 0)
        ovl_words_put(out, &words, "workers reach each other by TCP, without MPI");
    double retry = json_number_value(json_object_get(offload, "retry_seconds"));
    if (retry > 0)
        ovl_words_put(out, &words, "a line is lost after %.1f s", retry);
    if (rendezvous)
        ovl_words_put(out, &words, "workers' UCX_RNDV_THRESH=%s, set by %s", rendezvous,
                      text_at(environment, "set_by"));
    ovl_words_end(out, &words);
}

/* The progress threads of mode thread, and what they stand on. */
static void print_thread(FILE *out, const json_t *thread)
{
    struct ovl_words words = {.head = "# thread    "};
    const json_t *processors = json_object_get(thread, "processors");
    const char *first = json_string_value(json_array_get(processors, 0));
    bool flag = strcmp(text_at(thread, "wait"), "flag") == 0;
    double seconds[2] = {json_number_value(json_object_get(thread, "flag_seconds")),
                         json_number_value(json_object_get(thread, "back_seconds"))};
    if (!thread)
        return;
    ovl_words_put(out, &words, "a progress thread for each rank, %s",
                  json_is_true(json_object_get(thread, "cores_shared")) ? "on cores that others need too"
                                                                        : "with a core of its own");
    ovl_words_put(out, &words, "idle %s", text_at(thread, "idle"));
    ovl_words_put(out, &words, "rank 0's may run on %s", first ? first : "?");
    ovl_words_put(out, &words, "ranks wait %s (%.1f us for 64 KiB, else %.1f)",
                  flag ? "for its flag" : "by having requests back", 1e6 * seconds[!flag], 1e6 * seconds[flag]);
    ovl_words_end(out, &words);
}

static void print_energy(FILE *out, const json_t *energy)
{
    struct ovl_words words = {.head = "# energy    "};
    const char *of;
    const json_t *source;
    json_object_foreach((json_t *)energy, of, source) {
        if (json_is_string(source))
            ovl_words_put(out, &words, "%s by %s", of, json_string_value(source));
    }
    if (energy && words.count == 0)
        ovl_words_put(out, &words, "not read: this machine shows no counter of it that we may read");
    ovl_words_end(out, &words);
}

static void print_work(FILE *out, const json_t *options)
{
    const json_t *us = json_object_get(options, "compute_us"), *ratios = json_object_get(options, "compute_ratio"),
                 *flops = json_object_get(options, "flops"), *units = json_object_get(options, "compute_units");
    fprintf(out, "# work      kernel %s, ", text_at(options, "compute"));
    if (json_is_true(json_object_get(options, "compute_real"))) {
        fputs("the model's multiply-adds", out);
        double scale = json_number_value(json_object_get(options, "scale_flops"));
        fprintf(out, scale == 1 ? "\n" : " / %g\n", scale);
        return;
    }
    if (json_is_number(flops)) { /* of ovl_serve alone, where a network is none that is simulated */
        fprintf(out, "the model's multiply-adds at %g Gflop/s a rank\n", 1e-9 * json_number_value(flops));
        return;
    }
    if (json_is_number(units)) {
        fprintf(out, "%.12g units of it\n", json_number_value(units));
        return;
    }
    if (json_is_number(us)) {
        fprintf(out, "%g us%s\n", json_number_value(us), json_is_array(ratios) ? " for every size" : "");
        return;
    }
    if (json_is_number(ratios))
        fprintf(out, "%g", json_number_value(ratios));
    for (size_t i = 0; i < json_array_size(ratios); i++)
        fprintf(out, "%s%g", i ? ", " : "", json_number_value(json_array_get(ratios, i)));
    fputs(" times the host's communication time\n", out);
}

/* The operation where options make it another one than usual: those of the point that are not the workers' alone. */
static void print_operation(FILE *out, const struct ovl_run *run)
{
    struct ovl_words words = {.head = "# operation "};
    char text[OVL_FIELD_TEXT_ROOM], said[OVL_FIELD_TEXT_ROOM + 32];
    const char *datatype = ovl_run_text(run, "datatype");
    static const struct ovl_cell none;
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        if (strncmp(f->path, "options.", strlen("options.")) != 0 || ovl_field_is_partial(f) || !f->phrase)
            continue;
        ovl_field_text(text, f, run, &none);
        if (!*text || (f->usual && strcmp(text, f->usual) == 0))
            continue;
        if (words.count == 0 && *datatype)
            ovl_words_put(out, &words, "%s", datatype);
        ovl_field_say(said, sizeof said, f, text);
        ovl_words_put(out, &words, "%s", said);
    }
    ovl_words_end(out, &words);
}

/* Parts that "; " divides, as many on a line as fit. */
static void print_solves(FILE *out, const char *text)
{
    struct ovl_words words = {.head = "# solves    "};
    char part[256];
    for (const char *end; text; text = end ? end + 2 : NULL) {
        end = strstr(text, "; ");
        snprintf(part, sizeof part, "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
        ovl_words_put(out, &words, "%s", part);
    }
    ovl_words_end(out, &words);
}

static void print_machine(FILE *out, const json_t *host, bool of_several)
{
    long long threads = whole_at(host, "cores"), cores = whole_at(host, "physical_cores");
    fprintf(out, "# machine   %s, ", text_at(host, "cpu"));
    if (cores > 0 && cores < threads)
        fprintf(out, "%lld cores with %lld hardware threads", cores, threads);
    else
        fprintf(out, "%lld cores", threads);
    fprintf(out, ", %s%s\n", text_at(host, "kernel"), of_several ? " (first node)" : "");
}

void ovl_table_build(FILE *out, const struct ovl_run *run)
{
    const json_t *host = json_array_get(json_object_get(run->head, "hosts"), 0), *load = json_object_get(host, "load"),
                 *build = json_object_get(run->head, "build"), *cache;
    struct ovl_words words = {.head = "# build     "};
    char size[24];
    size_t i;
    if (build)
        ovl_words_put(out, &words, "%s, %s", text_at(build, "compiler"), text_at(build, "flags"));
    json_array_foreach(json_object_get(host, "caches"), i, cache) {
        ovl_options_size_text((uint64_t)whole_at(cache, "bytes"), size);
        ovl_words_put(out, &words, "L%lld %s %s", whole_at(cache, "level"), text_at(cache, "type"), size);
    }
    if (json_is_number(load))
        ovl_words_put(out, &words, "load %.2f", json_number_value(load));
    ovl_words_end(out, &words);
}

void ovl_table_head(FILE *out, const struct ovl_run *run)
{
    const json_t *h = run->head, *host = json_array_get(json_object_get(h, "hosts"), 0),
                 *options = json_object_get(h, "options");
    const struct ovl_benchmark *b = ovl_benchmark_find(text_at(h, "benchmark"));
    char library[192];
    long long ranks = whole_at(h, "ranks"), nodes = whole_at(h, "nodes"), workers = whole_at(h, "workers");

    fprintf(out, "# %s %s", b ? b->program : text_at(h, "benchmark"), text_at(h, "ovl_version"));
    if (b)
        fprintf(out, ": %s, blocking twin %s", b->call, b->blocking);
    fputs("\n", out);
    print_machine(out, host, nodes > 1);
    ovl_name_shorten(library, sizeof library, text_at(json_object_get(h, "mpi"), "library"));
    fprintf(out, "# mpi       %s, threads %s; %lld rank%s on %lld node%s, %lld worker%s\n", library,
            text_at(json_object_get(h, "mpi"), "thread_level"), ranks, ranks == 1 ? "" : "s", nodes,
            nodes == 1 ? "" : "s", workers, workers == 1 ? "" : "s");
    if (b)
        print_operation(out, run);
    double rate = 8e-9 * ovl_link_cluster_rate(run);
    if (!isnan(rate))
        fprintf(out, "# network   emulated on one machine, %g Gbit/s each way at every node\n", rate);
    print_offload(out, json_object_get(h, "offload"), workers);
    print_thread(out, json_object_get(h, "thread"));
    print_energy(out, json_object_get(h, "energy"));
    if (json_object_get(options, "compute"))
        print_work(out, options);
    print_solves(out, json_string_value(json_object_get(h, "solves")));
    const json_t *warnings = json_object_get(h, "warnings");
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const char *warning = json_string_value(json_array_get(warnings, i));
        fprintf(out, "# warning   %s\n", warning ? warning : "?");
    }
    print_environment(out, json_object_get(h, "environment"));
}
