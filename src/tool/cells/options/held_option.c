/* A value beside the option that it follows from. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/options/held_option.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool ovl_option_is_text(const json_t *options, const char *option, const char *path, const char *has,
                        char why[OVL_OF_OPTIONS_WHY])
{
    const char *asked = json_string_value(json_object_get(options, option));
    if (!asked || strcmp(asked, has) == 0)
        return true;
    snprintf(why, OVL_OF_OPTIONS_WHY, "%s: \"%.40s\", by the option %s of \"%.40s\"", path, has, option, asked);
    return false;
}

bool ovl_option_is_number(const json_t *options, const char *option, const char *path, double has,
                          char why[OVL_OF_OPTIONS_WHY])
{
    const json_t *asked = json_object_get(options, option);
    double x = json_is_boolean(asked) ? json_is_true(asked) : json_number_value(asked);
    char text[32] = "null";
    if ((!json_is_number(asked) && !json_is_boolean(asked)) || has == x)
        return true;
    if (!isnan(has))
        snprintf(text, sizeof text, "%.12g", has);
    snprintf(why, OVL_OF_OPTIONS_WHY, "%s: %s, by the option %s of %.12g", path, text, option, x);
    return false;
}

static bool is_word(const char *text, const char *word, size_t length)
{
    return strlen(text) == length && strncmp(text, word, length) == 0;
}

bool ovl_option_lists(const char *words, const char *word)
{
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, ",");
        if (strlen(word) == length && strncmp(word, at, length) == 0)
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}

bool ovl_option_has(const json_t *asked, const char *text)
{
    char number[32];
    for (size_t i = 0; i < json_array_size(asked); i++)
        if (ovl_option_has(json_array_get(asked, i), text))
            return true;
    if (json_is_number(asked)) {
        snprintf(number, sizeof number, "%.12g", json_number_value(asked));
        return is_word(text, number, strlen(number));
    }
    for (const char *at = json_string_value(asked); at && *at;) {
        size_t length = strcspn(at, ",");
        if (is_word(text, at, length))
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}
