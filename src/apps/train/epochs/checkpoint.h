/* Checkpoints of a training: files of parameters that are there whole or not at all. A checkpoint of a step has a part
   for each rank that wrote one. Each part is written under another name, brought to disk, and given its name; then its
   folder is brought to disk. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_EPOCHS_CHECKPOINT_H
#define OVL_APPS_TRAIN_EPOCHS_CHECKPOINT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { OVL_CHECKPOINT_FOLDER = 200, OVL_CHECKPOINT_PARTS = 1 << 20 };

/* A part, as its file begins. */
struct ovl_checkpoint {
    char magic[8]; /* set by ovl_checkpoint_write */
    uint32_t crc;  /* CRC-32 of the members below, set by ovl_checkpoint_write */
    uint32_t element;
    uint64_t step;         /* how many steps the parameters have seen */
    uint64_t first, count; /* elements that this part has */
    uint64_t all;          /* elements of all parts together */
    uint32_t part, parts;
    char model[64];
};

/* Part `part` of `parts` equal ones, but for an element: first and count. */
void ovl_checkpoint_split(struct ovl_checkpoint *c, uint32_t part, uint32_t parts);

/* -1: OVL_ENVIRONMENT where it cannot be written; then what was there before is there still. */
int ovl_checkpoint_write(const char *folder, const struct ovl_checkpoint *c, const void *data, struct ovl_error *err);

/* Can files be made in the folder, and has its file system room for the two of so many bytes that are kept, and the one
   that is written? A quota is found out by writing. -1: OVL_ENVIRONMENT. Nothing is left there. */
int ovl_checkpoint_try(const char *folder, uint32_t part, double bytes, struct ovl_error *err);

/* The newest step of which all parts are there: 1 with it and how many parts it has, 0 where there is none, -1 with
   OVL_ENVIRONMENT where the folder cannot be read. */
int ovl_checkpoint_find(const char *folder, uint64_t *step, uint32_t *parts, struct ovl_error *err);

/* The part of c->step, c->part and c->parts, which must be of c->model, c->element and c->all. Fills `first` and
   `count`, and puts the elements to their places in `data`, which has all. -1: OVL_WRONG_DATA with the place where it
   is damaged, OVL_USAGE where it is of another model. */
int ovl_checkpoint_read(const char *folder, struct ovl_checkpoint *c, void *data, struct ovl_error *err);

/* Removes what is left half-written of that step and part. */
void ovl_checkpoint_sweep(const char *folder, const struct ovl_checkpoint *c);

/* Nothing where there is none. */
void ovl_checkpoint_remove(const char *folder, uint64_t step, uint32_t part, uint32_t parts);

/* The file system of a folder, such as "ext4", in 16 characters with the zero. */
void ovl_checkpoint_file_system(const char *folder, char name[16]);

#endif
