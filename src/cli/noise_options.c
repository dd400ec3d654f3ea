/* Few options, so that any two runs measured the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/noise_options.h"

#define AT(member) offsetof(struct ovl_noise_options, member)

const struct ovl_option ovl_noise_option_rows[] = {
    {0, "time", "SECONDS", "how long to measure, in all (default 25)", OVL_OPTION_NUMBER, AT(time), 1, 3600, NULL,
     NULL},
    {0, "json", "FILE", "append the records to FILE (JSON Lines; see ovl-record(5))", OVL_OPTION_TEXT, AT(common.json),
     0, 0, NULL, NULL},
    {'f', "full", NULL, "print all that was measured", OVL_OPTION_ON, AT(common.full), 0, 0, NULL, NULL},
    {'q', "quiet", NULL, "print no table", OVL_OPTION_ON, AT(common.quiet), 0, 0, NULL, NULL},
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(common.help), 0, 0, NULL, NULL},
    {0, "version", NULL, "print the version and the BLAS, and exit", OVL_OPTION_ON, AT(common.version), 0, 0, NULL,
     NULL},
    {.name = NULL},
};

int ovl_noise_options_parse(int argc, char **argv, void *options, struct ovl_error *err)
{
    struct ovl_noise_options *o = options;
    *o = (struct ovl_noise_options){.common = ovl_app_options_default("host"), .time = 25};
    o->common.seed = 0; /* nothing is drawn */
    return ovl_app_options_parse(ovl_noise_option_rows, argc, argv, o, &o->common, err);
}

double ovl_noise_options_seconds(const void *options)
{
    return ((const struct ovl_noise_options *)options)->time;
}
