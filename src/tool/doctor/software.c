/* Programs and libraries that `ovl doctor` looks for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/path.h"
#include "machine/blas.h"
#include "tool/doctor/doctor.h"
#include "tool/util/ask.h"
#include "tool/util/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Copies what stands up to the next '|' and returns what follows; NULL at the end. */
static const char *next_choice(const char *choices, char one[128])
{
    size_t n = strcspn(choices, "|");
    snprintf(one, 128, "%.*s", (int)n, choices);
    return choices[n] == '|' ? choices + n + 1 : NULL;
}

bool ovl_doctor_find_program(const char *name, struct ovl_path *path)
{
    static const char *const others[] = {"/usr/sbin", "/sbin", "/usr/local/sbin"};
    if (ovl_ask_path(name, path) == 0)
        return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        *path = ovl_path("%s/%s", others[i], name);
        if (access(path->text, X_OK) == 0)
            return true;
    }
    return false;
}

void ovl_look_program(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                      struct ovl_doctor_finding *found)
{
    char one[128];
    struct ovl_path path;
    (void)site;
    for (const char *rest = row->package->look_for; rest;) {
        rest = next_choice(rest, one);
        if (ovl_doctor_find_program(one, &path)) {
            ovl_doctor_finding_set(found, OVL_HEALTHY, "%s", path.text);
            return;
        }
    }
    ovl_doctor_finding_set(found, OVL_LACKING, "%s", "");
}

/* Where the compiler finds a header: it knows folders of its own, such as Debian's for each architecture. */
static bool ask_compiler(const char *header, char text[200])
{
    char answer[1000];
    const char *const argv[] = {"cc", "-M", "-x", "c", "-include", header, "/dev/null", NULL};
    if (ovl_ask(argv, OVL_DOCTOR_PATIENCE, answer, sizeof answer) != 0)
        return false;
    for (char *save, *word = strtok_r(answer, " \\\n", &save); word; word = strtok_r(NULL, " \\\n", &save)) {
        size_t n = strlen(word), h = strlen(header);
        if (n > h && word[n - h - 1] == '/' && strcmp(word + n - h, header) == 0) {
            snprintf(text, 200, "%.190s", word);
            return true;
        }
    }
    return false;
}

/* The version, by pkg-config, or the header's place, also where there is no compiler now. */
static bool find_library(const char *package, const char *header, char text[200])
{
    char folders[4096], *rest = folders, *folder;
    const char *cpath = getenv("CPATH"), *include = getenv("C_INCLUDE_PATH");
    const char *const argv[] = {"pkg-config", "--modversion", package, NULL};
    if (ovl_ask(argv, OVL_DOCTOR_PATIENCE, text, 64) == 0 && *text) {
        text[strcspn(text, "\n")] = '\0';
        memmove(text + strlen(package) + 1, text, strlen(text) + 1);
        memcpy(text, package, strlen(package));
        text[strlen(package)] = ' ';
        return true;
    }
    if (ask_compiler(header, text))
        return true;
    snprintf(folders, sizeof folders, "%s:%s:/usr/include:/usr/local/include", cpath ? cpath : "",
             include ? include : "");
    while ((folder = strsep(&rest, ":"))) {
        struct ovl_path path = ovl_path("%s/%s", folder, header);
        if (*folder && access(path.text, R_OK) == 0) {
            snprintf(text, 200, "%.190s", path.text);
            return true;
        }
    }
    return false;
}

/* What was built in needs no header any more. */
void ovl_look_library(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                      struct ovl_doctor_finding *found)
{
    char one[128], text[200];
    const char *with = row->with ? row->with : "";
    int name = (int)strcspn(with, "=");
    bool left_out = strcmp(with + name, "=none") == 0;
    (void)site;
    for (const char *rest = row->package->look_for; rest;) {
        rest = next_choice(rest, one);
        char *header = strchr(one, ' ');
        *header = '\0';
        if (find_library(one, header + 1, text)) {
            if (left_out)
                ovl_doctor_finding_set(found, OVL_LIMITED,
                                       "%.60s, not in this build: make reconfigure WITH_%.*s=", text, name, with);
            else
                ovl_doctor_finding_set(found, OVL_HEALTHY, "%s", text);
            return;
        }
    }
    bool built_in = row->with && !left_out;
    ovl_doctor_finding_set(found, built_in ? OVL_HEALTHY : OVL_LACKING, "%s", built_in ? "in this build" : "");
}

/* Of a build with a CBLAS: which BLAS stands behind it now, by a driver's second line. */
void ovl_look_cblas(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                    struct ovl_doctor_finding *found)
{
    char remedy[256];
    const struct ovl_driver_answer *a = ovl_doctor_ask_driver();
    const char *line = a->program && a->code == 0 ? strstr(a->text, "\n" OVL_BLAS_LINE) : NULL;
    if (!line) {
        ovl_look_library(row, site, found);
        return;
    }
    line += strlen("\n" OVL_BLAS_LINE);
    int length = (int)strcspn(line, "\n");
    ovl_site_remedy(site, row, remedy, sizeof remedy);
    if (strncmp(line, OVL_BLAS_REFERENCE, strlen(OVL_BLAS_REFERENCE)) == 0)
        ovl_doctor_finding_set(found, OVL_LIMITED, "%.*s, many times slower: %.150s", length, line, remedy);
    else
        ovl_doctor_finding_set(found, OVL_HEALTHY, "%.*s", length < 150 ? length : 150, line);
}

void ovl_look_beside(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                     struct ovl_doctor_finding *found)
{
    struct ovl_path folder, path;
    const char *other = strchr(row->beside, ' ');
    size_t first = strcspn(row->beside, " ");
    (void)site;
    if (ovl_command_folder(&folder) != 0) {
        ovl_doctor_finding_set(found, OVL_LIMITED, "cannot tell where ovl is: /proc is not mounted");
        return;
    }
    bool there = ovl_doctor_beside(ovl_path("%.*s", (int)first, row->beside).text, R_OK, &path) &&
                 (!other || ovl_doctor_beside(other + 1, X_OK, &path));
    ovl_doctor_finding_set(found, there ? OVL_HEALTHY : OVL_LACKING, "%s", there ? "built" : "");
}

void ovl_look_gnuplot(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                      struct ovl_doctor_finding *found)
{
    char answer[200];
    int major = 0, minor = 0;
    const char *const argv[] = {row->package->look_for, "--version", NULL};
    (void)site;
    int code = ovl_ask(argv, OVL_DOCTOR_PATIENCE, answer, sizeof answer);
    answer[strcspn(answer, "\n")] = '\0';
    if (code == 127)
        ovl_doctor_finding_set(found, OVL_LACKING, "%s", "");
    else if (code != 0 || sscanf(answer, "gnuplot %d.%d", &major, &minor) != 2)
        ovl_doctor_finding_set(found, OVL_LACKING, "gnuplot does not tell its version");
    else if (major < 5 || (major == 5 && minor < 2))
        ovl_doctor_finding_set(found, OVL_LACKING, "%.60s is too old", answer);
    else
        ovl_doctor_finding_set(found, OVL_HEALTHY, "%.60s", answer);
}
