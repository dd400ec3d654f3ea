/* HPL.dat, the input of HPL: which options of ovl_hpl it stands for, and what of it is not used. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_DAT_H
#define OVL_APPS_HPL_DAT_H

#include "base/error.h"

struct ovl_hpl_dat {
    char *word[16]; /* `words` of them: "--order", "29,30" and so on */
    size_t words;
    char unused[400]; /* in words, with commas; "": all of it is used */
};

/* Reads 31 lines as HPL 2.3 does (testing/ptest/HPL_pdinfo.c): of each the words that count stand first, and the rest
   is a comment. `name` stands at the beginning of an error's line. -1 and OVL_USAGE where a line is missing or has
   something else. To be freed in any case. */
int ovl_hpl_dat_read(const char *text, const char *name, struct ovl_hpl_dat *dat, struct ovl_error *err);
void ovl_hpl_dat_free(struct ovl_hpl_dat *dat);

#endif
