/* Collectives through the doors against a serial answer, on random inputs.
 *
 * collectives SEED CALLS [PART ...]: each part named, or all but those that are asked for. The same program runs
 * without Waymark, which shows that the answers are MPI's. Exit code: 0 when no rank found anything wrong.
 *
 * COLLECTIVES_PLANNED: what the job's map carries out itself: "none" (the default), "reductions" or "all". Open
 * MPI 4.1.4 by itself reduces only types without gaps that begin at 0: others make it ask for temporaries of negative
 * size, write behind them, or, from MPI_BOTTOM, give wrong results. COLLECTIVES_MAPS: further maps, "PLANNED:MAP
 * PLANNED:MAP ...", under which the parts run one after another, but for those that say nothing of a map.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/collectives.h"

_Atomic int wrong_count;
_Atomic long checked_count;
static int world_rank, world_ranks;
int random_calls;
static const char *part_name = "start";

uint64_t hash_mix(uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t rng_next(struct rng *rng)
{
    return hash_mix(rng->state++, 0);
}

int rng_below(struct rng *rng, int limit)
{
    return (int)(rng_next(rng) % (uint64_t)limit);
}

void wrong(const char *format, ...)
{
    va_list arguments;

    if (wrong_count++ >= 5)
        return;
    printf("WRONG at rank %d of %d in %s: ", world_rank, world_ranks, part_name);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
}

/* The answer of bcast at this rank: the root's values, the gaps as they were. */
static struct image bcast_answer(const struct trial *t, const struct image *before)
{
    struct image answer = image_copy(before);

    image_fill(&answer, t->kind, t->count, ANY_BITS, t->call, t->root);
    return answer;
}

/* All ranks' values combined in the order of ranks, the gaps as they were before. */
static struct image reduction_answer(const struct trial *t, const struct image *before, int ranks)
{
    struct image answer = image_copy(before);

    image_fill(&answer, t->kind, t->count, t->operator->manner, t->call, ranks - 1);
    for (int rank = ranks - 2; rank >= 0 && t->count > 0; rank--) {
        struct image left = image_copy(before);

        image_fill(&left, t->kind, t->count, t->operator->manner, t->call, rank);
        PMPI_Reduce_local(left.base, answer.base, t->count, t->kind->type, t->operator->op);
        image_free(&left);
    }
    return answer;
}

static const char *const operation_names[] = {"bcast", "reduce", "allreduce"};

static void check_image(const struct trial *t, const struct image *got, const struct image *right, const char *which,
                        int ranks)
{
    CHECK(image_equal(got, right, t->kind, t->count), "%s of %d × %s%s%s, root %d on %s (%d ranks)%s%s: the %s buffer",
          operation_names[t->operation], t->count, t->kind->name, t->operator != NULL ? ", " : "",
          t->operator != NULL ? t->operator->name : "", t->root, t->comm_name, ranks, t->in_place ? ", in place" : "",
          t->bottom ? ", from MPI_BOTTOM" : "", which);
}

/* A datatype of absolute addresses, known to the user operators while it lives. */
static struct kind *kind_at(const struct kind *kind, const char *base)
{
    struct kind *absolute = &kinds[kind_count];
    MPI_Aint address, low, extent;
    MPI_Datatype type;

    PMPI_Get_address(base, &address);
    PMPI_Type_get_extent(kind->type, &low, &extent);
    PMPI_Type_create_hindexed(1, (int[]){1}, &address, kind->type, &type);
    *absolute = *kind;
    PMPI_Type_create_resized(type, address + low, extent, &absolute->type);
    PMPI_Type_free(&type);
    PMPI_Type_commit(&absolute->type);
    for (int r = 0; r < kind->run_count; r++)
        absolute->runs[r].offset = address + kind->runs[r].offset;
    return absolute;
}

static void run_bcast(MPI_Comm comm, const struct trial *t, struct image *buffer)
{
    struct kind *absolute = t->bottom ? kind_at(t->kind, buffer->base) : NULL;
    int rc = t->bottom ? MPI_Bcast(MPI_BOTTOM, t->count, absolute->type, t->root, comm)
                       : MPI_Bcast(buffer->base, t->count, t->kind->type, t->root, comm);

    CHECK(rc == MPI_SUCCESS, "bcast returns %d", rc);
    if (absolute != NULL)
        PMPI_Type_free(&absolute->type);
}

static void trial_bcast(MPI_Comm comm, const struct trial *t, int rank, int ranks)
{
    struct image buffer = image_new(t->kind, t->count, hash_mix(t->call, 77)), answer = bcast_answer(t, &buffer);

    if (rank == t->root)
        image_fill(&buffer, t->kind, t->count, ANY_BITS, t->call, rank);
    run_bcast(comm, t, &buffer);
    check_image(t, &buffer, &answer, "only", ranks);
    image_free(&buffer);
    image_free(&answer);
}

static void trial_reduction(MPI_Comm comm, const struct trial *t, int rank, int ranks)
{
    bool to_all = t->operation == OPERATION_ALLREDUCE, receives = to_all || rank == t->root,
         in_place = t->in_place && receives;
    struct image send = image_new(t->kind, t->count, hash_mix(t->call, 78)), unchanged, receive, answer;
    const void *from = in_place ? MPI_IN_PLACE : send.base;
    int rc;

    receive = image_new(t->kind, t->count, hash_mix(t->call, 79));
    answer = receives ? reduction_answer(t, &receive, ranks) : image_copy(&receive);
    image_fill(in_place ? &receive : &send, t->kind, t->count, t->operator->manner, t->call, rank);
    unchanged = image_copy(&send);
    rc = to_all ? MPI_Allreduce(from, receive.base, t->count, t->kind->type, t->operator->op, comm)
                : MPI_Reduce(from, receives ? receive.base : NULL, t->count, t->kind->type, t->operator->op, t->root,
                             comm);
    CHECK(rc == MPI_SUCCESS, "%s returns %d", operation_names[t->operation], rc);
    check_image(t, &send, &unchanged, "send", ranks);
    check_image(t, &receive, &answer, "receive", ranks);
    image_free(&send);
    image_free(&unchanged);
    image_free(&receive);
    image_free(&answer);
}

/* Absolute addresses name one buffer: the receive buffer in place, at a rank that only sends the send buffer. */
static void trial_bottom(MPI_Comm comm, const struct trial *t, int rank, int ranks)
{
    bool to_all = t->operation == OPERATION_ALLREDUCE, receives = to_all || rank == t->root;
    struct image buffer = image_new(t->kind, t->count, hash_mix(t->call, 80)), answer;
    struct kind *absolute = kind_at(t->kind, buffer.base);
    const void *from = receives ? MPI_IN_PLACE : MPI_BOTTOM;
    int rc;

    answer = receives ? reduction_answer(t, &buffer, ranks) : image_copy(&buffer);
    image_fill(&buffer, t->kind, t->count, t->operator->manner, t->call, rank);
    if (!receives)
        image_fill(&answer, t->kind, t->count, t->operator->manner, t->call, rank);
    kind_count++;
    rc = to_all ? MPI_Allreduce(from, MPI_BOTTOM, t->count, absolute->type, t->operator->op, comm)
                : MPI_Reduce(from, MPI_BOTTOM, t->count, absolute->type, t->operator->op, t->root, comm);
    kind_count--;
    CHECK(rc == MPI_SUCCESS, "%s from MPI_BOTTOM returns %d", operation_names[t->operation], rc);
    check_image(t, &buffer, &answer, "only", ranks);
    PMPI_Type_free(&absolute->type);
    image_free(&buffer);
    image_free(&answer);
}

/* COLLECTIVES_VERBOSE=1 shows which call hangs. */
static void tell(const struct trial *t, int rank, int ranks)
{
    static int verbose = -1;

    if (verbose < 0)
        verbose = getenv("COLLECTIVES_VERBOSE") != NULL;
    if (!verbose)
        return;
    fprintf(stderr, "%d: %s of %d × %s, %s, root %d on %s, rank %d of %d%s%s\n", world_rank, operation_names[t->operation], t->count,
            t->kind->name, t->operator != NULL ? t->operator->name : "", t->root, t->comm_name, rank, ranks,
            t->in_place ? ", in place" : "", t->bottom ? ", from MPI_BOTTOM" : "");
}

void trial_run(MPI_Comm comm, const struct trial *t)
{
    int rank, ranks;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    tell(t, rank, ranks);
    if (t->operation == OPERATION_BCAST)
        trial_bcast(comm, t, rank, ranks);
    else if (t->bottom)
        trial_bottom(comm, t, rank, ranks);
    else
        trial_reduction(comm, t, rank, ranks);
}

static int random_count(struct rng *rng, int count_max)
{
    static const int limits[] = {4, 9, 9, 40, 40, 300, 300, 5000};
    int limit = limits[rng_below(rng, 8)];

    if (rng_below(rng, 30) == 0)
        limit = 40000;
    if (rng_below(rng, 300) == 0)
        limit = 300000;
    return rng_below(rng, limit < count_max ? limit : count_max);
}

/* NULL when no operator serves this kind. */
static const struct operator* random_operator(struct rng *rng, const struct kind *kind)
{
    bool any = false;

    for (int o = 0; o < operator_count; o++)
        any = any || operator_serves(&operators[o], kind);
    while (any) {
        const struct operator* operator= & operators[rng_below(rng, operator_count)];

        if (operator_serves(operator, kind))
            return operator;
    }
    return NULL;
}

void random_call(MPI_Comm comm, const char *comm_name, struct rng *rng, int count_max)
{
    struct trial t = {.comm_name = comm_name, .operation = (enum operation)rng_below(rng, 3), .call = rng_next(rng)};
    int ranks;

    PMPI_Comm_size(comm, &ranks);
    t.kind = &kinds[rng_below(rng, kind_count)];
    t.count = random_count(rng, count_max);
    if (t.kind->count_max > 0 && t.count > t.kind->count_max)
        t.count %= t.kind->count_max + 1;
    t.root = t.operation == OPERATION_ALLREDUCE ? 0 : rng_below(rng, ranks);
    t.in_place = rng_below(rng, 3) == 0;
    if (t.operation != OPERATION_BCAST)
        t.operator= random_operator(rng, t.kind);
    if (t.operator== NULL)
        t.operation = OPERATION_BCAST;
    t.bottom = t.kind->quartet && (t.operation == OPERATION_BCAST || all_reductions()) && rng_below(rng, 4) == 0;
    trial_run(comm, &t);
}

static const struct kind *random_quartet(uint64_t h)
{
    const struct kind *kind;

    do {
        h = hash_mix(h, 3);
        kind = &kinds[h % (uint64_t)kind_count];
    } while (!kind->quartet || kind->count_max > 0);
    return kind;
}

void mixed_bcast(MPI_Comm comm, int quartets, int root, uint64_t call)
{
    const struct kind *plain = kind_named("MPI_INT"), *mine;
    int rank, count;
    struct image values, buffer, answer;

    PMPI_Comm_rank(comm, &rank);
    mine = hash_mix(call, (uint64_t)rank) % 3 == 0 ? plain : random_quartet(hash_mix(call, (uint64_t)rank));
    count = mine == plain ? 4 * quartets : quartets;
    values = image_new(plain, 4 * quartets, 0);
    image_fill(&values, plain, 4 * quartets, ANY_BITS, call, root);
    buffer = image_new(mine, count, call);
    answer = image_copy(&buffer);
    image_take(&answer, mine, &values, plain, 4 * quartets);
    if (rank == root)
        image_take(&buffer, mine, &values, plain, 4 * quartets);
    MPI_Bcast(buffer.base, count, mine->type, root, comm);
    CHECK(image_equal(&buffer, &answer, mine, count), "bcast of %d × %s from root %d, with other types at other ranks",
          count, mine->name, root);
    image_free(&values);
    image_free(&buffer);
    image_free(&answer);
}

/* Calls back to back on the world: one after the other, nothing between them. */
static void part_world(uint64_t seed)
{
    struct rng rng = {seed};

    for (int i = 0; i < random_calls; i++)
        random_call(world_comm, "world", &rng, 300000);
}

/* Every predefined and derived kind with every operator that it has, at every root. */
static void part_every_kind(uint64_t seed)
{
    for (int k = 0; k < kind_count; k++)
        for (int o = -1; o < operator_count; o++) {
            uint64_t call = hash_mix(seed, (uint64_t)(k * 100 + o + 1));
            int count = kinds[k].count_max == 1 ? 1 : (int)(call % 7) + 2;
            struct trial t = {.operation = OPERATION_BCAST,
                              .kind = &kinds[k],
                              .count = count,
                              .comm_name = "world",
                              .root = (k + o + 1) % world_ranks,
                              .in_place = (k + o) % 2,
                              .call = call};

            if (o >= 0 && !operator_serves(&operators[o], &kinds[k]))
                continue;
            t.operator= o >= 0 ? &operators[o] : NULL;
            t.operation = o >= 0 ? OPERATION_REDUCE : OPERATION_BCAST;
            trial_run(world_comm, &t);
            t.operation = OPERATION_ALLREDUCE;
            if (o >= 0)
                trial_run(world_comm, &t);
        }
}

/* Small and middle sizes at every root. */
static void part_every_root(uint64_t seed)
{
    static const int counts[] = {0, 1, 2, 3, 17, 1000};

    for (int root = 0; root < world_ranks; root++)
        for (int c = 0; c < 6; c++) {
            struct trial t = {.operation = OPERATION_REDUCE,
                              .kind = kind_named("MPI_INT"),
                              .count = counts[c],
                              .root = root,
                              .operator= operator_named("user affine"),
                              .call = hash_mix(seed, (uint64_t)(10 * root + c)),
                              .in_place = c % 2,
                              .comm_name = "world"};

            trial_run(world_comm, &t);
            t.kind = kind_named(all_reductions() ? "vector" : "contiguous");
            trial_run(world_comm, &t);
            mixed_bcast(world_comm, counts[c], root, t.call);
        }
}

/* Zero elements with null buffers are legal. */
static void part_nothing(uint64_t seed)
{
    (void)seed;
    CHECK(MPI_Bcast(NULL, 0, MPI_INT, world_ranks - 1, world_comm) == MPI_SUCCESS, "bcast of nothing");
    CHECK(MPI_Reduce(NULL, NULL, 0, MPI_INT, MPI_SUM, 0, world_comm) == MPI_SUCCESS, "reduce of nothing");
    CHECK(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, world_comm) == MPI_SUCCESS, "allreduce of nothing");
    CHECK(MPI_Allreduce(MPI_IN_PLACE, NULL, 0, MPI_INT, MPI_SUM, world_comm) == MPI_SUCCESS,
          "allreduce of nothing in place");
}

/* Many calls before the first result is looked at. */
static void part_burst(uint64_t seed)
{
    enum { CALLS = 300 };
    int values[CALLS], sums[CALLS];

    for (int i = 0; i < CALLS; i++) {
        values[i] = (int)(hash_mix(seed, (uint64_t)i) % 1000) + world_rank;
        sums[i] = i % 3 == 0 && world_rank == i % world_ranks ? values[i] : -1;
    }
    for (int i = 0; i < CALLS; i++) {
        if (i % 3 == 0)
            MPI_Bcast(&sums[i], 1, MPI_INT, i % world_ranks, world_comm);
        else if (i % 3 == 1)
            MPI_Allreduce(&values[i], &sums[i], 1, MPI_INT, MPI_SUM, world_comm);
        else
            MPI_Reduce(&values[i], &sums[i], 1, MPI_INT, MPI_SUM, i % world_ranks, world_comm);
    }
    for (int i = 0; i < CALLS; i++) {
        int value = (int)(hash_mix(seed, (uint64_t)i) % 1000), root = i % world_ranks;
        int right = i % 3 == 0 ? value + root : value * world_ranks + world_ranks * (world_ranks - 1) / 2;

        if (i % 3 == 2 && root != world_rank)
            right = -1;
        CHECK(sums[i] == right, "call %d of a burst: %d, not %d", i, sums[i], right);
    }
}

/* Each origin of communicators, some calls on it. Under a further map one origin in four: which, the seed says. */
static void part_communicators(uint64_t seed)
{
    bool further = world_comm != MPI_COMM_WORLD;

    for (int which = further ? (int)(seed % 4) : 0; which < communicator_count(); which += further ? 4 : 1) {
        const char *name;
        MPI_Comm comm = communicator_make(which, &name);
        struct rng rng = {hash_mix(seed, (uint64_t)which)};

        for (int i = 0; comm != MPI_COMM_NULL && i < 6; i++)
            random_call(comm, name, &rng, 2000);
        if (comm != MPI_COMM_NULL) {
            random_blocks(comm, hash_mix(seed, 100 + (uint64_t)which));
            MPI_Barrier(comm);
        }
        communicator_free(&comm);
    }
}

/* Two that overlap, and the world, in turns. */
static void part_communicators_in_turns(uint64_t seed)
{
    MPI_Comm half, parity;
    struct rng rng[3];

    MPI_Comm_split(world_comm, 2 * world_rank >= world_ranks, -world_rank, &half);
    MPI_Comm_split(world_comm, world_rank % 2, world_rank, &parity);
    half = under_map(half);
    parity = under_map(parity);
    rng[0].state = hash_mix(seed, (uint64_t)(2 * world_rank >= world_ranks));
    rng[1].state = hash_mix(seed, 10 + (uint64_t)(world_rank % 2));
    rng[2].state = hash_mix(seed, 20);
    for (int i = 0; i < 16; i++) {
        random_call(half, "half", &rng[0], 1000);
        random_call(parity, "parity", &rng[1], 1000);
        if (i % 4 == 0)
            random_call(world_comm, "world between two others", &rng[2], 1000);
    }
    MPI_Comm_free(&parity);
    MPI_Comm_free(&half);
}

enum when { EVERY_MAP, ONCE, ASKED_FOR };
static const struct part {
    const char *name;
    void (*run)(uint64_t seed);
    enum when when;
} parts[] = {
    {"world", part_world, EVERY_MAP},
    {"every-kind", part_every_kind, EVERY_MAP},
    {"every-root", part_every_root, EVERY_MAP},
    {"nothing", part_nothing, EVERY_MAP},
    {"burst", part_burst, EVERY_MAP},
    {"barrier", part_barrier, EVERY_MAP},
    {"communicators", part_communicators, EVERY_MAP},
    {"in-turns", part_communicators_in_turns, EVERY_MAP},
    {"intercommunicator", part_intercommunicator, ONCE},
    {"errors", part_errors, ONCE},
    {"remade-communicators", part_remade_communicators, ONCE},
    {"remade-types", part_remade_types, ONCE},
    {"remade-operators", part_remade_operators, ONCE},
    {"wildcards", part_wildcards, ONCE},
    {"threads", part_threads, ASKED_FOR},
    {"alike", part_alike, ASKED_FOR},
    {"bits", part_bits, ASKED_FOR},
    {"truncated", part_truncated, ASKED_FOR},
    {"uncommitted", part_uncommitted, ONCE},
    {"blocks", part_blocks, EVERY_MAP},
    {"neighbours", part_neighbours, EVERY_MAP},
    {"requests", part_requests, EVERY_MAP},
    {"large", part_large, ASKED_FOR},
};

/* `argv`: the parts by name, or nothing. */
static bool wanted(const struct part *part, char **argv, bool first_map)
{
    if (*argv == NULL)
        return part->when == EVERY_MAP || (part->when == ONCE && first_map);
    for (; *argv != NULL; argv++)
        if (strcmp(*argv, part->name) == 0)
            return true;
    return false;
}

static int wrong_everywhere(void)
{
    int mine = wrong_count, all;

    PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void run_parts(char **argv, uint64_t seed, bool first_map)
{
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        if (!wanted(&parts[p], argv, first_map))
            continue;
        part_name = parts[p].name;
        if (world_rank == 0) {
            printf("part %s\n", part_name);
            fflush(stdout);
        }
        parts[p].run(hash_mix(seed, p));
        if (wrong_everywhere() > 0)
            return;
    }
}

/* `maps`: what COLLECTIVES_MAPS holds. */
static void run_under(char *maps, char **argv, uint64_t seed)
{
    uint64_t turn = 0;

    for (char *rest, *word = strtok_r(maps, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        char *map = strchr(word, ':');

        if (map == NULL || wrong_everywhere() > 0)
            return;
        *map++ = '\0';
        planned_set(word);
        if (world_rank == 0)
            printf("map %s\n", map);
        world_begin(map);
        run_parts(argv, hash_mix(seed, 1000 + turn++), false);
        world_end();
    }
    if (world_rank == 0)
        printf("%d further maps\n", (int)turn);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    char *planned = getenv("COLLECTIVES_PLANNED"), *maps = getenv("COLLECTIVES_MAPS"), **parts_asked = argv + argc;
    int provided, all;

    random_calls = argc > 2 ? atoi(argv[2]) : 300;
    if (argc > 3)
        parts_asked = argv + 3;
    if (argc > 3 && strcmp(argv[3], "threads") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
    kinds_init();
    planned_set(planned != NULL ? planned : "none");
    run_parts(parts_asked, seed, true);
    if (maps != NULL)
        run_under(maps, parts_asked, seed);
    kinds_release();
    all = wrong_everywhere();
    if (world_rank == 0)
        printf("collectives: seed %llu, %ld checks at rank 0, %d wrong\n", (unsigned long long)seed,
               (long)checked_count, all);
    MPI_Finalize();
    return all > 0;
}
