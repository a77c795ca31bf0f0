/* One parameter of a wrapper: read from an answer's VALUE (core/path/path.h), or set to its default. */
#ifndef WM_PARAMETER_H
#define WM_PARAMETER_H

#include <jansson.h>
#include "core/error.h"
#include "core/path/grid.h"
#include "core/path/wrapper.h"

/* Read parameter `index` of `wrapper`. Returns 0, -WM_ENOMEM, or -WM_EMAP, placed at the wrapper. */
int wm_parameter_read(struct wm_wrapper *wrapper, int index, const json_t *value, const struct wm_grid *grid,
                      struct wm_error *error);

/* Give every parameter that was not read its default. -WM_EMAP when a required one is missing. */
int wm_parameter_defaults(struct wm_wrapper *wrapper, struct wm_error *error);

#endif
