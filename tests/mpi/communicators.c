/* Communicators that are many, come while others are still coming, and are used for the first time in any way.
 *
 * communicators PART ...: many, coming, order, unsettled, straight, later, beside, ahead, barriers, forgotten or churn.
 * Exit code: 0 when no rank found a wrong result. */
#include <dlfcn.h>
#include <malloc.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MANY = 160,
    UNUSED = 150,
    COMING = 4,
    ROUNDS = 12,
    CHURN = 17000,
    CALLS = 100,
    LARGE = 1000,
    BESIDE = 24,
    AHEAD = 100,
    GROWTH_KIB = 2048,
    FORGOTTEN = 70
};

static int rank, ranks, wrong, joins, natives, answers;
static MPI_Comm watched = MPI_COMM_NULL;

/* Ranks of a communicator join by these two. */
int PMPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                   MPI_Datatype receive_type, MPI_Comm comm)
{
    int (*next)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm) =
        (int (*)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm))(uintptr_t)dlsym(
            RTLD_NEXT, "PMPI_Allgather");

    joins++;
    return next(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

/* Calls on `watched` that the map leaves to the library. */
int PMPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int (*next)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm) =
        (int (*)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm))(uintptr_t)dlsym(RTLD_NEXT,
                                                                                             "PMPI_Allreduce");

    natives += comm == watched;
    return next(send, receive, count, type, op, comm);
}

int PMPI_Iallgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                    MPI_Datatype receive_type, MPI_Comm comm, MPI_Request *request)
{
    int (*next)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Request *) =
        (int (*)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Request *))(uintptr_t)dlsym(
            RTLD_NEXT, "PMPI_Iallgather");

    joins++;
    return next(send, send_count, send_type, receive, receive_count, receive_type, comm, request);
}

/* A rank reads an answer of the map. */
__attribute__((visibility("default"))) void *json_loads(const char *text, size_t flags, void *error);
void *json_loads(const char *text, size_t flags, void *error)
{
    void *(*next)(const char *, size_t, void *) =
        (void *(*)(const char *, size_t, void *))(uintptr_t)dlsym(RTLD_NEXT, "json_loads");

    answers++;
    return next(text, flags, error);
}

static void check(int condition, const char *what)
{
    if (!condition && wrong++ < 5)
        printf("communicators: rank %d: %s\n", rank, what);
}

static double expected(double each)
{
    return each * ranks + ranks * (ranks - 1) / 2.0;
}

static void reduce(MPI_Comm comm, double each)
{
    double own = each + rank, sum = 0;

    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    check(sum == expected(each), "a sum is wrong");
}

/* All live together, beside others that nobody uses; messages of each are told from the others'. All have joined before
 * the first one takes of the memory that it has reserved. */
static void many(void)
{
    static MPI_Comm used[MANY], unused[UNUSED];
    static MPI_Request requests[MANY];
    static double own[MANY], sums[MANY];

    for (int i = 0; i < UNUSED; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &unused[i]);
    for (int i = 0; i < MANY; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? rank : -rank, &used[i]);
        own[i] = i + rank;
        MPI_Iallreduce(&own[i], &sums[i], 1, MPI_DOUBLE, MPI_SUM, used[i], &requests[i]);
    }
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MANY; i++)
        check(sums[i] == expected(i), "a sum of many in flight is wrong");
    for (int i = 0; i < MANY; i++) {
        MPI_Barrier(used[i]);
        reduce(used[i], i);
    }
    for (int i = 0; i < MANY; i++)
        MPI_Comm_free(&used[(i * 7) % MANY]);
    for (int i = 0; i < UNUSED; i++)
        MPI_Comm_free(&unused[i]);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Duplicates of duplicates come beside collectives and messages; the first call on each is nonblocking. */
static void coming(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm comms[COMING];
        MPI_Request requests[3 * COMING];
        double own[COMING], sums[COMING];
        int in[COMING], out = round, right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;

        for (int i = 0; i < COMING; i++) {
            own[i] = i + rank;
            in[i] = -1;
            MPI_Comm_idup(MPI_COMM_WORLD, &comms[i], &requests[3 * i]);
            MPI_Iallreduce(&own[i], &sums[i], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[3 * i + 1]);
            MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[3 * i + 2]);
        }
        for (int i = 0; i < COMING; i++)
            MPI_Send(&out, 1, MPI_INT, right, i, MPI_COMM_WORLD);
        MPI_Waitall(3 * COMING, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < COMING; i++)
            check(sums[i] == expected(i) && in[i] == round, "a sum or a message beside duplications is wrong");
        for (int i = 0; i < COMING; i++) /* each rank begins with another one */
            MPI_Iallreduce(&own[(i + rank) % COMING], &sums[(i + rank) % COMING], 1, MPI_DOUBLE, MPI_SUM,
                           comms[(i + rank) % COMING], &requests[i]);
        MPI_Waitall(COMING, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < COMING; i++) {
            check(sums[i] == expected(i), "a sum on a duplicate is wrong");
            reduce(comms[i], round);
            MPI_Comm_free(&comms[i]);
        }
    }
}

/* On a new communicator, while not everybody knows its paths: calls that stay native, calls with a plan, and calls that
 * the map has no rules for, at another moment at each rank. */
static void order(void)
{
    static double large[LARGE], large_sums[2][LARGE];

    for (int round = 0; round < ROUNDS; round++) {
        double own = rank, sum, again, given = rank == 0 ? round : -1;
        MPI_Request requests[5];
        MPI_Comm comm;

        for (int i = 0; i < LARGE; i++)
            large[i] = rank + i;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (round % 3 == 2)
            reduce(comm, round);
        for (int use = 0; use < 3; use++) { /* the second and third one with settled paths */
            sum = again = -1;
            usleep((useconds_t)((rank * 37 + round * 13 + use) % 5 * 300));
            MPI_Iallreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &requests[0]);
            MPI_Iallreduce(large, large_sums[0], LARGE, MPI_DOUBLE, MPI_SUM, comm, &requests[1]);
            if (rank % 2 == 0) /* these know the path when the call comes again */
                MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
            MPI_Iallreduce(large, large_sums[1], LARGE, MPI_DOUBLE, MPI_SUM, comm, &requests[4]);
            MPI_Ibcast(&given, 1, MPI_DOUBLE, 0, comm, &requests[2]);
            MPI_Iallreduce(&own, &again, 1, MPI_DOUBLE, MPI_SUM, comm, &requests[3]);
            MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
            check(sum == expected(0) && again == expected(0) && given == round, "a native call's result is wrong");
            for (int i = 0; i < LARGE; i++)
                check(large_sums[0][i] == expected(i) && large_sums[1][i] == expected(i),
                      "a planned call's result is wrong");
            if (use > 0)
                reduce(comm, use);
        }
        MPI_Comm_free(&comm);
    }
}

/* Where no call blocks no path is ever settled but those that the world has from the start: each call has a place among
 * the library's, and gives it back. Under AddressSanitizer mallinfo2 tells nothing. */
static void unsettled(void)
{
    static double own[LARGE], sums[LARGE];
    const size_t call_bytes = sizeof own;
    size_t before = 0;
    MPI_Request world;
    MPI_Comm comm;

    for (int i = 0; i < LARGE; i++)
        own[i] = rank + i;
    answers = 0;
    MPI_Iallreduce(own, sums, LARGE, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &world);
    MPI_Wait(&world, MPI_STATUS_IGNORE);
    check(sums[LARGE - 1] == expected(LARGE - 1) && answers == 0, "the world's path is asked for when it is used");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 2 * CALLS; i++) {
        MPI_Request request;

        if (i == CALLS)
            before = mallinfo2().uordblks;
        MPI_Iallreduce(own, sums, LARGE, MPI_DOUBLE, MPI_SUM, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(sums[LARGE - 1] == expected(LARGE - 1), "a sum among calls that are not settled is wrong");
    }
    check(mallinfo2().uordblks < before + CALLS / 4 * call_bytes, "calls that are not settled leave memory behind");
    MPI_Comm_free(&comm);
}

/* Where every call of an operation is the library's, communicators that use no other one need not join. */
static void straight(void)
{
    double own = rank, sum = -1;
    MPI_Request request;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    joins = 0;
    reduce(comm, 1);
    MPI_Iallreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(sum == expected(0), "a native call's result is wrong");
    check(joins == 0, "a communicator joins for a native call");
    MPI_Barrier(comm);
    check(joins == 1, "a communicator does not join for a planned call");
    MPI_Comm_free(&comm);
}

/* Use a new communicator, and how often its ranks join, and leave a call to the library, in that. */
static void expect_use(MPI_Comm comm, int expected_joins, int expected_natives, const char *what)
{
    joins = natives = 0;
    watched = comm;
    reduce(comm, 3);
    check(joins == expected_joins && natives == expected_natives, what);
}

/* The same by a nonblocking call; what is read of the map is said beforehand. */
static void expect_begin(MPI_Comm comm, int expected_answers, const char *what)
{
    double own = 3 + rank, sum = 0;
    MPI_Request request;

    answers = 0;
    MPI_Iallreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(sum == expected(3), "a sum is wrong");
    check(expected_answers < 0 || answers == expected_answers, what);
}

static void name_and_use(const char *name, int expected_natives)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, name);
    expect_use(comm, 1, expected_natives, "a communicator has the path of another name");
    MPI_Comm_free(&comm);
}

/* In a ring whose neighbours are so many ranks away. */
static void shift(int distance)
{
    int left = (rank + ranks - distance) % ranks, right = (rank + distance) % ranks, weight = 1, in = -1;
    MPI_Comm comm;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &weight, 1, &right, &weight, MPI_INFO_NULL, 0, &comm);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &in, 1, MPI_INT, comm);
    check(in == left, "a neighbor is that of an earlier topology");
    MPI_Comm_free(&comm);
}

/* Rank 0 and one other. */
static void meet(int other)
{
    int in = rank == 0 ? other : -1;
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 || rank == other ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm == MPI_COMM_NULL)
        return;
    joins = 0;
    MPI_Bcast(&in, 1, MPI_INT, 0, comm);
    check(in == other && joins == 1, "two ranks do not take over what these two had");
    MPI_Comm_free(&comm);
}

/* Rank 0 alone has so many communicators that it can keep no other one. */
static void forget(void)
{
    MPI_Comm comms[FORGOTTEN];

    for (int i = 0; rank == 0 && i < FORGOTTEN; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
        MPI_Barrier(comms[i]);
    }
    for (int i = 0; rank == 0 && i < FORGOTTEN; i++)
        MPI_Comm_free(&comms[i]);
}

static void make(MPI_Comm comms[2])
{
    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        reduce(comms[i], i);
    }
}

/* Communicators come when others of the same ranks are gone, or still there; the name 'own' has its own path. */
static void later(void)
{
    MPI_Comm comm, comms[2];

    for (int round = 0; round < 3; round++) {
        name_and_use("own", 1);
        name_and_use("other", 0);
        for (int reverse = 0; reverse < 2; reverse++) { /* the root is another rank */
            int root_rank = rank, world_root = reverse ? ranks - 1 : 0;

            MPI_Comm_split(MPI_COMM_WORLD, 0, reverse ? -rank : rank, &comm);
            MPI_Bcast(&root_rank, 1, MPI_INT, 0, comm);
            check(root_rank == world_root, "a root is that of ranks in another order");
            MPI_Comm_free(&comm);
        }
        shift(1);
        shift(2);
        make(comms);
        for (int i = 0; i < 2; i++) /* each rank keeps another one for the next communicator */
            MPI_Comm_free(&comms[(i + rank) % 2]);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        expect_use(comm, 1, 0, "ranks that take over different communicators join more than once");
        make(comms);
        MPI_Comm_free(&comms[1]);
        MPI_Comm_free(&comm);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        expect_use(comm, 1, 0, "a communicator is not taken over");
        reduce(comms[0], 7);
        MPI_Comm_free(&comm);
        MPI_Comm_free(&comms[0]);
    }
}

/* Ranks have been in several communicators of equal size, and what one of them has forgotten nobody takes over. First
 * the world: it has the path of its name when it is used, not when it began. */
static void forgotten(void)
{
    MPI_Comm comm;

    MPI_Comm_set_name(MPI_COMM_WORLD, "own");
    expect_use(MPI_COMM_WORLD, 0, 1, "the world has the path of the name that it had");
    MPI_Comm_set_name(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    for (int again = 0; again < 2; again++)
        for (int other = 1; other < ranks; other++)
            meet(other);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    reduce(comm, 1);
    MPI_Comm_free(&comm);
    forget();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    expect_use(comm, 1, 0, "a rank that has forgotten a communicator joins more than once");
    MPI_Comm_free(&comm);
}

/* A duplicate, of another map if there is one, that is used for the first time. */
static void use_beside(MPI_Comm *comm, int nonblocking, const char *map, int expected_answers)
{
    MPI_Info info = MPI_INFO_NULL;

    if (map != NULL) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "waymark_map", map);
        MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, comm);
        MPI_Info_free(&info);
    } else {
        MPI_Comm_dup(MPI_COMM_WORLD, comm);
    }
    answers = 0;
    if (nonblocking) {
        expect_begin(*comm, expected_answers, "a nonblocking call asks what is known");
        return;
    }
    reduce(*comm, 3);
    check(expected_answers < 0 || answers == expected_answers,
          "what communicators beside this one know is asked again");
}

/* Rank 0 alone has named one, so that its ranks know different things: they ask. */
static void disagree(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 0)
        MPI_Comm_set_name(comm, "odd");
    answers = 0;
    reduce(comm, 5);
    check(ranks == 1 || answers > 0, "what some ranks do not know is not asked");
    MPI_Comm_free(&comm);
}

/* Communicators of the same ranks live at once, are named, have maps of their own, and go in another order at each
 * rank, which then keeps others of them for those that come. */
static void beside(void)
{
    MPI_Comm comms[BESIDE], others[2], named;
    int large_in[LARGE], large_out[LARGE];

    for (int i = 0; i < LARGE; i++)
        large_in[i] = rank + i;
    for (int i = 0; i < BESIDE; i++)
        use_beside(&comms[i], i % 3 == 2, NULL, i == 0 ? -1 : 0);
    use_beside(&others[0], 0, "hierarchy", -1);
    use_beside(&others[1], 1, "hierarchy", 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &named);
    MPI_Comm_set_name(named, "own");
    watched = named;
    natives = 0;
    reduce(named, 1);
    check(natives == 1, "a communicator has the path of another name");
    disagree();
    for (int i = BESIDE - 1; i >= 0; i--) { /* each by plans that they share, on memory of their own */
        MPI_Allreduce(large_in, large_out, LARGE, MPI_INT, MPI_SUM, comms[i]);
        check(large_out[i] == (int)expected(i), "a large sum is wrong");
        reduce(comms[(i * 7) % BESIDE], i);
        MPI_Barrier(comms[i]);
    }
    for (int i = 0; i < BESIDE; i++)
        MPI_Comm_free(&comms[(i * 5 + rank) % BESIDE]);
    for (int i = 0; i < BESIDE; i++) {
        use_beside(&comms[i], i % 2, NULL, 0);
        if (i % 3 > 0)
            MPI_Comm_free(&comms[i]);
    }
    for (int i = 0; i < BESIDE; i += 3)
        MPI_Comm_free(&comms[i]);
    reduce(named, 2);
    reduce(others[0], 2);
    MPI_Comm_free(&named);
    MPI_Comm_free(&others[0]);
    MPI_Comm_free(&others[1]);
}

static void use_in_turn(MPI_Comm comm, int i)
{
    double own = rank + i, sum = 0;
    MPI_Request request;

    if (i % 3 == 0)
        MPI_Barrier(comm);
    MPI_Iallreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(sum == expected(i), "a sum on one of many live communicators is wrong");
    reduce(comm, i);
}

/* So many live together that what they need is made ahead; rank 0 alone then makes so much for itself that it can keep
 * none of it, and the others still have theirs. */
static void ahead(void)
{
    static MPI_Comm comms[AHEAD], own[AHEAD];

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < AHEAD; i++) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
            use_in_turn(comms[i], i);
            MPI_Comm_dup(MPI_COMM_SELF, &own[i]);
            if (rank == 0 && round == 1)
                MPI_Barrier(own[i]);
        }
        for (int i = 0; i < AHEAD; i++)
            use_in_turn(comms[(i * 7) % AHEAD], i);
        for (int i = 0; i < AHEAD; i++) {
            MPI_Comm_free(&comms[(i * 3) % AHEAD]);
            MPI_Comm_free(&own[i]);
        }
    }
}

/* Nobody leaves a communicator's first barrier, or its second, before all have come; all ranks are of one host. */
static void barriers(void)
{
    _Atomic int *come;
    MPI_Win window;
    MPI_Aint bytes;
    int unit;

    MPI_Win_allocate_shared(rank == 0 ? sizeof *come : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &come, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &come);
    if (rank == 0)
        atomic_store(come, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < AHEAD; i++) {
        MPI_Comm comm;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int turn = 1; turn <= 2; turn++) {
            atomic_fetch_add(come, 1);
            MPI_Barrier(comm);
            check(atomic_load(come) >= ranks * (2 * i + turn), "a rank leaves a barrier too soon");
        }
        MPI_Comm_free(&comm);
    }
    MPI_Win_free(&window);
}

static long resident_kib(void)
{
    long pages, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");

    if (statm == NULL || fscanf(statm, "%ld %ld", &pages, &resident) != 2)
        check(0, "memory cannot be read");
    if (statm != NULL)
        fclose(statm);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Made, used once and freed. */
static void churn(void)
{
    long before = 0;

    for (int i = 0; i < CHURN; i++) {
        MPI_Comm comm;

        if (i == CHURN / 4)
            before = resident_kib();
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        reduce(comm, i);
        MPI_Comm_free(&comm);
    }
    check(resident_kib() - before < GROWTH_KIB, "communicators that are gone leave memory behind");
}

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {{"many", many},         {"coming", coming},       {"order", order},   {"unsettled", unsettled},
             {"straight", straight}, {"later", later},         {"beside", beside}, {"ahead", ahead},
             {"barriers", barriers}, {"forgotten", forgotten}, {"churn", churn}};

int main(int argc, char **argv)
{
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i < argc; i++)
        for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
            if (strcmp(argv[i], parts[part].name) == 0)
                parts[part].run();
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0)
        printf("communicators: results right\n");
    MPI_Finalize();
    return all != 0;
}
