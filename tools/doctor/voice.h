/* The voice of the guard: text on a job's standard error, which the guard itself does not have open. */
#ifndef WM_DOCTOR_VOICE_H
#define WM_DOCTOR_VOICE_H

#include <stdbool.h>

/* Write the text to the standard error of a process that runs, line by line, and close it again: a launcher that waits
 * for its end does not wait for us. Never blocks for more than two seconds. False: nothing could be written. */
bool wm_voice_say(int pid, const char *text);

#endif
