/* A subrank as MPI sees it: a rank of a world of P processes of the operating system with V subranks each. Rank
 * `number` is the endpoint of that number, subrank number % V of process number / V. Its rank in MPI_COMM_WORLD is the
 * same, unless the map deals ranks out otherwise.
 *
 * States of a rank: before MPI_Init; inside; over, after MPI_Finalize. Its communicators, groups, requests and handlers
 * are its own: another subrank's are refused as any wrong handle is. Data types, operators, infos and statuses are the
 * MPI library's. All that is not a rank's own is touched by the worker alone that holds it (schedule.h): doors begin by
 * WM_RANK_ENTER, and what they call need not care. */
#ifndef WM_SUBRANK_RANK_H
#define WM_SUBRANK_RANK_H

#include <mpi.h>
#include <stdbool.h>
#include "core/call/comm.h"
#include "core/call/kin.h"
#include "core/p2p/p2p.h"
#include "core/subrank/handle.h"
#include "core/subrank/schedule_state.h"

/* A door: the project is compiled with hidden visibility. */
#define WM_RANK_DOOR __attribute__((visibility("default")))
/* … behind which a rank may wait. */
#define WM_RANK_WAITING_DOOR WM_COROUTINE_RETURNS_BY_JUMP WM_RANK_DOOR

enum wm_rank_state { WM_RANK_BEFORE, WM_RANK_INSIDE, WM_RANK_OVER };

/* Members, by the numbers of ranks; never changed. */
struct wm_rank_group {
    struct wm_rank_object object; /* a handle of its user's, or none */
    int users, size;
    int ranks[];
};

/* Of functions and values that a program gives. FORTRAN_1: of MPI 1, where values are INTEGERs. */
enum wm_rank_language { WM_RANK_C, WM_RANK_FORTRAN, WM_RANK_FORTRAN_1 };

/* An error handler of the user's. The library's predefined ones are themselves. */
struct wm_rank_handler {
    struct wm_rank_object object;
    int users;
    enum wm_rank_language language;
    MPI_Comm_errhandler_function *call;
};

/* An attribute that is set on a communicator. */
struct wm_rank_attribute {
    struct wm_rank_attribute *next; /* those set before */
    int key;
    enum wm_rank_language language;
    void *value;
};

struct wm_rank_topology {
    int kind; /* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH */
    /* Of a cartesian one; coordinates: of this rank. */
    int dimensions, *sizes, *rings, *coordinates;
    /* Of a graph, as MPI_Graph_create has them. */
    int nodes, *index, *edges;
    /* Of a distributed graph. */
    bool weighted;
    int *source_weights, *destination_weights;
    struct wm_neighbours neighbours; /* of all of them; its lists are this one's */
};

/* A communicator of one rank. Each has three contexts: `context` for the user's messages, the next for collectives, and
 * one in which MPI_Comm_create_group agrees. */
struct wm_rank_comm {
    struct wm_rank_object object;
    struct wm_rank *rank;
    struct wm_rank_comm *next; /* of the rank's */
    struct wm_rank_group *group;
    int self, size;
    int32_t context;
    struct wm_p2p_comm *messages;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Errhandler handler; /* the library's, or ours */
    struct wm_rank_attribute *attributes;
    struct wm_rank_topology *topology;
    struct wm_rank_plans *plans; /* made by the first collective (collective.h) */
    uint32_t id, sequence;       /* in the trace; its user's collectives so far */
    struct wm_rank_inter *inter; /* of an intercommunicator (inter.h), else NULL */
};

enum { WM_RANK_CONTEXTS = 3 };

/* From here on, contexts that one rank gives out, each another one: those that ranks agree on, by what all have seen,
 * are below. A communicator that is made while its ranks do something else (MPI_Comm_idup) gets one of them: what they
 * see meanwhile may not count. */
enum { WM_RANK_GIVEN_CONTEXTS = WM_RANK_CONTEXTS << 28 };

struct wm_rank_call;
struct wm_rank_crossing;
struct wm_superblock;
struct wm_superblock_record;

struct wm_rank {
    int number;
    enum wm_rank_state state;
    const char *function; /* of MPI, that it called last */
    struct wm_p2p_process *process;
    struct wm_subrank *subrank;         /* that runs it, since MPI_Init */
    struct wm_rank_comm *world, *alone; /* MPI_COMM_WORLD, MPI_COMM_SELF */
    struct wm_rank_comm *comms;         /* all */
    int32_t next_context;
    int given_count;                    /* contexts that it has given (MPI_Comm_idup) */
    struct wm_rank_call *calls;         /* nonblocking collectives under way (collective.h) */
    struct wm_rank_crossing *crossings; /* and what goes on in steps (crossing.h) */
    struct wm_superblock *superblock;   /* the top one of its stack (superblock.h); NULL: it is empty */
    struct wm_superblock *over;         /* those that have ended */
    struct wm_superblock_record *records;
    struct wm_p2p_request **numbered; /* [numbered_count] requests that have numbers in Fortran */
    int numbered_count;
    uint64_t idle_ns; /* since it waits for a region: nobody ran, until this rank could go on */
};

/* Its rank in MPI_COMM_WORLD. */
static inline int wm_rank_of_world(const struct wm_rank *rank)
{
    return rank->world != NULL ? rank->world->self : rank->number;
}

/* That of the rank with this number, in MPI_COMM_WORLD. */
int wm_world_rank_of(int number);

/* ---- who calls ---- */

/* The rank that runs, wherever it stands in its life. Ends the job where no subrank does. */
struct wm_rank *wm_rank_running(const char *function);
/* The same for functions that may be called between MPI_Init and MPI_Finalize alone: ends the job elsewhere. */
static inline struct wm_rank *wm_rank_enter_door(const char *function);
/* What a door begins with: `rank` is the one that calls, and holds what workers share (schedule.h) until the door
 * returns. */
#define WM_RANK_ENTER(function)                                                                                        \
    struct wm_rank *rank __attribute__((cleanup(wm_rank_leave_door), unused)) = wm_rank_enter_door(function)
/* The end of a job in which wm_rank_enter_door found something else. */
_Noreturn void wm_rank_misplaced(const char *function);
/* A rank tests: nonblocking collectives go on, its siblings run. `with`: the rank. */
void wm_rank_rest(void *with);
/* A rank that runs waits: its siblings that are ready run once; nonblocking collectives of its own do not go on. */
void wm_rank_yield(struct wm_rank *rank);
/* A rank waits until it is woken, perhaps not so long: nonblocking collectives go on, its siblings run. */
void wm_rank_sleep(void *with);
void wm_rank_wake(void *with);

/* ---- errors ---- */

/* End the job, with a sentence that says which subrank calls which function, and why that ends it. */
_Noreturn void wm_rank_end(const struct wm_rank *rank, const char *function, const char *why);
/* Give an error to the communicator's handler (NULL: MPI_COMM_WORLD's). Returns it, if that comes back. */
int wm_rank_fail(struct wm_rank *rank, struct wm_rank_comm *comm, const char *function, int error);
/* What a function returns. */
static inline int wm_rank_return(struct wm_rank *rank, struct wm_rank_comm *comm, const char *function, int error)
{
    return __builtin_expect(error == MPI_SUCCESS, 1) ? MPI_SUCCESS : wm_rank_fail(rank, comm, function, error);
}
/* Forget a use of a handler. */
void wm_rank_handler_leave(MPI_Errhandler handler);
/* Use a handler once more; false: it is none. */
bool wm_rank_handler_use(MPI_Errhandler handler);

/* ---- the world ---- */

struct wm_world {
    int processes, process, each; /* ranks of one process follow each other */
    struct wm_place *places;      /* of processes */
    struct wm_endpoints *endpoints;
    struct wm_rank_group *all;
    struct wm_rank *ranks;  /* [each] those of this process; NULL: there is no world */
    unsigned long calls;    /* of MPI, and steps of collectives, by all of them */
    bool ending;            /* somebody has ended the job */
    unsigned turn;          /* of waiting (wm_endpoints_rest) */
    int waiting_count;      /* of its ranks, for a region of a superblock */
    uint64_t idle_since_ns; /* while some do: when nobody ran any more; 0: somebody does */
    bool defers_sends;      /* compute regions do not wait for sends; the next send region does */
    char told[600];         /* of the last message that failed; "": none did */
};
extern struct wm_world wm_world;

/* The rank that runs, inside; or NULL. */
static inline struct wm_rank *wm_rank_inside(const struct wm_worker *w)
{
    return __builtin_expect(w != NULL, 1) ? (struct wm_rank *)w->running->rank : NULL;
}

static inline void wm_rank_count_call(struct wm_worker *w, struct wm_rank *rank, const char *function)
{
    w->calls++;
    wm_world.calls++;
    rank->function = function;
}

static inline struct wm_rank *wm_rank_enter_door(const char *function)
{
    struct wm_worker *w = wm_worker;
    struct wm_rank *rank = wm_rank_inside(w);

    if (__builtin_expect(rank == NULL, 0))
        wm_rank_misplaced(function);
    if (__builtin_expect(w->is_one_of_several, 0))
        wm_subrank_hold();
    wm_rank_count_call(w, rank, function);
    return rank;
}

static inline void wm_rank_leave_door(struct wm_rank *const *rank)
{
    (void)rank;
    if (__builtin_expect(wm_worker->is_one_of_several, 0))
        wm_subrank_let_go();
}

/* ---- handles ---- */

static inline struct wm_rank_comm *wm_rank_comm_of(const struct wm_rank *rank, MPI_Comm comm)
{
    struct wm_rank_comm *c;

    if (comm == MPI_COMM_WORLD)
        return rank->world;
    if (comm == MPI_COMM_SELF)
        return rank->alone;
    c = wm_rank_object_of(comm, WM_RANK_COMM);
    return c != NULL && c->rank == rank ? c : NULL;
}

static inline struct wm_p2p_comm *wm_rank_messages_of(const struct wm_rank_comm *comm)
{
    return comm != NULL ? comm->messages : NULL;
}

/* ---- groups ---- */

/* A group of so many members, to be filled; one user. NULL: no memory. */
struct wm_rank_group *wm_rank_group_new(int size);
void wm_rank_group_leave(struct wm_rank_group *group);
/* The group behind a handle; NULL: it is none. */
struct wm_rank_group *wm_rank_group_of(MPI_Group handle);
/* The place of a world rank in it, or MPI_UNDEFINED. */
int wm_rank_group_find(const struct wm_rank_group *group, int number);
/* MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL. */
int wm_rank_group_compare(const struct wm_rank_group *a, const struct wm_rank_group *b);
/* Give a group, one use of it, to its user. Returns MPI_SUCCESS or MPI_ERR_NO_MEM. */
int wm_rank_group_give(struct wm_rank_group *group, MPI_Group *handle);

/* ---- communicators ---- */

/* Make a communicator of a group, which it uses once more, in these contexts. Local. NULL: no memory. */
struct wm_rank_comm *wm_rank_comm_new(struct wm_rank *rank, struct wm_rank_group *group, int32_t context);
/* Local. */
void wm_rank_comm_name(struct wm_rank_comm *comm, const char *name);
/* Give it its context, where that was not known. */
void wm_rank_comm_settle(struct wm_rank_comm *comm, int32_t context);
/* Its attributes are deleted already. */
void wm_rank_comm_free(struct wm_rank_comm *comm);
/* Make a communicator of these of `parent`'s ranks that call it together; the others give NULL. Collective over
 * `parent`. A rank whose group is NULL gets NULL. `remote`: of an intercommunicator, made of one; nobody: NULL is made.
 * Returns MPI_SUCCESS or an error: MPI_ERR_COMM, where one is an intercommunicator, the other not. */
int wm_rank_comm_make(struct wm_rank_comm *parent, struct wm_rank_group *group, struct wm_rank_group *remote,
                      struct wm_rank_comm **made);
/* Give it to its user: MPI_COMM_NULL where it is NULL. */
int wm_rank_comm_give(struct wm_rank_comm *comm, MPI_Comm *handle);
/* The ranks that give this colour, in the order of keys; *group NULL where the colour is MPI_UNDEFINED. The same of the
 * remote group of an intercommunicator, else *remote is NULL. Collective. */
int wm_rank_comm_parts(struct wm_rank_comm *parent, int color, int key, struct wm_rank_group **group,
                       struct wm_rank_group **remote);

/* ---- attributes ---- */

/* Copy those whose copy functions want it. Returns MPI_SUCCESS or what one of them says. */
int wm_rank_attributes_copy(const struct wm_rank_comm *from, struct wm_rank_comm *to);
/* Delete all, the last one set first. Returns MPI_SUCCESS or what a delete function says: the others stay then. */
int wm_rank_attributes_delete(struct wm_rank_comm *comm);

/* ---- topologies ---- */

void wm_rank_topology_free(struct wm_rank_topology *topology);
/* NULL: no memory. */
struct wm_rank_topology *wm_rank_topology_copy(const struct wm_rank_topology *from);

#endif
