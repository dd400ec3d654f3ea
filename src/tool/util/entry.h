/* What stands in a folder under the name of something that is read. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_ENTRY_H
#define OVL_TOOL_UTIL_ENTRY_H

#include <stdbool.h>
#include <sys/stat.h>

/* Why what is there, with these attributes (those of a link's end), is not to be read; NULL: nothing speaks against it.
   A record (*.jsonl), plan.json and sweep.log are plain files: others would be passed over, or kept waiting for. With
   `within` neither these nor a folder may be a link out of the folder in which it stands, which whoever gets the folder
   does not have. */
const char *ovl_entry_fault(const char *path, const struct stat *file, bool within);

#endif
