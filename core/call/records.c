/* Communicators: records made, found and freed. */
#include "core/call/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/call/ask.h"
#include "core/call/cache.h"
#include "core/call/persistent.h"
#include "core/call/progress.h"
#include "core/call/shadow.h"
#include "core/call/wait.h"
#include "core/data/allocate.h"
#include "core/data/neighbours.h"
#include "waymark/runtime.h"

static int keyval = MPI_KEYVAL_INVALID;

/* Goes up when a record goes, so that no thread's cache finds it again. */
static _Atomic unsigned generation;

/* The communicator is gone without wm_comm_going having been told (MPI_Comm_disconnect by a path of its own): nothing
 * collective may happen here, so the shadow stays until the end. */
static int forget(MPI_Comm comm, int key, void *record, void *extra)
{
    struct wm_comm *c = record;

    (void)comm, (void)key, (void)extra;
    atomic_fetch_add(&generation, 1);
    c->user = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int wm_comm_start(void)
{
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL) == MPI_SUCCESS ? 0 : -WM_EMPI;
}

static void free_record(struct wm_comm *c)
{
    wm_persistent_forget(c);
    wm_progress_forget(c);
    pthread_mutex_lock(&wm_process.comms_lock);
    for (int op = 0; op < WM_OPERATION_COUNT; op++) {
        wm_process.planned_calls[op] += c->planned_calls[op];
        wm_process.native_calls[op] += c->native_calls[op];
    }
    pthread_mutex_unlock(&wm_process.comms_lock);
    wm_cache_clear(c);
    wm_plan_free(c->head_plan);
    wm_neighbours_free(c->neighbours);
    wm_shadow_free(c);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* Wait for what is in flight, `all`: also for what is persistent, and for the shadows of duplicates: they stand in the
 * queue. */
static void finish_record(struct wm_comm *c, bool all)
{
    wm_comm_lock(c);
    wm_requests_finish(c, all);
    wm_comm_unlock(c);
}

void wm_comm_stop(void)
{
    while (wm_process.comms != NULL) {
        struct wm_comm *c = wm_process.comms, *last = NULL;

        for (; c->next != NULL; c = c->next) /* oldest first: the same order on all ranks */
            last = c;
        finish_record(c, true);
        if (c->user != MPI_COMM_NULL && !c->unattached)
            PMPI_Comm_delete_attr(c->user, keyval);
        if (last != NULL)
            last->next = NULL;
        else
            wm_process.comms = NULL;
        free_record(c);
    }
    PMPI_Comm_free_keyval(&keyval);
}

static void define_communicator(struct wm_comm *c, const int *world)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    json_t *ranks = json_array();
    int length;

    if (!c->unattached)
        PMPI_Comm_get_name(c->user, name, &length);
    for (int r = 0; r < c->ranks; r++)
        json_array_append_new(ranks, json_integer(world[r]));
    wm_process_define(
        json_pack("{ss, sI, ss, so}", "define", "communicator", "id", (json_int_t)c->id, "name", name, "ranks", ranks));
}

static void stay_native(struct wm_comm *c, enum wm_native_reason reason)
{
    c->native_only = true;
    c->native_reason = reason;
}

static int fill_record(struct wm_comm *c, struct wm_error *error)
{
    int *world = wm_allocate(sizeof *world * (size_t)c->ranks, "a communicator"), rc = 0;

    if (!wm_comm_world_ranks(c->user, c->ranks, world))
        stay_native(c, WM_NATIVE_WORLDS);
    if (!c->native_only)
        rc = wm_shadow_make(c, world, error);
    if (rc == 0 && !wm_comm_is_apart(c))
        define_communicator(c, world);
    free(world);
    return rc;
}

/* A record, among all of the process. Communicators have their ids in the order in which they are made. */
static struct wm_comm *new_record(MPI_Comm user, struct wm_map_source *map)
{
    struct wm_comm *c = wm_allocate_zeroed(sizeof *c, "a communicator");

    c->user = user;
    c->map = map;
    c->shadow = MPI_COMM_NULL;
    c->pending = MPI_REQUEST_NULL;
    c->native_only = map->planned == 0;
    c->native_reason = WM_NATIVE_NO_MAP;
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_lock(&wm_process.comms_lock);
    c->id = wm_process.next_communicator++;
    c->next = wm_process.comms;
    wm_process.comms = c;
    pthread_mutex_unlock(&wm_process.comms_lock);
    for (int op = 0; op < WM_OPERATION_COUNT; op++)
        c->silent[op] = !wm_process_watches() && (map->planned & WM_OPERATION_BIT(op)) == 0;
    return c;
}

/* The record that MPI_Comm_idup left for this handle, or NULL; it belongs to the communicator from now on. */
static struct wm_comm *attach(MPI_Comm comm)
{
    struct wm_comm *c;

    pthread_mutex_lock(&wm_process.comms_lock);
    for (c = wm_process.comms; c != NULL && !(c->unattached && c->user == comm); c = c->next)
        ;
    pthread_mutex_unlock(&wm_process.comms_lock);
    if (c == NULL)
        return NULL;
    c->unattached = false;
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

/* The record of a communicator that has none, under a map. */
static struct wm_comm *make_record(MPI_Comm comm, struct wm_map_source *map)
{
    struct wm_comm *c;
    struct wm_error error = {0};
    int inter = 0;

    PMPI_Comm_test_inter(comm, &inter);
    c = new_record(comm, map);
    PMPI_Comm_rank(comm, &c->rank);
    PMPI_Comm_size(comm, &c->ranks);
    if (inter)
        stay_native(c, WM_NATIVE_INTERCOMM);
    else if (fill_record(c, &error) < 0) {
        wm_process_fail(comm, &error, c->rank == 0);
        stay_native(c, WM_NATIVE_COMM_FAILED);
    }
    PMPI_Comm_set_attr(comm, keyval, c);
    return c;
}

void wm_comm_made(MPI_Comm comm)
{
    if (is_awake() && comm != MPI_COMM_NULL && known_record(comm) == NULL)
        make_record(comm, &wm_process.map);
}

/* A record was there already when the MPI library's own function called another door. */
void wm_comm_duplicated(MPI_Comm parent, MPI_Comm comm, MPI_Info info)
{
    struct wm_comm *p = is_awake() ? known_record(parent) : NULL, *c;
    struct wm_map_source *map;
    struct wm_error error = {0};
    int rc;

    if (p == NULL || wm_comm_is_apart(p) || known_record(comm) != NULL) {
        wm_comm_made(comm);
        return;
    }
    rc = wm_map_source_of_info(&map, comm, info, p->map, &error);
    c = make_record(comm, map);
    if (rc == 0 && map != p->map && !c->native_only)
        rc = wm_ask_check_map(c, &error);
    if (rc < 0) {
        error.code = rc;
        wm_process_miss(comm, &error, c->rank == 0);
        stay_native(c, WM_NATIVE_COMM_FAILED);
    }
}

/* All that the parent knows holds for its duplicate. Ranks whose sockets are not known would have to be asked: then it
 * stays native. */
static void fill_like(struct wm_comm *c, struct wm_comm *parent)
{
    int *world = wm_allocate(sizeof *world * (size_t)c->ranks, "a communicator");
    bool known = wm_process.sockets || !wm_map_source_names_sockets(c->map);
    struct wm_error error = {0};

    wm_comm_world_ranks(parent->user, c->ranks, world);
    if (!c->native_only && (!known || wm_shadow_like(c, parent, world, &error) < 0))
        stay_native(c, WM_NATIVE_COMM_FAILED);
    define_communicator(c, world);
    free(world);
}

void wm_comm_coming(MPI_Comm parent, MPI_Comm made)
{
    struct wm_comm *p = is_awake() ? known_record(parent) : NULL, *c;

    if (p == NULL || made == MPI_COMM_NULL)
        return;
    c = new_record(made, p->map);
    c->unattached = true;
    c->rank = p->rank;
    c->ranks = p->ranks;
    memcpy(c->silent, p->silent, sizeof c->silent);
    c->native_only = p->native_only;
    c->native_reason = p->native_reason;
    if (!wm_comm_is_apart(c))
        fill_like(c, p);
    if (c->native_only)
        return;
    if (!wm_requests_start()) { /* nobody would go on with it; the same on all ranks */
        stay_native(c, WM_NATIVE_COMM_FAILED);
        return;
    }
    atomic_store_explicit(&c->parent, p, memory_order_relaxed);
    wm_comm_lock(p);
    wm_requests_make_shadow(p, c);
    wm_comm_unlock(p);
}

static void unlist(struct wm_comm *c)
{
    struct wm_comm **link;

    pthread_mutex_lock(&wm_process.comms_lock);
    for (link = &wm_process.comms; *link != c; link = &(*link)->next)
        ;
    *link = c->next;
    pthread_mutex_unlock(&wm_process.comms_lock);
}

/* All ranks have made the calls that are in flight, so these end. Persistent requests may be started later still: with
 * them the record stays, and its shadow is freed in the end, where all ranks free it. */
void wm_comm_going(MPI_Comm comm)
{
    struct wm_comm *c = is_awake() && comm != MPI_COMM_NULL ? known_record(comm) : NULL;

    if (c == NULL)
        return;
    finish_record(c, false);
    PMPI_Comm_delete_attr(comm, keyval);
    if (c->persistent > 0)
        return;
    unlist(c);
    free_record(c);
}

static struct wm_comm *find_record(MPI_Comm comm, bool may_block)
{
    struct wm_comm *c = known_record(comm);

    if (c == NULL && comm != MPI_COMM_NULL && may_block) {
        wm_comm_made(comm); /* its making was not seen; this collective call comes on all its ranks */
        c = known_record(comm);
    }
    return c;
}

enum { RECENT = 8 };

struct recent {
    MPI_Comm comm;
    struct wm_comm *record;
    unsigned generation;
};

static _Thread_local struct recent recent[RECENT] __attribute__((tls_model("initial-exec")));

struct wm_comm *wm_comm_enter(MPI_Comm comm, enum wm_operation operation, bool may_block)
{
    struct recent *place = &recent[((uintptr_t)comm >> 8) % RECENT];
    unsigned now;

    if (!is_awake())
        return NULL;
    now = atomic_load_explicit(&generation, memory_order_acquire);
    if (place->comm != comm || place->generation != now || place->record == NULL)
        *place = (struct recent){comm, find_record(comm, may_block), now};
    return place->record == NULL || atomic_load_explicit(&place->record->silent[operation], memory_order_relaxed)
               ? NULL
               : place->record;
}
