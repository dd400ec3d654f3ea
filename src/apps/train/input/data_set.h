/* A data set in files, as DLIO has them: records of one size, made once in a folder, and checked before they are used.
   What is in a record follows from the seed of the data set and its number, so that any process can tell whether what
   it read is that record. Files are read past the page cache where the file system allows it. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_INPUT_DATA_SET_H
#define OVL_APPS_TRAIN_INPUT_DATA_SET_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    OVL_DATA_SET_BLOCK = 4096,
    OVL_DATA_SET_SAMPLES = 1 << 24
}; /* bytes to which a record is rounded up; most samples */

struct ovl_data_set {
    const char *folder;
    uint64_t samples, bytes, seed; /* bytes of a record */
    uint64_t stored;               /* bytes of a record in its file */
    uint64_t a_file;               /* records of a file; the last one has what is left */
};

/* Fills what follows from `samples` and `bytes`. */
void ovl_data_set_lay_out(struct ovl_data_set *d);

/* What the folder has: 1 with all of *d, 0: no data set; -1: OVL_ENVIRONMENT where it cannot be read, OVL_WRONG_DATA
   where its head is damaged. d->folder is set. */
int ovl_data_set_find(struct ovl_data_set *d, struct ovl_error *err);

/* Makes the files of `samples`, `bytes` and `seed`, brings them to disk, and then the head, without which there is no
   data set. -1 with OVL_ENVIRONMENT, such as a full disk or a folder that takes no files; then nothing that it made is
   left. */
int ovl_data_set_make(struct ovl_data_set *d, struct ovl_error *err);

/* Reads records `from` to the one before `to`, and compares each word. -1: OVL_WRONG_DATA with the file and the place
   where it is damaged, ends too soon, or is not there; OVL_ENVIRONMENT where it cannot be read. */
int ovl_data_set_check(const struct ovl_data_set *d, uint64_t from, uint64_t to, struct ovl_error *err);

/* A record, `stored` bytes of it. And is this the record, at 64 bytes that are drawn by `draw`; or all of it? */
void ovl_data_set_record(const struct ovl_data_set *d, uint64_t sample, void *to);
bool ovl_data_set_spot(const struct ovl_data_set *d, uint64_t sample, uint64_t draw, const void *data);
bool ovl_data_set_whole(const struct ovl_data_set *d, uint64_t sample, const void *data);

/* A file that is open for reading, for one thread; all zero: none is. */
struct ovl_data_set_file {
    int fd;          /* 1 + its descriptor */
    uint64_t number; /* of the file */
    bool direct;     /* past the page cache; else it is told to drop what was read */
    uint64_t bytes;  /* that it has read, as read(2) counted them */
};

/* Reads a record, `stored` bytes, to memory that is aligned to OVL_DATA_SET_BLOCK. -1 as ovl_data_set_check. */
int ovl_data_set_read(const struct ovl_data_set *d, struct ovl_data_set_file *f, uint64_t sample, void *to,
                      struct ovl_error *err);
void ovl_data_set_close(struct ovl_data_set_file *f);

#endif
