/* Block-cyclic distribution along one dimension: who owns an index, and where it lies there. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_MAP_H
#define OVL_APPS_HPL_MAP_H

/* Blocks of `nb` indexes are dealt to `procs` processes in turn, from process 0 on (ScaLAPACK Users' Guide, 4.3). */
static inline int ovl_hpl_owner(int global, int nb, int procs)
{
    return global / nb % procs;
}

/* Place of a global index among those of its owner. */
static inline int ovl_hpl_local(int global, int nb, int procs)
{
    return global / nb / procs * nb + global % nb;
}

static inline int ovl_hpl_global(int local, int nb, int me, int procs)
{
    return (local / nb * procs + me) * nb + local % nb;
}

/* How many indexes below `bound` process `me` owns: with the order of the matrix its share, with a smaller bound the
   local place from which on its indexes are at least that. */
static inline int ovl_hpl_below(int bound, int nb, int me, int procs)
{
    int blocks = bound / nb, rest = blocks % procs, whole = blocks / procs * nb;
    return me < rest ? whole + nb : me == rest ? whole + bound % nb : whole;
}

#endif
