/* A value of a cell or a run, held against one option. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_HELD_OPTION_H
#define OVL_TOOL_CELLS_HELD_OPTION_H

#include "tool/cells/options/of_options.h"

/* Is the text, or number, the option's value? An option that is not told, or null, is passed over; a value that is null
   ("" or NaN) fits none. false with *why, which names the value by its path. */
bool ovl_option_is_text(const json_t *options, const char *option, const char *path, const char *has,
                        char why[OVL_OF_OPTIONS_WHY]);
bool ovl_option_is_number(const json_t *options, const char *option, const char *path, double has,
                          char why[OVL_OF_OPTIONS_WHY]);

/* Is the text one of an option's value: a number, a list of numbers, or words between commas? Of a cube its side is
   enough. */
bool ovl_option_has(const json_t *asked, const char *text);

/* Has words between commas that one? */
bool ovl_option_lists(const char *words, const char *word);

#endif
