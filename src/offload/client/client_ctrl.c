/* What a rank asks of its workers outside timed parts: memory, teams, rest, proof. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/client/client_wait.h"
#include "offload/mem/local.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* At the far end of an endpoint the worker only naps. */
static void wake(const struct ovl_worker_conn *l, bool knock)
{
    if (l->ep)
        return;
    if (knock)
        atomic_fetch_add(&l->status->doorbell, 1);
    ovl_worker_wakeup(l);
}

int ovl_conn_ask(struct ovl_client_ctx *h, struct ovl_worker_conn *l, const struct ovl_command *command,
                 const void *args, size_t bytes, struct ovl_error *err)
{
    struct ovl_request request;
    struct ovl_command copy = *command;
    if (ovl_conn_send(h, l, &copy, args, bytes, &request, err) != 0)
        return -1;
    wake(l, true);
    if (ovl_conn_wait(h, l, &request, err) != 0)
        return -1;
    return (int)ovl_conn_completion(l, request.slot)->result;
}

static int refused(const struct ovl_client_ctx *h, const struct ovl_worker_conn *l, const struct ovl_mem_path *path,
                   int why, struct ovl_error *err)
{
    if (ovl_local_closed(l->socket))
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s died: its process has ended", l->name);
    bool heap = strcmp(path->name, "heap") == 0; /* no word of --path */
    return ovl_error_set(err, OVL_ENVIRONMENT, "%s%s: %s cannot reach the memory of rank %d (%s): %s",
                         heap ? "--" : "--path ", path->name, l->name, h->rank, strerror(why), path->hint(why));
}

/* All workers of the node, one after the other. */
static int ask_all(struct ovl_client_ctx *h, const struct ovl_command *command, const struct ovl_mem_path *path,
                   struct ovl_error *err)
{
    for (int i = 0; i < h->conn_count; i++) {
        int answer = ovl_conn_ask(h, &h->conns[i], command, NULL, 0, err);
        if (answer != 0)
            return answer < 0 ? -1 : refused(h, &h->conns[i], path, answer, err);
    }
    return 0;
}

static int insert(struct ovl_client_ctx *h, const struct ovl_region *region)
{
    if (h->region_count == h->region_room) {
        size_t room = h->region_room ? 2 * h->region_room : 8;
        struct ovl_region *more = realloc(h->regions, room * sizeof *more);
        if (!more)
            return -1;
        h->regions = more;
        h->region_room = room;
    }
    size_t i = h->region_count++;
    for (; i > 0 && (uintptr_t)h->regions[i - 1].shared.base > (uintptr_t)region->shared.base; i--)
        h->regions[i] = h->regions[i - 1];
    h->regions[i] = *region;
    return 0;
}

/* The lowest number whose bit is not set, since workers keep arrays; -1: all are taken. */
static int alloc_lowest(uint64_t *taken, unsigned numbers)
{
    for (unsigned i = 0; i < numbers / 64; i++)
        if (~taken[i]) {
            unsigned bit = (unsigned)__builtin_ctzll(~taken[i]);
            taken[i] |= (uint64_t)1 << bit;
            return (int)(64 * i + bit);
        }
    return -1;
}

unsigned ovl_client_alloc_region(struct ovl_client_ctx *h)
{
    h->region_taken[0] |= 1;
    int number = alloc_lowest(h->region_taken, OVL_REGIONS);
    return number < 0 ? 0 : (unsigned)number;
}

static void free_region(struct ovl_client_ctx *h, unsigned number)
{
    if (number)
        h->region_taken[number / 64] &= ~((uint64_t)1 << number % 64);
}

static void unmap(struct ovl_client_ctx *h, const struct ovl_region *region, int conns)
{
    struct ovl_command c = {.kind = OVL_COMMAND_UNMAP, .root = (int32_t)region->number};
    struct ovl_error ignored;
    for (int i = 0; i < conns; i++)
        ovl_conn_ask(h, &h->conns[i], &c, NULL, 0, &ignored);
}

/* At all workers, or at none. */
static int map(struct ovl_client_ctx *h, struct ovl_region *region, struct ovl_error *err)
{
    struct ovl_command c = ovl_client_map_command(region);
    for (int i = 0; i < h->conn_count; i++) {
        int file = region->shared.file,
            answer = file ? ovl_local_send_file(h->conns[i].socket, region->number, file) : 0;
        if (answer == 0)
            answer = ovl_conn_ask(h, &h->conns[i], &c, region->name, sizeof region->name, err);
        if (answer > 0)
            refused(h, &h->conns[i], region->path, answer, err);
        if (answer != 0) {
            if (answer > 0)
                unmap(h, region, i);
            return -1;
        }
    }
    ovl_shared_close_file(&region->shared);
    return 0;
}

static int make_region(struct ovl_client_ctx *h, struct ovl_region *region, size_t bytes, struct ovl_error *err)
{
    const struct ovl_mem_path *path = h->path;
    if (path->alloc(region, bytes, err) != 0)
        return -1;
    region->path = path;
    region->number = path->map ? ovl_client_alloc_region(h) : 0;
    int rc = 0;
    if (path->map && !region->number)
        rc = ovl_error_set(err, OVL_USAGE, "more than %d buffers at once; give a smaller --rotate", OVL_REGIONS - 1);
    else if (path->map)
        rc = map(h, region, err);
    if (rc == 0 && insert(h, region) != 0) {
        unmap(h, region, path->map ? h->conn_count : 0);
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a list of buffers");
    }
    if (rc != 0) {
        free_region(h, region->number);
        path->dealloc(region);
    }
    return rc;
}

void *ovl_client_alloc(struct ovl_client_ctx *h, size_t bytes, struct ovl_error *err)
{
    struct ovl_region region = {.number = 0};
    return make_region(h, &region, bytes, err) == 0 ? region.shared.base : NULL;
}

void *ovl_client_promise(struct ovl_client_ctx *h, size_t bytes, struct ovl_error *err)
{
    enum { MOST = 64 }; /* each holds a file open, of which the program may not have many */
    struct ovl_region region = {.path = &ovl_mem_path_shm};
    const struct ovl_mem_path *before = h->path;
    if (h->promised >= MOST) {
        h->path = &ovl_mem_path_shm;
        void *memory = ovl_client_alloc(h, bytes, err);
        h->path = before;
        return memory;
    }
    if (ovl_shared_promise(&region.shared, bytes, err) != 0)
        return NULL;
    if (insert(h, &region) != 0) {
        ovl_shared_close(&region.shared);
        ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a list of buffers");
        return NULL;
    }
    h->promised++;
    return region.shared.base;
}

void ovl_client_keep_promise(struct ovl_client_ctx *h, struct ovl_region *region)
{
    struct ovl_error ignored; /* of a worker that is gone whoever waits for it will hear */
    h->promised--;
    region->number = ovl_shared_reserve(&region->shared) == 0 ? ovl_client_alloc_region(h) : 0;
    if (region->number && map(h, region, &ignored) == 0)
        return;
    free_region(h, region->number);
    region->number = 0;
    ovl_shared_close_file(&region->shared);
}

static void leave_to_owner(struct ovl_region *region)
{
    (void)region;
}

static const char *hint_of_shared(int why)
{
    (void)why;
    return "allow the worker more memory (ulimit -v)";
}

int ovl_client_share(struct ovl_client_ctx *h, void *base, size_t bytes, int file, struct ovl_error *err)
{
    static const struct ovl_mem_path path = {.name = "heap", .dealloc = leave_to_owner, .hint = hint_of_shared};
    struct ovl_region region = {.shared = {base, bytes, file}, .number = ovl_client_alloc_region(h), .path = &path};
    int rc = region.number ? map(h, &region, err) : ovl_error_set(err, OVL_USAGE, "no number is left for a heap");
    ovl_shared_close_file(&region.shared);
    if (rc == 0 && insert(h, &region) != 0) {
        unmap(h, &region, h->conn_count);
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a list of buffers");
    }
    if (rc != 0)
        free_region(h, region.number);
    return rc;
}

int ovl_client_free(struct ovl_client_ctx *h, void *memory, struct ovl_error *err)
{
    size_t i = 0;
    while (i < h->region_count && h->regions[i].shared.base != memory)
        i++;
    if (i == h->region_count)
        return 0;
    struct ovl_region region = h->regions[i];
    memmove(h->regions + i, h->regions + i + 1, (h->region_count - i - 1) * sizeof *h->regions);
    h->region_count--;
    h->promised -= region.shared.file != 0;
    struct ovl_command c = {.kind = OVL_COMMAND_UNMAP, .root = (int32_t)region.number};
    int rc = region.number ? ask_all(h, &c, region.path, err) : 0;
    free_region(h, region.number);
    region.path->dealloc(&region);
    return rc;
}

/* The worker copies one number onto the other. */
int ovl_client_probe(struct ovl_client_ctx *h, const struct ovl_mem_path *path, struct ovl_error *err)
{
    const struct ovl_mem_path *before = h->path;
    h->path = path;
    if (path->allow_access)
        path->allow_access();
    int rc = -1;
    uint64_t *numbers = ovl_client_alloc(h, 2 * sizeof *numbers, err);
    if (numbers) {
        const struct ovl_region *region = h->regions;
        while (region->shared.base != numbers)
            region++;
        unsigned number = region->number;
        uint64_t base = number ? 0 : (uintptr_t)numbers;
        struct ovl_command c = {.kind = OVL_COMMAND_PROBE,
                                .bytes = sizeof *numbers,
                                .send = ovl_raddr(number, base),
                                .recv = ovl_raddr(number, base + sizeof *numbers)};
        rc = 0;
        for (int i = 0; i < h->conn_count && rc == 0; i++) {
            numbers[0] = 0x6f766c0000000001u + (uint64_t)i;
            rc = ask_all(h, &c, path, err);
            if (rc == 0 && numbers[1] != numbers[0])
                rc = ovl_error_set(err, OVL_ENVIRONMENT, "--path %s: %s", path->name, path->hint(0));
        }
        struct ovl_error ignored;
        if (ovl_client_free(h, numbers, rc == 0 ? err : &ignored) != 0)
            rc = -1;
    }
    h->path = before;
    return rc;
}

/* The state alone will not do: another rank may see it first, and wake the worker. */
static bool has_parked(void *client, const struct ovl_request *request)
{
    const struct ovl_client_ctx *h = client;
    const struct ovl_worker_conn *l = &h->conns[h->own];
    (void)request;
    return atomic_load(&l->status->parks) != l->parks;
}

static bool runs(void *status, const struct ovl_request *request)
{
    (void)request;
    uint32_t state = atomic_load(&((struct ovl_worker_status *)status)->state);
    return state == OVL_WORKER_RUNNING || state == OVL_WORKER_SLEEP_SHORT || state == OVL_WORKER_SLEEP_LONG ||
           state == OVL_WORKER_LISTENS;
}

static void set_rest(struct ovl_worker_conn *l, uint32_t may)
{
    atomic_store(&l->cmdq->may_park, may);
    ovl_ep_put_flag(l->ep, &l->cmdq->may_park, sizeof l->cmdq->may_park);
}

void ovl_client_allow_park(struct ovl_client_ctx *h)
{
    struct ovl_worker_conn *l = &h->conns[h->own];
    if (!atomic_load(&l->cmdq->may_park))
        l->parks = atomic_load(&l->status->parks);
    set_rest(l, 1);
    if (ovl_worker_waits_for_bell(l)) /* which may be long */
        ovl_worker_wakeup(l);
}

int ovl_client_park(struct ovl_client_ctx *h, struct ovl_error *err)
{
    struct ovl_worker_conn *l = &h->conns[h->own];
    ovl_client_allow_park(h);
    return ovl_client_wait_for(h, l, has_parked, h, NULL, err);
}

int ovl_client_unpark(struct ovl_client_ctx *h, struct ovl_error *err)
{
    struct ovl_worker_conn *l = &h->conns[h->own];
    set_rest(l, 0);
    wake(l, false);
    return ovl_client_wait_for(h, l, runs, l->status, NULL, err);
}

static void free_team(struct ovl_client_ctx *h, const struct ovl_team *team)
{
    h->team_taken[team->number / 64] &= ~((uint64_t)1 << team->number % 64);
}

int ovl_client_attach(struct ovl_client_ctx *h, struct ovl_team *team, uint64_t id, int rank, int ranks,
                      const int *members, struct ovl_error *err)
{
    int number = alloc_lowest(h->team_taken, OVL_TEAMS);
    if (number < 0)
        return ovl_error_set(err, OVL_USAGE,
                             "more than %d teams attached at once: free communicators, or persistent requests",
                             OVL_TEAMS);
    h->teams++;
    *team = (struct ovl_team){.number = (uint16_t)number, .id = id, .rank = rank, .ranks = ranks};
    struct ovl_command c = {
        .kind = OVL_COMMAND_ATTACH,
        .team = team->number,
        .ranks = (uint32_t)ranks,
        .rank = (uint32_t)rank,
        .send = id,
    };
    int answer = ovl_conn_ask(h, &h->conns[h->own], &c, members, (size_t)ranks * sizeof *members, err);
    if (answer != 0)
        free_team(h, team);
    if (answer > 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s cannot attach a team of %d ranks: %s", h->conns[h->own].name,
                             ranks, strerror(answer));
    return answer;
}

int ovl_client_detach(struct ovl_client_ctx *h, struct ovl_team *team, struct ovl_error *err)
{
    struct ovl_command c = {.kind = OVL_COMMAND_DETACH, .team = team->number};
    if (ovl_conn_ask(h, &h->conns[h->own], &c, NULL, 0, err) < 0)
        return -1;
    free_team(h, team);
    return 0;
}

int ovl_client_leave(struct ovl_client_ctx *h, struct ovl_error *err)
{
    struct ovl_command c = {.kind = OVL_COMMAND_LEAVE};
    int rc = 0;
    while (h->region_count > 0 && rc == 0)
        rc = ovl_client_free(h, h->regions[0].shared.base, err);
    free(h->regions);
    h->regions = NULL;
    for (int i = 0; i < h->conn_count && rc == 0; i++)
        rc = ovl_conn_ask(h, &h->conns[i], &c, NULL, 0, err) < 0 ? -1 : 0;
    struct ovl_more_slots *more = h->conns[h->own].more;
    if (more)
        more->region.path->dealloc(&more->region);
    free(more);
    h->conns[h->own].more = NULL;
    return rc;
}
