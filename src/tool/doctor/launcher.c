/* Drivers, their MPI library, and the launchers that `ovl doctor` finds. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/path.h"
#include "cli/catalog.h"
#include "tool/doctor/doctor.h"
#include "tool/util/ask.h"
#include "tool/util/command.h"
#include "version.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ANSWER = 4096 };

/* false: no ELF, such as a script. Up to e_machine that of 32 bits is the same. */
static bool read_head(const char *file, Elf64_Ehdr *head)
{
    FILE *in = fopen(file, "re");
    bool is_elf = in && fread(head, sizeof *head, 1, in) == 1 && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0;
    if (in)
        fclose(in);
    return is_elf;
}

bool ovl_doctor_beside(const char *program, int mode, struct ovl_path *path)
{
    struct ovl_path folder;
    struct stat file;
    Elf64_Ehdr head;
    ovl_command_folder(&folder);
    *path = ovl_path("%s/%s", folder.text, program);
    if (access(path->text, mode) != 0 || stat(path->text, &file) != 0 || file.st_size == 0)
        return false;
    /* The sections of a compiled one are at the end of its file: are they there? */
    return !read_head(path->text, &head) || head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shoff == 0 ||
           head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize <= (uint64_t)file.st_size;
}

static bool beside(const char *program, struct ovl_path *path)
{
    return ovl_doctor_beside(program, X_OK, path);
}

/* What a program is compiled for, by the head of its file; "" of one that is no ELF, such as a script. */
static const char *compiled_for(const char *file)
{
    static const struct {
        uint16_t machine;
        const char *name;
    } known[] = {{EM_X86_64, "x86_64"}, {EM_AARCH64, "aarch64"}, {EM_PPC64, "ppc64"}, {EM_RISCV, "riscv"}};
    Elf64_Ehdr head;
    bool is_elf = read_head(file, &head);
    for (size_t i = 0; is_elf && i < sizeof known / sizeof *known; i++)
        if (known[i].machine == head.e_machine)
            return known[i].name;
    return is_elf ? "another processor" : "";
}

void ovl_look_drivers(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                      struct ovl_doctor_finding *found)
{
    struct ovl_path path, folder;
    int n = 0, all = 0;
    (void)row;
    (void)site;
    if (ovl_command_folder(&folder) != 0) {
        ovl_doctor_finding_set(found, OVL_LIMITED, "cannot tell where ovl is: /proc is not mounted");
        return;
    }
    for (const struct ovl_benchmark *b = ovl_benchmarks; b->name; b++, all++)
        n += beside(b->program, &path);
    bool worker = beside("ovl_worker", &path);
    const char *ours = compiled_for("/proc/self/exe"), *its = worker ? compiled_for(path.text) : "";
    bool foreign = *ours && *its && strcmp(ours, its) != 0;
    if (n == 0)
        ovl_doctor_finding_set(found, OVL_LACKING, "none beside ovl");
    else if (foreign)
        ovl_doctor_finding_set(found, OVL_LIMITED, "%d of %d; ovl_worker is for %s, not %s", n, all, its, ours);
    else if (n < all || !worker)
        ovl_doctor_finding_set(found, OVL_LIMITED, "%d of %d%s", n, all, worker ? "" : ", and no ovl_worker");
    else
        ovl_doctor_finding_set(found, OVL_HEALTHY, "all %d, and ovl_worker, beside ovl", n);
}

const struct ovl_driver_answer *ovl_doctor_ask_driver(void)
{
    static struct ovl_driver_answer a;
    static bool asked;
    struct ovl_path path;
    const struct ovl_benchmark *b = ovl_benchmarks;
    if (asked)
        return &a;
    asked = true;
    while (b->name && !beside(b->program, &path))
        b++;
    a.program = b->name ? b->program : NULL;
    const char *const argv[] = {path.text, "--version", NULL};
    if (a.program)
        a.code = ovl_ask(argv, OVL_DOCTOR_PATIENCE, a.text, sizeof a.text);
    return &a;
}

/* The loader's complaint tells that a library is not found; what else goes wrong may be for want of a launcher. */
void ovl_look_mpi(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                  struct ovl_doctor_finding *found)
{
    static const char loader[] = "shared libraries: ";
    const struct ovl_driver_answer *a = ovl_doctor_ask_driver();
    const char *lost = strstr(a->text, loader);
    (void)row;
    (void)site;
    if (!a->program)
        ovl_doctor_finding_set(found, OVL_LIMITED, "%s; there is no driver to try it with", OVL_MPI_LIBRARY);
    else if (a->code == 0 && strstr(a->text, "ovl"))
        ovl_doctor_finding_set(found, OVL_HEALTHY, "%s", OVL_MPI_LIBRARY);
    else if (lost)
        ovl_doctor_finding_set(found, OVL_LACKING, "%.*s of %s is not found",
                               (int)strcspn(lost + strlen(loader), ":\n"), lost + strlen(loader), OVL_MPI_LIBRARY);
    else if (a->code == OVL_ASK_NO_ANSWER)
        ovl_doctor_finding_set(found, OVL_LIMITED, "%s; %s alone does not end in %g s", OVL_MPI_LIBRARY, a->program,
                               OVL_DOCTOR_PATIENCE);
    else
        ovl_doctor_finding_set(found, OVL_LIMITED, "%s; %s alone ends with %d", OVL_MPI_LIBRARY, a->program, a->code);
}

/* What launchers say of themselves, the surest word first. */
static const struct {
    const char *says, *name;
    char kind; /* who can start whose programs: hydra's (also Intel's and MVAPICH's), Open MPI's, Slurm */
} launchers[] = {
    {"Intel(R) MPI", "Intel MPI", 'h'}, {"HYDRA", "MPICH", 'h'},      {"mvapich", "MVAPICH", 'h'},
    {"Open MPI", "Open MPI", 'o'},      {"OpenRTE", "Open MPI", 'o'}, {"open-mpi", "Open MPI", 'o'},
    {"PRTE", "Open MPI", 'o'},          {"prte", "Open MPI", 'o'},    {"slurm", "Slurm", 's'},
};

/* '?' when it does not say. */
static char kind_of(const char *launcher, const char **name)
{
    char answer[ANSWER];
    const char *const argv[] = {launcher, "--version", NULL};
    *name = "?";
    if (ovl_ask(argv, OVL_DOCTOR_PATIENCE, answer, sizeof answer) != 0)
        return '?';
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (strstr(answer, launchers[i].says)) {
            *name = launchers[i].name;
            return launchers[i].kind;
        }
    return '?';
}

static char kind_of_programs(void)
{
    return strncmp(OVL_MPI_LIBRARY, "Open MPI", strlen("Open MPI")) == 0 ? 'o' : 'h';
}

/* mpiexec in PATH is what people type; where another launcher was named and is right. */
static void warn_of_mpiexec(const char *launcher, const char *path, struct ovl_doctor_finding *found)
{
    struct ovl_path other;
    const char *name;
    if (strcmp(launcher, "mpiexec") == 0 || ovl_ask_path("mpiexec", &other) != 0)
        return;
    char kind = kind_of("mpiexec", &name);
    if (kind != '?' && kind != 's' && kind != kind_of_programs())
        ovl_doctor_finding_set(found, OVL_LIMITED, "take %.40s: plain mpiexec is of %s, the drivers are of %s", path,
                               name, OVL_MPI_LIBRARY);
}

void ovl_look_launcher(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                       struct ovl_doctor_finding *found)
{
    char launcher[256];
    struct ovl_path path;
    const char *said = getenv("OVL_MPIEXEC"), *name;
    (void)row;
    (void)site;
    said = said && *said ? said : *OVL_MPIEXEC ? OVL_MPIEXEC : "mpiexec";
    said += strspn(said, " ");
    snprintf(launcher, sizeof launcher, "%.*s", (int)strcspn(said, " "), said);
    if (ovl_ask_path(launcher, &path) != 0) {
        ovl_doctor_finding_set(found, OVL_LACKING, "no %.40s", launcher);
        return;
    }
    char kind = kind_of(launcher, &name);
    if (kind == '?')
        ovl_doctor_finding_set(found, OVL_LIMITED, "%.40s does not tell which MPI it is of", path.text);
    else if (kind != 's' && kind != kind_of_programs())
        ovl_doctor_finding_set(found, OVL_LACKING, "%.30s is of %s, the drivers are of %s", path.text, name,
                               OVL_MPI_LIBRARY);
    else
        ovl_doctor_finding_set(found, OVL_HEALTHY, "%.40s of %s, as the drivers", path.text, name);
    if (kind == 's')
        ovl_doctor_finding_set(found, OVL_HEALTHY, "%.60s", said);
    if (found->health == OVL_HEALTHY)
        warn_of_mpiexec(launcher, path.text, found);
}

/* The words of `srun --mpi=list`, between its own. */
static bool has_type(const char *answer, const char *type)
{
    for (const char *at = answer; (at = strstr(at, type)); at++) {
        char before = at == answer ? ' ' : at[-1], after = at[strlen(type)];
        if (!strchr("_-", before) && (after == '\0' || strchr(" \n\t,_", after)))
            return true;
    }
    return false;
}

void ovl_look_slurm(const struct ovl_doctor_row *row, const struct ovl_doctor_site *site,
                    struct ovl_doctor_finding *found)
{
    struct ovl_path path;
    char answer[ANSWER];
    const char *const argv[] = {"srun", "--mpi=list", NULL};
    (void)site;
    if (ovl_ask_path(row->package->look_for, &path) != 0) {
        ovl_doctor_finding_set(found, OVL_LACKING, "%s", "");
        return;
    }
    bool answers = ovl_ask(argv, OVL_DOCTOR_PATIENCE, answer, sizeof answer) == 0;
    const char *type = kind_of_programs() == 'h' && has_type(answer, "pmi2") ? "pmi2"
                       : has_type(answer, "pmix")                            ? "pmix"
                                                                             : NULL;
    if (!answers)
        ovl_doctor_finding_set(found, OVL_LIMITED, "%.40s does not answer: no Slurm runs here, or no slurm.conf",
                               path.text);
    else if (!type)
        ovl_doctor_finding_set(found, OVL_LIMITED, "srun --mpi=list has no type for %s", OVL_MPI_LIBRARY);
    else
        ovl_doctor_finding_set(found, OVL_HEALTHY, "srun --mpi=%s%s", type, getenv("SLURM_JOB_ID") ? ", in a job" : "");
}
