/* The table of what libovl_offload.so found in a program. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TABLE_OFFLOAD_H
#define OVL_TABLE_OFFLOAD_H

#include "record/offload/report.h"

#include <stdio.h>

void ovl_offload_report_print(FILE *out, const struct ovl_offload_report *r);

#endif
