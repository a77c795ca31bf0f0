/* The executable's file: its headers, dynamic section and relocations (System V ABI, chapters 4 and 5). */
#include "core/subrank/program_image.h"
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined __x86_64__
enum { HERE = EM_X86_64, COPIED = R_X86_64_COPY };
#elif defined __aarch64__
enum { HERE = EM_AARCH64, COPIED = R_AARCH64_COPY };
#elif defined __powerpc64__
enum { HERE = EM_PPC64, COPIED = R_PPC64_COPY };
#elif defined __riscv
enum { HERE = EM_RISCV, COPIED = R_RISCV_COPY };
#elif defined __s390x__
enum { HERE = EM_S390, COPIED = R_390_COPY };
#else
enum { HERE = EM_NONE, COPIED = 0 }; /* subranks have not been brought to this processor: every program is refused */
#endif

struct wm_image {
    char *bytes;
    size_t count;
    const char *name;
    struct wm_error *error;
    const ElfW(Phdr) * segments;
    int segment_count;
    uint64_t loaded; /* bytes of the file that segments take */
    /* Of the dynamic section. */
    ElfW(Dyn) * flags_1;
    uint64_t relocations, relocations_bytes, symbols;
    bool needs_libraries;
};

static int refuse_image(const struct wm_image *image, const char *why)
{
    return wm_error_set(image->error, -WM_EINVAL, "'%s' %s", image->name, why);
}

static int broken(const struct wm_image *image)
{
    return refuse_image(image, "is damaged: its headers contradict each other; build it again");
}

/* What stands at an offset of the file; NULL: it is not wholly there, or not aligned. */
static void *at(const struct wm_image *image, uint64_t offset, uint64_t bytes)
{
    return offset <= image->count && bytes <= image->count - offset && offset % sizeof(uint64_t) == 0
               ? image->bytes + offset
               : NULL;
}

/* Where the file has what is loaded to an address; NULL: nowhere. */
static void *at_address(const struct wm_image *image, uint64_t address, uint64_t bytes)
{
    for (int i = 0; i < image->segment_count; i++) {
        const ElfW(Phdr) *s = &image->segments[i];

        if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr <= s->p_filesz &&
            bytes <= s->p_filesz - (address - s->p_vaddr) && s->p_offset <= image->count &&
            address - s->p_vaddr <= image->count - s->p_offset)
            return at(image, s->p_offset + (address - s->p_vaddr), bytes);
    }
    return NULL;
}

static const ElfW(Phdr) * segment(const struct wm_image *image, unsigned type)
{
    for (int i = 0; i < image->segment_count; i++)
        if (image->segments[i].p_type == type)
            return &image->segments[i];
    return NULL;
}

/* Not what was linked with -shared. */
static bool is_executable(const struct wm_image *image)
{
    return segment(image, PT_INTERP) != NULL || (image->flags_1 != NULL && (image->flags_1->d_un.d_val & DF_1_PIE));
}

static int check_kind(struct wm_image *image)
{
    const ElfW(Ehdr) *header = at(image, 0, sizeof *header);

    if (image->count >= 2 && memcmp(image->bytes, "#!", 2) == 0)
        return refuse_image(image, "is a script: name the program that it runs, or let the script call `waymark run`");
    if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return refuse_image(image, "is no program: name an executable");
    if (header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        header->e_ident[EI_DATA] != (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB) ||
        header->e_machine != HERE)
        return refuse_image(image,
                            "is built for another processor, or subranks are not possible on this one: build it with "
                            "`waymark cc` on a host of this kind");
    if (header->e_type == ET_EXEC)
        return refuse_image(
            image, "is linked for one fixed address, where only one copy has room: build it with `waymark cc`");
    if (header->e_type != ET_DYN)
        return refuse_image(image, "is not linked: name an executable");
    image->segment_count = header->e_phnum;
    image->segments = at(image, header->e_phoff, (uint64_t)header->e_phnum * sizeof *image->segments);
    if (header->e_phentsize != sizeof *image->segments || header->e_phnum == PN_XNUM || image->segments == NULL)
        return broken(image);
    return 0;
}

static int read_segments(struct wm_image *image)
{
    for (int i = 0; i < image->segment_count; i++) {
        const ElfW(Phdr) *s = &image->segments[i];

        if (s->p_type != PT_LOAD)
            continue;
        if (s->p_offset > image->count || s->p_filesz > image->count - s->p_offset || s->p_filesz > s->p_memsz)
            return broken(image);
        if (s->p_offset + s->p_filesz > image->loaded)
            image->loaded = s->p_offset + s->p_filesz;
    }
    return 0;
}

static int read_dynamic(struct wm_image *image)
{
    const ElfW(Phdr) *s = segment(image, PT_DYNAMIC);
    ElfW(Dyn) * entries;
    bool has_table = false;

    if (s == NULL)
        return refuse_image(image, "is linked statically: build it with `waymark cc`");
    if ((entries = at_address(image, s->p_vaddr, s->p_filesz)) == NULL)
        return broken(image);
    for (uint64_t i = 0; i < s->p_filesz / sizeof *entries && entries[i].d_tag != DT_NULL; i++) {
        image->needs_libraries |= entries[i].d_tag == DT_NEEDED;
        if (entries[i].d_tag == DT_FLAGS_1)
            image->flags_1 = &entries[i];
        if (entries[i].d_tag == DT_SYMTAB)
            image->symbols = entries[i].d_un.d_ptr;
        if (entries[i].d_tag == DT_RELASZ)
            image->relocations_bytes = entries[i].d_un.d_val;
        if (entries[i].d_tag == DT_RELA) {
            image->relocations = entries[i].d_un.d_ptr;
            has_table = true;
        }
    }
    if (!image->needs_libraries && is_executable(image))
        return refuse_image(image, "is linked statically: build it with `waymark cc`");
    return has_table || image->relocations_bytes == 0 ? 0 : broken(image);
}

/* What C++ wants to be one in a process (STB_GNU_UNIQUE) is to be one in each copy: make it an ordinary symbol. */
static bool make_private(const struct wm_image *image, uint64_t symbol_number)
{
    ElfW(Sym) *symbol = symbol_number <= image->count / sizeof *symbol
                            ? at_address(image, image->symbols + symbol_number * sizeof *symbol, sizeof *symbol)
                            : NULL;

    if (symbol != NULL && ELF64_ST_BIND(symbol->st_info) == STB_GNU_UNIQUE)
        symbol->st_info = ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(symbol->st_info));
    return symbol != NULL;
}

static int check_relocations(const struct wm_image *image)
{
    const ElfW(Rela) *table = at_address(image, image->relocations, image->relocations_bytes);

    if (image->relocations_bytes == 0)
        return 0;
    if (table == NULL)
        return broken(image);
    for (uint64_t i = 0; i < image->relocations_bytes / sizeof *table; i++) {
        if (ELF64_R_TYPE(table[i].r_info) == COPIED)
            return refuse_image(
                image,
                "keeps copies of variables of other libraries, which these would not see: build it with `waymark cc`");
        if (ELF64_R_SYM(table[i].r_info) != 0 && !make_private(image, ELF64_R_SYM(table[i].r_info)))
            return broken(image);
    }
    return 0;
}

/* An executable's linker has put thread-local variables where those of the first program are: the host's. */
static int check_thread_locals(const struct wm_image *image, bool moves)
{
    const ElfW(Phdr) *variables = segment(image, PT_TLS);

    if (variables == NULL || variables->p_memsz == 0 || (!moves && !is_executable(image)))
        return 0;
    if (moves)
        return refuse_image(image,
                            "has thread-local variables, which a subrank that is stolen would leave behind: make them "
                            "globals, which are each subrank's own, or leave out --steal and the map's #:steal");
    return refuse_image(image,
                        "has thread-local variables, which an executable finds only if it is alone: link it with "
                        "`waymark cc -shared`");
}

long wm_program_image_prepare(char *bytes, size_t count, const char *name, bool moves, struct wm_error *error)
{
    struct wm_image image = {.bytes = bytes, .count = count, .name = name, .error = error};
    int rc;

    if ((rc = check_kind(&image)) < 0 || (rc = read_segments(&image)) < 0 || (rc = read_dynamic(&image)) < 0 ||
        (rc = check_relocations(&image)) < 0 || (rc = check_thread_locals(&image, moves)) < 0)
        return rc;
    if (image.flags_1 != NULL)
        image.flags_1->d_un.d_val &= ~(uint64_t)DF_1_PIE;
    return (long)image.loaded;
}
