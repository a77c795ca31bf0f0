/* Joining: what each rank tells the others, in one allgather. */
#include "core/call/join.h"

#include <stdlib.h>
#include "core/call/cache.h"
#include "core/call/endpoint.h"
#include "core/call/kin.h"
#include "core/call/pool.h"
#include "core/data/allocate.h"
#include "core/node/progress_library.h"

/* What a rank tells the others. */
struct word {
    wm_seed_word seed;
    uint64_t token; /* of an endpoint that it offers; 0: none */
    uint64_t known; /* the hash of the paths that it knows */
};

enum { WORDS = sizeof(struct word) / sizeof(uint64_t) };

struct wm_joining {
    MPI_Request request;
    struct wm_seed seed;
    struct word own, all[];
};

static void be_native(struct wm_comm *c, enum wm_native_reason reason)
{
    c->native_only = true;
    c->native_reason = reason;
}

static bool find_kin(struct wm_comm *c)
{
    char name[MPI_MAX_OBJECT_NAME];
    struct wm_error error;

    wm_comm_name(c, name);
    c->name = wm_comm_name_hash(name);
    if ((c->kin = wm_kin_of(c, c->name, &error)) == NULL) {
        wm_process_fail(c->user, &error, c->rank == 0);
        be_native(c, WM_NATIVE_COMM_FAILED);
        return false;
    }
    c->nodes = c->kin->ground->nodes;
    c->clusters = c->kin->ground->clusters;
    c->uniform = c->kin->ground->uniform;
    c->consecutive = c->kin->ground->consecutive;
    return true;
}

/* Where numbers have run out, those of the pool are needed more. */
static struct wm_seed take_seed(struct wm_kin *kin)
{
    struct wm_seed seed = wm_kin_seed_take(kin);

    if (seed.count == 0 && wm_pool_empty())
        seed = wm_kin_seed_take(kin);
    return seed;
}

static struct wm_joining *new_joining(struct wm_kin *kin)
{
    struct wm_joining *j;

    wm_process_lock(&kin->lock);
    j = kin->joining;
    kin->joining = NULL;
    wm_process_unlock(&kin->lock);
    return j != NULL ? j : wm_allocate(sizeof *j + sizeof j->own * (size_t)kin->ground->ranks, "a communicator");
}

static void free_joining(struct wm_joining *j, struct wm_kin *kin)
{
    struct wm_joining *other;

    wm_process_lock(&kin->lock);
    other = kin->joining;
    kin->joining = j;
    wm_process_unlock(&kin->lock);
    free(other);
}

/* False: it stays native, at all ranks. */
static bool prepare(struct wm_comm *c)
{
    struct wm_joining *j;

    if (!find_kin(c))
        return false;
    c->joining = j = new_joining(c->kin);
    j->request = MPI_REQUEST_NULL;
    if ((c->end = wm_pool_take(c->kin)) != NULL)
        wm_engine_warm(c->end->engine);
    j->seed = take_seed(c->kin);
    j->own.seed = wm_seed_tell(&j->seed);
    j->own.token = c->end != NULL ? c->end->token : 0;
    j->own.known = wm_cache_inherit(c);
    return true;
}

/* New ones: the first is the communicator's, and the others are for later ones. */
static void make_endpoints(struct wm_comm *c, struct wm_joining *j)
{
    const struct wm_seeds seeds = {&j->all[0].seed, WORDS};
    int count = wm_endpoint_count(c->kin, &seeds);

    wm_endpoint_free(c->end);
    c->end = NULL;
    wm_seed_cut(&j->seed, count);
    if (count == 0) {
        be_native(c, WM_NATIVE_NUMBERS);
        return;
    }
    c->end = wm_endpoint_new(c->kin, &seeds, count, c->id);
    wm_pool_stock(c->end->next);
    c->end->next = NULL;
}

/* All have told all: what all offer alike is taken over. */
static void finish(struct wm_comm *c)
{
    struct wm_joining *j = c->joining;
    bool taken_over = j->own.token != 0, known = true;

    for (int r = 0; r < c->ranks; r++) {
        taken_over = taken_over && j->all[r].token == j->own.token;
        known = known && j->all[r].known == j->own.known;
    }
    if (!known) {
        wm_cache_clear(c);
        wm_kin_forget(c->kin);
    }
    if (taken_over)
        wm_kin_seed_keep(c->kin, &j->seed);
    else
        make_endpoints(c, j);
    free_joining(j, c->kin);
    c->joining = NULL;
    c->joined = WM_JOINED;
}

_Noreturn static void fail(void)
{
    struct wm_error error = {0};

    wm_error_set(&error, -WM_EMPI,
                 "the MPI library's allgather failed when a communicator was used for the first time");
    wm_process_abort(&error);
}

static void check(int rc)
{
    if (rc != MPI_SUCCESS)
        fail();
}

void wm_join_begin(struct wm_comm *c)
{
    struct wm_joining *j;

    if (c->joined != WM_NOT_JOINED || !prepare(c))
        return;
    j = c->joining;
    c->joined = WM_JOINING;
    check(PMPI_Iallgather(&j->own, WORDS, MPI_UINT64_T, j->all, WORDS, MPI_UINT64_T, c->user, &j->request));
}

bool wm_join_advance(struct wm_comm *c)
{
    int flag = 0;

    if (c->joined != WM_JOINING)
        return true;
    check(PMPI_Test(&c->joining->request, &flag, MPI_STATUS_IGNORE));
    if (flag)
        finish(c);
    return flag;
}

/* At a place in its program where all ranks are. */
static void join_at_once(struct wm_comm *c)
{
    struct wm_joining *j;

    if (!prepare(c))
        return;
    j = c->joining;
    check(PMPI_Allgather(&j->own, WORDS, MPI_UINT64_T, j->all, WORDS, MPI_UINT64_T, c->user));
    finish(c);
}

void wm_join(struct wm_comm *c)
{
    if (c->joined == WM_NOT_JOINED)
        join_at_once(c);
    while (!wm_join_advance(c))
        wm_progress_idle();
}
