/* Digests of the files that options name. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/input_files.h"
#include "base/input_file.h"
#include "base/sha256.h"
#include "bench/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *ovl_input_files_json(void)
{
    json_t *all = NULL;
    const char *option, *text;
    for (size_t i = 0; (text = ovl_input_kept(i, &option)); i++) {
        char name[64], sha256[OVL_SHA256_TEXT];
        snprintf(name, sizeof name, "%s", option);
        for (char *c = name; *c; c++)
            if (*c == '-')
                *c = '_';
        if (ovl_input_kept_is_digest(i))
            snprintf(sha256, sizeof sha256, "%s", text);
        else
            ovl_sha256_bytes(text, strlen(text), sha256);
        all = all ? all : json_object();
        json_object_set_new(all, name, json_string(sha256));
    }
    return all;
}

int ovl_input_files_same(MPI_Comm comm, struct ovl_error *err)
{
    int rank, rc = 0;
    json_t *mine = ovl_input_files_json(), *first = ovl_share_json(mine, comm), *value;
    const char *name;
    MPI_Comm_rank(comm, &rank);
    json_object_foreach(mine, name, value) {
        if (rc == 0 && !json_equal(value, json_object_get(first, name)))
            rc = ovl_error_set(err, OVL_ENVIRONMENT,
                               "--%s: rank %d read another file than rank 0; give all nodes the same", name, rank);
    }
    json_decref(first);
    json_decref(mine);
    return rc;
}
