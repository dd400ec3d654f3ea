/* Names of files, put together. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_PATH_H
#define OVL_BASE_PATH_H

#include <limits.h>

struct ovl_path {
    char text[PATH_MAX + 1];
};

/* A name that is too long keeps PATH_MAX bytes, which no system call takes: whoever opens it is told ENAMETOOLONG, and
   never gets another file. */
struct ovl_path ovl_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
