/* Collectives while the recording is switched, for tests/mpi/control.sh, which reads the trace.
 *
 *   control random SEED CALLS   levels change at random times on random ranks; blocking, nonblocking, persistent calls
 *   control window CALLS        blocking and nonblocking calls on two communicators, and nothing else
 *   control asked CALLS COMMAND as window, twice; rank 0 runs the command in between
 *   control persistent CALLS    a persistent call, so often, recorded but for the second time
 *   control marks               marks between calls
 *   control overlap             2 ranks, two nonblocking calls: the first waited for when it is over, the second at
 * once control threads             marks, by several threads under MPI_THREAD_MULTIPLE
 */
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#include "waymark/mark.h"

enum { VALUES = 700, TOGETHER = 3, THREADS = 4, MARKS_EACH = 300 };

static uint64_t shared, mine; /* generators: of all ranks, of this one */
static int rank, ranks, wrong;

static int below(uint64_t *state, int limit)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((*state >> 33) % (uint64_t)limit);
}

static void maybe_switch(void)
{
    if (below(&mine, 4) == 0)
        MPI_Pcontrol(below(&mine, 3));
}

struct sum {
    int count, give[VALUES], get[VALUES];
    MPI_Request request;
};

static void fill(struct sum *s)
{
    s->count = 1 + below(&shared, VALUES);
    for (int i = 0; i < s->count; i++)
        s->give[i] = rank + i;
}

static void check(const struct sum *s)
{
    for (int i = 0; i < s->count; i++)
        wrong += s->get[i] != ranks * i + ranks * (ranks - 1) / 2;
}

/* By one completion call or another; between them the level may change. */
static void complete(int count, MPI_Request requests[])
{
    int how = below(&mine, 8), left = count, done, indices[TOGETHER];

    if (how == 0) {
        for (int i = 0; i < count; i++) {
            maybe_switch();
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        }
        return;
    }
    if (how == 1) {
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        return;
    }
    while (left > 0) {
        maybe_switch();
        if (how == 2) {
            MPI_Waitany(count, requests, &done, MPI_STATUS_IGNORE);
            left--;
        } else if (how == 3) {
            MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
            left -= done;
        } else if (how == 4) {
            MPI_Testany(count, requests, indices, &done, MPI_STATUS_IGNORE);
            left -= done;
        } else if (how == 5) {
            MPI_Testsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
            left -= done;
        } else if (how == 6) {
            MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
            left = done ? 0 : left;
        } else {
            MPI_Test(&requests[left - 1], &done, MPI_STATUS_IGNORE);
            left -= done;
        }
    }
}

static void block(void)
{
    struct sum s;

    fill(&s);
    switch (below(&shared, 3)) {
    case 0:
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    case 1:
        MPI_Bcast(s.give, s.count, MPI_INT, below(&shared, ranks), MPI_COMM_WORLD);
        break;
    default:
        MPI_Allreduce(s.give, s.get, s.count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        check(&s);
    }
}

static void begin_and_wait(void)
{
    static struct sum sums[TOGETHER];
    MPI_Request requests[TOGETHER];
    int count = 1 + below(&shared, TOGETHER);

    for (int i = 0; i < count; i++) {
        fill(&sums[i]);
        maybe_switch();
        MPI_Iallreduce(sums[i].give, sums[i].get, sums[i].count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
    }
    maybe_switch();
    if (below(&shared, 2) == 0)
        block();
    complete(count, requests);
    for (int i = 0; i < count; i++)
        check(&sums[i]);
}

/* Requests that stay: an inactive one is complete at once, and stays in the list. */
static void start_and_wait(struct sum *kept)
{
    maybe_switch();
    MPI_Start(&kept->request);
    maybe_switch();
    MPI_Wait(&kept->request, MPI_STATUS_IGNORE);
    check(kept);
}

static void run_random(int calls)
{
    struct sum kept;

    fill(&kept);
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
    MPIX_Allreduce_init(kept.give, kept.get, kept.count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                        &kept.request);
#endif
    for (int i = 0; i < calls; i++) {
        int what = below(&shared, 3);

        maybe_switch();
        if (what == 0)
            block();
        else if (what == 1)
            begin_and_wait();
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
        else
            start_and_wait(&kept);
#endif
    }
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
    MPI_Request_free(&kept.request);
#endif
}

static void run_window(int calls)
{
    MPI_Comm other;
    MPI_Request request;
    int sum;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int i = 0; i < calls; i++) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (i % 2 == 0) {
            MPI_Ibarrier(other, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    MPI_Comm_free(&other);
}

/* Without the library that this program has loaded. */
static void run_asked(int calls, const char *command)
{
    run_window(calls);
    if (rank == 0) {
        unsetenv("LD_PRELOAD");
        wrong += system(command) != 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    run_window(calls);
}

static void run_persistent(int calls)
{
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
    MPI_Request requests[2] = {MPI_REQUEST_NULL};
    int sum, index;

    MPIX_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int i = 0; i < calls; i++) {
        MPI_Pcontrol(i == 1 ? 0 : 1);
        MPI_Startall(1, requests + 1);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        wrong += index != 1 || sum != ranks * (ranks - 1) / 2;
    }
    MPI_Request_free(&requests[1]);
#else
    (void)calls;
#endif
}

static void call(void)
{
    int sum;

    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* A buffer whose text changes, a long name, one that is no text. */
static void run_marks(void)
{
    char buffer[400];
    bool loaded = wm_trace_mark("before the first") > 0;

    for (int i = 0; i < 3; i++) {
        call();
        snprintf(buffer, sizeof buffer, "after call %d", i);
        wm_trace_mark(buffer);
        wm_trace_mark("again");
    }
    memset(buffer, 'x', sizeof buffer);
    buffer[sizeof buffer - 1] = '\0';
    wm_trace_mark(buffer);
    wm_trace_mark("\xff\xfe");
    MPI_Pcontrol(0);
    wrong += wm_trace_mark("while it is off") != 0;
    MPI_Pcontrol(1);
    wrong += wm_trace_mark("") != 0 || wm_trace_mark(NULL) != 0;
    wrong += (wm_trace_mark("at last") > 0) != loaded;
    printf("marks: %s\n", loaded ? "loaded" : "not loaded");
}

static void *mark_often(void *number)
{
    char name[32];

    for (int i = 0; i < MARKS_EACH; i++) {
        snprintf(name, sizeof name, "place %d", (i + *(int *)number) % 17);
        wm_trace_mark(name);
    }
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];

    for (int t = 0; t < THREADS; t++) {
        numbers[t] = t;
        pthread_create(&threads[t], NULL, mark_often, &numbers[t]);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
}

static void be_late(void)
{
    for (double begin = MPI_Wtime(); rank == 0 && MPI_Wtime() < begin + 0.05;)
        ;
}

/* Rank 0 comes late. Rank 1 waits at once; or works, in what progresses the call, until rank 0 has come and it is over:
 * it hears of that by a message. */
static void run_overlap(void)
{
    MPI_Comm other;
    MPI_Request request;
    int sum, come = 0;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int at_once = 0; at_once < 2; at_once++) {
        call();
        be_late();
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        if (!at_once && rank == 0)
            MPI_Send(NULL, 0, MPI_INT, 1, 0, other);
        while (!at_once && rank == 1 && !come)
            MPI_Iprobe(0, 0, other, &come, MPI_STATUS_IGNORE);
        if (!at_once && rank == 1)
            MPI_Recv(NULL, 0, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
        for (int turn = 0; !at_once && turn < 300; turn++)
            MPI_Barrier(other);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&other);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int provided;

    wrong += wm_trace_mark("too early") != 0;
    MPI_Init_thread(&argc, &argv, strcmp(what, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    shared = argc > 2 ? (uint64_t)atoi(argv[2]) : 1;
    mine = shared * 977 + (uint64_t)rank;
    if (strcmp(what, "random") == 0)
        run_random(atoi(argv[3]));
    else if (strcmp(what, "window") == 0)
        run_window(atoi(argv[2]));
    else if (strcmp(what, "asked") == 0)
        run_asked(atoi(argv[2]), argv[3]);
    else if (strcmp(what, "persistent") == 0)
        run_persistent(atoi(argv[2]));
    else if (strcmp(what, "marks") == 0)
        run_marks();
    else if (strcmp(what, "threads") == 0)
        run_threads();
    else
        run_overlap();
    printf("control: rank %d, %d wrong\n", rank, wrong);
    MPI_Finalize();
    return wrong != 0;
}
