/* Adapters as the record shows them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/adapters.h"
#include "base/printable.h"

#include <jansson.h>
#include <math.h>

json_t *ovl_adapters_json(void)
{
    enum { MOST = 16 };
    struct ovl_adapter found[MOST];
    struct ovl_error ignored;
    json_t *all = json_array();
    int n = ovl_adapters_find(found, MOST, &ignored);
    for (int i = 0; i < n; i++) {
        const struct ovl_adapter *a = &found[i];
        json_array_append_new(
            all, json_pack("{s:s, s:i, s:o, s:s, s:s, s:o, s:i, s:i}", "name", a->name, "port", a->port, "rate_gbps",
                           isnan(a->rate_gbps) ? json_null() : json_real(a->rate_gbps), "state", a->state, "link_layer",
                           a->link_layer, "firmware", ovl_printable_json(a->firmware), "numa_node", a->numa_node,
                           "bluefield", (int)a->bluefield));
    }
    return all;
}
