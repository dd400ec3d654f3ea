/* A rule that says nothing for a machine that keeps it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_ACCEPT_ODD_RULE_H
#define OVL_TOOL_ACCEPT_ODD_RULE_H

#include "record/field.h"

enum { OVL_ODD_RULE = 160 };

struct ovl_odd_rule {
    const struct ovl_field *metric;
    bool ratio; /* of the metric to that of a baseline */
    bool above; /* more than the limit is wanted */
    bool pass;  /* it is kept */
    double limit;
};

/* What is odd about it beside the value that was found, or "": turned round, of a metric that the work decides, in
   another unit, or one that asks for no gain. */
void ovl_odd_rule(const struct ovl_odd_rule *rule, double value, char odd[OVL_ODD_RULE]);

/* Of the values of launches that pass by their median: how many miss the limit, or "": none. */
void ovl_odd_launches(const struct ovl_odd_rule *rule, const json_t *values, char odd[OVL_ODD_RULE]);

#endif
