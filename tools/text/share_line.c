/* How much of a long work is done. */
#include "tools/text/share_line.h"

#include <stdio.h>
#include <unistd.h>
#include "tracer/clock.h"

enum { LOOKS = 64 /* calls for one look at the clock */ };

static const int64_t patience_ns = 1000000000, pause_ns = 200000000;

struct wm_share_line wm_share_line_begin(const char *name)
{
    return (struct wm_share_line){.name = isatty(STDERR_FILENO) ? name : NULL,
                                  .next_ns = (int64_t)wm_clock_monotonic_ns() + patience_ns};
}

void wm_share_line_show(struct wm_share_line *line, double share)
{
    int64_t now_ns;

    if (line->name == NULL || ++line->looks % LOOKS != 0)
        return;
    now_ns = (int64_t)wm_clock_monotonic_ns();
    if (now_ns < line->next_ns)
        return;
    fprintf(stderr, "\r%s: %3d %%", line->name, (int)(100 * (share < 1 ? share : 1)));
    line->next_ns = now_ns + pause_ns;
    line->shown = true;
}

void wm_share_line_end(struct wm_share_line *line)
{
    if (line->shown)
        fputs("\r\033[K", stderr);
    line->shown = false;
}
