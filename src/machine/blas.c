/* Which BLAS this process computes with. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/blas.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The first that is there counts: a tuned library may have netlib's CBLAS before it, whose variable is the last but
   one. */
static const struct ovl_blas known[] = {
    {"OpenBLAS", "openblas_get_config", false},
    {"MKL", "MKL_Set_Num_Threads", false},
    {"BLIS", "bli_info_get_version_str", false},
    {"NVPL", "nvpl_blas_get_version", false},
    {"Arm Performance Libraries", "armpl_set_num_threads", false},
    {"ATLAS", "ATL_buildinfo", false},
    {"ATLAS", "ATL_dgemm", false},
    {OVL_BLAS_REFERENCE, "RowMajorStrg", true},
    {"CBLAS", "cblas_dgemm", false},
};

/* What a static library has, dlsym does not find. */
__attribute__((weak)) void openblas_set_num_threads(int threads);
__attribute__((weak)) char *openblas_get_config(void);
__attribute__((weak)) void MKL_Set_Num_Threads(int threads);
__attribute__((weak)) char *bli_info_get_version_str(void);
__attribute__((weak)) void bli_thread_set_num_threads(long threads);

typedef void function(void);

static function *linked(const char *symbol)
{
    const struct {
        const char *symbol;
        function *at;
    } all[] = {
        {"openblas_set_num_threads", (function *)openblas_set_num_threads},
        {"openblas_get_config", (function *)openblas_get_config},
        {"MKL_Set_Num_Threads", (function *)MKL_Set_Num_Threads},
        {"bli_info_get_version_str", (function *)bli_info_get_version_str},
        {"bli_thread_set_num_threads", (function *)bli_thread_set_num_threads},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].symbol, symbol) == 0)
            return all[i].at;
    return NULL;
}

static void *find(const char *symbol)
{
    function *f = linked(symbol);
    void *at = dlsym(RTLD_DEFAULT, symbol);
    if (f)
        memcpy(&at, &f, sizeof at);
    return at;
}

/* A function of this process; false where it has none of that name. */
static bool take(const char *symbol, void *function_pointer)
{
    void *at = find(symbol);
    memcpy(function_pointer, &at, sizeof at);
    return at;
}

const struct ovl_blas *ovl_blas_identify(void *(*look)(const char *symbol))
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (look(known[i].symbol))
            return &known[i];
    return NULL;
}

const struct ovl_blas *ovl_blas_here(void)
{
    return ovl_blas_identify(find);
}

const char *ovl_blas_text(void)
{
    static char text[256];
    const struct ovl_blas *b = ovl_blas_here();
    char *(*config)(void) = NULL;
    snprintf(text, sizeof text, "%s", b ? b->name : "");
    if (b && strcmp(b->name, "OpenBLAS") == 0 && take("openblas_get_config", &config))
        snprintf(text, sizeof text, "%s", config());
    else if (b && strcmp(b->name, "BLIS") == 0 && take("bli_info_get_version_str", &config))
        snprintf(text, sizeof text, "BLIS %s", config());
    return text;
}

bool ovl_blas_threads(int threads)
{
    void (*set)(int) = NULL;
    void (*set_long)(long) = NULL;
    if (take("openblas_set_num_threads", &set) || take("MKL_Set_Num_Threads", &set))
        set(threads);
    else if (take("bli_thread_set_num_threads", &set_long))
        set_long(threads);
    else /* one thread is all that it has */
        return threads == 1 && ovl_blas_here() && ovl_blas_here()->reference;
    return true;
}

const char *ovl_blas_warning(void)
{
    const struct ovl_blas *b = ovl_blas_here();
    return b && b->reference
               ? "the BLAS is netlib's reference, whose work takes many times as long as a tuned one's; install "
                 "OpenBLAS (libopenblas-dev)"
               : NULL;
}
