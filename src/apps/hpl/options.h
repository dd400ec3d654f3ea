/* The shape that the options of ovl_hpl ask for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_OPTIONS_H
#define OVL_APPS_HPL_OPTIONS_H

#include "apps/hpl/shape.h"
#include "cli/hpl_options.h"

/* With the largest of the depths. */
struct ovl_hpl_shape ovl_hpl_options_shape(const struct ovl_hpl_options *o, double order);

#endif
