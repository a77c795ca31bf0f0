/* The environment that a program is started with, and files named in it. */
#ifndef WM_TOOLS_ENVIRONMENT_H
#define WM_TOOLS_ENVIRONMENT_H

#include "core/settings.h"

/* The path from the root on, so that it stays right when the program changes its directory. The caller frees it; NULL
 * when there is no memory. */
char *wm_environment_absolute(const char *path);

/* Set a variable; the second to a path's absolute form. Returns 0, or an exit status when there is no memory (or
 * `value` is NULL for the want of it) and says so. */
int wm_environment_set(const char *variable, const char *value);
int wm_environment_set_absolute(const char *variable, const char *path);

#endif
