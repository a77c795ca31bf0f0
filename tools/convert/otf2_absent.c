/* otf2, in a build without libotf2: what to install for it. */
#include "tools/convert/converter.h"

static int take(struct wm_converter *converter, const struct wm_event *event)
{
    (void)converter, (void)event;
    return -WM_ETRACE;
}

const struct wm_converter_class wm_converter_otf2 = {
    .name = "otf2",
    .suffix = ".otf2",
    .directory = true,
    .order = WM_ORDER_RANKS,
    .absent = "this waymark was built without OTF2: install libotf2-trace-dev (Debian) or otf2-devel (Fedora), then "
              "configure and build it again",
    .begin = wm_converter_no_frame,
    .begin_rank = wm_converter_no_rank,
    .take = take,
    .end_rank = wm_converter_no_rank,
    .end = wm_converter_no_frame,
    .release = wm_converter_no_state,
};
