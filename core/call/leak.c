/* Leaks: a table of what is there. */
#include "core/call/leak.h"

#include <stdlib.h>
#include "core/call/flaw.h"
#include "core/call/verify.h"
#include "core/data/allocate.h"
#include "core/data/geometry.h"

struct object {
    struct object *next;
    enum wm_leak kind;
    const void *handle, *site;
    uint64_t number; /* in the order in which they came */
};

enum { BUCKETS = 1024 };
static struct object *objects[BUCKETS];
static uint64_t numbers;
_Atomic bool wm_leaks_kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int end_keyval = MPI_KEYVAL_INVALID, type_keyval = MPI_KEYVAL_INVALID;

static struct object **find(enum wm_leak kind, const void *handle)
{
    struct object **link = &objects[((uintptr_t)handle >> 4) % BUCKETS];

    while (*link != NULL && ((*link)->handle != handle || (*link)->kind != kind))
        link = &(*link)->next;
    return link;
}

void wm_leak_list(enum wm_leak kind, const void *handle, const void *site)
{
    struct object **link, *o;

    wm_process_lock(&lock);
    if (*(link = find(kind, handle)) == NULL) {
        *link = o = wm_allocate(sizeof *o, "an object that is not freed");
        *o = (struct object){.kind = kind, .handle = handle, .site = site, .number = numbers++};
    }
    wm_process_unlock(&lock);
}

void wm_leak_unlist(enum wm_leak kind, const void *handle)
{
    struct object **link, *o;

    wm_process_lock(&lock);
    if ((o = *(link = find(kind, handle))) != NULL) {
        *link = o->next;
        free(o);
    }
    wm_process_unlock(&lock);
}

static void add_type(MPI_Datatype type, const void *site)
{
    if (type == MPI_DATATYPE_NULL || type == 0 || wm_geometry_named(type))
        return;
    PMPI_Type_set_attr(type, type_keyval, NULL);
    wm_leak_add(WM_LEAK_TYPE, type, site);
}

static int type_freed(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)key, (void)value, (void)extra;
    wm_leak_remove(WM_LEAK_TYPE, type);
    return MPI_SUCCESS;
}

void wm_leak_add_call(const struct wm_comm *c, const struct wm_call *call)
{
    bool combines = wm_operation_combines(call->operation), is_root = c->rank == call->root;
    enum wm_flow_kind flow = wm_operation_flow(call->operation);

    if (call->operation == WM_BARRIER)
        return;
    if (combines && call->op != MPI_OP_NULL && !wm_geometry_predefined(call->op))
        wm_leak_add(WM_LEAK_OPERATOR, call->op, call->site);
    if (combines || call->operation == WM_BCAST || flow != WM_FLOW_UP || is_root)
        add_type(call->receive_type, call->site);
    if (!combines && call->operation != WM_BCAST && call->send != MPI_IN_PLACE && (flow != WM_FLOW_DOWN || is_root))
        add_type(call->send_type, call->site);
}

/* --- The end --- */

static void tell(enum wm_leak kind)
{
    static const char *const words[][3] = {[WM_LEAK_REQUEST] = {"request was", "requests were", "completed or freed"},
                                           [WM_LEAK_COMMUNICATOR] = {"communicator was", "communicators were", "freed"},
                                           [WM_LEAK_TYPE] = {"datatype was", "datatypes were", "freed"},
                                           [WM_LEAK_OPERATOR] = {"operator was", "operators were", "freed"}};
    const struct object *first = NULL;
    int count = 0;

    for (int i = 0; i < BUCKETS; i++)
        for (const struct object *o = objects[i]; o != NULL; o = o->next) {
            if (o->kind != kind)
                continue;
            count++;
            if (first == NULL || o->number < first->number)
                first = o;
        }
    if (count > 0)
        wm_flaw_add(first->site, NULL, "leak on @0: %d %s never %s, %sof @1", count, words[kind][count > 1],
                    words[kind][2], count > 1 ? "the first one " : "");
}

/* What is set first on MPI_COMM_SELF is deleted last (MPI 4.1 §11.2.4). */
static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    for (enum wm_leak kind = 0; kind < WM_LEAK_KINDS; kind++)
        tell(kind);
    wm_flaws_await();
    wm_leaks_kept = false;
    return MPI_SUCCESS;
}

void wm_leaks_start(void)
{
    if (!wm_verifies_full() ||
        PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, type_freed, &type_keyval, NULL) != MPI_SUCCESS ||
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &end_keyval, NULL) != MPI_SUCCESS)
        return;
    wm_leaks_kept = true;
    PMPI_Comm_set_attr(MPI_COMM_SELF, end_keyval, NULL);
}
