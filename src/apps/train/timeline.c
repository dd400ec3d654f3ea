/* A step in Chrome's trace format. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { OF_WORK, OF_WAITS, OF_OPERATIONS, LINES = 4 };

int ovl_timeline_open(struct ovl_timeline *t, const char *file, struct ovl_error *err)
{
    snprintf(t->name, sizeof t->name, "%s", file);
    t->out = fopen(file, "w");
    if (!t->out)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--timeline %s: cannot write it: %s", file, strerror(errno));
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", t->out);
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

void ovl_timeline_begin(struct ovl_timeline *t, const struct ovl_events *e)
{
    t->spans = ovl_check_alloc(calloc(e->count + 1, sizeof *t->spans));
    t->waits = ovl_check_alloc(calloc((size_t)e->ids + 1, sizeof *t->waits));
}

/* A process per scheme and rank, with a line of work, one of waits and two of operations, which overlap each other. */
static void put(FILE *out, const char *name, const struct ovl_span *s, int64_t start, int process, int line,
                const char *more)
{
    if (s->end <= s->begin)
        return;
    fprintf(out, ",\n{\"name\":\"%s\",\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,\"pid\":%d,\"tid\":%d%s}", name,
            1e-3 * (double)(s->begin - start), 1e-3 * (double)(s->end - s->begin), process, line, more);
}

static void put_names(FILE *out, const char *scheme, int rank, int process)
{
    static const char *const lines[LINES] = {"work", "waits", "operations", "operations"};
    fprintf(out, ",\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":\"%s, rank %d\"}}", process,
            scheme, rank);
    for (int l = 0; l < LINES; l++)
        fprintf(out, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s\"}}",
                process, l, lines[l]);
}

static void put_events(FILE *out, const struct ovl_timeline *t, const struct ovl_events *e, int process, int64_t start)
{
    static const char *const works[] = {"FORWARD", "BACKWARD", "UPDATE"};
    for (size_t i = 0; i < e->count; i++) {
        const struct ovl_event *v = &e->list[i];
        char more[96];
        snprintf(more, sizeof more, ",\"args\":{\"bytes\":%.0f,\"id\":%d}", v->bytes, v->id);
        if (v->kind == OVL_EVENT_COMPUTE)
            put(out, works[v->work], &t->spans[i], start, process, OF_WORK, "");
        if (v->kind != OVL_EVENT_POST)
            continue;
        put(out, ovl_operations[v->operation].name, &t->spans[i], start, process, OF_OPERATIONS + v->id % 2, more);
        put(out, "WAIT", &t->waits[v->id], start, process, OF_WAITS, more);
    }
}

/* Collective: the texts of all ranks, in their order, at rank 0. */
static void gather(struct ovl_timeline *t, const char *text, size_t length, MPI_Comm comm)
{
    int rank, ranks, mine = (int)length;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (rank > 0) {
        MPI_Send(text, mine, MPI_CHAR, 0, 0, comm);
        return;
    }
    for (int r = 0; r < ranks; r++) {
        MPI_Status status;
        char *all = NULL;
        if (r > 0) {
            MPI_Probe(r, 0, comm, &status);
            MPI_Get_count(&status, MPI_CHAR, &mine);
            all = ovl_check_alloc(malloc((size_t)mine + 1));
            MPI_Recv(all, mine, MPI_CHAR, r, 0, comm, MPI_STATUS_IGNORE);
        }
        const char *from = r > 0 ? all : text;
        bool comma = t->written > 0; /* each text begins with one */
        fwrite(from + !comma, 1, (size_t)mine - !comma, t->out);
        t->written += (size_t)mine;
        free(all);
    }
}

void ovl_timeline_end(struct ovl_timeline *t, const struct ovl_events *e, const char *scheme, int number, int64_t start,
                      MPI_Comm comm)
{
    char *text = NULL;
    size_t length = 0;
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    FILE *out = ovl_check_alloc(open_memstream(&text, &length));
    put_names(out, scheme, rank, number * ranks + rank);
    put_events(out, t, e, number * ranks + rank, start);
    fclose(out);
    gather(t, text, length, comm);
    free(text);
    free(t->spans);
    free(t->waits);
    t->spans = t->waits = NULL;
}
