/* The parts of the program sim. Each takes its own words, its name first, and returns an exit code. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_SIM_SIM_H
#define OVL_TESTS_SIM_SIM_H

int sim_bed(int argc, char **argv);
int sim_changes(int argc, char **argv);
int sim_costs(int argc, char **argv);
int sim_coverage(int argc, char **argv);
int sim_last(int argc, char **argv);
int sim_loop(int argc, char **argv);
int sim_many_ranks(int argc, char **argv);
int sim_plans(int argc, char **argv);
int sim_rederive(int argc, char **argv);
int sim_schema(int argc, char **argv);
int sim_seal(int argc, char **argv);
int sim_verdicts(int argc, char **argv);

#endif
