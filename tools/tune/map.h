/* The map that is written: rules as a person would have written them, each with what was measured. */
#ifndef WM_TUNE_MAP_H
#define WM_TUNE_MAP_H

#include <stdio.h>
#include "tools/tune/session.h"
#include "tools/tune/state.h"

/* Print the map of a state whose paths are chosen; `file`: the state's. */
void wm_tune_print_map(FILE *out, const struct wm_tune_session *session, const struct wm_tune_state *state,
                       const char *file, bool interrupted);

/* Write a map of the operation's candidates where this process can open it. False: no memory. */
bool wm_tune_write_candidates(const struct wm_tune_field *field, char file[WM_TUNE_FILE_CHARS]);

#endif
