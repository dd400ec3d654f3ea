/* What ovl_hpl prints as HPL does. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_REPORT_H
#define OVL_APPS_HPL_REPORT_H

#include "apps/hpl/state.h"

/* HPL's own format. */
extern const struct ovl_format ovl_hpl_format_hpl;

#endif
