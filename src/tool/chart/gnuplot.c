/* Running gnuplot. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/gnuplot.h"
#include "base/utf8.h"
#include "base/wrap.h"
#include "tool/doctor/doctor.h"
#include "tool/util/atomic_file.h"
#include "tool/util/signals.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LINE_WIDTH = 74, /* characters of the small print that fit a column of 8.5 cm */
    MOST_LINES = 8,
};

void ovl_gnuplot_open(struct ovl_gnuplot *g)
{
    g->text = NULL;
    g->out = ovl_check_alloc(open_memstream(&g->text, &g->length));
}

void ovl_gnuplot_close(struct ovl_gnuplot *g)
{
    if (g->out)
        fclose(g->out);
    free(g->text);
}

static void put_name(struct ovl_gnuplot *g, const char *name, size_t n)
{
    fputs(name, g->out);
    if (n > 0)
        fprintf(g->out, "%zu", n);
    fputs(" = ", g->out);
}

/* One character. gnuplot takes '' in a text for one ' and nothing else specially. */
static void put_character(struct ovl_gnuplot *g, const char *text, size_t n)
{
    if (*text == '\'')
        fputc('\'', g->out);
    if (iscntrl((unsigned char)*text))
        fputc(' ', g->out);
    else
        fwrite(text, 1, n, g->out);
}

void ovl_gnuplot_text(struct ovl_gnuplot *g, const char *name, size_t n, const char *text)
{
    put_name(g, name, n);
    fputc('\'', g->out);
    for (size_t length = 1, brackets = 0; *text; text += length) {
        bool ends_section = *text == '>' && brackets > 1; /* of CDATA, which gnuplot writes into XML as it is */
        length = ovl_utf8_character(text);
        bool good = ovl_utf8_is_xml(text) || iscntrl((unsigned char)*text); /* the latter become spaces */
        put_character(g, ends_section || !good ? "?" : text, good && !ends_section ? length : 1);
        brackets = *text == ']' ? brackets + 1 : 0;
        length = length > 0 ? length : 1;
    }
    fputs("'; ", g->out);
}

void ovl_gnuplot_path(struct ovl_gnuplot *g, const char *name, const char *path)
{
    put_name(g, name, 0);
    fputc('\'', g->out);
    for (; *path; path++)
        put_character(g, path, 1);
    fputs("'; ", g->out);
}

void ovl_gnuplot_number(struct ovl_gnuplot *g, const char *name, size_t n, double value)
{
    put_name(g, name, n);
    fprintf(g->out, isnan(value) ? "NaN; " : "%.9g; ", value);
}

void ovl_gnuplot_lines(struct ovl_gnuplot *g, const char *name, const char *text)
{
    static const char more[] = " ...";
    char line[LINE_WIDTH + sizeof more], count[32];
    size_t lines = 0;
    while (*text && lines < MOST_LINES) {
        size_t n = ovl_wrap_length(text, LINE_WIDTH);
        const char *after = text + n + strspn(text + n, " ");
        bool cut = *after && lines + 1 == MOST_LINES;
        snprintf(line, sizeof line, "%.*s%s", (int)n, text, cut ? more : "");
        ovl_gnuplot_text(g, name, ++lines, line);
        text = after;
    }
    snprintf(count, sizeof count, "%ss", name);
    ovl_gnuplot_number(g, count, 0, (double)lines);
}

static const char version[] = "if (GPVAL_VERSION < 5.2) { exit error 'this one is older than 5.2, which ovl needs' }";

static _Noreturn void become_gnuplot(const char *variables, const char *drawing, const int errors[2])
{
    int nothing = open("/dev/null", O_RDWR);
    ovl_signals_reset();
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(errors[1], STDERR_FILENO);
    close(errors[0]);
    close(errors[1]);
    setenv("GNUTERM", "dumb", 1); /* else gnuplot asks the display for a terminal first */
    execlp("gnuplot", "gnuplot", "-d", "-e", variables, "-e", version, drawing, (char *)NULL);
    _exit(errno == ENOENT ? 127 : 126);
}

/* Reads all of gnuplot's complaints and keeps their last line: that one says what and where. false when a signal ended
 * it. */
static bool read_complaint(int fd, char *text, size_t room)
{
    size_t n = 0;
    char byte;
    bool fresh = true;
    text[0] = '\0';
    while (ovl_signals_wait(fd)) {
        if (read(fd, &byte, 1) != 1)
            return true;
        if (byte == '\n') {
            fresh = true;
        } else if (!isspace((unsigned char)byte) || !fresh) {
            n = fresh ? 0 : n;
            fresh = false;
            if (n + 1 < room)
                text[n++] = byte;
            text[n] = '\0';
        }
    }
    return false;
}

int ovl_gnuplot_run(struct ovl_gnuplot *g, const char *drawing, struct ovl_error *err)
{
    int errors[2], status = 0;
    char complaint[300];
    if (fflush(g->out) != 0 || pipe2(errors, O_CLOEXEC) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot start gnuplot: %s", strerror(errno));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(g->text, drawing, errors);
    close(errors[1]);
    bool interrupted = child > 0 && !read_complaint(errors[0], complaint, sizeof complaint);
    if (interrupted)
        kill(child, SIGKILL);
    close(errors[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot start gnuplot: %s", strerror(errno));
    if (interrupted)
        return ovl_error_set(err, OVL_ENVIRONMENT, "interrupted");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        ovl_doctor_remedy("gnuplot 5.2", complaint, sizeof complaint);
        return ovl_error_set(err, OVL_ENVIRONMENT, "gnuplot is not here: %s", complaint);
    }
    return ovl_error_set(err, OVL_ENVIRONMENT, "gnuplot failed: %s", complaint[0] ? complaint : "without a word");
}

int ovl_gnuplot_take(const char *drawn, const char *path, struct ovl_error *err)
{
    struct stat file;
    if (stat(drawn, &file) != 0 || file.st_size == 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot write %s: gnuplot left it empty", path);
    return ovl_atomic_file_copy(drawn, path, err);
}
