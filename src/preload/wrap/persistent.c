/* The _init forms, MPI_Start, and which request stands for which. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/wrap/persistent.h"
#include "preload/library/unserved.h"
#include "preload/op/datatype.h"
#include "preload/op/request.h"

#include <stdlib.h>

_Atomic int ovl_persistent_count;

struct persistent {
    struct persistent *next;
    MPI_Request name; /* the program's */
    struct ovl_call call;
    struct ovl_comm_team *team; /* its own: starts are matched with those of the same request only */
    bool own_send_type, own_recv_type;
    _Atomic MPI_Request active; /* while workers do it, else MPI_REQUEST_NULL */
    bool offloaded;             /* some time: then always, since the rule looks at nothing that changes */
};

enum { BUCKETS = 256 };

static struct persistent *table[BUCKETS];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER; /* never held while MPI is called */

static struct persistent **bucket_of(MPI_Request name)
{
    return &table[((unsigned)name ^ (unsigned)name >> 8) % BUCKETS];
}

static struct persistent *find(MPI_Request name)
{
    pthread_mutex_lock(&table_lock);
    struct persistent *p = *bucket_of(name);
    while (p && p->name != name)
        p = p->next;
    pthread_mutex_unlock(&table_lock);
    return p;
}

/* The program may free its datatype as soon as the request is made. */
static bool keep_type(H *type)
{
    if ((MPI_Datatype)*type == MPI_DATATYPE_NULL || *type == 0 || ovl_datatype_is_named(*type))
        return false;
    *type = (H)ovl_datatype_copy(*type);
    return true;
}

static void drop_type(H type, bool own)
{
    MPI_Datatype copy = (MPI_Datatype)type;
    if (own)
        P->Type_free(&copy);
}

void ovl_persistent_add(const struct ovl_call *c, MPI_Request request)
{
    bool sends, receives;
    if (!ovl_library.began)
        ovl_unserved_operation();
    if (!atomic_load(&ovl_library.on))
        return;
    struct persistent *p = ovl_library_check_alloc(calloc(1, sizeof *p));
    p->name = request;
    p->call = *c;
    /* A call that went past this library would wait for the MPI library's request, which nobody starts. */
    p->team = ovl_pmpi_sees_requests() ? ovl_comm_team_of_persistent(c->comm) : NULL;
    ovl_collective_types(c, &sends, &receives);
    p->own_send_type = sends && keep_type(&p->call.send_type);
    p->own_recv_type = receives && keep_type(&p->call.recv_type);
    p->active = MPI_REQUEST_NULL;
    pthread_mutex_lock(&table_lock);
    p->next = *bucket_of(request);
    *bucket_of(request) = p;
    pthread_mutex_unlock(&table_lock);
    atomic_fetch_add(&ovl_persistent_count, 1);
}

static int start(MPI_Request *q)
{
    struct persistent *p = atomic_load(&ovl_library.on) && q ? find(*q) : NULL;
    MPI_Request active;
    if (!p || ovl_collective_post_in(p->team, &p->call, &active) < 0)
        return NEXT->Start(q);
    p->active = active;
    p->offloaded = true;
    return MPI_SUCCESS;
}

WRAP(Start, (MPI_Request * q))
{
    return start(q);
}

WRAP(Startall, (int n, MPI_Request *q))
{
    int rc = MPI_SUCCESS;
    if (!atomic_load(&ovl_library.on) || n < 1)
        return NEXT->Startall(n, q);
    for (int i = 0; i < n && rc == MPI_SUCCESS; i++)
        rc = start(&q[i]);
    return rc;
}

/* Of one that is not active, as MPI demands of collectives. */
WRAP(Request_free, (MPI_Request * q))
{
    struct persistent *p = NULL;
    if (atomic_load(&ovl_library.on) && q) {
        pthread_mutex_lock(&table_lock);
        struct persistent **at = bucket_of(*q);
        while (*at && (*at)->name != *q)
            at = &(*at)->next;
        p = *at;
        if (p)
            *at = p->next;
        pthread_mutex_unlock(&table_lock);
    }
    int rc = NEXT->Request_free(q);
    if (p) {
        atomic_fetch_sub(&ovl_persistent_count, 1);
        drop_type(p->call.send_type, p->own_send_type);
        drop_type(p->call.recv_type, p->own_recv_type);
        if (p->team)
            ovl_comm_team_release(p->team);
        free(p);
    }
    return rc;
}

struct ovl_swap {
    struct persistent *stands_for[1]; /* of each request, or NULL */
};

/* One that is not active counts as null in MPI's completion calls; MPICH 4.0.2 itself does not hold to that. */
struct ovl_swap *ovl_persistent_swap(int n, MPI_Request *requests)
{
    struct ovl_swap *s = NULL;
    for (int i = 0; i < n && requests; i++) {
        struct persistent *p = requests[i] == MPI_REQUEST_NULL ? NULL : find(requests[i]);
        if (!p || !p->offloaded)
            continue;
        if (!s)
            s = ovl_library_check_alloc(calloc((size_t)n, sizeof(struct persistent *)));
        s->stands_for[i] = p;
        requests[i] = atomic_load(&p->active);
    }
    return s;
}

void ovl_persistent_swap_back(struct ovl_swap *s, int n, MPI_Request *requests)
{
    for (int i = 0; i < n; i++) {
        struct persistent *p = s->stands_for[i];
        if (!p)
            continue;
        if (requests[i] == MPI_REQUEST_NULL)
            p->active = MPI_REQUEST_NULL;
        requests[i] = p->name;
    }
    free(s);
}
