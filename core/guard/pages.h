/* Pages of ranks, read by index. Those of a large job have little memory of this process's at a time: when so many have
 * been read, theirs goes back to the system, and is there again when one is read again; pointers stay valid. */
#ifndef WM_GUARD_PAGES_H
#define WM_GUARD_PAGES_H

#include "core/guard/page.h"

/* So many pages are kept in memory at a time, at most 400 MB. */
enum { WM_PAGES_WINDOW = 2048 };

struct wm_pages_window {
    int kept[WM_PAGES_WINDOW], count; /* by index, as they were read */
    bool *is_kept;                    /* by page */
};

struct wm_pages {
    const struct wm_page **list;
    int count;
    struct wm_pages_window *window; /* NULL: all keep their memory */
};

/* Give memory back from here on, if they are many. All are of files: what is no file's would be lost. False: no memory.
 */
bool wm_pages_open_window(struct wm_pages *pages);
void wm_pages_close_window(struct wm_pages *pages);

/* A page that is not kept is about to be read. */
void wm_pages_keep(const struct wm_pages *pages, int index);

static inline const struct wm_page *wm_pages_at(const struct wm_pages *pages, int index)
{
    if (pages->window != NULL && !pages->window->is_kept[index])
        wm_pages_keep(pages, index);
    return pages->list[index];
}

#endif
