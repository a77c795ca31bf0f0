/* Pages of a large job: a window of those that keep their memory. */
#include "core/guard/pages.h"

#include <stdlib.h>
#include <sys/mman.h>

bool wm_pages_open_window(struct wm_pages *p)
{
    if (p->count <= WM_PAGES_WINDOW)
        return true;
    if ((p->window = calloc(1, sizeof *p->window)) == NULL)
        return false;
    if ((p->window->is_kept = calloc((size_t)p->count, sizeof(bool))) != NULL)
        return true;
    wm_pages_close_window(p);
    return false;
}

void wm_pages_close_window(struct wm_pages *p)
{
    if (p->window != NULL)
        free(p->window->is_kept);
    free(p->window);
    p->window = NULL;
}

/* Pages that lie behind each other, as those of a node do that are read in turn, go by one call. */
static void give_back(const struct wm_pages *p)
{
    struct wm_pages_window *w = p->window;

    for (int i = 0, end; i < w->count; i = end) {
        const struct wm_page *first = p->list[w->kept[i]];

        for (end = i; end < w->count && p->list[w->kept[end]] == first + (end - i); end++)
            w->is_kept[w->kept[end]] = false;
        madvise((void *)first, (size_t)(end - i) * sizeof *first, MADV_DONTNEED);
    }
    w->count = 0;
}

void wm_pages_keep(const struct wm_pages *p, int index)
{
    struct wm_pages_window *w = p->window;

    if (w->count == WM_PAGES_WINDOW)
        give_back(p);
    w->kept[w->count++] = index;
    w->is_kept[index] = true;
}
