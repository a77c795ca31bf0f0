/* Nonblocking and persistent collectives against serial answers: in random batches, completed in every way that MPI
 * has, mixed with messages of the program's own and with blocking collectives.
 *
 *   requests SEED BATCHES [PART ...]
 *
 * REQUESTS_PLANNED=1: the path map carries everything out, but for barriers perhaps. Then requests are freed while they
 * are active, which MPI forbids; communicators are freed with calls in flight, and types and operators that persistent
 * requests name, at which Open MPI 4.1.4 crashes by itself. REQUESTS_MULTIPLE=1: MPI_THREAD_MULTIPLE.
 * REQUESTS_MAPS: further maps, with spaces between them, under which the batches run as well.
 *
 * What is called is drawn from a generator that all ranks seed alike, how it is completed from one of each rank's own.
 */
#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

enum { CALLS_MAX = 24, COUNT_MAX = 3000 };

static uint64_t shared, mine; /* generators: of all ranks, of this one */
static int world_rank, wrong_count;
static long checked;
static bool planned;

static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int below(uint64_t *state, int limit)
{
    return (int)(next(state) % (uint64_t)limit);
}

static void wrong(const char *what, int detail)
{
    if (wrong_count++ < 5)
        fprintf(stderr, "rank %d: wrong: %s (%d)\n", world_rank, what, detail);
}

static void check(bool right, const char *what, int detail)
{
    checked++;
    if (!right)
        wrong(what, detail);
}

/* --- One collective with its buffers and its answer --- */

enum operation { BARRIER, BCAST, REDUCE, ALLREDUCE, OPERATIONS };
enum kind { SUM, OWN_XOR, AFFINE, GAPS, KINDS }; /* GAPS: bcast alone */

struct trial {
    enum operation operation;
    enum kind kind;
    int count, root;
    bool in_place;
    uint64_t call;
    MPI_Comm comm;
    int rank, ranks;
    MPI_Datatype type;
    MPI_Op op;
    int words; /* ints of the buffers, gaps included */
    int *send, *receive;
    bool persistent, freed;
    MPI_Request *request; /* in the batch */
};

static int value(const struct trial *t, int rank, int i)
{
    uint64_t state = t->call * 1000003u + (uint64_t)rank * 7919u + (uint64_t)i;

    return (int)(next(&state) & 0xffff);
}

static void user_xor(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] ^= ((int *)in)[i];
}

/* x → a x + b, in pairs of ints modulo 2^32: (in ∘ …) applied before inout. Does not commute. */
static void user_affine(void *in, void *inout, int *count, MPI_Datatype *type)
{
    unsigned *f = in, *g = inout;

    (void)type;
    for (int i = 0; i < *count; i++, f += 2, g += 2) {
        unsigned a = f[0] * g[0], b = f[1] * g[0] + g[1];

        g[0] = a;
        g[1] = b;
    }
}

static int words_of_element(enum kind kind)
{
    return kind == AFFINE ? 2 : kind == GAPS ? 4 : 1;
}

/* Types and operators are the user's own, and freed right after the call. */
static void make_handles(struct trial *t)
{
    t->type = MPI_INT;
    t->op = MPI_SUM;
    if (t->kind == OWN_XOR)
        MPI_Op_create(user_xor, 1, &t->op);
    if (t->kind == AFFINE) {
        MPI_Type_contiguous(2, MPI_INT, &t->type);
        MPI_Op_create(user_affine, 0, &t->op);
    }
    if (t->kind == GAPS) { /* the second int first, then the first; two of four mean something */
        int displacements[2] = {2, 0};
        MPI_Datatype pair;

        MPI_Type_create_indexed_block(2, 1, displacements, MPI_INT, &pair);
        MPI_Type_create_resized(pair, 0, 4 * (MPI_Aint)sizeof(int), &t->type);
        MPI_Type_free(&pair);
    }
    if (t->type != MPI_INT)
        MPI_Type_commit(&t->type);
}

static void free_handles(struct trial *t)
{
    if (t->type != MPI_INT)
        MPI_Type_free(&t->type);
    if (t->op != MPI_SUM)
        MPI_Op_free(&t->op);
}

static void combine(const struct trial *t, int *into, int rank)
{
    for (int i = 0; i < t->words; i++) {
        if (t->kind == SUM)
            into[i] += value(t, rank, i);
        else if (t->kind == OWN_XOR)
            into[i] ^= value(t, rank, i);
    }
    for (int i = 0; t->kind == AFFINE && i < t->count; i++) {
        int pair[2] = {value(t, rank, 2 * i), value(t, rank, 2 * i + 1)}, one = 1,
            acc[2] = {into[2 * i], into[2 * i + 1]};

        user_affine(acc, pair, &one, NULL);
        memcpy(into + 2 * i, pair, sizeof pair);
    }
}

static bool has_result(const struct trial *t)
{
    return t->operation != BARRIER && (t->operation != REDUCE || t->rank == t->root);
}

enum { UNTOUCHED = 0x5a5a5a5a };

static void fill(struct trial *t)
{
    bool gives = t->operation != BCAST || t->rank == t->root;
    int *at = t->operation == BCAST || t->in_place ? t->receive : t->send;

    for (int i = 0; i < t->words; i++)
        t->receive[i] = UNTOUCHED;
    for (int i = 0; gives && i < t->words; i++)
        if (t->kind != GAPS || i % 2 == 0)
            at[i] = value(t, t->rank, i);
}

static void expect(const struct trial *t, int *answer)
{
    for (int i = 0; i < t->words; i++)
        answer[i] =
            t->operation == BCAST ? (t->kind == GAPS && i % 2 ? UNTOUCHED : value(t, t->root, i)) : value(t, 0, i);
    for (int r = 1; t->operation != BCAST && r < t->ranks; r++)
        combine(t, answer, r);
}

static bool is_right(const struct trial *t)
{
    int *answer = malloc(sizeof *answer * (size_t)(t->words + 1));
    bool right;

    expect(t, answer);
    right = !has_result(t) || memcmp(answer, t->receive, sizeof *answer * (size_t)t->words) == 0;
    free(answer);
    return right;
}

static void trial_check(const struct trial *t)
{
    check(is_right(t), t->persistent ? "a persistent call's data" : "a call's data",
          t->operation * 1000 + t->kind * 100 + t->root);
}

static void trial_draw(struct trial *t, MPI_Comm comm)
{
    static const int limits[] = {1, 3, 20, 300, COUNT_MAX};

    memset(t, 0, sizeof *t);
    t->comm = comm;
    MPI_Comm_rank(comm, &t->rank);
    MPI_Comm_size(comm, &t->ranks);
    t->operation = (enum operation)below(&shared, OPERATIONS);
    t->kind = (enum kind)below(&shared, KINDS);
    if (t->operation == BCAST ? t->kind != GAPS && t->kind != AFFINE : t->kind == GAPS)
        t->kind = SUM;
    t->count = t->operation == BARRIER ? 0 : below(&shared, limits[below(&shared, 5)] + 1);
    t->root = below(&shared, t->ranks);
    t->in_place =
        below(&shared, 4) == 0 && (t->operation == ALLREDUCE || (t->operation == REDUCE && t->rank == t->root));
    t->call = next(&shared) >> 20;
    t->words = t->count * words_of_element(t->kind);
    t->send = malloc(sizeof(int) * (size_t)(t->words + 1));
    t->receive = malloc(sizeof(int) * (size_t)(t->words + 1));
    make_handles(t);
    fill(t);
}

static void trial_release(struct trial *t)
{
    if (t->freed)
        return;
    free(t->send);
    free(t->receive);
}

static const void *send_of(const struct trial *t)
{
    return t->in_place ? MPI_IN_PLACE : t->send;
}

static int call_blocking(struct trial *t)
{
    switch (t->operation) {
    case BARRIER:
        return MPI_Barrier(t->comm);
    case BCAST:
        return MPI_Bcast(t->receive, t->count, t->type, t->root, t->comm);
    case REDUCE:
        return MPI_Reduce(send_of(t), t->receive, t->count, t->type, t->op, t->root, t->comm);
    default:
        return MPI_Allreduce(send_of(t), t->receive, t->count, t->type, t->op, t->comm);
    }
}

static int call_nonblocking(struct trial *t, MPI_Request *request)
{
    switch (t->operation) {
    case BARRIER:
        return MPI_Ibarrier(t->comm, request);
    case BCAST:
        return MPI_Ibcast(t->receive, t->count, t->type, t->root, t->comm, request);
    case REDUCE:
        return MPI_Ireduce(send_of(t), t->receive, t->count, t->type, t->op, t->root, t->comm, request);
    default:
        return MPI_Iallreduce(send_of(t), t->receive, t->count, t->type, t->op, t->comm, request);
    }
}

#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
static int call_init(struct trial *t, MPI_Request *request)
{
    switch (t->operation) {
    case BARRIER:
        return MPIX_Barrier_init(t->comm, MPI_INFO_NULL, request);
    case BCAST:
        return MPIX_Bcast_init(t->receive, t->count, t->type, t->root, t->comm, MPI_INFO_NULL, request);
    case REDUCE:
        return MPIX_Reduce_init(send_of(t), t->receive, t->count, t->type, t->op, t->root, t->comm, MPI_INFO_NULL,
                                request);
    default:
        return MPIX_Allreduce_init(send_of(t), t->receive, t->count, t->type, t->op, t->comm, MPI_INFO_NULL, request);
    }
}
#endif

/* --- Completion, in every way --- */

static void complete_all(int count, MPI_Request *requests)
{
    MPI_Status statuses[2 * CALLS_MAX + 8];
    int indices[2 * CALLS_MAX + 8], way = below(&mine, 9), done = 0, flag = 0, index;

    switch (way) {
    case 0:
        check(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS, "waitall", count);
        return;
    case 1:
        while (!flag)
            MPI_Testall(count, requests, &flag, statuses);
        return;
    case 2:
        for (;;) {
            MPI_Waitany(count, requests, &index, statuses);
            if (index == MPI_UNDEFINED)
                return;
        }
    case 3:
        for (;;) {
            MPI_Testany(count, requests, &index, &flag, statuses);
            if (flag && index == MPI_UNDEFINED)
                return;
        }
    case 4:
        while (done != MPI_UNDEFINED)
            MPI_Waitsome(count, requests, &done, indices, statuses);
        return;
    case 5:
        while (done != MPI_UNDEFINED)
            MPI_Testsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
        return;
    case 6: /* the last first */
        for (int i = count - 1; i >= 0; i--)
            MPI_Wait(&requests[i], statuses);
        return;
    case 7:
        for (int i = 0; i < count; i++)
            for (flag = 0; !flag;)
                MPI_Test(&requests[i], &flag, statuses);
        return;
    default: /* it is over before it is waited for, and stays so */
        for (int i = 0; i < count; i++) {
            for (flag = 0; !flag && requests[i] != MPI_REQUEST_NULL;)
                MPI_Request_get_status(requests[i], &flag, statuses);
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        }
    }
}

/* A freed request's call is over some time: other calls to MPI bring it on. When it no longer needs this rank's buffers
 * nobody can tell: they stay. */
static void await_freed(struct trial *t)
{
    int flag;

    while (!is_right(t))
        MPI_Iprobe(MPI_ANY_SOURCE, 12345, t->comm, &flag, MPI_STATUS_IGNORE);
}

/* --- Batches --- */

static void blocking_between(MPI_Comm comm)
{
    struct trial t;

    trial_draw(&t, comm);
    check(call_blocking(&t) == MPI_SUCCESS, "a blocking call", t.operation);
    free_handles(&t);
    trial_check(&t);
    trial_release(&t);
}

/* A ring of messages of the program's own, with every tag and from any source, among the collectives' requests. */
static int post_messages(MPI_Comm comm, int *buffers, MPI_Request *requests)
{
    int rank, ranks;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    buffers[0] = rank;
    MPI_Irecv(&buffers[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[0]);
    MPI_Issend(&buffers[0], 1, MPI_INT, (rank + 1) % ranks, 3, comm, &requests[1]);
    return 2;
}

static void part_batch(MPI_Comm comm)
{
    struct trial trials[CALLS_MAX];
    MPI_Request requests[CALLS_MAX + 2];
    int count = 1 + below(&shared, CALLS_MAX), posted = 0, buffers[2], rank, ranks;
    bool messages = below(&shared, 3) == 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (messages)
        posted += post_messages(comm, buffers, requests);
    for (int i = 0; i < count; i++) {
        struct trial *t = &trials[i];

        trial_draw(t, comm);
        t->request = &requests[posted++];
        check(call_nonblocking(t, t->request) == MPI_SUCCESS, "a nonblocking call", t->operation);
        check(*t->request != MPI_REQUEST_NULL, "a request", t->operation);
        free_handles(t);
        if (below(&shared, 6) == 0)
            blocking_between(comm);
        if (planned && t->operation != BARRIER && below(&mine, 8) == 0) {
            t->freed = true;
            MPI_Request_free(t->request);
        }
    }
    complete_all(posted, requests);
    if (messages)
        check(buffers[1] == (rank + ranks - 1) % ranks, "a message's data", buffers[1]);
    for (int i = 0; i < count; i++) {
        if (trials[i].freed)
            await_freed(&trials[i]);
        trial_check(&trials[i]);
        trial_release(&trials[i]);
        check(requests[i] == MPI_REQUEST_NULL, "a request is not null afterwards", i);
    }
}

#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
static void start_persistent(int count, MPI_Request *requests)
{
    if (below(&shared, 2) == 0) {
        MPI_Startall(count, requests);
        return;
    }
    for (int i = 0; i < count; i++)
        MPI_Start(&requests[i]);
}

static void part_persistent(MPI_Comm comm)
{
    struct trial trials[CALLS_MAX];
    MPI_Request requests[CALLS_MAX + 2];
    int count = 1 + below(&shared, 6), rank, ranks, out = 5, in = 0, starts = 1 + below(&shared, 4);
    bool freed_active = below(&shared, 3) == 0 && planned;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int i = 0; i < count; i++) {
        trial_draw(&trials[i], comm);
        trials[i].persistent = true;
        check(call_init(&trials[i], &requests[i]) == MPI_SUCCESS, "an init", trials[i].operation);
        if (planned)
            free_handles(&trials[i]);
        freed_active = freed_active && trials[i].operation != BARRIER;
        if (below(&shared, 4) == 0)
            blocking_between(comm);
    }
    MPI_Recv_init(&in, 1, MPI_INT, (rank + ranks - 1) % ranks, 4, comm, &requests[count]);
    MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % ranks, 4, comm, &requests[count + 1]);
    for (int s = 0; s < starts; s++) {
        for (int i = 0; i < count; i++) {
            trials[i].call += 17;
            fill(&trials[i]);
        }
        start_persistent(count + 2, requests);
        if (below(&shared, 3) == 0)
            blocking_between(comm);
        if (s + 1 == starts && freed_active)
            break;
        MPI_Waitall(count + 2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < count; i++)
            trial_check(&trials[i]);
        check(in == 5 && requests[0] != MPI_REQUEST_NULL, "a persistent message", in);
    }
    for (int i = 0; i < count + 2; i++) {
        if (freed_active && i >= count)
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        MPI_Request_free(&requests[i]);
        check(requests[i] == MPI_REQUEST_NULL, "a freed persistent request", i);
    }
    for (int i = 0; i < count; i++) {
        trials[i].freed = freed_active;
        if (freed_active)
            await_freed(&trials[i]);
        trial_check(&trials[i]);
        trial_release(&trials[i]);
        if (!planned)
            free_handles(&trials[i]);
    }
}
#else
static void part_persistent(MPI_Comm comm)
{
    (void)comm;
}
#endif

/* More at once than there are numbers, the root far ahead of the others, who come when it has posted all. */
static void part_ahead(MPI_Comm comm)
{
    enum { MANY = 2500 };
    int rank, ranks, root = below(&shared, 2), token = 0;
    int *data = malloc(sizeof *data * MANY), *sums = malloc(sizeof *sums * MANY);
    MPI_Request *requests = malloc(sizeof *requests * 2 * MANY);

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    root %= ranks;
    for (int r = 0; r < ranks && rank != root && r == 0; r++)
        MPI_Recv(&token, 1, MPI_INT, root, 6, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < MANY; i++) {
        data[i] = rank == root ? 3 * i : -1;
        sums[i] = rank + i;
        MPI_Ibcast(&data[i], 1, MPI_INT, root, comm, &requests[2 * i]);
        requests[2 * i + 1] = MPI_REQUEST_NULL;
        if (i % 50 == 7)
            MPI_Iallreduce(MPI_IN_PLACE, &sums[i], 1, MPI_INT, MPI_SUM, comm, &requests[2 * i + 1]);
    }
    for (int r = 0; r < ranks && rank == root; r++)
        if (r != root)
            MPI_Send(&token, 1, MPI_INT, r, 6, comm);
    MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MANY; i++) {
        check(data[i] == 3 * i, "a bcast far ahead", i);
        if (i % 50 == 7)
            check(sums[i] == ranks * (ranks - 1) / 2 + ranks * i, "an allreduce among them", i);
    }
    free(data);
    free(sums);
    free(requests);
}

/* Ranks that must relay stand in a receive, whose message is sent by the last of the tree once it has its data. */
static void part_relay(MPI_Comm comm)
{
    int rank, ranks, token = 0, count = 1 + below(&shared, 40000), *data;
    MPI_Request request;
    bool late = below(&shared, 2);

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    data = malloc(sizeof *data * (size_t)count);
    for (int i = 0; i < count; i++)
        data[i] = rank == 0 ? i : -1;
    if (late && rank == 0)
        usleep(2000);
    MPI_Ibcast(data, count, MPI_INT, 0, comm, &request);
    if (rank == ranks - 1) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int r = 0; r < ranks - 1; r++)
            MPI_Send(&token, 1, MPI_INT, r, 8, comm);
    } else {
        MPI_Recv(&token, 1, MPI_INT, ranks - 1, 8, comm, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < count; i++)
        check(data[i] == i, "a relayed bcast", i);
    free(data);
}

/* Even ranks go on to a blocking collective at once, odd ones first wait. */
static void part_order(MPI_Comm comm)
{
    struct trial t;
    MPI_Request request;

    trial_draw(&t, comm);
    call_nonblocking(&t, &request);
    free_handles(&t);
    if (t.rank % 2)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    blocking_between(comm);
    if (t.rank % 2 == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    trial_check(&t);
    trial_release(&t);
}

/* A duplicate made without waiting, used without waiting, freed with calls in flight. */
static void part_duplicate(MPI_Comm comm)
{
    struct trial t[3];
    MPI_Request request, requests[3];
    MPI_Comm made;
    bool idup = below(&shared, 3) > 0, freed_early = planned;

    if (idup) {
        MPI_Comm_idup(comm, &made, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Comm_dup(comm, &made);
    }
    if (below(&shared, 3) == 0)
        blocking_between(made);
    for (int i = 0; i < 3; i++) {
        trial_draw(&t[i], made);
        freed_early = freed_early && t[i].operation != BARRIER;
        call_nonblocking(&t[i], &requests[i]);
        free_handles(&t[i]);
    }
    if (below(&shared, 2))
        part_batch(made);
    if (freed_early)
        MPI_Comm_free(&made);
    complete_all(3, requests);
    if (!freed_early)
        MPI_Comm_free(&made);
    for (int i = 0; i < 3; i++) {
        trial_check(&t[i]);
        trial_release(&t[i]);
    }
}

static void part_cancel(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Errhandler handler;
    int one = 1;

    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Iallreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, comm, &request);
    if (planned) /* at one rank the library's own is complete already */
        check(MPI_Cancel(&request) != MPI_SUCCESS, "a collective lets itself be cancelled", 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
}

/* The root sends more than the others take: they are told, by their handler and by the wait. */
static int raised;

static void note_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    raised++;
}

/* Under MPI_ERRORS_RETURN a blocking call returns what the wait for a nonblocking one does. */
static void errors_returned(MPI_Comm comm, int rank)
{
    int data[64] = {0}, count = rank == 0 ? 64 : 32, blocking, nonblocking;
    MPI_Request request;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* which the wait calls */
    MPI_Error_class(MPI_Bcast(data, count, MPI_INT, 0, comm), &blocking);
    MPI_Ibcast(data, count, MPI_INT, 0, comm, &request);
    MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &nonblocking);
    check(blocking == (rank > 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "the class of a blocking call's error", blocking);
    check(nonblocking == blocking, "the class of a nonblocking call's error", nonblocking);
}

static void part_errors(MPI_Comm parent)
{
    bool world_returns = below(&shared, 2);
    int rank, data[64] = {0}, rc;
    MPI_Errhandler handler;
    MPI_Request request;
    MPI_Comm comm;

    MPI_Comm_dup(parent, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, world_returns ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL);
    raised = 0;
    rc = MPI_Ibcast(data, rank == 0 ? 64 : 32, MPI_INT, 0, comm, &request);
    check(rc == MPI_SUCCESS, "the call itself fails", rc);
    rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
    check((rc != MPI_SUCCESS) == (rank > 0 && world_returns), "the wait's return", rc);
    check(raised == (rank > 0), "errors raised", raised);
    rc = MPI_Ibcast(data, 1, MPI_INT, -3, comm, &request);
    check(rc != MPI_SUCCESS && raised == (rank > 0) + 1, "a wrong root", rc);
    errors_returned(comm, rank);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}

/* An exchange between the first rank and the last one, in place or not: Open MPI makes nothing of the others' calls. A
 * communicator made afterwards shows whether all ranks have counted it. */
static void exchange_idle(MPI_Comm parent, bool in_place)
{
    enum { RANKS_MAX = 64 };
    int counts[RANKS_MAX] = {0}, zeros[RANKS_MAX] = {0}, rank, ranks, peer;
    MPI_Datatype types[RANKS_MAX];
    MPI_Request request;
    MPI_Comm comm, made;

    MPI_Comm_dup(parent, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    peer = ranks - 1 - rank;
    for (int r = 0; r < ranks; r++)
        types[r] = MPI_INT;
    counts[peer] = rank == 0 || peer == 0;

    int word = rank;

    MPI_Ialltoallw(in_place ? MPI_IN_PLACE : &rank, counts, zeros, types, &word, counts, zeros, types, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(word == (counts[peer] > 0 ? peer : rank), in_place ? "alltoallw in place" : "alltoallw", word);
    MPI_Comm_dup(comm, &made);
    MPI_Comm_free(&made);
    MPI_Comm_free(&comm);
}

static void part_idle(MPI_Comm parent)
{
    exchange_idle(parent, true);
    exchange_idle(parent, false);
}

static const struct {
    const char *name;
    void (*run)(MPI_Comm comm);
    int batches; /* of as many; 0: only when asked for */
} parts[] = {{"batch", part_batch, 4}, {"persistent", part_persistent, 2}, {"order", part_order, 2},
             {"relay", part_relay, 1}, {"duplicate", part_duplicate, 2},   {"cancel", part_cancel, 1},
             {"ahead", part_ahead, 0}, {"errors", part_errors, 0},         {"idle", part_idle, 0}};

enum { PARTS = sizeof parts / sizeof parts[0], COMMS = 3 };

static int part_draw(void)
{
    int sum = 0, drawn;

    for (int i = 0; i < PARTS; i++)
        sum += parts[i].batches;
    drawn = below(&shared, sum);
    for (int i = 0;; drawn -= parts[i++].batches)
        if (drawn < parts[i].batches)
            return i;
}

/* The batches, or the parts that are asked for, on all ranks' communicators: in order, in reverse, and the world's. */
static void run_all(int argc, char **argv, MPI_Comm *comms, int batches)
{
    for (int b = 0; argc <= 3 && b < batches; b++)
        parts[part_draw()].run(comms[below(&shared, COMMS)]);
    for (int a = 3; a < argc; a++)
        for (int i = 0; i < PARTS; i++)
            for (int b = 0; strcmp(argv[a], parts[i].name) == 0 && b < batches; b++)
                parts[i].run(comms[below(&shared, COMMS)]);
}

/* The same under another map than the job's, on duplicates that have it. */
static void run_under(const char *map, int argc, char **argv, MPI_Comm *comms, int batches)
{
    MPI_Comm duplicates[COMMS];
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "waymark_map", map);
    for (int c = 0; c < COMMS; c++)
        MPI_Comm_dup_with_info(comms[c], info, &duplicates[c]);
    MPI_Info_free(&info);
    run_all(argc, argv, duplicates, batches);
    for (int c = 0; c < COMMS; c++)
        MPI_Comm_free(&duplicates[c]);
    if (world_rank == 0)
        printf("under %s as well\n", map);
}

int main(int argc, char **argv)
{
    MPI_Comm comms[COMMS];
    int seed = argc > 1 ? atoi(argv[1]) : 1, batches = argc > 2 ? atoi(argv[2]) : 20, all, provided;
    char *maps = getenv("REQUESTS_MAPS"), *rest;

    MPI_Init_thread(&argc, &argv, getenv("REQUESTS_MULTIPLE") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    planned = getenv("REQUESTS_PLANNED") != NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comms[1]);
    comms[2] = MPI_COMM_WORLD;
    shared = (uint64_t)seed;
    mine = (uint64_t)seed * 1000 + (uint64_t)world_rank;
    run_all(argc, argv, comms, batches);
    for (char *map = maps ? strtok_r(maps, " ", &rest) : NULL; map != NULL; map = strtok_r(NULL, " ", &rest))
        run_under(map, argc, argv, comms, batches);
    MPI_Allreduce(&wrong_count, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0)
        printf("requests: seed %d, %ld checks at rank 0, %d wrong\n", seed, checked, all);
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
    MPI_Finalize();
    return all != 0;
}
