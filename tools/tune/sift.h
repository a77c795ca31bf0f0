/* Candidates sifted: those that the planner takes and the prover proves on a machine, each plan once, and what they
 * should take. Needs the map server; neither MPI nor a clock. */
#ifndef WM_TUNE_SIFT_H
#define WM_TUNE_SIFT_H

#include <stdio.h>
#include "core/error.h"
#include "tools/profile/machine.h"
#include "tools/tune/field.h"

/* Print a map in which a communicator called "tune-3" takes path number 3 of the list. */
void wm_tune_print_candidates(FILE *out, const struct wm_tune_list *list, enum wm_operation operation);

/* Leave in the list what serves the operation on the machine (wm_grid_parse_machine), of calls or items of up to `most`
 * bytes; paths whose plans take the same time at several sizes, to the picosecond, are one, the simplest. Of a conveyor
 * routes that are proven, each design once, and none that native has; no rank holds more than the `load_bytes` that it
 * pushes in a run, or 1 MiB if that is more: such buffers would never be full. Returns 0, or -WM_E… with a sentence
 * where nothing could be asked. */
int wm_tune_sift(struct wm_tune_list *list, enum wm_operation operation, const char *machine, uint64_t most,
                 uint64_t load_bytes, struct wm_error *error);

/* Which of the list to race at `bytes` by a profile: keeps[i] is true of native, and of what is not slower than the
 * best by more than both predictions may be wrong, WM_TUNE_KEPT of them at most; all where none is predicted. `items`:
 * of a conveyor's run. */
enum { WM_TUNE_KEPT = 16 };
int wm_tune_prune(bool *keeps, const struct wm_tune_list *list, enum wm_operation operation, const char *machine,
                  uint64_t bytes, int64_t items, const struct wm_profile *profile, struct wm_error *error);

/* What each path of the list takes at `bytes`, in ps; -1: it does not serve. */
int wm_tune_predict(int64_t ps[WM_TUNE_PATHS_MAX], const struct wm_tune_list *list, enum wm_operation operation,
                    const char *machine, uint64_t bytes, const struct wm_profile *profile, struct wm_error *error);

/* The path of the list whose plans the map 'fast' would fly at each of `count` sizes, into paths[]; 0: native, or none
 * of them. */
int wm_tune_find_fast(int *paths, const struct wm_tune_list *list, enum wm_operation operation, const char *machine,
                      const uint64_t *bytes, int count, struct wm_error *error);

#endif
