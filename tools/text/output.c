/* Output: a temporary file beside the one that is wanted, which takes its name when it is complete. */
#include "tools/text/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(struct wm_error *error, const char *name, const char *what)
{
    return wm_error_set(error, -WM_ETRACE, "'%s' %s: %s; name a file that can be written with -o", name, what,
                        strerror(errno));
}

/* The file that a symbolic link names, not the link, is to be replaced. The caller's. */
static char *resolve(const char *name)
{
    char *real = realpath(name, NULL);

    return real != NULL ? real : strdup(name);
}

static int open_directly(struct wm_output *output, const char *name, struct wm_error *error)
{
    output->file = fopen(name, "we");
    return output->file != NULL ? 0 : fail(error, name, "cannot be opened");
}

static int open_beside(struct wm_output *output, const char *name, struct wm_error *error)
{
    size_t bytes = strlen(name) + sizeof ".XXXXXX";
    mode_t mask = umask(0);
    int file = -1;

    umask(mask);
    output->unnamed = malloc(bytes);
    if (output->unnamed != NULL) {
        snprintf(output->unnamed, bytes, "%s.XXXXXX", name);
        file = mkstemp(output->unnamed);
    }
    if (file >= 0 && fchmod(file, 0666 & ~mask) == 0 && (output->file = fdopen(file, "w")) != NULL)
        return 0;
    fail(error, name, "cannot be made");
    if (file >= 0) {
        close(file);
        unlink(output->unnamed);
    }
    return -WM_ETRACE;
}

int wm_output_open(struct wm_output *output, const char *name, struct wm_error *error)
{
    struct stat status;
    int rc;

    *output = (struct wm_output){.file = stdout, .asked = name};
    if (name == NULL)
        return 0;
    output->file = NULL;
    if (stat(name, &status) == 0 && !S_ISREG(status.st_mode))
        return open_directly(output, name, error);
    output->name = resolve(name);
    rc = output->name != NULL ? open_beside(output, output->name, error) : fail(error, name, "cannot be opened");
    if (rc < 0) {
        free(output->name);
        free(output->unnamed);
    }
    return rc;
}

void wm_output_abandon(struct wm_output *output)
{
    if (output->file != stdout)
        fclose(output->file);
    if (output->unnamed != NULL)
        unlink(output->unnamed);
    free(output->name);
    free(output->unnamed);
}

int wm_output_commit(struct wm_output *output, struct wm_error *error)
{
    const char *name = output->asked != NULL ? output->asked : "standard output";

    if (fflush(output->file) != 0 || ferror(output->file)) {
        fail(error, name, "cannot be written");
    } else if (output->unnamed == NULL || rename(output->unnamed, output->name) == 0) {
        free(output->unnamed);
        output->unnamed = NULL;
        wm_output_abandon(output);
        return 0;
    } else {
        fail(error, name, "cannot be given its name");
    }
    wm_output_abandon(output);
    return -WM_ETRACE;
}

int wm_output_save_json(json_t *json, const char *name, struct wm_error *error)
{
    struct wm_output output;
    int rc = wm_output_open(&output, name, error);

    if (rc == 0 && (json == NULL || json_dumpf(json, output.file, JSON_INDENT(1)) < 0)) {
        rc = wm_error_set(error, -WM_ENOMEM, "no memory to write '%s'; give the program more", name);
        wm_output_abandon(&output);
    } else if (rc == 0) {
        fputc('\n', output.file);
        rc = wm_output_commit(&output, error);
    }
    json_decref(json);
    return rc;
}
