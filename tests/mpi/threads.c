/* Threads: each with communicators of its own, at once; and several that share a path of one communicator.
 *
 *   threads SEED ROUNDS [MAP ...]: under the job's map, then under each of these
 */
#include "waymark/threads.h"
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, COUNT = 700, FLYING = 6 };

static int rank, ranks, rounds, seed;
static _Atomic int wrong;
static MPI_Comm comms[THREADS], shared_comm;

static void check(int right, const char *what, int detail)
{
    if (!right && wrong++ < 5)
        fprintf(stderr, "rank %d: wrong: %s (%d)\n", rank, what, detail);
}

static int value(int of, int thread, int round, int i)
{
    return of * 31 + thread * 1009 + round * 7 + i % 13 + seed;
}

static int sum_of_all(int thread, int round, int i)
{
    int sum = 0;

    for (int r = 0; r < ranks; r++)
        sum += value(r, thread, round, i);
    return sum;
}

/* Every second int of a vector. */
static void bcast_derived(MPI_Comm comm, int thread, int round)
{
    int data[2 * COUNT], root = round % ranks;
    MPI_Datatype type;

    for (int i = 0; i < 2 * COUNT; i++)
        data[i] = rank == root && i % 2 == 0 ? value(root, thread, round, i) : -1;
    MPI_Type_vector(COUNT, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Bcast(data, 1, type, root, comm);
    MPI_Type_free(&type);
    for (int i = 0; i < 2 * COUNT; i++)
        check(data[i] == (i % 2 ? -1 : value(root, thread, round, i)), "a derived bcast", i);
}

static void nonblocking(MPI_Comm comm, int thread, int round)
{
    static _Thread_local int in[FLYING][COUNT], out[FLYING][COUNT];
    MPI_Request requests[FLYING];

    for (int f = 0; f < FLYING; f++) {
        for (int i = 0; i < COUNT; i++)
            in[f][i] = value(rank, thread, round + f, i);
        MPI_Iallreduce(in[f], out[f], 1 + (round * 37 + f) % COUNT, MPI_INT, MPI_SUM, comm, &requests[f]);
    }
    MPI_Barrier(comm);
    MPI_Waitall(FLYING, requests, MPI_STATUSES_IGNORE);
    for (int f = 0; f < FLYING; f++)
        for (int i = 0; i < 1 + (round * 37 + f) % COUNT; i++)
            check(out[f][i] == sum_of_all(thread, round + f, i), "a nonblocking allreduce", i);
}

static void *alone(void *argument)
{
    int thread = (int)(intptr_t)argument;

    for (int round = 0; round < rounds; round++) {
        int in[COUNT], out[COUNT];
        MPI_Comm made;

        for (int i = 0; i < COUNT; i++)
            in[i] = value(rank, thread, round, i);
        MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, comms[thread]);
        for (int i = 0; i < COUNT; i++)
            check(out[i] == sum_of_all(thread, round, i), "an allreduce", i);
        bcast_derived(comms[thread], thread, round);
        nonblocking(comms[thread], thread, round);
        if (round % 8 == 0) {
            MPI_Comm_dup(comms[thread], &made);
            nonblocking(made, thread, round);
            MPI_Comm_free(&made);
        }
    }
    return NULL;
}

/* x → a x + b, which does not commute: by rank, then by thread. */
static void affine(void *in, void *inout, int *count, MPI_Datatype *type)
{
    unsigned *f = in, *g = inout;

    (void)type;
    for (int i = 0; i < *count; i++, f += 2, g += 2) {
        unsigned a = f[0] * g[0], b = f[1] * g[0] + g[1];

        g[0] = a;
        g[1] = b;
    }
}

static MPI_Datatype pair;
static MPI_Op affine_op;

static void shared_affine(struct wm_shared_path *path, int thread, int round)
{
    unsigned in[2] = {(unsigned)value(rank, thread, round, 1), (unsigned)value(rank, thread, round, 2)},
             out[2] = {0, 0}, answer[2] = {1, 0};
    int one = 1;

    for (int r = 0; r < ranks; r++)
        for (int t = 0; t < THREADS; t++) {
            unsigned next[2] = {(unsigned)value(r, t, round, 1), (unsigned)value(r, t, round, 2)};

            affine(answer, next, &one, NULL);
            memcpy(answer, next, sizeof next);
        }
    wm_path_call(path, thread,
                 &(struct wm_call){.operation = WM_ALLREDUCE,
                                   .send = in,
                                   .receive = out,
                                   .receive_count = 1,
                                   .receive_type = pair,
                                   .op = affine_op});
    check(memcmp(out, answer, sizeof out) == 0, "a shared allreduce in order", round);
}

static void shared_sums(struct wm_shared_path *path, int thread, int round)
{
    int data[COUNT], sums[COUNT], root = round % ranks;
    struct wm_call call = {.operation = round % 2 ? WM_REDUCE : WM_ALLREDUCE,
                           .send = data,
                           .receive = sums,
                           .receive_count = COUNT,
                           .receive_type = MPI_INT,
                           .op = MPI_SUM,
                           .root = root};

    for (int i = 0; i < COUNT; i++) {
        data[i] = value(rank, thread, round, i);
        sums[i] = -1;
    }
    check(wm_path_call(path, thread, &call) == MPI_SUCCESS, "a shared reduction", round);
    for (int i = 0; i < COUNT; i++) {
        int answer = 0, receives = round % 2 == 0 || (rank == root && thread == 0);

        for (int t = 0; t < THREADS; t++)
            answer += sum_of_all(t, round, i);
        check(sums[i] == (receives ? answer : -1), "a shared sum", i);
    }
}

static void shared_bcast(struct wm_shared_path *path, int thread, int round)
{
    int data[COUNT], root = round % ranks;
    struct wm_call call = {
        .operation = WM_BCAST, .receive = data, .receive_count = COUNT, .receive_type = MPI_INT, .root = root};

    for (int i = 0; i < COUNT; i++)
        data[i] = rank == root && thread == 0 ? value(root, 0, round, i) : -1;
    wm_path_call(path, thread, &call);
    for (int i = 0; i < COUNT; i++)
        check(data[i] == value(root, 0, round, i), "a shared bcast", i);
    wm_path_call(path, thread, &(struct wm_call){.operation = WM_BARRIER});
}

static void *together(void *argument)
{
    int thread = (int)(intptr_t)argument;
    struct wm_shared_path *path = wm_path_get(shared_comm, THREADS);

    check(path != NULL && wm_path_get(shared_comm, THREADS + 1) == NULL, "a shared path", thread);
    for (int round = 0; round < 5 * rounds; round++) {
        shared_affine(path, thread, round);
        shared_sums(path, thread, round);
        shared_bcast(path, thread, round);
    }
    check(wm_path_call(path, thread, &(struct wm_call){.operation = WM_GATHER}) == MPI_ERR_ARG, "another operation", 0);
    check(wm_path_call(path, thread, &(struct wm_call){.operation = thread ? WM_BARRIER : WM_BCAST}) == MPI_ERR_ARG,
          "threads that differ", thread);
    wm_path_put(path);
    return NULL;
}

static void run(void *(*body)(void *))
{
    pthread_t threads[THREADS];

    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, body, (void *)(intptr_t)t);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
}

/* Both, on communicators under a map of their own, or under the job's. */
static void run_under(const char *map, bool multiple)
{
    MPI_Info info;

    MPI_Info_create(&info);
    if (map != NULL)
        MPI_Info_set(info, "waymark_map", map);
    for (int t = 0; t < THREADS; t++)
        MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comms[t]);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &shared_comm);
    MPI_Info_free(&info);
    if (multiple)
        run(alone);
    run(together);
    for (int t = 0; t < THREADS; t++)
        MPI_Comm_free(&comms[t]);
    MPI_Comm_free(&shared_comm);
    if (rank == 0 && map != NULL)
        printf("under %s as well\n", map);
}

int main(int argc, char **argv)
{
    int provided, all;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    seed = argc > 1 ? atoi(argv[1]) : 1;
    rounds = argc > 2 ? atoi(argv[2]) : 20;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(affine, 0, &affine_op);
    run_under(NULL, provided == MPI_THREAD_MULTIPLE);
    for (int a = 3; a < argc; a++)
        run_under(argv[a], provided == MPI_THREAD_MULTIPLE);
    MPI_Op_free(&affine_op);
    MPI_Type_free(&pair);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("threads: provided %s, %d wrong\n", provided == MPI_THREAD_MULTIPLE ? "multiple" : "less", all);
    MPI_Finalize();
    return all != 0;
}
