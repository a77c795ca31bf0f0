/* The live view: poll, draw, wait, obey. */
#include "tools/top/watch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/top/screen.h"
#include "tools/top/terminal.h"

struct view {
    const struct wm_watch *watch;
    struct wm_live *live;
    struct wm_snapshot snapshot;
    struct wm_top_view page;
    bool interactive;
};

static int complain(const char *sentence)
{
    wm_terminal_close();
    fprintf(stderr, "waymark top: %s\n", sentence);
    return WM_WATCH_UNREADABLE;
}

/* Print all lines once. Off a terminal nothing is cut: a script may look for what stands at a line's end. */
static int print_plain(struct view *view)
{
    struct wm_page page = wm_page_of(stdout);

    view->page.lines = 0;
    view->page.columns = page.columns;
    view->page.color = page.color;
    view->page.whole = !isatty(STDOUT_FILENO);
    return wm_top_print(stdout, &view->snapshot, &view->page);
}

static int draw(struct view *view)
{
    const char *no_color = getenv("NO_COLOR");
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    int rc;

    if (file == NULL)
        return -WM_ENOMEM;
    wm_terminal_size(&view->page.lines, &view->page.columns);
    view->page.lines--; /* the last line stays empty, or the screen would scroll */
    view->page.color = no_color == NULL || no_color[0] == '\0';
    view->page.keys = true;
    rc = wm_top_print(file, &view->snapshot, &view->page);
    fclose(file);
    if (rc >= 0)
        wm_terminal_draw(text);
    free(text);
    return rc;
}

static int look(struct view *view)
{
    int rc = wm_live_poll(view->live);

    return rc < 0 ? rc : wm_snapshot_make(&view->snapshot, view->live, view->watch->stuck_ns);
}

/* Obey a key. False when it is time to end. */
static bool obey(struct view *view, enum wm_key key)
{
    int page = view->page.lines > 4 ? view->page.lines - 4 : 1;

    switch (key) {
    case WM_KEY_UP:
        view->page.scroll--;
        break;
    case WM_KEY_DOWN:
        view->page.scroll++;
        break;
    case WM_KEY_PAGE_UP:
        view->page.scroll -= page;
        break;
    case WM_KEY_PAGE_DOWN:
        view->page.scroll += page;
        break;
    case WM_KEY_SORT:
        view->page.order = (view->page.order + 1) % WM_TOP_ORDER_COUNT;
        break;
    case WM_KEY_PAUSE:
        view->page.paused = !view->page.paused;
        break;
    case WM_KEY_SIGNAL:
        wm_terminal_die();
    default:
        break;
    }
    return key != WM_KEY_QUIT;
}

/* Is what was waited for there? */
static bool is_decided(const struct view *view)
{
    return view->watch->until_stuck && (view->snapshot.stuck_count > 0 || wm_live_over(view->live));
}

/* Draw, and obey keys until it is time to look again. 1: go on; 0: end; -WM_ENOMEM. */
static int dwell(struct view *view)
{
    for (;;) {
        int rc = view->interactive ? draw(view) : 0;
        enum wm_key key;

        if (rc < 0 || is_decided(view))
            return rc;
        key = wm_terminal_wait((int)(view->watch->interval_ns / 1000000));
        if (key == WM_KEY_NONE && !view->page.paused)
            return 1;
        if (!obey(view, key))
            return 0;
    }
}

static int watch_on(struct view *view)
{
    int rc;

    view->interactive = wm_terminal_open();
    do
        rc = (rc = look(view)) < 0 ? rc : dwell(view);
    while (rc > 0);
    wm_terminal_close();
    if (rc >= 0 && !view->interactive)
        rc = print_plain(view);
    return rc;
}

static int look_once(struct view *view)
{
    int rc = look(view);

    return rc < 0 ? rc : print_plain(view);
}

int wm_watch_run(const struct wm_watch *watch)
{
    struct view view = {.watch = watch};
    struct wm_error error = {0};
    int rc, status = 0;

    if (wm_live_open(&view.live, watch->directory, &error) < 0)
        return complain(error.text);
    if (watch->level >= 0 && wm_live_ask(view.live, (enum wm_trace_level)watch->level, &error) < 0) {
        wm_live_close(view.live);
        return complain(error.text);
    }
    rc = watch->once ? look_once(&view) : watch_on(&view);
    if (rc < 0)
        status = complain("out of memory");
    else if (watch->once && view.snapshot.count == 0)
        status = complain("no rank has begun a trace in the directory: is it the one of 'waymark run -t DIR'?");
    else if (watch->until_stuck && view.snapshot.stuck_count > 0)
        status = WM_WATCH_STUCK;
    wm_snapshot_release(&view.snapshot);
    wm_live_close(view.live);
    return status;
}
