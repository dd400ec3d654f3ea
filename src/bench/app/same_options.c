/* One command line for all ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/same_options.h"
#include "bench/share.h"
#include "cli/options.h"
#include "version.h"

#include <stdlib.h>

/* What rank 0 alone heeds; of a file of its own it matters that there is one. */
static json_t *shared(const struct ovl_app *app, const void *options)
{
    json_t *all = ovl_options_json(app->rows, options), *json = json_object_get(all, "json");
    json_object_set_new(all, "program", json_string(app->name));
    json_object_set_new(all, "version", json_string(OVL_VERSION " (" OVL_GIT ")"));
    json_object_set_new(all, "json", json_boolean(json && !json_is_null(json)));
    json_object_del(all, "quiet");
    json_object_del(all, "progress");
    return all;
}

static int tell(const char *name, const json_t *mine, const json_t *first, int rank, struct ovl_error *err)
{
    char *own = json_dumps(mine, JSON_ENCODE_ANY | JSON_COMPACT),
         *other = json_dumps(first, JSON_ENCODE_ANY | JSON_COMPACT);
    int rc =
        ovl_error_set(err, OVL_USAGE,
                      "rank %d has other options than rank 0: %s is %.100s there, and %.100s at rank 0; give all ranks "
                      "the same",
                      rank, name, own ? own : "none", other ? other : "none");
    free(own);
    free(other);
    return rc;
}

int ovl_app_options_same(const struct ovl_app *app, const void *options, MPI_Comm comm, struct ovl_error *err)
{
    int rank, rc = 0;
    const char *name;
    json_t *mine = shared(app, options), *value;
    MPI_Comm_rank(comm, &rank);
    json_t *first = ovl_share_json(mine, comm);
    json_object_foreach(mine, name, value) {
        const json_t *other = json_object_get(first, name);
        if (rc == 0 && !(other && json_equal(value, other)))
            rc = tell(name, value, other, rank, err);
    }
    json_object_foreach(first, name, value) {
        if (rc == 0 && !json_object_get(mine, name))
            rc = tell(name, NULL, value, rank, err);
    }
    json_decref(first);
    json_decref(mine);
    return rc;
}
