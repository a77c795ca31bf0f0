/* The world: endpoints, ranks, and the doors between which a rank is inside MPI. */
#include "core/subrank/world.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/data/geometry.h"
#include "core/map/subranks.h"
#include "core/message/far.h"
#include "core/message/span.h"
#include "core/node/node.h"
#include "core/process/machine.h"
#include "core/process/process.h"
#include "core/subrank/collective.h"
#include "core/subrank/fortran.h"
#include "core/subrank/functions.h"
#include "core/subrank/record.h"
#include "core/subrank/refuse.h"
#include "core/subrank/schedule.h"
#include "core/subrank/stuck.h"
#include "core/subrank/superblock.h"
#include "waymark/runtime.h"

struct wm_world wm_world;

/* ---- start and stop ---- */

/* Why a message failed, for who says that the job ends. */
static void keep_told(const char *sentence)
{
    snprintf(wm_world.told, sizeof wm_world.told, "%s", sentence);
}

/* Where ranks are the runtime has found out, unless it is asleep. */
static int find_places(void)
{
    struct wm_world *w = &wm_world;
    struct wm_process *p = &wm_process;

    PMPI_Comm_size(MPI_COMM_WORLD, &w->processes);
    PMPI_Comm_rank(MPI_COMM_WORLD, &w->process);
    if (p->places == NULL) {
        p->places = calloc((size_t)p->world_ranks, sizeof *p->places);
        if (p->places == NULL || wm_machine_places_each(MPI_COMM_WORLD, false, w->each, p->places) < 0)
            return -WM_EMPI;
    }
    if ((w->places = calloc((size_t)w->processes, sizeof *w->places)) == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < w->processes; i++) {
        w->places[i] = p->places[i * w->each];
        w->places[i].world_rank = i;
    }
    return 0;
}

/* The ranks, in the order that the map gives them, else block by block. */
static int number_ranks(const char *program, struct wm_error *error)
{
    struct wm_world *w = &wm_world;
    struct wm_subranks said = wm_subranks_choose(wm_process.map.subranks, program);

    if ((w->all = wm_rank_group_new(w->processes * w->each)) == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for %d subranks", w->each);
    if (wm_subranks_number(&said, w->processes, w->each, w->all->ranks, error) < 0) {
        wm_map_source_quote(&wm_process.map, error);
        wm_process_fail(MPI_COMM_WORLD, error, w->process == 0);
        said = (struct wm_subranks){0};
        wm_subranks_number(&said, w->processes, w->each, w->all->ranks, error);
    }
    for (int rank = 0; rank < w->all->size; rank++)
        wm_process.places[w->all->ranks[rank]].world_rank = rank;
    return 0;
}

static struct wm_rank_group *group_of_one(int number)
{
    struct wm_rank_group *g = wm_rank_group_new(1);

    if (g != NULL)
        g->ranks[0] = number;
    return g;
}

static int start_rank(struct wm_rank *r, int number)
{
    struct wm_rank_group *alone = group_of_one(number);

    r->number = number;
    if (alone == NULL ||
        wm_p2p_process_new(&r->process, wm_world.endpoints, number,
                           &(struct wm_p2p_rest){wm_rank_rest, r, wm_rank_sleep, wm_rank_wake}) != MPI_SUCCESS)
        return -WM_ENOMEM;
    r->world = wm_rank_comm_new(r, wm_world.all, 0);
    r->alone = wm_rank_comm_new(r, alone, WM_RANK_CONTEXTS);
    wm_rank_group_leave(alone);
    if (r->world == NULL || r->alone == NULL)
        return -WM_ENOMEM;
    wm_rank_comm_name(r->world, "MPI_COMM_WORLD");
    wm_rank_comm_name(r->alone, "MPI_COMM_SELF");
    return 0;
}

static int start_ranks(void)
{
    struct wm_world *w = &wm_world;

    w->ranks = calloc((size_t)w->each, sizeof *w->ranks);
    if (w->ranks == NULL || wm_rank_handles_start() < 0)
        return -WM_ENOMEM;
    for (int i = 0; i < w->each; i++)
        if (start_rank(&w->ranks[i], w->process * w->each + i) < 0)
            return -WM_ENOMEM;
    return 0;
}

/* A door that a program does not find would give it the library's function, with handles that this does not know. */
static int check_doors(const struct wm_rank_function *doors, struct wm_error *error)
{
    for (const struct wm_rank_function *f = doors; f->name != NULL; f++)
        if (dlsym(RTLD_DEFAULT, f->name) != (void *)f->door)
            return wm_error_set(
                error, -WM_ESYSTEM,
                "the program's subranks would call %s of another library than Waymark's; is one preloaded?", f->name);
    return 0;
}

/* Data that waits for its receive is read from the sender's memory, however little it is: the sender may compute, and
 * would be late to hand it on. */
static size_t least_to_read(void)
{
    const char *why;

    return wm_node_single_copy_allowed(&why) ? 1 : 0;
}

/* Of 56 KiB, of which large data to one rank takes up to 45; they are free again when their acknowledgement is back: a
 * line of 1000 Mbit/s is full as long as that takes no more than 20 ms. */
enum { PARCELS = 64 };

int wm_world_start(int each, const char *program, struct wm_error *error)
{
    struct wm_message_limits limits = {.tell = keep_told, .parcels = PARCELS};
    struct wm_world *w = &wm_world;
    int rc;

    wm_process.each = each;
    wm_runtime_start(); /* where it fails and comes back, there shall be no map */
    if ((rc = check_doors(wm_rank_doors, error)) < 0 || (rc = check_doors(wm_rank_refused, error)) < 0 ||
        (rc = check_doors(wm_rank_fortran_doors, error)) < 0)
        return rc;
    *w = (struct wm_world){.each = each, .defers_sends = wm_process.settings.defers_sends};
    if (find_places() < 0)
        return wm_error_set(error, -WM_EMPI, "the MPI library does not tell where its ranks are");
    if ((rc = number_ranks(program, error)) < 0)
        return rc;
    wm_rank_record_start(program);
    wm_node_start(w->places, each);
    limits.single_copy_bytes = least_to_read();
    wm_geometry_start();
    wm_rank_map_check(&limits);
    if ((w->endpoints = wm_endpoints_span(MPI_COMM_WORLD, w->places, each, &limits)) == NULL)
        return wm_error_set(error, -WM_EMPI, "the MPI library gives no communicator for messages");
    if (start_ranks() < 0)
        return wm_error_set(error, -WM_ENOMEM, "no memory for %d subranks", each);
    wm_stuck_start();
    PMPI_Barrier(MPI_COMM_WORLD); /* nobody sends to an endpoint that is not open */
    return 0;
}

static void stop_rank(struct wm_rank *r)
{
    while (r->comms != NULL)
        wm_rank_comm_free(r->comms);
    wm_p2p_process_free(r->process, true); /* MPI_Finalize has waited for all ranks */
    wm_superblocks_free(r);
    free(r->numbered);
}

void wm_world_stop(void)
{
    struct wm_world *w = &wm_world;

    wm_superblocks_report();
    wm_stuck_stop();
    for (int i = 0; i < w->each; i++)
        stop_rank(&w->ranks[i]);
    wm_rank_group_leave(w->all);
    wm_endpoints_free(w->endpoints);
    wm_rank_handles_stop();
    wm_runtime_stop();
    wm_geometry_stop();
    wm_node_stop();
    free(w->ranks);
    free(w->places);
}

_Noreturn void wm_world_abort(int status)
{
    wm_subrank_hold(); /* for ever: no other worker goes on in MPI, or ends */
    wm_world.ending = true;
    fflush(NULL);
    PMPI_Abort(MPI_COMM_WORLD, status);
    abort();
}

bool wm_world_is_ending(void)
{
    bool ending;

    wm_subrank_hold();
    ending = wm_world.ending;
    wm_subrank_let_go();
    return ending;
}

void wm_world_find_neighbours(int *place, int *count)
{
    const struct wm_world *w = &wm_world;

    *place = *count = 0;
    for (int i = 0; i < w->processes; i++) {
        bool here = w->places[i].node == w->places[w->process].node;

        *place += here && i < w->process;
        *count += here;
    }
}

int wm_world_rank(int number)
{
    return wm_rank_of_world(&wm_world.ranks[number]);
}

bool wm_world_is_inside(int number)
{
    return wm_world.ranks[number].state == WM_RANK_INSIDE;
}

int wm_world_rank_of(int number)
{
    return wm_process.places[number].world_rank;
}

/* ---- who runs, and who waits ---- */

struct wm_rank *wm_rank_running(const char *function)
{
    int self = wm_subrank_self();

    if (__builtin_expect(self < 0 || wm_world.ranks == NULL, 0))
        wm_rank_end(NULL, function, "it is called by none of the subranks; call MPI in what their main() calls");
    return &wm_world.ranks[self];
}

_Noreturn void wm_rank_misplaced(const char *function)
{
    const struct wm_rank *rank = wm_rank_running(function);

    wm_rank_end(rank, function,
                rank->state == WM_RANK_BEFORE ? "it is called before MPI_Init" : "it is called after MPI_Finalize");
}

/* Inlined, since each message between siblings comes here. */
static inline __attribute__((always_inline)) void give_up(struct wm_rank *rank, void (*turn)(void))
{
    bool computes = rank->superblock != NULL && wm_superblock_stop_clock(rank);
    bool calls = rank->calls != NULL || rank->crossings != NULL;

    if (calls)
        wm_rank_calls_advance(rank);
    if (__builtin_expect(wm_worker == NULL, 0))
        wm_world_rest(NULL);
    else if (calls && turn == wm_subrank_sleep && !wm_rank_calls_wake(rank))
        wm_subrank_rest();
    else
        turn();
    if (computes)
        wm_superblock_start_clock(rank);
}

void wm_rank_rest(void *with)
{
    give_up(with, wm_subrank_rest);
}

void wm_rank_yield(struct wm_rank *rank)
{
    bool computes = rank->superblock != NULL && wm_superblock_stop_clock(rank);

    wm_worker_yield(wm_worker);
    if (computes)
        wm_superblock_start_clock(rank);
}

void wm_rank_sleep(void *with)
{
    give_up(with, wm_subrank_sleep);
}

void wm_rank_wake(void *with)
{
    struct wm_rank *rank = with;

    wm_superblocks_go_on(rank);
    if (wm_worker != NULL)
        wm_worker_wake(rank->subrank);
}

/* Who has gone on has made a call since. */
static bool has_gone_on(struct wm_worker *w)
{
    bool called = w != NULL && w->calls != w->calls_at_rest;

    if (called)
        w->calls_at_rest = w->calls;
    return called;
}

/* A process that is alone is moved by nobody else. */
bool wm_world_rest(void *with)
{
    struct wm_world *w = &wm_world;
    bool called = has_gone_on(wm_worker);

    (void)with;
    if (!wm_subrank_is_ready())
        wm_superblocks_idle();
    if (called)
        w->turn = 0;
    if (wm_worker != NULL && wm_worker->is_one_of_several)
        wm_subrank_give_way(!wm_endpoints_look(w->endpoints, &w->turn) && !called);
    else if (called)
        wm_endpoints_drain(w->endpoints);
    else
        wm_endpoints_rest(w->endpoints, &w->turn);
    if (!called && wm_schedule_is_at_rest())
        wm_stuck_look();
    return w->processes > 1;
}

_Noreturn void wm_rank_refuse(const char *function)
{
    wm_rank_end(wm_rank_running(function), function, "subranks do not have it; run the program with --subranks 1");
}

/* ---- doors ---- */

WM_RANK_DOOR int MPI_Init(int *argc, char ***argv)
{
    struct wm_rank *rank = wm_rank_running(__func__);

    (void)argc, (void)argv;
    if (rank->state != WM_RANK_BEFORE)
        wm_rank_end(rank, __func__, "MPI_Init has been called before");
    rank->state = WM_RANK_INSIDE;
    rank->subrank = wm_worker->running;
    rank->subrank->rank = rank;
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    *provided = required < MPI_THREAD_FUNNELED ? required : MPI_THREAD_FUNNELED;
    return MPI_Init(argc, argv);
}

WM_RANK_DOOR int MPI_Initialized(int *flag)
{
    *flag = wm_rank_running(__func__)->state != WM_RANK_BEFORE;
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Finalized(int *flag)
{
    *flag = wm_rank_running(__func__)->state == WM_RANK_OVER;
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Finalize(void)
{
    WM_RANK_ENTER(__func__);
    int error;

    wm_superblocks_check_ended(rank, __func__);
    error = wm_rank_attributes_delete(rank->alone);
    if (error == MPI_SUCCESS)
        error = wm_rank_attributes_delete(rank->world);
    if (error == MPI_SUCCESS)
        error = wm_rank_barrier(rank->world);
    if (error == MPI_SUCCESS) {
        rank->state = WM_RANK_OVER;
        wm_worker->running->rank = NULL;
    }
    return wm_rank_return(rank, NULL, __func__, error);
}

WM_RANK_DOOR int MPI_Query_thread(int *provided)
{
    WM_RANK_ENTER(__func__);

    *provided = MPI_THREAD_FUNNELED;
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Is_thread_main(int *flag)
{
    WM_RANK_ENTER(__func__);

    *flag = 1;
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Abort(MPI_Comm comm, int errorcode)
{
    const struct wm_rank *rank = wm_rank_running(__func__);

    (void)comm;
    fprintf(stderr, "waymark: subrank %d calls MPI_Abort with %d\n", wm_rank_of_world(rank), errorcode);
    wm_world_abort(errorcode);
}
