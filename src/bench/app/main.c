/* The one main of all applications; which it is, is linked in. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/app.h"

int main(int argc, char **argv)
{
    return ovl_app_main(&ovl_app, argc, argv);
}
