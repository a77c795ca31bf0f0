/* Output: a file that is written completely or not at all. */
#ifndef WM_OUTPUT_H
#define WM_OUTPUT_H

#include <jansson.h>
#include <stdio.h>
#include "core/error.h"

struct wm_output {
    FILE *file;        /* to be written to */
    const char *asked; /* as it was named; lives as long as the caller's; NULL: standard output */
    char *name;        /* the file's, NULL: written to directly */
    char *unnamed;     /* under which it is written meanwhile */
};

/* Open `name`, or standard output for NULL. A regular file appears when wm_output_commit has succeeded, in the place of
 * one that was there; what is no regular file (a pipe, a device) is written to directly. 0 or -WM_ETRACE with a
 * sentence, and then nothing is left behind. */
int wm_output_open(struct wm_output *output, const char *name, struct wm_error *error);
/* Everything has been written: give the file its name. Closes it in any case. 0 or -WM_ETRACE with a sentence. */
int wm_output_commit(struct wm_output *output, struct wm_error *error);
/* Close it, and leave nothing behind. */
void wm_output_abandon(struct wm_output *output);

/* Write a JSON value as a file, indented; takes the value, which may be NULL for want of memory. Returns 0, or
 * -WM_ETRACE or -WM_ENOMEM with a sentence. */
int wm_output_save_json(json_t *json, const char *name, struct wm_error *error);

#endif
