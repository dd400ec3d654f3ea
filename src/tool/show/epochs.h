/* Epochs of a training over launches: what each compares within itself, with an interval over all of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SHOW_EPOCHS_H
#define OVL_TOOL_SHOW_EPOCHS_H

#include "record/record.h"

#include <stdio.h>

/* For each cell that several launches have with a claim, and that has epochs: of checkpoints the excess by that of
   root, of files the samples a second by those of the first order, of failures the goodput by what is expected and by
   what those that were drawn leave. Medians over launches with their exact 95 % intervals, which need 6. Prints nothing
   where there is no such cell. */
void ovl_show_epochs(FILE *out, const struct ovl_record *record);

#endif
