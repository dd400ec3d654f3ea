/* Message sizes as people ask for them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sizes.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Times ranks and buffers it still fits 64 bits. */
static const uint64_t SIZE_MOST = (uint64_t)1 << 40, FACTOR_MOST = 1 << 20;

/* The size that begins *text, which comes to stand behind it. */
static int take_size(const char **text, uint64_t *bytes)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return -1;
    errno = 0;
    *bytes = strtoull(*text, &end, 10);
    if (errno)
        return -1;
    const char *suffixes = "KMG", *s = *end ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;
    if (s) {
        int shift = 10 * (int)(s - suffixes + 1);
        if (*bytes > UINT64_MAX >> shift)
            return -1;
        *bytes <<= shift;
        end++;
    }
    *text = end;
    return 0;
}

int ovl_options_size(const char *text, uint64_t *bytes)
{
    return take_size(&text, bytes) == 0 && *text == '\0' ? 0 : -1;
}

void ovl_options_size_text(uint64_t bytes, char text[24])
{
    const char *suffix = "";
    if (bytes && bytes % (1u << 30) == 0)
        bytes >>= 30, suffix = "G";
    else if (bytes && bytes % (1u << 20) == 0)
        bytes >>= 20, suffix = "M";
    else if (bytes && bytes % (1u << 10) == 0)
        bytes >>= 10, suffix = "K";
    snprintf(text, 24, "%llu%s", (unsigned long long)bytes, suffix);
}

/* Puts a size where it belongs, once. */
static int add(struct ovl_sizes *s, uint64_t size)
{
    size_t at = 0;
    while (at < s->n && s->size[at] < size)
        at++;
    if (at < s->n && s->size[at] == size)
        return 0;
    if (size == 0 || size > SIZE_MOST || s->n == OVL_SIZES_MOST)
        return -1;
    memmove(&s->size[at + 1], &s->size[at], (s->n - at) * sizeof *s->size);
    s->size[at] = size;
    s->n++;
    return 0;
}

/* What a range goes by: times a factor, or plus a step. */
struct step {
    uint64_t factor, more;
};

static int add_range(struct ovl_sizes *s, uint64_t least, uint64_t most, struct step step, bool must_meet)
{
    uint64_t size = least, last = 0;
    if (least == 0 || least > most || most > SIZE_MOST)
        return -1;
    for (; size <= most; size = size * step.factor + step.more) {
        if (add(s, size) != 0)
            return -1;
        last = size;
    }
    return must_meet && last != most ? -1 : 0;
}

/* ":*3" or ":+4K", or nothing. */
static int take_step(const char **text, struct step *step, bool *given)
{
    *given = **text == ':';
    *step = (struct step){.factor = 2};
    if (!*given)
        return 0;
    char kind = (*text)[1];
    uint64_t value;
    if (kind != '*' && kind != '+')
        return -1;
    *text += 2;
    if (take_size(text, &value) != 0 || value < (kind == '*' ? 2 : 1) ||
        value > (kind == '*' ? FACTOR_MOST : SIZE_MOST))
        return -1;
    *step = (struct step){kind == '*' ? value : 1, kind == '*' ? 0 : value};
    return 0;
}

static int take_part(const char **text, struct ovl_sizes *s)
{
    uint64_t least, most;
    struct step step;
    bool stepped;
    if (take_size(text, &least) != 0)
        return -1;
    if (**text != ':')
        return add(s, least);
    (*text)++;
    if (take_size(text, &most) != 0 || take_step(text, &step, &stepped) != 0)
        return -1;
    return add_range(s, least, most, step, !stepped);
}

struct ovl_sizes ovl_sizes_doubling(uint64_t least, uint64_t most)
{
    struct ovl_sizes s = {.n = 0, .from_default = true, .all_default = true};
    add_range(&s, least, most, (struct step){.factor = 2}, false);
    return s;
}

int ovl_sizes_parse(const char *text, struct ovl_sizes *sizes)
{
    struct ovl_sizes s = {.n = 0};
    uint64_t alone, least = sizes->n > 0 ? sizes->size[0] : 0;
    if (ovl_options_size(text, &alone) == 0) {
        s.from_default = true;
        if (add_range(&s, least > 0 && least < alone ? least : alone, alone, (struct step){.factor = 2}, true) != 0)
            return -1;
        *sizes = s;
        return 0;
    }
    for (;; text++) {
        if (take_part(&text, &s) != 0)
            return -1;
        if (*text != ',')
            break;
    }
    if (*text)
        return -1;
    *sizes = s;
    return 0;
}

json_t *ovl_sizes_json(const struct ovl_sizes *sizes)
{
    char text[24 * OVL_SIZES_MOST];
    size_t n = 0;
    bool doubles = true;
    for (size_t i = 1; i < sizes->n; i++)
        doubles &= sizes->size[i] == 2 * sizes->size[i - 1];
    if (doubles)
        return json_pack("[I,I]", (json_int_t)(sizes->n > 0 ? sizes->size[0] : 0),
                         (json_int_t)(sizes->n > 0 ? sizes->size[sizes->n - 1] : 0));
    for (size_t i = 0; i < sizes->n; i++) {
        char one[24];
        ovl_options_size_text(sizes->size[i], one);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i > 0 ? "," : "", one);
    }
    return json_string(text);
}
