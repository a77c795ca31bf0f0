/* The process: ending it with a sentence, the names of its maps, its trace's definitions. */
#include "core/process/process.h"

#include <stdio.h>
#include <stdlib.h>
#include "core/map/explain.h"
#include "core/process/epochs.h"
#include "core/process/utf8.h"

struct wm_process wm_process = {.lock = PTHREAD_MUTEX_INITIALIZER, .comms_lock = PTHREAD_MUTEX_INITIALIZER};

static void print_error(const struct wm_error *error, const char *more)
{
    char text[2048];

    wm_error_format(error, text, sizeof text);
    fprintf(stderr, "waymark: %s%s", text, more);
    fflush(stderr);
}

/* Who knew of another map has quoted it. */
static struct wm_error with_excerpt(const struct wm_error *error)
{
    struct wm_error full = *error;

    wm_map_source_quote(&wm_process.map, &full);
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
    if (speaker && wm_process.settings.on_error == WM_REMEDY_NATIVE) {
        struct wm_error full = with_excerpt(error);

        print_error(&full, "waymark: WAYMARK_ON_ERROR=native: what this concerns runs natively\n");
    }
    if (wm_process.settings.on_error == WM_REMEDY_NATIVE)
        return;
    if (speaker)
        wm_process_abort(error);
    PMPI_Barrier(comm); /* the speaker never comes */
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

bool wm_process_survives(int code)
{
    return code == -WM_ESERVER || code == -WM_ESYSTEM;
}

void wm_process_miss(MPI_Comm comm, const struct wm_error *error, bool speaker)
{
    if (!wm_process_survives(error->code))
        wm_process_fail(comm, error, speaker);
    else if (speaker && error->text[0] != '\0')
        print_error(error, "waymark: what this concerns runs natively\n");
}

void wm_process_unanswered(const struct wm_error *error)
{
    struct wm_error full = with_excerpt(error);
    bool ends = !wm_process_survives(error->code) && wm_process.settings.on_error == WM_REMEDY_ABORT, new;

    if (ends)
        wm_process_abort(error);
    if (error->text[0] == '\0')
        return;
    pthread_mutex_lock(&wm_process.lock);
    new = wm_explain_is_new(error->text);
    pthread_mutex_unlock(&wm_process.lock);
    if (new)
        print_error(&full, "waymark: what this concerns runs natively; WAYMARK_ON_ERROR=abort ends the job instead\n");
}

uint32_t wm_process_planned(void)
{
    uint32_t planned = wm_process.map.planned;

    for (const struct wm_map_source *s = wm_process.maps; s != NULL; s = s->next)
        planned |= s->planned;
    return planned;
}

void wm_process_map_files(const char *between, char *out, size_t out_bytes)
{
    enum { NAMED = 4 };
    int count = wm_process.map.file != NULL;

    snprintf(out, out_bytes, "%s", count > 0 ? wm_process.map.file : "(none)");
    for (const struct wm_map_source *s = wm_process.maps; s != NULL; s = s->next, count++)
        if (count == 0)
            snprintf(out, out_bytes, "%s", s->file);
        else if (count < NAMED)
            wm_text_append(out, out_bytes, "%s%s", between, s->file);
    if (count > NAMED)
        wm_text_append(out, out_bytes, "%s%d more", between, count - NAMED);
}

bool wm_process_watches(void)
{
    return wm_process.recordings != NULL || wm_process.settings.verbose > 0 ||
           wm_process.settings.guard != WM_GUARD_OFF || wm_epochs_on();
}

void wm_process_define(json_t *definition)
{
    wm_recording_define(wm_process_recording(), definition);
}

void wm_recording_define(struct wm_recording *recording, json_t *definition)
{
    struct wm_recorder *recorder = recording != NULL ? recording->recorder : NULL;
    struct wm_error error;

    pthread_mutex_lock(&wm_process.lock);
    if (recorder != NULL && definition != NULL && wm_recorder_define(recorder, definition) < 0 &&
        wm_recorder_check(recorder, &error) == 0) { /* files that are not whole are spoken of at the end */
        wm_error_set(&error, -WM_ETRACE, "a definition could not be written to the trace '%s'; is the disk full?",
                     wm_process.settings.trace);
        print_error(&error, "");
    }
    pthread_mutex_unlock(&wm_process.lock);
    json_decref(definition);
}

void wm_process_define_communicator(struct wm_recording *recording, uint32_t id, const char *name, const int *world,
                                    int ranks)
{
    json_t *list = json_array();
    char text[MPI_MAX_OBJECT_NAME];

    wm_utf8_copy(text, sizeof text, name);
    for (int r = 0; r < ranks; r++)
        json_array_append_new(list, json_integer(world != NULL ? world[r] : r));
    wm_recording_define(recording, json_pack("{ss, sI, ss, so}", "define", "communicator", "id", (json_int_t)id, "name",
                                             text, "ranks", list));
}
