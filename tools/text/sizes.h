/* Sizes to go through, as a command line lists them. */
#ifndef WM_TEXT_SIZES_H
#define WM_TEXT_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WM_SIZES_MAX = 256, WM_SIZES_WRONG_CHARS = 160 };

/* In ascending order, none twice. */
struct wm_size_list {
    int count;
    uint64_t bytes[WM_SIZES_MAX];
};

/* Add the sizes of a list such as "8-4MiB" or "8,64,1KiB-64KiB": a range is its ends and the powers of two between
 * them. Returns 0, or -WM_EINVAL with a sentence in `wrong` (of WM_SIZES_WRONG_CHARS). */
int wm_sizes_read(struct wm_size_list *sizes, const char *text, char *wrong);

/* Add a size, in its place among the others. False: there is no room. */
bool wm_sizes_add(struct wm_size_list *sizes, uint64_t bytes);

#endif
