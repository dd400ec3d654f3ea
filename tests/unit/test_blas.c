/* Which BLAS a process has, from the symbols that are there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/blas.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

static const char *there; /* names with a blank before and behind each */

static void *find(const char *symbol)
{
    const char *at = strstr(there, symbol);
    return at && at[-1] == ' ' && at[strlen(symbol)] == ' ' ? (void *)(uintptr_t)at : NULL;
}

static const struct {
    const char *there, *name;
    bool reference;
} libraries[] = {
    {" cblas_dgemm RowMajorStrg CBLAS_CallFromC ", "reference BLAS", true},
    {" cblas_dgemm openblas_get_config ", "OpenBLAS", false},
    {" cblas_dgemm RowMajorStrg openblas_get_config ", "OpenBLAS", false}, /* netlib's CBLAS before it */
    {" RowMajorStrg cblas_dgemm bli_info_get_version_str ", "BLIS", false},
    {" cblas_dgemm MKL_Set_Num_Threads ", "MKL", false},
    {" ATL_dgemm cblas_dgemm ", "ATLAS", false},
    {" cblas_dgemm ", "CBLAS", false},
};

LOOP_TEST(a_library_is_known_by_its_symbols, 0, sizeof libraries / sizeof *libraries)
{
    there = libraries[_i].there;
    const struct ovl_blas *b = ovl_blas_identify(find);
    ck_assert_ptr_nonnull(b);
    ck_assert_str_eq(b->name, libraries[_i].name);
    ck_assert_int_eq(b->reference, libraries[_i].reference);
}

TEST(no_blas_is_none)
{
    there = " dgemm_ ";
    ck_assert_ptr_null(ovl_blas_identify(find));
}

TEST(this_process_says_one_thing)
{
    const struct ovl_blas *b = ovl_blas_here();
    ck_assert_int_eq(*ovl_blas_text() == '\0', b == NULL);
    ck_assert_int_eq(ovl_blas_warning() != NULL, b && b->reference);
    ck_assert(!b || b->reference || strstr(ovl_blas_text(), b->name));
}
