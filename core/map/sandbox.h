/* The walls around the map server: what the operating system refuses it, whatever the map may do. */
#ifndef WM_MAP_SANDBOX_H
#define WM_MAP_SANDBOX_H

#include "core/error.h"

enum { WM_SANDBOX_MEMORY_MIB = 512, WM_SANDBOX_CPU_SECONDS = 600 };

/* Close the process's doors for good: address space at most WM_SANDBOX_MEMORY_MIB beyond what it has now (a wall behind
 * WM_GUILE_HEAP_MIB), processor time in all at most WM_SANDBOX_CPU_SECONDS, no core file, no capabilities, no new
 * privileges, and a seccomp filter under which any system call fails with EPERM but those for memory, signals to
 * itself, clocks, and sending and receiving on `fd`. All that will be needed must be open and loaded. Returns 0 or
 * -WM_ESYSTEM with a sentence. */
int wm_sandbox_enter(int fd, struct wm_error *error);

#endif
