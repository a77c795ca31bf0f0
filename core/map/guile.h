/* Guile's fence: the one file behind this header includes Guile's own; all others see plain C.
 *
 * Used by the map server alone, in this order: wm_guile_run, and within it wm_guile_load once, then the doors are
 * closed (core/map/sandbox.h), then wm_guile_open once, then questions. No exception of Scheme passes the fence.
 * Nothing is loaded from a file after wm_guile_load. */
#ifndef WM_MAP_GUILE_H
#define WM_MAP_GUILE_H

#include <stddef.h>
#include "core/error.h"
#include "core/path/facts.h"

/* A heap that grows beyond this raises SIGABRT. */
enum { WM_GUILE_HEAP_MIB = 128 };

/* Enter Guile, call `body`, and return what it returns. */
int wm_guile_run(int (*body)(void *context), void *context);

/* Where the module `(waymark)` is. */
struct wm_guile_places {
    const char *source_dir;   /* holds waymark.scm */
    const char *compiled_dir; /* holds waymark.go; an older or missing one is not used */
};

/* Load the module and tell it the operations and the wrappers' names (`wrapper_count` of them). Takes the time and the
 * memory that later calls need, so that they need no system call. Returns 0 or -WM_ESYSTEM with a sentence. */
int wm_guile_load(const struct wm_guile_places *places, const char *const *wrappers, size_t wrapper_count,
                  struct wm_error *error);

/* Read the map. Shape procedures are numbered from `first_procedure`. The reply is JSON as core/map/protocol.h
 * says, the caller's to free; NULL when there is no memory for it. Likewise the two below; `explain`: with the rules
 * that were tried. */
char *wm_guile_open(const char *file_name, const char *text, size_t text_bytes, int first_procedure);
char *wm_guile_ask(const struct wm_facts *facts, bool explain);
char *wm_guile_parents(int procedure, int size);

/* The rule, or form, that was entered last: its line and column, 0 when none. May be called in a signal handler. */
void wm_guile_entered(int *line, int *column);

#endif
