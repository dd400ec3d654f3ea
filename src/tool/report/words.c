/* What the words in the status column of the table of cells say, on the page of `ovl report`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/escape.h"
#include "table/table.h"
#include "tool/cells/metric.h"
#include "tool/cells/unlike.h"
#include "tool/report/page.h"

#include <string.h>

/* Is it one of the words, with ", " between them? */
static bool holds(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == '\0' || at[n] == ','))
            return true;
    return false;
}

static bool is_used(const struct ovl_groups *groups, const char *word)
{
    char text[OVL_STATUS_TEXT];
    for (size_t i = 0; i < groups->member_count; i++) {
        ovl_status_text(groups->members[i].cell, text);
        if (holds(text, word))
            return true;
    }
    return false;
}

static void put_word(FILE *out, const char *word, const char *about)
{
    fputs("<dt>", out);
    ovl_escape_xml(out, word);
    fputs("</dt><dd>", out);
    ovl_escape_xml(out, about);
    fputs("</dd>\n", out);
}

/* What is said of several launches together. */
static void put_of_launches(FILE *out, const struct ovl_groups *groups)
{
    bool silent = false, unlike = false, unchecked = false;
    for (size_t i = 0; i < groups->count; i++) {
        const struct ovl_group *g = &groups->group[i];
        silent |= ovl_group_claims(g) < g->count;
        unlike |= ovl_members_unlike(g->member, g->count) != NULL;
        unchecked |= ovl_group_unchecked(g);
    }
    if (silent)
        put_word(out, "without a claim",
                 "launches that count for nothing: the cell is invalid, wrong, unshaped, emulated, of one rank, or the "
                 "launch was cut short");
    if (unlike)
        put_word(out, "unlike", "launches differ in their model or amount of work: no median of them says anything");
    if (unchecked)
        put_word(out, "data not checked", "nobody looked whether the data that arrived were right");
}

void ovl_page_words(FILE *out, const struct ovl_groups *groups)
{
    if (groups->count == 0)
        return;
    fputs("<h3>Words in the column status</h3><p>A number before a word is how many launches have it.</p><dl>\n", out);
    for (const struct ovl_status_word *w = ovl_status_words; w->word; w++)
        if (is_used(groups, w->word))
            put_word(out, w->word, w->about);
    put_of_launches(out, groups);
    fputs("</dl>\n", out);
}
