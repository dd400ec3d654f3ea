/* Rules that are met by what is bad, by anything, or by the plan itself. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/odd_rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool has_unit(const struct ovl_field *metric, const char *unit)
{
    return metric->unit && strcmp(metric->unit, unit) == 0;
}

/* A limit in another unit, or one that asks for no gain. Shares are parts of one. */
static void tell_size(const struct ovl_odd_rule *r, double value, char odd[OVL_ODD_RULE])
{
    const double much = 100 /* under 1000, so that one in ms is told */, much_of_share = 20;
    bool seconds = has_unit(r->metric, "s"), share = r->ratio || has_unit(r->metric, "1");
    if (seconds && !r->ratio && !r->above && value > 0 && r->limit > much * value)
        snprintf(odd, OVL_ODD_RULE, "the limit is %.1g times the value: is it in seconds?", r->limit / value);
    else if (share && isfinite(value) && r->limit > 1 && r->limit >= much_of_share * value)
        snprintf(odd, OVL_ODD_RULE, "the limit is %.4g and the value %.2g: is it in per cent?", r->limit, value);
    else if (r->pass && share && r->above && r->limit <= 0 &&
             strcmp(r->metric->name, "efficiency_vs_blocking") != 0) /* a gain, which may be a loss */
        snprintf(odd, OVL_ODD_RULE, "a limit of %g asks for no gain", r->limit);
}

void ovl_odd_rule(const struct ovl_odd_rule *r, double value, char odd[OVL_ODD_RULE])
{
    const char *name = r->metric->name;
    *odd = '\0';
    if (r->pass && !r->ratio && r->above != r->metric->more_is_better)
        snprintf(odd, OVL_ODD_RULE, "of %.60s %s is better: is the rule turned round?", name,
                 r->above ? "less" : "more");
    else if (r->pass && strcmp(name, "hideable_fraction") == 0)
        snprintf(odd, OVL_ODD_RULE, "%s is what the plan's work allows, and no result: is hidden_fraction meant?",
                 name);
    else
        tell_size(r, value, odd);
}

void ovl_odd_launches(const struct ovl_odd_rule *r, const json_t *values, char odd[OVL_ODD_RULE])
{
    size_t missed = 0;
    for (size_t i = 0; i < json_array_size(values); i++) {
        double value = json_number_value(json_array_get(values, i));
        missed += json_is_number(json_array_get(values, i)) && (r->above ? value < r->limit : value > r->limit);
    }
    *odd = '\0';
    if (missed > 0)
        snprintf(odd, OVL_ODD_RULE, "%zu of %zu launches miss the limit: the interval is that of their median", missed,
                 json_array_size(values));
}
