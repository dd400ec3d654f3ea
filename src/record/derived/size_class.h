/* Size classes of the profiler hvprof's table of Allreduce, by the bytes that the library is given. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_SIZE_CLASS_H
#define OVL_RECORD_DERIVED_SIZE_CLASS_H

enum { OVL_SIZE_CLASSES = 5 };

extern const struct ovl_size_class {
    const char *name;
    double most; /* bytes */
} ovl_size_classes[OVL_SIZE_CLASSES];

/* The class of so many bytes. */
int ovl_size_class(double bytes);

/* The class of that name, or -1. */
int ovl_size_class_find(const char *name);

#endif
