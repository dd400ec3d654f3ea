/* What MPI's datatypes and operations are to the workers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_OP_NUMBERS_H
#define OVL_PRELOAD_OP_NUMBERS_H

#include "preload/library/decide.h"
#include "preload/pmpi/pmpi.h"

/* OVL_OTHER_NUMBER for what is not predefined, or no number. */
enum ovl_number_kind ovl_number_kind_of(H type);

/* False for operations that workers do not have. */
bool ovl_redop_of(H op, enum ovl_redop *redop);

#endif
