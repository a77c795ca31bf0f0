/* Constructors of conveyors: communicator, grid and memory of the node. */
#include <stdio.h>
#include <stdlib.h>
#include "core/call/over.h"
#include "core/data/own_comm.h"
#include "core/convey/state.h"
#include "core/convey/trace.h"
#include "core/data/allocate.h"
#include "waymark/convey_comm.h"
#include "core/process/machine.h"
#include "core/process/process.h"
#include "waymark/runtime.h"

enum { LEAST_CAPACITY = 1, TENSOR_BUFFERS_MAX = WM_CONVEY_BUFFERS_MAX };

const char convey_version[] = PACKAGE_VERSION;

/* The communicator that a conveyor over MPI_COMM_WORLD had, for the next one: to make and free one takes the library
 * longer than all else takes in a constructor. Of several the one made first is kept, so that ranks agree in whatever
 * order they free theirs; threads that make and free at the same time would not. It goes in MPI_Finalize. */
static struct {
    MPI_Comm comm;
    unsigned number; /* in the order of making */
} spare = {MPI_COMM_NULL, 0};

static bool may_spare(MPI_Comm user)
{
    int threads;

    PMPI_Query_thread(&threads);
    return user == MPI_COMM_WORLD && threads != MPI_THREAD_MULTIPLE;
}

static void free_comm(struct wm_conveyor *c)
{
    MPI_Comm other = c->comm;

    if (c->comm_number > 0 && (spare.comm == MPI_COMM_NULL || c->comm_number < spare.number)) {
        other = spare.comm;
        spare.comm = c->comm;
        spare.number = c->comm_number;
    }
    if (other != MPI_COMM_NULL)
        PMPI_Comm_free(&other);
}

static bool take_spare(struct wm_conveyor *c)
{
    if (spare.comm == MPI_COMM_NULL)
        return false;
    c->comm = spare.comm;
    c->comm_number = spare.number;
    spare.comm = MPI_COMM_NULL;
    return true;
}

static int make_comm(struct wm_conveyor *c, MPI_Comm user)
{
    static unsigned made;
    bool of_world = may_spare(user);

    if (!of_world || !take_spare(c)) {
        if (wm_own_comm_make(user, &c->comm) != MPI_SUCCESS)
            return convey_error_MPI;
        c->comm_number = of_world ? ++made : 0;
    }
    PMPI_Comm_rank(c->comm, &c->rank);
    PMPI_Comm_size(c->comm, &c->ranks);
    return 0;
}

/* Groups of `n_local` neighbouring ranks, or the machine's nodes. */
static json_t *grid_spec(const struct wm_convey_wish *wish)
{
    if (wish->n_local == 0)
        return json_null();
    return json_pack("[{ss}, {ss, si}]", "axis", "node", "axis", "core", "count", (int)wish->n_local);
}

static int make_grid(struct wm_conveyor *c)
{
    struct wm_place *places = calloc((size_t)c->ranks, sizeof *places);
    json_t *spec = grid_spec(&c->wish);
    struct wm_error error = {0};
    bool known = false;
    int rc = places == NULL || wm_machine_places_of(c->comm, c->ranks, places, &known) < 0 ? convey_error_ALLOC : 0;

    if (rc == 0) {
        c->nodes = wm_grid_count_nodes(places, c->ranks);
        c->node = wm_node_new(known ? places : NULL, c->ranks, c->rank);
        for (int r = 0; c->wish.n_local > 0 && r < c->ranks; r++)
            places[r].world_rank = r; /* counts go by the ranks of the communicator */
        if (wm_grid_init(&c->grid, spec, c->ranks, places, &error) < 0)
            rc = convey_error_ARGUMENT;
    }
    json_decref(spec);
    free(places);
    return rc;
}

void wm_conveyor_release(struct wm_conveyor *c)
{
    for (int hop = 0; hop < WM_ROUTE_HOPS_MAX; hop++)
        free(c->own_rings[hop]);
    wm_node_free(c->node);
    wm_grid_release(&c->grid);
    wm_path_free(c->path);
    wm_convey_store_release(&c->store);
    wm_convey_trace_free(c->trace);
    free(c->bounce);
    free_comm(c);
    free(c);
}

/* Rank 0's name is the one. */
static bool name_fits(const struct wm_conveyor *c)
{
    return c->rank > 0 || c->wish.name_fits;
}

/* One rank's failure is everybody's. */
static int worst_of(const struct wm_conveyor *c, int rc)
{
    int worst = rc;

    if (c->comm != MPI_COMM_NULL)
        PMPI_Allreduce(&rc, &worst, 1, MPI_INT, MPI_MIN, c->comm);
    return worst;
}

static int fill(struct wm_conveyor *c, MPI_Comm user, int fault)
{
    int rc = make_comm(c, user);

    if (rc == 0)
        rc = fault < 0 ? fault : make_grid(c);
    rc = worst_of(c, rc == 0 && !name_fits(c) ? convey_error_ARGUMENT : rc);
    if (rc == 0) { /* all ranks are here: none receives for the communicator's conveyor before */
        wm_node_share_area(c->node, c->comm);
        rc = wm_convey_design_choose(c);
    }
    if (rc == 0)
        c->record = wm_comm_ruled(user, WM_CONVEYOR);
    return rc;
}

/* For traces. */
static void name(struct wm_conveyor *c, const char *constructor)
{
    static unsigned made;

    made++;
    if (c->wish.name[0] != '\0')
        snprintf(c->title, sizeof c->title, "%s", c->wish.name);
    else
        snprintf(c->title, sizeof c->title, "%s %u", constructor, made);
}

static convey_t *make(MPI_Comm user, const struct wm_convey_wish *wish, int fault, const char *function)
{
    struct wm_conveyor *c = wm_allocate_zeroed(sizeof *c, "a conveyor");
    int rc;

    c->comm = MPI_COMM_NULL;
    c->wish = *wish;
    c->store.alloc = wish->alloc;
    name(c, function);
    if ((rc = fill(c, user, fault)) < 0) {
        if (c->rank == 0)
            wm_convey_fail(c, function, rc);
        wm_conveyor_release(c);
        return NULL;
    }
    return &c->head;
}

static size_t environment(const char *name)
{
    const char *text = getenv(name);
    long long value = text != NULL ? atoll(text) : 0;

    return value > 0 ? (size_t)value : 0;
}

static struct wm_convey_wish wish_of(const convey_alc8r_t *alloc, uint64_t options)
{
    struct wm_convey_wish wish = {.max_bytes = SIZE_MAX, .options = options, .name_fits = true};

    if (alloc != NULL)
        wish.alloc = *alloc;
    wm_convey_design_default(&wish.design);
    wish.design.hops = 0;
    if (environment("CONVEY_BUFFER_SIZE") > 0)
        wish.design.buffer_bytes = environment("CONVEY_BUFFER_SIZE");
    return wish;
}

static int world_size(void)
{
    int size;

    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

/* Groups that do not divide the ranks are none. */
static size_t local_of(size_t n_local, int ranks)
{
    if (n_local == 0)
        n_local = environment("CONVEY_NLOCAL");
    return n_local > 0 && (size_t)ranks % n_local == 0 ? n_local : 0;
}

static convey_t *make_chosen(MPI_Comm comm, struct wm_convey_wish *wish, size_t n_local, const char *function)
{
    int ranks, fault = wish->elastic && wish->item_bound >= WM_CONVEY_ITEM_MAX ? convey_error_ARGUMENT : 0;

    PMPI_Comm_size(comm, &ranks);
    wish->n_local = local_of(n_local, ranks);
    return make(comm, wish, fault, function);
}

convey_t *convey_new(size_t max_bytes, size_t n_local, const convey_alc8r_t *alloc, uint64_t options)
{
    struct wm_convey_wish wish = wish_of(alloc, options);

    wish.max_bytes = max_bytes;
    return make_chosen(MPI_COMM_WORLD, &wish, n_local, "convey_new");
}

convey_t *convey_new_elastic(size_t item_bound, size_t max_bytes, size_t n_local, const convey_alc8r_t *alloc,
                             uint64_t options)
{
    struct wm_convey_wish wish = wish_of(alloc, options);

    wish.max_bytes = max_bytes;
    wish.elastic = true;
    wish.item_bound = item_bound;
    return make_chosen(MPI_COMM_WORLD, &wish, n_local, "convey_new_elastic");
}

static convey_t *make_named(MPI_Comm comm, const char *name, struct wm_convey_wish *wish, const char *function)
{
    if (comm == MPI_COMM_NULL) {
        if ((wish->options & convey_opt_QUIET) == 0)
            wm_convey_fail(NULL, function, convey_error_ARGUMENT);
        return NULL;
    }
    wish->name_fits = name == NULL || strlen(name) < sizeof wish->name;
    snprintf(wish->name, sizeof wish->name, "%s", name != NULL && wish->name_fits ? name : "");
    return make_chosen(comm, wish, 0, function);
}

convey_t *wm_convey_new_with(MPI_Comm comm, const char *name, size_t item_bound, size_t max_bytes,
                             const convey_alc8r_t *alloc, uint64_t options)
{
    struct wm_convey_wish wish = wish_of(alloc, options);

    wish.max_bytes = max_bytes;
    wish.elastic = item_bound > 0;
    wish.item_bound = item_bound;
    return make_named(comm, name, &wish, "wm_convey_new_with");
}

convey_t *wm_convey_new(MPI_Comm comm, const char *name)
{
    struct wm_convey_wish wish = wish_of(NULL, 0);

    return make_named(comm, name, &wish, "wm_convey_new");
}

convey_t *wm_convey_new_elastic(MPI_Comm comm, const char *name, size_t item_bound)
{
    struct wm_convey_wish wish = wish_of(NULL, 0);

    wish.elastic = true;
    wish.item_bound = item_bound;
    return make_named(comm, name, &wish, "wm_convey_new_elastic");
}

/* Axes of a grid of groups, {node, core}: 0 and 1. */
enum { GROUP, MEMBER };

static void set_hops(struct wm_convey_design *d, int count, int first, int second, int third)
{
    int axes[] = {first, second, third};

    d->hops = count;
    for (int i = 0; i < count; i++)
        d->axes[i] = axes[i];
}

static convey_t *make_told(struct wm_convey_wish *wish, int fault, const char *function)
{
    if (wish->design.buffer_bytes < LEAST_CAPACITY)
        fault = convey_error_ARGUMENT;
    return make(MPI_COMM_WORLD, wish, fault, function);
}

convey_t *convey_new_simple(size_t capacity, const convey_alc8r_t *alloc, const convey_mpp_a2a_t *a2a, uint64_t options)
{
    struct wm_convey_wish wish = wish_of(alloc, options);

    (void)a2a;
    wish.design.buffer_bytes = capacity;
    wish.design.synchronous = true;
    set_hops(&wish.design, 1, WM_AXIS_ALL, 0, 0);
    return make_told(&wish, 0, "convey_new_simple");
}

convey_t *convey_new_twohop(size_t capacity, size_t row_procs, const convey_alc8r_t *alloc, uint64_t options)
{
    struct wm_convey_wish wish = wish_of(alloc, options);
    int fault = row_procs == 0 || (size_t)world_size() % row_procs != 0 ? convey_error_ARGUMENT : 0;

    wish.design.buffer_bytes = capacity;
    wish.design.synchronous = true;
    wish.n_local = fault == 0 ? row_procs : 1;
    set_hops(&wish.design, 2, MEMBER, GROUP, 0);
    return make_told(&wish, fault, "convey_new_twohop");
}

static int tensor_hops(struct wm_convey_wish *wish, size_t capacity, int order, size_t n_local, size_t n_buffers)
{
    size_t local = n_local > 0 ? n_local : local_of(0, world_size());

    if (order < 1 || order > 3 || n_buffers < 1 || n_buffers > TENSOR_BUFFERS_MAX)
        return convey_error_ARGUMENT;
    wish->design.buffer_bytes = capacity;
    wish->design.buffers = (int)n_buffers;
    if (order == 1) {
        set_hops(&wish->design, 1, WM_AXIS_ALL, 0, 0);
        return 0;
    }
    if (local == 0)
        local = 1;
    if ((size_t)world_size() % local != 0)
        return convey_error_ARGUMENT;
    wish->n_local = local;
    set_hops(&wish->design, order, MEMBER, GROUP, MEMBER);
    return 0;
}

convey_t *convey_new_tensor(size_t capacity, int order, size_t n_local, size_t n_buffers, const convey_alc8r_t *alloc,
                            uint64_t options)
{
    struct wm_convey_wish wish = wish_of(alloc, options);
    int fault = tensor_hops(&wish, capacity, order, n_local, n_buffers);

    return make_told(&wish, fault, "convey_new_tensor");
}

convey_t *convey_new_etensor(size_t buffer_bytes, size_t monster_bytes, int order, size_t n_local, size_t n_buffers,
                             const convey_alc8r_t *alloc, uint64_t options)
{
    struct wm_convey_wish wish = wish_of(alloc, options);
    int fault = tensor_hops(&wish, buffer_bytes, order, n_local, n_buffers);

    wish.elastic = true;
    wish.item_bound = monster_bytes;
    if (monster_bytes >= WM_CONVEY_ITEM_MAX)
        fault = convey_error_ARGUMENT;
    return make_told(&wish, fault, "convey_new_etensor");
}

static bool is_whole(const convey_codec_t *codec)
{
    return codec == NULL || (codec->plan != NULL && codec->compress != NULL && codec->decompress != NULL);
}

int convey_set_codec(convey_t *self, const convey_codec_t *codec, void *arg)
{
    struct wm_conveyor *c = wm_conveyor_of(self);
    int rc = c == NULL                    ? convey_error_NULL
             : c->state != convey_DORMANT ? convey_error_STATE
             : !is_whole(codec)           ? convey_error_ARGUMENT
                                          : 0;

    if (rc < 0)
        return wm_convey_fail(c, "convey_set_codec", rc);
    if (c->wish.design.synchronous || (c->wish.options & convey_opt_COMPRESS) == 0)
        return convey_FAIL;
    c->codec = codec;
    c->codec_arg = arg;
    c->codec_set = true;
    if (c->built)
        wm_pipeline_free(c);
    return convey_OK;
}
