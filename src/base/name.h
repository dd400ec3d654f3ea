/* Names: of processors and MPI libraries as people say them; of variables that nobody may be told. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_NAME_H
#define OVL_BASE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Copies the first part of a name, up to a comma or the end of its line, without "(R)", "(TM)", "Version", colons, and
   spaces that then stand twice: "MPICH Version:\t4.0.2" becomes "MPICH 4.0.2". */
void ovl_name_shorten(char *text, size_t room, const char *name);

/* May what is set under this name be a secret: is one of JWT, TOKEN, SECRET, KEY, PASSWORD, PASSWD and CREDENTIAL part
   of it, in letters of either case? Such a variable is never recorded nor shown. */
bool ovl_name_secret(const char *name);

#endif
