/* The voice of the guard: text on a job's standard error, which the guard itself does not have open. */
#ifndef WM_DOCTOR_VOICE_H
#define WM_DOCTOR_VOICE_H

#include <stdbool.h>

/* The standard error of a process that runs: a file to be closed as soon as the process ends, for its launcher waits
 * until nobody has it open. -1: it cannot be had. */
int wm_voice_open(int pid);

/* Write the text to it, line by line. Never blocks for more than two seconds. False: nothing could be written. */
bool wm_voice_say(int voice, const char *text);

#endif
