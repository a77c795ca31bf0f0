/* Communicators: records made, found and freed. */
#include "core/call/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/call/ask.h"
#include "core/call/answers.h"
#include "core/call/buffers.h"
#include "core/call/cache.h"
#include "core/call/endpoint.h"
#include "core/call/join.h"
#include "core/call/kin.h"
#include "core/call/meeting.h"
#include "core/call/persistent.h"
#include "core/call/pool.h"
#include "core/call/progress.h"
#include "core/call/publish.h"
#include "core/call/trial.h"
#include "core/call/wait.h"
#include "core/data/allocate.h"
#include "core/data/neighbours.h"
#include "core/process/machine.h"
#include "core/process/utf8.h"
#include "waymark/runtime.h"

static int keyval = MPI_KEYVAL_INVALID;

_Atomic unsigned wm_records_generation;

static _Atomic int unattached_count;

/* The communicator is gone without wm_comm_going having been told (MPI_Comm_disconnect by a path of its own), perhaps
 * with calls in flight: the record stays until the end. */
static int forget(MPI_Comm comm, int key, void *record, void *extra)
{
    struct wm_comm *c = record;

    (void)comm, (void)key, (void)extra;
    atomic_fetch_add(&wm_records_generation, 1);
    c->user = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int wm_comm_start(void)
{
    PMPI_Comm_group(MPI_COMM_WORLD, &wm_process.world_group);
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL) == MPI_SUCCESS ? 0 : -WM_EMPI;
}

static void free_record(struct wm_comm *c)
{
    wm_publish_gone(c);
    wm_buffers_forget(c);
    wm_persistent_forget(c);
    wm_progress_forget(c);
    wm_process_lock(&wm_process.comms_lock);
    for (int op = 0; op < WM_OPERATION_COUNT; op++) {
        wm_process.planned_calls[op] += c->planned_calls[op];
        wm_process.native_calls[op] += c->native_calls[op];
    }
    wm_process_unlock(&wm_process.comms_lock);
    if (c->trial != NULL)
        wm_trial_end(c, false);
    wm_cache_clear(c);
    if (c->neighbours != NULL && c->kin != NULL)
        wm_plans_forget(&c->kin->plans, c->neighbours);
    wm_neighbours_free(c->neighbours);
    wm_endpoint_free(c->end);
    wm_kin_give(c->kin);
    wm_comm_free(c);
}

/* Wait for what is in flight, `all`: also for what is persistent. */
static void finish_record(struct wm_comm *c, bool all)
{
    wm_comm_lock(c);
    wm_requests_finish(c, all);
    wm_comm_unlock(c);
}

void wm_comm_stop(void)
{
    struct wm_comm *c;

    while ((c = wm_process.comms) != NULL) {
        finish_record(c, true);
        if (c->user != MPI_COMM_NULL && !c->unattached)
            PMPI_Comm_delete_attr(c->user, keyval);
        wm_process.comms = c->next;
        free_record(c);
    }
    wm_pool_empty();
    wm_answers_clear();
    PMPI_Group_free(&wm_process.world_group);
    PMPI_Comm_free_keyval(&keyval);
}

/* The trace or the guard is to know all communicators, from when they are made. */
static bool is_told(void)
{
    return wm_process.recordings != NULL || wm_published != NULL;
}

static void define_communicator(struct wm_comm *c)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;

    if (!is_told())
        return;
    if (!c->unattached)
        PMPI_Comm_get_name(c->user, name, &length);
    wm_publish_comm(c, name);
    if (wm_process.recordings != NULL)
        wm_process_define_communicator(wm_process_recording(), c->id, name, c->world, c->ranks);
}

static void stay_native(struct wm_comm *c, enum wm_native_reason reason)
{
    c->native_only = true;
    c->native_reason = reason;
}

/* Calls of these operations are the library's, and nobody wants to hear of them. */
static uint32_t silent_operations(const struct wm_map_source *map)
{
    return wm_process_watches() ? 0 : ~(map->planned & ~map->native);
}

static void be_silent(struct wm_comm *c)
{
    uint32_t silent = silent_operations(c->map);

    for (int op = 0; op < WM_OPERATION_COUNT; op++)
        atomic_store_explicit(&c->silent[op], silent & WM_OPERATION_BIT(op), memory_order_relaxed);
}

/* A record, among all of the process. Communicators have their ids in the order in which they are made. */
static struct wm_comm *new_record(MPI_Comm user, struct wm_map_source *map)
{
    struct wm_comm *c = wm_allocate_zeroed(sizeof *c, "a communicator");

    c->user = user;
    c->map = map;
    wm_meeting_prepare(c);
    c->native_only = map->planned == 0 && c->tuning == NULL;
    c->native_reason = WM_NATIVE_NO_MAP;
    pthread_mutex_init(&c->lock, NULL);
    wm_process_lock(&wm_process.comms_lock);
    c->id = wm_process.next_communicator++;
    c->next = wm_process.comms;
    wm_process.comms = c;
    wm_process_unlock(&wm_process.comms_lock);
    be_silent(c);
    atomic_fetch_add(&wm_records_generation, 1);
    return c;
}

/* The record that MPI_Comm_idup left for this handle, or NULL; it belongs to the communicator from now on. */
static struct wm_comm *attach(MPI_Comm comm)
{
    struct wm_comm *c;

    if (atomic_load(&unattached_count) == 0)
        return NULL;
    wm_process_lock(&wm_process.comms_lock);
    for (c = wm_process.comms; c != NULL && !(c->unattached && c->user == comm); c = c->next)
        ;
    wm_process_unlock(&wm_process.comms_lock);
    if (c == NULL)
        return NULL;
    c->unattached = false;
    atomic_fetch_sub(&unattached_count, 1);
    PMPI_Comm_set_attr(comm, keyval, c);
    return c;
}

/* The record that hangs on it already, or NULL. */
static struct wm_comm *known_record(MPI_Comm comm)
{
    struct wm_comm *c;
    int flag;

    if (comm == MPI_COMM_NULL || PMPI_Comm_get_attr(comm, keyval, &c, &flag) != MPI_SUCCESS)
        return NULL;
    return flag ? c : attach(comm);
}

static bool is_awake(void)
{
    return atomic_load_explicit(&wm_process.awake, memory_order_acquire);
}

/* The record of a communicator that has none, under a map. Local. */
static struct wm_comm *make_record(MPI_Comm comm, struct wm_map_source *map)
{
    struct wm_comm *c = new_record(comm, map);
    int inter = 0;

    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_rank(comm, &c->rank);
    PMPI_Comm_size(comm, &c->ranks);
    if (inter)
        stay_native(c, WM_NATIVE_INTERCOMM);
    else if ((c->world = wm_machine_world_ranks(comm, c->ranks)) == NULL)
        stay_native(c, WM_NATIVE_WORLDS);
    else
        define_communicator(c);
    PMPI_Comm_set_attr(comm, keyval, c);
    return c;
}

struct wm_comm *wm_comm_record(MPI_Comm comm)
{
    struct wm_comm *c = known_record(comm);

    return c != NULL || comm == MPI_COMM_NULL ? c : make_record(comm, &wm_process.map);
}

/* The map that a duplicate begins with. */
static struct wm_map_source *first_map(const struct wm_comm *c)
{
    return c->tuning != NULL ? &wm_process.map : c->map;
}

void wm_comm_kept(MPI_Comm comm, const void *site)
{
    if (comm != MPI_COMM_NULL)
        wm_leak_add(WM_LEAK_COMMUNICATOR, comm, site);
}

/* Two ranks' communicators are told to be one by the order in which they are made, not by that of first calls. */
void wm_comm_made(MPI_Comm comm)
{
    if (is_awake() && is_told())
        wm_comm_record(comm);
}

/* The map asks for more than the process's places tell. Collective, but where the parent knows them. */
static int find_places(struct wm_comm *c, const struct wm_comm *parent)
{
    size_t bytes = sizeof *c->places * (size_t)c->ranks;
    int rc = 0;

    if (wm_process.sockets || c->places != NULL || !wm_map_source_names_sockets(c->map))
        return 0;
    c->places = wm_allocate_zeroed(bytes, "a communicator");
    if (parent != NULL && parent->places != NULL)
        memcpy(c->places, parent->places, bytes);
    else if ((rc = wm_machine_places(c->user, true, c->places)) < 0)
        return rc;
    for (int r = 0; r < c->ranks; r++)
        c->places[r].world_rank = c->world[r];
    return 0;
}

/* Give a duplicate the map that its info names. Collective. Returns 0, or -WM_E… at all ranks, with the sentence at
 * rank 0. */
static int change_map(struct wm_comm *c, MPI_Info info, struct wm_error *error)
{
    struct wm_map_source *map;
    int rc = wm_map_source_of_info(&map, c->user, info, c->map, error);

    if (rc < 0 || map == c->map)
        return rc;
    c->map = map;
    wm_meeting_forget(c);
    c->native_only = map->planned == 0;
    be_silent(c);
    if (c->native_only || (rc = find_places(c, NULL)) < 0)
        return rc;
    wm_comm_lock(c);
    wm_join(c);
    wm_comm_unlock(c);
    return c->native_only ? 0 : wm_ask_check_map(c, error);
}

void wm_comm_duplicated(MPI_Comm parent, MPI_Comm comm, const MPI_Info *info)
{
    struct wm_comm *p = is_awake() ? known_record(parent) : NULL, *c;
    struct wm_map_source *map = p != NULL ? first_map(p) : &wm_process.map;
    struct wm_error error = {0};
    int rc;

    if (!is_awake() || comm == MPI_COMM_NULL || (info == NULL && map == &wm_process.map && !is_told()) ||
        known_record(comm) != NULL)
        return;
    c = make_record(comm, map);
    if (wm_comm_is_apart(c))
        return;
    rc = c->native_only ? 0 : find_places(c, p);
    if (rc == 0 && info != NULL)
        rc = change_map(c, *info, &error);
    if (rc < 0) {
        error.code = rc;
        wm_process_miss(comm, &error, c->rank == 0);
        stay_native(c, WM_NATIVE_COMM_FAILED);
    }
}

void wm_comm_named(MPI_Comm comm)
{
    struct wm_comm *c = is_awake() && is_told() ? known_record(comm) : NULL;
    char name[MPI_MAX_OBJECT_NAME] = "", text[MPI_MAX_OBJECT_NAME];
    int length;

    if (c == NULL || wm_comm_is_apart(c))
        return;
    PMPI_Comm_get_name(comm, name, &length);
    wm_publish_name(c, name);
    wm_utf8_copy(text, sizeof text, name);
    wm_process_define(json_pack("{ss, sI, ss}", "define", "name", "communicator", (json_int_t)c->id, "name", text));
}

static void *copy(const void *from, size_t bytes)
{
    return from != NULL ? memcpy(wm_allocate(bytes, "a communicator"), from, bytes) : NULL;
}

/* Who it is made of is known, but it may not be asked. */
void wm_comm_coming(MPI_Comm parent, MPI_Comm made)
{
    struct wm_comm *p = is_awake() ? known_record(parent) : NULL, *c;

    if (p == NULL || made == MPI_COMM_NULL || (first_map(p) == &wm_process.map && !is_told()))
        return;
    c = new_record(made, first_map(p));
    c->unattached = true;
    atomic_fetch_add(&unattached_count, 1);
    c->rank = p->rank;
    c->ranks = p->ranks;
    c->native_only = p->native_only;
    c->native_reason = p->native_reason;
    c->world = copy(p->world, sizeof *c->world * (size_t)c->ranks);
    c->places = copy(p->places, sizeof *c->places * (size_t)c->ranks);
    if (c->world != NULL)
        define_communicator(c);
}

static void unlist(struct wm_comm *c)
{
    struct wm_comm **link;

    wm_process_lock(&wm_process.comms_lock);
    for (link = &wm_process.comms; *link != c; link = &(*link)->next)
        ;
    *link = c->next;
    wm_process_unlock(&wm_process.comms_lock);
}

/* All ranks have made the calls that are in flight, so these end. Persistent requests may be started later still: with
 * them the record stays until the end. */
void wm_comm_going(MPI_Comm comm)
{
    struct wm_comm *c = is_awake() && comm != MPI_COMM_NULL ? known_record(comm) : NULL;

    wm_leak_remove(WM_LEAK_COMMUNICATOR, comm);
    if (c == NULL)
        return;
    finish_record(c, false);
    PMPI_Comm_delete_attr(comm, keyval);
    if (c->persistent > 0)
        return;
    unlist(c);
    if (c->end != NULL)
        wm_pool_keep(c->end);
    c->end = NULL;
    free_record(c);
}

enum { RECENT = 8 };

static _Thread_local struct wm_record_found recent[RECENT] __attribute__((tls_model("initial-exec")));

/* A communicator without a record is under the process's map. */
static __attribute__((noinline)) struct wm_comm *enter_slowly(MPI_Comm comm, enum wm_operation operation,
                                                              struct wm_record_found *place)
{
    unsigned now = atomic_load_explicit(&wm_records_generation, memory_order_acquire);

    if (place->comm != comm || place->generation != now)
        *place = (struct wm_record_found){comm, known_record(comm), now};
    if (place->record == NULL && comm != MPI_COMM_NULL &&
        !(silent_operations(&wm_process.map) & WM_OPERATION_BIT(operation)))
        place->record = make_record(comm, &wm_process.map);
    return place->record;
}

struct wm_comm *wm_record_enter(MPI_Comm comm, enum wm_operation operation)
{
    struct wm_record_found *place = &recent[((uintptr_t)comm >> 8) % RECENT];
    struct wm_comm *c = place->record;

    if (!is_awake())
        return NULL;
    if (!wm_record_holds(place, comm))
        c = enter_slowly(comm, operation, place);
    return c == NULL || atomic_load_explicit(&c->silent[operation], memory_order_relaxed) ? NULL : c;
}

struct wm_comm *wm_comm_enter(MPI_Comm comm, enum wm_operation operation)
{
    return wm_record_enter(comm, operation);
}
