/* Writing a first map: clauses of another map, with comments that say what they mean here. */
#ifndef WM_TOOLS_INIT_WRITE_H
#define WM_TOOLS_INIT_WRITE_H

#include <stdio.h>
#include "tools/init/costs.h"
#include "tools/site/site.h"

/* What the map is written from. */
struct wm_init_source {
    const char *name;  /* of the map whose clauses are taken */
    const char *file;  /* where the new one goes; NULL: standard output */
    const char *trace; /* NULL: there is none, nor costs */
    const struct wm_job_costs *costs;
    const struct wm_site_map *map;
    const struct wm_site *site;
};

/* Write it. Returns 0 or -WM_E… with a sentence. */
int wm_init_write(const struct wm_init_source *source, FILE *out, struct wm_error *error);

#endif
