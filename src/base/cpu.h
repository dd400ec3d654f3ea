/* Two things that C has no words for: a spinning processor's breath, and sleeping on a word of shared memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_CPU_H
#define OVL_BASE_CPU_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline void ovl_cpu_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Sleeps while *word is `value`, at most that long. Not the private form: the word is shared by processes. The kernel's
   time has two longs, also where a program's has 64 bits on a machine of 32. */
static inline void ovl_futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t ns)
{
    const long t[] = {(long)(ns / 1000000000), (long)(ns % 1000000000)};
    syscall(SYS_futex, word, FUTEX_WAIT, value, t, NULL, 0);
}

static inline void ovl_futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

#endif
