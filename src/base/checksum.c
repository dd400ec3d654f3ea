/* CRC-32, eight bytes at a time (Kounavis and Berry, IEEE Trans. Comput. 57(11), 2008). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/checksum.h"

#include <pthread.h>

/* after[k][b]: the remainder of byte b with k bytes of zeros behind it, by the polynomial 0xedb88320. */
static uint32_t after[8][256];

static void fill(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        after[0][b] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (uint32_t b = 0; b < 256; b++)
            after[k][b] = after[k - 1][b] >> 8 ^ after[0][after[k - 1][b] & 255];
}

static inline uint32_t four(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint32_t ovl_checksum_crc32(uint32_t before, const void *data, size_t length)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const unsigned char *at = data, *end = at + length;
    uint32_t crc = ~before;
    pthread_once(&once, fill);
    for (; end - at >= 8; at += 8) {
        uint32_t low = crc ^ four(at), high = four(at + 4);
        crc = after[7][low & 255] ^ after[6][low >> 8 & 255] ^ after[5][low >> 16 & 255] ^ after[4][low >> 24] ^
              after[3][high & 255] ^ after[2][high >> 8 & 255] ^ after[1][high >> 16 & 255] ^ after[0][high >> 24];
    }
    for (; at < end; at++)
        crc = crc >> 8 ^ after[0][(crc ^ *at) & 255];
    return ~crc;
}
