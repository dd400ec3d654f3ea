/* Events of all ranks come to rank 0, which writes them; a lane of the record has the same ones. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/timeline/timeline.h"
#include "base/clock.h"
#include "base/input_file.h"
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OF_WORK, OF_WAITS, OF_OPERATIONS, OF_BULK = 4, LINES };

static const char head[] = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";

/* A record, a model or whatever else a wrong name names is not: an older timeline, or nothing. */
static bool may_be_lost(const char *file)
{
    char text[sizeof head - 1];
    struct stat there;
    FILE *in = stat(file, &there) == 0 && S_ISREG(there.st_mode) ? fopen(file, "re") : NULL;
    size_t n = in ? fread(text, 1, sizeof text, in) : 0;
    if (in)
        fclose(in);
    return memcmp(text, head, n) == 0;
}

int ovl_timeline_check(const char *file, struct ovl_error *err)
{
    if (ovl_output_file_descriptor(file) >= 0 || may_be_lost(file))
        return 0;
    return ovl_error_set(err, OVL_USAGE,
                         "--timeline %s: it holds something else, which would be lost; name another file", file);
}

int ovl_timeline_open(struct ovl_timeline *t, const char *file, struct ovl_error *err)
{
    int own = ovl_output_file_descriptor(file);
    snprintf(t->name, sizeof t->name, "%s", file);
    if (ovl_timeline_check(file, err) != 0)
        return -1;
    int fd = own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                      : open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    t->out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (t->out)
        ovl_input_file_note(fd);
    if (!t->out)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--timeline %s: cannot write it: %s", file, strerror(errno));
    fputs(head, t->out);
    return 0;
}

int ovl_timeline_close(struct ovl_timeline *t, struct ovl_error *err)
{
    if (!t->out)
        return 0;
    fputs("\n]}\n", t->out);
    bool bad = ferror(t->out) != 0;
    bad |= fclose(t->out) != 0;
    t->out = NULL;
    return bad ? ovl_error_set(err, OVL_ENVIRONMENT, "--timeline %s: cannot write all of it: %s", t->name,
                               strerror(errno))
               : 0;
}

struct ovl_trace ovl_trace_open(const struct ovl_events *e)
{
    return (struct ovl_trace){.spans = ovl_check_alloc(calloc(e->count + 1, sizeof(struct ovl_span))),
                              .waits = ovl_check_alloc(calloc((size_t)e->ids + 1, sizeof(struct ovl_span)))};
}

void ovl_trace_close(struct ovl_trace *trace)
{
    free(trace->spans);
    free(trace->waits);
    *trace = (struct ovl_trace){.spans = NULL};
}

void ovl_span_begins(struct ovl_span *spans, int i)
{
    if (spans)
        spans[i].begin = ovl_clock_ns();
}

void ovl_span_ends(struct ovl_span *spans, int i)
{
    if (spans && spans[i].end == 0)
        spans[i].end = ovl_clock_ns();
}

int ovl_trace_middle(const double seconds[OVL_TRACES])
{
    for (int i = 0; i < OVL_TRACES; i++) {
        int shorter = 0;
        for (int k = 0; k < OVL_TRACES; k++)
            shorter += seconds[k] < seconds[i] || (k < i && seconds[k] == seconds[i]);
        if (shorter == OVL_TRACES / 2)
            return i;
    }
    return 0;
}

/* A process per scheme and rank, with a line of work, one of waits, two of operations, which overlap each other, and
   where there is some one of bulk work, from its begin to its end, between which other work may stand. */
static void write_event(FILE *out, const char *name, const struct ovl_span *s, int64_t start, int process, int line,
                        const char *more)
{
    if (s->end <= s->begin)
        return;
    fprintf(out, ",\n{\"name\":\"%s\",\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,\"pid\":%d,\"tid\":%d%s}", name,
            1e-3 * (double)(s->begin - start), 1e-3 * (double)(s->end - s->begin), process, line, more);
}

static void write_names(FILE *out, const char *scheme, int rank, int process, bool bulk)
{
    static const char *const lines[LINES] = {"work", "waits", "operations", "operations", "bulk work"};
    fprintf(out, ",\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":\"%s, rank %d\"}}", process,
            scheme, rank);
    for (int l = 0; l < (bulk ? LINES : OF_BULK); l++)
        fprintf(out, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s\"}}",
                process, l, lines[l]);
}

static void write_events(FILE *out, const struct ovl_trace *trace, const struct ovl_events *e, int process)
{
    static const char *const works[] = {"FORWARD", "BACKWARD", "UPDATE"};
    for (size_t i = 0; i < e->count; i++) {
        const struct ovl_event *v = &e->list[i];
        char more[96];
        snprintf(more, sizeof more, ",\"args\":{\"bytes\":%.0f,\"id\":%d}", v->bytes, v->id);
        if (v->kind == OVL_EVENT_COMPUTE)
            write_event(out, works[v->work], &trace->spans[i], trace->start, process, v->bulk ? OF_BULK : OF_WORK, "");
        if (v->kind != OVL_EVENT_POST)
            continue;
        write_event(out, ovl_operations[v->operation].name, &trace->spans[i], trace->start, process,
                    OF_OPERATIONS + v->id % 2, more);
        write_event(out, "WAIT", &trace->waits[v->id], trace->start, process, OF_WAITS, more);
    }
}

/* Collective: the texts of the first ranks, in their order, at rank 0, with a comma before each but the first. */
static void gather(FILE *out, bool *any, const char *text, size_t length, int first_ranks, MPI_Comm comm)
{
    int rank, ranks, mine = (int)length;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (rank > 0) {
        if (rank < first_ranks)
            MPI_Send(text, mine, MPI_CHAR, 0, 0, comm);
        return;
    }
    for (int r = 0; r < ranks && r < first_ranks; r++) {
        MPI_Status status;
        char *all = NULL;
        if (r > 0) {
            MPI_Probe(r, 0, comm, &status);
            MPI_Get_count(&status, MPI_CHAR, &mine);
            all = ovl_check_alloc(malloc((size_t)mine + 1));
            MPI_Recv(all, mine, MPI_CHAR, r, 0, comm, MPI_STATUS_IGNORE);
        }
        fputs(*any ? "," : "", out);
        fwrite(r > 0 ? all : text, 1, (size_t)mine, out);
        *any = true;
        free(all);
    }
}

void ovl_timeline_write(struct ovl_timeline *t, const struct ovl_events *e, const struct ovl_trace *trace,
                        const char *scheme, int number, MPI_Comm comm)
{
    char *text = NULL;
    size_t length = 0;
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    FILE *out = ovl_check_alloc(open_memstream(&text, &length));
    write_names(out, scheme, rank, number * ranks + rank, e->bulks > 0);
    write_events(out, trace, e, number * ranks + rank);
    fclose(out);
    gather(t->out, &t->any, text + 1, length - 1, ranks, comm); /* it begins with a comma */
    free(text);
}

static void add(json_t *lane, enum ovl_span_kind kind, const struct ovl_span *s, int64_t start)
{
    if (s->end > s->begin)
        ovl_lane_add(lane, kind, 1e-9 * (double)(s->begin - start), 1e-9 * (double)(s->end - start));
}

/* This rank's; null where it is too long. */
static json_t *lane_of(const struct ovl_events *e, size_t first, size_t end, const struct ovl_trace *trace, int rank)
{
    static const enum ovl_span_kind works[] = {OVL_SPAN_FORWARD, OVL_SPAN_BACKWARD, OVL_SPAN_UPDATE};
    char name[32];
    if (end - first > OVL_SPANS_OF_LANE)
        return json_null();
    snprintf(name, sizeof name, "rank %d", rank);
    json_t *lane = ovl_lane(name);
    for (size_t i = first; i < end; i++) {
        const struct ovl_event *v = &e->list[i];
        if (v->kind == OVL_EVENT_COMPUTE)
            add(lane, v->bulk ? OVL_SPAN_BULK : works[v->work], &trace->spans[i], trace->start);
        if (v->kind != OVL_EVENT_POST)
            continue;
        add(lane, OVL_SPAN_OPERATION, &trace->spans[i], trace->start);
        add(lane, OVL_SPAN_WAIT, &trace->waits[v->id], trace->start);
    }
    return lane;
}

json_t *ovl_timeline_lanes(const struct ovl_events *e, size_t first, size_t end, const struct ovl_trace *trace,
                           MPI_Comm comm)
{
    int rank;
    bool any = false;
    char *all = NULL;
    size_t length = 0, i;
    MPI_Comm_rank(comm, &rank);
    json_t *lane = lane_of(e, first, end, trace, rank), *lanes = NULL;
    char *text = ovl_check_alloc(json_dumps(lane, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12)));
    FILE *out = ovl_check_alloc(open_memstream(&all, &length));
    fputc('[', out);
    gather(out, &any, text, strlen(text), OVL_SPAN_LANES, comm);
    fputc(']', out);
    fclose(out);
    if (rank == 0)
        lanes = json_loads(all, 0, NULL);
    json_decref(lane);
    free(text);
    free(all);
    json_array_foreach(lanes, i, lane)
        if (json_is_null(lane)) {
            json_decref(lanes);
            return NULL;
        }
    return lanes;
}
