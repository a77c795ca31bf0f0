/* Threads that share a path: gathered under a lock, sent on as one, let go together. */
#include "waymark/threads.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include "core/data/allocate.h"
#include "core/data/geometry.h"

/* A round: all come, the last does the work, all take the result and leave; then the next may begin. */
struct wm_shared_path {
    struct wm_shared_path *next;
    MPI_Comm comm;
    int threads, holders;
    pthread_mutex_t lock;
    pthread_cond_t done, empty;
    uint64_t round;
    int arrived, leaving;
    const struct wm_call **calls; /* by thread; of those that have come */
    struct wm_geometry geometry;
    char *memory; /* of both: */
    size_t room;
    void *sum, *result; /* element 0 */
    int rc;
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct wm_shared_path *list;

static struct wm_shared_path *new_path(MPI_Comm comm, int threads)
{
    struct wm_shared_path *p = calloc(1, sizeof *p);

    if (p == NULL || (p->calls = calloc((size_t)threads, sizeof *p->calls)) == NULL ||
        (wm_geometry_own() == MPI_COMM_NULL && wm_geometry_start() != MPI_SUCCESS)) {
        if (p != NULL)
            free(p->calls);
        free(p);
        return NULL;
    }
    p->comm = comm;
    p->threads = threads;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->done, NULL);
    pthread_cond_init(&p->empty, NULL);
    return p;
}

struct wm_shared_path *wm_path_get(MPI_Comm comm, int threads)
{
    struct wm_shared_path *p;

    pthread_mutex_lock(&list_lock);
    for (p = list; p != NULL && p->comm != comm; p = p->next)
        ;
    if (p == NULL && threads >= 1 && (p = new_path(comm, threads)) != NULL) {
        p->next = list;
        list = p;
    }
    if (p != NULL && p->threads != threads)
        p = NULL;
    if (p != NULL)
        p->holders++;
    pthread_mutex_unlock(&list_lock);
    return p;
}

void wm_path_put(struct wm_shared_path *p)
{
    struct wm_shared_path **link;
    bool last;

    pthread_mutex_lock(&list_lock);
    last = --p->holders == 0;
    for (link = &list; last && *link != p; link = &(*link)->next)
        ;
    if (last)
        *link = p->next;
    pthread_mutex_unlock(&list_lock);
    if (!last)
        return;
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->empty);
    free(p->calls);
    free(p->memory);
    free(p);
}

static int run_barrier(const struct wm_call *call, MPI_Request *request)
{
    (void)request;
    return PMPI_Barrier(call->comm);
}

static int run_bcast(const struct wm_call *call, MPI_Request *request)
{
    (void)request;
    return PMPI_Bcast(call->receive, call->receive_count, call->receive_type, call->root, call->comm);
}

static int run_reduce(const struct wm_call *call, MPI_Request *request)
{
    (void)request;
    return PMPI_Reduce(call->send, call->receive, call->receive_count, call->receive_type, call->op, call->root,
                       call->comm);
}

static int run_allreduce(const struct wm_call *call, MPI_Request *request)
{
    (void)request;
    return PMPI_Allreduce(call->send, call->receive, call->receive_count, call->receive_type, call->op, call->comm);
}

static int (*native_of(enum wm_operation operation))(const struct wm_call *, MPI_Request *)
{
    switch (operation) {
    case WM_BARRIER:
        return run_barrier;
    case WM_BCAST:
        return run_bcast;
    case WM_REDUCE:
        return run_reduce;
    case WM_ALLREDUCE:
        return run_allreduce;
    default:
        return NULL;
    }
}

static bool calls_agree(const struct wm_shared_path *p)
{
    const struct wm_call *a = p->calls[0];

    for (int t = 1; t < p->threads; t++) {
        const struct wm_call *b = p->calls[t];

        if (a->operation != b->operation || a->receive_count != b->receive_count ||
            a->receive_type != b->receive_type || a->op != b->op || a->root != b->root)
            return false;
    }
    return native_of(a->operation) != NULL && a->receive_count >= 0;
}

/* Memory for the sum of the threads' contributions and for the result. */
static int make_room(struct wm_shared_path *p, size_t count, MPI_Datatype type)
{
    ptrdiff_t shift;
    size_t span;
    int rc = wm_geometry_read(&p->geometry, type);

    if (rc != MPI_SUCCESS)
        return rc;
    span = (wm_geometry_span(&p->geometry, count, &shift) + 63) / 64 * 64;
    if (2 * span > p->room || p->memory == NULL) {
        free(p->memory);
        p->memory = wm_allocate(2 * span + 64, "the sum of threads");
        p->room = 2 * span;
    }
    p->sum = (void *)((uintptr_t)p->memory + (uintptr_t)shift);
    p->result = (void *)((uintptr_t)p->memory + span + (uintptr_t)shift);
    return MPI_SUCCESS;
}

static const void *contribution(const struct wm_call *call)
{
    return call->send == MPI_IN_PLACE ? call->receive : call->send;
}

/* From the last to the first: MPI's `in op inout` puts each before those that are combined already. */
static int combine(struct wm_shared_path *p, size_t count)
{
    int rc = wm_geometry_copy(&p->geometry, contribution(p->calls[p->threads - 1]), p->sum, count);

    for (int t = p->threads - 2; t >= 0 && rc == MPI_SUCCESS; t--)
        rc = wm_geometry_reduce(&p->geometry, contribution(p->calls[t]), p->sum, count, p->calls[0]->op);
    return rc;
}

/* A combination or copy that fails does not keep this process from the collective: the others are in it. */
static int go_on(struct wm_shared_path *p)
{
    struct wm_call call = *p->calls[0];
    size_t count = (size_t)call.receive_count;
    struct wm_comm *entered;
    int rc = MPI_SUCCESS, collective_rc, rank;

    PMPI_Comm_rank(p->comm, &rank);
    call.comm = p->comm;
    call.native = native_of(call.operation);
    if (call.operation != WM_BARRIER && (rc = make_room(p, count, call.receive_type)) != MPI_SUCCESS)
        return rc;
    if (call.operation == WM_BCAST && rank == call.root)
        rc = wm_geometry_copy(&p->geometry, call.receive, p->result, count);
    if (call.operation == WM_REDUCE || call.operation == WM_ALLREDUCE)
        rc = combine(p, count);
    call.send = p->sum;
    call.receive = p->result;
    if (call.operation == WM_BARRIER || call.operation == WM_BCAST)
        call.send = NULL;
    entered = wm_comm_enter(p->comm, call.operation);
    collective_rc = entered != NULL ? wm_call_run(entered, &call) : WM_CALL_LEFT;
    if (collective_rc == WM_CALL_LEFT)
        collective_rc = call.native(&call, NULL);
    return rc != MPI_SUCCESS ? rc : collective_rc;
}

static bool takes_result(const struct wm_shared_path *p, int thread, const struct wm_call *call)
{
    int rank;

    PMPI_Comm_rank(p->comm, &rank);
    switch (call->operation) {
    case WM_BCAST:
        return rank != call->root || thread > 0;
    case WM_REDUCE:
        return rank == call->root && thread == 0;
    case WM_ALLREDUCE:
        return true;
    default:
        return false;
    }
}

/* Come; true: the result is there, and the lock is held. */
static bool come(struct wm_shared_path *p, int thread, const struct wm_call *call)
{
    uint64_t round;

    while (p->leaving > 0)
        pthread_cond_wait(&p->empty, &p->lock);
    if (p->calls[thread] != NULL)
        return false;
    p->calls[thread] = call;
    if (++p->arrived < p->threads) {
        round = p->round;
        while (p->round == round)
            pthread_cond_wait(&p->done, &p->lock);
        return true;
    }
    p->rc = calls_agree(p) ? go_on(p) : MPI_ERR_ARG;
    for (int t = 0; t < p->threads; t++)
        p->calls[t] = NULL;
    p->arrived = 0;
    p->leaving = p->threads;
    p->round++;
    pthread_cond_broadcast(&p->done);
    return true;
}

int wm_path_call(struct wm_shared_path *p, int thread, const struct wm_call *call)
{
    int rc = MPI_ERR_ARG, copy_rc = MPI_SUCCESS;

    if (thread < 0 || thread >= p->threads)
        return rc;
    pthread_mutex_lock(&p->lock);
    if (come(p, thread, call)) {
        rc = p->rc;
        if (rc == MPI_SUCCESS && takes_result(p, thread, call)) /* one at a time: MPI may not take threads */
            copy_rc = wm_geometry_copy(&p->geometry, p->result, call->receive, (size_t)call->receive_count);
        if (--p->leaving == 0)
            pthread_cond_broadcast(&p->empty);
    }
    pthread_mutex_unlock(&p->lock);
    return rc != MPI_SUCCESS ? rc : copy_rc;
}
