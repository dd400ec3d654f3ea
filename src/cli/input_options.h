/* Options that name a file which shapes the work: what is in it belongs to a measurement as the option does. A program
   keeps the text by ovl_input_keep(), its record tells the digest as input_files.NAME, and `ovl accept --bind` has it
   held. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_INPUT_OPTIONS_H
#define OVL_CLI_INPUT_OPTIONS_H

#include <stdbool.h>

struct ovl_input_option {
    const char *name;    /* without its dashes */
    const char *program; /* the only one that has it, or NULL: all programs of ovl */
    const char *usual;   /* what is read where the option is not given, or NULL: nothing */
    const char *unless;  /* an option with which nothing is read, or NULL */
    const char *models;  /* it may be the name of a model that is installed in that folder of share/ovl; or NULL */
    bool of_site;        /* tells where workers are: the site writes it, and who makes a plan may not have it */
};

/* All of them; the row with name NULL ends them. */
extern const struct ovl_input_option ovl_input_options[];

#define OVL_MODEL_USUAL "edsr_x2"

#endif
