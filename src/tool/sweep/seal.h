/* What a sweep gives to who judges it: digests while it runs, and signatures. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SWEEP_SEAL_H
#define OVL_TOOL_SWEEP_SEAL_H

#include "tool/sweep/state.h"

/* With --digests or --sign, a line with the SHA-256 of the log's last line: it stands for all lines before. */
void ovl_sweep_seal_line(const struct ovl_sweeping *s);

/* With --sign, signs the file. -1 and OVL_ENVIRONMENT. */
int ovl_sweep_seal(const struct ovl_sweeping *s, const char *path, struct ovl_error *err);

#endif
