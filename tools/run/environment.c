/* The environment that a program is started with. */
#include "tools/run/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/cli/command.h"

char *wm_environment_absolute(const char *path)
{
    char *here = path[0] != '/' ? getcwd(NULL, 0) : NULL, *out = NULL;

    if (here == NULL)
        return strdup(path);
    if (asprintf(&out, "%s/%s", strcmp(here, "/") == 0 ? "" : here, path) < 0)
        out = NULL;
    free(here);
    return out;
}

int wm_environment_set(const char *variable, const char *value)
{
    struct wm_error error;

    if (value != NULL && setenv(variable, value, 1) == 0)
        return 0;
    wm_error_set(&error, -WM_ENOMEM, "no memory to set %s", variable);
    return wm_command_failed(&error);
}

int wm_environment_set_absolute(const char *variable, const char *path)
{
    char *value = wm_environment_absolute(path);
    int status = wm_environment_set(variable, value);

    free(value);
    return status;
}
