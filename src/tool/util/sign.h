/* Signatures of files by OpenSSH's ssh-keygen (-Y sign, since 8.0): FILE.sig beside the file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_SIGN_H
#define OVL_TOOL_UTIL_SIGN_H

#include "base/error.h"

#include <jansson.h>

/* What a signature of ovl is for: one that was made for mail or git is none. */
#define OVL_SIGN_NAMESPACE "ovl-sweep"

/* Signs with a private key, or a public one whose private key an agent has; an older signature is replaced. -1 and
   OVL_ENVIRONMENT: there is no ssh-keygen, or it does not. */
int ovl_sign(const char *key, const char *path, struct ovl_error *err);

enum ovl_signed { OVL_SIGNED_WELL, OVL_SIGNED_BADLY, OVL_SIGNED_UNKNOWN };
enum { OVL_SIGN_TEXT = 200 };

/* Is FILE.sig by one of these signers, each a line as in an allowed_signers file of ssh-keygen(1)? `said` becomes who
   signed, or why not; UNKNOWN: nothing here can tell. */
enum ovl_signed ovl_sign_check(const json_t *signers, const char *path, char said[OVL_SIGN_TEXT]);

#endif
