/* Message sizes as people ask for them: K, M and G, ranges and lists. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_SIZES_H
#define OVL_CLI_SIZES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number of bytes with suffix K, M or G (powers of 1024) from the whole of `text`. -1 when it is none. */
int ovl_options_size(const char *text, uint64_t *bytes);

/* Writes bytes as people do, "64K" or "1000". */
void ovl_options_size_text(uint64_t bytes, char text[24]);

enum { OVL_SIZES_MOST = 128 };

/* Different sizes, the smallest first; none where there is no message. */
struct ovl_sizes {
    size_t n;
    bool from_default; /* the least one was not asked for */
    bool all_default;  /* nor any other */
    uint64_t size[OVL_SIZES_MOST];
};

/* From least to most by doubling, as nobody asked for; none where most is 0. */
struct ovl_sizes ovl_sizes_doubling(uint64_t least, uint64_t most);

/* Reads parts with commas between them: a size; MIN:MAX by doubling, where MAX must be met; MIN:MAX:*F or MIN:MAX:+STEP
   as far as MAX. MAX alone, without a comma, doubles from the least size that *sizes has to begin with, or is the one
   size where that is larger or there is none. -1 where the text is none of it, a size is 0 or over 2^40, or there are
   over OVL_SIZES_MOST of them; *sizes is as it was then. */
int ovl_sizes_parse(const char *text, struct ovl_sizes *sizes);

/* As a record holds them: [least, most] where they double all the way, else a text such as "1K,3K,7K". */
json_t *ovl_sizes_json(const struct ovl_sizes *sizes);

#endif
