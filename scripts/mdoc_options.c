/* Prints the drivers' option list as mdoc, for man/ovl_bench.1.in; run while building. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/driver_options.h"

int main(void)
{
    ovl_options_mdoc(ovl_driver_option_rows, stdout);
    return 0;
}
