/* dpu-maps of any bytes: refused by line, or sound, and then every row is within its limits. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/dpu_map.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"map", NULL};
    struct ovl_dpu_map map;
    struct ovl_error err = {.code = OVL_OK};
    fuzz_files_put(names, data, size);
    if (ovl_dpu_map_read(&map, "map", &err) == 0) {
        MUST(map.count > 0);
        for (int i = 0; i < map.count; i++)
            for (int side = 0; side < 2; side++) {
                const struct ovl_port_request *port = &map.row[i].port[side];
                MUST(*map.row[i].host && *map.row[i].dpu);
                MUST(port->port >= 0 && port->port <= 255 && port->gid >= -1 && port->gid <= 255);
                MUST(memchr(port->device, '\0', sizeof port->device));
            }
    } else {
        fuzz_check_refusal(&err, 1 << OVL_USAGE | 1 << OVL_ENVIRONMENT);
    }
    free(map.row);
    fuzz_files_remove(names);
    return 0;
}
