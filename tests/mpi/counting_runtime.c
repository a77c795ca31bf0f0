/* A runtime for testing the doors: it counts what passes, and carries every call out by MPI. */
#include "tests/mpi/counting_runtime.h"

#include <pthread.h>
#include <stdio.h>
#include "waymark/runtime.h"

struct wm_comm {
    int unused;
};

/* Three pairs of columns an operation, passed and in place of each form; then the events. */
enum { OPERATION_COLUMNS = 2 * COUNTING_FORMS, OPERATION_COUNTS = OPERATION_COLUMNS * WM_COLLECTIVE_COUNT };
enum { COUNTS = OPERATION_COUNTS + COUNTING_EVENTS, REMEMBERED_MAX = 256 };

static long counts[COUNTS];
static struct wm_comm any_comm;
static bool awake;

static MPI_Request remembered[REMEMBERED_MAX]; /* NULL: a free place */
static pthread_mutex_t remembered_lock = PTHREAD_MUTEX_INITIALIZER;

static void fault(const char *sentence)
{
    fprintf(stderr, "counting runtime: %s\n", sentence);
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

static long *passed_of(long *of, int operation, int form)
{
    return of + operation * OPERATION_COLUMNS + 2 * form;
}

/* Returns the count before. */
static long count(long *counter)
{
    return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static void count_event(enum counting_event event)
{
    count(counts + OPERATION_COUNTS + event);
}

bool counting_runtime_awake(void)
{
    return awake;
}

long counting_runtime_passed(enum wm_operation operation, enum counting_form form)
{
    return passed_of(counts, (int)operation, (int)form)[0];
}

long counting_runtime_in_place(enum wm_operation operation, enum counting_form form)
{
    return passed_of(counts, (int)operation, (int)form)[1];
}

long counting_runtime_events(enum counting_event event)
{
    return counts[OPERATION_COUNTS + event];
}

int wm_runtime_start(void)
{
    awake = true;
    return 0;
}

void wm_runtime_stop(void)
{
    static const char *const verbs[COUNTING_FORMS] = {"run", "begin", "init"};
    long sums[COUNTS], *events = sums + OPERATION_COUNTS;
    int rank;

    awake = false;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(counts, sums, COUNTS, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank != 0)
        return;
    for (int form = 0; form < COUNTING_FORMS; form++)
        for (int i = 0; i < WM_COLLECTIVE_COUNT; i++)
            printf("door %s %s %ld in place %ld\n", verbs[form], wm_operation_name((enum wm_operation)i),
                   passed_of(sums, i, form)[0], passed_of(sums, i, form)[1]);
    printf("door communicators made %ld going %ld coming %ld named %ld\n", events[COUNTING_MADE],
           events[COUNTING_GOING], events[COUNTING_COMING], events[COUNTING_NAMED]);
    printf("door requests started %ld freed %ld informed %ld\n", events[COUNTING_STARTED], events[COUNTING_FREED],
           events[COUNTING_INFORMED]);
    fflush(stdout);
}

void wm_comm_made(MPI_Comm comm)
{
    (void)comm;
    count_event(COUNTING_MADE);
}

void wm_comm_duplicated(MPI_Comm parent, MPI_Comm comm, const MPI_Info *info)
{
    (void)parent, (void)info;
    wm_comm_made(comm);
}

void wm_comm_kept(MPI_Comm comm, const void *site)
{
    (void)comm, (void)site;
}

void wm_comm_named(MPI_Comm comm)
{
    (void)comm;
    count_event(COUNTING_NAMED);
}

void wm_comm_going(MPI_Comm comm)
{
    (void)comm;
    count_event(COUNTING_GOING);
}

void wm_comm_coming(MPI_Comm parent, MPI_Comm made)
{
    if (parent == MPI_COMM_NULL || made == MPI_COMM_NULL || parent == made)
        fault("no communicator is coming");
    count_event(COUNTING_COMING);
}

struct wm_comm *wm_comm_enter(MPI_Comm comm, enum wm_operation operation)
{
    (void)comm;
    (void)operation;
    return awake ? &any_comm : NULL;
}

/* The call by MPI, from the fields as waymark/call.h describes them: what a door did not fill right shows in the
 * result. */
static int run_from_fields(const struct wm_call *c)
{
    switch (c->operation) {
    case WM_BARRIER:
        return PMPI_Barrier(c->comm);
    case WM_BCAST:
        return PMPI_Bcast(c->receive, c->receive_count, c->receive_type, c->root, c->comm);
    case WM_REDUCE:
        return PMPI_Reduce(c->send, c->receive, c->receive_count, c->receive_type, c->op, c->root, c->comm);
    case WM_ALLREDUCE:
        return PMPI_Allreduce(c->send, c->receive, c->receive_count, c->receive_type, c->op, c->comm);
    case WM_GATHER:
        return PMPI_Gather(c->send, c->send_count, c->send_type, c->receive, c->receive_count, c->receive_type, c->root,
                           c->comm);
    case WM_GATHERV:
        return PMPI_Gatherv(c->send, c->send_count, c->send_type, c->receive, c->receive_counts, c->receive_displs,
                            c->receive_type, c->root, c->comm);
    case WM_SCATTER:
        return PMPI_Scatter(c->send, c->send_count, c->send_type, c->receive, c->receive_count, c->receive_type,
                            c->root, c->comm);
    case WM_SCATTERV:
        return PMPI_Scatterv(c->send, c->send_counts, c->send_displs, c->send_type, c->receive, c->receive_count,
                             c->receive_type, c->root, c->comm);
    case WM_ALLGATHER:
        return PMPI_Allgather(c->send, c->send_count, c->send_type, c->receive, c->receive_count, c->receive_type,
                              c->comm);
    case WM_ALLGATHERV:
        return PMPI_Allgatherv(c->send, c->send_count, c->send_type, c->receive, c->receive_counts, c->receive_displs,
                               c->receive_type, c->comm);
    case WM_ALLTOALL:
        return PMPI_Alltoall(c->send, c->send_count, c->send_type, c->receive, c->receive_count, c->receive_type,
                             c->comm);
    case WM_ALLTOALLV:
        return PMPI_Alltoallv(c->send, c->send_counts, c->send_displs, c->send_type, c->receive, c->receive_counts,
                              c->receive_displs, c->receive_type, c->comm);
    case WM_ALLTOALLW:
        return PMPI_Alltoallw(c->send, c->send_counts, c->send_displs, c->send_types, c->receive, c->receive_counts,
                              c->receive_displs, c->receive_types, c->comm);
    case WM_REDUCE_SCATTER:
        return PMPI_Reduce_scatter(c->send, c->receive, c->receive_counts, c->receive_type, c->op, c->comm);
    case WM_REDUCE_SCATTER_BLOCK:
        return PMPI_Reduce_scatter_block(c->send, c->receive, c->receive_count, c->receive_type, c->op, c->comm);
    case WM_SCAN:
        return PMPI_Scan(c->send, c->receive, c->receive_count, c->receive_type, c->op, c->comm);
    case WM_EXSCAN:
        return PMPI_Exscan(c->send, c->receive, c->receive_count, c->receive_type, c->op, c->comm);
    case WM_NEIGHBOR_ALLGATHER:
        return PMPI_Neighbor_allgather(c->send, c->send_count, c->send_type, c->receive, c->receive_count,
                                       c->receive_type, c->comm);
    case WM_NEIGHBOR_ALLGATHERV:
        return PMPI_Neighbor_allgatherv(c->send, c->send_count, c->send_type, c->receive, c->receive_counts,
                                        c->receive_displs, c->receive_type, c->comm);
    case WM_NEIGHBOR_ALLTOALL:
        return PMPI_Neighbor_alltoall(c->send, c->send_count, c->send_type, c->receive, c->receive_count,
                                      c->receive_type, c->comm);
    case WM_NEIGHBOR_ALLTOALLV:
        return PMPI_Neighbor_alltoallv(c->send, c->send_counts, c->send_displs, c->send_type, c->receive,
                                       c->receive_counts, c->receive_displs, c->receive_type, c->comm);
    case WM_NEIGHBOR_ALLTOALLW:
        return PMPI_Neighbor_alltoallw(c->send, c->send_counts, c->send_places, c->send_types, c->receive,
                                       c->receive_counts, c->receive_places, c->receive_types, c->comm);
    default:
        return MPI_ERR_INTERN;
    }
}

/* Returns how many had passed before. */
static long pass(struct wm_comm *comm, const struct wm_call *call, enum counting_form form)
{
    long *columns = passed_of(counts, (int)call->operation, (int)form);

    if (comm != &any_comm)
        fault("a call entered in another way than it passes");
    if (call->send == MPI_IN_PLACE || call->receive == MPI_IN_PLACE)
        count(columns + 1);
    MPI_Barrier(MPI_COMM_SELF);
    return count(columns);
}

int wm_call_run(struct wm_comm *comm, const struct wm_call *call)
{
    switch (pass(comm, call, COUNTING_RUN) % 3) {
    case 0:
        return run_from_fields(call);
    case 1:
        return call->native(call, NULL);
    default:
        return WM_CALL_LEFT;
    }
}

int wm_call_begin(struct wm_comm *comm, const struct wm_call *call, MPI_Request *request)
{
    pass(comm, call, COUNTING_BEGIN);
    return call->native(call, request);
}

/* Put `value` where `old` stands; false when it stands nowhere. */
static bool replace(MPI_Request old, MPI_Request value)
{
    bool found = false;

    pthread_mutex_lock(&remembered_lock);
    for (int i = 0; !found && i < REMEMBERED_MAX; i++) {
        found = remembered[i] == old;
        if (found)
            remembered[i] = value;
    }
    pthread_mutex_unlock(&remembered_lock);
    return found;
}

int wm_call_init(struct wm_comm *comm, const struct wm_call *call, MPI_Request *request)
{
    int rc;

    pass(comm, call, COUNTING_INIT);
    if (call->info != MPI_INFO_NULL)
        count_event(COUNTING_INFORMED);
    rc = call->native(call, request);
    if (rc == MPI_SUCCESS && !replace(NULL, *request))
        fault("too many requests");
    return rc;
}

bool wm_request_start(MPI_Request *request, int *rc)
{
    if (!replace(*request, *request))
        return false;
    count_event(COUNTING_STARTED);
    MPI_Barrier(MPI_COMM_SELF);
    *rc = PMPI_Start(request);
    return true;
}

bool wm_request_free(MPI_Request *request, int *rc)
{
    if (!replace(*request, NULL))
        return false;
    count_event(COUNTING_FREED);
    *rc = PMPI_Request_free(request);
    return true;
}

bool wm_op_free(MPI_Op *op, int *rc)
{
    (void)op, (void)rc;
    return false;
}

_Atomic int wm_waiting_count;

void wm_waiting_look(struct wm_waiting *waiting, int index, MPI_Request request)
{
    (void)waiting, (void)index, (void)request;
}

bool wm_waiting_begin(struct wm_waiting *waiting)
{
    (void)waiting;
    return false;
}

void wm_waiting_end(struct wm_waiting *waiting)
{
    (void)waiting;
}

int wm_waiting_index(const struct wm_waiting *waiting)
{
    (void)waiting;
    return -1;
}

void wm_waiting_settle(struct wm_waiting *waiting, MPI_Request request, const MPI_Status *status)
{
    (void)waiting, (void)request, (void)status;
}

_Atomic bool wm_watched;
bool wm_watch_publishes;

bool wm_watch_begin(struct wm_watch_call *call)
{
    (void)call;
    return false;
}

void wm_watch_end(const struct wm_watch_call *call, int rc)
{
    (void)call, (void)rc;
}

void wm_watch_post(struct wm_watch_call *call)
{
    (void)call;
}

void wm_watch_posted(const struct wm_watch_call *call, MPI_Request request)
{
    (void)call, (void)request;
}

void wm_watch_began(const struct wm_call *call, MPI_Request request)
{
    (void)call, (void)request;
}

void wm_watch_start(MPI_Request request)
{
    (void)request;
}

void wm_watch_forget(MPI_Request request, bool cancelled)
{
    (void)request, (void)cancelled;
}

void wm_watch_make_room(struct wm_awaited *watch)
{
    (void)watch;
}

void wm_watch_wait(struct wm_awaited *watch)
{
    (void)watch;
}

void wm_watch_waited(void)
{
}

void wm_watch_settle(struct wm_awaited *watch, int index, MPI_Request now, bool complete, bool failed)
{
    (void)watch, (void)index, (void)now, (void)complete, (void)failed;
}

void wm_watch_release(struct wm_awaited *watch)
{
    (void)watch;
}

void wm_control_set(int level)
{
    (void)level;
}
