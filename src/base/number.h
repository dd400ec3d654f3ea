/* Numbers as texts in other units than ours: seconds in microseconds, fractions in percent. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_NUMBER_H
#define OVL_BASE_NUMBER_H

#include <stdbool.h>

/* x times `factor` with so many decimals, or -digits significant ones; `sign`: with a + before what is positive, too.
   Returns the text, of 31 bytes at most. */
const char *ovl_number_text(char text[32], double factor, int decimals, bool sign, double x);

/* "2.3 ms", in the unit that leaves few digits; "-" for NaN. Returns the text. */
const char *ovl_number_time(char text[32], double seconds);

/* Writes what printf makes of it by "%.12g", and returns how many bytes that is. Numbers of no more than 12 digits, as
   records have them, take a tenth of printf's time. */
int ovl_number_twelve(char text[24], double x);

/* The number that these 12 digits name. */
double ovl_number_round(double x);

/* For %s in a sentence; good to the end of the block. */
#define OVL_TIME(seconds)                    ovl_number_time((char[32]){""}, seconds)
#define OVL_US(seconds)                      ovl_number_text((char[32]){""}, 1e6, -3, false, seconds)
#define OVL_PERCENT(decimals, fraction)      ovl_number_text((char[32]){""}, 100, decimals, false, fraction)
#define OVL_PERCENT_MORE(decimals, fraction) ovl_number_text((char[32]){""}, 100, decimals, true, fraction)

#endif
