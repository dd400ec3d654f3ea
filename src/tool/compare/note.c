/* What belongs to a verdict: why there is none, and what is told besides. */
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

void ovl_change_pace(const struct ovl_change *c, char text[80])
{
    bool machine = !c->own_work && !c->in_turns;
    snprintf(text, 80, "%s %s %% %s",
             machine       ? "the machine computes"
             : c->own_work ? "its own computation takes"
                           : "the same work takes",
             OVL_PERCENT(1, fabs(c->pace - 1)),
             c->pace > 1 ? (machine ? "slower" : "longer") : (machine ? "faster" : "less"));
}

void ovl_change_reason(struct ovl_change *c, size_t cells)
{
    if (!isnan(c->odd_ratio))
        snprintf(c->reason, sizeof c->reason,
                 "the work is %.2g times the multiple of the communication that its ratio says: measure it again",
                 c->odd_ratio);
    else if (c->stalls > 0 && 2 * c->stalls < c->launches)
        snprintf(c->reason, sizeof c->reason,
                 "%zu of %zu pairs are worse by over twice the margin: some launches stall", c->stalls, c->launches);
    else if (!isnan(c->pace) && c->by_rest) {
        ovl_change_pace(c, c->reason);
        strcat(c->reason, ", and T and T - W do not both tell");
    } else if (c->passes)
        snprintf(c->reason, sizeof c->reason, "within the margin by its own test, not among %zu cells", cells);
    else if (isinf(c->detectable))
        strcpy(c->reason, "too few launches to call any change a regression");
    else
        strcpy(c->reason, "the interval holds both well and worse");
}

void ovl_change_note(const struct ovl_change *c, char note[200])
{
    char part[120];
    *note = '\0';
    if (!isnan(c->pace) && !*c->reason) {
        ovl_change_pace(c, part);
        append(note, part);
    }
    if (c->by_difference)
        append(note, "by difference, as values are not above 0");
    if (c->unusable + c->unmatched > 0) {
        snprintf(part, sizeof part, "left out: %zu unusable and %zu unmatched launch%s", c->unusable, c->unmatched,
                 c->unmatched == 1 ? "" : "es");
        append(note, part);
    }
    if (c->gone > 0) {
        snprintf(part, sizeof part, "of %zu launch%s nothing counts: no end, no record, or not this cell", c->gone,
                 c->gone == 1 ? "" : "es");
        append(note, part);
    }
    if (c->apart > 0) {
        snprintf(part, sizeof part, "of the unmatched %zu have launches between them and their number's other one",
                 c->apart);
        append(note, part);
    }
}
