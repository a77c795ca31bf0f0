/* What it costs to match a message, by the number of receives that are posted, or of messages that have arrived: the
 * entry that a random one of their headers finds is taken out and put in again, beside a plain list, as far as one
 * waits for it. And what a message between siblings costs. ns, medians. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/sample.h"
#include "core/p2p/header.h"

enum {
    DEPTH_MAX = 4096,
    WILD = 8,
    ROUNDS = 1 << 16,
    RUNS = 15,
    LIST_DEPTH_MAX = 1024,
    ANY = MPI_ANY_SOURCE,
    TAGS = 64
};

struct bench_entry {
    _Alignas(64) struct wm_match match;
    struct wm_p2p_header header;
};

WM_MATCHING(bench, struct bench_entry, struct wm_p2p_header, wm_p2p_key, WM_KEY_DECIDES, WM_IN_ORDER);

/* The least that a protocol can be, and MPI's. */
struct bench_tag {
    int32_t tag;
};

static inline struct wm_key bench_tag_key(const struct bench_tag *h)
{
    return (struct wm_key){.word = {(uint32_t)h->tag}};
}

WM_PROTOCOL(tagged, struct bench_tag, bench_tag_key, WM_KEY_DECIDES, WM_IN_ORDER, tag);
WM_P2P_PROTOCOL(sibling);

static struct bench_entry entries[DEPTH_MAX], wild[2 * WILD];
static struct wm_p2p_header asks[ROUNDS]; /* what comes, and takes one of them */
static struct wm_matching matching;

static uint32_t next_random(void)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 33);
}

static void fail(void)
{
    fprintf(stderr, "message: an entry was not found\n");
    exit(1);
}

static void take_posted(int depth)
{
    (void)depth;
    for (int i = 0; i < ROUNDS; i++) {
        struct bench_entry *found = bench_posted_find(&matching, &asks[i]);

        if (found == NULL)
            fail();
        bench_posted_remove(&matching, found);
        bench_posted_put(&matching, found);
    }
}

static void take_arrived(const struct wm_p2p_header *open)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct wm_p2p_header receive = {0, asks[i].source | open->source, asks[i].tag | open->tag};
        struct bench_entry *found;

        if (bench_arrived_find(&matching, &receive, &found) != 0 || found == NULL)
            fail();
        bench_arrived_remove(&matching, found);
        bench_arrived_put(&matching, found);
    }
}

static void take_arrived_exact(int depth)
{
    (void)depth;
    take_arrived(&(struct wm_p2p_header){0, 0, 0});
}

static void take_arrived_any_source(int depth)
{
    (void)depth;
    take_arrived(&(struct wm_p2p_header){0, ANY, 0});
}

/* The plain list: entries in an array of pointers' order, linked through match.link.next. */
static void take_listed(int depth)
{
    struct wm_match_link list = {&list, &list};

    for (int i = 0; i < depth; i++)
        wm_match_insert(&entries[i].match.link, &list);
    for (int i = 0; i < ROUNDS; i++) {
        struct wm_p2p_header message = asks[i];
        struct wm_match_link *at = list.next;

        while (at != &list && (((struct bench_entry *)at)->header.source != message.source ||
                               ((struct bench_entry *)at)->header.tag != message.tag))
            at = at->next;
        if (at == &list)
            fail();
        at->previous->next = at->next;
        at->next->previous = at->previous;
        wm_match_insert(at, &list);
    }
}

static void name_all(int depth)
{
    for (int i = 0; i < depth; i++)
        entries[i].header = (struct wm_p2p_header){0, i / TAGS, i % TAGS};
}

static void post_all(int depth)
{
    name_all(depth);
    for (int i = 0; i < depth; i++)
        bench_posted_put(&matching, &entries[i]);
}

/* Receives from any source, with tags that no message has. */
static void post_wild(int first)
{
    for (int i = first; i < first + WILD; i++) {
        wild[i].header = (struct wm_p2p_header){0, ANY, TAGS + i};
        bench_posted_put(&matching, &wild[i]);
    }
}

static void post_with_wild(int depth)
{
    post_wild(0);
    post_all(depth);
    post_wild(WILD);
}

/* Headers that the hash, as it is at first, puts into one bucket, of a table of this size. */
static void post_colliding(int depth)
{
    struct wm_match_link *bucket;
    int tag = 0;

    post_all(depth);
    bucket = wm_match_bucket(&matching.form[0], (const uint64_t[2]){0, 0});
    for (int i = 0; i < depth; i++)
        bench_posted_remove(&matching, &entries[i]);
    for (int i = 0; i < depth; i++, tag++) {
        while (wm_match_bucket(&matching.form[0], (const uint64_t[2]){0, (uint32_t)tag}) != bucket)
            tag++;
        entries[i].header = (struct wm_p2p_header){0, 0, tag};
        bench_posted_put(&matching, &entries[i]);
    }
}

static void arrive_all(int depth)
{
    name_all(depth);
    for (int i = 0; i < depth; i++)
        bench_arrived_put(&matching, &entries[i]);
}

static double measure(int depth, void (*fill)(int depth), void (*take)(int depth))
{
    double times_ns[RUNS];

    wm_matching_init(&matching, DEPTH_MAX + 2 * WILD);
    fill(depth);
    for (int i = 0; i < ROUNDS; i++)
        asks[i] = entries[next_random() % (uint32_t)depth].header;
    take(depth);
    for (int run = 0; run < RUNS; run++) {
        double start_ns = bench_now_ns();

        take(depth);
        times_ns[run] = (bench_now_ns() - start_ns) / ROUNDS;
    }
    wm_matching_release(&matching);
    return bench_median(times_ns, RUNS);
}

enum { LARGEST = 1 << 20, COPIED_BYTES = 256 << 20 };

static struct sibling siblings[2];
static char from[LARGEST], to[LARGEST];

static void send_and_receive(size_t bytes, bool receive_first)
{
    struct sibling_envelope sent = {.header = {0, 0, 1}, .message = {.buffer = from, .bytes = bytes, .peer = 1}};
    struct sibling_envelope received = {.header = {0, 0, 1}, .message = {.buffer = to, .bytes = bytes}};

    if (receive_first)
        sibling_receive(&siblings[1], &received);
    sibling_send(&siblings[0], &sent);
    if (!receive_first)
        sibling_receive(&siblings[1], &received);
    if (!sent.message.complete || !received.message.complete)
        fail();
}

static struct tagged tagged[2];

/* The same by a protocol of one 4-byte tag. */
static void by_a_tag(size_t bytes)
{
    struct tagged_envelope sent = {.header = {1}, .message = {.buffer = from, .bytes = bytes, .peer = 1}};
    struct tagged_envelope received = {.header = {1}, .message = {.buffer = to, .bytes = bytes}};

    tagged_receive(&tagged[1], &received);
    tagged_send(&tagged[0], &sent);
    if (!sent.message.complete || !received.message.complete)
        fail();
}

static void receive_then_send(size_t bytes)
{
    send_and_receive(bytes, true);
}

static void send_then_receive(size_t bytes)
{
    send_and_receive(bytes, false);
}

static void copy(size_t bytes)
{
    memcpy(to, from, bytes);
    __asm__ volatile("" : : : "memory");
}

static double measure_exchange(size_t bytes, void (*exchange)(size_t bytes))
{
    size_t rounds = bytes < COPIED_BYTES / ROUNDS ? ROUNDS : COPIED_BYTES / bytes;
    double times_ns[RUNS];

    for (int run = 0; run < RUNS; run++) {
        double start_ns = bench_now_ns();

        for (size_t i = 0; i < rounds; i++)
            exchange(bytes);
        times_ns[run] = (bench_now_ns() - start_ns) / (double)rounds;
    }
    return bench_median(times_ns, RUNS);
}

static void measure_siblings(void)
{
    struct wm_endpoints *group = wm_endpoints_new(2, &(struct wm_message_limits){0});

    for (int i = 0; i < 2; i++) {
        sibling_open(&siblings[i], group, i, "sibling");
        tagged_open(&tagged[i], group, i, "tagged");
    }
    printf(
        "\nns to send and to receive a message between siblings, by source and tag, with wildcards; by a tag alone\n");
    printf("%8s %14s %12s %10s %8s\n", "bytes", "receive first", "send first", "by a tag", "memcpy");
    for (size_t bytes = 8; bytes <= LARGEST; bytes *= 8)
        printf("%8zu %14.1f %12.1f %10.1f %8.1f\n", bytes, measure_exchange(bytes, receive_then_send),
               measure_exchange(bytes, send_then_receive), measure_exchange(bytes, by_a_tag),
               measure_exchange(bytes, copy));
    for (int i = 0; i < 2; i++) {
        sibling_close(&siblings[i]);
        tagged_close(&tagged[i]);
    }
    wm_endpoints_free(group);
}

int main(void)
{
    printf("ns to take an entry out and to put it in; wildcards: %d before and %d behind\n", WILD, WILD);
    printf("%6s %8s %10s %10s %8s %11s %8s\n", "depth", "posted", "wildcards", "colliding", "arrived", "any source",
           "list");
    for (int depth = 1; depth <= DEPTH_MAX; depth *= 4) {
        printf("%6d %8.1f %10.1f %10.1f %8.1f %11.1f", depth, measure(depth, post_all, take_posted),
               measure(depth, post_with_wild, take_posted), measure(depth, post_colliding, take_posted),
               measure(depth, arrive_all, take_arrived_exact), measure(depth, arrive_all, take_arrived_any_source));
        if (depth <= LIST_DEPTH_MAX)
            printf(" %8.1f", measure(depth, name_all, take_listed));
        printf("\n");
        fflush(stdout);
    }
    measure_siblings();
    return 0;
}
