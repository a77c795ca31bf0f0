/* Results: what is given noted, what is got compared. */
#include "core/call/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/call/cache.h"
#include "core/call/flaw.h"
#include "core/call/pairs.h"
#include "core/call/publish.h"
#include "core/data/allocate.h"
#include "core/data/signature.h"

enum way { COPIED, LINEAR, REPEATED, ALIKE, UNSEEN };

struct wm_results {
    enum way way;
    int count;                   /* elements that are given */
    size_t width;                /* of an element, in bytes */
    uint64_t given;              /* LINEAR: their sum */
    char *data;                  /* REPEATED: they themselves */
    struct wm_pair_belief *sent; /* COPIED */
};

/* --- What is given --- */

static enum way way_of(const struct wm_call *call)
{
    const uint32_t copies =
        WM_OPERATION_BIT(WM_BCAST) | WM_GATHER_BITS | WM_SCATTER_BITS | WM_ALLGATHER_BITS | WM_ALLTOALL_BITS;
    const uint32_t reductions = WM_OPERATION_BIT(WM_ALLREDUCE) | WM_OPERATION_BIT(WM_REDUCE) | WM_REDUCE_SCATTER_BITS;
    uint32_t bit = WM_OPERATION_BIT(call->operation);

    if ((bit & copies) != 0)
        return COPIED;
    if ((bit & reductions) == 0 || !wm_geometry_predefined(call->op))
        return UNSEEN;
    switch (wm_signature_number(call->receive_type)) {
    case WM_NUMBER_INTEGER:
        return call->op == MPI_SUM || call->op == MPI_BXOR ? LINEAR : REPEATED;
    case WM_NUMBER_FLOAT:
    case WM_NUMBER_DOUBLE:
        return call->operation == WM_ALLREDUCE ? ALIKE : UNSEEN;
    default:
        return UNSEEN;
    }
}

static int count_given(const struct wm_comm *c, const struct wm_call *call)
{
    int all = 0;

    if (call->operation == WM_REDUCE_SCATTER_BLOCK)
        return call->receive_count * c->ranks;
    if (call->operation != WM_REDUCE_SCATTER)
        return call->receive_count;
    for (int r = 0; r < c->ranks; r++)
        all += call->receive_counts[r];
    return all;
}

/* The elements that this rank gets of those that are given: *first is its first one. */
static int count_got(const struct wm_comm *c, const struct wm_call *call, int *first)
{
    *first = 0;
    if (call->operation == WM_REDUCE && c->rank != call->root)
        return 0;
    if (call->operation == WM_REDUCE_SCATTER_BLOCK)
        *first = call->receive_count * c->rank;
    for (int r = 0; call->operation == WM_REDUCE_SCATTER && r < c->rank; r++)
        *first += call->receive_counts[r];
    return call->operation == WM_REDUCE_SCATTER ? call->receive_counts[c->rank] : call->receive_count;
}

static uint64_t element(const char *at, size_t width)
{
    uint64_t value = 0;

    memcpy(&value, at, width); /* little-endian, as all processors that this is for */
    return value;
}

static uint64_t rotate(uint64_t value, uint64_t by)
{
    return value << (by & 63) | value >> (-by & 63);
}

/* Elements, of which the first has this place, weighted and summed up: an odd weight loses no change of one element. */
static uint64_t sum_up(MPI_Op op, const char *data, int count, size_t width, int first)
{
    uint64_t sum = 0;

    for (int i = 0; i < count; i++) {
        uint64_t value = element(data + (size_t)i * width, width), weight = wm_hash_scatter((uint64_t)(first + i) + 1);

        sum = op == MPI_SUM ? sum + value * (weight | 1) : sum ^ rotate(value, weight);
    }
    return sum;
}

struct wm_results *wm_results_begin(struct wm_comm *c, const struct wm_call *call)
{
    enum way way = !c->native_only && wm_verify_is_sampled(c) ? way_of(call) : UNSEEN;
    const void *given = call->send == MPI_IN_PLACE ? call->receive : call->send;
    struct wm_results *r;
    int width = 0;

    if (way == UNSEEN)
        return NULL;
    r = wm_allocate_zeroed(sizeof *r, "the check of a result");
    r->way = way;
    if (way == COPIED) {
        r->sent = wm_pairs_content(c, call, true);
        return r;
    }
    PMPI_Type_size(call->receive_type, &width);
    r->width = (size_t)width;
    r->count = count_given(c, call);
    if (way == LINEAR)
        r->given = sum_up(call->op, given, r->count, r->width, 0);
    if (way == REPEATED)
        r->data = memcpy(wm_allocate((size_t)r->count * r->width + 1, "the check of a result"), given,
                         (size_t)r->count * r->width);
    return r;
}

/* --- What is got --- */

static const struct wm_path *path_of(struct wm_comm *c, const struct wm_call *call)
{
    const struct wm_path *path = NULL;
    struct wm_described d;

    if (!wm_describe(c, call, &d))
        return NULL;
    path = wm_cache_path(c, &d.facts);
    wm_described_release(&d);
    return path;
}

/* "(allreduce all #:shape 'ring), mine.scm:9:12". */
static const char *place_of(const struct wm_path *path)
{
    if (path == NULL || path->native || wm_published == NULL)
        return "the MPI library";
    return wm_published->wrappers[(uint32_t)path->wrappers[path->stages[0]].node % WM_PAGE_WRAPPERS].text;
}

static void tell(struct wm_comm *c, const struct wm_call *call, const struct wm_path *path, const char *what)
{
    struct wm_flaw_call name;

    wm_flaw_add(call->site, NULL, "wrong result on @0: %s (@1), of %.*s: %s",
                wm_flaw_call(c, call, WM_FORM_BLOCKING, &name), WM_PAGE_WRAPPER_CHARS, place_of(path), what);
}

static bool sum_is_wrong(struct wm_comm *c, const struct wm_call *call, const struct wm_results *r)
{
    bool parts = call->operation == WM_REDUCE_SCATTER || call->operation == WM_REDUCE_SCATTER_BLOCK;
    uint64_t got, sums[2] = {r->given, 0},
                  mask = r->width < 8 && call->op == MPI_SUM ? (UINT64_C(1) << r->width * 8) - 1 : UINT64_MAX;
    int first, count = count_got(c, call, &first);

    got = sums[1] = sum_up(call->op, call->receive, count, r->width, first);
    if (wm_requests_combine(c, sums, 2, call->op, true) != MPI_SUCCESS)
        return false;
    if (parts)
        got = sums[1];
    return (call->operation != WM_REDUCE || c->rank == call->root) && ((got ^ sums[0]) & mask) != 0;
}

static bool repetition_differs(struct wm_comm *c, const struct wm_call *call, const struct wm_results *r)
{
    char *again = wm_allocate((size_t)r->count * r->width + 1, "the check of a result");
    const struct wm_call own = {.comm = c->user,
                                .send = r->data,
                                .receive = again,
                                .receive_type = call->receive_type,
                                .op = call->op,
                                .operation = WM_ALLREDUCE,
                                .receive_count = r->count};
    int first, count = count_got(c, call, &first);
    bool differs = r->count > 0 && wm_requests_fly_own(c, &own, true) == MPI_SUCCESS &&
                   memcmp(again + (size_t)first * r->width, call->receive, (size_t)count * r->width) != 0;

    free(again);
    return differs;
}

/* Of a number: all zeros are one. *nans: counts those that are none. */
static uint64_t value_of(const char *at, size_t width, uint64_t *nans)
{
    double value;
    float narrow;
    uint64_t bits;

    if (width == sizeof narrow) {
        memcpy(&narrow, at, sizeof narrow);
        value = (double)narrow;
    } else {
        memcpy(&value, at, sizeof value);
    }
    *nans += isnan(value);
    memcpy(&bits, &value, sizeof bits);
    return bits << 1 == 0 ? 0 : bits;
}

static bool ranks_differ(struct wm_comm *c, const struct wm_call *call, const struct wm_results *r)
{
    size_t part = wm_signature_number(call->receive_type) == WM_NUMBER_FLOAT ? sizeof(float) : sizeof(double);
    size_t parts = (size_t)r->count * r->width / part;
    uint64_t hash = WM_HASH_BEGIN, words[3] = {0};

    for (size_t i = 0; i < parts; i++)
        hash = wm_hash_add(hash, value_of((const char *)call->receive + i * part, part, &words[2]));
    words[0] = hash;
    words[1] = ~hash;
    return wm_requests_combine(c, words, 3, MPI_MAX, true) == MPI_SUCCESS && words[2] == 0 && words[0] != ~words[1];
}

/* True: it is wrong, and has been told. A rank whose call has failed only takes part, that others do not wait for it.
 */
static bool compare(struct wm_comm *c, const struct wm_call *call, struct wm_results *r, bool failed)
{
    const struct wm_path *path = path_of(c, call);
    const char *what = NULL;

    switch (r->way) {
    case COPIED:
        return wm_pairs_differ(c, call, r->sent, failed ? NULL : place_of(path));
    case LINEAR:
        what = sum_is_wrong(c, call, r) ? "its elements do not add up to those that the ranks gave" : NULL;
        break;
    case REPEATED:
        what = repetition_differs(c, call, r) ? "the same reduction by other messages gives another" : NULL;
        break;
    default:
        what = path != NULL && !path->native && ranks_differ(c, call, r) ? "the ranks have got different ones" : NULL;
    }
    if (what != NULL && !failed)
        tell(c, call, path, what);
    return what != NULL && !failed;
}

int wm_results_end(struct wm_comm *c, const struct wm_call *call, struct wm_results *r, int rc)
{
    bool wrong = false;

    if (c->end != NULL && c->stopped == 0 && (wm_verifies_all_results() || c->checked)) {
        wm_comm_lock(c);
        wrong = compare(c, call, r, rc != MPI_SUCCESS);
        wm_comm_unlock(c);
    }
    free(r->data);
    free(r->sent);
    free(r);
    if (!wrong || !wm_verify_flawed(c))
        return rc;
    PMPI_Comm_call_errhandler(c->user, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
}
