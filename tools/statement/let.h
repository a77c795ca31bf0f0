/* Lets: `[TYPE] NAME[[COUNT]…][=VALUE]`, where a value may be a list, `[3,2,1,0]`; taken apart. */
#ifndef WM_TOOLS_LET_H
#define WM_TOOLS_LET_H

#include "tools/statement/names.h"

/* An expression of the let. */
struct wm_let_piece {
    char *text;
    size_t place; /* in the let */
};

struct wm_let {
    const char *text; /* as it was written; the caller's */
    char name[WM_NAME_CHARS];
    enum wm_number number; /* WM_BYTES: it has that of its value; without one it is a double */
    int dimensions, value_count;
    bool is_list;
    struct wm_let_piece extents[WM_DIMENSIONS];
    struct wm_let_piece *values;
};

/* 0, -WM_ENOMEM, -WM_EINVAL; release in any case. */
int wm_let_read(struct wm_let *let, const char *text, struct wm_error *error);
void wm_let_release(struct wm_let *let);

#endif
