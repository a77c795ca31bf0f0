/* Communicators: records made, found and freed. */
#include "core/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/cache.h"
#include "core/machine.h"
#include "core/process.h"
#include "core/runtime.h"

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
    pthread_mutex_lock(&wm_process.lock);
    for (int op = 0; op < WM_OPERATION_COUNT; op++) {
        wm_process.planned_calls[op] += c->planned_calls[op];
        wm_process.native_calls[op] += c->native_calls[op];
    }
    pthread_mutex_unlock(&wm_process.lock);
    wm_cache_clear(c);
    wm_engine_free(c->engine);
    wm_grid_release(&c->grid);
    if (c->shadow != MPI_COMM_NULL)
        PMPI_Comm_free(&c->shadow);
    free(c);
}

void wm_comm_stop(void)
{
    while (wm_process.comms != NULL) {
        struct wm_comm *c = wm_process.comms, *last = NULL;

        for (; c->next != NULL; c = c->next) /* oldest first: the same order on all ranks */
            last = c;
        if (c->user != MPI_COMM_NULL)
            PMPI_Comm_delete_attr(c->user, keyval);
        if (last != NULL)
            last->next = NULL;
        else
            wm_process.comms = NULL;
        free_record(c);
    }
    PMPI_Comm_free_keyval(&keyval);
}

/* The shadow: a communicator of ours for the same ranks. Not a dup, which would run the user's copy callbacks. */
static int make_shadow(struct wm_comm *c)
{
    MPI_Group group;
    int rc;

    PMPI_Comm_group(c->user, &group);
    rc = PMPI_Comm_create(c->user, group, &c->shadow);
    PMPI_Group_free(&group);
    if (rc != MPI_SUCCESS)
        return -WM_EMPI;
    PMPI_Comm_set_errhandler(c->shadow, MPI_ERRORS_RETURN);
    return 0;
}

/* World ranks of a communicator's ranks; false when some are not of this MPI_COMM_WORLD. */
static bool world_ranks(const struct wm_comm *c, int *world)
{
    MPI_Group group, all;
    int *own = malloc(sizeof *own * (size_t)c->ranks);
    bool found = own != NULL;

    PMPI_Comm_group(c->user, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int r = 0; found && r < c->ranks; r++)
        own[r] = r;
    if (found)
        PMPI_Group_translate_ranks(group, c->ranks, own, all, world);
    for (int r = 0; found && r < c->ranks; r++)
        found = world[r] != MPI_UNDEFINED;
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
    free(own);
    return found;
}

static int count_nodes(const struct wm_place *places, int ranks)
{
    int nodes = 0;

    for (int r = 0; r < ranks; r++) {
        int earlier = 0;

        while (earlier < r && places[earlier].node != places[r].node)
            earlier++;
        nodes += earlier == r;
    }
    return nodes;
}

static int make_grid(struct wm_comm *c, const int *world, struct wm_error *error)
{
    struct wm_place *places = calloc((size_t)c->ranks, sizeof *places);
    int rc = places == NULL ? -WM_ENOMEM : 0;

    for (int r = 0; rc == 0 && world != NULL && r < c->ranks; r++)
        places[r] = wm_process.places[world[r]];
    if (rc == 0 && world == NULL)
        rc = wm_machine_places(c->shadow, false, places);
    if (rc == 0)
        rc = wm_grid_init(&c->grid, wm_process.grid_spec, c->ranks, places, error);
    if (rc == 0) {
        c->nodes = count_nodes(places, c->ranks);
        c->uniform = wm_grid_uniform(&c->grid);
    }
    free(places);
    return rc;
}

static void define_communicator(struct wm_comm *c, const int *world)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    json_t *ranks = json_array();
    int length;

    PMPI_Comm_get_name(c->user, name, &length);
    for (int r = 0; r < c->ranks; r++)
        json_array_append_new(ranks, json_integer(world != NULL ? world[r] : r));
    wm_process_define(
        json_pack("{ss, sI, ss, so}", "define", "communicator", "id", (json_int_t)c->id, "name", name, "ranks", ranks));
}

static int fill_record(struct wm_comm *c, struct wm_error *error)
{
    int *world = malloc(sizeof *world * (size_t)c->ranks), rc = 0;
    bool known = world != NULL && world_ranks(c, world);

    if (world == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for a communicator");
    if (!c->native_only && (rc = make_shadow(c)) == 0 && (rc = make_grid(c, known ? world : NULL, error)) == 0) {
        struct wm_net *net = wm_net_mpi_new(c->shadow);

        c->engine = net != NULL ? wm_engine_new(net, wm_process.ring, c->id) : NULL;
        rc = c->engine == NULL ? wm_error_set(error, -WM_ENOMEM, "no memory for a communicator") : 0;
    }
    if (rc == 0)
        define_communicator(c, known ? world : NULL);
    free(world);
    return rc;
}

void wm_comm_made(MPI_Comm comm)
{
    struct wm_comm *c;
    struct wm_error error = {0};
    int inter = 0, flag;

    if (!atomic_load_explicit(&wm_process.awake, memory_order_acquire) || comm == MPI_COMM_NULL ||
        PMPI_Comm_get_attr(comm, keyval, &c, &flag) != MPI_SUCCESS || flag)
        return;
    PMPI_Comm_test_inter(comm, &inter);
    if ((c = calloc(1, sizeof *c)) == NULL)
        WM_BUG("no memory for a communicator");
    c->user = comm;
    c->shadow = MPI_COMM_NULL;
    c->native_only = inter || wm_process.planned == 0;
    PMPI_Comm_rank(comm, &c->rank);
    PMPI_Comm_size(comm, &c->ranks);
    pthread_mutex_lock(&wm_process.lock);
    c->id = wm_process.next_communicator++;
    c->next = wm_process.comms;
    wm_process.comms = c;
    pthread_mutex_unlock(&wm_process.lock);
    for (int op = 0; op < WM_OPERATION_COUNT; op++)
        c->silent[op] = inter || (!wm_process_watches() && (wm_process.planned & WM_OPERATION_BIT(op)) == 0);
    if (!inter && fill_record(c, &error) < 0) {
        wm_process_fail(comm, &error, c->rank == 0);
        memset(c->silent, true, sizeof c->silent);
        c->native_only = true;
    }
    PMPI_Comm_set_attr(comm, keyval, c);
}

void wm_comm_going(MPI_Comm comm)
{
    struct wm_comm *c, **link;
    int flag;

    if (!atomic_load_explicit(&wm_process.awake, memory_order_acquire) || comm == MPI_COMM_NULL ||
        PMPI_Comm_get_attr(comm, keyval, &c, &flag) != MPI_SUCCESS || !flag)
        return;
    pthread_mutex_lock(&wm_process.lock);
    for (link = &wm_process.comms; *link != c; link = &(*link)->next)
        ;
    *link = c->next;
    pthread_mutex_unlock(&wm_process.lock);
    PMPI_Comm_delete_attr(comm, keyval);
    free_record(c);
}

static struct wm_comm *find_record(MPI_Comm comm)
{
    struct wm_comm *c;
    int flag;

    if (comm == MPI_COMM_NULL || PMPI_Comm_get_attr(comm, keyval, &c, &flag) != MPI_SUCCESS)
        return NULL;
    if (!flag) { /* its making was not seen; this collective call comes on all its ranks */
        wm_comm_made(comm);
        if (PMPI_Comm_get_attr(comm, keyval, &c, &flag) != MPI_SUCCESS || !flag)
            return NULL;
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

struct wm_comm *wm_comm_enter(MPI_Comm comm, enum wm_operation operation)
{
    struct recent *place = &recent[((uintptr_t)comm >> 8) % RECENT];
    unsigned now;

    if (!atomic_load_explicit(&wm_process.awake, memory_order_acquire))
        return NULL;
    now = atomic_load_explicit(&generation, memory_order_acquire);
    if (place->comm != comm || place->generation != now || place->record == NULL)
        *place = (struct recent){comm, find_record(comm), now};
    return place->record == NULL || place->record->silent[operation] ? NULL : place->record;
}

void wm_comm_facts(const struct wm_comm *c, struct wm_facts *facts)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;

    PMPI_Comm_get_name(c->user, name, &length);
    facts->ranks = c->ranks;
    facts->nodes = c->nodes;
    facts->uniform = c->uniform;
    snprintf(facts->communicator, sizeof facts->communicator, "%s", name);
}
