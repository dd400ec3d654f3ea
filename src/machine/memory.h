/* Numbers of bytes as text. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_MEMORY_H
#define OVL_MACHINE_MEMORY_H

/* "12.3 GiB" */
void ovl_memory_text(double bytes, char text[32]);

#endif
