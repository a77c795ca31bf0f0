/* Pages: made, mapped, and the list of modules. */
#include "core/guard/page.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_file(const char *directory, int rank)
{
    char file[4096];

    if (directory == NULL)
        return memfd_create(WM_PAGE_MEMORY, MFD_CLOEXEC);
    if ((size_t)snprintf(file, sizeof file, "%s/rank-%05d.page", directory, rank) >= sizeof file) {
        errno = ENAMETOOLONG;
        return -1;
    }
    unlink(file); /* somebody may still look at the old one */
    return open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

/* A disk that is full is to be found now: later a store would kill the process. */
static int make_room(int file, bool named, off_t bytes)
{
    if (!named)
        return ftruncate(file, bytes) == 0 ? 0 : errno;
    return posix_fallocate(file, 0, bytes);
}

static int no_page(int error_number, struct wm_error *error)
{
    return wm_error_set(error, -WM_ESYSTEM, "no page for the guard: %s", strerror(error_number));
}

int wm_page_file_new(const char *directory, int rank, int pages, struct wm_error *error)
{
    int file = make_file(directory, rank);
    int rc = file < 0 ? errno : make_room(file, directory != NULL, pages * (off_t)sizeof(struct wm_page));

    if (rc == 0)
        return file;
    if (file >= 0)
        close(file);
    no_page(rc, error);
    return -1;
}

static struct wm_page *map(int file, int first, int count, int protection)
{
    return mmap(NULL, (size_t)count * sizeof(struct wm_page), protection, MAP_SHARED, file,
                first * (off_t)sizeof(struct wm_page));
}

/* The first page is begun before others hear of the file. */
int wm_page_file_open(int pid, int file, int pages, uint64_t job)
{
    struct wm_page_map all = {0};
    char name[64];
    bool same;
    int own;

    snprintf(name, sizeof name, "/proc/%d/fd/%d", pid, file);
    if ((own = open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC)) < 0)
        return -1;
    all = wm_page_map(own, false);
    same = all.count == pages && wm_page_is_begun(&all.pages[0]) && all.pages[0].job == job;
    wm_page_unmap(&all);
    if (same)
        return own;
    close(own);
    return -1;
}

struct wm_page *wm_page_new(int file, int index, int rank, struct wm_error *error)
{
    struct wm_page *page = map(file, index, 1, PROT_READ | PROT_WRITE);

    if (page == MAP_FAILED) {
        no_page(errno, error);
        return NULL;
    }
    page->bytes = sizeof *page;
    page->rank = rank;
    page->pid = getpid();
    page->born = wm_page_born(page->pid);
    snprintf(page->program, sizeof page->program, "%s", program_invocation_short_name);
    wm_page_list_modules(page);
    return page;
}

void wm_page_begin(struct wm_page *page, uint64_t job)
{
    page->job = job;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(page->magic, WM_PAGE_MAGIC, sizeof page->magic);
}

bool wm_page_is_begun(const struct wm_page *page)
{
    return memcmp(page->magic, WM_PAGE_MAGIC, sizeof page->magic) == 0 && page->bytes == sizeof *page;
}

void wm_page_free(struct wm_page *page)
{
    munmap(page, sizeof *page);
}

struct wm_page_map wm_page_map(int file, bool writable)
{
    struct wm_page_map all = {0};
    struct stat status;

    if (fstat(file, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size / (off_t)sizeof *all.pages > INT_MAX)
        return all;
    all.count = (int)(status.st_size / (off_t)sizeof *all.pages);
    all.device = status.st_dev;
    all.inode = status.st_ino;
    if (all.count > 0)
        all.pages = map(file, 0, all.count, writable ? PROT_READ | PROT_WRITE : PROT_READ);
    if (all.pages == MAP_FAILED)
        all.count = 0;
    else if (all.count > 0) /* little of each page is read: no more shall come from a disk */
        madvise(all.pages, (size_t)all.count * sizeof *all.pages, MADV_RANDOM);
    return all;
}

void wm_page_unmap(const struct wm_page_map *all)
{
    if (all->count > 0)
        munmap(all->pages, (size_t)all->count * sizeof *all->pages);
}

static bool is_listed(const struct wm_page *page, uint64_t begin, const char *file)
{
    for (uint32_t i = 0; i < page->module_count; i++)
        if (page->modules[i].begin == begin && strcmp(page->modules[i].file, file) == 0)
            return true;
    return false;
}

/* The program itself has no name here. */
static void name_module(struct wm_page_module *module, const char *name)
{
    ssize_t length;

    if (name[0] != '\0') {
        snprintf(module->file, sizeof module->file, "%s", name);
        return;
    }
    length = readlink("/proc/self/exe", module->file, sizeof module->file - 1);
    module->file[length > 0 ? length : 0] = '\0';
}

static int list_module(struct dl_phdr_info *info, size_t size, void *data)
{
    struct wm_page *page = data;
    struct wm_page_module module = {.begin = UINT64_MAX, .base = info->dlpi_addr};

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0)
            continue;
        if (info->dlpi_addr + part->p_vaddr < module.begin)
            module.begin = info->dlpi_addr + part->p_vaddr;
        if (info->dlpi_addr + part->p_vaddr + part->p_memsz > module.end)
            module.end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
    }
    name_module(&module, info->dlpi_name);
    if (module.end == 0 || page->module_count >= WM_PAGE_MODULES || is_listed(page, module.begin, module.file))
        return 0;
    page->modules[page->module_count] = module;
    __atomic_store_n(&page->module_count, page->module_count + 1, __ATOMIC_RELEASE);
    return 0;
}

void wm_page_list_modules(struct wm_page *page)
{
    dl_iterate_phdr(list_module, page);
}

/* What was loaded last: another may have been at its place before. */
const struct wm_page_module *wm_page_find_module(const struct wm_page *page, uint64_t address)
{
    uint32_t count = __atomic_load_n(&page->module_count, __ATOMIC_ACQUIRE);

    for (uint32_t i = count < WM_PAGE_MODULES ? count : WM_PAGE_MODULES; i-- > 0;)
        if (page->modules[i].begin <= address && address < page->modules[i].end)
            return &page->modules[i];
    return NULL;
}

/* The 22nd field; the second one, the program's name in parentheses, may have blanks. */
uint64_t wm_page_born(int pid)
{
    char file[32], text[1024], *at;
    FILE *stream;
    size_t length;

    snprintf(file, sizeof file, "/proc/%d/stat", pid);
    if ((stream = fopen(file, "re")) == NULL)
        return 0;
    length = fread(text, 1, sizeof text - 1, stream);
    fclose(stream);
    text[length] = '\0';
    at = strrchr(text, ')');
    for (int field = 2; at != NULL && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at != NULL ? strtoull(at, NULL, 10) : 0;
}
