/* Reading a map's file, given by its path or by the name of a map that comes with Waymark. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/map/map.h"

enum { MAP_BYTES_MAX = 16 << 20, READ_BYTES = 16 << 10, PIPE_WAIT_MS = 10000 };

/* Where `name` is: the path itself, or a shipped map, "pycsp/reduce-chain" among them. A path that is neither is left
 * as it is, for the fault to name it. The caller frees it. */
static char *find_file(const char *name)
{
    const char *specs = getenv("WAYMARK_SPECS");
    char *file = NULL;

    if (access(name, F_OK) == 0)
        return strdup(name);
    if (asprintf(&file, "%s/%s.scm", specs != NULL ? specs : WM_SPECSDIR, name) < 0)
        return NULL;
    if (strchr(name, '/') == NULL || (strchr("./", name[0]) == NULL && access(file, F_OK) == 0))
        return file;
    free(file);
    return strdup(name);
}

/* Wait for what a pipe brings next; a file has it at once. */
static int wait_for(int fd)
{
    struct pollfd entry = {.fd = fd, .events = POLLIN};
    int ready;

    while ((ready = poll(&entry, 1, PIPE_WAIT_MS)) < 0 && errno == EINTR)
        ;
    if (ready == 0)
        errno = ETIMEDOUT;
    return ready > 0 ? 0 : -WM_ESYSTEM;
}

/* Read to the end, or one byte more than a map may have. */
static int read_all(int fd, char **text, size_t *text_bytes)
{
    size_t have = 0, room = 0;
    ssize_t got = 1;

    while (got != 0 && have <= MAP_BYTES_MAX) {
        if (have + 1 >= room) {
            char *grown = realloc(*text, room = 2 * room + READ_BYTES);

            if (grown == NULL)
                return -WM_ENOMEM;
            *text = grown;
        }
        got = read(fd, *text + have, room - 1 - have);
        if (got < 0 && errno != EINTR && (errno != EAGAIN || wait_for(fd) < 0))
            return -WM_ESYSTEM;
        have += got > 0 ? (size_t)got : 0;
    }
    (*text)[have] = '\0';
    *text_bytes = have;
    return 0;
}

static int read_file(const char *name, const char *file, char **text, size_t *text_bytes, struct wm_error *error)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc;
    struct stat status;

    if (fd < 0 && strcmp(name, file) != 0)
        return wm_error_set(error, -WM_EMAP, "no map '%s': neither a file nor a map that comes with Waymark (%s)", name,
                            file);
    if (fd < 0)
        return wm_error_set(error, -WM_EMAP, "cannot read the map '%s': %s", file, strerror(errno));
    if (fstat(fd, &status) < 0 || !(S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)))
        rc = wm_error_set(error, -WM_EMAP, "the map '%s' is neither a plain file nor a pipe", file);
    else if ((rc = read_all(fd, text, text_bytes)) < 0)
        wm_error_set(error, rc, "cannot read the map '%s': %s", file, strerror(errno));
    else if (*text_bytes > MAP_BYTES_MAX)
        rc = wm_error_set(error, -WM_EMAP, "the map '%s' is larger than 16 MiB", file);
    else if (*text_bytes == 0 && S_ISFIFO(status.st_mode))
        rc = wm_error_set(error, -WM_EMAP, "the map '%s' is a pipe that brings nothing", file);
    close(fd);
    return rc;
}

int wm_map_read(const char *name, char **file_name, char **text, size_t *text_bytes, struct wm_error *error)
{
    int rc;

    *text = NULL;
    *text_bytes = 0;
    *file_name = find_file(name);
    if (*file_name == NULL)
        return wm_error_set(error, -WM_ENOMEM, "out of memory");
    rc = read_file(name, *file_name, text, text_bytes, error);
    if (rc < 0) {
        free(*text);
        free(*file_name);
        *text = NULL;
        *file_name = NULL;
    }
    return rc;
}
