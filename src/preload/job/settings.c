/* Reads the OVL_OFFLOAD variables. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/job/settings.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static int word(const char *name, const char *const *words, int *value, struct ovl_error *err)
{
    const char *text = getenv(name);
    char all[128] = "";
    for (int i = 0; text && *text && words[i]; i++) {
        if (strcmp(text, words[i]) == 0) {
            *value = i;
            return 0;
        }
        strcat(strcat(all, i ? ", " : ""), words[i]);
    }
    return !text || !*text ? 0 : ovl_error_set(err, OVL_USAGE, "%s=%.40s: give one of %s", name, text, all);
}

static int number(const char *name, double least, double most, double *value, struct ovl_error *err)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return 0;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* the program's may want a comma */
    double x = plain ? strtod_l(text, &end, plain) : strtod(text, &end);
    if (plain)
        freelocale(plain);
    double unit = *end == 'K' ? 1024.0 : *end == 'M' ? 1048576.0 : *end == 'G' ? 1073741824.0 : 1;
    if (end == text || end[unit > 1] || !(x * unit >= least && x * unit <= most))
        return ovl_error_set(err, OVL_USAGE, "%s=%.40s: give a number from %g to %g, K, M or G behind it", name, text,
                             least, most);
    *value = x * unit;
    return 0;
}

int ovl_settings_read(struct ovl_settings *s, struct ovl_error *err)
{
    static const char *const modes[] = {
        [OVL_MODE_OFF] = "off", [OVL_MODE_ON] = "on", [OVL_MODE_REQUIRE] = "require", NULL};
    static const char *const paths[] = {
        [OVL_PATH_AUTO] = "auto", [OVL_PATH_CMA] = "cma", [OVL_PATH_BOUNCE] = "bounce", NULL};
    static const char *const priorities[] = {"usual", "high", NULL};
    static const char *const no_yes[] = {"no", "yes", NULL};
    enum { MOST_WORKERS = 64 };
    double least = 262144, workers = 1, slots = 40, node_ranks = 0, timeout = 30, heap = 0;
    int vectors = 1;
    *s =
        (struct ovl_settings){.mode = OVL_MODE_ON, .path = OVL_PATH_AUTO, .workers = 1, .slots = 1, .timeout = timeout};
    if (word("OVL_OFFLOAD", modes, &s->mode, err) != 0 || word("OVL_OFFLOAD_PATH", paths, &s->path, err) != 0 ||
        word("OVL_OFFLOAD_PRIORITY", priorities, &s->high, err) != 0 ||
        word("OVL_OFFLOAD_VECTORS", no_yes, &vectors, err) != 0 ||
        number("OVL_OFFLOAD_MIN", 0, 1e18, &least, err) != 0 ||
        number("OVL_OFFLOAD_WORKERS", 1, MOST_WORKERS, &workers, err) != 0 ||
        number("OVL_OFFLOAD_SLOTS", 1, OVL_SLOTS - 16, &slots, err) != 0 ||
        number("OVL_OFFLOAD_HEAP", 0, 1e18, &heap, err) != 0 ||
        number("OVL_OFFLOAD_NODE_RANKS", 0, 1e6, &node_ranks, err) != 0 ||
        number("OVL_OFFLOAD_TIMEOUT", 0.1, 86400, &timeout, err) != 0)
        return -1;
    s->rules = (struct ovl_offload_rules){.least = (uint64_t)least, .vectors = vectors};
    s->workers = (int)workers;
    s->slots = (int)slots;
    s->node_ranks = (int)node_ranks;
    s->timeout = timeout;
    s->heap = (uint64_t)heap;
    return 0;
}
