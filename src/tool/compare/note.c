/* What belongs to a verdict besides its reason. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/number.h"
#include "tool/compare/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void append(char note[200], const char *what)
{
    size_t n = strlen(note);
    snprintf(note + n, 200 - n, "%s%s", n ? "; " : "", what);
}

void ovl_change_note(const struct ovl_change *c, char note[200])
{
    char part[120];
    *note = '\0';
    if (!isnan(c->machine) && !*c->reason) {
        snprintf(part, sizeof part, "the machine computes %s %% %s", OVL_PERCENT(1, fabs(c->machine - 1)),
                 c->machine > 1 ? "slower" : "faster");
        append(note, part);
    }
    if (c->by_difference)
        append(note, "by difference, as values are not above 0");
    if (c->unusable + c->unmatched > 0) {
        snprintf(part, sizeof part, "left out: %zu unusable and %zu unmatched launch%s", c->unusable, c->unmatched,
                 c->unmatched == 1 ? "" : "es");
        append(note, part);
    }
    if (c->apart > 0) {
        snprintf(part, sizeof part, "of the unmatched %zu have launches between them and their number's other one",
                 c->apart);
        append(note, part);
    }
}
