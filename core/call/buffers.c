/* Buffers: the bytes of a call, as blocks; who overlaps; sums of what is sent. */
#include "core/call/buffers.h"

#include <stdlib.h>
#include <string.h>
#include "core/call/flaw.h"
#include "core/data/allocate.h"
#include "core/data/geometry.h"

/* A block of the user's that has bytes: from `low` to before `high`, all of them if it is dense, else those that its
 * type has there. */
struct block {
    uintptr_t low, high;
    const char *at;
    int count;
    MPI_Datatype type;
    bool dense, own_type;
};

/* What a call reads, or writes. */
struct blocks {
    struct block *list;
    int count;
    uintptr_t low, high;
};

/* A nonblocking call, or a persistent one. */
struct flying {
    struct flying *next;
    MPI_Request request;
    const struct wm_comm *comm;
    enum wm_operation operation;
    enum wm_page_form form;
    const void *site;
    struct blocks reads, writes;
    uint64_t sum; /* of what it reads, as it was when it began */
};

static struct flying *in_flight, *resting, *newest; /* resting: not started, or over again */

/* --- Blocks --- */

static void add_block(struct blocks *all, const void *at, int count, MPI_Datatype type)
{
    MPI_Aint low, extent, true_low, true_extent, others;
    MPI_Count bytes = 0;
    struct block *b = &all->list[all->count];

    if (count <= 0 || type == MPI_DATATYPE_NULL || type == 0 || PMPI_Type_size_x(type, &bytes) != MPI_SUCCESS ||
        bytes <= 0)
        return;
    PMPI_Type_get_extent(type, &low, &extent);
    PMPI_Type_get_true_extent(type, &true_low, &true_extent);
    others = (count - 1) * extent;
    *b = (struct block){.low = (uintptr_t)at + (uintptr_t)(true_low + (others < 0 ? others : 0)),
                        .at = at,
                        .count = count,
                        .type = type,
                        .dense = true_extent == bytes && (count == 1 || extent == bytes)};
    b->high = b->low + (uintptr_t)(true_extent + (others < 0 ? -others : others));
    if (all->count++ == 0 || b->low < all->low)
        all->low = b->low;
    if (b->high > all->high)
        all->high = b->high;
}

static void add_side(struct blocks *all, const struct wm_side *side)
{
    struct wm_side_block block;

    for (int i = 0; i < side->count; i++)
        if (wm_side_block(side, i, &block) == MPI_SUCCESS)
            add_block(all, block.at, block.count, block.type);
}

static void make_room(struct blocks *all, int count)
{
    *all = (struct blocks){.list = wm_allocate(sizeof *all->list * (size_t)(count + 1), "the buffers of a call")};
}

static void release(struct blocks *all)
{
    for (int i = 0; i < all->count; i++)
        if (all->list[i].own_type)
            PMPI_Type_free(&all->list[i].type);
    free(all->list);
}

static int sum_counts(const struct wm_comm *c, const struct wm_call *call)
{
    int sum = 0;

    for (int r = 0; r < c->ranks; r++)
        sum += call->receive_counts[r];
    return sum;
}

static void find_combined(const struct wm_comm *c, const struct wm_call *call, struct blocks *reads,
                          struct blocks *writes)
{
    int in = call->receive_count, out = call->receive_count;

    if (call->operation == WM_REDUCE_SCATTER) {
        in = sum_counts(c, call);
        out = call->receive_counts[c->rank];
    } else if (call->operation == WM_REDUCE_SCATTER_BLOCK) {
        in *= c->ranks;
    }
    make_room(reads, 1);
    make_room(writes, 1);
    if (call->send == MPI_IN_PLACE)
        out = in; /* which it has read there */
    else
        add_block(reads, call->send, in, call->receive_type);
    if (call->operation != WM_REDUCE || call->root == c->rank)
        add_block(writes, call->receive, out, call->receive_type);
}

static void find_blocks(struct wm_comm *c, const struct wm_call *call, struct blocks *reads, struct blocks *writes)
{
    struct wm_side send, receive;

    *reads = *writes = (struct blocks){0};
    if (call->operation == WM_BARRIER)
        return;
    if (wm_operation_combines(call->operation)) {
        find_combined(c, call, reads, writes);
        return;
    }
    wm_describe_sides(c, call, &send, &receive);
    make_room(reads, send.count + receive.count);
    make_room(writes, receive.count);
    add_side(reads, &send);
    add_side(call->operation == WM_BCAST && c->rank == call->root ? reads : writes, &receive);
}

/* --- Who overlaps --- */

/* Mark the bytes of a block that lie from `low` to before `high`. */
static void mark(const struct block *b, uintptr_t low, uintptr_t high, unsigned char *marks)
{
    int position = 0;
    MPI_Count bytes;
    unsigned char *box, *packed;

    if (b->dense) {
        memset(marks, 1, high - low);
        return;
    }
    PMPI_Type_size_x(b->type, &bytes);
    bytes *= b->count;
    packed = wm_allocate((size_t)bytes, "marks of bytes");
    box = wm_allocate_zeroed(b->high - b->low, "marks of bytes");
    memset(packed, 1, (size_t)bytes);
    PMPI_Unpack(packed, (int)bytes, &position, box + ((uintptr_t)b->at - b->low), b->count, b->type, wm_geometry_own());
    memcpy(marks, box + (low - b->low), high - low);
    free(packed);
    free(box);
}

/* Both have a byte there. */
static bool have_common(const struct block *a, const struct block *b)
{
    uintptr_t low = a->low > b->low ? a->low : b->low, high = a->high < b->high ? a->high : b->high;
    unsigned char *marks;
    bool common = false;

    if (low >= high || (a->dense && b->dense))
        return low < high;
    marks = wm_allocate_zeroed(2 * (high - low), "marks of bytes");
    mark(a, low, high, marks);
    mark(b, low, high, marks + (high - low));
    for (uintptr_t i = 0; i < high - low && !common; i++)
        common = marks[i] && marks[high - low + i];
    free(marks);
    return common;
}

static bool overlap(const struct blocks *a, const struct blocks *b)
{
    if (a->count == 0 || b->count == 0 || a->low >= b->high || b->low >= a->high)
        return false;
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++)
            if (have_common(&a->list[i], &b->list[k]))
                return true;
    return false;
}

/* --- What is said --- */

struct name {
    char text[48];
};

static const char *name_of(const struct flying *f, struct name *name)
{
    return wm_flaw_function(f->operation, f->form, name->text, sizeof name->text);
}

static bool tell_within(const struct flying *f)
{
    struct name name;

    if (!overlap(&f->reads, &f->writes))
        return false;
    wm_flaw_add(f->site, NULL, "overlap on @0: the send and the receive buffer of %s (@1) have bytes in common",
                name_of(f, &name));
    return true;
}

static bool tell_between(const struct flying *f, const struct flying *other)
{
    bool receives = overlap(&f->writes, &other->reads) || overlap(&f->writes, &other->writes);
    struct name name, other_name;

    if (!receives && !overlap(&f->reads, &other->writes))
        return false;
    wm_flaw_add(
        f->site, other->site,
        "overlap on @0: the %s buffer of %s (@1) has bytes in common with %s buffer of %s (@2), which is in flight",
        receives ? "receive" : "send", name_of(f, &name),
        receives && overlap(&f->writes, &other->reads) ? "the send" : "the receive", name_of(other, &other_name));
    return true;
}

/* --- Sums --- */

static uint64_t add_bytes(uint64_t sum, const char *data, size_t bytes)
{
    uint64_t word;

    for (; bytes >= sizeof word; bytes -= sizeof word, data += sizeof word) {
        memcpy(&word, data, sizeof word);
        sum = wm_hash_add(sum, word);
    }
    for (; bytes > 0; bytes--)
        sum = wm_hash_add(sum, (unsigned char)*data++);
    return sum;
}

static uint64_t add_packed(uint64_t sum, const void *at, int count, MPI_Datatype type)
{
    MPI_Count bytes;
    int position = 0;
    char *packed;

    PMPI_Type_size_x(type, &bytes);
    bytes *= count;
    packed = wm_allocate((size_t)bytes + 1, "the data of a call");
    PMPI_Pack(at, count, type, packed, (int)bytes, &position, wm_geometry_own());
    sum = add_bytes(sum, packed, (size_t)position);
    free(packed);
    return sum;
}

uint64_t wm_buffers_sum(const void *at, int count, MPI_Datatype type)
{
    struct wm_geometry g;
    bool known = wm_geometry_read(&g, type) == MPI_SUCCESS;

    if (known && (count <= 0 || g.size == 0))
        return 0;
    if (known && g.packed)
        return add_bytes(WM_HASH_BEGIN, at, (size_t)count * g.size);
    return add_packed(WM_HASH_BEGIN, at, count, type);
}

static uint64_t sum_of(const struct blocks *all)
{
    uint64_t sum = WM_HASH_BEGIN;

    for (int i = 0; i < all->count; i++) {
        const struct block *b = &all->list[i];

        sum = b->dense ? add_bytes(sum, (const char *)b->low, b->high - b->low)
                       : add_packed(sum, b->at, b->count, b->type);
    }
    return sum;
}

/* --- Calls --- */

static void free_flying(struct flying *f)
{
    release(&f->reads);
    release(&f->writes);
    free(f);
}

/* The user may free a type while its call is in flight. */
static void keep_types(struct blocks *all)
{
    for (int i = 0; i < all->count; i++)
        if (!all->list[i].dense && !wm_geometry_named(all->list[i].type))
            all->list[i].own_type = PMPI_Type_dup(all->list[i].type, &all->list[i].type) == MPI_SUCCESS;
}

/* It may come to have a request; one whose call failed has none. */
static void keep(struct flying *f)
{
    if (newest != NULL)
        free_flying(newest);
    keep_types(&f->reads);
    keep_types(&f->writes);
    newest = f;
}

static struct flying **find(struct flying **list, MPI_Request request)
{
    while (*list != NULL && (*list)->request != request)
        list = &(*list)->next;
    return list;
}

static struct flying *take(struct flying **link)
{
    struct flying *f = *link;

    if (f != NULL)
        *link = f->next;
    return f;
}

static void put(struct flying **list, struct flying *f)
{
    f->next = *list;
    *list = f;
}

static void fly(struct flying *f)
{
    f->sum = sum_of(&f->reads);
    put(&in_flight, f);
}

static int raise_flaw(const struct wm_comm *c)
{
    if (!wm_verify_flawed(c))
        return MPI_SUCCESS;
    if (c->user != MPI_COMM_NULL)
        PMPI_Comm_call_errhandler(c->user, MPI_ERR_BUFFER);
    return MPI_ERR_BUFFER;
}

static bool tell_in_flight(const struct flying *f)
{
    bool flawed = false;

    for (const struct flying *other = in_flight; other != NULL; other = other->next)
        flawed = tell_between(f, other) || flawed;
    return flawed;
}

int wm_buffers_check(struct wm_comm *c, const struct wm_call *call, enum wm_page_form form)
{
    struct flying *f = wm_allocate_zeroed(sizeof *f, "the buffers of a call");
    bool flawed;

    *f = (struct flying){.comm = c, .operation = call->operation, .form = form, .site = call->site};
    wm_leak_add_call(c, call);
    find_blocks(c, call, &f->reads, &f->writes);
    flawed = tell_within(f);
    if (form != WM_FORM_PERSISTENT)
        flawed = tell_in_flight(f) || flawed;
    if (form == WM_FORM_BLOCKING || wm_process.threads)
        free_flying(f);
    else
        keep(f);
    return flawed ? raise_flaw(c) : MPI_SUCCESS;
}

void wm_buffers_began(MPI_Request request)
{
    if (newest == NULL)
        return;
    newest->request = request;
    if (newest->form == WM_FORM_PERSISTENT)
        put(&resting, newest);
    else
        fly(newest);
    newest = NULL;
}

int wm_buffers_start(MPI_Request request)
{
    struct flying *f = take(find(&resting, request));
    bool flawed;

    if (f == NULL)
        return MPI_SUCCESS;
    flawed = tell_in_flight(f);
    fly(f);
    return flawed ? raise_flaw(f->comm) : MPI_SUCCESS;
}

void wm_buffers_over(MPI_Request request, const void *site)
{
    struct flying *f = take(find(&in_flight, request));
    struct name name;

    if (f == NULL)
        return;
    if (sum_of(&f->reads) != f->sum) {
        wm_flaw_add(f->site, site,
                    "changed on @0: the send buffer of %s (@1) has been written to before the call was complete (@2)",
                    name_of(f, &name));
        raise_flaw(f->comm);
    }
    if (f->form == WM_FORM_PERSISTENT)
        put(&resting, f);
    else
        free_flying(f);
}

/* Started, it is in flight until it is over, when nobody asks any more: it goes now. */
void wm_buffers_free(MPI_Request request)
{
    struct flying *f = take(find(&resting, request));

    if (f == NULL)
        f = take(find(&in_flight, request));
    if (f != NULL)
        free_flying(f);
}

static void forget(struct flying **list, const struct wm_comm *c)
{
    while (*list != NULL)
        if ((*list)->comm == c)
            free_flying(take(list));
        else
            list = &(*list)->next;
}

void wm_buffers_forget(const struct wm_comm *c)
{
    forget(&in_flight, c);
    forget(&resting, c);
}
