/* What is said of a cell's status and marks, and of those of several cells. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/settle.h"
#include "table/table.h"

#include <stdio.h>
#include <string.h>

/* In this order. That ranks share cores and that a link is emulated stands in the head, once for all cells. */
static const struct {
    enum ovl_mark mark;
    const char *text;
} words[] = {{OVL_MARK_FEW, "few"},     {OVL_MARK_DRIFTING, "drifting"},
             {OVL_MARK_WIDE, "wide"},   {OVL_MARK_UNEVEN, "uneven"},
             {OVL_MARK_NOISY, "noisy"}, {OVL_MARK_OWN_WORK, "own W"},
             {OVL_MARK_RATIO, "W/C"},   {OVL_MARK_LATER_FIRST, "later first token"}};

enum { WORDS = sizeof words / sizeof *words };

const struct ovl_status_word ovl_status_words[] = {
    {"ok", "its values can be relied on within their intervals"},
    {"few", "fewer than 15 blocks count: intervals of so few rest on too little"},
    {"drifting", "the total time of a block depends on that of the one before it, so intervals are too narrow"},
    {"wide", "an interval is wider than --ci asks for"},
    {"uneven", "the hidden part differs by over 5 points between the mean over ranks and the slowest rank"},
    {"noisy", "other programs, or the host of a virtual machine, took time from a rank's core"},
    {"own W", "its computation is not that of the record given by --work-from"},
    {"W/C", "computation is over 10 % off the multiple of communication that was asked for"},
    {"later first token", "requests wait over 3 % longer for their first token than in blocking mode"},
    {"invalid", "its values count for nothing: the record says why, such as ranks that started apart"},
    {"wrong", "data were wrong: its values count for nothing"},
    {"emulated", "a stand-in or an emulator was the processor of ranks or workers"},
    {"unshaped", "communication was quicker than the emulated link allows: its values count for nothing"},
    {NULL, NULL},
};

/* An interval says nothing of a cell that is invalid. */
static bool is_told(const struct ovl_cell *c, enum ovl_mark mark)
{
    bool of_interval = mark == OVL_MARK_FEW || mark == OVL_MARK_DRIFTING || mark == OVL_MARK_WIDE;
    return (ovl_cell_marks(c) & 1U << mark) != 0 && !(of_interval && strcmp(c->status, "invalid") == 0) &&
           !(mark == OVL_MARK_UNEVEN && c->validated == 0);
}

void ovl_status_text(const struct ovl_cell *c, char text[OVL_STATUS_TEXT])
{
    const char *status = strcmp(c->status, "ci_not_reached") == 0 ? "wide" : c->status;
    size_t n = (size_t)snprintf(text, OVL_STATUS_TEXT, "%.8s%s", status, c->validated == 0 ? ", wrong" : "");
    for (int i = 0; i < WORDS; i++)
        if (is_told(c, words[i].mark) && strcmp(words[i].text, status) != 0)
            n += (size_t)snprintf(text + n, OVL_STATUS_TEXT - n, ", %s", words[i].text);
    if (strcmp(c->placement, OVL_EMULATED) == 0)
        n += (size_t)snprintf(text + n, OVL_STATUS_TEXT - n, ", emulated");
    if (c->unshaped > 0 && c->validated != 0)
        strcpy(text, "unshaped");
}

void ovl_marks_see(struct ovl_marks_seen *seen, const struct ovl_cell *c)
{
    for (int i = 0; i < WORDS; i++)
        seen->cells[words[i].mark] += is_told(c, words[i].mark);
}

void ovl_marks_text(const struct ovl_marks_seen *seen, char text[OVL_STATUS_TEXT])
{
    size_t n = 0;
    *text = '\0';
    for (int i = 0; i < WORDS; i++)
        if (seen->cells[words[i].mark] > 0)
            n += (size_t)snprintf(text + n, OVL_STATUS_TEXT - n, "%s%zu %s", n ? ", " : "", seen->cells[words[i].mark],
                                  words[i].text);
}
