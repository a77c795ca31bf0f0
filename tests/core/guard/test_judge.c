/* The judge: who is held, told from pages that are written as ranks write them. */
#include "core/guard/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/check.h"
#include "waymark/operation.h"

enum { RANKS = 4, ID = 77 };

static struct wm_page *pages[RANKS];
static bool gone[RANKS];

/* Ranks of one communicator, none of which has called anything. */
static void begin(void)
{
    for (int r = 0; r < RANKS; r++) {
        if (pages[r] == NULL)
            pages[r] = aligned_alloc(WM_PAGE_ALIGNMENT, sizeof **pages);
        memset(pages[r], 0, sizeof **pages);
        pages[r]->rank = r;
        pages[r]->ranks = RANKS;
        pages[r]->bytes = sizeof **pages;
        wm_page_begin(pages[r], 1);
        pages[r]->comm_count = 1;
        pages[r]->comms[0] = (struct wm_page_comm){.id = ID, .rank = r, .ranks = RANKS, .chain = WM_HASH_BEGIN};
        gone[r] = false;
    }
}

static void collective(int rank, enum wm_operation operation, int root)
{
    struct wm_page *page = pages[rank];

    page->calls[0] = (struct wm_page_call){.id = ID, .operation = (uint8_t)operation, .root = root};
    wm_page_add(page, &page->comms[0], &page->calls[0], operation);
    wm_page_enter(page);
}

static void sent(int rank, int to, int tag)
{
    wm_post_count_sent(&pages[rank]->post, 0, to, tag);
}

static void received(int rank, int from, int tag)
{
    pages[rank]->comms[0].received++;
    if (from != WM_PAGE_ANY)
        wm_post_count_received(&pages[rank]->post, 0, from, tag);
}

static struct wm_page_message receive(int from, int tag)
{
    return (struct wm_page_message){.kind = WM_POST_RECEIVED, .peer = from, .tag = tag};
}

static void in_receive(int rank, int from, int tag)
{
    pages[rank]->post.with[0] = receive(from, tag);
    wm_page_enter_message(pages[rank], WM_POST_RECV, 0, 1);
}

static void in_send(int rank, int to, int tag, bool synchronous)
{
    sent(rank, to, tag);
    pages[rank]->post.with[0] = (struct wm_page_message){
        .kind = WM_POST_SENT, .peer = to, .tag = tag, .flags = synchronous ? WM_POST_SYNCHRONOUS : 0};
    wm_page_enter_message(pages[rank], WM_POST_SEND, 0, 1);
}

static void post(int rank, uint64_t request, int from, int tag)
{
    struct wm_page_message m = receive(from, tag);

    m.request = request;
    m.flags = WM_POST_ACTIVE;
    wm_post_add(&pages[rank]->post, &m);
    pages[rank]->post.pending++;
}

static void in_wait(int rank, enum wm_post_function function, uint64_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        pages[rank]->post.handles[i] = first + i;
    wm_page_enter_message(pages[rank], function, 0, count);
}

/* Bit r: rank r is held. */
static unsigned held(void)
{
    const struct wm_page *list[RANKS];
    const struct wm_pages all = {list, RANKS, NULL};
    struct wm_judgement j;
    unsigned bits = 0;

    for (int r = 0; r < RANKS; r++)
        list[r] = pages[r];
    CU_ASSERT_EQUAL_FATAL(wm_judge(&j, &all, gone, NULL), 0);
    for (int r = 0; r < RANKS; r++)
        bits |= (unsigned)j.stands[r].held << r;
    wm_judgement_release(&j);
    return bits;
}

static void judge__holds_a_circle_of_receives_and_what_is_behind(void)
{
    begin();
    in_receive(0, 1, 3);
    in_receive(1, 2, 3);
    in_receive(2, 0, 3);
    in_receive(3, 0, 3);
    CU_ASSERT_EQUAL(held(), 15);
}

static void judge__holds_nobody_who_waits_for_one_outside(void)
{
    begin();
    in_receive(0, 1, 3);
    in_receive(1, 2, 3);
    in_receive(3, 0, 3);
    CU_ASSERT_EQUAL(held(), 0);
}

static void judge__lets_a_message_that_is_underway_arrive(void)
{
    begin();
    sent(1, 0, 3);
    in_receive(0, 1, 3);
    in_receive(1, 0, 3);
    CU_ASSERT_EQUAL(held(), 0);
    received(0, 1, 3);
    CU_ASSERT_EQUAL(held(), 3);
}

static void judge__tells_a_message_of_another_tag(void)
{
    begin();
    sent(1, 0, 7);
    in_receive(0, 1, 3);
    in_receive(1, 0, 3);
    CU_ASSERT_EQUAL(held(), 3);
    sent(1, 0, 8); /* of two nobody knows */
    CU_ASSERT_EQUAL(held(), 0);
}

static void judge__counts_receives_from_any_rank_by_their_sum(void)
{
    begin();
    sent(1, 0, 3);
    received(0, WM_PAGE_ANY, 3);
    in_receive(0, 1, WM_PAGE_ANY);
    in_receive(1, 0, 3);
    CU_ASSERT_EQUAL(held(), 3);
    pages[2]->post.lost = 1;
    CU_ASSERT_EQUAL(held(), 0);
}

static void judge__holds_a_receive_from_any_rank_for_want_of_all(void)
{
    begin();
    in_receive(0, WM_PAGE_ANY, 3);
    for (int r = 1; r < RANKS; r++)
        in_receive(r, 0, 3);
    CU_ASSERT_EQUAL(held(), 15);
    begin();
    in_receive(0, WM_PAGE_ANY, 3);
    in_receive(1, 0, 3);
    in_receive(2, 0, 3);
    CU_ASSERT_EQUAL(held(), 0);
}

static void judge__knows_which_sends_wait(void)
{
    begin();
    in_send(0, 1, 3, true);
    in_send(1, 0, 3, true);
    CU_ASSERT_EQUAL(held(), 3);
    begin();
    in_send(0, 1, 3, false);
    in_send(1, 0, 3, true);
    CU_ASSERT_EQUAL(held(), 0);
}

static void judge__lets_a_send_end_in_a_receive_that_was_begun_before(void)
{
    begin();
    post(1, 64, 0, 3);
    in_send(0, 1, 3, true);
    in_send(1, 0, 3, true);
    CU_ASSERT_EQUAL(held(), 0);
    begin();
    post(1, 64, 0, 4);
    in_send(0, 1, 3, true);
    in_send(1, 0, 3, true);
    CU_ASSERT_EQUAL(held(), 3);
    pages[1]->post.pending++; /* one that the table has lost */
    CU_ASSERT_EQUAL(held(), 0);
}

static void judge__lets_a_send_end_in_the_receive_of_an_exchange(void)
{
    begin();
    in_send(1, 0, 3, true);
    sent(0, 2, 3);
    pages[0]->post.with[0] =
        (struct wm_page_message){.kind = WM_POST_SENT, .peer = 2, .tag = 3, .flags = WM_POST_SYNCHRONOUS};
    pages[0]->post.with[1] = receive(1, 3);
    wm_page_enter_message(pages[0], WM_POST_SENDRECV, 0, 2);
    in_receive(2, 1, 9);
    CU_ASSERT_EQUAL(held(), 0);
}

static void judge__takes_all_of_waitall_and_any_of_waitany(void)
{
    begin();
    post(0, 64, 1, 3);
    post(0, 65, 2, 3);
    in_receive(1, 0, 3);
    in_wait(0, WM_POST_WAITALL, 64, 2);
    CU_ASSERT_EQUAL(held(), 3);
    pages[0]->now.function = WM_POST_WAITANY;
    CU_ASSERT_EQUAL(held(), 0);
    in_receive(2, 1, 3);
    CU_ASSERT_EQUAL(held(), 7);
    pages[0]->post.handles[1] = 1000; /* of which nobody knows */
    CU_ASSERT_EQUAL(held(), 0);
}

static void judge__holds_who_waits_for_one_that_has_left(void)
{
    begin();
    in_receive(0, 1, 3);
    pages[1]->state = WM_PAGE_LEAVING;
    CU_ASSERT_EQUAL(held(), 1);
    sent(1, 0, 3);
    CU_ASSERT_EQUAL(held(), 0);
    begin();
    in_receive(0, 1, 3);
    gone[1] = true;
    CU_ASSERT_EQUAL(held(), 1);
    pages[1]->threads = 1; /* its messages were not counted */
    CU_ASSERT_EQUAL(held(), 0);
}

static void judge__mixes_collective_calls_and_messages(void)
{
    begin();
    for (int r = 0; r < 3; r++)
        collective(r, WM_ALLREDUCE, 0);
    in_receive(3, 0, 3);
    CU_ASSERT_EQUAL(held(), 15);
    begin();
    collective(0, WM_BCAST, 0);
    in_receive(3, 0, 3);
    CU_ASSERT_EQUAL(held(), 0); /* a root goes on without the others */
    begin();
    for (int r = 1; r < RANKS; r++)
        collective(r, WM_BCAST, 0);
    in_receive(0, 1, 3);
    CU_ASSERT_EQUAL(held(), 15);
}

static void judge__forgets_the_messages_of_a_communicator_that_is_freed(void)
{
    begin();
    sent(1, 0, 3);
    post(1, 64, 0, 3);
    wm_post_forget_comm(&pages[1]->post, 0);
    CU_ASSERT_PTR_NULL(wm_post_find_pair(&pages[1]->post, 0, 0));
    CU_ASSERT_EQUAL(wm_post_find(&pages[1]->post, 64)->comm, WM_PAGE_NO_COMM);
    in_receive(0, 1, 3);
    in_receive(1, 0, 3);
    CU_ASSERT_EQUAL(held(), 3);
}

static void post__closes_when_it_is_full(void)
{
    begin();
    for (int peer = 0; peer < 2 * WM_PAGE_PAIRS; peer++)
        sent(0, peer, 1);
    CU_ASSERT_EQUAL(pages[0]->post.lost, 1);
    for (int peer = 0; peer < 2 * WM_PAGE_PAIRS; peer++) {
        const struct wm_page_pair *pair = wm_post_find_pair(&pages[0]->post, 0, peer);

        if (pair != NULL)
            CU_ASSERT_EQUAL(pair->sent, 1);
    }
}

/* Of this process's pages of memory those that it shares with others, or with files. */
static long shared_memory(void)
{
    FILE *stream = fopen("/proc/self/statm", "r");
    long size = 0, all = 0, shared = -1;

    CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
    CU_ASSERT_EQUAL(fscanf(stream, "%ld %ld %ld", &size, &all, &shared), 3);
    fclose(stream);
    return shared;
}

static void pages__of_many_ranks_give_their_memory_back(void)
{
    enum { MANY = 3 * WM_PAGES_WINDOW };
    static const struct wm_page *list[MANY];
    struct wm_pages all = {.list = list, .count = MANY};
    int file = memfd_create("pages", MFD_CLOEXEC);
    struct wm_page_map map;
    long before, most = 0;

    CU_ASSERT_EQUAL_FATAL(ftruncate(file, MANY * (off_t)sizeof **list), 0);
    map = wm_page_map(file, false);
    CU_ASSERT_EQUAL_FATAL(map.count, MANY);
    for (int i = 0; i < MANY; i++) {
        list[i] = &map.pages[i];
        CU_ASSERT_EQUAL(pwrite(file, &i, sizeof i, i * (off_t)sizeof **list + (off_t)offsetof(struct wm_page, rank)),
                        sizeof i);
    }
    CU_ASSERT_TRUE_FATAL(wm_pages_open_window(&all));
    before = shared_memory();
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++) {
            CU_ASSERT_EQUAL(wm_pages_at(&all, i)->rank, i);
            if (i % 1000 == 0 && shared_memory() - before > most)
                most = shared_memory() - before;
        }
    CU_ASSERT_TRUE(most > 0 && most <= WM_PAGES_WINDOW);
    wm_pages_close_window(&all);
    wm_page_unmap(&map);
    close(file);
}

static const struct check_case cases[] = {
    CASE(judge__holds_a_circle_of_receives_and_what_is_behind),
    CASE(judge__holds_nobody_who_waits_for_one_outside),
    CASE(judge__lets_a_message_that_is_underway_arrive),
    CASE(judge__tells_a_message_of_another_tag),
    CASE(judge__counts_receives_from_any_rank_by_their_sum),
    CASE(judge__holds_a_receive_from_any_rank_for_want_of_all),
    CASE(judge__knows_which_sends_wait),
    CASE(judge__lets_a_send_end_in_a_receive_that_was_begun_before),
    CASE(judge__lets_a_send_end_in_the_receive_of_an_exchange),
    CASE(judge__takes_all_of_waitall_and_any_of_waitany),
    CASE(judge__holds_who_waits_for_one_that_has_left),
    CASE(judge__mixes_collective_calls_and_messages),
    CASE(judge__forgets_the_messages_of_a_communicator_that_is_freed),
    CASE(post__closes_when_it_is_full),
    CASE(pages__of_many_ranks_give_their_memory_back),
};

CHECK_MAIN("judge", cases)
