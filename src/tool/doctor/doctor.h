/* `ovl doctor`: what this machine has of what ovl can use. A row per feature; each is looked at by a function, told in
 * one line, and mended by a package, a module, Spack or a setting. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_DOCTOR_DOCTOR_H
#define OVL_TOOL_DOCTOR_DOCTOR_H

#include "base/path.h"

#include <stdbool.h>
#include <stddef.h>

/* Families of distributions, which share the names of packages. */
enum ovl_distro { OVL_DEBIAN, OVL_RHEL, OVL_SUSE, OVL_ARCH, OVL_DISTROS, OVL_NO_DISTRO = OVL_DISTROS };

#define OVL_NOT_PACKAGED "not packaged"

/* Where the tool runs, and what its user can do there. */
struct ovl_doctor_site {
    const char *root; /* stands before paths under /etc, /sys, /proc and /dev: "" but in tests (OVL_DOCTOR_ROOT) */
    enum ovl_distro distro;
    bool enterprise; /* RHEL and its rebuilds, which have much in CRB and EPEL; not Fedora */
    char name[96];   /* as /etc/os-release says it */
    bool is_root, has_modules, has_spack;
};

enum ovl_health {
    OVL_HEALTHY, /* there, and it will do */
    OVL_LIMITED, /* there, and it costs something */
    OVL_LACKING, /* not there */
};

struct ovl_doctor_finding {
    enum ovl_health health;
    char text[200]; /* what is there; of what lacks, what was looked for, or "" */
};

/* What gets a feature, as scripts/build/packages.inc has it. */
struct ovl_package {
    const char *look_for;        /* programs, or "pkg-config-name header", with | between those of which one will do */
    const char *in[OVL_DISTROS]; /* its name by distribution, or OVL_NOT_PACKAGED */
    const char *spack, *module, *repository; /* its names there, and "crb" or "epel" of RHEL; else NULL */
};

struct ovl_doctor_row {
    const char *name;
    const char *cost; /* what is not possible without it */
    bool must;        /* nothing can be measured without it */
    const char *of;   /* the MPI for which the names below hold: the row is of builds with that only; NULL: of all */
    void (*look)(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                 struct ovl_doctor_finding *found);
    const char *beside; /* the file beside ovl that ovl_look_beside looks for, and after a space another */
    const char
        *with; /* "HWLOC=none": what WITH_HWLOC is in this build, none when it is without; NULL: no library of it */
    const struct ovl_package *package; /* NULL where a setting mends it */
    const char *mend;                  /* the setting, or the step, where no package helps */
};

/* All of them; the row with name NULL ends them. `of` says which are of this build. */
extern const struct ovl_doctor_row ovl_doctor_rows[];

enum { OVL_DOCTOR_TEXT = 76 }; /* what a line of 100 columns has for the text */

/* How the feature of that name is got here, for who has just missed it. */
void ovl_doctor_remedy(const char *name, char *text, size_t room);

/* What a line says: what is there; else what lacks, what that costs, and how to mend it. */
void ovl_doctor_text(const struct ovl_doctor_site *site, const struct ovl_doctor_row *row,
                     const struct ovl_doctor_finding *found, char text[OVL_DOCTOR_TEXT + 1]);

/* Reads OVL_DOCTOR_ROOT, /etc/os-release and the environment. */
void ovl_site_look(struct ovl_doctor_site *site);

/* The line that mends the row here: by the package manager for root, else by a module or Spack where they are, else the
   name of the package to ask for. */
void ovl_site_remedy(const struct ovl_doctor_site *site, const struct ovl_doctor_row *row, char *text, size_t room);

/* The first line of a file under the site's root. false, and "", when there is none. */
bool ovl_site_line(const struct ovl_doctor_site *site, const char *path, char *text, size_t room);

void ovl_doctor_finding_set(struct ovl_doctor_finding *f, enum ovl_health health, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* How long a program may take to answer, in seconds. */
#define OVL_DOCTOR_PATIENCE 5.0

/* What the first driver beside ovl prints of its version and its BLAS: it has libraries that ovl does without. */
struct ovl_driver_answer {
    const char *program; /* NULL: there is no driver */
    int code;            /* as of ovl_ask */
    char text[4096];
};

/* Asks it once. */
const struct ovl_driver_answer *ovl_doctor_ask_driver(void);

typedef void ovl_doctor_look(const struct ovl_doctor_row *, const struct ovl_doctor_site *,
                             struct ovl_doctor_finding *);

/* doctor/software.c: one of the programs, a header or pkg-config's word for it, and what needs more than that */
ovl_doctor_look ovl_look_program, ovl_look_library, ovl_look_cblas, ovl_look_beside, ovl_look_gnuplot;
/* The path of a program; what sits in sbin is found without root's PATH too. */
bool ovl_doctor_find_program(const char *name, struct ovl_path *path);

/* Is that file beside ovl, as access(2) has the mode, and whole: not empty, and no compiled one that was cut short, as
   by a full disk? */
bool ovl_doctor_beside(const char *program, int mode, struct ovl_path *path);

/* doctor/launcher.c */
ovl_doctor_look ovl_look_drivers, ovl_look_mpi, ovl_look_launcher, ovl_look_slurm;

/* doctor/kernel.c */
ovl_doctor_look ovl_look_shm, ovl_look_memfd, ovl_look_cma, ovl_look_locked, ovl_look_rdma, ovl_look_namespaces,
    ovl_look_netem;

/* doctor/machine.c */
ovl_doctor_look ovl_look_processor, ovl_look_cores, ovl_look_clock, ovl_look_governor;

#endif
