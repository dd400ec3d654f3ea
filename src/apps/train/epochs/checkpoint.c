/* Files are written under a hidden name, synced and renamed; the CRC-32 of each block stands behind the data. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/epochs/checkpoint.h"
#include "base/checksum.h"
#include "base/input_file.h"
#include "base/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The data, in blocks, and then the CRC-32 of each block. */
enum { BLOCK = 1 << 20, KEPT = 3 }; /* KEPT: two, and the one that is written */
static const char magic[8] = "ovlckpt1";

static struct ovl_path name_of(const char *folder, uint64_t step, uint32_t part, uint32_t parts)
{
    return ovl_path("%s/step-%012llu.%u-of-%u.ckpt", folder, (unsigned long long)step, part, parts);
}

void ovl_checkpoint_split(struct ovl_checkpoint *c, uint32_t part, uint32_t parts)
{
    uint64_t more = c->all % parts;
    c->part = part;
    c->parts = parts;
    c->first = c->all / parts * part + (part < more ? part : more);
    c->count = c->all / parts + (part < more);
}

static uint32_t crc_of_head(const struct ovl_checkpoint *c)
{
    size_t from = offsetof(struct ovl_checkpoint, element);
    return ovl_checksum_crc32(0, (const char *)c + from, sizeof *c - from);
}

static size_t block_of(size_t bytes, size_t at)
{
    return bytes - at < BLOCK ? bytes - at : BLOCK;
}

int ovl_checkpoint_try(const char *folder, uint32_t part, double bytes, struct ovl_error *err)
{
    struct ovl_path hidden;
    struct statvfs s;
    int fd = ovl_output_file_hidden(ovl_path("%s/part-%u", folder, part).text, &hidden);
    if (fd < 0)
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "--checkpoint-dir %s: cannot make a file there: %s; give another folder", folder,
                             strerror(errno));
    int rc = fstatvfs(fd, &s);
    close(fd);
    unlink(hidden.text);
    double room = (double)s.f_bavail * (double)s.f_frsize;
    return rc != 0 || room >= KEPT * bytes
               ? 0
               : ovl_error_set(err, OVL_ENVIRONMENT,
                               "--checkpoint-dir %s: has room for %.0f bytes, and three checkpoints of %.0f are "
                               "wanted; give another folder",
                               folder, room, bytes);
}

static int write_file(int fd, const struct ovl_checkpoint *c, const void *data)
{
    size_t bytes = c->count * c->element;
    if (ovl_output_file_write(fd, c, sizeof *c) != 0 || ovl_output_file_write(fd, data, bytes) != 0)
        return -1;
    for (size_t at = 0; at < bytes; at += BLOCK) {
        uint32_t crc = ovl_checksum_crc32(0, (const char *)data + at, block_of(bytes, at));
        if (ovl_output_file_write(fd, &crc, sizeof crc) != 0)
            return -1;
    }
    return fsync(fd);
}

static int sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int rc = fsync(fd), why = errno;
    close(fd);
    errno = why;
    return rc;
}

int ovl_checkpoint_write(const char *folder, const struct ovl_checkpoint *c, const void *data, struct ovl_error *err)
{
    struct ovl_checkpoint head = *c;
    const struct ovl_path path = name_of(folder, c->step, c->part, c->parts);
    struct ovl_path hidden;
    memcpy(head.magic, magic, sizeof magic);
    head.crc = crc_of_head(&head);
    int fd = ovl_output_file_hidden(path.text, &hidden), rc = -1, why = errno;
    if (fd >= 0) {
        rc = write_file(fd, &head, data);
        why = errno;
        if (close(fd) != 0 && rc == 0) {
            rc = -1;
            why = errno;
        }
    }
    if (rc == 0 && (rename(hidden.text, path.text) != 0 || sync_folder(folder) != 0)) {
        rc = -1;
        why = errno;
    }
    if (rc == 0)
        return 0;
    if (fd >= 0)
        unlink(hidden.text);
    return ovl_error_set(err, OVL_ENVIRONMENT,
                         "%s: cannot write %.0f bytes: %s; give a --checkpoint-dir with room for three checkpoints",
                         path.text, (double)(c->count * c->element), strerror(why));
}

void ovl_checkpoint_remove(const char *folder, uint64_t step, uint32_t part, uint32_t parts)
{
    unlink(name_of(folder, step, part, parts).text);
}

void ovl_checkpoint_sweep(const char *folder, const struct ovl_checkpoint *c)
{
    const struct ovl_path path = name_of("", c->step, c->part, c->parts);
    const char *name = path.text + 1;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t length = strlen(e->d_name), own = strlen(name);
        if (strncmp(e->d_name, ".ovl-", 5) == 0 && length > own && strcmp(e->d_name + length - own, name) == 0)
            unlink(ovl_path("%s/%s", folder, e->d_name).text);
    }
    if (d)
        closedir(d);
}

static int is_whole(const char *folder, uint64_t step, uint32_t parts)
{
    for (uint32_t part = 0; part < parts; part++)
        if (access(name_of(folder, step, part, parts).text, F_OK) != 0)
            return 0;
    return 1;
}

static int unreadable(const char *folder, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_ENVIRONMENT, "--checkpoint-dir %s: cannot read it: %s; give a folder that is there",
                         folder, strerror(errno));
}

int ovl_checkpoint_find(const char *folder, uint64_t *step, uint32_t *parts, struct ovl_error *err)
{
    DIR *d = opendir(folder);
    int found = 0;
    if (!d)
        return unreadable(folder, err);
    for (struct dirent *e; errno = 0, (e = readdir(d));) {
        unsigned long long s;
        unsigned part, of;
        char more;
        if (sscanf(e->d_name, "step-%llu.%u-of-%u.ckp%c", &s, &part, &of, &more) != 4 || part != 0 || of == 0 ||
            of > OVL_CHECKPOINT_PARTS || (found && s <= *step) || !is_whole(folder, s, of))
            continue;
        *step = s;
        *parts = of;
        found = 1;
    }
    int rc = errno ? unreadable(folder, err) : found;
    closedir(d);
    return rc;
}

static int damaged(const char *path, double from, double to, struct ovl_error *err)
{
    return ovl_error_set(err, OVL_WRONG_DATA,
                         "%s: damaged at bytes %.0f to %.0f; remove it, and --resume takes the one before", path, from,
                         to);
}

static int read_blocks(FILE *f, const char *path, const struct ovl_checkpoint *c, char *to, struct ovl_error *err)
{
    size_t bytes = c->count * c->element, got = fread(to, 1, bytes, f);
    if (got < bytes)
        return damaged(path, (double)(sizeof *c + got), (double)(sizeof *c + bytes), err);
    for (size_t at = 0; at < bytes; at += BLOCK) {
        uint32_t crc;
        size_t n = block_of(bytes, at);
        if (fread(&crc, sizeof crc, 1, f) != 1 || crc != ovl_checksum_crc32(0, to + at, n))
            return damaged(path, (double)(sizeof *c + at), (double)(sizeof *c + at + n), err);
    }
    return fgetc(f) == EOF ? 0 : damaged(path, (double)ftell(f) - 1, (double)ftell(f), err);
}

int ovl_checkpoint_read(const char *folder, struct ovl_checkpoint *c, void *data, struct ovl_error *err)
{
    struct ovl_checkpoint head;
    const struct ovl_path at = name_of(folder, c->step, c->part, c->parts);
    const char *path = at.text;
    FILE *f = ovl_input_file_open(path); /* a pipe under its name is not waited for */
    if (!f)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read it: %s", path, strerror(errno));
    int rc = 0;
    if (fread(&head, sizeof head, 1, f) != 1 || memcmp(head.magic, magic, sizeof magic) != 0 ||
        head.crc != crc_of_head(&head) || head.step != c->step || head.part != c->part || head.parts != c->parts ||
        head.first > head.all || head.count > head.all - head.first)
        rc = damaged(path, 0, sizeof head, err);
    else if (strcmp(head.model, c->model) != 0 || head.element != c->element || head.all != c->all)
        rc = ovl_error_set(err, OVL_USAGE,
                           "%s: is of %.60s, with %.0f numbers of %u bytes; give the options of that run", path,
                           head.model, (double)head.all, head.element);
    else
        rc = read_blocks(f, path, &head, (char *)data + head.first * head.element, err);
    fclose(f);
    if (rc == 0)
        *c = head;
    return rc;
}

void ovl_checkpoint_file_system(const char *folder, char name[16])
{
    static const struct {
        unsigned long magic;
        const char *name;
    } known[] = {{0xef53, "ext4"},      {0x1021994, "tmpfs"}, {0x794c7630, "overlay"}, {0x58465342, "xfs"},
                 {0x9123683e, "btrfs"}, {0x6969, "nfs"},      {0xbd00bd0, "lustre"},   {0x2fc12fc1, "zfs"}};
    struct statfs s;
    snprintf(name, 16, "unknown");
    if (statfs(folder, &s) != 0)
        return;
    snprintf(name, 16, "0x%lx", (unsigned long)s.f_type & 0xffffffff);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (((unsigned long)s.f_type & 0xffffffff) == known[i].magic)
            snprintf(name, 16, "%s", known[i].name);
}
