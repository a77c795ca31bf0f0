/* Private copies of a program: its file read, written into memory for each copy, and loaded. */
#include "core/subrank/program.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/subrank/program_image.h"

/* A larger file's copies are without what is not loaded: debuggers then know them by their exported symbols alone. */
enum { WHOLE_BYTES = 8 << 20 };
enum { SPARE_FILES = 32 }; /* for the loader, and for the program */

static int system_failed(const struct wm_program *program, const char *what, struct wm_error *error)
{
    return wm_error_set(error, -WM_ESYSTEM, "cannot %s '%s': %s", what, program->name, strerror(errno));
}

/* All of a file that is open. */
static int read_image(struct wm_program *program, int file, struct wm_error *error)
{
    struct stat what;
    size_t done = 0;
    ssize_t got;

    if (fstat(file, &what) != 0)
        return system_failed(program, "read", error);
    if (!S_ISREG(what.st_mode))
        return wm_error_set(error, -WM_EINVAL, "'%s' is no file: name an executable", program->name);
    program->image_bytes = (size_t)what.st_size;
    if ((program->image = malloc(program->image_bytes + 1)) == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the %zu bytes of '%s'; run fewer processes on this host",
                            program->image_bytes, program->name);
    while (done < program->image_bytes && (got = read(file, program->image + done, program->image_bytes - done)) != 0) {
        if (got < 0 && errno != EINTR)
            return system_failed(program, "read", error);
        done += got > 0 ? (size_t)got : 0;
    }
    program->image_bytes = done;
    return 0;
}

/* Without the section table, which the loader does not look at. */
static void drop_what_is_not_loaded(struct wm_program *program, size_t loaded_bytes)
{
    ElfW(Ehdr) *header = (ElfW(Ehdr) *)program->image;

    program->image_bytes = loaded_bytes;
    header->e_shoff = 0;
    header->e_shnum = header->e_shstrndx = 0;
}

int wm_program_open(struct wm_program *program, const char *path, bool moves, struct wm_error *error)
{
    const char *slash = strrchr(path, '/');
    long loaded_bytes;
    int file, rc;

    *program = (struct wm_program){.name = strdup(slash != NULL ? slash + 1 : path)};
    if (program->name == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the program's name; run fewer processes on this host");
    if ((file = open(path, O_RDONLY | O_CLOEXEC)) < 0) {
        rc = system_failed(program, "read", error);
    } else {
        rc = read_image(program, file, error);
        close(file);
    }
    if (rc == 0) {
        loaded_bytes = wm_program_image_prepare(program->image, program->image_bytes, program->name, moves, error);
        rc = loaded_bytes < 0 ? (int)loaded_bytes : 0;
        if (rc == 0 && program->image_bytes > WHOLE_BYTES)
            drop_what_is_not_loaded(program, (size_t)loaded_bytes);
    }
    if (rc < 0)
        wm_program_close(program);
    return rc;
}

void wm_program_close(struct wm_program *program)
{
    free(program->name);
    free(program->image);
    *program = (struct wm_program){0};
}

/* Each copy keeps a file open, and the limit that users have is often 1,024: raise it, up to what they may. */
static bool leaves_room(int file)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return false;
    if ((rlim_t)file + SPARE_FILES >= limit.rlim_cur && limit.rlim_cur != limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    return (rlim_t)file + SPARE_FILES < limit.rlim_cur;
}

static int make_file(const struct wm_program *program, int number)
{
    char name[128];
    int file;

    snprintf(name, sizeof name, "%.100s.%d", program->name, number);
    file = memfd_create(name, MFD_CLOEXEC);
    if (file < 0 || leaves_room(file))
        return file;
    close(file);
    errno = EMFILE;
    return -1;
}

static bool write_image(const struct wm_program *program, int file)
{
    size_t done = 0;
    ssize_t put;

    while (done < program->image_bytes) {
        put = write(file, program->image + done, program->image_bytes - done);
        if (put < 0 && errno != EINTR)
            return false;
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

int wm_program_load(const struct wm_program *program, int number, struct wm_program_copy *copy, struct wm_error *error)
{
    int rc;

    *copy = (struct wm_program_copy){.file = make_file(program, number)};
    if (copy->file < 0)
        return system_failed(program, errno == EMFILE ? "open, for each subrank (see ulimit -n), a copy of" : "copy",
                             error);
    if (!write_image(program, copy->file)) {
        rc = system_failed(program, "copy", error);
        goto failed;
    }
    snprintf(copy->path, sizeof copy->path, "/proc/%d/fd/%d", (int)getpid(), copy->file);
    if ((copy->loaded = dlopen(copy->path, RTLD_NOW | RTLD_LOCAL)) == NULL) {
        rc =
            wm_error_set(error, -WM_ESYSTEM, "cannot load a copy of '%s': %s; a program that `waymark cc` built can be",
                         program->name, dlerror());
        goto failed;
    }
    *(void **)&copy->main = dlsym(copy->loaded, "main");
    if (wm_program_has(copy, *(void **)&copy->main))
        return 0;
    dlclose(copy->loaded);
    rc = wm_error_set(error, -WM_EINVAL, "'%s' does not export its main: build it with `waymark cc`", program->name);
failed:
    close(copy->file);
    return rc;
}

/* dlsym finds a main of a library that it needs, too. */
bool wm_program_has(const struct wm_program_copy *copy, const void *address)
{
    Dl_info where;

    return dladdr(address, &where) != 0 && strcmp(where.dli_fname, copy->path) == 0;
}

/* As the loader has read it. */
static bool needs_directly(const struct link_map *map, const char *prefix)
{
    const char *names = NULL;

    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            names = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = map->l_ld; names != NULL && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && strncmp(names + d->d_un.d_val, prefix, strlen(prefix)) == 0)
            return true;
    return false;
}

/* What was loaded with it stands behind it in the loader's list. */
bool wm_program_needs(const struct wm_program_copy *first, const char *prefix)
{
    struct link_map *map;
    Dl_info where;

    if (dladdr1(*(void *const *)&first->main, &where, (void **)&map, RTLD_DL_LINKMAP) == 0)
        return false;
    while (map != NULL && !needs_directly(map, prefix))
        map = map->l_next;
    return map != NULL;
}
