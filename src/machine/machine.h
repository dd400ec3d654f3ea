/* Which machine a process is on, and which of its processors are its own: no library is asked. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_MACHINE_H
#define OVL_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

enum { OVL_MACHINE_MASK_WORDS = 64 }; /* 4096 processors */

struct ovl_machine {
    char host[256];
    uint64_t id;    /* the same number on all nodes that share one kernel (boot_id), so also cores and clock */
    uint64_t clock; /* the same number where CLOCK_MONOTONIC is common (boot_id and time namespace) */
    uint64_t mask[OVL_MACHINE_MASK_WORDS]; /* processing units this process may run on */
    char architecture[16];                 /* what this program is compiled for, as uname -m says it */
    bool emulated;                         /* the kernel runs on another: an emulator runs this program */
};

void ovl_machine_identify(struct ovl_machine *m);

/* Does somebody emulate a processor for a program of that architecture, under a kernel of this one? Those of 32 bits
   run on their successors themselves. Where a kernel does not tell, which is "" (before Linux 6.1), nothing is known:
   false. */
bool ovl_machine_emulates(const char *program, const char *kernel);

/* Adds the processing units that a thread may run on; thread 0 is the calling one. */
void ovl_machine_mask(int thread, uint64_t mask[OVL_MACHINE_MASK_WORDS]);

#endif
