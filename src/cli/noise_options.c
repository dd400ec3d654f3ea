/* Few options, so that any two runs measured the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/noise_options.h"

#define AT(member) offsetof(struct ovl_noise_options, member)

const struct ovl_option ovl_noise_option_rows[] = {
    {0, "time", "SECONDS", "how long to measure, in all (default 25)", OVL_OPTION_NUMBER, AT(time), 1, 3600, NULL,
     NULL},
    {0, "json", "FILE", "append the records to FILE (JSON Lines; see ovl-record(5))", OVL_OPTION_TEXT, AT(json), 0, 0,
     NULL, NULL},
    {'f', "full", NULL, "print all that was measured", OVL_OPTION_ON, AT(full), 0, 0, NULL, NULL},
    {'q', "quiet", NULL, "print no table", OVL_OPTION_ON, AT(quiet), 0, 0, NULL, NULL},
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {0, "version", NULL, "print the version and exit", OVL_OPTION_ON, AT(version), 0, 0, NULL, NULL},
    {.name = NULL},
};

int ovl_noise_options_parse(int argc, char **argv, void *options, struct ovl_error *err)
{
    struct ovl_noise_options *o = options;
    int first;
    *o = (struct ovl_noise_options){.time = 25};
    if (ovl_options_parse(ovl_noise_option_rows, argc, argv, o, &first, err) != 0)
        return -1;
    return o->help || o->version ? 0 : ovl_options_only(argc, argv, first, err);
}

double ovl_noise_options_seconds(const void *options)
{
    return ((const struct ovl_noise_options *)options)->time;
}
