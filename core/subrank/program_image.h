/* The executable's file, in memory: whether copies of it can be loaded, and what must be other in them. */
#ifndef WM_SUBRANK_PROGRAM_IMAGE_H
#define WM_SUBRANK_PROGRAM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include "core/error.h"

/* Check a file of `bytes`, and make of it what the loader takes as a library. `name` is for sentences. Nothing in it is
 * trusted. `moves`: what runs in a copy goes from thread to thread. Returns how many bytes from its beginning are
 * loaded, or -WM_EINVAL. */
long wm_program_image_prepare(char *image, size_t bytes, const char *name, bool moves, struct wm_error *error);

#endif
