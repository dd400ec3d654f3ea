/* --filter 'FIELD=REGEX': which cells of records a command looks at. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_FILTER_H
#define OVL_TOOL_CELLS_FILTER_H

#include "cli/options.h"
#include "record/record.h"

/* The row of the option in a command's table; its member is a struct ovl_texts. */
#define OVL_FILTER_OPTION(offset_)                                                                                     \
    {                                                                                                                  \
        0, "filter", "FIELD=REGEX",                                                                                    \
            "only cells whose field (of those that identify a cell) holds this POSIX extended expression; each one "   \
            "must",                                                                                                    \
            OVL_OPTION_TEXTS, offset_, 0, 0, NULL, NULL                                                                \
    }

/* Takes the cells that do not match out of the record, and the runs that have none left. A field's text is that of
   `ovl export --to csv`. -1 and OVL_USAGE: no such field, a wrong expression, or nothing is left; `what` names the
   record in that case. Without filters the record is as it was. */
int ovl_filter_record(const struct ovl_texts *filters, struct ovl_record *record, const char *what,
                      struct ovl_error *err);

/* The same for those who judge launches: runs that did not come to their end, or came there with no cell but of
   launches that have one that matches, stay, unless their run line says that none of their cells could match. They owe
   one. */
int ovl_filter_launches(const struct ovl_texts *filters, struct ovl_record *record, const char *what,
                        struct ovl_error *err);

#endif
