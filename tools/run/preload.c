/* The preloaded library: found, looked at, and put into LD_PRELOAD. */
#include "tools/run/preload.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/cli/command.h"
#include "tools/run/environment.h"

int wm_preload_host_failed(const struct wm_launch *launch, int status, const struct wm_error *error)
{
    if (launch->local_rank == 0)
        wm_command_failed(error);
    return status;
}

const char *wm_preload_host(void)
{
    static char host[64];

    gethostname(host, sizeof host - 1);
    return host;
}

/* Is `file` one of the words of `list`, which spaces and colons part? */
static bool lists(const char *list, const char *file)
{
    size_t length = strlen(file);

    for (const char *at = list; *at != '\0'; at += strspn(at, " :")) {
        size_t word = strcspn(at, " :");

        if (word == length && strncmp(at, file, length) == 0)
            return true;
        at += word;
    }
    return false;
}

/* The loader passes over a library that it cannot find with no more than a warning: the program would run without a
 * map. */
static int check_library(const struct wm_launch *launch, const char *library)
{
    struct wm_error error;

    if (strpbrk(library, " :") != NULL)
        wm_error_set(&error, -WM_ESYSTEM,
                     "the loader cannot preload '%s': the path holds a space or a colon; install Waymark elsewhere",
                     library);
    else if (access(library, R_OK) != 0)
        wm_error_set(&error, -WM_ESYSTEM,
                     "cannot read the library '%s' on %s: %s; install Waymark there, or set WAYMARK_PRELOAD", library,
                     wm_preload_host(), strerror(errno));
    else
        return 0;
    return wm_preload_host_failed(launch, WM_EXIT_FAILED, &error);
}

/* A sanitizer's runtime must stay the first library of a process. Returns how much of `list` is such a one. */
static size_t sanitizer_length(const char *list)
{
    size_t length = strcspn(list, " :");
    const char *name = memrchr(list, '/', length);

    name = name != NULL ? name + 1 : list;
    return strncmp(name, "libasan.", 8) == 0 || strncmp(name, "libtsan.", 8) == 0 ? length : 0;
}

int wm_preload_set(const struct wm_launch *launch)
{
    const char *library = wm_environment_or("WAYMARK_PRELOAD", WM_LIBDIR "/libwaymark-mpi.so");
    const char *before = wm_environment_or("LD_PRELOAD", NULL);
    char *value = NULL;
    int status = check_library(launch, library), first;

    if (status != 0)
        return status;
    if (before == NULL)
        return wm_environment_set("LD_PRELOAD", library);
    if (lists(before, library))
        return 0;
    first = (int)sanitizer_length(before);
    if (asprintf(&value, "%.*s%s%s%s%s", first, before, first > 0 ? ":" : "", library,
                 before[first] != '\0' && before[first] != ':' ? ":" : "", before + first) < 0)
        value = NULL;
    status = wm_environment_set("LD_PRELOAD", value);
    free(value);
    return status;
}

bool wm_preload_is_heeded(const char *program)
{
    int file = open(program, O_RDONLY | O_CLOEXEC);
    bool has_linker = false;
    ElfW(Ehdr) header;
    ElfW(Phdr) segment;

    if (file < 0 || pread(file, &header, sizeof header, 0) != sizeof header ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        has_linker = true;
    for (int i = 0; !has_linker && i < header.e_phnum; i++)
        has_linker = pread(file, &segment, sizeof segment, (off_t)(header.e_phoff + (size_t)i * sizeof segment)) ==
                         sizeof segment &&
                     segment.p_type == PT_INTERP;
    if (file >= 0)
        close(file);
    return has_linker;
}
