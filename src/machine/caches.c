/* Reads /sys/devices/system/cpu/cpu0/cache. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/caches.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_word(const char *folder, int index, const char *name, char word[32])
{
    char path[512];
    snprintf(path, sizeof path, "%s/index%d/%s", folder, index, name);
    FILE *in = fopen(path, "re");
    if (!in)
        return -1;
    int got = fscanf(in, "%31s", word);
    fclose(in);
    return got == 1 ? 0 : -1;
}

/* "32K", "1M" or a number of bytes; 0 where it is none. */
static json_int_t bytes_of(const char *text)
{
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    return (json_int_t)(*end == 'K' ? n << 10 : *end == 'M' ? n << 20 : *end == 'G' ? n << 30 : n);
}

json_t *ovl_caches_json(const char *folder)
{
    json_t *all = json_array();
    char level[32], type[32], size[32];
    if (!folder)
        folder = "/sys/devices/system/cpu/cpu0/cache";
    for (int i = 0; read_word(folder, i, "level", level) == 0; i++) {
        if (read_word(folder, i, "type", type) != 0 || read_word(folder, i, "size", size) != 0 ||
            strcmp(type, "Instruction") == 0 || bytes_of(size) == 0)
            continue;
        for (char *c = type; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        json_array_append_new(
            all, json_pack("{s:i, s:s, s:I}", "level", atoi(level), "type", type, "bytes", bytes_of(size)));
    }
    return all;
}
