/* The live view: poll, draw, wait, obey. */
#include "tools/top/watch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/top/screen.h"
#include "tools/top/tty.h"

struct view {
    const struct wm_watch *watch;
    struct wm_live *live;
    struct wm_snapshot snapshot;
    struct wm_top_view screen;
    bool interactive;
};

static int complain(const char *sentence)
{
    wm_tty_close();
    fprintf(stderr, "waymark top: %s\n", sentence);
    return WM_WATCH_UNREADABLE;
}

/* Print all lines once. Off a terminal nothing is cut: a script may look for what stands at a line's end. */
static int print_plain(struct view *view)
{
    struct wm_terminal terminal = wm_terminal_of(stdout);

    view->screen.lines = 0;
    view->screen.columns = terminal.columns;
    view->screen.color = terminal.color;
    view->screen.whole = !isatty(STDOUT_FILENO);
    return wm_top_print(stdout, &view->snapshot, &view->screen);
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
    wm_tty_size(&view->screen.lines, &view->screen.columns);
    view->screen.lines--; /* the last line stays empty, or the screen would scroll */
    view->screen.color = no_color == NULL || no_color[0] == '\0';
    view->screen.keys = true;
    rc = wm_top_print(file, &view->snapshot, &view->screen);
    fclose(file);
    if (rc >= 0)
        wm_tty_draw(text);
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
    int page = view->screen.lines > 4 ? view->screen.lines - 4 : 1;

    switch (key) {
    case WM_KEY_UP:
        view->screen.scroll--;
        break;
    case WM_KEY_DOWN:
        view->screen.scroll++;
        break;
    case WM_KEY_PAGE_UP:
        view->screen.scroll -= page;
        break;
    case WM_KEY_PAGE_DOWN:
        view->screen.scroll += page;
        break;
    case WM_KEY_SORT:
        view->screen.order = (view->screen.order + 1) % WM_TOP_ORDER_COUNT;
        break;
    case WM_KEY_PAUSE:
        view->screen.paused = !view->screen.paused;
        break;
    case WM_KEY_SIGNAL:
        wm_tty_die();
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
        key = wm_tty_wait((int)(view->watch->interval_ns / 1000000));
        if (key == WM_KEY_NONE && !view->screen.paused)
            return 1;
        if (!obey(view, key))
            return 0;
    }
}

static int watch_on(struct view *view)
{
    int rc;

    view->interactive = wm_tty_open();
    do
        rc = (rc = look(view)) < 0 ? rc : dwell(view);
    while (rc > 0);
    wm_tty_close();
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
