/* Sides of which launches are known, and no cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/lost.h"
#include "tool/rank/sides.h"

#include <stdlib.h>
#include <string.h>

/* Takes the name of what is lost. */
static void add_lost(struct ovl_rank_sides *s, json_t *has, char *place)
{
    const json_t *at = json_object_get(has, place);
    if (!at) {
        json_object_set_new_nocheck(has, place, json_integer((json_int_t)s->losts));
        s->lost = ovl_grow_one(s->lost, s->losts, sizeof *s->lost);
        s->lost[s->losts++] = (struct ovl_rank_lost){place, 1};
        return;
    }
    if (json_is_integer(at))
        s->lost[json_integer_value(at)].launches++;
    free(place);
}

static bool has_benchmark(const struct ovl_groups *groups, const char *benchmark)
{
    for (size_t i = 0; i < groups->count; i++)
        if (strcmp(groups->group[i].member->cell->benchmark, benchmark) == 0)
            return true;
    return false;
}

void ovl_rank_find_lost(struct ovl_rank_sides *s, const struct ovl_groups *groups, char *const *paths, size_t count,
                        bool filtered)
{
    const struct ovl_record *all = groups->record[0];
    json_t *has = json_object();
    for (size_t i = 0; i < groups->member_count; i++) {
        char *place = ovl_rank_place_of(groups, groups->members[i].run->file, paths, count);
        json_object_set_new_nocheck(has, place, json_true());
        free(place);
    }
    for (size_t r = 0; r < all->run_count; r++)
        add_lost(s, has, ovl_rank_place_of(groups, all->runs[r].file, paths, count));
    for (size_t u = 0; u < all->unwritten_count; u++)
        if (!filtered || !*all->unwritten[u].benchmark || has_benchmark(groups, all->unwritten[u].benchmark))
            add_lost(s, has, ovl_rank_place_of(groups, all->unwritten[u].file, paths, count));
    for (size_t g = 0; g < groups->count; g++) {
        char word[OVL_LOST_MODE];
        ovl_lost_mode(groups, &groups->group[g], word);
        char *place = ovl_rank_place_of(groups, groups->group[g].member->run->file, paths, count);
        char *name = ovl_text("%s %s", place, word);
        bool new = *word && !json_object_get(has, name);
        if (new) {
            add_lost(s, has, name);
            s->lost[s->losts - 1].launches = groups->group[g].count;
        } else
            free(name);
        free(place);
    }
    json_decref(has);
}
