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
    bool emulated;                         /* an emulator runs this program, or the whole machine, as far as is told */
    bool translated;                       /* the latter */
};

void ovl_machine_identify(struct ovl_machine *m);

/* Does somebody emulate a processor for a program of that architecture, under a kernel of this one? Those of 32 bits
   run on their successors themselves. Where a kernel does not tell, which is "" (before Linux 6.1), nothing is known:
   false. */
bool ovl_machine_emulates(const char *program, const char *kernel);

/* Does QEMU's translator (TCG) play this processor? On x86 it says so, at CPUID's leaf 0x40000000, where KVM and other
   hypervisors have names of their own ("" elsewhere). On aarch64 its model "max" alone is known, by what /proc/cpuinfo
   says as CPU implementer and part ("" elsewhere): one that plays a Cortex, or a Neoverse, cannot be told from it. */
bool ovl_machine_translated(const char *hypervisor, const char *implementer, const char *part);

/* Adds the processing units that a thread may run on; thread 0 is the calling one. */
void ovl_machine_mask(int thread, uint64_t mask[OVL_MACHINE_MASK_WORDS]);

#endif
