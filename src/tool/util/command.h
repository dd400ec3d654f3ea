/* A command of `ovl`: a row, and what its file needs from the others. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_COMMAND_H
#define OVL_TOOL_UTIL_COMMAND_H

#include "base/path.h"
#include "cli/options.h"

struct ovl_tool_command {
    const char *name;
    const char *arguments; /* "FILE... [options]", for the usage line */
    const char *summary;   /* one line */
    const struct ovl_option *options;
    /* argv[0] is the command's name. Returns the exit code, or -1 with *err. */
    int (*run)(int argc, char **argv, struct ovl_error *err);
};

extern const struct ovl_tool_command ovl_command_show, ovl_command_list, ovl_command_validate, ovl_command_plot,
    ovl_command_compare, ovl_command_export, ovl_command_accept, ovl_command_sweep, ovl_command_report,
    ovl_command_doctor, ovl_command_history, ovl_command_offload, ovl_command_published, ovl_command_rank,
    ovl_command_nodes, ovl_command_site, ovl_command_thin, ovl_command_guidelines;

/* Usage, summary, options and exit codes on stdout. */
void ovl_command_help(const struct ovl_tool_command *command);

/* Parses options and wants one file or more after them; *first is the index of the first. */
int ovl_command_parse(const struct ovl_tool_command *command, int argc, char **argv, void *options, int *first,
                      struct ovl_error *err);

/* The place of a file that is installed with ovl, "plot/overlap.gp", beside this program's folder. -1 and
   OVL_ENVIRONMENT when it is not there. */
int ovl_command_share(const char *name, struct ovl_path *path, struct ovl_error *err);

/* The folder of this program. -1, and "", where /proc is not mounted. */
int ovl_command_folder(struct ovl_path *folder);

#endif
