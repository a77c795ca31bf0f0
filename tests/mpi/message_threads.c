/* Messages of many threads: message_threads NODES EACH LETTERS: on so many pretended nodes (0: those that there are),
 * EACH endpoints at every rank. So many threads share each endpoint: every thread sends letters to all threads of all
 * endpoints, and receives those to it, by a tag of its own, in the order in which each other sent them. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include "core/message/span.h"
#include "core/node/node.h"
#include "tests/mpi/places.h"
#include "waymark/message_threads.h"

enum { THREADS = 3, EAGER = 100, LARGEST = 300, UNDER_WAY = 8, ENDPOINTS_MAX = 16 };

/* `source`: the number of the thread that sends, of all; -1 in a receive: any. `tag`: that of the one to whom. */
struct mail_header {
    int32_t source, tag;
};

static inline struct wm_key mail_key(const struct mail_header *h)
{
    struct wm_key key = {.word = {(uint32_t)h->source, (uint32_t)h->tag}};

    if (h->source < 0)
        key.open[0] = UINT32_MAX;
    return key;
}

WM_PROTOCOL(mail, struct mail_header, mail_key, WM_KEY_DECIDES, WM_IN_ORDER, source, tag);
WM_PROTOCOL_THREADS(mail);

static struct mail mails[ENDPOINTS_MAX];
static int rank, ranks, each, letters;
static _Atomic int faults;

struct letter {
    struct mail_envelope e;
    int32_t words[LARGEST];
};

/* Letter i from a thread is of so many words, and begins with its number. */
static size_t bytes_of(int i)
{
    return sizeof(int32_t) * (size_t)(1 + i % LARGEST);
}

static void send_one(struct mail *p, struct letter *l, int from, int to, int i)
{
    l->words[0] = i;
    l->words[i % LARGEST] = i;
    l->e.header = (struct mail_header){from, to};
    l->e.message = (struct wm_envelope){.buffer = l->words, .bytes = bytes_of(i), .peer = to / THREADS};
    mail_shared_send(p, &l->e);
}

static void post_one(struct mail *p, struct letter *l, int self)
{
    l->e.header = (struct mail_header){-1, self};
    l->e.message = (struct wm_envelope){.buffer = l->words, .bytes = sizeof l->words};
    mail_shared_receive(p, &l->e);
}

static void judge_one(const struct letter *l, int self, int *next)
{
    int source = l->e.header.source, i = next[source]++;

    if ((l->e.message.error != WM_MESSAGE_DONE || l->e.message.bytes != bytes_of(i) || l->words[0] != i ||
         l->words[i % LARGEST] != i) &&
        faults++ < 4)
        fprintf(stderr, "message_threads: thread %d, letter %d of %d: %zu bytes, %d\n", self, i, source,
                l->e.message.bytes, l->words[0]);
}

/* As many sends are under way as there is room for. Who cannot send receives: else all could wait for each other. */
static void *run(void *argument)
{
    int self = *(int *)argument, all = THREADS * each * ranks, total = letters * all, sent = 0, received = 0;
    struct letter *out = calloc(UNDER_WAY + 1, sizeof *out), *in = out + UNDER_WAY;
    struct mail *p = &mails[self / THREADS];
    int *next = calloc((size_t)all, sizeof *next);
    unsigned turn = 0;

    post_one(p, in, self);
    while (sent < total || received < total) {
        bool sends = sent < total && (sent < UNDER_WAY || mail_shared_check(p, &out[sent % UNDER_WAY].e));
        bool receives = received < total && mail_shared_check(p, &in->e);

        if (sends) {
            send_one(p, &out[sent % UNDER_WAY], self, sent % all, sent / all);
            sent++;
        }
        if (receives) {
            judge_one(in, self, next);
            if (++received < total)
                post_one(p, in, self);
        }
        if (!sends && !receives)
            wm_endpoints_pause(p->common.group, &turn);
    }
    for (int i = sent < UNDER_WAY ? 0 : sent - UNDER_WAY; i < sent; i++)
        mail_shared_wait(p, &out[i % UNDER_WAY].e);
    free(next);
    free(out);
    return NULL;
}

static void run_all(void)
{
    pthread_t threads[THREADS * ENDPOINTS_MAX];
    int selves[THREADS * ENDPOINTS_MAX];

    for (int i = 0; i < THREADS * each; i++) {
        selves[i] = rank * THREADS * each + i;
        pthread_create(&threads[i], NULL, run, &selves[i]);
    }
    for (int i = 0; i < THREADS * each; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    struct wm_message_limits limits = {.eager_bytes = EAGER};
    struct wm_endpoints *group;
    struct wm_place *places;
    int given, all;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    each = atoi(argv[2]);
    letters = atoi(argv[3]);
    places = places_on(atoi(argv[1]), ranks);
    wm_node_start(places, 1);
    group = wm_endpoints_span(MPI_COMM_WORLD, places, each, &limits);
    for (int i = rank * each; i < (rank + 1) * each; i++)
        mail_open(&mails[i], group, i, "mail");
    MPI_Barrier(MPI_COMM_WORLD);
    run_all();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = rank * each; i < (rank + 1) * each; i++)
        mail_close(&mails[i]);
    wm_endpoints_free(group);
    faults += given != MPI_THREAD_MULTIPLE;
    MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wm_node_stop();
    free(places);
    MPI_Finalize();
    return all > 0;
}
