/* How many subranks a process is to have, by the superblocks of a trace, as a map's clause. Nothing is raced for it: a
 * number more is another run of the program (docs/subranks.md). */
#ifndef WM_TUNE_SUBRANKS_H
#define WM_TUNE_SUBRANKS_H

#include <stdbool.h>
#include "core/error.h"

/* Write to `output`, unless it is NULL, the map that a trace's superblocks ask for, and tell of it; *found: the trace's
 * ranks are subranks. Where they are, nothing else is tuned by the trace: paths that plain ranks race for collectives
 * would be followed by subranks. Returns 0, or -WM_E… with a sentence: also where superblocks do not agree, or there
 * are none. */
int wm_tune_subranks(const char *trace, const char *output, bool *found, struct wm_error *error);

#endif
