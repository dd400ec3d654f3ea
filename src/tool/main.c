/* The `ovl` command: finds the row of the command asked for, and is the one place that prints an error and exits. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/standard_streams.h"
#include "cli/options.h"
#include "tool/util/command.h"
#include "version.h"

#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const struct ovl_tool_command *const commands[] = {
    &ovl_command_sweep,
    &ovl_command_plot,
    &ovl_command_report,
    &ovl_command_published,
    &ovl_command_compare,
    &ovl_command_history,
    &ovl_command_rank,
    &ovl_command_nodes,
    &ovl_command_guidelines,
    &ovl_command_accept,
    &ovl_command_site,
    &ovl_command_export,
    &ovl_command_show,
    &ovl_command_validate,
    &ovl_command_thin,
    &ovl_command_list,
    &ovl_command_doctor,
    &ovl_command_offload,
    NULL,
};

static void usage(FILE *out)
{
    fprintf(out, "usage: ovl COMMAND ...\n\n");
    for (const struct ovl_tool_command *const *c = commands; *c; c++)
        fprintf(out, "  %-10s %s\n", (*c)->name, (*c)->summary);
    fprintf(out,
            "\n`ovl COMMAND --help` has the options; `ovl --version` the version. The programs that measure are in\n"
            "`ovl list`.\n");
}

static int fail(const char *where, const struct ovl_error *err)
{
    fflush(stdout);
    fprintf(stderr, "ovl%s%s: %s\n", where ? " " : "", where ? where : "", err->text);
    return err->code;
}

static int unknown(const char *word)
{
    struct ovl_error err;
    ovl_error_set(&err, OVL_USAGE, "no command %.60s; `ovl --help` lists them", word);
    for (const struct ovl_tool_command *const *c = commands; *c; c++)
        if (ovl_options_similar(word, (*c)->name))
            ovl_error_set(&err, OVL_USAGE, "no command %.60s; is %s meant?", word, (*c)->name);
    return fail(NULL, &err);
}

/* A full disk or a closed pipe must not look like success. */
static int flushed(const char *where, int code)
{
    struct ovl_error err;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    ovl_error_set(&err, OVL_ENVIRONMENT, "cannot write to standard output");
    return fail(where, &err);
}

/* jansson asks for memory too, and need not be asked whether it got some. */
static void *json_memory(size_t n)
{
    return ovl_check_alloc(malloc(n));
}

int main(int argc, char **argv)
{
    json_set_alloc_funcs(json_memory, free);
    signal(SIGCHLD, SIG_DFL); /* a parent that ignores it has its children do so, which could not wait for theirs */
    ovl_options_each_once = true;
    if (ovl_standard_streams_open() != 0)
        return OVL_ENVIRONMENT;
    if (argc < 2) {
        usage(stderr);
        return OVL_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        usage(stdout);
        return flushed(NULL, OVL_OK);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("ovl %s (%s)\n", OVL_VERSION, OVL_GIT);
        return flushed(NULL, OVL_OK);
    }
    for (const struct ovl_tool_command *const *c = commands; *c; c++) {
        struct ovl_error err = {OVL_ENVIRONMENT, "it failed and gave no reason, which is a fault of ovl: report it"};
        if (strcmp(argv[1], (*c)->name) != 0)
            continue;
        for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
            if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
                ovl_command_help(*c);
                return flushed((*c)->name, OVL_OK);
            }
        int code = (*c)->run(argc - 1, argv + 1, &err);
        return code < 0 ? fail((*c)->name, &err) : flushed((*c)->name, code);
    }
    return unknown(argv[1]);
}
