/* What the commands share: their --help, their files, and where the installed data is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/command.h"
#include "base/exit_codes.h"

#include <string.h>
#include <unistd.h>

void ovl_command_help(const struct ovl_tool_command *command)
{
    printf("usage: ovl %s %s\n%s\n\n", command->name, command->arguments, command->summary);
    ovl_options_help(command->options, stdout);
    printf("\nexit codes:\n");
    ovl_exit_codes_help(command->name, stdout);
    printf("\nman ovl%c%s says more\n", strcmp(command->name, "offload") == 0 ? '_' : '-', command->name);
}

int ovl_command_parse(const struct ovl_tool_command *command, int argc, char **argv, void *options, int *first,
                      struct ovl_error *err)
{
    if (ovl_options_parse(command->options, argc, argv, options, first, err) != 0)
        return -1;
    if (*first == argc)
        return ovl_error_set(err, OVL_USAGE, "give one record file or more, as --json of a driver writes them");
    return 0;
}

int ovl_command_folder(struct ovl_path *folder)
{
    ssize_t n = readlink("/proc/self/exe", folder->text, sizeof folder->text - 1);
    folder->text[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(folder->text, '/');
    if (slash)
        *slash = '\0';
    return n > 0 ? 0 : -1;
}

int ovl_command_share(const char *name, struct ovl_path *path, struct ovl_error *err)
{
    struct ovl_path program;
    if (ovl_command_folder(&program) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot tell where this program is: /proc is not mounted");
    *path = ovl_path("%s/../share/ovl/%s", program.text, name);
    if (access(path->text, R_OK) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "%s is not there; run `make`, or `make install` for a copy elsewhere", path->text);
    return 0;
}
