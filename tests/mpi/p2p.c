/* Point-to-point messages by the layer: every function, by siblings, rings and MPI.
 *
 * p2p NODES EACH: that many pretended nodes (0: those that there are), and EACH endpoints at every rank, which are
 * threads that take turns: one that waits lets the next one go on. */
#include "tests/mpi/p2p.h"
#include <pthread.h>
#include "core/data/geometry.h"
#include "core/message/span.h"
#include "core/node/node.h"
#include "tests/mpi/places.h"

static const struct named {
    const char *name;
    p2p_case *run;
} cases[] = {
    {"modes", p2p_modes},           {"order", p2p_order},           {"communicators", p2p_communicators},
    {"types", p2p_types},           {"replace", p2p_replace},       {"freed types", p2p_freed_types},
    {"cancels", p2p_cancels},       {"truncation", p2p_truncation}, {"nobody", p2p_nobody},
    {"errors", p2p_errors},         {"probes", p2p_probes},         {"buffered", p2p_buffered},
    {"completion", p2p_completion}, {"persistent", p2p_persistent}, {"random", p2p_random},
    {"lost types", p2p_lost_types},
};

static int world_rank, each, faults, told;
static struct wm_endpoints *group;

/* Whose turn it is. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;
static bool *over;

/* The data of the last message. */
static const unsigned char last[50000] = {1, 2, 3};

static int next_turn(int self)
{
    int next = self;

    do
        next = (next + 1) % each;
    while (over[next] && next != self);
    return next;
}

static void wait_for_turn(int self)
{
    while (turn != self)
        pthread_cond_wait(&changed, &lock);
}

static void rest(void *with)
{
    int self = *(int *)with;

    turn = next_turn(self);
    if (turn == self)
        wm_node_wait(true, 100);
    else
        pthread_cond_broadcast(&changed);
    wait_for_turn(self);
}

void p2p_check(const struct me *me, const char *file, int line, bool right, const char *what)
{
    if (!right && faults++ < 5)
        fprintf(stderr, "%s:%d: rank %d of %d: not: %s\n", file, line, me->rank, me->size, what);
}

static void tell(const char *sentence)
{
    told++;
    if (strstr(sentence, "endpoint") == NULL)
        faults += fprintf(stderr, "it names no endpoint: %s\n", sentence) > 0;
}

int p2p_told(void)
{
    return told;
}

void p2p_meet(const struct me *me)
{
    for (int step = 1; step < me->size; step *= 2)
        OK(wm_p2p_sendrecv(NULL, 0, MPI_BYTE, (me->rank + step) % me->size, step, NULL, 0, MPI_BYTE,
                           (me->rank + me->size - step) % me->size, step, me->quiet, MPI_STATUS_IGNORE));
}

/* Nobody sends to a process that is not there yet. */
static void wait_for_all(int self)
{
    static int opened;

    opened++;
    while (self == 0 && opened < each)
        rest(&self);
    if (self == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        opened++;
    }
    while (opened <= each)
        rest(&self);
}

/* A send that is freed ends before its process does: it is received after all have met. */
static void send_last(const struct me *me, const unsigned char *data, int bytes)
{
    struct wm_p2p_request *request;

    if (me->rank > 0)
        return;
    OK(wm_p2p_isend(WM_P2P_STANDARD, data, bytes, MPI_BYTE, me->size - 1, 1, me->comm, &request));
    OK(wm_p2p_request_free(&request));
}

static void receive_last(const struct me *me, const unsigned char *data, int bytes)
{
    unsigned char *in = calloc(1, (size_t)bytes);

    for (int i = 0; i < 1000; i++)
        wm_p2p_progress(me->process);
    OK(wm_p2p_recv(in, bytes, MPI_BYTE, 0, 1, me->comm, MPI_STATUS_IGNORE));
    CHECK(memcmp(in, data, (size_t)bytes) == 0);
    free(in);
}

static void run_cases(int self, int size)
{
    struct me me = {.rank = world_rank * each + self, .size = size, .group = group};
    int *endpoints = malloc((size_t)size * sizeof *endpoints);

    for (int i = 0; i < size; i++)
        endpoints[i] = i;
    p2p_check(&me, __FILE__, __LINE__,
              wm_p2p_process_new(&me.process, group, me.rank, &(struct wm_p2p_rest){.rest = rest, .with = &self}) ==
                  MPI_SUCCESS,
              "a process");
    me.comm = wm_p2p_comm_new(me.process, 0, me.rank, size, endpoints);
    me.quiet = wm_p2p_comm_new(me.process, 1, me.rank, size, endpoints);
    wait_for_all(self);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        p2p_meet(&me);
        cases[i].run(&me);
        if (getenv("WM_P2P_SAYS") != NULL)
            fprintf(stderr, "rank %d: %s: %d faults\n", me.rank, cases[i].name, faults);
    }
    send_last(&me, last, sizeof last);
    p2p_meet(&me);
    if (me.rank == me.size - 1)
        receive_last(&me, last, sizeof last);
    wm_p2p_comm_free(me.comm);
    wm_p2p_comm_free(me.quiet);
    wm_p2p_process_free(me.process, false);
    free(endpoints);
}

static int ranks;

static void *sibling(void *number)
{
    int self = (int)(intptr_t)number;

    pthread_mutex_lock(&lock);
    wait_for_turn(self);
    run_cases(self, ranks * each);
    over[self] = true;
    turn = next_turn(self);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void run_siblings(void)
{
    pthread_t *threads = malloc((size_t)each * sizeof *threads);

    over = calloc((size_t)each, sizeof *over);
    for (intptr_t i = 1; i < each; i++)
        pthread_create(&threads[i], NULL, sibling, (void *)i);
    sibling(NULL);
    for (int i = 1; i < each; i++)
        pthread_join(threads[i], NULL);
    free(over);
    free(threads);
}

int main(int argc, char **argv)
{
    struct wm_message_limits limits = {.eager_bytes = 4000, .unexpected_bytes = 1 << 20, .tell = tell};
    struct wm_place *places;
    int nodes = argc > 1 ? atoi(argv[1]) : 1, given;

    each = argc > 2 ? atoi(argv[2]) : 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    places = places_on(nodes, ranks);
    wm_node_start(places, 1);
    wm_geometry_start();
    group = wm_endpoints_span(MPI_COMM_WORLD, places, each, &limits);
    MPI_Barrier(MPI_COMM_WORLD);
    run_siblings();
    wm_endpoints_free(group);
    wm_geometry_stop();
    wm_node_stop();
    free(places);
    MPI_Finalize();
    return faults > 0;
}
