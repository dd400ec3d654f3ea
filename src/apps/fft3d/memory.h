/* Memory: what a grid needs and what the machine has. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_FFT3D_MEMORY_H
#define OVL_APPS_FFT3D_MEMORY_H

/* Bytes that processes of this machine may have together: its memory, or the limit of this control group. */
double ovl_memory_of_machine(void);

/* "12.3 GiB" */
void ovl_memory_text(double bytes, char text[32]);

#endif
