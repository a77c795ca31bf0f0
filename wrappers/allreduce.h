/* The exchange by which every member learns of every other; `barrier` is the same with messages of no bytes. */
#ifndef WM_WRAPPERS_ALLREDUCE_H
#define WM_WRAPPERS_ALLREDUCE_H

#include "wrappers/shapes.h"

int wm_allreduce_plan(const struct wm_wrapper *self, struct wm_planner *planner);

#endif
