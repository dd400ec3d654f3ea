/* The set-up on the page of `ovl report`: what the launches say of themselves, and their files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/utf8.h"
#include "table/escape.h"
#include "tool/report/page.h"

#include <string.h>

enum { LONG = 200, LEAD = 60 }; /* bytes: longer values are folded, and then so much of them is in sight */

static const char note[] = "note: ", not_set[] = "not set";

/* What a launch has not, whichever way its record says it. */
static const char *in_words(const char *text)
{
    return *text && strcmp(text, "null") != 0 ? text : not_set;
}

/* The same values, those that are not set as one. */
static json_t *join_unset(json_t *values)
{
    json_t *joined = json_object(), *n;
    const char *text;
    json_object_foreach(values, text, n) {
        const char *words = in_words(text);
        json_int_t before = json_integer_value(json_object_get(joined, words));
        json_object_set_new_nocheck(joined, words, json_integer(before + json_integer_value(n)));
    }
    return joined;
}

static void put_text(FILE *out, const char *text)
{
    if (strlen(text) <= LONG) {
        ovl_escape_xml(out, text);
        return;
    }
    char lead[LEAD + 1] = "";
    memcpy(lead, text, ovl_utf8_cut(text, LEAD));
    fputs("<details><summary>", out);
    ovl_escape_xml(out, lead);
    fputs(" ...</summary>", out);
    ovl_escape_xml(out, text);
    fputs("</details>", out);
}

static void put_values(FILE *out, json_t *values)
{
    const char *text;
    json_t *n;
    size_t told = 0;
    json_object_foreach(values, text, n) {
        fputs(told++ ? "<br>" : "", out);
        put_text(out, text);
        if (json_object_size(values) > 1)
            fprintf(out, " <span class=\"soft\">(%lld launch%s)</span>", (long long)json_integer_value(n),
                    json_integer_value(n) == 1 ? "" : "es");
    }
}

/* Is the whole of it a note, such as of a kernel, of which the setting has the series? */
static bool has_note(json_t *setting, const char *name)
{
    char whole[200];
    snprintf(whole, sizeof whole, "%s%s", note, name);
    return json_object_get(setting, whole) != NULL;
}

static void put_files(FILE *out, const struct ovl_record *record)
{
    fputs("<details><summary>Files</summary><ul>\n", out);
    for (size_t r = 0; r < record->run_count; r++) {
        fputs("<li>", out);
        ovl_escape_xml(out, record->runs[r].file);
        fputs(": ", out);
        ovl_escape_xml(out, ovl_run_text(&record->runs[r], "run_id"));
        fputs(ovl_run_unended(&record->runs[r]) ? " (cut short)</li>\n" : "</li>\n", out);
    }
    fputs("</ul></details>", out);
}

void ovl_page_setup(FILE *out, json_t *setting, const struct ovl_record *record)
{
    const char *name;
    json_t *values;
    fputs("<section id=\"setup\"><h2>Set-up</h2><dl>\n", out);
    json_object_foreach(setting, name, values) {
        if (has_note(setting, name))
            continue;
        json_t *joined = join_unset(values);
        fputs("<dt>", out);
        ovl_escape_xml(out, strncmp(name, note, strlen(note)) == 0 ? name + strlen(note) : name);
        fputs("</dt><dd>", out);
        put_values(out, joined);
        fputs("</dd>\n", out);
        json_decref(joined);
    }
    fputs("</dl>\n", out);
    put_files(out, record);
    fputs("</section>\n", out);
}
