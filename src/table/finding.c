/* What a run found, in sentences. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/finding.h"
#include "base/utf8.h"
#include "cli/catalog.h"
#include "cli/sizes.h"
#include "table/situation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* " from 64K to 1M", " at 1M", " at all sizes, 64K to 1M", or nothing where there is no message. */
static void say_sizes(char text[80], const struct ovl_facts *f)
{
    char low[24], high[24];
    *text = '\0';
    if (!(f->largest->size_bytes > 0))
        return;
    ovl_options_size_text((uint64_t)f->smallest->size_bytes, low);
    ovl_options_size_text((uint64_t)f->largest->size_bytes, high);
    if (f->smallest == f->largest)
        snprintf(text, 80, " at %s", high);
    else
        snprintf(text, 80, " %s %s to %s", f->all ? "at all sizes," : "from", low, high);
}

/* "3 %", "0 to 5 %". */
static void say_percent(char text[40], const struct ovl_facts *f)
{
    double low = round(100 * f->low) + 0.0, high = round(100 * f->high) + 0.0; /* no -0 */
    if (low == high)
        snprintf(text, 40, "%g %%", low);
    else
        snprintf(text, 40, "%g to %g %%", low, high);
}

static void add(struct ovl_finding *f, const char *text)
{
    if (f->count < OVL_FINDINGS)
        ovl_utf8_print(f->found[f->count++], OVL_FINDING_TEXT, "%s", text);
}

/* "; at 1M the total is 1.20 times the host's (1.10 to 1.30)"; and where the mode loses, what OMB would say all the
   same: its formula sees the ends of the calls, and not that the program takes longer. */
static size_t say_total(char *text, size_t room, const struct ovl_facts *f, const char *at, const char *size)
{
    const double tells = 10; /* points */
    const struct ovl_estimate *ratio = &f->total_ratio;
    if (!isfinite(ratio->value))
        return 0;
    size_t n = ovl_utf8_print(text, room, ";%s%s the total is %.2f times the host's", at, size, ratio->value);
    if (isfinite(ratio->ci_low) && isfinite(ratio->ci_high))
        n += ovl_utf8_print(text + n, room - n, " (%.2f to %.2f)", ratio->ci_low, ratio->ci_high);
    if (ratio->ci_low > 1 && f->largest->omb_percent > 100 * f->largest->derived[OVL_HIDDEN].value + tells)
        n += ovl_utf8_print(text + n, room - n, ", where OMB's formula says %.0f %% overlap", f->largest->omb_percent);
    return n;
}

static void say(struct ovl_finding *out, const struct ovl_situation *s, const struct ovl_facts *f)
{
    char text[OVL_FINDING_TEXT], sizes[80], percent[40], largest[24], rest[160] = "";
    size_t n = 0;
    if (f->cells == 0)
        return;
    if (!f->largest) {
        ovl_utf8_print(text, sizeof text, "%s: %s", f->mode,
                       f->vague > 0    ? "no cell says within 15 points how much of the communication is hidden"
                       : f->claims > 0 ? "the communication is too short to say how much of it is hidden"
                                       : "no row gives a result; its status says why");
        add(out, text);
        return;
    }
    say_sizes(sizes, f);
    say_percent(percent, f);
    ovl_options_size_text(f->largest->size_bytes > 0 ? (uint64_t)f->largest->size_bytes : 0, largest);
    if (f != &s->host)
        n = say_total(rest, sizeof rest, f, *sizes ? " at " : "", *sizes ? largest : "");
    if (f->silent > 0)
        ovl_utf8_print(rest + n, sizeof rest - n, "; %zu size%s say%s nothing", f->silent, f->silent == 1 ? "" : "s",
                       f->silent == 1 ? "s" : "");
    if (f->kind == OVL_FOUND_HARM)
        ovl_utf8_print(text, sizeof text, "%s: overlapping costs more than it hides (%s hidden)%s%s", f->mode, percent,
                       sizes, rest);
    else if (round(100 * f->high) <= 0)
        ovl_utf8_print(text, sizeof text, "%s: nothing of the communication is hidden (%s)%s%s", f->mode, percent,
                       sizes, rest);
    else
        ovl_utf8_print(text, sizeof text, "%s: %s of the communication is hidden%s%s", f->mode, percent, sizes, rest);
    add(out, text);
}

void ovl_finding_make(struct ovl_finding *f, const struct ovl_run *run)
{
    struct ovl_situation s;
    const struct ovl_benchmark *b = ovl_benchmark_find(ovl_run_text(run, "benchmark"));
    *f = (struct ovl_finding){.count = 0};
    if (run->cell_count == 0 || !b || b->fixed_us > 0 || ovl_cell_solves(&run->cells[0]))
        return;
    ovl_situation_look(&s, run);
    if (!s.alone) {
        say(f, &s, &s.host);
        say(f, &s, &s.thread);
        say(f, &s, &s.dpu);
    }
    ovl_situation_next(&s, f->next);
}
