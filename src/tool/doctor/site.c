/* Which distribution this is, and how something is installed here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/path.h"
#include "base/printable.h"
#include "tool/doctor/doctor.h"
#include "tool/util/ask.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ovl_doctor_finding_set(struct ovl_doctor_finding *f, enum ovl_health health, const char *format, ...)
{
    va_list args;
    f->health = health;
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    ovl_printable_bytes(f->text);
}

static FILE *open_file(const struct ovl_doctor_site *site, const char *path)
{
    return fopen(ovl_path("%s%s", site->root, path).text, "re");
}

bool ovl_site_line(const struct ovl_doctor_site *site, const char *path, char *text, size_t room)
{
    FILE *in = open_file(site, path);
    text[0] = '\0';
    bool read = in && fgets(text, (int)room, in);
    if (in)
        fclose(in);
    text[strcspn(text, "\n")] = '\0';
    ovl_printable_bytes(text);
    return read;
}

/* Of a line NAME=value or NAME="value", the value; NULL when the line is another. */
static char *value_of(char *line, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(line, name, n) != 0 || line[n] != '=')
        return NULL;
    char *value = line + n + 1;
    value[strcspn(value, "\n")] = '\0';
    size_t length = strlen(value);
    if (length >= 2 && (*value == '"' || *value == '\'') && value[length - 1] == *value) {
        value[length - 1] = '\0';
        value++;
    }
    ovl_printable_bytes(value);
    return value;
}

/* Words of ID and ID_LIKE. */
static const struct {
    const char *id;
    enum ovl_distro distro;
    bool enterprise;
} families[] = {
    {"debian", OVL_DEBIAN, false},      {"ubuntu", OVL_DEBIAN, false},
    {"fedora", OVL_RHEL, false},        {"rhel", OVL_RHEL, true},
    {"centos", OVL_RHEL, true},         {"rocky", OVL_RHEL, true},
    {"almalinux", OVL_RHEL, true},      {"ol", OVL_RHEL, true},
    {"suse", OVL_SUSE, false},          {"opensuse", OVL_SUSE, false},
    {"sles", OVL_SUSE, false},          {"arch", OVL_ARCH, false},
    {"opensuse-leap", OVL_SUSE, false}, {"opensuse-tumbleweed", OVL_SUSE, false},
};

static void take_family(struct ovl_doctor_site *site, char *words)
{
    for (char *word; (word = strsep(&words, " ")) && site->distro == OVL_NO_DISTRO;)
        for (size_t i = 0; i < sizeof families / sizeof *families; i++)
            if (strcmp(word, families[i].id) == 0) {
                site->distro = families[i].distro;
                site->enterprise = families[i].enterprise;
            }
}

/* os-release(5). Its own ID counts before those that it is like. */
static void read_release(struct ovl_doctor_site *site)
{
    char line[512], like[256] = "", *value;
    FILE *in = open_file(site, "/etc/os-release");
    in = in ? in : open_file(site, "/usr/lib/os-release");
    while (in && fgets(line, sizeof line, in))
        if ((value = value_of(line, "ID")))
            take_family(site, value);
        else if ((value = value_of(line, "ID_LIKE")))
            snprintf(like, sizeof like, "%s", value);
        else if ((value = value_of(line, "PRETTY_NAME")))
            snprintf(site->name, sizeof site->name, "%.60s", value);
    if (in)
        fclose(in);
    take_family(site, like);
}

void ovl_site_look(struct ovl_doctor_site *site)
{
    struct ovl_path path;
    const char *root = getenv("OVL_DOCTOR_ROOT");
    *site = (struct ovl_doctor_site){.root = root ? root : "", .distro = OVL_NO_DISTRO, .name = "unknown distribution"};
    read_release(site);
    site->is_root = geteuid() == 0;
    site->has_modules = getenv("LMOD_CMD") || getenv("MODULESHOME") || getenv("LOADEDMODULES");
    site->has_spack = getenv("SPACK_ROOT") || ovl_ask_path("spack", &path) == 0;
}

static const char *manager_of(const struct ovl_doctor_site *site, const char *repository)
{
    static const char *const managers[OVL_DISTROS] = {"apt-get install", "dnf install", "zypper install", "pacman -S"};
    if (site->enterprise && repository)
        return strcmp(repository, "crb") == 0 ? "dnf --enablerepo=crb install"
                                              : "dnf install epel-release; dnf install";
    return managers[site->distro];
}

void ovl_site_remedy(const struct ovl_doctor_site *site, const struct ovl_doctor_row *row, char *text, size_t room)
{
    const struct ovl_package *p = row->package;
    if (!p) {
        snprintf(text, room, "%s", row->mend);
        return;
    }
    const char *package = site->distro == OVL_NO_DISTRO ? NULL : p->in[site->distro];
    bool packaged = package && strcmp(package, OVL_NOT_PACKAGED) != 0;
    const char *then = row->mend ? "; " : "", *mend = row->mend ? row->mend : "";
    if (site->is_root && packaged)
        snprintf(text, room, "%s %s%s%s", manager_of(site, p->repository), package, then, mend);
    else if (site->has_modules && p->module)
        snprintf(text, room, "module load %s%s%s", p->module, then, mend);
    else if (p->spack && (site->has_spack || !packaged))
        snprintf(text, room, "spack install %s%s%s", p->spack, then, mend);
    else if (packaged)
        snprintf(text, room, "ask for %s%s%s", package, then, mend);
    else
        snprintf(text, room, "%s is its name on Debian%s%s", p->in[OVL_DEBIAN], then, mend);
}
