/* CRC-32 as in zip and Ethernet: finds every change of up to 32 bits in a row. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_CHECKSUM_H
#define OVL_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Goes on from the checksum of what stood before; starts with 0. */
uint32_t ovl_checksum_crc32(uint32_t before, const void *data, size_t length);

#endif
