/* Texts of anybody's in a form of somebody's, so that they are nothing but text there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TABLE_ESCAPE_H
#define OVL_TABLE_ESCAPE_H

#include <stdio.h>

/* What is written in place of what; a list ends with NULL. */
struct ovl_escape {
    const char *of, *as;
};

/* Writes a text: what is in the list as it says, other control characters as `control` (NULL: as they are), and '?' for
   bytes that are no UTF-8. */
void ovl_escape(FILE *out, const char *text, const struct ovl_escape *list, const char *control);

/* Inside an element or attribute of XML and HTML: &, <, >, quotes escaped; '?' for characters that XML has not. */
void ovl_escape_xml(FILE *out, const char *text);

#endif
