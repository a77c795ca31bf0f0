/* Pairs: what is sent, and what is received, summed up and, where the sums differ, told. */
#include "core/call/pairs.h"

#include <stdlib.h>
#include <string.h>
#include "core/call/buffers.h"
#include "core/call/flaw.h"
#include "core/call/join.h"
#include "core/call/progress.h"
#include "core/call/publish.h"
#include "core/data/allocate.h"
#include "core/data/signature.h"

static const char beliefs[] = "what is between ranks";

/* What is summed up. */
enum { BYTES, TYPES, WILD, SUMS };

/* --- Reading a call --- */

typedef struct wm_pair_belief read_block(const struct wm_side_block *block);

static struct wm_pair_belief read_counts(const struct wm_side_block *b)
{
    struct wm_signature s = wm_signature_repeat(wm_signature_read(b->type), (uint64_t)b->count);

    return (struct wm_pair_belief){.bytes = s.bytes,
                                   .types = s.wild ? 0 : wm_hash_add(wm_hash_add(WM_HASH_BEGIN, s.hash), s.length) | 1};
}

static struct wm_pair_belief read_content(const struct wm_side_block *b)
{
    return (struct wm_pair_belief){.bytes = wm_buffers_sum(b->at, b->count, b->type)};
}

/* The block of a side that is for a rank, or from it; -1: none. What is in place at a root is not sent; in an exchange
 * it goes where as much comes from. */
static int block_of(const struct wm_comm *c, const struct wm_call *call, bool sent, int rank)
{
    bool in_place = call->send == MPI_IN_PLACE || call->receive == MPI_IN_PLACE;

    if (rank == c->rank && (in_place || call->operation == WM_BCAST))
        return -1;
    switch (wm_operation_flow(call->operation)) {
    case WM_FLOW_UP:
        return sent ? (rank == call->root ? 0 : -1) : rank;
    case WM_FLOW_DOWN:
        if (call->operation == WM_BCAST)
            return (sent ? c->rank : rank) == call->root ? 0 : -1;
        return sent ? rank : rank == call->root ? 0 : -1;
    default:
        if (sent && wm_operation_sends_one_block(call->operation))
            return in_place ? c->rank : 0;
        return rank;
    }
}

/* To what is believed of a pair already. */
static void add_block(struct wm_pair_belief *to, const struct wm_side *side, int block, read_block *read)
{
    struct wm_side_block b;
    struct wm_pair_belief more;

    if (block < 0 || block >= side->count || wm_side_block(side, block, &b) != MPI_SUCCESS || b.count <= 0)
        return;
    more = read(&b);
    if (more.bytes == 0)
        return;
    if (to->bytes > 0)
        to->types = to->types != 0 && more.types != 0 ? (to->types + more.types) | 1 : 0;
    else
        to->types = more.types;
    to->bytes += more.bytes;
}

static void add_edges(struct wm_comm *c, const struct wm_call *call, const struct wm_side *side, bool sent,
                      read_block *read, struct wm_pair_belief *all)
{
    const struct wm_neighbours *n = c->neighbours;
    int edges = n == NULL ? 0 : sent ? n->destination_count : n->source_count;

    for (int i = 0; i < edges; i++) {
        int rank = sent ? n->destinations[i] : n->sources[i];

        if (rank >= 0)
            add_block(&all[rank], side, sent && wm_operation_sends_one_block(call->operation) ? 0 : i, read);
    }
}

/* What this rank sends to each, or receives from each. */
static struct wm_pair_belief *read_call(struct wm_comm *c, const struct wm_call *call, bool sent, read_block *read)
{
    struct wm_pair_belief *all = wm_allocate_zeroed(sizeof *all * (size_t)c->ranks, beliefs);
    bool in_receive = !sent || call->send == MPI_IN_PLACE || call->operation == WM_BCAST;
    struct wm_side send, receive;
    const struct wm_side *side = in_receive ? &receive : &send;

    wm_describe_sides(c, call, &send, &receive);
    if (wm_operation_data(call->operation) == WM_DATA_EDGES)
        add_edges(c, call, side, sent, read, all);
    else
        for (int r = 0; r < c->ranks; r++)
            add_block(&all[r], side, block_of(c, call, sent, r), read);
    return all;
}

struct wm_pair_belief *wm_pairs_content(struct wm_comm *c, const struct wm_call *call, bool sent)
{
    return read_call(c, call, sent, read_content);
}

/* --- The sum --- */

static uint64_t number_of(int from, int to, uint64_t value)
{
    return wm_hash_scatter(wm_hash_add(wm_hash_add(WM_HASH_BEGIN, (uint64_t)from << 32 | (uint32_t)to), value));
}

static bool is_wild(const struct wm_pair_belief *b)
{
    return b->bytes > 0 && b->types == 0;
}

static int sum_up(struct wm_comm *c, const struct wm_pair_belief *sent, const struct wm_pair_belief *received,
                  uint64_t sums[SUMS])
{
    memset(sums, 0, SUMS * sizeof *sums);
    for (int r = 0; r < c->ranks; r++) {
        sums[BYTES] += number_of(c->rank, r, sent[r].bytes) - number_of(r, c->rank, received[r].bytes);
        sums[TYPES] += number_of(c->rank, r, sent[r].types) - number_of(r, c->rank, received[r].types);
        sums[WILD] += is_wild(&sent[r]) + is_wild(&received[r]);
    }
    return wm_requests_combine(c, sums, SUMS, MPI_SUM, true);
}

/* --- Naming the pairs --- */

static uint64_t name_of(const struct wm_page_module *module)
{
    return wm_hash_add_text(WM_HASH_BEGIN, module->file);
}

/* The same code is at other addresses in other processes. */
static void add_site(struct wm_pair_belief *b, const void *site)
{
    const struct wm_page_module *m =
        wm_published != NULL ? wm_page_find_module(wm_published, (uint64_t)(uintptr_t)site) : NULL;

    if (m == NULL)
        return;
    b->module = name_of(m);
    b->offset = (uint64_t)(uintptr_t)site - m->base;
}

static const void *find_site(const struct wm_pair_belief *b)
{
    for (uint32_t i = 0; wm_published != NULL && i < wm_published->module_count && i < WM_PAGE_MODULES; i++)
        if (name_of(&wm_published->modules[i]) == b->module)
            return (const void *)(uintptr_t)(wm_published->modules[i].base + b->offset);
    return NULL;
}

/* Tells each rank what is sent to it. */
static struct wm_call exchange_of(const struct wm_comm *c, const struct wm_call *call, struct wm_pair_belief *sent,
                                  struct wm_pair_belief *theirs)
{
    for (int r = 0; r < c->ranks; r++)
        add_site(&sent[r], call->site);
    return (struct wm_call){.comm = c->user,
                            .send = sent,
                            .receive = theirs,
                            .send_type = MPI_BYTE,
                            .receive_type = MPI_BYTE,
                            .operation = WM_ALLTOALL,
                            .send_count = sizeof *sent,
                            .receive_count = sizeof *sent};
}

/* Returns what each sends to this one. */
static struct wm_pair_belief *exchange(struct wm_comm *c, const struct wm_call *call, struct wm_pair_belief *sent)
{
    struct wm_pair_belief *theirs = wm_allocate_zeroed(sizeof *theirs * (size_t)c->ranks, beliefs);
    const struct wm_call own = exchange_of(c, call, sent, theirs);

    wm_requests_fly_own(c, &own, false);
    return theirs;
}

/* False: nothing differs, or types of as many bytes alone, which is told as well. */
static bool tell_counts(const struct wm_comm *c, const char *name, const void *site, int from,
                        const struct wm_pair_belief *sent, const struct wm_pair_belief *received)
{
    bool fails = sent->bytes != received->bytes;

    if (!fails && (sent->types == received->types || sent->types == 0 || received->types == 0))
        return false;
    wm_flaw_add(site, find_site(sent),
                "mismatch on @0: %s (@1): %llu bytes are to come from rank %d, which sends %llu%s (@2)", name,
                (unsigned long long)received->bytes, c->world[from], (unsigned long long)sent->bytes,
                fails ? "" : " of other types");
    return fails;
}

/* Returns how many pairs fail. */
static uint64_t tell_all_counts(const struct wm_comm *c, const char *name, const void *site,
                                const struct wm_pair_belief *sent, const struct wm_pair_belief *received)
{
    uint64_t failed = 0;

    for (int r = 0; r < c->ranks; r++)
        failed += tell_counts(c, name, site, r, &sent[r], &received[r]);
    wm_flaws_await(); /* before another rank ends the job */
    return failed;
}

/* Of other calls a fingerprint has all. */
static bool has_pairs(const struct wm_call *call)
{
    const uint32_t forms = WM_OPERATION_BIT(WM_GATHERV) | WM_OPERATION_BIT(WM_SCATTERV) |
                           WM_OPERATION_BIT(WM_ALLGATHERV) | WM_OPERATION_BIT(WM_ALLTOALLV) |
                           WM_OPERATION_BIT(WM_ALLTOALLW) | WM_NEIGHBOR_BITS;

    return (WM_OPERATION_BIT(call->operation) & forms) != 0;
}

int wm_pairs_compare(struct wm_comm *c, const struct wm_call *call, enum wm_page_form form)
{
    struct wm_pair_belief *sent, *received, *theirs;
    struct wm_flaw_call name;
    uint64_t sums[SUMS], failed;
    int rc;

    if (!has_pairs(call))
        return MPI_SUCCESS;
    sent = read_call(c, call, true, read_counts);
    received = read_call(c, call, false, read_counts);
    rc = sum_up(c, sent, received, sums);
    if (rc == MPI_SUCCESS && (sums[BYTES] != 0 || (sums[TYPES] != 0 && sums[WILD] == 0))) {
        theirs = exchange(c, call, sent);
        failed = tell_all_counts(c, wm_flaw_call(c, call, form, &name), call->site, theirs, received);
        wm_requests_combine(c, &failed, 1, MPI_SUM, false);
        if (failed > 0 && wm_verify_flawed(c))
            rc = MPI_ERR_COUNT;
        free(theirs);
    }
    free(sent);
    free(received);
    return rc;
}

/* --- Beside a nonblocking call --- */

struct beside {
    struct wm_request request;
    struct wm_call exchange;
    struct wm_pair_belief *sent, *received, *theirs;
    struct wm_flaw_call name;
    const void *site;
};

static void compare_beside(struct wm_request *r)
{
    struct beside *b = (struct beside *)r;
    struct wm_comm *c = r->comm;

    if (r->rc == MPI_SUCCESS && tell_all_counts(c, b->name.text, b->site, b->theirs, b->received) > 0 &&
        wm_verify_flawed(c) && c->user != MPI_COMM_NULL)
        PMPI_Comm_call_errhandler(c->user, MPI_ERR_COUNT);
    free(b->sent);
    free(b->received);
    free(b->theirs);
    free(b);
}

void wm_pairs_compare_beside(struct wm_comm *c, const struct wm_call *call, uint32_t sequence)
{
    struct beside *b;

    if (!has_pairs(call))
        return;
    b = wm_allocate_zeroed(sizeof *b, beliefs);
    b->site = call->site;
    wm_flaw_call(c, call, WM_FORM_NONBLOCKING, &b->name);
    b->sent = read_call(c, call, true, read_counts);
    b->received = read_call(c, call, false, read_counts);
    b->theirs = wm_allocate_zeroed(sizeof *b->theirs * (size_t)c->ranks, beliefs);
    b->exchange = exchange_of(c, call, b->sent, b->theirs);
    wm_request_init(&b->request, WM_REQUEST_NONBLOCKING, c, &b->exchange, sequence, 0);
    b->request.own = true;
    b->request.native_rc = MPI_ERR_OTHER; /* it is not the library's to make */
    b->request.over = compare_beside;
    if (!wm_request_describe(&b->request))
        WM_BUG("numbers are no numbers");
    wm_join_begin(c);
    wm_request_enqueue(&b->request);
    wm_progress_begun(c);
    if (c->joined == WM_JOINED && wm_requests_begin(c) && c->native_in_flight == 0)
        wm_requests_end(c); /* all may have come already */
}

static void tell_content(const struct wm_comm *c, const struct wm_call *call, int from,
                         const struct wm_pair_belief *sent, const char *place)
{
    struct wm_flaw_call name;

    wm_flaw_add(call->site, find_site(sent),
                "wrong result on @0: %s (@1), of %.*s: what has come from rank %d is not what it sent (@2)",
                wm_flaw_call(c, call, WM_FORM_BLOCKING, &name), WM_PAGE_WRAPPER_CHARS, place, c->world[from]);
}

bool wm_pairs_differ(struct wm_comm *c, const struct wm_call *call, struct wm_pair_belief *sent, const char *place)
{
    struct wm_pair_belief *received = wm_pairs_content(c, call, false), *theirs;
    uint64_t sums[SUMS];
    bool differs = false;

    if (sum_up(c, sent, received, sums) == MPI_SUCCESS && sums[BYTES] != 0) {
        theirs = exchange(c, call, sent);
        for (int r = 0; r < c->ranks; r++)
            if (place != NULL && theirs[r].bytes != received[r].bytes) {
                tell_content(c, call, r, &theirs[r], place);
                differs = true;
            }
        free(theirs);
    }
    free(received);
    return differs;
}
