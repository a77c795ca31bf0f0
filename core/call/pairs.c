/* Pairs: what is sent, and what is received, summed up and, where the sums differ, told. */
#include "core/call/pairs.h"

#include <stdlib.h>
#include <string.h>
#include "core/call/describe.h"
#include "core/call/flaw.h"
#include "core/call/publish.h"
#include "core/call/verify.h"
#include "core/data/allocate.h"
#include "core/data/signature.h"

/* What is between a pair, as one of the two believes. */
struct belief {
    uint64_t bytes, types;   /* types 0: any */
    uint64_t module, offset; /* of the site of the call: a hash of its file's name, and where in there */
};

/* A call's beliefs of what it sends to each rank, and receives from it. */
struct beliefs {
    struct belief *sent, *received;
};

/* What is summed up. */
struct sums {
    uint64_t bytes, types, wild;
};

static struct belief read_block(const struct wm_side *side, int block)
{
    struct wm_side_block b;
    struct wm_signature s;

    if (block >= side->count || wm_side_block(side, block, &b) != MPI_SUCCESS || b.count <= 0)
        return (struct belief){0};
    s = wm_signature_repeat(wm_signature_read(b.type), (uint64_t)b.count);
    return (struct belief){.bytes = s.bytes,
                           .types = s.wild ? 0 : wm_hash_add(wm_hash_add(WM_HASH_BEGIN, s.hash), s.length) | 1};
}

/* What is in place is not sent, but in an exchange: there it goes where as much comes from. */
static struct beliefs read_call(struct wm_comm *c, const struct wm_call *call)
{
    struct belief *all = wm_allocate_zeroed(2 * sizeof *all * (size_t)c->ranks, "counts between ranks");
    struct beliefs b = {all, all + c->ranks};
    struct wm_side send, receive;
    bool in_place = call->send == MPI_IN_PLACE || call->receive == MPI_IN_PLACE;

    wm_describe_sides(c, call, &send, &receive);
    for (int r = 0; r < c->ranks; r++) {
        if (in_place && r == c->rank)
            continue;
        switch (call->operation) {
        case WM_GATHERV:
            b.sent[r] = r == call->root ? read_block(&send, 0) : b.sent[r];
            b.received[r] = read_block(&receive, r);
            break;
        case WM_SCATTERV:
            b.sent[r] = read_block(&send, r);
            b.received[r] = r == call->root ? read_block(&receive, 0) : b.received[r];
            break;
        case WM_ALLGATHERV:
            b.sent[r] = in_place ? read_block(&receive, c->rank) : read_block(&send, 0);
            b.received[r] = read_block(&receive, r);
            break;
        default:
            b.sent[r] = read_block(in_place ? &receive : &send, r);
            b.received[r] = read_block(&receive, r);
        }
    }
    return b;
}

/* --- The sum --- */

static uint64_t number_of(int from, int to, uint64_t value)
{
    return wm_hash_scatter(wm_hash_add(wm_hash_add(WM_HASH_BEGIN, (uint64_t)from << 32 | (uint32_t)to), value));
}

static int add_up(struct wm_comm *c, void *numbers, int count, bool checked)
{
    const struct wm_call call = {.comm = c->user,
                                 .send = MPI_IN_PLACE,
                                 .receive = numbers,
                                 .receive_type = MPI_UINT64_T,
                                 .op = MPI_SUM,
                                 .operation = WM_ALLREDUCE,
                                 .receive_count = count};

    return wm_requests_fly_own(c, &call, checked);
}

static struct sums sum_up(const struct wm_comm *c, const struct beliefs *b)
{
    struct sums s = {0};

    for (int r = 0; r < c->ranks; r++) {
        s.bytes += number_of(c->rank, r, b->sent[r].bytes) - number_of(r, c->rank, b->received[r].bytes);
        s.types += number_of(c->rank, r, b->sent[r].types) - number_of(r, c->rank, b->received[r].types);
        s.wild +=
            (b->sent[r].bytes > 0 && b->sent[r].types == 0) || (b->received[r].bytes > 0 && b->received[r].types == 0);
    }
    return s;
}

/* --- Naming the pairs --- */

static uint64_t name_of(const struct wm_page_module *module)
{
    return wm_hash_add_text(WM_HASH_BEGIN, module->file);
}

/* The same code is at other addresses in other processes. */
static void add_site(struct belief *b, const void *site)
{
    const struct wm_page_module *m =
        wm_published != NULL ? wm_page_find_module(wm_published, (uint64_t)(uintptr_t)site) : NULL;

    if (m == NULL)
        return;
    b->module = name_of(m);
    b->offset = (uint64_t)(uintptr_t)site - m->base;
}

static const void *find_site(const struct belief *b)
{
    for (uint32_t i = 0; wm_published != NULL && i < wm_published->module_count && i < WM_PAGE_MODULES; i++)
        if (name_of(&wm_published->modules[i]) == b->module)
            return (const void *)(uintptr_t)(wm_published->modules[i].base + b->offset);
    return NULL;
}

static void exchange(struct wm_comm *c, struct belief *mine, struct belief *theirs)
{
    const struct wm_call call = {.comm = c->user,
                                 .send = mine,
                                 .receive = theirs,
                                 .send_type = MPI_BYTE,
                                 .receive_type = MPI_BYTE,
                                 .operation = WM_ALLTOALL,
                                 .send_count = sizeof *mine,
                                 .receive_count = sizeof *mine};

    wm_requests_fly_own(c, &call, false);
}

static bool differ(const struct belief *sent, const struct belief *received)
{
    return sent->bytes != received->bytes ||
           (sent->types != received->types && sent->types != 0 && received->types != 0);
}

/* False: nothing differs, or types of as many bytes alone, which is told as well. */
static bool tell(struct wm_comm *c, const struct wm_call *call, int from, const struct belief *sent,
                 const struct belief *received)
{
    bool fails = sent->bytes != received->bytes;
    char name[MPI_MAX_OBJECT_NAME];

    if (!differ(sent, received))
        return false;
    wm_comm_name(c, name);
    wm_flaw_add(
        call->site, find_site(sent),
        "mismatch on @0: %s, call %llu on %.40s (@1): %llu bytes are to come from rank %d, which sends %llu%s (@2)",
        wm_operation_function(call->operation), (unsigned long long)(c->shown != NULL ? c->shown->sequence : 0),
        name[0] != '\0' ? name : "a communicator", (unsigned long long)received->bytes, c->world[from],
        (unsigned long long)sent->bytes, fails ? "" : " of other types");
    return fails;
}

/* All ranks know that something differs. True: the call is to fail. */
static bool name_pairs(struct wm_comm *c, const struct wm_call *call, struct beliefs *b)
{
    struct belief *theirs = wm_allocate_zeroed(sizeof *theirs * (size_t)c->ranks, "counts between ranks");
    uint64_t failed = 0;

    for (int r = 0; r < c->ranks; r++)
        add_site(&b->sent[r], call->site);
    exchange(c, b->sent, theirs);
    for (int r = 0; r < c->ranks; r++)
        failed += tell(c, call, r, &theirs[r], &b->received[r]);
    wm_flaws_await();
    add_up(c, &failed, 1, false);
    free(theirs);
    return failed > 0 && wm_verify_flawed(c);
}

int wm_pairs_compare(struct wm_comm *c, const struct wm_call *call)
{
    const uint32_t forms = WM_OPERATION_BIT(WM_GATHERV) | WM_OPERATION_BIT(WM_SCATTERV) |
                           WM_OPERATION_BIT(WM_ALLGATHERV) | WM_OPERATION_BIT(WM_ALLTOALLV) |
                           WM_OPERATION_BIT(WM_ALLTOALLW);
    struct beliefs b;
    struct sums sums;
    int rc;

    if ((WM_OPERATION_BIT(call->operation) & forms) == 0 ||
        (wm_operation_rooted(call->operation) && (call->root < 0 || call->root >= c->ranks)))
        return MPI_SUCCESS;
    b = read_call(c, call);
    sums = sum_up(c, &b);
    rc = add_up(c, &sums, sizeof sums / sizeof(uint64_t), true);
    if (rc == MPI_SUCCESS && (sums.bytes != 0 || (sums.types != 0 && sums.wild == 0)) && name_pairs(c, call, &b))
        rc = MPI_ERR_COUNT;
    free(b.sent);
    return rc;
}
