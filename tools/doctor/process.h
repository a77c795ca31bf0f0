/* What the system says of a process. */
#ifndef WM_DOCTOR_PROCESS_H
#define WM_DOCTOR_PROCESS_H

#include <stdbool.h>

/* Its parent; 0: it has none, or is not there. */
int wm_process_parent(int pid);

/* 'R', 'S', 'D', 'T', 't', 'Z', …; 0: it is not there. */
char wm_process_state(int pid);

#endif
