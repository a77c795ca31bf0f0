/* Collectives with a block for each rank, and prefixes: blocking, nonblocking and persistent, against a serial answer.
 */
#include <mpi.h>
#include <mpi-ext.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/collectives.h"

enum move { GATHER, GATHERV, SCATTER, SCATTERV, ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV, ALLTOALLW, MOVES };
enum combine { REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, SCAN, EXSCAN, COMBINES };
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static const char *const move_names[] = {"gather",     "gatherv",  "scatter",   "scatterv", "allgather",
                                         "allgatherv", "alltoall", "alltoallv", "alltoallw"};
static const char *const combine_names[] = {"reduce_scatter", "reduce_scatter_block", "scan", "exscan"};
static const char *const form_names[] = {"", "nonblocking ", "persistent "};

#if defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define INIT(...) __VA_ARGS__
#else
#define INIT(...) MPI_ERR_UNSUPPORTED_OPERATION
#endif
#define CALL(form, request, Name, iname, ...)                                                                          \
    ((form) == BLOCKING      ? MPI_##Name(__VA_ARGS__)                                                                 \
     : (form) == NONBLOCKING ? MPI_I##iname(__VA_ARGS__, request)                                                      \
                             : INIT(MPIX_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, request)))

/* Wait by one of the completion calls; persistent requests are started twice. */
static void finish(enum form form, MPI_Request *request, uint64_t call)
{
    int flag = 0, index, count;

    if (form == BLOCKING)
        return;
    for (int round = 0; round < (form == PERSISTENT ? 2 : 1); round++) {
        if (form == PERSISTENT)
            MPI_Start(request);
        switch (hash_mix(call, (uint64_t)round) % 5) {
        case 0:
            MPI_Wait(request, MPI_STATUS_IGNORE);
            break;
        case 1:
            MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
            break;
        case 2:
            MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE);
            break;
        case 3:
            MPI_Waitsome(1, request, &count, &index, MPI_STATUSES_IGNORE);
            break;
        default:
            for (flag = 0; !flag;)
                MPI_Test(request, &flag, MPI_STATUS_IGNORE);
        }
    }
    if (form == PERSISTENT)
        MPI_Request_free(request);
    CHECK(*request == MPI_REQUEST_NULL, "a request is left");
}

/* One buffer: `blocks` blocks of `counts` elements at `displs`. */
struct side {
    const struct kind *kind;
    int blocks, total;
    int counts[64], displs[64], byte_displs[64];
    MPI_Datatype types[64];
    struct image image, answer;
};

struct trial_of_blocks {
    enum move move;
    enum form form;
    int rank, ranks, root, each;
    bool in_place;
    uint64_t call;
    MPI_Comm comm;
    struct side send, receive;
};

static bool is_v(enum move move)
{
    return move == GATHERV || move == SCATTERV || move == ALLGATHERV || move == ALLTOALLV || move == ALLTOALLW;
}

static bool is_alltoall(enum move move)
{
    return move >= ALLTOALL;
}

/* Elements from `source` to `destination`. In place the two ways must be alike. */
static int elements(const struct trial_of_blocks *t, int source, int destination)
{
    uint64_t low = (uint64_t)source, high = (uint64_t)destination;

    if (!is_v(t->move))
        return t->each;
    if (!is_alltoall(t->move))
        low = high = t->move == SCATTERV ? high : low;
    else if (t->in_place && low > high) {
        low = (uint64_t)destination;
        high = (uint64_t)source;
    }
    return hash_mix(t->call, low * 1000 + high) % 4 == 0
               ? 0
               : (int)(hash_mix(t->call, low * 1001 + high * 7 + 3) % (uint64_t)(t->each + 1));
}

static struct image part(const struct image *image, const struct kind *kind, int displ)
{
    struct image moved = *image;

    moved.base += displ * kind->extent;
    return moved;
}

/* What goes from `source` to `destination`: the same values in every kind of the same signature. */
static void put(const struct trial_of_blocks *t, struct image *image, const struct side *side, int block, int source,
                int destination)
{
    int key = is_alltoall(t->move) || t->move <= SCATTERV ? source * 64 + destination : source;
    struct image to = part(image, side->kind, side->displs[block]);
    int count = side->counts[block];

    if (t->move == GATHER || t->move == GATHERV)
        key = source;
    if (!side->kind->quartet) {
        image_fill(&to, side->kind, count, ANY_BITS, t->call, key);
        return;
    }
    struct image values = image_new(kind_named("MPI_INT"), 4 * count, 0);

    image_fill(&values, kind_named("MPI_INT"), 4 * count, ANY_BITS, t->call, key);
    image_take(&to, side->kind, &values, kind_named("MPI_INT"), 4 * count);
    image_free(&values);
}

/* Blocks one behind the other, or, in v forms, in some other order with gaps. */
static void place_blocks(struct side *s, bool spread, uint64_t h)
{
    int at = 0, turn = s->blocks > 0 ? (int)(h % (uint64_t)s->blocks) : 0;

    for (int i = 0; i < s->blocks; i++) {
        int block = spread ? (i + turn) % s->blocks : i;

        at += spread ? (int)(hash_mix(h, (uint64_t)i) % 3) : 0;
        s->displs[block] = at;
        at += s->counts[block];
    }
    s->total = at;
    for (int i = 0; i < s->blocks; i++) {
        s->byte_displs[i] = (int)(s->displs[i] * s->kind->extent);
        s->types[i] = s->kind->type;
    }
    s->image = image_new(s->kind, s->total, h);
}

static void make_sides(struct trial_of_blocks *t, const struct kind *send_kind, const struct kind *receive_kind)
{
    bool down = t->move == SCATTER || t->move == SCATTERV, up = t->move == GATHER || t->move == GATHERV;
    bool spread_out = is_v(t->move) && (down || is_alltoall(t->move)), spread_in = is_v(t->move) && !down;

    t->send.kind = send_kind;
    t->receive.kind = receive_kind;
    t->send.blocks = down ? (t->rank == t->root ? t->ranks : 0) : is_alltoall(t->move) ? t->ranks : 1;
    t->receive.blocks = down ? 1 : up && t->rank != t->root ? 0 : t->ranks;
    for (int i = 0; i < t->send.blocks; i++)
        t->send.counts[i] = elements(t, down ? t->root : t->rank, t->send.blocks == 1 ? t->root : i);
    for (int i = 0; i < t->receive.blocks; i++)
        t->receive.counts[i] =
            down ? elements(t, t->root, t->rank) : elements(t, i, is_alltoall(t->move) ? t->rank : t->root);
    if (t->send.blocks == 1 && !down && !is_alltoall(t->move))
        t->send.counts[0] = elements(t, t->rank, t->root);
    place_blocks(&t->send, spread_out, hash_mix(t->call, (uint64_t)t->rank * 2));
    place_blocks(&t->receive, spread_in, hash_mix(t->call, (uint64_t)t->rank * 2 + 1));
}

static bool uses_in_place(const struct trial_of_blocks *t)
{
    return t->in_place && (t->move >= ALLGATHER || t->rank == t->root);
}

static void fill_sides(struct trial_of_blocks *t)
{
    bool down = t->move == SCATTER || t->move == SCATTERV, place = uses_in_place(t);

    for (int i = 0; i < t->send.blocks; i++)
        put(t, &t->send.image, &t->send, i, down ? t->root : t->rank, i);
    t->send.answer = image_copy(&t->send.image);
    t->receive.answer = image_copy(&t->receive.image);
    for (int i = 0; i < t->receive.blocks && !(place && down); i++)
        put(t, &t->receive.answer, &t->receive, i, down ? t->root : i, down || is_alltoall(t->move) ? t->rank : i);
    for (int i = 0; i < t->receive.blocks && place && !down; i++)
        if (is_alltoall(t->move))
            put(t, &t->receive.image, &t->receive, i, t->rank, i);
        else if (i == t->rank)
            put(t, &t->receive.image, &t->receive, i, i, i);
}

static int run_move(struct trial_of_blocks *t, MPI_Request *request)
{
    struct side *s = &t->send, *r = &t->receive;
    bool place = uses_in_place(t), down = t->move == SCATTER || t->move == SCATTERV;
    const void *from = place && !down ? MPI_IN_PLACE : s->image.base;
    void *to = place && down ? MPI_IN_PLACE : r->image.base;
    MPI_Datatype out = s->kind->type, in = r->kind->type;
    enum form f = t->form;

    switch (t->move) {
    case GATHER:
        return CALL(f, request, Gather, gather, from, t->each, out, to, t->each, in, t->root, t->comm);
    case GATHERV:
        return CALL(f, request, Gatherv, gatherv, from, s->counts[0], out, to, r->counts, r->displs, in, t->root,
                    t->comm);
    case SCATTER:
        return CALL(f, request, Scatter, scatter, from, t->each, out, to, t->each, in, t->root, t->comm);
    case SCATTERV:
        return CALL(f, request, Scatterv, scatterv, from, s->counts, s->displs, out, to, r->counts[0], in, t->root,
                    t->comm);
    case ALLGATHER:
        return CALL(f, request, Allgather, allgather, from, t->each, out, to, t->each, in, t->comm);
    case ALLGATHERV:
        return CALL(f, request, Allgatherv, allgatherv, from, s->counts[0], out, to, r->counts, r->displs, in, t->comm);
    case ALLTOALL:
        return CALL(f, request, Alltoall, alltoall, from, t->each, out, to, t->each, in, t->comm);
    case ALLTOALLV:
        return CALL(f, request, Alltoallv, alltoallv, from, s->counts, s->displs, out, to, r->counts, r->displs, in,
                    t->comm);
    default:
        return CALL(f, request, Alltoallw, alltoallw, from, s->counts, s->byte_displs, s->types, to, r->counts,
                    r->byte_displs, r->types, t->comm);
    }
}

static void check_sides(const struct trial_of_blocks *t, int rc)
{
    CHECK(rc == MPI_SUCCESS, "%s returns %d", move_names[t->move], rc);
    CHECK(image_equal(&t->send.image, &t->send.answer, t->send.kind, t->send.total),
          "%s%s of %d × %s, root %d (%d ranks)%s: the send buffer", form_names[t->form], move_names[t->move], t->each,
          t->send.kind->name, t->root, t->ranks, t->in_place ? ", in place" : "");
    CHECK(image_equal(&t->receive.image, &t->receive.answer, t->receive.kind, t->receive.total),
          "%s%s of %d × %s to %s, root %d (%d ranks)%s: the receive buffer", form_names[t->form], move_names[t->move],
          t->each, t->send.kind->name, t->receive.kind->name, t->root, t->ranks, t->in_place ? ", in place" : "");
}

/* Open MPI 4.1.4 by itself fails in gather and others when elements follow one another downwards. */
static const struct kind *kind_for(uint64_t h, bool quartet)
{
    const struct kind *kind;

    do {
        h = hash_mix(h, 5);
        kind = &kinds[h % (uint64_t)kind_count];
    } while (kind->count_max > 0 || kind->quartet != quartet || (kind->extent < 0 && !all_operations()));
    return kind;
}

static int random_each(struct rng *rng)
{
    static const int limits[] = {2, 5, 5, 20, 20, 100, 800, 3000};

    return rng_below(rng, limits[rng_below(rng, 8)]);
}

/* Open MPI 4.1.4 by itself: alltoallw of one rank takes displacements in bytes for elements, a nonblocking alltoallv in
 * place gives wrong data. */
static void avoid_faults(struct trial_of_blocks *t)
{
    if (t->move == ALLTOALLW && t->ranks == 1)
        t->move = ALLTOALLV;
    if (t->form != BLOCKING && is_alltoall(t->move))
        t->in_place = false;
}

/* MPI forbids it, but mpi4py 3.1 frees vectors once a nonblocking call has returned, and Open MPI lets it. */
static void spoil_vectors(struct trial_of_blocks *t)
{
    struct side *sides[] = {&t->send, &t->receive};

    for (int i = 0; i < 2; i++) {
        memset(sides[i]->counts, 0x77, sizeof sides[i]->counts);
        memset(sides[i]->displs, 0x77, sizeof sides[i]->displs);
        memset(sides[i]->byte_displs, 0x77, sizeof sides[i]->byte_displs);
    }
}

static void random_move(MPI_Comm comm, struct rng *rng, enum form forms)
{
    struct trial_of_blocks t = {.comm = comm, .move = (enum move)rng_below(rng, MOVES), .call = rng_next(rng)};
    MPI_Request request = MPI_REQUEST_NULL;
    bool quartet = rng_below(rng, 2);
    int rc;

    PMPI_Comm_rank(comm, &t.rank);
    PMPI_Comm_size(comm, &t.ranks);
    t.form = (enum form)rng_below(rng, (int)forms);
    t.root = rng_below(rng, t.ranks);
    t.each = random_each(rng);
    t.in_place = rng_below(rng, 4) == 0;
    if (!all_operations())
        avoid_faults(&t);
    if (quartet)
        make_sides(&t, kind_for(hash_mix(t.call, (uint64_t)t.rank), true),
                   kind_for(hash_mix(t.call, (uint64_t)t.rank + 100), true));
    else
        make_sides(&t, kind_for(t.call, false), kind_for(t.call, false));
    fill_sides(&t);
    if (t.form == PERSISTENT && is_alltoall(t.move) && t.in_place)
        t.form = NONBLOCKING; /* started twice, it would not come back to what is checked */
    rc = run_move(&t, &request);
    if (t.form == NONBLOCKING && all_operations())
        spoil_vectors(&t);
    finish(t.form, &request, t.call);
    check_sides(&t, rc);
    image_free(&t.send.image);
    image_free(&t.send.answer);
    image_free(&t.receive.image);
    image_free(&t.receive.answer);
}

/* Contributions of ranks first … last-1, combined in order, in `answer`; from the last to the first. */
static void combine_ranks(struct image *answer, const struct kind *kind, int count, const struct operator* operator,
                          uint64_t call, int first, int last)
{
    if (first >= last || count == 0)
        return;
    image_fill(answer, kind, count, operator->manner, call, last - 1);
    for (int rank = last - 2; rank >= first; rank--) {
        struct image left = image_copy(answer);

        image_fill(&left, kind, count, operator->manner, call, rank);
        PMPI_Reduce_local(left.base, answer->base, count, kind->type, operator->op);
        image_free(&left);
    }
}

struct trial_of_combination {
    enum combine combine;
    enum form form;
    const struct kind *kind;
    const struct operator* operator;
    int rank, ranks, each, total, own, own_displ;
    int counts[64];
    bool in_place;
    uint64_t call;
    MPI_Comm comm;
    struct image send, receive, answer;
};

static void make_combination(struct trial_of_combination *t)
{
    bool prefix = t->combine == SCAN || t->combine == EXSCAN;
    struct image full;

    for (int r = 0; r < t->ranks; r++) {
        t->counts[r] =
            t->combine != REDUCE_SCATTER ? t->each : (int)(hash_mix(t->call, (uint64_t)r) % (uint64_t)(t->each + 1));
        t->own_displ = r == t->rank ? t->total : t->own_displ;
        t->total += prefix ? 0 : t->counts[r];
    }
    t->own = t->counts[t->rank];
    if (prefix) {
        t->total = t->own;
        t->own_displ = 0;
    }
    t->send = image_new(t->kind, t->total, hash_mix(t->call, 1));
    t->receive = image_new(t->kind, t->in_place ? t->total : t->own, hash_mix(t->call, 2));
    full = image_new(t->kind, t->total, hash_mix(t->call, 3));
    combine_ranks(&full, t->kind, t->total, t->operator, t->call, 0,
                  t->combine == SCAN     ? t->rank + 1
                  : t->combine == EXSCAN ? t->rank
                                         : t->ranks);
    image_fill(t->in_place ? &t->receive : &t->send, t->kind, t->total, t->operator->manner, t->call, t->rank);
    t->answer = image_copy(&t->receive);
    if (t->combine != EXSCAN || t->rank > 0) {
        struct image from = part(&full, t->kind, t->own_displ);

        image_take(&t->answer, t->kind, &from, t->kind, t->own * t->kind->run_count);
    }
    image_free(&full);
}

static int run_combination(struct trial_of_combination *t, MPI_Request *request)
{
    const void *from = t->in_place ? MPI_IN_PLACE : t->send.base;
    MPI_Datatype type = t->kind->type;
    MPI_Op op = t->operator->op;

    switch (t->combine) {
    case REDUCE_SCATTER:
        return CALL(t->form, request, Reduce_scatter, reduce_scatter, from, t->receive.base, t->counts, type, op,
                    t->comm);
    case REDUCE_SCATTER_BLOCK:
        return CALL(t->form, request, Reduce_scatter_block, reduce_scatter_block, from, t->receive.base, t->each, type,
                    op, t->comm);
    case SCAN:
        return CALL(t->form, request, Scan, scan, from, t->receive.base, t->each, type, op, t->comm);
    default:
        return CALL(t->form, request, Exscan, exscan, from, t->receive.base, t->each, type, op, t->comm);
    }
}

/* In place only the block that is the result is looked at: what becomes of the rest MPI does not say. */
static bool right_combination(const struct trial_of_combination *t)
{
    struct image got = t->receive, answer = t->answer;

    if (!t->in_place || t->own == t->total)
        return image_equal(&got, &answer, t->kind, t->in_place ? t->total : t->own);
    for (int i = 0; i < t->own; i++)
        for (int r = 0; r < t->kind->run_count; r++)
            if (memcmp(got.base + i * t->kind->extent + t->kind->runs[r].offset,
                       answer.base + i * t->kind->extent + t->kind->runs[r].offset,
                       (size_t)t->kind->runs[r].bytes) != 0)
                return false;
    return true;
}

static void random_combination(MPI_Comm comm, struct rng *rng, enum form forms)
{
    struct trial_of_combination t = {
        .comm = comm, .combine = (enum combine)rng_below(rng, COMBINES), .call = rng_next(rng)};
    MPI_Request request = MPI_REQUEST_NULL;
    int rc;

    PMPI_Comm_rank(comm, &t.rank);
    PMPI_Comm_size(comm, &t.ranks);
    t.form = (enum form)rng_below(rng, (int)forms);
    t.each = random_each(rng);
    do {
        t.kind = &kinds[rng_below(rng, kind_count)];
        t.operator= & operators[rng_below(rng, operator_count)];
    } while (t.kind->count_max > 0 || !operator_serves(t.operator, t.kind) ||
             (t.kind->family == DERIVED && !all_operations()));
    t.in_place = rng_below(rng, 4) == 0;
    if (t.form == PERSISTENT && t.in_place)
        t.form = NONBLOCKING;
    if (!all_operations() && t.combine <= REDUCE_SCATTER_BLOCK)
        t.form = BLOCKING; /* Open MPI 4.1.4's nonblocking reduce_scatter_block fails now and then */
    make_combination(&t);
    rc = run_combination(&t, &request);
    finish(t.form, &request, t.call);
    CHECK(rc == MPI_SUCCESS, "%s returns %d", combine_names[t.combine], rc);
    CHECK(right_combination(&t), "%s%s of %d × %s, %s (%d ranks)%s", form_names[t.form], combine_names[t.combine],
          t.each, t.kind->name, t.operator->name, t.ranks, t.in_place ? ", in place" : "");
    image_free(&t.send);
    image_free(&t.receive);
    image_free(&t.answer);
}

static void random_ones(MPI_Comm comm, struct rng *rng, int calls, enum form forms)
{
    for (int i = 0; i < calls; i++) {
        random_move(comm, rng, forms);
        random_combination(comm, rng, forms);
    }
}

#if defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
static const enum form all_forms = (enum form)(PERSISTENT + 1);
#else
static const enum form all_forms = (enum form)(NONBLOCKING + 1);
#endif

/* The same call again and again, but for its counts or displacements: they decide where blocks go. */
static void vary_vectors(void)
{
    enum { TURNS = 6, ROOM = 64 };
    int rank, ranks, counts[ROOM], displs[ROOM], got[2 * ROOM];

    PMPI_Comm_rank(world_comm, &rank);
    PMPI_Comm_size(world_comm, &ranks);
    for (int turn = 0; turn < TURNS && ranks <= ROOM; turn++) {
        int own = turn < 2 ? 1 : 2, mine[2] = {rank + 1, -rank - 1};

        for (int r = 0; r < ranks; r++) {
            counts[r] = own;
            displs[r] = 2 * (turn % 2 == 0 ? r : ranks - 1 - r);
        }
        MPI_Allgatherv(mine, own, MPI_INT, got, counts, displs, MPI_INT, world_comm);
        for (int r = 0; r < ranks; r++)
            CHECK(got[displs[r]] == r + 1 && (own == 1 || got[displs[r] + 1] == -r - 1),
                  "allgatherv, turn %d: the block of rank %d is not at %d", turn, r, displs[r]);
    }
}

void part_blocks(uint64_t seed)
{
    struct rng rng = {seed};

    vary_vectors();
    random_ones(world_comm, &rng, random_calls, (enum form)(BLOCKING + 1));
}

void part_requests(uint64_t seed)
{
    struct rng rng = {seed};

    random_ones(world_comm, &rng, random_calls, all_forms);
}

void random_blocks(MPI_Comm comm, uint64_t seed)
{
    struct rng rng = {seed};

    random_ones(comm, &rng, 4, all_forms);
}
