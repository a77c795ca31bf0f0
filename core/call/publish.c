/* Publishing: the page, communicators, calls. */
#include "core/call/publish.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/data/allocate.h"
#include "core/data/geometry.h"
#include "core/data/signature.h"

struct wm_page *wm_published;

static int type_keyval = MPI_KEYVAL_INVALID;

/* Raised whenever a handle that was looked at is freed, and may come to mean something else. */
static _Atomic uint64_t serial = 1;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* How many communicators of the same ranks in the same order were made here. All their ranks make them in one order,
 * so that the number tells one from another at all of them. */
struct group {
    struct group *next;
    uint64_t hash, made;
};

enum { GROUP_BUCKETS = 256 };
static struct group *groups[GROUP_BUCKETS];

static int type_freed(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type, (void)key, (void)value, (void)extra;
    atomic_fetch_add(&serial, 1);
    return MPI_SUCCESS;
}

void wm_publish_op_free(void)
{
    if (wm_published != NULL)
        atomic_fetch_add(&serial, 1);
}

static void describe_page(uint64_t job)
{
    struct wm_page *page = wm_published;

    page->ranks = wm_process.world_ranks;
    page->threads = wm_process.threads;
    snprintf(page->host, sizeof page->host, "%s", wm_process.places[wm_process.world_rank].host);
    wm_page_begin(page, job);
}

int wm_publish_start(int file, int index, uint64_t job, struct wm_error *error)
{
    wm_published = wm_page_new(file, index, wm_process.world_rank, error);
    if (wm_published == NULL)
        return error->code;
    describe_page(job);
    return PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, type_freed, &type_keyval, NULL) == MPI_SUCCESS
               ? 0
               : wm_error_set(error, -WM_EMPI, "the MPI library gives no attribute key");
}

void wm_publish_stop(void)
{
    if (wm_published == NULL)
        return;
    for (int i = 0; i < GROUP_BUCKETS; i++)
        for (struct group *g; (g = groups[i]) != NULL;) {
            groups[i] = g->next;
            free(g);
        }
    PMPI_Type_free_keyval(&type_keyval);
    __atomic_store_n(&wm_published->state, WM_PAGE_LEAVING, __ATOMIC_RELEASE);
    wm_published = NULL; /* the page itself stays as it is until the process ends */
}

static uint64_t next_of_group(uint64_t hash)
{
    struct group **bucket = &groups[hash % GROUP_BUCKETS], *g;

    for (g = *bucket; g != NULL && g->hash != hash; g = g->next)
        ;
    if (g == NULL) {
        g = wm_allocate_zeroed(sizeof *g, "a communicator");
        g->hash = hash;
        g->next = *bucket;
        *bucket = g;
    }
    return g->made++;
}

static uint64_t identify(const struct wm_comm *comm)
{
    uint64_t hash = WM_HASH_BEGIN;

    for (int r = 0; r < comm->ranks; r++)
        hash = wm_hash_add(hash, (uint64_t)comm->world[r]);
    hash = wm_hash_scatter(wm_hash_add(hash, next_of_group(hash)) ^ wm_published->job);
    return hash != 0 ? hash : 1;
}

/* NULL: there is no more room. */
static struct wm_page_comm *find_room(struct wm_page *page)
{
    for (uint32_t i = 0; i < WM_PAGE_COMMS; i++)
        if (page->comms[i].id == 0) {
            if (i >= page->comm_count)
                page->comm_count = i + 1;
            return &page->comms[i];
        }
    return NULL;
}

void wm_publish_comm(struct wm_comm *comm, const char *name)
{
    struct wm_page_comm *shown;
    uint64_t id;

    if (wm_published == NULL || comm->world == NULL || comm->shown != NULL)
        return;
    pthread_mutex_lock(&lock);
    id = identify(comm);
    if ((shown = find_room(wm_published)) != NULL) {
        *shown = (struct wm_page_comm){.rank = comm->rank, .ranks = comm->ranks, .chain = WM_HASH_BEGIN};
        snprintf(shown->name, sizeof shown->name, "%.*s", (int)sizeof shown->name - 1, name);
        __atomic_store_n(&shown->id, id, __ATOMIC_RELEASE);
    }
    comm->shown = shown;
    pthread_mutex_unlock(&lock);
}

void wm_publish_name(struct wm_comm *comm, const char *name)
{
    if (wm_published != NULL && comm->shown != NULL)
        snprintf(comm->shown->name, sizeof comm->shown->name, "%.*s", (int)sizeof comm->shown->name - 1, name);
}

void wm_publish_gone(struct wm_comm *comm)
{
    if (wm_published != NULL && comm->shown != NULL) {
        wm_post_forget_comm(&wm_published->post, (uint32_t)(comm->shown - wm_published->comms));
        __atomic_store_n(&comm->shown->id, 0, __ATOMIC_RELEASE);
    }
    comm->shown = NULL;
}

void wm_publish_wrapper(int node, const char *label, const char *file, int line, int column)
{
    struct wm_page_wrapper *w = &wm_published->wrappers[(uint32_t)node % WM_PAGE_WRAPPERS];
    const char *slash = strrchr(file, '/');

    wm_process_lock(&lock);
    if (w->node != (uint32_t)node) {
        w->node = 0;
        __atomic_thread_fence(__ATOMIC_RELEASE);
        snprintf(w->text, sizeof w->text, "(%.110s), %.30s:%d:%d", label, slash != NULL ? slash + 1 : file, line,
                 column);
        __atomic_store_n(&w->node, (uint32_t)node, __ATOMIC_RELEASE);
    }
    wm_process_unlock(&lock);
}

/* --- What all ranks must agree upon --- */

/* The counts and types that a rank gives of what they must agree upon. */
enum side { NOTHING, SEND, RECEIVE, BLOCKS };

static enum side side_of(enum wm_operation operation, bool is_root)
{
    switch (operation) {
    case WM_BCAST:
    case WM_REDUCE:
    case WM_ALLREDUCE:
    case WM_ALLGATHER:
    case WM_ALLTOALL:
    case WM_REDUCE_SCATTER_BLOCK:
    case WM_SCAN:
    case WM_EXSCAN:
        return RECEIVE;
    case WM_GATHER:
        return is_root ? RECEIVE : SEND;
    case WM_SCATTER:
        return is_root ? SEND : RECEIVE;
    case WM_ALLGATHERV:
    case WM_REDUCE_SCATTER:
        return BLOCKS;
    default: /* counts are between pairs of ranks */
        return NOTHING;
    }
}

static void name_type(struct wm_page_call *kind, MPI_Datatype type)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;

    if (type != MPI_DATATYPE_NULL && type != 0)
        PMPI_Type_get_name(type, name, &length);
    snprintf(kind->type, sizeof kind->type, "%.*s", (int)sizeof kind->type - 1, name);
}

static void describe_type(struct wm_page_call *kind, MPI_Datatype type, int count)
{
    struct wm_signature signature = wm_signature_repeat(wm_signature_read(type), count > 0 ? (uint64_t)count : 0);

    if (!wm_geometry_named(type)) {
        PMPI_Type_set_attr(type, type_keyval, NULL);
        kind->lasting = false;
    }
    kind->bytes = signature.bytes;
    kind->count = count > 0 ? (uint64_t)count : 0;
    kind->types = signature.wild ? 0 : wm_hash_add(wm_hash_add(WM_HASH_BEGIN, signature.hash), signature.length) | 1;
    name_type(kind, type);
}

static uint64_t describe_operator(struct wm_page_call *kind, MPI_Op op)
{
    static const struct {
        MPI_Op op;
        const char *name;
    } predefined[] = {{MPI_MAX, "max"},  {MPI_MIN, "min"},          {MPI_SUM, "sum"},       {MPI_PROD, "product"},
                      {MPI_LAND, "and"}, {MPI_BAND, "bitwise and"}, {MPI_LOR, "or"},        {MPI_BOR, "bitwise or"},
                      {MPI_LXOR, "xor"}, {MPI_BXOR, "bitwise xor"}, {MPI_MAXLOC, "maxloc"}, {MPI_MINLOC, "minloc"}};
    int commutes = 0;

    for (size_t i = 0; i < sizeof predefined / sizeof predefined[0]; i++)
        if (op == predefined[i].op) {
            snprintf(kind->reduction_name, sizeof kind->reduction_name, "%s", predefined[i].name);
            return i + 1;
        }
    kind->lasting = false;
    if (op != MPI_OP_NULL && op != 0)
        PMPI_Op_commutative(op, &commutes);
    snprintf(kind->reduction_name, sizeof kind->reduction_name, "an operator of its own%s",
             commutes ? "" : " that does not commute");
    return 64 + (uint64_t)commutes;
}

static void find_site(struct wm_page_call *kind)
{
    const struct wm_page_module *module = wm_page_find_module(wm_published, kind->site);

    if (module == NULL && kind->site != 0) {
        wm_page_list_modules(wm_published);
        module = wm_page_find_module(wm_published, kind->site);
    }
    if (module != NULL)
        kind->offset = kind->site - module->base;
}

/* What is the same for all calls that look alike. */
static void describe(struct wm_page_call *kind, const struct wm_comm *comm, const struct wm_call *call)
{
    enum side side = side_of(call->operation, comm->rank == call->root);
    bool rooted = wm_operation_rooted(call->operation);
    uint64_t reduction;

    kind->lasting = true;
    reduction =
        call->operation != WM_BARRIER && wm_operation_combines(call->operation) ? describe_operator(kind, call->op) : 0;
    if (side != NOTHING)
        describe_type(kind, side == SEND ? call->send_type : call->receive_type,
                      side == SEND ? call->send_count : kind->receive_count);
    kind->print = wm_hash_add(WM_HASH_BEGIN, (uint64_t)kind->operation * 4 + kind->form);
    kind->print = wm_hash_add(kind->print, rooted ? (uint64_t)(uint32_t)call->root : 0);
    kind->print = wm_hash_add(kind->print, reduction);
    kind->print = wm_hash_add(kind->print, kind->bytes);
    kind->serial = atomic_load(&serial);
    find_site(kind);
}

/* --- Calls --- */

/* So many places of the table a kind of call may have. */
enum { KIND_PLACES = 8 };

/* What is compared, as a whole. */
static struct wm_page_call key_of(const struct wm_comm *comm, const struct wm_call *call, enum wm_page_form form,
                                  int count)
{
    return (struct wm_page_call){.site = (uint64_t)(uintptr_t)call->site,
                                 .send_type = (uint64_t)(uintptr_t)call->send_type,
                                 .receive_type = (uint64_t)(uintptr_t)call->receive_type,
                                 .reduction = (uint64_t)(uintptr_t)call->op,
                                 .send_count = call->send_count,
                                 .receive_count = count,
                                 .root = call->root,
                                 .operation = (uint8_t)call->operation,
                                 .form = (uint8_t)form,
                                 .comm = (uint8_t)(comm->shown - wm_published->comms),
                                 .id = comm->shown->id};
}

static inline bool matches(const struct wm_page_call *kind, const struct wm_comm *comm, const struct wm_call *call,
                           enum wm_page_form form, int count)
{
    return kind->site == (uint64_t)(uintptr_t)call->site && kind->id == comm->shown->id &&
           kind->operation == call->operation && kind->form == form && kind->receive_count == count &&
           kind->receive_type == (uint64_t)(uintptr_t)call->receive_type && kind->root == call->root &&
           kind->reduction == (uint64_t)(uintptr_t)call->op && kind->send_count == call->send_count &&
           kind->send_type == (uint64_t)(uintptr_t)call->send_type &&
           (kind->lasting || kind->serial == atomic_load_explicit(&serial, memory_order_relaxed));
}

/* Of the places that it may have: an empty one, or that which was not used for longest. */
static __attribute__((noinline)) struct wm_page_call *
replace(uint32_t first, const struct wm_comm *comm, const struct wm_call *call, enum wm_page_form form, int count)
{
    struct wm_page_call *kind = &wm_published->calls[first];

    for (uint32_t i = 1; i < KIND_PLACES && kind->id != 0; i++) {
        struct wm_page_call *other = &wm_published->calls[(first + i) % WM_PAGE_CALLS];

        if (other->id == 0 || other->last < kind->last)
            kind = other;
    }
    kind->id = 0;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    *kind = key_of(comm, call, form, count);
    kind->first = comm->shown->sequence + 1;
    describe(kind, comm, call);
    return kind;
}

static inline struct wm_page_call *find_kind(const struct wm_comm *comm, const struct wm_call *call,
                                             enum wm_page_form form, int count)
{
    uint64_t key = (uint64_t)(uintptr_t)call->site ^ (uint64_t)call->operation << 56 ^
                   (uint64_t)(comm->shown - wm_published->comms) << 48 ^ (uint64_t)(uint32_t)count << 24 ^
                   (uint64_t)(uint32_t)call->root;
    uint32_t first = wm_post_place(key, WM_PAGE_CALLS);

    for (uint32_t i = 0; i < KIND_PLACES; i++) {
        struct wm_page_call *kind = &wm_published->calls[(first + i) % WM_PAGE_CALLS];

        if (__builtin_expect(matches(kind, comm, call, form, count), 1))
            return kind;
    }
    return replace(first, comm, call, form, count);
}

/* The elements of all blocks. */
static int sum_blocks(const struct wm_comm *comm, const struct wm_call *call)
{
    int64_t all = 0;

    for (int r = 0; r < comm->ranks; r++)
        all += call->receive_counts[r];
    return all < INT32_MAX ? (int)all : INT32_MAX;
}

/* The fingerprint, with the blocks' sizes in bytes: ranks may count elements of different types. */
static uint64_t add_blocks(const struct wm_comm *comm, const struct wm_call *call, const struct wm_page_call *kind)
{
    uint64_t element_bytes = kind->count > 0 ? kind->bytes / kind->count : 0, print = kind->print;

    for (int r = 0; r < comm->ranks; r++)
        print = wm_hash_add(print, (uint64_t)(uint32_t)call->receive_counts[r] * element_bytes);
    return print;
}

/* What a call is published as. */
struct look {
    struct wm_page_call *kind;
    uint64_t print;
};

static struct look look_of(const struct wm_comm *comm, const struct wm_call *call, enum wm_page_form form)
{
    bool blocks = call->receive_counts != NULL && side_of(call->operation, false) == BLOCKS;
    int count = blocks ? sum_blocks(comm, call) : call->receive_count;
    struct wm_page_call *kind = find_kind(comm, call, form, count);

    return (struct look){kind, blocks ? add_blocks(comm, call, kind) : kind->print};
}

static inline void publish(const struct wm_comm *comm, struct look look, enum wm_page_form form)
{
    if (look.kind->types == 0 && look.kind->bytes > 0)
        comm->shown->wild++;
    wm_page_add(wm_published, comm->shown, look.kind, look.print);
    if (form == WM_FORM_BLOCKING && !wm_process.threads)
        wm_page_enter(wm_published);
}

void wm_publish_call(const struct wm_comm *comm, const struct wm_call *call, enum wm_page_form form)
{
    wm_process_lock(&lock);
    publish(comm, look_of(comm, call, form), form);
    wm_process_unlock(&lock);
}

/* A place in the table has another first call with each kind that it has on a communicator. */
static inline struct look look_again(const struct wm_late_call *late)
{
    struct wm_last_call *last = late->last;
    struct look look = {last->kind, last->print};

    if (look.kind != NULL && !last->any && look.kind->first == last->kind_first &&
        look.kind->site == (uint64_t)(uintptr_t)late->call->site && look.kind->id == late->comm->shown->id)
        return look;
    look = look_of(late->comm, late->call, WM_FORM_BLOCKING);
    last->kind = look.kind;
    last->kind_first = look.kind->first;
    last->print = look.print;
    return look;
}

void wm_publish_late(void *late_call)
{
    const struct wm_late_call *late = late_call;

    wm_process_lock(&lock);
    publish(late->comm, look_again(late), WM_FORM_BLOCKING);
    wm_process_unlock(&lock);
}

uint64_t wm_publish_foresee(const struct wm_late_call *late)
{
    struct look look;

    wm_process_lock(&lock);
    look = look_again(late);
    wm_process_unlock(&lock);
    return wm_page_chain(late->comm->shown->chain, look.print);
}
