/* Launches that a cell has lost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/lost.h"
#include "tool/cells/owed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t ovl_lost_gone(const struct ovl_groups *groups, const struct ovl_group *group, size_t side)
{
    size_t gone = 0;
    if (side >= groups->record_count)
        return 0;
    for (size_t u = 0; u < groups->record[side]->unwritten_count; u++)
        gone += ovl_group_unwritten(group, side, &groups->record[side]->unwritten[u]);
    bool *owed = ovl_groups_lost(groups, group, side);
    for (size_t r = 0; r < groups->record[side]->run_count; r++)
        gone += owed[r];
    free(owed);
    return gone;
}

bool ovl_lost_many(const struct ovl_groups *groups, const struct ovl_group *group, size_t side,
                   ovl_launch_usable *usable, const void *with)
{
    const struct ovl_member *m;
    size_t n = ovl_group_side(group, side, &m), kept = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        kept += usable(&m[i], with);
        lost += !usable(&m[i], with) && !ovl_run_unended(m[i].run);
    }
    lost += ovl_lost_gone(groups, group, side);
    return 2 * lost > kept;
}

size_t ovl_lost_wrong(const struct ovl_group *group, size_t side)
{
    const struct ovl_member *m;
    size_t n = ovl_group_side(group, side, &m), wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += m[i].cell->validated == 0;
    return wrong;
}

/* Has the run a cell of that mode beside the member's? With host-t there are two of the host. */
static bool has_mode(const struct ovl_member *m, const char *word)
{
    const struct ovl_run *run = m->run;
    bool tests = strcmp(word, "host-t") == 0, found = false;
    for (size_t c = 0; c < run->cell_count && !found; c++)
        found = strcmp(run->cells[c].mode, tests ? "host" : word) == 0 && ovl_cell_beside(&run->cells[c], m->cell) &&
                (!tests || ovl_cell_tests(&run->cells[c]));
    return found;
}

void ovl_lost_mode(const struct ovl_groups *groups, const struct ovl_group *group, char word[OVL_LOST_MODE])
{
    const struct ovl_member *m = group->member;
    const char *modes = json_string_value(json_object_get(json_object_get(m->run->head, "options"), "mode"));
    *word = '\0';
    for (const char *at = modes; at && *at && !groups->record[0]->ways_chosen; at += strspn(at, ",")) {
        size_t n = strcspn(at, ","), lack = 0, ended = 0;
        char text[OVL_LOST_MODE];
        snprintf(text, sizeof text, "%.*s", (int)n, at);
        at += n;
        for (size_t i = 0; i < group->count; i++) {
            bool whole = !ovl_run_unended(m[i].run);
            ended += whole;
            lack += whole && !has_mode(&m[i], text);
        }
        if (ended > 0 && lack == ended) {
            strcpy(word, text);
            return;
        }
    }
}
