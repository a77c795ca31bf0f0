/* A group of endpoints over a communicator: where its ranks are, and what the map says of their messages. */
#include "core/call/over.h"

#include <stdio.h>
#include <stdlib.h>
#include "core/call/join.h"
#include "core/call/ways.h"
#include "core/data/allocate.h"
#include "core/message/span.h"
#include "core/process/machine.h"
#include "core/process/process.h"
#include "waymark/message_comm.h"
#include "waymark/runtime.h"

/* Where the map may change, ranks may be under different ones now: the first one decides. */
static uint32_t planned(const struct wm_comm *record)
{
    return record->tuning != NULL ? wm_process.map.planned : record->map->planned;
}

struct wm_comm *wm_comm_ruled(MPI_Comm comm, enum wm_operation operation)
{
    struct wm_comm *record = wm_comm_enter(comm, operation);

    if (record == NULL || record->native_only || (planned(record) & WM_OPERATION_BIT(operation)) == 0)
        return NULL;
    wm_comm_lock(record);
    wm_join(record);
    wm_comm_unlock(record);
    return record->native_only ? NULL : record;
}

static void say(const char *sentence)
{
    fprintf(stderr, "waymark: %s\n", sentence);
}

/* What the program leaves open the settings say. */
static void complete_limits(struct wm_message_limits *limits)
{
    const struct wm_settings *s = &wm_process.settings;

    if (limits->tell == NULL)
        limits->tell = say;
    if (limits->tell_keys == NULL && s->verbose > 0)
        limits->tell_keys = say;
    if (limits->unexpected_bytes == 0)
        limits->unexpected_bytes = s->unexpected_bytes;
}

struct wm_endpoints *wm_endpoints_over(MPI_Comm comm, const struct wm_message_limits *given)
{
    struct wm_message_limits limits = given != NULL ? *given : (struct wm_message_limits){0};
    struct wm_comm *record = wm_comm_ruled(comm, WM_MESSAGES);
    struct wm_endpoints *group = NULL;
    struct wm_place *places;
    bool known;
    int ranks;

    if (record != NULL && limits.ways == NULL)
        wm_ways_ask(record, &limits);
    complete_limits(&limits);
    PMPI_Comm_size(comm, &ranks);
    places = wm_allocate_zeroed(sizeof *places * (size_t)ranks, "messages");
    if (wm_machine_places_of(comm, ranks, places, &known) == 0)
        group = wm_endpoints_span(comm, known ? places : NULL, 1, &limits);
    free(places);
    return group;
}
