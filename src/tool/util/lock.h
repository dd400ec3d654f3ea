/* One sweep at a time in a folder: two would spoil each other's times. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_LOCK_H
#define OVL_TOOL_UTIL_LOCK_H

#include "base/error.h"
#include "base/path.h"

#include <stdbool.h>

struct ovl_sweep_lock {
    struct ovl_path path; /* of the file that stands for the lock; "" where flock() holds it */
};

/* Locks the folder by flock() on its open log. A file system without locks (Lustre without -o flock, NFS without lockd)
   gets the file FOLDER/sweep.lock instead, which names host, process and its start; it is told on stdout. One that a
   process of this host left behind when it died is taken over, by one of those who try. -1 and OVL_ENVIRONMENT when
   another sweep has the folder, or when there is no lock to be had. */
int ovl_sweep_lock_take(struct ovl_sweep_lock *lock, const char *folder, int log, struct ovl_error *err);

/* Does a sweep have the folder, by a lock or by the file that stands for one? It takes neither: a lock that is had at
   once is given back, and a file that a process of this host left behind when it died is nobody's. */
bool ovl_sweep_lock_is_held(const char *folder, const char *log);

/* Gives it back; of a lock that was not taken, nothing. The log's own lock goes when that is closed. */
void ovl_sweep_lock_release(struct ovl_sweep_lock *lock);

#endif
