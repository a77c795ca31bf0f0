/* The special parts of the collective tests: synchronisation, errors, handles that come back, threads, large messages.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/mpi/collectives.h"

static int world_rank(void)
{
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static int world_ranks(void)
{
    int ranks;

    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

/* One counter a rank that all see, by a file: they need not be on one node, but share the current directory. */
static _Atomic int *share_counters(void)
{
    size_t bytes = sizeof(int) * (size_t)world_ranks();
    char file[] = "collectives.XXXXXX";
    int fd = world_rank() == 0 ? mkstemp(file) : -1;
    void *counters;

    PMPI_Bcast(file, sizeof file, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (world_rank() != 0)
        fd = open(file, O_RDWR);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0 ||
        (counters = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED) {
        perror(file);
        PMPI_Abort(MPI_COMM_WORLD, 1);
        abort();
    }
    close(fd);
    PMPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0)
        unlink(file);
    return counters;
}

/* Somebody is late at each barrier. */
static void be_late(struct rng *rng)
{
    int late = rng_below(rng, world_ranks()), turns = rng_below(rng, 8);

    for (int i = 0; late == world_rank() && i < turns; i++)
        sched_yield();
}

static void barriers_on(MPI_Comm comm, _Atomic int *counters, uint64_t seed)
{
    struct rng rng = {seed};
    MPI_Group group, all;
    int members, world[64], own[64];

    PMPI_Comm_size(comm, &members);
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 0; i < members; i++)
        own[i] = i;
    PMPI_Group_translate_ranks(group, members, own, all, world);
    for (int turn = 1; turn <= 10; turn++) {
        be_late(&rng);
        atomic_store(&counters[world_rank()], turn);
        MPI_Barrier(comm);
        for (int i = 0; i < members; i++) {
            int seen = atomic_load(&counters[world[i]]);

            CHECK(seen == turn || seen == turn + 1, "after barrier %d rank %d has come to %d", turn, world[i], seen);
        }
    }
    PMPI_Barrier(comm);
    atomic_store(&counters[world_rank()], 0);
    PMPI_Barrier(comm);
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
}

void part_barrier(uint64_t seed)
{
    _Atomic int *counters = share_counters();
    MPI_Comm parity, reversed;

    MPI_Comm_split(world_comm, world_rank() % 2, world_rank(), &parity);
    MPI_Comm_split(world_comm, 0, -world_rank(), &reversed);
    parity = under_map(parity);
    reversed = under_map(reversed);
    barriers_on(world_comm, counters, seed);
    barriers_on(parity, counters, seed);
    barriers_on(reversed, counters, seed);
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&parity);
    munmap((void *)counters, sizeof(int) * (size_t)world_ranks());
}

/* On an intercommunicator bcast and reduce have one root in one group, and allreduce gives each the other's sum. */
static void use_intercommunicator(MPI_Comm inter, bool upper, int lower_ranks)
{
    int rank = world_rank(), ranks = world_ranks(), value = rank, sum = -1;
    int lower_sum = lower_ranks * (lower_ranks - 1) / 2, total = ranks * (ranks - 1) / 2;

    MPI_Barrier(inter);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, inter);
    CHECK(sum == (upper ? lower_sum : total - lower_sum), "allreduce on an intercommunicator: %d", sum);
    value = rank == 0 ? 4711 : -1;
    MPI_Bcast(&value, 1, MPI_INT, upper ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    CHECK(value == (upper || rank == 0 ? 4711 : -1), "bcast on an intercommunicator: %d", value);
    value = rank;
    sum = -1;
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, upper ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    CHECK(sum == (rank == 0 ? total - lower_sum : -1), "reduce on an intercommunicator: %d", sum);
}

void part_intercommunicator(uint64_t seed)
{
    MPI_Comm half, inter;
    int rank = world_rank(), ranks = world_ranks(), lower_ranks = (ranks + 1) / 2;
    bool upper = rank >= lower_ranks;

    (void)seed;
    if (ranks < 2)
        return;
    MPI_Comm_split(world_comm, upper, rank, &half);
    MPI_Intercomm_create(half, 0, world_comm, upper ? 0 : lower_ranks, 9, &inter);
    use_intercommunicator(inter, upper, lower_ranks);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static int handled;

static void count_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    handled++;
}

static int class_of(int code)
{
    int class = MPI_SUCCESS;

    if (code != MPI_SUCCESS)
        PMPI_Error_class(code, &class);
    return class;
}

/* A wrong call gets the same class of error, and the handler as often, through the doors and past them. */
#define SAME_ERROR(function, ...)                                                                                      \
    do {                                                                                                               \
        int through, past, by_door;                                                                                    \
        handled = 0;                                                                                                   \
        through = class_of(MPI_##function(__VA_ARGS__));                                                               \
        by_door = handled;                                                                                             \
        handled = 0;                                                                                                   \
        past = class_of(PMPI_##function(__VA_ARGS__));                                                                 \
        CHECK(through == past, "%s(%s): class %d, PMPI's %d", #function, #__VA_ARGS__, through, past);                 \
        CHECK(by_door == handled, "%s(%s): handler called %d times, by PMPI %d", #function, #__VA_ARGS__, by_door,     \
              handled);                                                                                                \
    } while (0)

static void wrong_calls(MPI_Comm comm)
{
    int a[4] = {1, 2, 3, 4}, b[4] = {0}, ranks = world_ranks(), sum = 0, one = 1;
    MPI_Datatype derived = kind_named("vector")->type;

    SAME_ERROR(Bcast, a, -1, MPI_INT, 0, comm);
    SAME_ERROR(Bcast, a, 1, MPI_INT, -1, comm);
    SAME_ERROR(Bcast, a, 1, MPI_INT, ranks, comm);
    SAME_ERROR(Bcast, a, 1, MPI_DATATYPE_NULL, 0, comm);
    SAME_ERROR(Reduce, a, b, -1, MPI_INT, MPI_SUM, 0, comm);
    SAME_ERROR(Reduce, a, b, 1, MPI_INT, MPI_SUM, ranks, comm);
    SAME_ERROR(Reduce, a, b, 1, MPI_INT, MPI_SUM, -7, comm);
    SAME_ERROR(Reduce, a, b, 1, MPI_INT, MPI_OP_NULL, 0, comm);
    SAME_ERROR(Reduce, a, b, 1, MPI_DATATYPE_NULL, MPI_SUM, 0, comm);
    SAME_ERROR(Reduce, a, b, 1, MPI_DOUBLE_INT, MPI_SUM, 0, comm);
    SAME_ERROR(Reduce, a, b, 1, derived, MPI_SUM, 0, comm);
    SAME_ERROR(Reduce, a, b, 0, derived, MPI_SUM, 0, comm);
    SAME_ERROR(Reduce, a, b, 0, MPI_INT, MPI_OP_NULL, 0, comm);
    SAME_ERROR(Allreduce, a, b, -1, MPI_INT, MPI_SUM, comm);
    SAME_ERROR(Allreduce, a, b, 1, MPI_INT, MPI_OP_NULL, comm);
    SAME_ERROR(Allreduce, a, b, 1, MPI_DATATYPE_NULL, MPI_SUM, comm);
    SAME_ERROR(Allreduce, a, b, 1, MPI_FLOAT, MPI_BAND, comm);
    SAME_ERROR(Allreduce, a, b, 1, MPI_2INT, MPI_MAX, comm);
    SAME_ERROR(Allreduce, a, b, 1, derived, MPI_SUM, comm);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == ranks, "after wrong calls the communicator sums %d", sum);
}

void part_errors(uint64_t seed)
{
    MPI_Comm comm;
    MPI_Errhandler handler;

    (void)seed;
    MPI_Comm_dup(world_comm, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    wrong_calls(comm);
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    wrong_calls(comm);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}

/* Receives that would take any message wait on the user's communicators meanwhile: none of ours may come there. */
void part_wildcards(uint64_t seed)
{
    int left = (world_rank() + world_ranks() - 1) % world_ranks(), self_got = -1, world_got = -1, value = world_rank();
    MPI_Request requests[2];
    struct rng rng = {seed};

    MPI_Irecv(&self_got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &requests[0]);
    MPI_Irecv(&world_got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world_comm, &requests[1]);
    for (int i = 0; i < 60; i++)
        random_call(MPI_COMM_SELF, "self, where a receive waits", &rng, 300);
    for (int i = 0; i < 60; i++)
        random_call(world_comm, "world, where a receive waits", &rng, 300);
    MPI_Barrier(world_comm);
    MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_SELF);
    MPI_Send(&value, 1, MPI_INT, (world_rank() + 1) % world_ranks(), 5, world_comm);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(self_got == world_rank(), "a receive on MPI_COMM_SELF took another's message: %d", self_got);
    CHECK(world_got == left, "a receive on world_comm took another's message: %d", world_got);
}

/* A type that was never committed: an error at every rank, and no wait for a message that does not come. */
void part_uncommitted(uint64_t seed)
{
    int a[8] = {0}, b[8] = {0};
    MPI_Comm comm;
    MPI_Datatype type;

    (void)seed;
    MPI_Comm_dup(world_comm, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    PMPI_Type_vector(2, 1, 2, MPI_INT, &type);
    SAME_ERROR(Bcast, a, 1, type, 0, comm);
    SAME_ERROR(Bcast, a, 1, type, world_ranks() - 1, comm);
    SAME_ERROR(Allreduce, a, b, 1, type, operator_named("user xor")->op, comm);
    PMPI_Type_free(&type);
    MPI_Comm_free(&comm);
}

/* The root gives more than the others take: an error or the library's silence, never a hang. */
void part_truncated(uint64_t seed)
{
    int values[100] = {0}, rc;
    MPI_Comm comm;

    (void)seed;
    MPI_Comm_dup(world_comm, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    rc = MPI_Bcast(values, world_rank() == 0 ? 100 : 50, MPI_INT, 0, comm);
    if (rc != MPI_SUCCESS)
        printf("truncated: rank %d has class %d\n", world_rank(), class_of(rc));
    MPI_Comm_free(&comm);
}

static int open_files(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = 0;

    while (directory != NULL && readdir(directory) != NULL)
        count++;
    if (directory != NULL)
        closedir(directory);
    return count;
}

/* Handles come back with other members behind them. */
void part_remade_communicators(uint64_t seed)
{
    int before = open_files();

    for (int turn = 0; turn < 50; turn++) {
        int color = turn % 2 == 0 ? 0 : world_rank() % 2, members, expected = 0, sum = -1;
        int value = (int)(hash_mix(seed, (uint64_t)turn) % 100);
        MPI_Comm comm;

        if (turn % 2 == 0)
            MPI_Comm_dup(world_comm, &comm);
        else
            MPI_Comm_split(world_comm, color, world_rank(), &comm);
        PMPI_Comm_size(comm, &members);
        expected = value * members;
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
        CHECK(sum == expected, "communicator %d, made anew: %d, not %d", turn, sum, expected);
        MPI_Bcast(&sum, 1, MPI_INT, members - 1, comm);
        MPI_Comm_free(&comm);
    }
    CHECK(open_files() <= before + 2, "%d files are open, and %d were", open_files(), before);
}

static void sum_of_type(MPI_Datatype type, int offset, const char *what)
{
    enum { ROOM = 40 };
    int send[ROOM], receive[ROOM];
    int at = offset;

    for (int i = 0; i < ROOM; i++) {
        send[i] = 1;
        receive[i] = -1;
    }
    MPI_Bcast(send, 2, type, 0, world_comm);
    MPI_Reduce_local(send, receive, 0, MPI_INT, MPI_SUM);
    for (int i = 0; i < ROOM; i++)
        send[i] = world_rank() == 0 ? 7 : 1;
    MPI_Bcast(send, 1, type, 0, world_comm);
    CHECK(send[0] == 7 && send[at] == 7 && (world_rank() == 0 || send[at - 1] == (at == 1 ? 7 : 1)), "bcast of a %s",
          what);
}

/* Two types of one size, each freed before the other is made: the same handle, another layout. */
void part_remade_types(uint64_t seed)
{
    (void)seed;
    for (int turn = 0; turn < 100; turn++) {
        MPI_Datatype type;
        int gap = 2 + turn % 5;

        PMPI_Type_vector(2, 1, gap, MPI_INT, &type);
        PMPI_Type_commit(&type);
        sum_of_type(type, gap, "vector made anew");
        PMPI_Type_free(&type);
        PMPI_Type_contiguous(2, MPI_INT, &type);
        PMPI_Type_commit(&type);
        sum_of_type(type, 1, "contiguous type made anew");
        PMPI_Type_free(&type);
    }
}

void part_remade_operators(uint64_t seed)
{
    for (int turn = 0; turn < 100; turn++) {
        struct operator operator= {turn % 2 ? "xor made anew" : "affine made anew", MPI_OP_NULL, ~0u, ANY_BITS};
        struct trial t = {.operation = turn % 3 ? OPERATION_ALLREDUCE : OPERATION_REDUCE,
                          .kind = kind_named(all_reductions() ? "vector" : "contiguous"),
                          .operator= & operator,
                          .count = 5,
                          .call = hash_mix(seed, (uint64_t)turn),
                          .comm_name = "world"};

        PMPI_Op_create(turn % 2 ? user_xor : user_affine, turn % 2, &operator.op);
        trial_run(world_comm, &t);
        PMPI_Op_free(&operator.op);
    }
}

struct worker {
    MPI_Comm comm;
    uint64_t seed;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct rng rng = {worker->seed};

    for (int i = 0; i < 100; i++) {
        struct trial t = {.operation = (enum operation)rng_below(&rng, 3),
                          .kind = &kinds[rng_below(&rng, kind_count)],
                          .count = rng_below(&rng, 9),
                          .operator= operator_named("user affine"),
                          .call = rng_next(&rng),
                          .comm_name = "a thread's own",
                          .root = rng_below(&rng, world_ranks())};

        if (t.kind->count_max == 1)
            t.count = 1;
        if (!operator_serves(t.operator, t.kind))
            t.operation = OPERATION_BCAST;
        if (t.operation == OPERATION_BCAST)
            t.operator= NULL;
        trial_run(worker->comm, &t);
        if (i % 10 == 0)
            MPI_Barrier(worker->comm);
    }
    return NULL;
}

/* Threads with a communicator each, at the same time. */
void part_threads(uint64_t seed)
{
    enum { THREADS = 3 };
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    int provided;

    PMPI_Query_thread(&provided);
    if (provided < MPI_THREAD_MULTIPLE)
        return;
    for (int i = 0; i < THREADS; i++) {
        MPI_Comm_dup(world_comm, &workers[i].comm);
        workers[i].seed = hash_mix(seed, (uint64_t)i);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &workers[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&workers[i].comm);
}

enum { BITS_COUNT = 1000, BITS_TURNS = 25 };

/* One sum over `comm`, with somebody late. All ranks of `alike` must get the bits of its rank 0: members of equal rank
 * in their communicators bring equal numbers. */
static void sum_alike(MPI_Comm comm, MPI_Comm alike, int count, uint64_t seed, struct rng *rng, double *sum)
{
    double mine[BITS_COUNT], expected[BITS_COUNT];
    int rank;

    PMPI_Comm_rank(comm, &rank);
    for (int i = 0; i < count; i++)
        mine[i] = (double)(int64_t)hash_mix(seed, (uint64_t)(BITS_COUNT * rank + i)) / 3.0;
    be_late(rng);
    MPI_Allreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, comm);
    memcpy(expected, sum, sizeof *sum * (size_t)count);
    PMPI_Bcast(expected, count, MPI_DOUBLE, 0, alike);
    CHECK(memcmp(expected, sum, sizeof *sum * (size_t)count) == 0, "a sum of %d has other bits than at rank 0", count);
}

static const int bits_counts[] = {1, 3, 7, 20, 100, BITS_COUNT};
enum { BITS_COUNTS = sizeof bits_counts / sizeof bits_counts[0] };

/* Sums whose last bits depend on the order: in each call the same at all ranks. */
void part_alike(uint64_t seed)
{
    struct rng rng = {seed};
    double sum[BITS_COUNT];

    for (int turn = 0; turn < BITS_COUNTS * BITS_TURNS; turn++)
        sum_alike(world_comm, MPI_COMM_WORLD, bits_counts[turn % BITS_COUNTS], seed, &rng, sum);
}

/* The same each time, whoever is late. Returns a print of the bits. */
static uint64_t sum_again(MPI_Comm comm, MPI_Comm alike, int count, uint64_t seed, struct rng *rng)
{
    double first[BITS_COUNT], sum[BITS_COUNT];
    uint64_t print = 0, bits;

    sum_alike(comm, alike, count, seed, rng, first);
    for (int turn = 1; turn < BITS_TURNS; turn++) {
        sum_alike(comm, alike, count, seed, rng, sum);
        CHECK(memcmp(first, sum, sizeof *sum * (size_t)count) == 0, "sum %d of %d has other bits than the first", turn,
              count);
    }
    for (int i = 0; i < count; i++) {
        memcpy(&bits, &first[i], sizeof bits);
        print = hash_mix(print, bits);
    }
    return print;
}

/* … and on both halves of the ranks, which compute the same, as the process columns of a matrix do; the script compares
 * two runs. */
void part_bits(uint64_t seed)
{
    struct rng rng = {seed};
    int upper = world_rank() >= world_ranks() / 2;
    uint64_t print = 0;
    MPI_Comm half;

    MPI_Comm_split(world_comm, upper, 0, &half);
    half = under_map(half);
    for (int i = 0; i < BITS_COUNTS; i++) {
        print = hash_mix(print, sum_again(world_comm, MPI_COMM_WORLD, bits_counts[i], seed, &rng));
        sum_again(half, world_ranks() % 2 == 0 ? MPI_COMM_WORLD : half, bits_counts[i], seed, &rng);
    }
    MPI_Comm_free(&half);
    if (world_rank() == 0)
        printf("bits %016llx\n", (unsigned long long)print);
}

/* More than 2 GiB: no count of bytes fits an int. */
static void large_bcast(size_t doubles)
{
    double *values = malloc(doubles * sizeof *values);
    int root = world_ranks() - 1;

    if (values == NULL) {
        wrong("no memory for the large bcast");
        return;
    }
    for (size_t i = 0; i < doubles; i++)
        values[i] = world_rank() == root ? (double)i : -1;
    CHECK(MPI_Bcast(values, (int)doubles, MPI_DOUBLE, root, world_comm) == MPI_SUCCESS, "large bcast fails");
    for (size_t i = 0; i < doubles; i += 4099)
        CHECK(values[i] == (double)i, "large bcast: %f at %zu", values[i], i);
    CHECK(values[doubles - 1] == (double)(doubles - 1), "large bcast: its end");
    free(values);
}

/* The same through a type with gaps, which is packed. */
static void large_vector_bcast(int elements)
{
    MPI_Datatype type;
    int *values = malloc((size_t)elements * 12), root = 0;

    if (values == NULL) {
        wrong("no memory for the large bcast of vectors");
        return;
    }
    PMPI_Type_vector(2, 1, 2, MPI_INT, &type);
    PMPI_Type_commit(&type);
    for (size_t i = 0; i < 3 * (size_t)elements; i++)
        values[i] = world_rank() == root ? (int)i : -1;
    CHECK(MPI_Bcast(values, elements, type, root, world_comm) == MPI_SUCCESS, "large bcast of vectors fails");
    for (size_t i = 0; i < (size_t)elements; i += 4099)
        CHECK(values[3 * i] == (int)(3 * i) && (values[3 * i + 1] == -1 || world_rank() == root),
              "large vectors: %d at %zu", values[3 * i], i);
    PMPI_Type_free(&type);
    free(values);
}

void part_large(uint64_t seed)
{
    (void)seed;
    large_bcast((size_t)300 << 20);
    large_vector_bcast(300 << 20);
}
