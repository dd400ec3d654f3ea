/* ranks: 1 2 3 */
/* The energy of one T, by a made counter that each T of rank 0 moves on by as much. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/energy.h"
#include "base/clock.h"
#include "tests/mpi/mpi_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int rank, samples, signalled;
static long long microjoules;
static char root[] = "/tmp/ovl-energy-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *slash = path + strlen(root); (slash = strchr(slash + 1, '/')); *slash = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    FILE *out = fopen(path, "w");
    EXPECT(out != NULL);
    if (out) {
        fputs(text, out);
        fclose(out);
    }
}

static void put_counter(void)
{
    char text[32];
    snprintf(text, sizeof text, "%lld\n", microjoules);
    put("/sys/class/powercap/intel-rapl:0/energy_uj", text);
}

static int64_t now(void *stage)
{
    (void)stage;
    return ovl_clock_ns();
}

static struct ovl_start start(void *stage, enum ovl_quantity sample, int mode)
{
    (void)stage;
    EXPECT(sample == OVL_TOTAL && mode == 1);
    samples++;
    microjoules += 2500;
    if (rank == 0)
        put_counter();
    return (struct ovl_start){.agreed = OVL_LOOP_NO_START};
}

static void compute(void *stage, uint64_t units)
{
    (void)stage;
    EXPECT(units == 7);
}

static void nothing(void *stage, int mode)
{
    (void)stage, (void)mode;
}

static void cpu(void *stage, struct ovl_burnt *burnt)
{
    (void)stage;
    *burnt = (struct ovl_burnt){0, 0, 0};
}

static void share(void *stage, void *data, size_t bytes)
{
    (void)stage;
    MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static int interrupted(void *stage)
{
    (void)stage;
    return signalled;
}

static const struct ovl_stage_ops ops = {.now = now,
                                         .start = start,
                                         .compute = compute,
                                         .post = nothing,
                                         .wait = nothing,
                                         .cpu = cpu,
                                         .share = share,
                                         .interrupted = interrupted};

static struct ovl_cell_energy measure(const struct ovl_provenance *p, double seconds)
{
    struct ovl_rank_energy e;
    struct ovl_cell_energy taken = {{NAN, NAN, NAN}, NAN, NAN};
    const struct ovl_loop loop = {.ops = &ops, .modes = 2};
    samples = 0;
    ovl_rank_energy_open(&e, MPI_COMM_WORLD, p, root);
    ovl_rank_energy_measure(&e, &loop, 1, 7, seconds, &taken);
    return taken;
}

static void not_read(const struct ovl_provenance *p)
{
    struct ovl_cell_energy taken = measure(p, 0.01);
    EXPECT(samples == 0);
    for (int k = 0; k < OVL_ENERGY_KINDS; k++)
        EXPECT(isnan(taken.joules[k]));
    EXPECT(isnan(taken.repeats) && isnan(taken.seconds));
    mpi_test_end("where nothing tells of energy no T is repeated, and nothing is told");
}

static void by_counter(const struct ovl_provenance *p)
{
    if (rank == 0) {
        put("/sys/class/powercap/intel-rapl:0/name", "package-0\n");
        put_counter();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    struct ovl_cell_energy taken = measure(p, 0.02);
    EXPECT(samples > 1);
    if (rank == 0) {
        EXPECT(fabs(taken.joules[OVL_ENERGY_PACKAGE] - 0.0025) < 1e-9);
        EXPECT(isnan(taken.joules[OVL_ENERGY_DRAM]) && isnan(taken.joules[OVL_ENERGY_NODE]));
        EXPECT(taken.repeats == samples - 1);
        EXPECT(taken.seconds * taken.repeats >= 0.02);
    }
    signalled = 2;
    measure(p, 1000);
    EXPECT(samples == 2);
    mpi_test_end("joules of one T are those of all by their number, and a signal ends them");
}

int main(int argc, char **argv)
{
    struct ovl_provenance p;
    struct ovl_error err;
    char command[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    EXPECT(ovl_provenance_load(&p, MPI_COMM_WORLD, NULL, &err) == 0);
    if (rank == 0)
        EXPECT(mkdtemp(root) != NULL);
    MPI_Bcast(root, sizeof root, MPI_CHAR, 0, MPI_COMM_WORLD);
    not_read(&p);
    by_counter(&p);
    snprintf(command, sizeof command, "rm -r '%s'", root);
    if (rank == 0)
        EXPECT(system(command) == 0);
    ovl_provenance_free(&p);
    return mpi_test_finish();
}
