/* What the wrappers of faults share (core/path/fault.h): lose and flip, which spoil messages; stop-rank and kill-rank,
 * which strike a rank. */
#ifndef WM_FAULTS_H
#define WM_FAULTS_H

#include "core/path/fault.h"
#include "core/path/wrapper.h"
#include "core/plan/planner.h"

enum { WM_SPOIL_SHARE, WM_SPOIL_SEED, WM_SPOIL_PARAMS };
enum { WM_STRIKE_RANK, WM_STRIKE_AFTER, WM_STRIKE_PARAMS };

extern const struct wm_param wm_spoil_params[WM_SPOIL_PARAMS], wm_strike_params[WM_STRIKE_PARAMS];

int wm_spoil_plan(const struct wm_wrapper *self, struct wm_planner *planner, enum wm_fault_kind kind);
int wm_strike_plan(const struct wm_wrapper *self, struct wm_planner *planner, enum wm_fault_kind kind);

#endif
