/* What the harnesses share: files in memory, commands of the tool, and a gnuplot that draws nothing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/command.h"
#include "base/input_file.h"
#include "tests/fuzz/fuzz.h"
#include "tool/chart/gnuplot.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORDS = 16 };

void fuzz_check_refusal(const struct ovl_error *err, unsigned codes)
{
    MUST(codes >> err->code & 1);
    MUST(strlen(err->text) > 10 && strlen(err->text) < sizeof err->text);
    for (const char *c = err->text; *c; c++)
        MUST((unsigned char)*c >= ' ' && *c != 127);
}

unsigned fuzz_sum(const uint8_t *data, size_t size)
{
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum = 31 * sum + data[i];
    return sum;
}

static char folder[64];

static void remove_folder(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (chdir("/") != 0 || system(command) != 0)
        fprintf(stderr, "%s is left\n", folder);
}

static void open_folder(void)
{
    if (*folder)
        return;
    strcpy(folder, "/dev/shm/ovl-fuzz-XXXXXX");
    MUST(mkdtemp(folder));
    atexit(remove_folder);
    MUST(chdir(folder) == 0);
    MUST(setenv("TMPDIR", folder, 1) == 0);
    MUST(freopen("/dev/null", "w", stdout));
}

/* The folders above a file. */
static void make_folders(const char *name)
{
    char path[256];
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%.*s", (int)(slash - name), name);
        mkdir(path, 0700);
    }
}

static FILE *begin(const char *const *names, const char *name, size_t length)
{
    for (; *names; names++)
        if (strlen(*names) == length && memcmp(*names, name, length) == 0) {
            make_folders(*names);
            FILE *file = fopen(*names, "w");
            MUST(file);
            return file;
        }
    return NULL;
}

void fuzz_files_put(const char *const *names, const uint8_t *data, size_t size)
{
    static const char head[] = "=== ";
    const size_t n = strlen(head);
    open_folder();
    FILE *out = begin(names, names[0], strlen(names[0]));
    while (size > 0) {
        const uint8_t *end = memchr(data, '\n', size);
        size_t line = end ? (size_t)(end - data) + 1 : size;
        if (line > n && memcmp(data, head, n) == 0) {
            if (out)
                fclose(out);
            out = begin(names, (const char *)data + n, line - n - (end != NULL));
        } else if (out) {
            MUST(fwrite(data, 1, line, out) == line);
        }
        data += line;
        size -= line;
    }
    if (out)
        fclose(out);
}

void fuzz_files_remove(const char *const *names)
{
    for (; *names; names++)
        unlink(*names);
    ovl_input_file_forget(); /* each is another file, and a long list of them would be looked through */
}

/* Nothing that a command begins may be left: but for folders, hidden files of its own. */
static void check_folder(void)
{
    DIR *all = opendir(".");
    MUST(all);
    for (struct dirent *entry; (entry = readdir(all));) {
        MUST(strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || entry->d_name[0] != '.');
        MUST(strncmp(entry->d_name, "ovl-", 4) != 0);
    }
    closedir(all);
}

void fuzz_command(const struct ovl_tool_command *command, const char *const *words, unsigned codes, unsigned refusals)
{
    char copies[WORDS][256], *argv[WORDS + 1];
    struct ovl_error err = {.code = OVL_OK};
    int argc = 0;
    snprintf(copies[argc], sizeof *copies, "%s", command->name);
    argv[argc] = copies[argc];
    for (argc = 1; words[argc - 1] && argc < WORDS; argc++) {
        snprintf(copies[argc], sizeof *copies, "%s", words[argc - 1]);
        argv[argc] = copies[argc];
    }
    argv[argc] = NULL;
    int code = command->run(argc, argv, &err);
    if (code < 0)
        fuzz_check_refusal(&err, refusals);
    else
        MUST(codes >> code & 1);
    check_folder();
}

/* In place of ovl_gnuplot_run, by the linker's --wrap: an empty drawing under the name that gnuplot is told. */
int __wrap_ovl_gnuplot_run(struct ovl_gnuplot *g, const char *drawing, struct ovl_error *err);

int __wrap_ovl_gnuplot_run(struct ovl_gnuplot *g, const char *drawing, struct ovl_error *err)
{
    (void)drawing, (void)err;
    char path[256];
    MUST(fflush(g->out) == 0);
    const char *from = strstr(g->text, "output = '");
    MUST(from);
    from += strlen("output = '");
    snprintf(path, sizeof path, "%.*s", (int)strcspn(from, "'"), from);
    FILE *out = fopen(path, "w");
    MUST(out);
    fputs("<svg></svg>\n", out);
    fclose(out);
    return 0;
}
