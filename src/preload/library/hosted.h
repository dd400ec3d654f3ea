/* Names of the non-blocking collectives that workers do not do. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_PRELOAD_LIBRARY_HOSTED_H
#define OVL_PRELOAD_LIBRARY_HOSTED_H

enum ovl_hosted {
#define HOSTED(name, params, args) OVL_HOSTED_##name,
#include "preload/pmpi/hosted.inc"
#undef HOSTED
    OVL_HOSTED
};

#endif
