/* A derived datatype is plain if its constructor keeps the order and what it was made from is plain. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/op/datatype.h"

/* How it was made. Of one made with large counts (MPI_Type_contiguous_c) only the _c forms may be asked, which an MPI
   without such datatypes need not have. */
struct making {
    MPI_Count ints, addresses, counts, types;
    int combiner;
};

static struct making making_of(H type)
{
    struct making m = {.combiner = MPI_UNDEFINED};
    int ints = 0, addresses = 0, types = 0, rc;
    if (P->Type_get_envelope_c)
        rc = P->Type_get_envelope_c(type, &m.ints, &m.addresses, &m.counts, &m.types, &m.combiner);
    else {
        rc = P->Type_get_envelope(type, &ints, &addresses, &types, &m.combiner);
        m.ints = ints;
        m.addresses = addresses;
        m.types = types;
    }
    return rc == MPI_SUCCESS ? m : (struct making){.combiner = MPI_UNDEFINED};
}

/* The one that a copy or a row was made of; MPI_DATATYPE_NULL where MPI does not say. */
static MPI_Datatype inner_of(H type, const struct making *m)
{
    int n;
    MPI_Aint none;
    MPI_Count count;
    MPI_Datatype inner = MPI_DATATYPE_NULL;
    int rc = P->Type_get_envelope_c
                 ? P->Type_get_contents_c(type, m->ints, m->addresses, m->counts, m->types, &n, &none, &count, &inner)
                 : P->Type_get_contents(type, (int)m->ints, (int)m->addresses, (int)m->types, &n, &none, &inner);
    return rc == MPI_SUCCESS ? inner : MPI_DATATYPE_NULL;
}

bool ovl_datatype_is_named(H type)
{
    return making_of(type).combiner == MPI_COMBINER_NAMED;
}

MPI_Datatype ovl_datatype_copy(H type)
{
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    if (P->Type_contiguous(1, type, &copy) == MPI_SUCCESS)
        P->Type_commit(&copy);
    return copy;
}

static bool has_no_gaps(H type)
{
    MPI_Count size, lb, extent;
    P->Type_size_x(type, &size);
    P->Type_get_extent_x(type, &lb, &extent);
    return size == extent && lb == 0;
}

static bool is_plain(H type, int depth)
{
    struct making m = making_of(type);
    if (m.combiner == MPI_COMBINER_NAMED)
        return has_no_gaps(type);
    if ((m.combiner != MPI_COMBINER_DUP && m.combiner != MPI_COMBINER_CONTIGUOUS) || depth > 8 ||
        m.ints + m.counts > 1 || m.addresses || m.types != 1)
        return false;
    MPI_Datatype inner = inner_of(type, &m);
    if (inner == MPI_DATATYPE_NULL)
        return false;
    bool plain = is_plain((H)inner, depth + 1);
    if (!ovl_datatype_is_named((H)inner))
        P->Type_free(&inner);
    return plain;
}

bool ovl_datatype_is_plain(H type)
{
    return is_plain(type, 0);
}
