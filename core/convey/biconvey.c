/* Biconveyors: their life, and advance. */
#include "waymark/biconvey.h"

#include <mpi.h>
#include <stdlib.h>
#include "core/convey/biconvey_state.h"
#include "core/convey/state.h"

static int fail(struct wm_biconveyor *b, const char *function, int code)
{
    return wm_convey_fail(b == NULL ? NULL : wm_conveyor_of(b->head.queries), function, code);
}

/* ---- constructors ---- */

/* Of `max_bytes` a quarter for the window, the rest for two conveyors. */
static size_t inner_bytes(size_t max_bytes)
{
    return max_bytes == SIZE_MAX ? SIZE_MAX : max_bytes / 8 * 3;
}

/* The conveyors were made: they are steady. */
static struct wm_biconveyor *new_record(convey_t *replies, const convey_alc8r_t *alloc, size_t max_bytes)
{
    struct wm_biconveyor *b = replies != NULL ? calloc(1, sizeof *b) : NULL;
    bool dynamic;

    if (b == NULL)
        return NULL;
    dynamic = (wm_conveyor_of(replies)->wish.options & convey_opt_DYNAMIC) != 0;
    b->ranks = wm_conveyor_of(replies)->ranks;
    b->max_bytes = max_bytes == SIZE_MAX ? SIZE_MAX : max_bytes / 4;
    if (alloc != NULL)
        b->store.alloc = *alloc;
    if (dynamic || wm_convey_store_reserve(&b->store, wm_biconvey_window_reserve(b)))
        return b;
    free(b);
    return NULL;
}

static bool everywhere(MPI_Comm comm, bool here)
{
    int all = here;

    return PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, comm) == MPI_SUCCESS && all;
}

/* Put two conveyors together. NULL ones were complained of. */
static biconvey_t *join(struct wm_biconveyor *b, convey_t *queries, convey_t *replies)
{
    bool both = queries != NULL && replies != NULL; /* the same at all ranks */

    if (both && everywhere(wm_conveyor_of(queries)->comm, b != NULL)) {
        b->head.queries = queries;
        b->replies = replies;
        return &b->head;
    }
    if (both)
        wm_convey_fail(wm_conveyor_of(queries), "biconvey_new", convey_error_ALLOC);
    if (b != NULL)
        wm_convey_store_release(&b->store);
    convey_free(replies);
    convey_free(queries);
    free(b);
    return NULL;
}

biconvey_t *biconvey_new(size_t max_bytes, size_t n_local, const convey_alc8r_t *alloc, uint64_t options)
{
    uint64_t inner = options | convey_opt_PROGRESS;
    convey_t *queries = convey_new(inner_bytes(max_bytes), n_local, alloc, inner);
    convey_t *replies = queries == NULL ? NULL : convey_new(inner_bytes(max_bytes), n_local, alloc, inner);

    return join(new_record(replies, alloc, max_bytes), queries, replies);
}

biconvey_t *biconvey_new_simple(size_t capacity, const convey_alc8r_t *alloc, const convey_mpp_a2a_t *a2a,
                                uint64_t options)
{
    uint64_t inner = options | convey_opt_PROGRESS;
    convey_t *queries = convey_new_simple(capacity, alloc, a2a, inner);
    convey_t *replies = queries == NULL ? NULL : convey_new_simple(capacity, alloc, a2a, inner);

    return join(new_record(replies, alloc, SIZE_MAX), queries, replies);
}

biconvey_t *biconvey_new_tensor(size_t capacity, int order, size_t n_local, size_t n_buffers,
                                const convey_alc8r_t *alloc, uint64_t options)
{
    uint64_t inner = options | convey_opt_PROGRESS;
    convey_t *queries = convey_new_tensor(capacity, order, n_local, n_buffers, alloc, inner), *replies = NULL;

    if (queries != NULL)
        replies = convey_new_tensor(capacity, order, n_local, n_buffers, alloc, inner);
    return join(new_record(replies, alloc, SIZE_MAX), queries, replies);
}

/* ---- begin, reset, free ---- */

/* Bring a conveyor that has begun, and is not used, back. */
static void withdraw(convey_t *c)
{
    while (convey_advance(c, true) > convey_DONE)
        ;
    convey_reset(c);
}

static int begin_conveyors(struct wm_biconveyor *b, size_t query_bytes, size_t reply_bytes)
{
    int rc = convey_begin(b->head.queries, query_bytes, 0);

    if (rc < 0)
        return rc;
    if ((rc = convey_begin(b->replies, reply_bytes, 0)) < 0)
        withdraw(b->head.queries);
    return rc;
}

/* The window, at all ranks or at none. */
static int begin_window(struct wm_biconveyor *b)
{
    if (everywhere(wm_conveyor_of(b->head.queries)->comm, wm_biconvey_window_new(b)))
        return convey_OK;
    wm_biconvey_window_free(b);
    withdraw(b->replies);
    withdraw(b->head.queries);
    return fail(b, "biconvey_begin", convey_error_ALLOC);
}

int biconvey_begin(biconvey_t *biconvey, size_t query_bytes, size_t reply_bytes, wm_biconvey_answer *answer,
                   void *context)
{
    struct wm_biconveyor *b = wm_biconveyor_of(biconvey);
    int rc;

    if (b == NULL)
        return fail(b, __func__, convey_error_NULL);
    if (b->state != convey_DORMANT)
        return fail(b, __func__, convey_error_STATE);
    if (answer == NULL)
        return fail(b, __func__, convey_error_ARGUMENT);
    if ((rc = begin_conveyors(b, query_bytes, reply_bytes)) < 0)
        return rc;
    b->query_bytes = query_bytes;
    b->head.reply_bytes = reply_bytes;
    if ((rc = begin_window(b)) < 0)
        return rc;
    b->answer = answer;
    b->context = context;
    b->work.left = 0;
    b->work.held = false;
    b->queries_over = b->replies_over = false;
    b->together = wm_conveyor_of(b->replies)->design.synchronous;
    b->state = convey_WORKING;
    return convey_OK;
}

int biconvey_reset(biconvey_t *biconvey)
{
    struct wm_biconveyor *b = wm_biconveyor_of(biconvey);
    int replies, queries;

    if (b == NULL)
        return fail(b, __func__, convey_error_NULL);
    if (b->state == convey_DORMANT)
        return convey_OK;
    if (b->state != convey_COMPLETE)
        return fail(b, __func__, convey_error_STATE);
    wm_biconvey_window_free(b);
    replies = convey_reset(b->replies);
    queries = convey_reset(b->head.queries);
    b->state = convey_DORMANT;
    return replies < 0 ? replies : queries;
}

int biconvey_free(biconvey_t *biconvey)
{
    struct wm_biconveyor *b = wm_biconveyor_of(biconvey);
    int replies, queries;

    if (b == NULL)
        return convey_OK;
    if (b->state != convey_DORMANT && b->state != convey_COMPLETE)
        return fail(b, __func__, convey_error_STATE);
    wm_biconvey_window_free(b);
    wm_convey_store_release(&b->store);
    replies = convey_free(b->replies);
    queries = convey_free(b->head.queries);
    free(b);
    return replies < 0 ? replies : queries;
}

/* ---- push and pull, where the inlined ones do not serve ---- */

int wm_biconvey_push(biconvey_t *biconvey, const void *query, int64_t pe)
{
    struct wm_biconveyor *b = wm_biconveyor_of(biconvey);
    int rc;

    if (b == NULL)
        return fail(b, "biconvey_push", convey_error_NULL);
    if (b->state != convey_WORKING)
        return fail(b, "biconvey_push", convey_error_STATE);
    if (pe < 0 || pe >= b->ranks)
        return fail(b, "biconvey_push", convey_error_RANGE);
    if (query == NULL && b->query_bytes > 0)
        return fail(b, "biconvey_push", convey_error_ARGUMENT);
    if (b->head.pushed - b->head.pulled >= b->head.room)
        return convey_FAIL;
    if ((rc = convey_push(b->head.queries, query, pe)) == convey_OK)
        wm_biconvey_note(&b->head, pe);
    return rc;
}

int wm_biconvey_pull(biconvey_t *biconvey, void *reply)
{
    struct wm_biconveyor *b = wm_biconveyor_of(biconvey);

    if (b == NULL)
        return fail(b, "biconvey_pull", convey_error_NULL);
    if (b->state == convey_DORMANT)
        return fail(b, "biconvey_pull", convey_error_STATE);
    if (reply == NULL && b->head.reply_bytes > 0)
        return fail(b, "biconvey_pull", convey_error_ARGUMENT);
    return convey_FAIL;
}

/* ---- advance ---- */

static bool all_pulled(const struct wm_biconveyor *b)
{
    return b->head.pulled == b->head.pushed;
}

/* This rank replies no more. Where all ranks finish together, it is not done before its replies are pulled, so that the
 * conveyor of replies finishes with them. */
static bool replied(const struct wm_biconveyor *b)
{
    return b->queries_over && !wm_biconvey_owes(b) && (!b->together || all_pulled(b));
}

/* Replies are sent on behind the answers, and queries ahead of them. */
static int advance_queries(struct wm_biconveyor *b)
{
    int rc = b->queries_over ? convey_DONE : convey_advance(b->head.queries, b->state != convey_WORKING);

    b->queries_over = rc == convey_DONE;
    return rc < 0 ? rc : wm_biconvey_answer_all(b);
}

static int advance_replies(struct wm_biconveyor *b)
{
    int rc = b->replies_over ? convey_DONE : convey_advance(b->replies, replied(b));

    b->replies_over = rc == convey_DONE;
    if (rc == convey_DONE || rc == convey_NEAR)
        b->state = convey_CLEANUP;
    return rc < 0 || b->replies_over ? rc : wm_biconvey_collect(b);
}

int biconvey_advance(biconvey_t *biconvey, bool done)
{
    struct wm_biconveyor *b = wm_biconveyor_of(biconvey);
    int rc;

    if (b == NULL)
        return fail(b, __func__, convey_error_NULL);
    if (b->state == convey_DORMANT)
        return fail(b, __func__, convey_error_STATE);
    if (done && b->state == convey_WORKING) {
        b->state = convey_ENDGAME;
        b->head.room = 0;
    }
    if ((rc = advance_queries(b)) < 0 || (rc = advance_replies(b)) < 0)
        return rc;
    if (b->replies_over && all_pulled(b))
        b->state = convey_COMPLETE;
    return b->state == convey_COMPLETE ? convey_DONE : b->state == convey_CLEANUP ? convey_NEAR : convey_OK;
}
