/* Part memory: the user's own allocator; one that fails at its k-th block on one rank, one of unaligned blocks, and two
 * conveyors over one.
 *
 * All ranks are told, nothing is left behind, blocks are freed last in, first out, and the conveyor serves afterwards.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/convey_cases.h"

enum { BLOCKS_MAX = 4096 };

struct arena {
    void *blocks[BLOCKS_MAX], *given[BLOCKS_MAX];
    int depth, grabs;
    int fail_at;     /* 0: never */
    size_t off_by;   /* bytes by which blocks miss their alignment */
    int out_of_turn; /* frees that were not of the last block */
};

static void *grab(void *context, size_t size, const char *file, uint64_t line)
{
    struct arena *arena = context;
    size_t room = (size + 64 + 63) / 64 * 64;
    char *block;

    CHECK(file != NULL && line > 0, "a block is asked for from nowhere");
    if (++arena->grabs == arena->fail_at || arena->depth == BLOCKS_MAX)
        return NULL;
    block = aligned_alloc(64, room);
    memset(block, 0xdb, room);
    arena->blocks[arena->depth] = block;
    arena->given[arena->depth++] = block + arena->off_by;
    return block + arena->off_by;
}

static void give_back(void *context, void *block)
{
    struct arena *arena = context;

    if (arena->depth == 0 || arena->given[arena->depth - 1] != block) {
        arena->out_of_turn++;
        return;
    }
    free(arena->blocks[--arena->depth]);
}

static int agreed(int value, MPI_Op op, const struct place *place)
{
    int all;

    MPI_Allreduce(&value, &all, 1, MPI_INT, op, place->comm);
    return all;
}

static void carry(convey_t *c, const struct make *make, int run)
{
    struct stream_form form = {.run = run, .item_bytes = make_elastic(make) ? 8 : 64};
    struct stream s;

    if (!stream_begin(&s, c, make, &form))
        return;
    for (int pe = 0; pe < s.place->ranks; pe++)
        stream_push(&s, pe);
    while (stream_advance(&s, true) != convey_DONE)
        stream_take(&s);
    stream_end(&s);
}

/* What begins when it cannot: all ranks alike. Returns whether it began. */
static bool begin_alike(convey_t *c, const struct place *place, const struct arena *arena)
{
    int before = arena->depth, rc = convey_begin(c, 8, 8);

    CHECK(agreed(rc, MPI_MIN, place) == agreed(rc, MPI_MAX, place), "a rank's allocator fails: here begin says %d", rc);
    CHECK(rc == convey_OK || rc == convey_error_ALLOC, "an allocator fails, and convey_begin says %d", rc);
    if (rc != convey_OK)
        CHECK(arena->depth == before, "%d blocks are kept by a begin that failed", arena->depth - before);
    return rc == convey_OK;
}

static void end_run(convey_t *c)
{
    char item[8];

    while (convey_advance(c, true) > 0)
        convey_pull(c, item, NULL);
    CHECK(convey_reset(c) == convey_OK, "convey_reset fails");
}

static convey_t *make_alike(const struct make *make, const struct place *place)
{
    MPI_Comm comm = place->comm;
    convey_t *c;
    int made;

    if (make->kind == KIND_COMM_WITH)
        c = wm_convey_new_with(comm, "own memory", make->item_bound, make->max_bytes, make->alloc, make->options);
    else if (make->kind == KIND_TENSOR)
        c = convey_new_tensor(make->capacity, make->order, make->n_local, make->n_buffers, make->alloc, make->options);
    else if (make->kind == KIND_SIMPLE)
        c = convey_new_simple(make->capacity, make->alloc, NULL, make->options);
    else if (make->kind == KIND_TWOHOP)
        c = convey_new_twohop(make->capacity, make->n_local, make->alloc, make->options);
    else if (make->kind == KIND_ETENSOR)
        c = convey_new_etensor(make->capacity, make->item_bound, make->order, make->n_local, make->n_buffers,
                               make->alloc, make->options);
    else if (make->kind == KIND_ELASTIC)
        c = convey_new_elastic(make->item_bound, make->max_bytes, make->n_local, make->alloc, make->options);
    else
        c = convey_new(make->max_bytes, make->n_local, make->alloc, make->options);
    made = c != NULL;
    CHECK(agreed(made, MPI_MIN, place) == agreed(made, MPI_MAX, place), "a conveyor is made at some ranks only");
    return c;
}

/* One life with the failure armed. Returns whether this rank's allocator got to it. */
static bool live_once(const struct make *make, const struct place *place, struct arena *arena, int run)
{
    convey_t *c = make_alike(make, place);
    bool reached;

    if (c != NULL && begin_alike(c, place, arena))
        end_run(c);
    reached = arena->fail_at > 0 && arena->grabs >= arena->fail_at;
    arena->fail_at = 0;
    arena->off_by = 0;
    if (c != NULL) {
        carry(c, make, run);
        CHECK(convey_free(c) == convey_OK, "convey_free fails");
    }
    CHECK(arena->depth == 0, "%d blocks are never freed", arena->depth);
    CHECK(arena->out_of_turn == 0, "%d frees are not of the last block", arena->out_of_turn);
    return reached;
}

/* Blocks that are aligned as malloc's, or not at all: pointers to items are aligned nevertheless. */
static void misaligned(const struct make *make, const struct place *place, struct arena *arena, size_t off_by)
{
    convey_t *c;

    arena->off_by = off_by;
    if ((c = make_alike(make, place)) == NULL)
        return;
    carry(c, make, 1);
    CHECK(convey_free(c) == convey_OK, "convey_free fails");
    arena->off_by = 0;
    CHECK(arena->depth == 0 && arena->out_of_turn == 0, "%d blocks are never freed, %d out of turn", arena->depth,
          arena->out_of_turn);
}

/* Two conveyors over one allocator, begun in turn with items of several sizes, freed last in, first out. Without a map
 * a begin takes nothing, unless it was asked to. */
static void two_at_once(const struct make *make, const struct place *place, struct arena *arena)
{
    bool dynamic = make->options & convey_opt_DYNAMIC, mapped = getenv("WAYMARK_MAP") != NULL;
    convey_t *first = make_alike(make, place), *second = first != NULL ? make_alike(make, place) : NULL;
    int before = arena->depth;

    if (second == NULL)
        return;
    CHECK(!dynamic || before == 0, "%d blocks are taken by constructors", before);
    for (int run = 1; run <= 3; run++) {
        size_t bytes = make_elastic(make) ? 1 : make->capacity < 200 ? 1 : (size_t)run * 40;

        CHECK(convey_begin(first, bytes, 0) == convey_OK && convey_begin(second, bytes, 0) == convey_OK,
              "convey_begin fails");
        CHECK(dynamic || mapped || arena->depth == before, "%d blocks are taken by convey_begin",
              arena->depth - before);
        end_run(second);
        end_run(first);
        CHECK(arena->depth == before, "%d blocks are kept", arena->depth - before);
    }
    CHECK(convey_free(second) == convey_OK && convey_free(first) == convey_OK, "convey_free fails");
    CHECK(arena->depth == 0 && arena->out_of_turn == 0, "%d blocks are never freed, %d out of turn", arena->depth,
          arena->out_of_turn);
}

static void reply(const void *query, void *reply, void *context)
{
    (void)context;
    memcpy(reply, query, 8);
}

/* A biconveyor takes what it needs when it is made, or, if it was asked to, while a run lasts. */
static void of_both(const convey_alc8r_t *allocator, struct arena *arena, uint64_t options)
{
    biconvey_t *b = biconvey_new_simple(256, allocator, NULL, options);
    int made = arena->depth;

    CHECK(b != NULL && !made == !!options, "%d blocks are taken by a constructor", made);
    for (size_t bytes = 8; bytes <= 24; bytes += 16) {
        char item[24] = {0};

        CHECK(biconvey_begin(b, bytes, bytes, reply, NULL) == convey_OK, "biconvey_begin fails");
        CHECK(biconvey_push(b, item, world_ranks - 1) == convey_OK, "biconvey_push fails");
        while (biconvey_advance(b, true) > 0)
            biconvey_pull(b, item);
        CHECK(biconvey_reset(b) == convey_OK && arena->depth == made, "%d blocks are kept", arena->depth - made);
    }
    CHECK(biconvey_free(b) == convey_OK && arena->depth == 0 && arena->out_of_turn == 0,
          "%d blocks are never freed, %d out of turn", arena->depth, arena->out_of_turn);
}

static void memory(int number, struct rng *rng)
{
    struct arena *arena = calloc(1, sizeof *arena);
    const convey_alc8r_t allocator = {arena, grab, give_back};
    struct make make;
    const struct place *place;
    int victim;
    bool more = true;

    do
        make = make_random(rng, EITHER);
    while (make.kind == KIND_COMM || make.kind == KIND_COMM_ELASTIC);
    make.item_bound = make_elastic(&make) ? make.item_bound + 8 : 0;
    make.alloc = &allocator;
    make.options |= convey_opt_QUIET;
    place = place_of(make.place);
    for (int k = 0; more && k <= 40 && place->comm != MPI_COMM_NULL; k++) {
        victim = k % place->ranks;
        case_is("%s, block %d fails at rank %d", make_words(&make), k, victim);
        arena->grabs = 0;
        arena->fail_at = place->rank == victim ? k : 0;
        more = agreed(live_once(&make, place, arena, k + 1), MPI_MAX, place) || k < place->ranks;
    }
    case_is("%s, blocks that miss their alignment", make_words(&make));
    if (place->comm != MPI_COMM_NULL)
        misaligned(&make, place, arena, rng_one_in(rng, 2) ? 16 : 1 + (size_t)rng_below(rng, 63));
    case_is("%s, two of them", make_words(&make));
    if (place->comm != MPI_COMM_NULL)
        two_at_once(&make, place, arena);
    case_is("a biconveyor%s", number % 2 ? ", dynamic" : "");
    of_both(&allocator, arena, number % 2 ? convey_opt_DYNAMIC : 0);
    free(arena);
}

const struct part part_memory = {"memory", 6, memory};
