/* Launches: jobs that `waymark tune` starts by a launcher, one after the other, until its state is done. */
#ifndef WM_TUNE_LAUNCHES_H
#define WM_TUNE_LAUNCHES_H

#include "core/error.h"

/* Start `count` words, a launcher with its options (without any: the one that is named in the state), with
 * `waymark tune --resume FILE` behind them, at least once. SIGINT and SIGTERM end the job that runs. Returns the exit
 * status of the last one. */
int wm_tune_launches_run(char *const *words, int count, const char *file);

#endif
