/* `ovl doctor`: a line for each feature, and what to do first. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/doctor/doctor.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "tool/util/command.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct doctor_options {
    int json, help;
};

#define AT(member) offsetof(struct doctor_options, member)

static const struct ovl_option options[] = {
    {0, "json", NULL, "print the same as JSON", OVL_OPTION_ON, AT(json), 0, 0, NULL, NULL},
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

static bool applies(const struct ovl_doctor_row *row)
{
    const char *open = "Open MPI";
    bool is_open = strncmp(OVL_MPI_LIBRARY, open, strlen(open)) == 0;
    return !row->of || (strcmp(row->of, open) == 0) == is_open;
}

void ovl_doctor_remedy(const char *name, char *text, size_t room)
{
    struct ovl_doctor_site site;
    ovl_site_look(&site);
    for (const struct ovl_doctor_row *row = ovl_doctor_rows; row->name; row++)
        if (strcmp(row->name, name) == 0 && applies(row)) {
            ovl_site_remedy(&site, row, text, room);
            return;
        }
    snprintf(text, room, "ovl doctor knows more");
}

void ovl_doctor_text(const struct ovl_doctor_site *site, const struct ovl_doctor_row *row,
                     const struct ovl_doctor_finding *found, char text[OVL_DOCTOR_TEXT + 1])
{
    char remedy[256], whole[1024];
    ovl_site_remedy(site, row, remedy, sizeof remedy);
    if (found->health == OVL_HEALTHY)
        snprintf(whole, sizeof whole, "%s", found->text);
    else if (found->health == OVL_LIMITED) /* what is there needs no package */
        snprintf(whole, sizeof whole, "%s%s%s", found->text, row->mend ? ": " : "", row->mend ? row->mend : "");
    else
        snprintf(whole, sizeof whole, "%s%s%s: %s", found->text, *found->text ? ": " : "", row->cost, remedy);
    if (strlen(whole) > OVL_DOCTOR_TEXT && found->health == OVL_LIMITED)
        snprintf(whole, sizeof whole, "%s", found->text);
    if (strlen(whole) > OVL_DOCTOR_TEXT && found->health == OVL_LACKING && *found->text)
        snprintf(whole, sizeof whole, "%s: %s", found->text, remedy);
    if (strlen(whole) > OVL_DOCTOR_TEXT)
        strcpy(whole + ovl_utf8_cut(whole, OVL_DOCTOR_TEXT - 3), "...");
    strcpy(text, whole);
}

static const char *word_of(const struct ovl_doctor_row *row, enum ovl_health health)
{
    return health == OVL_HEALTHY ? "ok" : health == OVL_LIMITED ? "note" : row->must ? "WRONG" : "lacks";
}

/* What was found, and counted. */
struct examined {
    struct ovl_doctor_site site;
    size_t limited, lacking, wrong;
    char first[256]; /* what to do first */
};

static void count(struct examined *e, const struct ovl_doctor_row *row, const struct ovl_doctor_finding *found)
{
    bool wrong = row->must && found->health == OVL_LACKING;
    if (wrong && e->wrong == 0) {
        char remedy[200];
        ovl_site_remedy(&e->site, row, remedy, sizeof remedy);
        snprintf(e->first, sizeof e->first, "%s: %.65s", row->name, remedy);
    }
    e->wrong += wrong;
    e->lacking += !row->must && found->health == OVL_LACKING;
    e->limited += found->health == OVL_LIMITED;
}

static void conclude(struct examined *e)
{
    const char *said = getenv("OVL_MPIEXEC");
    if (e->wrong == 0)
        snprintf(e->first, sizeof e->first, "%.30s -n 2 ovl_ialltoall", said && *said ? said : OVL_MPIEXEC);
}

static void print(struct examined *e)
{
    char text[OVL_DOCTOR_TEXT + 1];
    printf("# ovl %s, %.60s%s%s%s\n", OVL_VERSION, e->site.name, e->site.is_root ? ", root" : "",
           e->site.has_modules ? ", modules" : "", e->site.has_spack ? ", Spack" : "");
    for (const struct ovl_doctor_row *row = ovl_doctor_rows; row->name; row++) {
        struct ovl_doctor_finding found = {OVL_LACKING, ""};
        if (!applies(row))
            continue;
        row->look(row, &e->site, &found);
        count(e, row, &found);
        ovl_doctor_text(&e->site, row, &found, text);
        printf("  %-5s  %-13s  %s\n", word_of(row, found.health), row->name, text);
        fflush(stdout);
    }
    conclude(e);
    if (e->wrong > 0)
        printf("# %zu WRONG; first %s\n", e->wrong, e->first);
    else
        printf("# nothing WRONG; %zu lacks, %zu note; try %s\n", e->lacking, e->limited, e->first);
}

static json_t *row_json(const struct ovl_doctor_site *site, const struct ovl_doctor_row *row,
                        const struct ovl_doctor_finding *found)
{
    static const char *const names[OVL_DISTROS] = {"debian", "rhel", "suse", "arch"};
    const struct ovl_package *p = row->package;
    char remedy[256];
    json_t *packages = json_object();
    ovl_site_remedy(site, row, remedy, sizeof remedy);
    for (size_t i = 0; i < OVL_DISTROS && p; i++)
        json_object_set_new(packages, names[i], json_string(p->in[i]));
    return json_pack("{s:s, s:s, s:b, s:s, s:s, s:s*, s:o, s:s*, s:s*, s:s*}", "name", row->name, "health",
                     word_of(row, found->health), "must", row->must, "found", found->text, "cost", row->cost, "remedy",
                     found->health == OVL_LACKING   ? remedy
                     : found->health == OVL_LIMITED ? row->mend
                                                    : NULL,
                     "packages", packages, "repository", p ? p->repository : NULL, "module", p ? p->module : NULL,
                     "spack", p ? p->spack : NULL);
}

static int print_json(struct examined *e, struct ovl_error *err)
{
    json_t *features = json_array();
    for (const struct ovl_doctor_row *row = ovl_doctor_rows; row->name; row++) {
        struct ovl_doctor_finding found = {OVL_LACKING, ""};
        if (!applies(row))
            continue;
        row->look(row, &e->site, &found);
        count(e, row, &found);
        json_array_append_new(features, row_json(&e->site, row, &found));
    }
    conclude(e);
    json_t *all =
        json_pack("{s:i, s:s, s:s, s:s, s:o, s:b, s:b, s:b, s:I, s:o, s:o}", "doctor", 1, "ovl_version", OVL_VERSION,
                  "git", OVL_GIT, "mpi", OVL_MPI_LIBRARY, "distribution", ovl_printable_json(e->site.name), "root",
                  e->site.is_root, "modules", e->site.has_modules, "spack", e->site.has_spack, "musts_lacking",
                  (json_int_t)e->wrong, "first", ovl_printable_json(e->first), "features", features);
    int rc = all ? json_dumpf(all, stdout, JSON_INDENT(1)) : -1;
    putchar('\n');
    json_decref(all);
    return rc == 0 ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "cannot print the features as JSON");
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct doctor_options o = {0};
    struct examined e = {.first = ""};
    int first;
    if (ovl_options_parse(options, argc, argv, &o, &first, err) != 0 || ovl_options_only(argc, argv, first, err) != 0)
        return -1;
    ovl_site_look(&e.site);
    if (!o.json)
        print(&e);
    else if (print_json(&e, err) != 0)
        return -1;
    return e.wrong > 0 ? OVL_ENVIRONMENT : OVL_OK;
}

const struct ovl_tool_command ovl_command_doctor = {
    .name = "doctor",
    .arguments = "[options]",
    .summary = "say what of this machine ovl can use, what lacks, and how to get it here",
    .options = options,
    .run = run,
};
