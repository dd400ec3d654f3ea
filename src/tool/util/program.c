/* Reads the head of an ELF file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/program.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file's bytes from an offset on; NULL where they go beyond its end. */
struct file {
    const char *base;
    size_t bytes;
};

static const void *at(const struct file *f, uint64_t offset, uint64_t bytes)
{
    return offset <= f->bytes && bytes <= f->bytes - offset ? f->base + offset : NULL;
}

/* Where in the file an address of memory lies. */
static uint64_t offset_of(const ElfW(Phdr) * heads, int count, uint64_t address)
{
    for (int i = 0; i < count; i++)
        if (heads[i].p_type == PT_LOAD && address >= heads[i].p_vaddr && address - heads[i].p_vaddr < heads[i].p_filesz)
            return address - heads[i].p_vaddr + heads[i].p_offset;
    return UINT64_MAX;
}

/* Names such as libmpich.so.12 and libmpi_usempif08.so.40; not those of tools that only watch. */
static void find_mpi(const struct file *f, const ElfW(Phdr) * heads, int count, const ElfW(Phdr) * dynamic,
                     struct ovl_program *p)
{
    size_t n = dynamic->p_filesz / sizeof(ElfW(Dyn));
    const ElfW(Dyn) *d = at(f, dynamic->p_offset, dynamic->p_filesz);
    uint64_t strings = UINT64_MAX;
    for (size_t i = 0; d && i < n && d[i].d_tag != DT_NULL; i++)
        if (d[i].d_tag == DT_STRTAB)
            strings = offset_of(heads, count, d[i].d_un.d_ptr);
    for (size_t i = 0; d && strings != UINT64_MAX && i < n && d[i].d_tag != DT_NULL; i++) {
        const char *name = d[i].d_tag == DT_NEEDED ? at(f, strings + d[i].d_un.d_val, 1) : NULL;
        if (name && strnlen(name, f->bytes - (size_t)(name - f->base)) < sizeof p->mpi &&
            strncmp(name, "libmpi", 6) == 0) {
            strcpy(p->mpi, name);
            return;
        }
    }
}

static void look_inside(const struct file *f, struct ovl_program *p)
{
    const ElfW(Ehdr) *head = at(f, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        head->e_phentsize != sizeof(ElfW(Phdr)))
        return;
    const ElfW(Phdr) *heads = at(f, head->e_phoff, (uint64_t)head->e_phnum * sizeof *heads);
    p->elf = heads != NULL;
    p->static_ = p->elf;
    for (int i = 0; heads && i < head->e_phnum; i++) {
        if (heads[i].p_type == PT_INTERP)
            p->static_ = false;
        if (heads[i].p_type == PT_DYNAMIC)
            find_mpi(f, heads, head->e_phnum, &heads[i], p);
    }
}

void ovl_program_look(const char *path, struct ovl_program *p)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    *p = (struct ovl_program){.elf = false};
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        struct file f = {mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0), (size_t)st.st_size};
        p->privileged = st.st_mode & (S_ISUID | S_ISGID);
        if (f.base != MAP_FAILED) {
            look_inside(&f, p);
            munmap((void *)(uintptr_t)f.base, f.bytes);
        }
    }
    close(fd);
}
