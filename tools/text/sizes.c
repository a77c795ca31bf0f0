/* Sizes to go through, as a command line lists them. */
#include "tools/text/sizes.h"

#include <stdio.h>
#include <string.h>
#include "core/error.h"
#include "core/parse.h"

bool wm_sizes_add(struct wm_size_list *sizes, uint64_t bytes)
{
    int at = sizes->count;

    while (at > 0 && sizes->bytes[at - 1] >= bytes)
        at--;
    if (at < sizes->count && sizes->bytes[at] == bytes)
        return true;
    if (sizes->count == WM_SIZES_MAX)
        return false;
    memmove(&sizes->bytes[at + 1], &sizes->bytes[at], (size_t)(sizes->count - at) * sizeof sizes->bytes[0]);
    sizes->bytes[at] = bytes;
    sizes->count++;
    return true;
}

static bool add_range(struct wm_size_list *sizes, uint64_t low, uint64_t high)
{
    bool room = wm_sizes_add(sizes, low) && wm_sizes_add(sizes, high);

    for (uint64_t bytes = 1; room && bytes < high; bytes *= 2)
        room = bytes <= low || wm_sizes_add(sizes, bytes);
    return room;
}

int wm_sizes_read(struct wm_size_list *sizes, const char *text, char *wrong)
{
    uint64_t low, high;

    for (const char *at = text; at != NULL;) {
        const char *member = at, *fault = NULL;

        if (!wm_parse_range(&at, wm_parse_bytes, &low, &high))
            fault = "is no size; write one, such as 64KiB, or a range, such as 8-4MiB";
        else if (high < low)
            fault = "ends before it begins; write the smaller size first";
        else if (!add_range(sizes, low, high))
            fault = "makes too many sizes; name fewer, in several runs";
        if (fault != NULL) {
            size_t length = strcspn(member, ",");

            snprintf(wrong, WM_SIZES_WRONG_CHARS, "'%.*s' %s", length < 64 ? (int)length : 64, member, fault);
            return -WM_EINVAL;
        }
    }
    return 0;
}
