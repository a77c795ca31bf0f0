/* Clocks compared, by ranks whose clocks stand apart, in a time that only messages and the reading of clocks let pass:
 * each rank is a thread, and the test knows the truth. */
#include "tests/check.h"
#include "core/clock/compare.h"
#include "tracer/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 13, TIMES = 3, READ_NS = 20, NEAR_NS = 1000, FAR_NS = 2000000 };

struct mail {
    struct mail *next;
    uint64_t due_ns;
    size_t bytes;
    char data[64];
};

/* A way for each rank. */
struct rank {
    int self, ranks, cluster;
    int64_t skew_ns;
    uint64_t time_ns; /* true */
    bool dead;
    struct mail *inbox[RANKS]; /* by source */
    pthread_t thread;
    struct wm_clock_view view;
    int parent;
};

static struct rank all[RANKS];
static uint64_t far_back_ns = FAR_NS; /* what a message to a lower rank takes over the line */
static _Thread_local struct rank *me;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;

/* In place of the tracer's. */
uint64_t wm_clock_monotonic_ns(void)
{
    me->time_ns += READ_NS;
    return me->time_ns + (uint64_t)me->skew_ns;
}

static void deliver(struct rank *to, struct mail *mail)
{
    struct mail **end = &to->inbox[me->self];

    pthread_mutex_lock(&lock);
    while (*end != NULL)
        end = &(*end)->next;
    *end = mail;
    pthread_cond_broadcast(&came);
    pthread_mutex_unlock(&lock);
}

static bool send_to(void *context, int peer, const void *data, size_t bytes)
{
    struct rank *r = context;
    bool far = r->cluster != all[peer].cluster;
    struct mail *mail = calloc(1, sizeof *mail);

    if (r->dead || all[peer].dead || mail == NULL || bytes > sizeof mail->data) {
        free(mail);
        return false;
    }
    mail->due_ns = r->time_ns + (!far ? NEAR_NS : peer < r->self ? far_back_ns : FAR_NS);
    mail->bytes = bytes;
    if (bytes > 0)
        memcpy(mail->data, data, bytes);
    deliver(&all[peer], mail);
    return true;
}

static bool receive_from(void *context, int peer, void *data, size_t bytes)
{
    struct rank *r = context;
    struct mail *mail;

    if (r->dead || all[peer].dead)
        return false;
    pthread_mutex_lock(&lock);
    while ((mail = r->inbox[peer]) == NULL)
        pthread_cond_wait(&came, &lock);
    r->inbox[peer] = mail->next;
    pthread_mutex_unlock(&lock);
    if (mail->due_ns > r->time_ns)
        r->time_ns = mail->due_ns;
    if (mail->bytes == bytes && bytes > 0)
        memcpy(data, mail->data, bytes);
    free(mail);
    return true;
}

static void *run(void *context)
{
    struct rank *r = context;
    const struct wm_clock_way way = {send_to, receive_from, r};

    me = r;
    r->parent = wm_clock_compare(&way, r->self, r->ranks, TIMES, &r->view);
    return NULL;
}

/* Ranks of `per` a cluster. */
static void place(int ranks, int per)
{
    memset(all, 0, sizeof all);
    for (int i = 0; i < ranks; i++)
        all[i] = (struct rank){.self = i, .ranks = ranks, .cluster = i / per, .time_ns = 1000000000};
}

static void compare(int ranks)
{
    for (int i = 0; i < ranks; i++)
        CU_ASSERT_EQUAL_FATAL(pthread_create(&all[i].thread, NULL, run, &all[i]), 0);
    for (int i = 0; i < ranks; i++)
        pthread_join(all[i].thread, NULL);
}

/* To the time that a clock's reading takes, for each rank on the way to rank 0. */
static void expect_known(int ranks)
{
    for (int i = 0; i < ranks; i++) {
        int64_t truth = all[0].skew_ns - all[i].skew_ns;

        CU_ASSERT_EQUAL(all[i].parent, i == 0 ? -1 : i & (i - 1));
        CU_ASSERT_TRUE(llabs(all[i].view.ahead_ns - truth) <= (int64_t)4 * 2 * READ_NS);
    }
}

static void ranks__on_either_side_of_a_slow_line_know_the_first_ones_clock(void)
{
    for (int per = 1; per <= RANKS; per++)
        for (int ranks = 1; ranks <= RANKS; ranks++) {
            place(ranks, per);
            for (int i = 0; i < ranks; i++)
                all[i].skew_ns = ((i * 7 + 3) % 5 - 2) * INT64_C(1700000123);
            compare(ranks);
            expect_known(ranks);
        }
}

static void ranks__that_come_late_do_not_spoil_it(void)
{
    for (int late = 0; late < RANKS; late++) {
        place(RANKS, 4);
        for (int i = 0; i < RANKS; i++)
            all[i].skew_ns = (i - 5) * INT64_C(1000000);
        all[late].time_ns += 70000000;
        compare(RANKS);
        expect_known(RANKS);
    }
}

static void ranks__of_one_clock_are_not_ahead(void)
{
    place(RANKS, 3);
    all[5].time_ns += 300000;
    compare(RANKS);
    for (int i = 0; i < RANKS; i++)
        CU_ASSERT_EQUAL(all[i].view.ahead_ns, 0);
}

/* Ranks are dealt out, and the line is slower one way: those of rank 0's clock have parents far away. */
static void ranks__know_how_far_off_they_may_be(void)
{
    far_back_ns = FAR_NS / 2;
    for (int skewed = 0; skewed < 2; skewed++) {
        place(9, 3);
        for (int i = 0; i < 9; i++) {
            all[i].cluster = i % 3;
            all[i].skew_ns = skewed * all[i].cluster * INT64_C(40000000000);
        }
        compare(9);
        for (int i = 0; i < 9; i++) {
            int64_t truth = all[0].skew_ns - all[i].skew_ns;

            CU_ASSERT_TRUE(llabs(all[i].view.ahead_ns - truth) <= all[i].view.half_ns);
            if (truth == 0)
                CU_ASSERT_EQUAL(all[i].view.ahead_ns, 0);
        }
    }
    far_back_ns = FAR_NS;
}

/* One that shares its parent's clock, far from the first one's. */
static void ranks__below_a_far_one_agree_with_it_to_the_nanosecond(void)
{
    place(8, 4);
    for (int i = 4; i < 8; i++)
        all[i].skew_ns = -INT64_C(40000000000);
    compare(8);
    for (int i = 5; i < 8; i++)
        CU_ASSERT_EQUAL(all[i].view.ahead_ns, all[4].view.ahead_ns);
}

static void rank__whose_parent_is_dead_knows_nothing_and_answers(void)
{
    place(8, 8);
    for (int i = 0; i < 8; i++)
        all[i].skew_ns = i * INT64_C(1000000);
    all[4].dead = true;
    compare(8);
    CU_ASSERT_EQUAL(all[6].parent, -1);
    CU_ASSERT_EQUAL(all[6].view.ahead_ns, 0);
    CU_ASSERT_EQUAL(all[6].view.offset.half_ns, 0);
    CU_ASSERT_TRUE(all[7].view.half_ns >= WM_CLOCK_UNKNOWN_NS);
    CU_ASSERT_EQUAL(all[7].parent, 6);
    CU_ASSERT_EQUAL(all[3].parent, 2);
}

static const struct check_case cases[] = {
    CASE(ranks__on_either_side_of_a_slow_line_know_the_first_ones_clock),
    CASE(ranks__that_come_late_do_not_spoil_it),
    CASE(ranks__of_one_clock_are_not_ahead),
    CASE(ranks__know_how_far_off_they_may_be),
    CASE(ranks__below_a_far_one_agree_with_it_to_the_nanosecond),
    CASE(rank__whose_parent_is_dead_knows_nothing_and_answers),
};

CHECK_MAIN("compare", cases)
