/* The runtime of one process: settings, the map, the recorder, the communicators. What the doors call.
 *
 * States: asleep (MPI_Init not called, or the runtime is switched off: every door goes straight to PMPI), awake
 * (between wm_runtime_start and wm_runtime_stop). Nothing happens before MPI_Init: the library is preloaded into shells
 * and launchers too.
 *
 * It is set up by WAYMARK_… in the environment: waymark-run(1) lists them. */
#ifndef WM_RUNTIME_H
#define WM_RUNTIME_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "waymark/call.h"

/* What libwaymark gives to the doors, and to programs that would rather link it than preload it. */
#define WM_EXPORT __attribute__((visibility("default")))

struct wm_comm;

/* Wake the runtime; call it right after a successful PMPI_Init(_thread). Collective over MPI_COMM_WORLD.
 * A bad map or setting ends the job by PMPI_Abort with one message, printed by rank 0 alone, or, with
 * WAYMARK_ON_ERROR=native, leaves the runtime asleep on all ranks. Returns 0 or -WM_E… (then asleep). */
WM_EXPORT int wm_runtime_start(void);

/* Put the runtime to sleep; call it right before PMPI_Finalize. Collective over MPI_COMM_WORLD. Prints the summary that
 * WAYMARK_VERBOSE=1 asks for, closes the recorder and the map server, frees the shadow. */
WM_EXPORT void wm_runtime_stop(void);

/* Where the ranks of MPI_COMM_WORLD are, clusters of hosts that were found included, in words (wm_grid_parse_machine).
 * False: the runtime is asleep, or no such text says it. Local. */
WM_EXPORT bool wm_runtime_machine(char *text, size_t text_bytes);

/* A communicator was made (dup, split, create, cart, graph, merge, spawn, …). Local. MPI_COMM_NULL, intercommunicators
 * and a sleeping runtime are allowed and do nothing. */
WM_EXPORT void wm_comm_made(MPI_Comm comm);

/* A duplicate `comm` of `parent` was made: the same, and it keeps the parent's map. `info`: MPI_Comm_dup_with_info's;
 * NULL: it was another function. The duplicate gets the map that the info names at rank 0 by the key "waymark_map", as
 * WAYMARK_MAP does (core/process/map_source.h). A bad map ends the job with one message, or, with
 * WAYMARK_ON_ERROR=native, leaves this communicator to the MPI library. Collective with an info. */
WM_EXPORT void wm_comm_duplicated(MPI_Comm parent, MPI_Comm comm, const MPI_Info *info);

/* The program has a communicator, made at a site, and is to free it. Local. */
WM_EXPORT void wm_comm_kept(MPI_Comm comm, const void *site);

/* MPI_Comm_set_name has given the communicator its name: the trace is told. Local. */
WM_EXPORT void wm_comm_named(MPI_Comm comm);

/* A communicator is about to be freed or disconnected: wait for its calls. Local but for that. */
WM_EXPORT void wm_comm_going(MPI_Comm comm);

/* MPI_Comm_idup was called: `made` may not be used before `request` is complete. Call it right after a successful
 * PMPI_Comm_idup(parent, &made, …), on all ranks of the parent. Local. */
WM_EXPORT void wm_comm_coming(MPI_Comm parent, MPI_Comm made);

/* The communicator's record if a call of `operation` on it must pass through the runtime; NULL when the door is to call
 * PMPI straight away (asleep, no rule and no trace, a native path without a trace).
 * This is on every call's way: one load and a compare when asleep, a one-entry cache when awake. */
WM_EXPORT struct wm_comm *wm_comm_enter(MPI_Comm comm, enum wm_operation operation);

/* What wm_call_run returns where its caller is to call the library: no error of MPI's. */
enum { WM_CALL_LEFT = -1 };

/* Carry out a blocking call: by its path, or by call->native between two marks. Returns what the MPI function returns,
 * after having raised errors on the user's communicator; or WM_CALL_LEFT: a call that comes again was left to the
 * library, and counted. */
WM_EXPORT int wm_call_run(struct wm_comm *comm, const struct wm_call *call);

/* Begin a nonblocking call. Local: never waits for other ranks or for the map server. *request is the library's own
 * kind of request, which every completion call, in C and Fortran, takes; it is complete once the plan's flight has
 * landed. The call's buffers and vectors belong to the runtime until then; `call` itself only during this function.
 * Returns what the MPI function returns. */
WM_EXPORT int wm_call_begin(struct wm_comm *comm, const struct wm_call *call, MPI_Request *request);

/* Make an inactive persistent request of a call (MPIX_…_init). Buffers and vectors must stay until it is freed. */
WM_EXPORT int wm_call_init(struct wm_comm *comm, const struct wm_call *call, MPI_Request *request);

/* MPI_Start, MPI_Startall, MPI_Request_free: true, with *rc what to return, when `request` is one that wm_call_init
 * made, and has now been started or freed; false, at the cost of one load where there is no such request, when the
 * library is to be called. */
WM_EXPORT bool wm_request_start(MPI_Request *request, int *rc);
WM_EXPORT bool wm_request_free(MPI_Request *request, int *rc);

/* MPI_Wait, MPI_Test and their like (core/record/waiting.h). While wm_waiting_count is 0 none of their requests is the
 * trace's, and they are the library's alone. Else look each request up, in order, call the library between begin and
 * end, and settle what was found: while there is an index, with what stands there now. wm_waiting_begin: false: nothing
 * was found, and nothing more is to be done. `found` begins as NULL. */
struct wm_waited;
struct wm_waiting {
    struct wm_waited *found;
    uint64_t ticks;
};
WM_EXPORT extern _Atomic int wm_waiting_count;
WM_EXPORT void wm_waiting_look(struct wm_waiting *waiting, int index, MPI_Request request);
WM_EXPORT bool wm_waiting_begin(struct wm_waiting *waiting);
WM_EXPORT void wm_waiting_end(struct wm_waiting *waiting);
WM_EXPORT int wm_waiting_index(const struct wm_waiting *waiting); /* -1: all is settled */
/* `status`: of the request, if it is complete; NULL: not known. */
WM_EXPORT void wm_waiting_settle(struct wm_waiting *waiting, MPI_Request request, const MPI_Status *status);

/* Point-to-point calls, for the guard and the trace (core/call/watch.h). While wm_watched is false they are the
 * library's alone. Else a door tells of a call before and after it; `begin` says whether `end` is due. A completion
 * call's requests are told one by one, then what stands in their places after it; of those that last, which are
 * complete. */
struct wm_watch_call {
    int function; /* enum wm_post_function */
    MPI_Comm comm;
    const void *site;
    int to, send_tag, count; /* of what sends: … */
    MPI_Datatype type;
    int from, receive_tag; /* of what receives */
    const MPI_Status *status;
    bool sends, receives;
    const struct wm_comm *record; /* of the communicator; begin and post find it out */
    bool published;               /* the guard has it, until its end */
    uint32_t out, in;             /* numbers in the trace of what it sends, and receives; 0: none */
    uint64_t begin_ticks;
};
enum { WM_WATCH_FEW = 64 };
struct wm_awaited {
    int function, count; /* 0: none is to be told of */
    bool published;
    const void *site;
    MPI_Request *requests, few[WM_WATCH_FEW];
};
WM_EXPORT extern _Atomic bool wm_watched;
WM_EXPORT extern bool wm_watch_publishes; /* the guard is told of requests */
WM_EXPORT bool wm_watch_begin(struct wm_watch_call *call);
WM_EXPORT void wm_watch_end(const struct wm_watch_call *call, int rc);
WM_EXPORT void wm_watch_post(struct wm_watch_call *call);
WM_EXPORT void wm_watch_posted(const struct wm_watch_call *call, MPI_Request request);
WM_EXPORT void wm_watch_began(const struct wm_call *call, MPI_Request request); /* a collective one, told just before */
WM_EXPORT void wm_watch_start(MPI_Request request);
WM_EXPORT void wm_watch_forget(MPI_Request request, bool cancelled); /* freed, or cancelled */
WM_EXPORT void wm_watch_make_room(struct wm_awaited *watch);         /* for more requests than a few, until released */
WM_EXPORT void wm_watch_wait(struct wm_awaited *watch);
WM_EXPORT void wm_watch_waited(void); /* … which wm_watch_wait has published */
WM_EXPORT void wm_watch_settle(struct wm_awaited *watch, int index, MPI_Request now, bool complete, bool failed);
WM_EXPORT void wm_watch_release(struct wm_awaited *watch);

/* MPI_Pcontrol: set the level of recording, 0 to 2 (core/record/control.h); any other number, and a sleeping runtime,
 * do nothing. */
WM_EXPORT void wm_control_set(int level);

/* What wm_trace_mark of waymark/mark.h calls. */
WM_EXPORT int wm_mark(const char *name);

/* MPI_Op_free: true when a call in flight needs the operator, which is freed once that call is over. */
WM_EXPORT bool wm_op_free(MPI_Op *op, int *rc);

#endif
