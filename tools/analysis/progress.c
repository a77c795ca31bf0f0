/* Progress: counts the instances that the analysis shows, and says so now and then. */
#include "tools/analysis/progress.h"

#include <unistd.h>
#include "tools/text/units.h"
#include "tracer/clock.h"

enum { CALLS_A_LOOK = 256 };

static const int64_t patience_ns = 1000000000, pause_ns = 200000000;

static void look(struct wm_progress *progress)
{
    int64_t now_ns = (int64_t)wm_clock_monotonic_ns();

    if (now_ns - progress->begun_ns < patience_ns || now_ns - progress->shown_ns < pause_ns)
        return;
    progress->shown_ns = now_ns;
    fprintf(progress->file, "\rwaymark report: %s analysed", wm_number_text(progress->calls, "call").text);
    fflush(progress->file);
}

static int take_piece(void *context, const struct wm_instance *instance, const struct wm_region *region,
                      const struct wm_cost_piece *piece)
{
    const struct wm_observer *inner = ((struct wm_progress *)context)->inner;

    return inner->take_piece(inner->context, instance, region, piece);
}

static int take_instance(void *context, const struct wm_instance *instance)
{
    struct wm_progress *progress = context;
    const struct wm_observer *inner = progress->inner;

    if (progress->file != NULL && ++progress->calls % CALLS_A_LOOK == 0)
        look(progress);
    return inner != NULL && inner->take_instance != NULL ? inner->take_instance(inner->context, instance) : 0;
}

void wm_progress_begin(struct wm_progress *progress, const struct wm_observer *inner)
{
    *progress = (struct wm_progress){
        .file = isatty(STDERR_FILENO) ? stderr : NULL,
        .inner = inner,
        .begun_ns = (int64_t)wm_clock_monotonic_ns(),
    };
    progress->observer = (struct wm_observer){
        .context = progress,
        .take_piece = inner != NULL && inner->take_piece != NULL ? take_piece : NULL,
        .take_instance = take_instance,
    };
}

void wm_progress_end(struct wm_progress *progress)
{
    if (progress->shown_ns > 0)
        fputs("\r\033[K", progress->file);
}
