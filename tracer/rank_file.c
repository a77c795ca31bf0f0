/* Files of a rank: made anew, and opened again where nobody has replaced them. */
#include "tracer/rank_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool identify(struct wm_rank_file *file, int opened)
{
    struct stat status;

    file->hold = MAP_FAILED;
    if (fstat(opened, &status) != 0)
        return false;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    file->hold = mmap(NULL, 1, PROT_NONE, MAP_SHARED, opened, 0);
    return file->hold != MAP_FAILED;
}

int wm_rank_file_make(struct wm_rank_file *file, struct wm_error *error)
{
    int opened, cause;

    unlink(file->name);
    opened = open(file->name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    file->made = opened >= 0;
    if (file->made && identify(file, opened))
        return opened;
    cause = errno;
    if (file->made)
        close(opened);
    return wm_error_set(error, -WM_ETRACE, "cannot write '%s': %s; give another trace directory", file->name,
                        strerror(cause));
}

int wm_rank_file_open(const struct wm_rank_file *file, int flags, size_t bytes_min)
{
    int opened = open(file->name, O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags);
    struct stat status;

    if (opened < 0)
        return -1;
    if (fstat(opened, &status) == 0 && status.st_dev == file->device && status.st_ino == file->inode &&
        (size_t)status.st_size >= bytes_min)
        return opened;
    close(opened);
    return -1;
}

void wm_rank_file_release(struct wm_rank_file *file, bool unlink_too)
{
    if (file->made && file->hold != MAP_FAILED)
        munmap(file->hold, 1);
    if (file->made && unlink_too)
        unlink(file->name);
    file->made = false;
}
