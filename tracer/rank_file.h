/* A file of a rank's trace: made anew, and opened again by its name only where it is still the file that was made.
 *
 * No file stays open: a program that closes files that it does not know, and opens its own, would have ours written to.
 * Another job may meanwhile have been given the same directory, and in a directory of somebody else the name may have
 * become a link to anything. */
#ifndef WM_RANK_FILE_H
#define WM_RANK_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "core/error.h"

struct wm_rank_file {
    char name[PATH_MAX];
    bool made;
    dev_t device; /* of the file that was made */
    ino_t inode;
    void *hold; /* a mapping: while it is there no other file gets this inode */
};

/* Make the file `name`; one of an earlier run is unlinked, not truncated: someone may have it mapped. Returns the open
 * file, for reading and writing, or -WM_ETRACE with a sentence. */
int wm_rank_file_make(struct wm_rank_file *file, struct wm_error *error);

/* Open it again. -1: it is not there, another one is, or it has fewer bytes than that. */
int wm_rank_file_open(const struct wm_rank_file *file, int flags, size_t bytes_min);

/* Forget the file, whether it was made or not, and unlink it where `unlink_too`. */
void wm_rank_file_release(struct wm_rank_file *file, bool unlink_too);

#endif
