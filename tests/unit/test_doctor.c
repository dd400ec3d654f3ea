/* The table of `ovl doctor`: every row can be looked at and mended on each distribution, in one line. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/folder.h"
#include "tool/doctor/doctor.h"

static void setup(void)
{
    folder_make();
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(mkdir("etc", 0700), 0);
    setenv("OVL_DOCTOR_ROOT", folder, 1);
}

TEST(rows_are_whole)
{
    for (const struct ovl_doctor_row *row = ovl_doctor_rows; row->name; row++) {
        const struct ovl_package *p = row->package;
        ck_assert_msg(row->cost && row->look && (p || row->mend), "%s", row->name);
        ck_assert_uint_le(strlen(row->name), 13);
        for (size_t d = 0; d < OVL_DISTROS && p; d++)
            ck_assert_msg(*p->in[d], "%s %zu", row->name, d);
        ck_assert_msg(!p || !p->repository || strcmp(p->repository, "crb") == 0 || strcmp(p->repository, "epel") == 0,
                      "%s", row->name);
        for (const struct ovl_doctor_row *other = row + 1; other->name; other++)
            ck_assert_msg(strcmp(row->name, other->name) != 0 ||
                              (row->of && other->of && strcmp(row->of, other->of) != 0),
                          "%s twice", row->name);
    }
}

/* Whoever asks, on whichever distribution: what lacks is told with its remedy, whole, in one line. */
LOOP_TEST(remedies_fit_into_a_line, 0, OVL_DISTROS + 1)
{
    const struct ovl_doctor_finding lacking = {OVL_LACKING, ""};
    struct ovl_doctor_site site = {.root = "", .distro = (enum ovl_distro)(_i % (OVL_DISTROS + 1))};
    char text[OVL_DOCTOR_TEXT + 1], remedy[256];
    site.enterprise = site.distro == OVL_RHEL;
    for (int who = 0; who < 8; who++) {
        site.is_root = who & 1;
        site.has_modules = who & 2;
        site.has_spack = who & 4;
        for (const struct ovl_doctor_row *row = ovl_doctor_rows; row->name; row++) {
            ovl_site_remedy(&site, row, remedy, sizeof remedy);
            ovl_doctor_text(&site, row, &lacking, text);
            ck_assert_msg(*remedy && strstr(text, remedy), "%s: %s", row->name, text);
            ck_assert_msg(!strstr(text, "..."), "%s: %s", row->name, text);
            ck_assert_msg(!strstr(text, OVL_NOT_PACKAGED), "%s: %s", row->name, text);
        }
    }
}

/* What is too long ends in dots, behind a whole character. */
TEST(texts_end_behind_a_character)
{
    const struct ovl_doctor_site site = {.root = ""};
    struct ovl_doctor_finding found = {OVL_HEALTHY, ""};
    char text[OVL_DOCTOR_TEXT + 1];
    for (int i = 0; i < OVL_DOCTOR_TEXT; i++)
        strcat(found.text, "\u00e9");
    ovl_doctor_text(&site, ovl_doctor_rows, &found, text);
    ck_assert_uint_eq(strlen(text), 72 + 3);
    ck_assert_str_eq(text + 70, "\u00e9...");
}

static const struct {
    const char *release;
    enum ovl_distro distro;
    bool enterprise;
    const char *name;
} releases[] = {
    {"ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n", OVL_DEBIAN, false,
     "Debian GNU/Linux 12 (bookworm)"},
    {"ID_LIKE=debian\nID=ubuntu\n", OVL_DEBIAN, false, "unknown distribution"},
    {"ID=pop\nID_LIKE=\"ubuntu debian\"\n", OVL_DEBIAN, false, "unknown distribution"},
    {"ID=\"rhel\"\nID_LIKE=\"fedora\"\nPRETTY_NAME='RHEL 9.4'\n", OVL_RHEL, true, "RHEL 9.4"},
    {"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", OVL_RHEL, true, "unknown distribution"},
    {"ID=fedora\nPRETTY_NAME=\"Fedora Linux 40\"\n", OVL_RHEL, false, "Fedora Linux 40"},
    {"ID=tencentos\nID_LIKE=\"rhel fedora\"\n", OVL_RHEL, true, "unknown distribution"},
    {"ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n", OVL_SUSE, false, "unknown distribution"},
    {"ID=\"sles\"\nID_LIKE=\"suse\"\n", OVL_SUSE, false, "unknown distribution"},
    {"ID=manjaro\nID_LIKE=arch\n", OVL_ARCH, false, "unknown distribution"},
    {"ID=nixos\nPRETTY_NAME=\"Nix\x1b[2J\"\n", OVL_NO_DISTRO, false, "Nix?[2J"},
    {"", OVL_NO_DISTRO, false, "unknown distribution"},
    {NULL, OVL_NO_DISTRO, false, "unknown distribution"},
};

LOOP_TEST(distributions_are_told_apart, 0, sizeof releases / sizeof *releases)
{
    struct ovl_doctor_site site;
    FILE *out = releases[_i].release ? fopen("etc/os-release", "w") : NULL;
    if (out) {
        fputs(releases[_i].release, out);
        fclose(out);
    }
    ovl_site_look(&site);
    ck_assert_int_eq(site.distro, releases[_i].distro);
    ck_assert_int_eq(site.enterprise, releases[_i].enterprise);
    ck_assert_str_eq(site.name, releases[_i].name);
}

AROUND(setup, folder_remove)
