/* What transposes bring in over the links of nodes in a pair of transforms, told from the sizes alone. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_FFT3D_TRAFFIC_H
#define OVL_APPS_FFT3D_TRAFFIC_H

#include "apps/fft3d/pencil.h"
#include "plan/busiest.h"

/* The busiest node of all, or of the first ones where that would take too long. In slabs or not, the bytes are the
   same. `pencil` is that of any rank. */
struct ovl_busiest ovl_pencil_busiest(const struct ovl_pencil *pencil, int variables, int per_node);

#endif
