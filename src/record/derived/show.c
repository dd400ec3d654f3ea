/* Values as they are shown. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/show.h"
#include "base/number.h"
#include "record/derived/percentile.h"
#include "record/proxy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct ovl_show *ovl_field_show(const struct ovl_field *f, bool of_proxy)
{
    return of_proxy && f->show_of_proxy.head ? &f->show_of_proxy : &f->show;
}

struct ovl_show ovl_show_of_unit(const struct ovl_field *f)
{
    return strcmp(f->unit, "s") == 0 ? (struct ovl_show){" us", 1e6, 2, 0, false}
                                     : (struct ovl_show){"", 1, 4, 0, false};
}

struct ovl_show ovl_show_of_change(const struct ovl_field *f)
{
    return (struct ovl_show){"", 1, 3, 0, f->scale != OVL_METRIC_RATIO};
}

struct ovl_estimate ovl_field_estimate(const struct ovl_field *f, const struct ovl_cell *cell)
{
    if (f->percent > 0) {
        struct ovl_estimate e = ovl_percentile_of(f, cell);
        return isnan(e.ci_low) || isnan(e.ci_high) ? (struct ovl_estimate){NAN, NAN, NAN} : e;
    }
    const void *at = (const char *)cell + f->offset;
    const json_t *extra = json_object_get(cell->extra, f->name);
    if (f->kind == OVL_FIELD_ESTIMATE)
        return *(const struct ovl_estimate *)at;
    if (f->kind == OVL_FIELD_SUMMARY) {
        struct ovl_summary s = f->size > 0 ? *(const struct ovl_summary *)at : ovl_proxy_summary(cell, f->name);
        return (struct ovl_estimate){s.median, s.ci_low, s.ci_high};
    }
    if (f->size > 0)
        return (struct ovl_estimate){*(const double *)at, NAN, NAN};
    return (struct ovl_estimate){json_is_number(extra) ? json_number_value(extra) : NAN, NAN, NAN};
}

void ovl_show_text(char text[32], const struct ovl_show *s, double x)
{
    if (!isfinite(x))
        strcpy(text, "-");
    else
        ovl_number_text(text, s->factor, s->decimals, s->sign, x);
}

void ovl_show_interval(char text[64], const struct ovl_show *s, const struct ovl_estimate *e)
{
    char low[32], high[32];
    ovl_show_text(low, s, e->ci_low);
    ovl_show_text(high, s, e->ci_high);
    snprintf(text, 64, isnan(e->ci_low) ? "-" : "%s..%s", low, high);
}
