/* Memory: what the machine has, and numbers of bytes as text. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_MEMORY_H
#define OVL_MACHINE_MEMORY_H

/* Bytes that processes of this machine may have together: its memory, or the limit of this control group. */
double ovl_memory_of_machine(void);

/* "12.3 GiB" */
void ovl_memory_text(double bytes, char text[32]);

#endif
