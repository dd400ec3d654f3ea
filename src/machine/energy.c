/* Energy counters, by /sys. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/energy.h"
#include "base/path.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *const ovl_energy_words[OVL_ENERGY_KINDS] = {
    [OVL_ENERGY_PACKAGE] = "package", [OVL_ENERGY_DRAM] = "dram", [OVL_ENERGY_NODE] = "node"};

/* NaN: there is no number. */
static double number_in(const char *path)
{
    double x;
    FILE *in = fopen(path, "re");
    bool told = in && fscanf(in, "%lf", &x) == 1;
    if (in)
        fclose(in);
    return told && x >= 0 ? x : NAN;
}

/* The first line; "" where there is none. */
static void line_in(const char *path, char text[64])
{
    FILE *in = fopen(path, "re");
    if (!in || !fgets(text, 64, in))
        *text = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (in)
        fclose(in);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Adds a counter that can be read. */
static void add(struct ovl_energy *e, const char *source, enum ovl_energy_kind kind, const char *path, double joules,
                double range)
{
    bool others = e->source[kind] && e->source[kind] != source;
    if (others || e->count == OVL_ENERGY_MOST || strlen(path) >= OVL_ENERGY_ROOM || isnan(number_in(path)))
        return;
    struct ovl_energy_counter *c = &e->counter[e->count++];
    *c = (struct ovl_energy_counter){.kind = kind, .joules = joules, .range = isnan(range) ? 0 : range};
    strcpy(c->path, path);
    e->source[kind] = source;
}

static void find_powercap(struct ovl_energy *e, const char *name, const char *root)
{
    char zone[64];
    struct ovl_path folder = ovl_path("%s/sys/class/powercap", root);
    DIR *zones = opendir(folder.text);
    for (const struct dirent *d; zones && (d = readdir(zones));) {
        /* intel-rapl:0 and its parts intel-rapl:0:1; intel-rapl-mmio:0 is the same package once more. */
        if (!strchr(d->d_name, ':') || strstr(d->d_name, "mmio"))
            continue;
        line_in(ovl_path("%s/%s/name", folder.text, d->d_name).text, zone);
        int kind = begins(zone, "package")     ? OVL_ENERGY_PACKAGE
                   : strcmp(zone, "dram") == 0 ? OVL_ENERGY_DRAM
                   : strcmp(zone, "psys") == 0 ? OVL_ENERGY_NODE
                                               : -1;
        double range = number_in(ovl_path("%s/%s/max_energy_range_uj", folder.text, d->d_name).text);
        if (kind >= 0)
            add(e, name, (enum ovl_energy_kind)kind, ovl_path("%s/%s/energy_uj", folder.text, d->d_name).text, 1e-6,
                range);
    }
    if (zones)
        closedir(zones);
}

static void find_hwmon(struct ovl_energy *e, const char *name, const char *root)
{
    enum { INPUTS = 512 };
    char driver[64], label[64];
    struct ovl_path folder = ovl_path("%s/sys/class/hwmon", root);
    DIR *all = opendir(folder.text);
    for (const struct dirent *d; all && (d = readdir(all));) {
        line_in(ovl_path("%s/%s/name", folder.text, d->d_name).text, driver);
        for (int i = 1; i <= INPUTS && strcmp(driver, "amd_energy") == 0; i++) {
            line_in(ovl_path("%s/%s/energy%d_label", folder.text, d->d_name, i).text, label);
            if (begins(label, "Esocket"))
                add(e, name, OVL_ENERGY_PACKAGE, ovl_path("%s/%s/energy%d_input", folder.text, d->d_name, i).text, 1e-6,
                    0);
        }
    }
    if (all)
        closedir(all);
}

static void find_pm_counters(struct ovl_energy *e, const char *name, const char *root)
{
    static const char *const files[OVL_ENERGY_KINDS] = {"cpu_energy", "memory_energy", "energy"};
    for (int k = 0; k < OVL_ENERGY_KINDS; k++)
        add(e, name, (enum ovl_energy_kind)k, ovl_path("%s/sys/cray/pm_counters/%s", root, files[k]).text, 1, 0);
}

/* The first that has a kind tells of it. */
static const struct reader {
    const char *name;
    void (*find)(struct ovl_energy *e, const char *name, const char *root);
} readers[] = {{"powercap", find_powercap}, {"hwmon", find_hwmon}, {"pm_counters", find_pm_counters}};

void ovl_energy_find(struct ovl_energy *e, const char *root)
{
    *e = (struct ovl_energy){.count = 0};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        readers[i].find(e, readers[i].name, root);
}

void ovl_energy_read(const struct ovl_energy *e, double joules[OVL_ENERGY_MOST])
{
    for (size_t i = 0; i < e->count; i++)
        joules[i] = e->counter[i].joules * number_in(e->counter[i].path);
}

void ovl_energy_between(const struct ovl_energy *e, const double from[OVL_ENERGY_MOST],
                        const double to[OVL_ENERGY_MOST], double joules[OVL_ENERGY_KINDS])
{
    for (int k = 0; k < OVL_ENERGY_KINDS; k++)
        joules[k] = e->source[k] ? 0 : NAN;
    for (size_t i = 0; i < e->count; i++) {
        const struct ovl_energy_counter *c = &e->counter[i];
        double taken = to[i] - from[i];
        if (taken < 0)
            taken = c->range > 0 ? taken + c->range * c->joules : NAN;
        if (taken == 0) /* what runs takes something: it stands still, as in many guests */
            taken = NAN;
        joules[c->kind] += taken;
    }
}
