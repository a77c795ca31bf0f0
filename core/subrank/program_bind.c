/* MPI's names of a program and its libraries: where they call PMPI_X, they shall call MPI_X. The host has one function
 * under both names, but exports it under one, since its own calls of PMPI_X are the library's. So what the loader has
 * put in for such a name (System V ABI, chapter 5) is replaced. */
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "core/subrank/program.h"

struct wm_program_bind {
    void *first; /* copy, whose libraries define the names */
    int loaded_before, seen;
    bool writable /* what is looked at */, failed;
};

enum { TABLES = 2 }; /* of data, of calls */

/* What an object's dynamic section says, in memory. */
struct wm_dynamic {
    const ElfW(Sym) * symbols;
    const char *names;
    struct {
        const ElfW(Rela) * entries;
        size_t bytes;
    } tables[TABLES];
};

static int count_object(struct dl_phdr_info *info, size_t bytes, void *count)
{
    (void)info, (void)bytes;
    ++*(int *)count;
    return 0;
}

int wm_program_objects(void)
{
    int count = 0;

    dl_iterate_phdr(count_object, &count);
    return count;
}

static const ElfW(Phdr) * segment(const struct dl_phdr_info *info, unsigned type)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == type)
            return &info->dlpi_phdr[i];
    return NULL;
}

/* The loader has turned it into an address, unless the processor's convention is that the section stays as it is. */
static const void *address_of(const struct dl_phdr_info *info, const ElfW(Dyn) * d)
{
    return (const void *)(d->d_un.d_ptr < info->dlpi_addr ? info->dlpi_addr + d->d_un.d_ptr : d->d_un.d_ptr);
}

static void read_dynamic(const struct dl_phdr_info *info, struct wm_dynamic *dynamic)
{
    const ElfW(Phdr) *s = segment(info, PT_DYNAMIC);

    *dynamic = (struct wm_dynamic){0};
    for (const ElfW(Dyn) *d = s != NULL ? (const ElfW(Dyn) *)(info->dlpi_addr + s->p_vaddr) : NULL;
         d != NULL && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            dynamic->symbols = address_of(info, d);
        if (d->d_tag == DT_STRTAB)
            dynamic->names = address_of(info, d);
        if (d->d_tag == DT_RELA)
            dynamic->tables[0].entries = address_of(info, d);
        if (d->d_tag == DT_RELASZ)
            dynamic->tables[0].bytes = d->d_un.d_val;
        if (d->d_tag == DT_JMPREL)
            dynamic->tables[1].entries = address_of(info, d);
        if (d->d_tag == DT_PLTRELSZ)
            dynamic->tables[1].bytes = d->d_un.d_val;
    }
}

/* The pages that the loader has made read-only when it had filled them. */
static bool protect(const struct dl_phdr_info *info, int protection)
{
    const ElfW(Phdr) *s = segment(info, PT_GNU_RELRO);
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin, end;

    if (s == NULL)
        return true;
    begin = (info->dlpi_addr + s->p_vaddr) & ~(page - 1);
    end = (info->dlpi_addr + s->p_vaddr + s->p_memsz) & ~(page - 1);
    return begin >= end || mprotect((void *)begin, end - begin, protection) == 0;
}

static bool is_profiled(const char *name)
{
    return strncmp(name, "PMPI", 4) == 0 || strncmp(name, "pmpi_", 5) == 0;
}

/* Where the loader has put in what the name stands for: what it stands for among subranks, if that is something. */
static void replace(const struct wm_program_bind *b, const char *name, uintptr_t *place)
{
    uintptr_t library = (uintptr_t)dlsym(b->first, name), door = (uintptr_t)dlsym(RTLD_DEFAULT, name + 1);

    if (library != 0 && door != 0 && *place == library)
        *place = door;
}

static void bind_entry(struct wm_program_bind *b, const struct dl_phdr_info *info, const struct wm_dynamic *dynamic,
                       const ElfW(Rela) * entry)
{
    const ElfW(Sym) *symbol = &dynamic->symbols[ELF64_R_SYM(entry->r_info)];
    const char *name = dynamic->names + symbol->st_name;

    if (symbol->st_shndx != SHN_UNDEF || !is_profiled(name))
        return;
    b->writable = b->writable || protect(info, PROT_READ | PROT_WRITE);
    b->failed = b->failed || !b->writable;
    if (b->writable)
        replace(b, name, (uintptr_t *)(info->dlpi_addr + entry->r_offset));
}

static int bind_object(struct dl_phdr_info *info, size_t bytes, void *with)
{
    struct wm_program_bind *b = with;
    struct wm_dynamic dynamic;

    (void)bytes;
    if (b->seen++ < b->loaded_before)
        return 0;
    b->writable = false;
    read_dynamic(info, &dynamic);
    for (int t = 0; t < TABLES; t++)
        for (size_t i = 0; i < dynamic.tables[t].bytes / sizeof(ElfW(Rela)); i++)
            bind_entry(b, info, &dynamic, &dynamic.tables[t].entries[i]);
    if (b->writable)
        protect(info, PROT_READ);
    return b->failed;
}

int wm_program_bind(const struct wm_program_copy *first, int loaded_before, struct wm_error *error)
{
    struct wm_program_bind bind = {.first = first->loaded, .loaded_before = loaded_before};

    dl_iterate_phdr(bind_object, &bind);
    return bind.failed ? wm_error_set(error, -WM_ESYSTEM,
                                      "the program's calls of PMPI_ cannot be led to Waymark: its memory stays "
                                      "read-only; link it with -Wl,-z,norelro")
                       : 0;
}
