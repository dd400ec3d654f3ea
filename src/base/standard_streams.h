/* Descriptors 0, 1 and 2: a program may have been started without (`>&-`), and launchers merge those of many ranks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_STANDARD_STREAMS_H
#define OVL_BASE_STANDARD_STREAMS_H

/* Call this first in every main. Opens /dev/null for each of the three that is closed; otherwise the next file that the
   program opens, a log or a record, would get that number and all that is printed. It is opened the wrong way round, so
   that reading and writing still fail, as they do on a closed descriptor, and lost output still ends in an error.
   From then on stdout and stderr are handed on line by line: a launcher may put what comes in pieces between the lines
   of another stream or rank, and the C library hands on what is printed to stderr in pieces (of 128 bytes from
   glibc 2.37). 0, or -1 where /dev/null cannot be opened: end with OVL_ENVIRONMENT. */
int ovl_standard_streams_open(void);

#endif
