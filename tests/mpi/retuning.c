/* Random calls against a serial answer, while the map is changed again and again.
 *
 * retuning SWITCHES [MAP ...]: rank 0 puts the maps into its own mailbox, one after the other, until so many epochs
 * have begun; without maps somebody else does, and most calls are allreduces of two sizes: trials see these often. All
 * ranks draw the same calls, others for each RETUNE_SEED. Says "epochs N calls M wrong 0". */
#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/guard/mailbox.h"
#include "waymark/convey.h"

enum { COMMS = 4, AT_ONCE = 8, COUNT_MAX = 3000, KINDS = 7, ROUND = 64, BACKS = 7 };

/* A call that is under way, or done. */
struct trial {
    MPI_Comm comm;
    int kind, count, root;
    uint64_t salt;
    MPI_Request request; /* MPI_REQUEST_NULL: it was blocking */
    int64_t *in, *out;
};

static MPI_Comm comms[COMMS];
static uint64_t state = 12345, calls;
static int faults;
static bool calm; /* few kinds of calls */

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

static int64_t value(const struct trial *t, int rank, int i)
{
    return (int64_t)((t->salt * 31 + (uint64_t)rank * 1009 + (uint64_t)i * 7) % 100003);
}

static int64_t sum(const struct trial *t, int ranks, int i)
{
    int64_t all = 0;

    for (int r = 0; r < ranks; r++)
        all += value(t, r, i);
    return all;
}

/* What a rank ends with at place i, where it has something. */
static bool expected(const struct trial *t, int rank, int ranks, int i, int64_t *out)
{
    switch (t->kind) {
    case 0:
        *out = sum(t, ranks, i);
        return true;
    case 1:
        *out = value(t, t->root, i);
        return true;
    case 2:
        *out = sum(t, ranks, i);
        return rank == t->root;
    case 3:
        *out = value(t, i / t->count, i % t->count);
        return true;
    case 4:
        *out = value(t, i / t->count, rank * t->count + i % t->count);
        return true;
    case 5:
        *out = sum(t, rank + 1, i);
        return true;
    default:
        return false;
    }
}

static int blocks_of(int kind, int ranks)
{
    return kind == 3 || kind == 4 ? ranks : 1;
}

static void look(const struct trial *t)
{
    int rank, ranks;

    MPI_Comm_rank(t->comm, &rank);
    MPI_Comm_size(t->comm, &ranks);
    for (int i = 0; i < t->count * blocks_of(t->kind, ranks); i++) {
        int64_t right;

        if (!expected(t, rank, ranks, i, &right) || t->out[i] == right)
            continue;
        if (faults++ < 5)
            printf("wrong: kind %d, %d of %d ranks, count %d, root %d, at %d: %lld, not %lld\n", t->kind, rank, ranks,
                   t->count, t->root, i, (long long)t->out[i], (long long)right);
        return;
    }
}

static void prepare(struct trial *t)
{
    int rank, ranks;

    MPI_Comm_rank(t->comm, &rank);
    MPI_Comm_size(t->comm, &ranks);
    for (int i = 0; i < t->count * ranks; i++) {
        t->in[i] = value(t, rank, i);
        t->out[i] = t->kind == 1 && rank == t->root ? value(t, rank, i) : -1;
    }
}

static void block(struct trial *t)
{
    const int n = t->count;

    switch (t->kind) {
    case 0:
        MPI_Allreduce(t->in, t->out, n, MPI_INT64_T, MPI_SUM, t->comm);
        break;
    case 1:
        MPI_Bcast(t->out, n, MPI_INT64_T, t->root, t->comm);
        break;
    case 2:
        MPI_Reduce(t->in, t->out, n, MPI_INT64_T, MPI_SUM, t->root, t->comm);
        break;
    case 3:
        MPI_Allgather(t->in, n, MPI_INT64_T, t->out, n, MPI_INT64_T, t->comm);
        break;
    case 4:
        MPI_Alltoall(t->in, n, MPI_INT64_T, t->out, n, MPI_INT64_T, t->comm);
        break;
    case 5:
        MPI_Scan(t->in, t->out, n, MPI_INT64_T, MPI_SUM, t->comm);
        break;
    default:
        MPI_Barrier(t->comm);
    }
}

static void begin(struct trial *t)
{
    const int n = t->count;

    switch (t->kind) {
    case 0:
        MPI_Iallreduce(t->in, t->out, n, MPI_INT64_T, MPI_SUM, t->comm, &t->request);
        break;
    case 1:
        MPI_Ibcast(t->out, n, MPI_INT64_T, t->root, t->comm, &t->request);
        break;
    case 2:
        MPI_Ireduce(t->in, t->out, n, MPI_INT64_T, MPI_SUM, t->root, t->comm, &t->request);
        break;
    case 3:
        MPI_Iallgather(t->in, n, MPI_INT64_T, t->out, n, MPI_INT64_T, t->comm, &t->request);
        break;
    case 4:
        MPI_Ialltoall(t->in, n, MPI_INT64_T, t->out, n, MPI_INT64_T, t->comm, &t->request);
        break;
    case 5:
        MPI_Iscan(t->in, t->out, n, MPI_INT64_T, MPI_SUM, t->comm, &t->request);
        break;
    default:
        MPI_Ibarrier(t->comm, &t->request);
    }
}

static void finish(struct trial *trials, int count)
{
    for (int i = 0; i < count; i++) {
        if (trials[i].request != MPI_REQUEST_NULL)
            MPI_Wait(&trials[i].request, MPI_STATUS_IGNORE);
        look(&trials[i]);
    }
}

/* The numbers are drawn by all, also where a rank is not in the communicator of that place. */
static void call(struct trial *t)
{
    static const int counts[] = {1, 8, 100, COUNT_MAX};
    bool blocks = draw(3) == 0;
    int ranks;

    t->comm = comms[draw(COMMS)];
    t->kind = (int)draw(KINDS);
    t->count = counts[draw(4)];
    t->salt = draw(1u << 20);
    t->root = (int)draw(1u << 20);
    t->request = MPI_REQUEST_NULL;
    MPI_Comm_size(t->comm, &ranks);
    t->root %= ranks;
    if (calm && draw(16) > 0) {
        t->comm = comms[0];
        t->kind = 0;
        t->count = blocks ? 8 : 100;
        blocks = draw(4) > 0;
    }
    prepare(t);
    if (blocks)
        block(t);
    else
        begin(t);
    calls++;
}

/* --- Maps --- */

static char *read_file(const char *name, size_t *bytes)
{
    FILE *stream = fopen(name, "r");
    char *text = malloc(WM_MAILBOX_TEXT_BYTES);

    if (stream == NULL || text == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    *bytes = fread(text, 1, WM_MAILBOX_TEXT_BYTES, stream);
    fclose(stream);
    return text;
}

/* A new map is read by a server of its own, which takes time: mostly the map before is asked for, an even number of
 * times. */
static void wish(struct wm_mailbox *mailbox, char **maps, int count)
{
    static int wishes;
    const char *map = maps[wishes / BACKS % count];
    struct wm_error error;
    char *text = NULL;
    size_t bytes = 0;

    if (wishes++ % BACKS == 0)
        text = read_file(map, &bytes);
    if (wm_mailbox_ask(mailbox, text != NULL ? WM_MAILBOX_MAP : WM_MAILBOX_BACK, map, text, bytes, NULL, &error) < 0)
        MPI_Abort(MPI_COMM_WORLD, 5);
    free(text);
}

/* Ask for the next map, when the last one was answered. Returns how many have been taken. */
static int change(struct wm_mailbox *mailbox, char **maps, int count)
{
    if (count == 0)
        return (int)mailbox->epoch;
    if (wm_mailbox_state(mailbox) == WM_MAILBOX_ANSWERED) {
        if (mailbox->status < 0) {
            printf("refused: %s\n", mailbox->sentence);
            MPI_Abort(MPI_COMM_WORLD, 4);
        }
        wm_mailbox_move(mailbox, WM_MAILBOX_ANSWERED, WM_MAILBOX_EMPTY);
    }
    if (wm_mailbox_state(mailbox) == WM_MAILBOX_EMPTY)
        wish(mailbox, maps, count);
    return (int)mailbox->epoch;
}

/* --- Persistent requests keep their plans --- */

#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
static void start_kept(struct trial *t, bool make)
{
    if (make)
        MPIX_Allreduce_init(t->in, t->out, t->count, MPI_INT64_T, MPI_SUM, t->comm, MPI_INFO_NULL, &t->request);
    prepare(t);
    MPI_Start(&t->request);
    MPI_Wait(&t->request, MPI_STATUS_IGNORE);
    look(t);
}
#else
static void start_kept(struct trial *t, bool make)
{
    (void)t, (void)make;
}
#endif

/* --- Conveyors begin anew in each round, under whatever map --- */

static int64_t item_of(uint64_t salt, int source, int destination, int i)
{
    return (int64_t)((salt * 17 + (uint64_t)source * 4099 + (uint64_t)destination * 31 + (uint64_t)i) % 65521);
}

/* Each rank pushes some items to each: the sums of what comes are known. */
static void convey_some(convey_t *c, int rank, int ranks)
{
    const uint64_t salt = draw(1u << 20);
    const int items = (int)draw(200);
    int64_t item, sum = 0, right = 0;
    int pushed = 0;

    convey_begin(c, sizeof item, 0);
    while (convey_advance(c, pushed == items * ranks) > convey_DONE) {
        for (; pushed < items * ranks; pushed++) {
            item = item_of(salt, rank, pushed % ranks, pushed / ranks);
            if (convey_push(c, &item, pushed % ranks) != convey_OK)
                break;
        }
        while (convey_pull(c, &item, NULL) == convey_OK)
            sum += item;
    }
    convey_reset(c);
    for (int source = 0; source < ranks; source++)
        for (int i = 0; i < items; i++)
            right += item_of(salt, source, rank, i);
    if (sum != right && faults++ < 5)
        printf("wrong: conveyor, %d of %d ranks, %d items: %lld, not %lld\n", rank, ranks, items, (long long)sum,
               (long long)right);
}

int main(int argc, char **argv)
{
    struct trial trials[AT_ONCE] = {0}, kept = {.count = 100, .request = MPI_REQUEST_NULL};
    struct wm_mailbox *mailbox = NULL;
    convey_t *conveyor;
    int rank, ranks, epochs = 0, wished = argc > 1 ? atoi(argv[1]) : 0, all;

    calm = argc == 2;
    if (getenv("RETUNE_SEED") != NULL)
        state += (uint64_t)atoll(getenv("RETUNE_SEED"));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comms[2]);
    comms[3] = MPI_COMM_SELF;
    for (int i = 0; i <= AT_ONCE; i++) {
        struct trial *t = i < AT_ONCE ? &trials[i] : &kept;

        t->in = malloc(sizeof *t->in * (size_t)(COUNT_MAX * ranks));
        t->out = malloc(sizeof *t->out * (size_t)(COUNT_MAX * ranks));
    }
    kept.comm = comms[1];
    conveyor = convey_new(SIZE_MAX, 0, NULL, 0);
    if (rank == 0 && (mailbox = wm_mailbox_of(getpid())) == NULL)
        MPI_Abort(MPI_COMM_WORLD, 6);
    for (int round = 0; epochs < wished; round++) {
        MPI_Comm young;

        for (int i = 0; i < ROUND; i++) {
            call(&trials[i % AT_ONCE]);
            if (i % AT_ONCE == AT_ONCE - 1)
                finish(trials, AT_ONCE);
        }
        start_kept(&kept, round == 0);
        convey_some(conveyor, rank, ranks);
        MPI_Comm_dup(comms[2], &young);
        trials[0].comm = young;
        trials[0].kind = 0;
        trials[0].request = MPI_REQUEST_NULL;
        trials[0].root = 0;
        prepare(&trials[0]);
        block(&trials[0]);
        look(&trials[0]);
        MPI_Comm_free(&young);
        if (rank == 0)
            epochs = change(mailbox, argv + 2, argc - 2);
        MPI_Bcast(&epochs, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    convey_free(conveyor);
    if (kept.request != MPI_REQUEST_NULL)
        MPI_Request_free(&kept.request);
    MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("epochs %d calls %llu wrong %d\n", epochs, (unsigned long long)calls, all);
    MPI_Finalize();
    return all > 0;
}
