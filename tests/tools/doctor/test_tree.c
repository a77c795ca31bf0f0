/* Guards that talk: frames, a tree of three on this host, strangers, pages told and copied. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "core/guard/pages.h"
#include "tests/check.h"
#include "tools/doctor/copies.h"

enum { GUARDS = 3, MS = 1000000 };

static const uint8_t key[WM_KEY_BYTES] = {1, 2, 3};
static int64_t now_ns = 1;

/* --- Frames --- */

static void news__is_read_as_it_was_written_and_not_otherwise(void)
{
    static uint8_t frame[WM_NEWS_MOST_BYTES];
    struct wm_news_seal out = {.number = 7}, in = {.number = 7};
    struct wm_news news;
    size_t bytes = wm_news_write(&out, WM_NEWS_SAY, "abc", 4, frame);

    for (size_t cut = 0; cut < bytes; cut++)
        CU_ASSERT_EQUAL(wm_news_read(&in, frame, cut, &news), 0);
    for (size_t i = 0; i < bytes; i++) {
        frame[i] ^= 1;
        CU_ASSERT(wm_news_read(&in, frame, bytes, &news) <= 0);
        frame[i] ^= 1;
    }
    CU_ASSERT_EQUAL(wm_news_read(&in, frame, bytes, &news), (int)bytes);
    CU_ASSERT_EQUAL(news.kind, WM_NEWS_SAY);
    CU_ASSERT_STRING_EQUAL((const char *)news.payload, "abc");
    CU_ASSERT_EQUAL(wm_news_read(&in, frame, bytes, &news), -1); /* said again */
    memset(frame, 0xff, 8);
    CU_ASSERT_EQUAL(wm_news_read(&in, frame, 8, &news), -1);
}

/* --- A tree --- */

struct heard {
    enum wm_news_kind kinds[64];
    int count;
};

static struct wm_tree trees[GUARDS]; /* each below the one before */
static struct heard heard[GUARDS];

static bool hear(void *context, const struct wm_news *news)
{
    struct heard *h = context;

    h->kinds[h->count++ % 64] = news->kind;
    return true;
}

static void open_tree(int i)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;

    heard[i].count = 0;
    trees[i] = (struct wm_tree){.up.fd = -1, .lost_ns = now_ns, .told = true, .heard = hear, .context = &heard[i]};
    memcpy(trees[i].start.key, key, sizeof key);
    trees[i].is_root = i == 0;
    trees[i].door = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    CU_ASSERT_EQUAL_FATAL(bind(trees[i].door, (struct sockaddr *)&at, sizeof at), 0);
    CU_ASSERT_EQUAL_FATAL(listen(trees[i].door, 8), 0);
    getsockname(trees[i].door, (struct sockaddr *)&at, &bytes);
    for (int below = i + 1; below < GUARDS; below++) {
        struct wm_guard_start *start = &trees[below].start;

        start->ancestors[below - 1 - i] = (struct wm_guard_door){{0, at.sin_addr.s_addr}, at.sin_port};
    }
}

/* The ancestors of each are known before it is opened. */
static void open_trees(void)
{
    struct wm_guard_start starts[GUARDS];

    memset(trees, 0, sizeof trees);
    for (int i = 0; i < GUARDS; i++) {
        memcpy(starts, (struct wm_guard_start[]){trees[0].start, trees[1].start, trees[2].start}, sizeof starts);
        open_tree(i);
        memcpy(trees[i].start.ancestors, starts[i].ancestors, sizeof starts[i].ancestors);
        trees[i].start.ancestor_count = i;
    }
}

static void close_trees(void)
{
    for (int i = GUARDS - 1; i >= 0; i--)
        wm_tree_release(&trees[i]);
}

/* All have so many turns, of a tenth of a second by their clock. */
static void run(int turns)
{
    struct pollfd *list = NULL;

    for (int t = 0; t < turns; t++, now_ns += 100 * MS)
        for (int i = 0, count; i < GUARDS; i++) {
            if (trees[i].door < 0)
                continue;
            count = 0;
            list = wm_tree_list(&trees[i], list, &count);
            poll(list, (nfds_t)count, 2);
            wm_tree_progress(&trees[i], now_ns);
        }
    free(list);
}

static bool has_heard(int i, enum wm_news_kind kind)
{
    for (int k = 0; k < heard[i].count && k < 64; k++)
        if (heard[i].kinds[k] == kind)
            return true;
    return false;
}

static void tree__hands_rounds_down_and_deaths_to_all(void)
{
    struct wm_news_death death = {.rank = 2};

    open_trees();
    wm_tree_tell_all(&trees[0], WM_NEWS_DEATH, &death, sizeof death);
    run(20);
    CU_ASSERT(wm_tree_is_joined(&trees[1]) && wm_tree_is_joined(&trees[2]));
    CU_ASSERT(has_heard(1, WM_NEWS_DEATH) && has_heard(2, WM_NEWS_DEATH));
    heard[1].count = heard[2].count = 0;
    CU_ASSERT_EQUAL(trees[0].below_count, 1);
    wm_tree_begin_round(&trees[0], now_ns);
    CU_ASSERT(!wm_tree_is_round_done(&trees[0]));
    run(5);
    CU_ASSERT(wm_tree_is_round_done(&trees[0]));
    CU_ASSERT(has_heard(2, WM_NEWS_ROUND));
    wm_tree_tell_all(&trees[2], WM_NEWS_DEATH, &death, sizeof death);
    wm_tree_tell_up(&trees[2], WM_NEWS_PAGES, "", 0);
    run(5);
    for (int i = 0; i < GUARDS; i++)
        CU_ASSERT(has_heard(i, WM_NEWS_DEATH));
    CU_ASSERT(has_heard(0, WM_NEWS_PAGES) && !has_heard(1, WM_NEWS_PAGES));
    close_trees();
}

static void tree__asks_the_next_one_above_and_is_alone_without_any(void)
{
    open_trees();
    run(20);
    wm_tree_release(&trees[1]);
    run(20);
    CU_ASSERT(wm_tree_is_joined(&trees[2]));
    CU_ASSERT_EQUAL(trees[0].below_count, 1);
    wm_tree_release(&trees[0]);
    run(20);
    CU_ASSERT(!wm_tree_is_joined(&trees[2]) && !wm_tree_is_alone(&trees[2], now_ns));
    run(40);
    CU_ASSERT(wm_tree_is_alone(&trees[2], now_ns));
    close_trees();
}

/* --- Strangers --- */

static int knock(int i)
{
    struct sockaddr_in at;
    socklen_t bytes = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    getsockname(trees[i].door, (struct sockaddr *)&at, &bytes);
    CU_ASSERT_EQUAL_FATAL(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    run(1);
    return fd;
}

/* What a stranger gets to read: so many bytes, to the end. */
static int all_of(int fd)
{
    char bytes[256];
    int all = 0;

    for (ssize_t got; (got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;)
        all += (int)got;
    close(fd);
    return all;
}

static void tree__tells_a_stranger_nothing_and_goes_on(void)
{
    uint8_t noise[4096];
    struct wm_contact other = {.fd = -1};
    int silent[12], loud;

    memset(noise, 3, sizeof noise);
    open_trees();
    for (int i = 0; i < 12; i++)
        silent[i] = knock(0);
    loud = knock(0);
    CU_ASSERT(write(loud, noise, sizeof noise) > 0);
    wm_contact_open(&other, knock(0), true, noise, now_ns); /* it knows what is said, with another key */
    for (int t = 0; t < 10; t++) {
        wm_contact_progress(&other);
        wm_contact_next(&other, &(struct wm_news){0}, now_ns);
        run(1);
    }
    CU_ASSERT(!other.proven);
    run(20);
    for (int i = 0; i < 12; i++)
        CU_ASSERT_EQUAL(all_of(silent[i]), sizeof other.nonce);
    CU_ASSERT(all_of(loud) <= (int)sizeof other.nonce);
    CU_ASSERT(wm_tree_is_joined(&trees[1]) && wm_tree_is_joined(&trees[2]));
    CU_ASSERT_EQUAL(trees[0].below_count, 1);
    CU_ASSERT_EQUAL(heard[0].count, 0);
    wm_contact_close(&other);
    close_trees();
}

/* --- Pages --- */

static struct wm_page *page_of(int rank)
{
    struct wm_page *page = aligned_alloc(WM_PAGE_ALIGNMENT, sizeof *page);

    memset(page, 0, sizeof *page);
    page->rank = rank;
    page->bytes = sizeof *page;
    page->comm_count = 1;
    page->comms[0] = (struct wm_page_comm){.id = 9, .rank = rank, .ranks = 2};
    wm_page_begin(page, 5);
    return page;
}

static struct wm_copies copies;

static bool copy(void *context, const struct wm_news *news)
{
    (void)context;
    return news->kind != WM_NEWS_PAGES || wm_copies_take(&copies, news, now_ns);
}

/* But for what the copy says of itself. */
static bool is_copied(const struct wm_page *page)
{
    const struct wm_page *other = copies.pages[page->rank];

    return memcmp(&page->now, &other->now, sizeof page->now) == 0 &&
           memcmp(&page->ring, &other->ring, sizeof *page - offsetof(struct wm_page, ring)) == 0;
}

static void changes__are_copied_when_a_rank_stands_and_its_moves_at_once(void)
{
    struct wm_page *own = page_of(0), *page = page_of(1);
    struct wm_changes changes;

    open_trees();
    trees[0].heard = copy;
    CU_ASSERT_FATAL(wm_copies_init(&copies, 2, &(struct wm_pages){(const struct wm_page **)&own, 1, NULL}));
    CU_ASSERT_FATAL(wm_changes_init(&changes, &page, 1));
    wm_copies_hide(&copies, INT64_MAX);
    run(20);
    for (int i = 0; i < 200; i++) {
        for (int word = 0; word < 40; word++)
            ((uint64_t *)page->calls)[(i * 37 + word * 101) % 4096] ^= (uint64_t)i;
        wm_page_add(page, &page->comms[0], &page->calls[0], (uint64_t)i);
        wm_page_enter(page);
        wm_changes_tell(&changes, &trees[1]);
        wm_page_leave(page);
        run(i % 20 == 0);
    }
    wm_page_enter(page);
    wm_changes_tell(&changes, &trees[1]);
    wm_changes_tell(&changes, &trees[1]);
    for (int turns = 0; turns < 1000 && !is_copied(page); turns++)
        run(1);
    CU_ASSERT(is_copied(page) && wm_page_is_begun(copies.pages[1]));
    CU_ASSERT_EQUAL(wm_copies_hide(&copies, now_ns + 1), copies.pages[1]);
    CU_ASSERT(!wm_page_is_begun(copies.pages[1]));
    wm_changes_release(&changes);
    wm_copies_release(&copies);
    free(own);
    free(page);
    close_trees();
}

/* Ranks make so many calls each; returns after how many rounds all have been told. */
static int rounds_until_told(struct wm_changes *changes, int calls)
{
    struct wm_tree nobody = {.door = -1, .up.fd = -1};
    int rounds = 0, told = 0;

    for (int i = 0; i < changes->count; i++)
        for (int call = 0; call < calls; call++)
            wm_page_add(changes->pages[i], &changes->pages[i]->comms[0], &changes->pages[i]->calls[0], (uint64_t)call);
    for (; told < changes->count && rounds < 100; rounds++) {
        wm_changes_tell(changes, &nobody);
        told = 0;
        for (int i = 0; i < changes->count; i++)
            told += changes->told[i].ring_next == changes->pages[i]->ring_next;
    }
    return rounds;
}

static void changes__of_ranks_that_move_are_told_in_turn_by_how_much_there_is(void)
{
    enum { RANKS = 20 };
    struct wm_page *pages[RANKS];
    struct wm_changes changes;

    for (int i = 0; i < RANKS; i++)
        pages[i] = page_of(i);
    CU_ASSERT_FATAL(wm_changes_init(&changes, pages, RANKS));
    CU_ASSERT_EQUAL(rounds_until_told(&changes, WM_PAGE_RING), 3); /* for the first time */
    CU_ASSERT_EQUAL(rounds_until_told(&changes, 2), 3);
    CU_ASSERT_EQUAL(rounds_until_told(&changes, WM_PAGE_RING), RANKS);
    wm_changes_release(&changes);
    for (int i = 0; i < RANKS; i++)
        free(pages[i]);
}

static const struct check_case cases[] = {
    CASE(news__is_read_as_it_was_written_and_not_otherwise),
    CASE(tree__hands_rounds_down_and_deaths_to_all),
    CASE(tree__asks_the_next_one_above_and_is_alone_without_any),
    CASE(tree__tells_a_stranger_nothing_and_goes_on),
    CASE(changes__are_copied_when_a_rank_stands_and_its_moves_at_once),
    CASE(changes__of_ranks_that_move_are_told_in_turn_by_how_much_there_is),
};

CHECK_MAIN("tree", cases)
