/* The memory of an application. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/message.h"
#include "base/page_alloc.h"
#include "machine/memory.h"
#include "offload/boot/agree_mpi.h"

#include <stdlib.h>
#include <string.h>

int ovl_app_fits(const struct ovl_app_job *job, const struct ovl_app_need *need, double has, struct ovl_error *err)
{
    char wants[32], gets[32];
    ovl_memory_text(need->bytes, wants);
    ovl_memory_text(has, gets);
    return need->bytes <= has
               ? 0
               : ovl_error_set(err, OVL_USAGE, "%s %s a rank, and a rank has %s%s; give %s", need->what, wants, gets,
                               job->options->mem_limit ? " by --mem-limit" : "", need->mend);
}

int ovl_app_memory(struct ovl_offload *offload, void **memory, size_t bytes, struct ovl_error *err)
{
    if (offload)
        return ovl_engine_alloc(&offload->engine, memory, bytes, err);
    *memory = ovl_huge_pages(bytes);
    return *memory ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for messages of %zu bytes", bytes);
}

void ovl_app_memory_free(struct ovl_offload *offload, void *memory)
{
    struct ovl_error err;
    if (!offload)
        free(memory);
    else if (memory && ovl_client_free(&offload->engine.client, memory, &err) != 0)
        ovl_engine_abort(offload->program, &err);
}

void *ovl_app_memory_of_problem(struct ovl_app_job *job, size_t bytes, struct ovl_error *err)
{
    void **memory = &job->memory[job->memory_count++];
    int rc = ovl_app_memory(job->stage.offload, memory, bytes, err);
    if (*memory)
        memset(*memory, 0, bytes);
    return ovl_agree(job->comm, rc, err) == 0 ? *memory : NULL;
}

void ovl_app_memory_end(struct ovl_app_job *job)
{
    while (job->memory_count > 0) {
        ovl_app_memory_free(job->stage.offload, job->memory[--job->memory_count]);
        job->memory[job->memory_count] = NULL;
    }
}
