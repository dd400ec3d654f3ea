/* The model that an option names: where it is, and its text. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_PRESETS_MODEL_TEXT_H
#define OVL_CLI_PRESETS_MODEL_TEXT_H

#include "base/error.h"
#include "base/path.h"

#include <stdbool.h>

#define OVL_MODELS_SERVED "served" /* the folder of share/ovl with models of ovl_serve */

/* The path of a model: of a file, whose name has a slash or ends in .json, or of an installed one in that folder of
   share/ovl (models, served) beside the folder of this program; *installed says which. -1 with *err where /proc does
   not tell that folder. */
int ovl_model_path(const char *models, const char *name, struct ovl_path *path, bool *installed, struct ovl_error *err);

/* Of --model NAME: an installed model of that folder of share/ovl, or a file, whose name has a slash or ends in .json.
   *path says where it is; the caller frees the text. NULL with *err: OVL_USAGE with all names where there is none of
   that name, OVL_ENVIRONMENT where it cannot be read. */
char *ovl_model_text(const char *models, const char *name, struct ovl_path *path, struct ovl_error *err);

#endif
