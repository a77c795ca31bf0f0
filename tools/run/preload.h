/* The preloaded library: found, looked at, and put into LD_PRELOAD. */
#ifndef WM_TOOLS_PRELOAD_H
#define WM_TOOLS_PRELOAD_H

#include <stdbool.h>
#include "core/error.h"
#include "tools/run/launcher.h"

/* Say what is wrong on this host, at its first rank alone. Returns `status`. */
int wm_preload_host_failed(const struct wm_launch *launch, int status, const struct wm_error *error);

/* This host's name, for messages; it lives for ever. */
const char *wm_preload_host(void);

/* Put the library ($WAYMARK_PRELOAD, else the installed one) in front of LD_PRELOAD, behind a sanitizer's runtime,
 * unless it stands there. Returns 0, or an exit status when it cannot be read, which is said. */
int wm_preload_set(const struct wm_launch *launch);

/* Whether a dynamic linker looks at LD_PRELOAD when the program begins; true of what cannot be read. */
bool wm_preload_is_heeded(const char *program);

#endif
