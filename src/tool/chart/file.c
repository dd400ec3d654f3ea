/* Drawing a chart of its own kind. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/file.h"
#include "base/path.h"
#include "tool/util/command.h"
#include "tool/util/scratch.h"
#include "tool/util/signals.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char *kind_of(const char *file)
{
    const char *dot = strrchr(file, '.');
    static const char *const kinds[] = {"svg", "png", "pdf"};
    for (size_t i = 0; dot && i < 3; i++)
        if (strcmp(dot + 1, kinds[i]) == 0)
            return kinds[i];
    return NULL;
}

int ovl_chart_file_check(const char *file, struct ovl_error *err)
{
    return !file || kind_of(file)
               ? 0
               : ovl_error_set(err, OVL_USAGE, "--chart %s: the name must end in .svg, .png or .pdf", file);
}

struct drawing {
    const char *name, *kind;
    int (*fill)(void *of, FILE *data, struct ovl_gnuplot *g, struct ovl_error *err);
    void *of;
    struct ovl_path data, drawn;
};

static int draw(const struct drawing *d, struct ovl_error *err)
{
    struct ovl_path drawing, terminal, folder;
    char name[64];
    struct ovl_gnuplot g;
    snprintf(name, sizeof name, "plot/%s.gp", d->name);
    if (ovl_command_share(name, &drawing, err) != 0)
        return -1;
    snprintf(name, sizeof name, "plot/term-%s.gp", d->kind);
    if (ovl_command_share(name, &terminal, err) != 0 || ovl_command_share("plot", &folder, err) != 0)
        return -1;
    FILE *out = fopen(d->data.text, "we");
    if (!out)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot write %s: %s", d->data.text, strerror(errno));
    ovl_gnuplot_open(&g);
    ovl_gnuplot_path(&g, "data", d->data.text);
    ovl_gnuplot_path(&g, "output", d->drawn.text);
    ovl_gnuplot_path(&g, "folder", folder.text);
    ovl_gnuplot_path(&g, "terminal", terminal.text);
    int rc = d->fill(d->of, out, &g, err);
    if (fclose(out) != 0 && rc == 0)
        rc = ovl_error_set(err, OVL_ENVIRONMENT, "cannot write %s: %s", d->data.text, strerror(errno));
    if (rc == 0)
        rc = ovl_gnuplot_run(&g, drawing.text, err);
    ovl_gnuplot_close(&g);
    return rc;
}

int ovl_chart_file_draw(const char *file, const char *name,
                        int (*fill)(void *of, FILE *data, struct ovl_gnuplot *g, struct ovl_error *err), void *of,
                        struct ovl_error *err)
{
    struct drawing d = {.name = name, .kind = kind_of(file), .fill = fill, .of = of};
    char folder[2048];
    if (ovl_chart_file_check(file, err) != 0 || ovl_signals_hold(err) != 0)
        return -1;
    int rc = ovl_scratch_make(folder, name, err);
    if (rc == 0) {
        d.data = ovl_path("%s/data.tsv", folder);
        d.drawn = ovl_path("%s/drawn.%s", folder, d.kind);
        rc = draw(&d, err);
        if (rc == 0)
            rc = ovl_gnuplot_take(d.drawn.text, file, err);
        unlink(d.data.text);
        unlink(d.drawn.text);
        rmdir(folder);
    }
    ovl_signals_release();
    return rc;
}
