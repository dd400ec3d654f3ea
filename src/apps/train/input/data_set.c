/* Records stand one after the other, each in whole blocks, so that they can be read past the page cache. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/input/data_set.h"
#include "base/input_file.h"
#include "base/output_file.h"
#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES = 64 << 20, WORD = sizeof(uint64_t), SPOT = 8 }; /* of a file, where more than one record fits */

static struct ovl_path head_of(const struct ovl_data_set *d)
{
    return ovl_path("%s/ovl-data-set", d->folder);
}

static struct ovl_path file_of(const struct ovl_data_set *d, uint64_t number)
{
    return ovl_path("%s/records-%06" PRIu64 ".bin", d->folder, number);
}

static uint64_t files(const struct ovl_data_set *d)
{
    return (d->samples + d->a_file - 1) / d->a_file;
}

/* Records of a file. */
static uint64_t in_file(const struct ovl_data_set *d, uint64_t number)
{
    uint64_t left = d->samples - number * d->a_file;
    return left < d->a_file ? left : d->a_file;
}

void ovl_data_set_lay_out(struct ovl_data_set *d)
{
    d->stored = (d->bytes + OVL_DATA_SET_BLOCK - 1) / OVL_DATA_SET_BLOCK * OVL_DATA_SET_BLOCK;
    d->a_file = FILE_BYTES / d->stored > 0 ? FILE_BYTES / d->stored : 1;
}

static int damaged(const char *path, const char *how, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_WRONG_DATA, "%s: %s; empty the folder, and the data set is made again", path, how);
}

int ovl_data_set_find(struct ovl_data_set *d, struct ovl_error *err)
{
    const struct ovl_path path = head_of(d);
    if (access(ovl_path("%s/.", d->folder).text, R_OK | X_OK) != 0) /* a file is none */
        return ovl_error_set(err, OVL_ENVIRONMENT, "--dataset %s: cannot read it: %s; give a folder that is there",
                             d->folder, strerror(errno));
    FILE *f = ovl_input_file_open(path.text);
    if (!f && errno == ENOENT)
        return 0;
    if (!f)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read it: %s", path.text, strerror(errno));
    char more = ' ';
    int n = fscanf(f, "ovl-data-set-1 samples %" SCNu64 " bytes %" SCNu64 " seed %" SCNu64 "%c", &d->samples, &d->bytes,
                   &d->seed, &more);
    fclose(f);
    if (n != 4 || more != '\n' || d->samples == 0 || d->samples > OVL_DATA_SET_SAMPLES || d->bytes == 0 ||
        d->bytes > UINT32_MAX)
        return damaged(path.text, "is not the head of a data set", err);
    ovl_data_set_lay_out(d);
    return 1;
}

static uint64_t key_of(const struct ovl_data_set *d, uint64_t sample)
{
    return ovl_rng_mix(d->seed ^ ovl_rng_mix(sample));
}

void ovl_data_set_record(const struct ovl_data_set *d, uint64_t sample, void *to)
{
    uint64_t key = key_of(d, sample), *words = to;
    for (uint64_t i = 0; i < d->stored / WORD; i++)
        words[i] = ovl_rng_mix(key + i);
}

/* Words from `from` on that are right. */
static uint64_t right_words(const struct ovl_data_set *d, uint64_t sample, const void *data, uint64_t from, uint64_t to)
{
    uint64_t key = key_of(d, sample), i = from;
    const uint64_t *words = data;
    while (i < to && words[i] == ovl_rng_mix(key + i))
        i++;
    return i - from;
}

bool ovl_data_set_spot(const struct ovl_data_set *d, uint64_t sample, uint64_t draw, const void *data)
{
    uint64_t at = ovl_rng_mix(draw ^ ovl_rng_mix(sample)) % (d->stored / WORD / SPOT) * SPOT;
    return right_words(d, sample, data, at, at + SPOT) == SPOT;
}

bool ovl_data_set_whole(const struct ovl_data_set *d, uint64_t sample, const void *data)
{
    return right_words(d, sample, data, 0, d->stored / WORD) == d->stored / WORD;
}

/* Under its own name only when it is whole, on disk, and out of the page cache. */
static int write_file(const char *path, int (*content)(const void *of, uint64_t i, int fd, void *memory),
                      const void *of, uint64_t count, void *memory, struct ovl_error *err)
{
    struct ovl_path hidden;
    int fd = ovl_output_file_hidden(path, &hidden), rc = fd < 0 ? -1 : 0, why = errno;
    for (uint64_t i = 0; i < count && rc == 0; i++) {
        rc = content(of, i, fd, memory);
        why = errno;
    }
    if (rc == 0 && fsync(fd) != 0) {
        rc = -1;
        why = errno;
    }
    if (rc == 0)
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED); /* which is advice */
    if (fd >= 0 && close(fd) != 0 && rc == 0) {
        rc = -1;
        why = errno;
    }
    if (rc == 0 && rename(hidden.text, path) != 0) {
        rc = -1;
        why = errno;
    }
    if (rc == 0)
        return 0;
    if (fd >= 0)
        unlink(hidden.text);
    return ovl_error_set(err, OVL_ENVIRONMENT,
                         "%s: cannot write it: %s; give a --dataset with more room, or fewer --samples", path,
                         strerror(why));
}

struct part {
    const struct ovl_data_set *d;
    uint64_t first;
};

static int put_record(const void *of, uint64_t i, int fd, void *memory)
{
    const struct part *p = of;
    ovl_data_set_record(p->d, p->first + i, memory);
    return ovl_output_file_write(fd, memory, p->d->stored);
}

static int put_head(const void *of, uint64_t i, int fd, void *memory)
{
    const struct ovl_data_set *d = of;
    (void)i;
    int n =
        snprintf(memory, OVL_DATA_SET_BLOCK, "ovl-data-set-1 samples %" PRIu64 " bytes %" PRIu64 " seed %" PRIu64 "\n",
                 d->samples, d->bytes, d->seed);
    return ovl_output_file_write(fd, memory, (uint64_t)n);
}

int ovl_data_set_make(struct ovl_data_set *d, struct ovl_error *err)
{
    uint64_t made = 0;
    ovl_data_set_lay_out(d);
    void *memory = malloc(d->stored);
    int rc = memory ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a record of %.0f bytes", (double)d->bytes);
    for (; made < files(d) && rc == 0; made += rc == 0) {
        struct part part = {d, made * d->a_file};
        rc = write_file(file_of(d, made).text, put_record, &part, in_file(d, made), memory, err);
    }
    if (rc == 0)
        rc = write_file(head_of(d).text, put_head, d, 1, memory, err);
    while (rc != 0 && made-- > 0)
        unlink(file_of(d, made).text);
    free(memory);
    return rc;
}

/* O_DIRECT where the file system has it. */
static int open_file(const struct ovl_data_set *d, struct ovl_data_set_file *f, uint64_t number, struct ovl_error *err)
{
    const struct ovl_path path = file_of(d, number);
    if (f->fd && f->number == number)
        return 0;
    ovl_data_set_close(f);
    int fd = open(path.text, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_DIRECT);
    f->direct = fd >= 0;
    if (fd < 0 && errno == EINVAL)
        fd = open(path.text, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT
                   ? damaged(path.text, "is not there", err)
                   : ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read it: %s", path.text, strerror(errno));
    f->fd = fd + 1;
    f->number = number;
    return 0;
}

int ovl_data_set_read(const struct ovl_data_set *d, struct ovl_data_set_file *f, uint64_t sample, void *to,
                      struct ovl_error *err)
{
    uint64_t number = sample / d->a_file, at = sample % d->a_file * d->stored, got = 0;
    if (open_file(d, f, number, err) != 0)
        return -1;
    while (got < d->stored) {
        ssize_t n = pread(f->fd - 1, (char *)to + got, d->stored - got, (off_t)(at + got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read it: %s", file_of(d, number).text,
                                 strerror(errno));
        if (n % OVL_DATA_SET_BLOCK != 0 || n == 0) /* and from such a place a direct read cannot go on */
            return damaged(file_of(d, number).text, "ends too soon", err);
        got += (uint64_t)n;
        f->bytes += (uint64_t)n;
    }
    if (!f->direct)
        posix_fadvise(f->fd - 1, (off_t)at, (off_t)d->stored, POSIX_FADV_DONTNEED);
    return 0;
}

void ovl_data_set_close(struct ovl_data_set_file *f)
{
    if (f->fd)
        close(f->fd - 1);
    f->fd = 0;
}

int ovl_data_set_check(const struct ovl_data_set *d, uint64_t from, uint64_t to, struct ovl_error *err)
{
    struct ovl_data_set_file f = {.fd = 0};
    void *memory = NULL;
    int rc = posix_memalign(&memory, OVL_DATA_SET_BLOCK, d->stored) == 0
                 ? 0
                 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a record of %.0f bytes", (double)d->bytes);
    for (uint64_t s = from; s < to && rc == 0; s++) {
        rc = ovl_data_set_read(d, &f, s, memory, err);
        uint64_t right = rc == 0 ? right_words(d, s, memory, 0, d->stored / WORD) : 0;
        if (rc == 0 && right < d->stored / WORD) {
            char how[64];
            snprintf(how, sizeof how, "damaged at byte %.0f", (double)(s % d->a_file * d->stored + right * WORD));
            rc = damaged(file_of(d, s / d->a_file).text, how, err);
        }
    }
    ovl_data_set_close(&f);
    free(memory);
    return rc;
}
