/* The two kinds of contenders. */
#include "tools/tune/kind.h"

#include <stddef.h>
#include "tools/gauge/conveyors.h"
#include "tools/tune/field.h"
#include "tools/tune/routes.h"

static const struct wm_tune_kind collective = {
    .sizes = "8-1MiB",
    .most_bytes = WM_TUNE_BYTES_MAX,
    .list = wm_tune_list_paths,
    .native = "(native)",
    .fenced = true,
    .manners = {"call by call", "in trains", "from a common start"},
    .total = "collectives",
    .refused = "there is no memory for the buffers; tune smaller sizes",
};

static const struct wm_tune_kind conveyor = {
    .sizes = "8-256",
    .least_bytes = 1,
    .most_bytes = WM_GAUGE_ITEM_BYTES_MAX,
    .load_bytes = WM_TUNE_LOAD_BYTES,
    .list = wm_tune_list_routes,
    .manners = {"from when all push", "with begin and reset", NULL},
    .total = "collectives and conveyors",
    .refused = "a conveyor cannot begin, or there is no memory for its buffers; give the job more",
};

const struct wm_tune_kind *wm_tune_kind(enum wm_operation operation)
{
    return operation == WM_CONVEYOR ? &conveyor : &collective;
}

enum wm_tune_manner wm_tune_manner_of(const struct wm_tune_kind *kind, enum wm_tune_manner asked, bool slow)
{
    return slow && kind->fenced ? WM_TUNE_STARTED : asked;
}
