/* sim PART: simulations and costs, each printed as a table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/sim.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *words, *what;
} parts[] = {
    {"bed", sim_bed, "SEEDS [FIRST [RULES]] | orders MOST | cost | times | joins",
     "jobs of many seeds on the bed of the engine"},
    {"changes", sim_changes, "[HISTORIES]", "how often ovl history finds a change, and one that is none"},
    {"costs", sim_costs, "[RANKS [RANKS-A-NODE [HOSTS]]]", "what schedules and the map of a large job cost"},
    {"coverage", sim_coverage, "CELLS", "how often intervals of cells hold the truth"},
    {"last", sim_last, "[NIGHTS]", "how often ovl history --last raises a false alarm in a night"},
    {"loop", sim_loop, "", "the measuring loop on a virtual clock, sample by sample"},
    {"many-ranks", sim_many_ranks, "RANKS",
     "what jobs of virtual ranks say of an operation of which nothing can be hidden"},
    {"plans", sim_plans, "[SEED] | times", "how near plans come to their bounds, or how long they take to make"},
    {"rederive", sim_rederive, "RECORD NEW...", "kept records with all values derived anew from their samples"},
    {"schema", sim_schema, "SCHEMA JSON...", "whether JSON files keep a schema"},
    {"seal", sim_seal, "[--links] FOLDER", "the log of a sweep with its digests made anew; --links: of lines alone"},
    {"verdicts", sim_verdicts, "[FAMILIES]", "how often verdicts of ovl compare err"},
};

int main(int argc, char **argv)
{
    enum { PARTS = sizeof parts / sizeof *parts };
    for (int p = 0; p < PARTS && argc > 1; p++)
        if (strcmp(argv[1], parts[p].name) == 0)
            return parts[p].run(argc - 1, argv + 1);
    for (int p = 0; p < PARTS; p++)
        fprintf(stderr, "sim %s %s\n    %s\n", parts[p].name, parts[p].words, parts[p].what);
    return 3;
}
