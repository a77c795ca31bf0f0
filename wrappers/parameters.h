/* Parameters that several wrappers share, so that they read the same everywhere. */
#ifndef WM_PARAMETERS_H
#define WM_PARAMETERS_H

#include "core/path/wrapper.h"

#define WM_AXIS_PARAM                                                                                                  \
    {                                                                                                                  \
        .name = "axis", .type = WM_PARAM_AXIS, .positional = true, .required = true,                                   \
        .help = "the axis of the grid over which the stage works"                                                      \
    }

#define WM_SHAPE_PARAM(default_shape, allowed)                                                                         \
    {                                                                                                                  \
        .name = "shape", .type = WM_PARAM_SHAPE, .fallback = default_shape, .shapes = (allowed),                       \
        .help = "who talks to whom"                                                                                    \
    }

/* Words of #:order, in the order of wm_order_words. */
enum { WM_ORDER_ARRIVAL, WM_ORDER_RANK };
extern const char *const wm_order_words[];

#define WM_ORDER_PARAM                                                                                                 \
    {                                                                                                                  \
        .name = "order", .type = WM_PARAM_CHOICE, .fallback = "rank", .choices = wm_order_words,                       \
        .help = "combine in one order always, so that equal sums have equal bits, as many programs expect; or as "     \
                "messages come, and then the last bits of a sum depend on who was late"                                \
    }

#endif
