/* The map that is written: rules as a person would have written them, each with what was measured. */
#ifndef WM_TUNE_MAP_H
#define WM_TUNE_MAP_H

#include <stdio.h>
#include "tools/tune/field.h"
#include "tools/tune/session.h"

/* What stands at its top. */
struct wm_tune_header {
    const char *again; /* the command line */
    const char *name;  /* of the file; without its folders */
    double seconds;
    bool interrupted;
};

/* Print the map of fields whose paths are chosen. */
void wm_tune_print_map(FILE *out, const struct wm_tune_session *session, const struct wm_tune_header *header,
                       const struct wm_tune_field *fields, int count);

/* Write a map of the operation's rules, or of its candidates, where this process can open it. False: no memory. */
bool wm_tune_write_rules(const struct wm_tune_field *field, char file[WM_TUNE_FILE_CHARS]);
bool wm_tune_write_candidates(const struct wm_tune_field *field, char file[WM_TUNE_FILE_CHARS]);

#endif
