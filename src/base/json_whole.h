/* Whole numbers of JSON: a schema's integer may be written 2.0 or 1e2, which jansson holds as a real number, and whose
   integer value would be 0. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_JSON_WHOLE_H
#define OVL_BASE_JSON_WHOLE_H

#include <jansson.h>

/* The number as an integer, a new reference; NULL: it is no real number that is whole. */
json_t *ovl_json_whole(const json_t *value);

/* Makes all of them in an object or array integers, at any depth, but in the member `but` of the object; NULL: in all.
 */
void ovl_json_make_whole(json_t *json, const char *but);

#endif
