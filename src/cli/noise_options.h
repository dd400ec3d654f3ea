/* The options of ovl_noise. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_NOISE_OPTIONS_H
#define OVL_CLI_NOISE_OPTIONS_H

#include "cli/app_options.h"

struct ovl_noise_options {
    struct ovl_app_options common; /* the first */
    double time;                   /* s */
};

extern const struct ovl_option ovl_noise_option_rows[];

/* Fills *o, a struct ovl_noise_options, defaults first. -1 and OVL_USAGE with one line on what does not go. */
int ovl_noise_options_parse(int argc, char **argv, void *o, struct ovl_error *err);

/* What they give to measuring, in seconds. */
double ovl_noise_options_seconds(const void *o);

#endif
