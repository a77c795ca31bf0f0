/* Doors of requests: started, waited for, tested, freed. */
#include <stdlib.h>
#include "core/p2p/process.h"
#include "core/subrank/fortran.h"
#include "core/subrank/rank.h"
#include "waymark/runtime.h"

#define ENTER() WM_RANK_ENTER(__func__)

typedef struct wm_p2p_request *p2p_request;

/* A user's requests are core/p2p's. */
static inline bool are_own(const struct wm_rank *rank, int count, p2p_request requests[])
{
    for (int i = 0; i < count; i++)
        if (requests[i] != WM_P2P_REQUEST_NULL &&
            __builtin_expect(requests[i] == NULL || requests[i]->process != rank->process, 0) &&
            requests[i] != &wm_p2p_message_no_proc)
            return false;
    return true;
}

/* The communicator of the request that failed last. */
static struct wm_rank_comm *comm_of_failed(const struct wm_rank *rank)
{
    struct wm_rank_comm *c = rank->comms;

    while (c != NULL && c->context != rank->process->failed_context)
        c = c->next;
    return c;
}

static int end(struct wm_rank *rank, const char *function, int error)
{
    return __builtin_expect(error == MPI_SUCCESS, 1) ? MPI_SUCCESS
                                                     : wm_rank_fail(rank, comm_of_failed(rank), function, error);
}

/* ---- what the trace is told of waits (core/record/waiting.h) ---- */

static inline bool are_recorded(void)
{
    return __builtin_expect(atomic_load_explicit(&wm_waiting_count, memory_order_relaxed) != 0, 0);
}

static inline void look(struct wm_waiting *waiting, int count, const MPI_Request requests[])
{
    waiting->found = NULL;
    if (!are_recorded())
        return;
    for (int i = 0; i < count; i++)
        wm_waiting_look(waiting, i, requests[i]);
    wm_waiting_begin(waiting);
}

static void settle(struct wm_waiting *waiting, const MPI_Request requests[])
{
    if (__builtin_expect(waiting->found == NULL, 1))
        return;
    wm_waiting_end(waiting);
    for (int i = wm_waiting_index(waiting); i >= 0; i = wm_waiting_index(waiting))
        wm_waiting_settle(waiting, requests[i], NULL);
}

/* Before requests are used; no requests at all are for core/p2p to refuse. False: some are none of the rank's. */
static inline bool begin(const struct wm_rank *rank, int count, const MPI_Request requests[],
                         struct wm_waiting *waiting)
{
    if (requests == NULL)
        count = 0;
    if (__builtin_expect(!are_own(rank, count, (p2p_request *)(void *)requests), 0))
        return false;
    look(waiting, count, requests);
    return true;
}

static inline int conclude(struct wm_rank *rank, const char *function, const MPI_Request requests[],
                           struct wm_waiting *waiting, int error)
{
    settle(waiting, requests);
    return end(rank, function, error);
}

/* `call`: with `own`, the requests as core/p2p has them. */
#define DOOR_OF(name, count, requests, parameters, call)                                                               \
    WM_RANK_WAITING_DOOR int MPI_##name parameters                                                                     \
    {                                                                                                                  \
        ENTER();                                                                                                       \
        p2p_request *own = (p2p_request *)(void *)requests;                                                            \
        struct wm_waiting waiting;                                                                                     \
                                                                                                                       \
        if (!begin(rank, count, requests, &waiting))                                                                   \
            return wm_rank_return(rank, NULL, __func__, MPI_ERR_REQUEST);                                              \
        return conclude(rank, __func__, requests, &waiting, call);                                                     \
    }

#define SEVERAL int count, MPI_Request array_of_requests[]

DOOR_OF(Start, 1, request, (MPI_Request * request), wm_p2p_start(own))
DOOR_OF(Startall, count, array_of_requests, (SEVERAL), wm_p2p_startall(count, own))
DOOR_OF(Request_free, 1, request, (MPI_Request * request), wm_p2p_request_free(own))
DOOR_OF(Cancel, 1, request, (MPI_Request * request), wm_p2p_cancel(own))

DOOR_OF(Wait, 1, request, (MPI_Request * request, MPI_Status *status), wm_p2p_wait(own, status))
DOOR_OF(Test, 1, request, (MPI_Request * request, int *flag, MPI_Status *status), wm_p2p_test(own, flag, status))
DOOR_OF(Waitany, count, array_of_requests, (SEVERAL, int *index, MPI_Status *status),
        wm_p2p_waitany(count, own, index, status))
DOOR_OF(Testany, count, array_of_requests, (SEVERAL, int *index, int *flag, MPI_Status *status),
        wm_p2p_testany(count, own, index, flag, status))
DOOR_OF(Waitsome, count, array_of_requests, (SEVERAL, int *outcount, int indices[], MPI_Status statuses[]),
        wm_p2p_waitsome(count, own, outcount, indices, statuses))
DOOR_OF(Testsome, count, array_of_requests, (SEVERAL, int *outcount, int indices[], MPI_Status statuses[]),
        wm_p2p_testsome(count, own, outcount, indices, statuses))
DOOR_OF(Testall, count, array_of_requests, (SEVERAL, int *flag, MPI_Status statuses[]),
        wm_p2p_testall(count, own, flag, statuses))

/* Not inlined: what is done already saves no registers for it. */
static __attribute__((noinline)) int wait_for_all(struct wm_rank *rank, SEVERAL, MPI_Status *statuses,
                                                  const char *function)
{
    struct wm_waiting waiting;

    if (!begin(rank, count, array_of_requests, &waiting))
        return wm_rank_return(rank, NULL, function, MPI_ERR_REQUEST);
    return conclude(rank, function, array_of_requests, &waiting,
                    wm_p2p_waitall(count, (p2p_request *)(void *)array_of_requests, statuses));
}

/* Those before the first that has to be waited for are finished in a pass. */
WM_RANK_WAITING_DOOR int MPI_Waitall(SEVERAL, MPI_Status *statuses)
{
    ENTER();
    int done = 0;

    if (statuses == MPI_STATUSES_IGNORE && array_of_requests != NULL && !are_recorded())
        done = wm_p2p_finish_plain(rank->process, count, (p2p_request *)(void *)array_of_requests);
    return done == count ? MPI_SUCCESS : wait_for_all(rank, count - done, array_of_requests + done, statuses, __func__);
}

WM_RANK_DOOR int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    ENTER();
    p2p_request own = (p2p_request)request;

    if (!are_own(rank, 1, &own))
        return wm_rank_return(rank, NULL, __func__, MPI_ERR_REQUEST);
    return end(rank, __func__, wm_p2p_request_get_status(own, flag, status));
}

/* ---- generalized requests ---- */

struct wm_rank_generalized {
    enum wm_rank_language language; /* of its functions */
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *free;
    MPI_Grequest_cancel_function *cancel;
    void *extra; /* in Fortran an INTEGER of an address's size */
};

typedef void fortran_query(MPI_Aint *extra, MPI_Fint *status, MPI_Fint *ierror);
typedef void fortran_free(MPI_Aint *extra, MPI_Fint *ierror);
typedef void fortran_cancel(MPI_Aint *extra, MPI_Fint *complete, MPI_Fint *ierror);

static int query_generalized(void *with, MPI_Status *status)
{
    struct wm_rank_generalized *g = with;
    MPI_Aint extra = (MPI_Aint)g->extra;
    MPI_Fint ierror = MPI_SUCCESS;

    if (g->language == WM_RANK_C)
        return g->query(g->extra, status);
    ((fortran_query *)(wm_rank_function_given *)g->query)(&extra, (MPI_Fint *)status, &ierror);
    return ierror;
}

static int cancel_generalized(void *with, bool complete)
{
    struct wm_rank_generalized *g = with;
    MPI_Aint extra = (MPI_Aint)g->extra;
    MPI_Fint ierror = MPI_SUCCESS, is_complete = complete;

    if (g->language == WM_RANK_C)
        return g->cancel(g->extra, complete);
    ((fortran_cancel *)(wm_rank_function_given *)g->cancel)(&extra, &is_complete, &ierror);
    return ierror;
}

static int end_generalized(void *with)
{
    struct wm_rank_generalized *g = with;
    MPI_Aint extra = (MPI_Aint)g->extra;
    MPI_Fint ierror = MPI_SUCCESS;

    if (g->language == WM_RANK_C)
        ierror = g->free(g->extra);
    else
        ((fortran_free *)(wm_rank_function_given *)g->free)(&extra, &ierror);
    free(g);
    return ierror;
}

static const struct wm_p2p_other_class generalized = {
    .status = query_generalized, .cancel = cancel_generalized, .end = end_generalized};

WM_RANK_DOOR int MPI_Grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                                    MPI_Grequest_cancel_function *cancel_fn, void *extra_state, MPI_Request *request)
{
    ENTER();
    struct wm_rank_generalized *g = malloc(sizeof *g);
    p2p_request made;

    if (g == NULL || wm_p2p_other_new(rank->process, &generalized, g, &made) != MPI_SUCCESS) {
        free(g);
        return wm_rank_return(rank, NULL, __func__, MPI_ERR_NO_MEM);
    }
    *g = (struct wm_rank_generalized){WM_RANK_C, query_fn, free_fn, cancel_fn, extra_state};
    *request = (MPI_Request)made;
    return MPI_SUCCESS;
}

int wm_fortran_grequest_start(wm_rank_function_given *query, wm_rank_function_given *free_function,
                              wm_rank_function_given *cancel, MPI_Aint extra, MPI_Request *request)
{
    int error = MPI_Grequest_start((MPI_Grequest_query_function *)query, (MPI_Grequest_free_function *)free_function,
                                   (MPI_Grequest_cancel_function *)cancel, (void *)extra, request);

    if (error == MPI_SUCCESS)
        ((struct wm_rank_generalized *)((p2p_request)*request)->with)->language = WM_RANK_FORTRAN;
    return error;
}

WM_RANK_DOOR int MPI_Grequest_complete(MPI_Request request)
{
    ENTER();
    p2p_request own = (p2p_request)request;

    if (!are_own(rank, 1, &own) || own == WM_P2P_REQUEST_NULL || own->other != &generalized)
        return wm_rank_return(rank, NULL, __func__, MPI_ERR_REQUEST);
    wm_p2p_other_complete(own);
    return MPI_SUCCESS;
}
