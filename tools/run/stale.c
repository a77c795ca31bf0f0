/* Stale traces: files that an earlier run left in the directory of a new one. */
#include "tools/run/stale.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tracer/file.h"

/* The rank in "rank-00012.trace", or -1. */
static int rank_of(const char *name)
{
    char again[32];
    int rank = -1;

    if (sscanf(name, "rank-%9d.trace", &rank) != 1 || rank < 0)
        return -1;
    snprintf(again, sizeof again, "rank-%05d.trace", rank);
    return strcmp(name, again) == 0 ? rank : -1;
}

static bool is_trace(int directory, const char *name)
{
    char magic[sizeof WM_TRACE_MAGIC - 1];
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool ours = fd >= 0 && read(fd, magic, sizeof magic) == (ssize_t)sizeof magic &&
                memcmp(magic, WM_TRACE_MAGIC, sizeof magic) == 0;

    if (fd >= 0)
        close(fd);
    return ours;
}

/* With what stands beside it. */
static void remove_pair(int directory, const char *name)
{
    char other[64];

    snprintf(other, sizeof other, "%.*spage", (int)(strlen(name) - strlen("trace")), name);
    unlinkat(directory, other, 0);
    snprintf(other, sizeof other, "%.*sjson", (int)(strlen(name) - strlen("trace")), name);
    unlinkat(directory, other, 0);
    unlinkat(directory, name, 0);
}

void wm_stale_remove(const char *directory, int own_rank, int first_stale)
{
    DIR *stream = opendir(directory);

    if (stream == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        int rank = rank_of(entry->d_name);

        if (rank >= 0 && (rank == own_rank || (first_stale >= 0 && rank >= first_stale)) &&
            is_trace(dirfd(stream), entry->d_name))
            remove_pair(dirfd(stream), entry->d_name);
    }
    closedir(stream);
}
