/* The chain of a sweep's log, made for launches that tests made up: nothing of what `ovl sweep` writes or reads it
 * with. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sha256.h"
#include "tests/sim/sim.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char previous_is[] = ",\"previous\":\"", record_is[] = ",\"record_sha256\":\"";

/* Ends the line before the first of these words. */
static void cut(char *line, const char *words)
{
    char *at = strstr(line, words);
    if (at)
        *at = '\0';
}

/* The digest of the record that a line tells of; empty where there is none. */
static void digest_of_record(const char *folder, const char *line, char text[OVL_SHA256_TEXT])
{
    const char *launch = strstr(line, "\"launch\":"), *job = strstr(line, "\"job\":\"");
    char path[4096];
    text[0] = '\0';
    if (!launch || !job)
        return;
    job += strlen("\"job\":\"");
    snprintf(path, sizeof path, "%s/%.*s/%03d.jsonl", folder, (int)strcspn(job, "\""), job,
             atoi(launch + strlen("\"launch\":")));
    FILE *in = fopen(path, "r");
    if (!in || ovl_sha256_stream(in, text) != 0)
        text[0] = '\0';
    if (in)
        fclose(in);
}

/* The digest of the plan without its line ends: as its names are sorted, and it has no spaces. */
static int digest_of_plan(const char *folder, char text[OVL_SHA256_TEXT])
{
    char path[4096], plan[65536];
    snprintf(path, sizeof path, "%s/plan.json", folder);
    FILE *in = fopen(path, "r");
    size_t length = 0;
    for (int c; in && length < sizeof plan && (c = getc(in)) != EOF;)
        if (c != '\n')
            plan[length++] = (char)c;
    if (in)
        fclose(in);
    ovl_sha256_bytes(plan, length, text);
    return in && length < sizeof plan ? 0 : -1;
}

/* Each line of `in` with what stands in it today, into `out`; records: of the records, too. */
static int chain(const char *folder, FILE *in, FILE *out, bool records)
{
    char line[16384], previous[OVL_SHA256_TEXT], sum[OVL_SHA256_TEXT];
    if (records && digest_of_plan(folder, previous) != 0)
        return -1;
    for (bool first = true; fgets(line, sizeof line / 2, in); first = false) {
        if (!records && first) { /* begins with what it has */
            const char *has = strstr(line, previous_is);
            snprintf(previous, sizeof previous, "%s", has ? has + strlen(previous_is) : "");
        }
        line[strcspn(line, "\n")] = '\0';
        size_t length = strlen(line);
        if (length == 0 || line[length - 1] != '}') { /* cut by a crash: it stays as it is */
            ovl_sha256_bytes(line, length, previous);
            fprintf(out, "%s\n", line);
            continue;
        }
        line[length - 1] = '\0';
        if (records)
            cut(line, record_is);
        cut(line, previous_is);
        length = strlen(line);
        if (records && strstr(line, "\"status\":\"done\"")) {
            digest_of_record(folder, line, sum);
            length += (size_t)sprintf(line + length, "%s%s\"", record_is, sum);
        }
        length += (size_t)sprintf(line + length, "%s%s\"}", previous_is, previous);
        ovl_sha256_bytes(line, length, previous);
        fprintf(out, "%s\n", line);
    }
    return ferror(in) || ferror(out) ? -1 : 0;
}

static int seal(const char *folder, bool records)
{
    char path[4096], new[4096];
    snprintf(path, sizeof path, "%s/sweep.log", folder);
    snprintf(new, sizeof new, "%s/new.log", folder);
    FILE *in = fopen(path, "r"), *out = in ? fopen(new, "w") : NULL;
    int rc = out ? chain(folder, in, out, records) : -1;
    if (in)
        fclose(in);
    if (out && fclose(out) != 0)
        rc = -1;
    if (rc == 0)
        rc = rename(new, path);
    if (rc != 0)
        fprintf(stderr, "seal: %s: no plan, no log, or none that can be written\n", folder);
    return rc == 0 ? 0 : 5;
}

int sim_seal(int argc, char **argv)
{
    bool records = argc == 2 || strcmp(argv[1], "--links") != 0;
    if (argc != (records ? 2 : 3)) {
        fprintf(stderr, "seal: give one folder of a sweep\n");
        return 3;
    }
    return seal(argv[argc - 1], records);
}
