/* The process: ending it with a sentence, its map server, its trace's definitions. */
#include "core/process.h"

#include <stdio.h>
#include <stdlib.h>

struct wm_process wm_process = {.lock = PTHREAD_MUTEX_INITIALIZER, .comms_lock = PTHREAD_MUTEX_INITIALIZER};

static void print_error(const struct wm_error *error, const char *more)
{
    char text[2048];

    wm_error_format(error, text, sizeof text);
    fprintf(stderr, "waymark: %s%s", text, more);
    fflush(stderr);
}

/* All excerpts come from the one map that the process holds. */
static struct wm_error with_excerpt(const struct wm_error *error)
{
    struct wm_error full = *error;

    if (full.line > 0 && full.excerpt[0] == '\0' && wm_process.map_text != NULL) {
        if (full.file[0] == '\0')
            wm_error_place(&full, wm_process.map_file, full.line, full.column);
        wm_error_quote(&full, wm_process.map_text, wm_process.map_bytes);
    }
    return full;
}

void wm_process_abort(const struct wm_error *error)
{
    struct wm_error full = with_excerpt(error);

    print_error(&full, "");
    PMPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void wm_process_fail(MPI_Comm comm, const struct wm_error *error, bool speaker)
{
    if (speaker && wm_process.settings.native_on_error) {
        struct wm_error full = with_excerpt(error);

        print_error(&full, "waymark: WAYMARK_ON_ERROR=native: what this concerns runs natively\n");
    }
    if (wm_process.settings.native_on_error)
        return;
    if (speaker)
        wm_process_abort(error);
    PMPI_Barrier(comm); /* the speaker never comes */
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

struct wm_map *wm_process_map(struct wm_error *error)
{
    if (wm_process.map == NULL)
        wm_map_open(&wm_process.map, wm_process.map_file, wm_process.map_text, wm_process.map_bytes, NULL, error);
    return wm_process.map;
}

bool wm_process_watches(void)
{
    return wm_process.ring != NULL || wm_process.settings.verbose > 0;
}

void wm_process_define(json_t *definition)
{
    struct wm_error error;

    pthread_mutex_lock(&wm_process.lock);
    if (wm_process.recorder != NULL && definition != NULL && wm_recorder_define(wm_process.recorder, definition) < 0) {
        wm_error_set(&error, -WM_ETRACE, "a definition could not be written to the trace '%s'; is the disk full?",
                     wm_process.settings.trace);
        print_error(&error, "");
    }
    pthread_mutex_unlock(&wm_process.lock);
    json_decref(definition);
}
