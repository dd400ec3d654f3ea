/* The dpu-map: a line per DPU. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/dpu_map.h"
#include "base/input_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, MOST_WORDS = 6 };

bool ovl_node_same(const char *a, const char *b)
{
    size_t m = strcspn(a, "."), n = strcspn(b, ".");
    if (a[m] && b[n])
        return strcmp(a, b) == 0;
    return m == n && memcmp(a, b, m) == 0;
}

static int parse_port(struct ovl_port_request *request, const char *word)
{
    if (strcmp(word, "-") != 0)
        return ovl_port_request_parse(request, word, strlen(word));
    *request = (struct ovl_port_request){.gid = -1};
    return 0;
}

static int parse_row(struct ovl_dpu *d, char **word, int words)
{
    char *end;
    if (words < 4 || words > 5 || strlen(word[0]) >= sizeof d->host || strlen(word[1]) >= sizeof d->dpu)
        return -1;
    snprintf(d->host, sizeof d->host, "%s", word[0]);
    snprintf(d->dpu, sizeof d->dpu, "%s", word[1]);
    if (parse_port(&d->port[0], word[2]) != 0 || parse_port(&d->port[1], word[3]) != 0)
        return -1;
    if (words == 5) {
        long gid = strtol(word[4], &end, 10);
        if (*end || gid < 0 || gid > 255)
            return -1;
        d->port[0].gid = d->port[1].gid = (int)gid;
    }
    return 0;
}

static void add(struct ovl_dpu_map *map, const struct ovl_dpu *row)
{
    map->row = ovl_grow_one(map->row, (size_t)map->count, sizeof *map->row);
    map->row[map->count++] = *row;
}

int ovl_dpu_map_parse(struct ovl_dpu_map *map, const char *name, const char *text, struct ovl_error *err)
{
    *map = (struct ovl_dpu_map){.count = 0};
    for (int line = 1; *text; line++) {
        char copy[512], *word[MOST_WORDS], *save = NULL;
        size_t length = strcspn(text, "\n");
        int words = 0;
        struct ovl_dpu row = {.host = ""};
        snprintf(copy, sizeof copy, "%.*s", (int)(length < sizeof copy ? length : sizeof copy - 1), text);
        copy[strcspn(copy, "#")] = '\0';
        text += length + (text[length] == '\n');
        for (char *w = strtok_r(copy, " \t\r", &save); w && words < MOST_WORDS; w = strtok_r(NULL, " \t\r", &save))
            word[words++] = w;
        if (words == 0)
            continue;
        if (length >= sizeof copy || parse_row(&row, word, words) != 0)
            return ovl_error_set(err, OVL_USAGE, "%s:%d: not `host dpu hostdev[:port] dpudev[:port] [gid]`", name,
                                 line);
        add(map, &row);
    }
    return map->count > 0 ? 0 : ovl_error_set(err, OVL_USAGE, "%s names no DPU", name);
}

int ovl_dpu_map_read(struct ovl_dpu_map *map, const char *file, struct ovl_error *err)
{
    *map = (struct ovl_dpu_map){.count = 0};
    char *text = ovl_alloc(MOST_BYTES, 1);
    FILE *in = ovl_input_file_open(file);
    int rc = -1;
    if (!in)
        ovl_error_set(err, OVL_ENVIRONMENT, "--dpu-map: cannot read %s: %s", file, strerror(errno));
    else {
        size_t n = fread(text, 1, MOST_BYTES - 1, in);
        text[n] = '\0';
        if (ferror(in))
            ovl_error_set(err, OVL_ENVIRONMENT, "--dpu-map: cannot read %s: %s", file, strerror(errno));
        else if (n == MOST_BYTES - 1 || strlen(text) != n)
            ovl_error_set(err, OVL_USAGE, "%s: no dpu-map: it has a NUL byte, or 1 MiB or more", file);
        else {
            ovl_input_keep("dpu-map", text);
            rc = ovl_dpu_map_parse(map, file, text, err);
        }
    }
    if (in)
        fclose(in);
    free(text);
    return rc;
}
