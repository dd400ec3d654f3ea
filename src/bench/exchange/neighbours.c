/* Neighbours on a grid, and in a graph. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/neighbours.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void make_room(struct ovl_neighbours *n, size_t in, size_t out)
{
    *n = (struct ovl_neighbours){.source = ovl_alloc(in + 1, sizeof *n->source),
                                 .slot = ovl_alloc(in + 1, sizeof *n->slot),
                                 .target = ovl_alloc(out + 1, sizeof *n->target)};
}

void ovl_neighbours_free(struct ovl_neighbours *n)
{
    free(n->source);
    free(n->slot);
    free(n->target);
    *n = (struct ovl_neighbours){.in = 0};
}

/* Neighbours come in pairs of opposite directions: what comes from one direction was sent in the other. */
void ovl_neighbours_grid(struct ovl_neighbours *n, MPI_Comm comm, int dimensions, MPI_Comm *made)
{
    int *sides = ovl_alloc(2 * (size_t)dimensions, sizeof *sides), *wrap = sides + dimensions, ranks;
    MPI_Comm_size(comm, &ranks);
    MPI_Dims_create(ranks, dimensions, sides);
    MPI_Cart_create(comm, dimensions, sides, wrap, 0, made);
    make_room(n, 2 * (size_t)dimensions, 2 * (size_t)dimensions);
    n->in = n->out = 2 * dimensions;
    for (int d = 0; d < dimensions; d++)
        MPI_Cart_shift(*made, d, 1, &n->source[2 * d], &n->source[2 * d + 1]);
    for (int k = 0; k < n->in; k++) {
        n->target[k] = n->source[k];
        n->slot[k] = k ^ 1;
    }
    free(sides);
}

/* An edge, or the end of the text (1). `text` goes behind its line. -1: neither. */
static int next_edge(const char **text, size_t *line, long *from, long *to)
{
    while (**text) {
        const char *at = *text + strspn(*text, " \t\r"), *behind = at + strcspn(at, "\n");
        char *end;
        *text = *behind ? behind + 1 : behind;
        ++*line;
        if (at == behind || *at == '#')
            continue;
        *from = strtol(at, &end, 10);
        at = end + strspn(end, " \t");
        at += *at == ',';
        *to = strtol(at, &end, 10);
        end += strspn(end, " \t\r");
        return end == at || (*end && *end != '\n' && *end != '#') ? -1 : 0;
    }
    return 1;
}

/* What each rank has sent so far, and to whom this one has. */
struct seen {
    int *sent;
    bool *to;
};

static int add_edge(struct ovl_neighbours *n, struct seen *seen, int rank, int from, int to)
{
    if (from == rank && seen->to[to])
        return -1;
    if (to == rank) {
        n->source[n->in] = from;
        n->slot[n->in++] = seen->sent[from];
    }
    if (from == rank) {
        seen->to[to] = true;
        n->target[n->out++] = to;
    }
    seen->sent[from]++;
    return 0;
}

int ovl_neighbours_parse(struct ovl_neighbours *n, const char *text, const char *name, int rank, int ranks,
                         struct ovl_error *err)
{
    struct seen seen = {ovl_alloc((size_t)ranks, sizeof *seen.sent), ovl_alloc((size_t)ranks, sizeof *seen.to)};
    size_t line = 0, edges = 0, between = 0;
    long from = 0, to = 0;
    int rc = 0, found;
    make_room(n, (size_t)ranks, (size_t)ranks);
    while (rc == 0 && (found = next_edge(&text, &line, &from, &to)) != 1) {
        edges++;
        between += from != to;
        if (found < 0 || from < 0 || to < 0 || from >= ranks || to >= ranks)
            rc = ovl_error_set(err, OVL_USAGE, "%.300s:%zu: give FROM,TO, two ranks of 0 to %d, such as 0,1", name,
                               line, ranks - 1);
        else if (n->in == ranks && to == rank) /* by an edge that its own rank finds, too */
            continue;
        else if (add_edge(n, &seen, rank, (int)from, (int)to) != 0)
            rc = ovl_error_set(err, OVL_USAGE, "%.300s:%zu: the edge %ld,%ld is there twice; leave one out", name, line,
                               from, to);
    }
    if (rc == 0 && edges == 0)
        rc = ovl_error_set(err, OVL_USAGE, "%.300s: it has no edge; give a line FROM,TO for each, such as 0,1", name);
    if (rc == 0 && between == 0 && ranks > 1)
        rc = ovl_error_set(
            err, OVL_USAGE,
            "%.300s: no edge leads to another rank, so that nothing is communicated; add one, such as 0,1", name);
    free(seen.sent);
    free(seen.to);
    return rc;
}

void ovl_neighbours_graph(const struct ovl_neighbours *n, MPI_Comm comm, MPI_Comm *made)
{
    MPI_Dist_graph_create_adjacent(comm, n->in, n->source, MPI_UNWEIGHTED, n->out, n->target, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, made);
}
