/* A job seen while it runs: what ranks do, what they wait for, and that no torn record is ever believed. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include "tests/check.h"
#include "tests/tracer/traces.h"
#include "tracer/live.h"

static struct wm_live *watch(const struct traces *traces)
{
    struct wm_live *live = NULL;
    struct wm_error error = {0};

    CU_ASSERT_EQUAL_FATAL(wm_live_open(&live, traces->directory, &error), 0);
    return live;
}

static void poll_again(struct wm_live *live)
{
    CU_ASSERT_EQUAL_FATAL(wm_live_poll(live), 0);
}

static void a_call__opens_and_ends(void)
{
    struct traces traces;
    struct wm_live *live;

    traces_open(&traces, 2, 1 << 14, WM_TRACE_FLIGHT, NULL);
    live = watch(&traces);
    CU_ASSERT_EQUAL_FATAL(live->count, 2);
    CU_ASSERT_EQUAL(live->ranks[0].life, WM_LIFE_ALIVE);
    CU_ASSERT_EQUAL(live->ranks[0].call_count, 0);
    CU_ASSERT_TRUE(live->here);

    traces_put(&traces, 0, 100, WM_TRACE_ENTER, 3, 5, -1, 0, 64);
    traces_put(&traces, 0, 150, WM_TRACE_ENTER, 3, 6, -1, 0, 64);
    traces_put(&traces, 0, 200, WM_TRACE_RECV_POST, 3, 7, 1, 0, WM_TRACE_EDGE(2, 64));
    poll_again(live);
    CU_ASSERT_EQUAL_FATAL(live->ranks[0].call_count, 1);
    CU_ASSERT_EQUAL(live->ranks[0].calls[0].node, 5);
    CU_ASSERT_EQUAL_FATAL(live->ranks[0].calls[0].edge_count, 1);
    CU_ASSERT_EQUAL(live->ranks[0].calls[0].edges[0].peer, 1);
    CU_ASSERT_EQUAL(live->ranks[0].calls[0].edges[0].number, 2);
    CU_ASSERT_EQUAL(live->ranks[0].calls[0].edges[0].bytes, 64);
    CU_ASSERT_EQUAL(live->ranks[0].came_count, 1);
    CU_ASSERT_EQUAL(live->ranks[1].came_count, 0);

    traces_put(&traces, 0, 300, WM_TRACE_RECV_DONE, 3, 7, 1, 0, WM_TRACE_EDGE(2, 64));
    traces_put(&traces, 0, 400, WM_TRACE_LEAVE, 3, 6, -1, 0, 64);
    poll_again(live);
    CU_ASSERT_EQUAL_FATAL(live->ranks[0].call_count, 1);
    CU_ASSERT_EQUAL(live->ranks[0].calls[0].edge_count, 0);
    CU_ASSERT_EQUAL(live->ranks[0].ended, 0);
    traces_put(&traces, 0, 500, WM_TRACE_LEAVE, 3, 5, -1, 0, 64);
    poll_again(live);
    CU_ASSERT_EQUAL(live->ranks[0].call_count, 0);
    CU_ASSERT_EQUAL(live->ranks[0].ended, 1);
    CU_ASSERT_EQUAL(live->ranks[0].inside_ticks, 400);
    CU_ASSERT_FALSE(wm_live_over(live));

    traces_close(&traces);
    poll_again(live);
    CU_ASSERT_EQUAL(live->ranks[0].life, WM_LIFE_CLOSED);
    CU_ASSERT_TRUE(wm_live_over(live));
    wm_live_close(live);
    traces_remove(&traces);
}

static void a_watcher__asks_for_a_level(void)
{
    struct traces traces;
    struct wm_live *live;
    struct wm_error error = {0};

    traces_open(&traces, 2, 1 << 14, WM_TRACE_FLIGHT, NULL);
    live = watch(&traces);
    CU_ASSERT_FALSE(wm_recorder_is_asked(traces.rings[0]));
    CU_ASSERT_EQUAL(wm_live_ask(live, WM_TRACE_OFF, &error), 0);
    CU_ASSERT_EQUAL(wm_live_ask(live, WM_TRACE_CALLS, &error), 0);
    for (int rank = 0; rank < 2; rank++) {
        CU_ASSERT_TRUE(wm_recorder_is_asked(traces.rings[rank]));
        CU_ASSERT_EQUAL(wm_recorder_hear(traces.rings[rank]), WM_TRACE_CALLS);
        CU_ASSERT_FALSE(wm_recorder_is_asked(traces.rings[rank]));
    }
    traces_close(&traces);
    poll_again(live);
    CU_ASSERT_EQUAL(wm_live_ask(live, WM_TRACE_CALLS, &error), -WM_ETRACE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "no rank that runs writes into"));
    wm_live_close(live);
    traces_remove(&traces);
}

static void pieces__are_one_call(void)
{
    struct traces traces;
    struct wm_live *live;

    traces_open(&traces, 1, 1 << 14, WM_TRACE_FLIGHT, NULL);
    live = watch(&traces);
    for (int i = 0; i < 3; i++) {
        traces_put(&traces, 0, 100 * i, WM_TRACE_ENTER, 3, 5, -1, 7, 64);
        traces_put(&traces, 0, 100 * i + 50, WM_TRACE_LEAVE, 3, 5, -1, 7, 64);
    }
    poll_again(live);
    CU_ASSERT_EQUAL(live->ranks[0].ended, 1);
    CU_ASSERT_EQUAL(live->ranks[0].call_count, 0);
    traces_close(&traces);
    wm_live_close(live);
    traces_remove(&traces);
}

/* More edges and calls than are kept: they are counted, and go again. */
static void many_edges_and_calls__do_not_overflow(void)
{
    struct traces traces;
    struct wm_live *live;

    traces_open(&traces, 1, 1 << 16, WM_TRACE_FLIGHT, NULL);
    live = watch(&traces);
    for (uint32_t i = 0; i < 3 * WM_LIVE_CALLS; i++)
        traces_put(&traces, 0, i, WM_TRACE_ENTER, 3, 0, -1, i, 64);
    for (uint32_t i = 0; i < 3 * WM_LIVE_EDGES; i++)
        traces_put(&traces, 0, 100 + i, WM_TRACE_RECV_POST, 3, 7, (int)i, 0, WM_TRACE_EDGE(0, 64));
    poll_again(live);
    CU_ASSERT_EQUAL(live->ranks[0].call_count, WM_LIVE_CALLS);
    CU_ASSERT_EQUAL(live->ranks[0].call_more, 2 * WM_LIVE_CALLS);
    CU_ASSERT_EQUAL(live->ranks[0].calls[0].edge_count, WM_LIVE_EDGES);
    CU_ASSERT_EQUAL(live->ranks[0].calls[0].edge_more, 2 * WM_LIVE_EDGES);
    for (uint32_t i = 0; i < 3 * WM_LIVE_EDGES; i++)
        traces_put(&traces, 0, 200 + i, WM_TRACE_RECV_DONE, 3, 7, (int)i, 0, WM_TRACE_EDGE(0, 64));
    for (uint32_t i = 0; i < 3 * WM_LIVE_CALLS; i++)
        traces_put(&traces, 0, 300 + i, WM_TRACE_LEAVE, 3, 0, -1, i, 64);
    poll_again(live);
    CU_ASSERT_EQUAL(live->ranks[0].call_count, 0);
    CU_ASSERT_EQUAL(live->ranks[0].call_more, 0);
    traces_close(&traces);
    wm_live_close(live);
    traces_remove(&traces);
}

/* The call's beginning has been overwritten: its edges still tell of it. */
static void a_call_without_a_beginning__is_seen_by_its_edges(void)
{
    struct traces traces;
    struct wm_live *live;

    traces_open(&traces, 1, 128 * 32, WM_TRACE_FLIGHT, NULL);
    traces_put(&traces, 0, 0, WM_TRACE_ENTER, 3, 5, -1, 4, 64);
    for (uint32_t i = 0; i < 200; i++) {
        traces_put(&traces, 0, 10 + 2 * i, WM_TRACE_SEND_POST, 3, 6, 1, 4, WM_TRACE_EDGE(i, 8));
        traces_put(&traces, 0, 11 + 2 * i, WM_TRACE_SEND_DONE, 3, 6, 1, 4, WM_TRACE_EDGE(i, 8));
    }
    traces_put(&traces, 0, 500, WM_TRACE_RECV_POST, 3, 6, 1, 4, WM_TRACE_EDGE(0, 8));
    live = watch(&traces);
    CU_ASSERT_EQUAL_FATAL(live->ranks[0].call_count, 1);
    CU_ASSERT_TRUE(live->ranks[0].calls[0].cut);
    CU_ASSERT_TRUE(live->ranks[0].gaps > 0);
    CU_ASSERT_EQUAL_FATAL(live->ranks[0].calls[0].edge_count, 1);
    CU_ASSERT_TRUE(live->ranks[0].calls[0].edges[0].receive);
    traces_put(&traces, 0, 600, WM_TRACE_LEAVE, 3, 5, -1, 4, 64);
    poll_again(live);
    CU_ASSERT_EQUAL(live->ranks[0].call_count, 0);
    traces_close(&traces);
    wm_live_close(live);
    traces_remove(&traces);
}

static void marks_and_levels__are_kept(void)
{
    struct traces traces;
    struct wm_live *live;

    traces_open(&traces, 1, 1 << 14, WM_TRACE_FLIGHT, NULL);
    live = watch(&traces);
    traces_put(&traces, 0, 1, WM_TRACE_MARK, 0, 0, -1, 0, 9);
    traces_put(&traces, 0, 2, WM_TRACE_ENTER, 3, 5, -1, 0, 64);
    poll_again(live);
    CU_ASSERT_TRUE(live->ranks[0].marked);
    CU_ASSERT_EQUAL(live->ranks[0].mark, 9);
    traces_put(&traces, 0, 3, WM_TRACE_LEVEL, WM_TRACE_OFF, 0, -1, 0, 0);
    poll_again(live);
    CU_ASSERT_EQUAL(live->ranks[0].level, WM_TRACE_OFF);
    CU_ASSERT_EQUAL(live->ranks[0].call_count, 0);
    traces_close(&traces);
    wm_live_close(live);
    traces_remove(&traces);
}

/* Files come one after the other; one that was never begun is waited for, not complained about. */
static void ranks__may_come_later(void)
{
    struct traces traces;
    struct wm_live *live;
    struct wm_error error = {0};

    traces_make_directory(traces.directory);
    CU_ASSERT_EQUAL_FATAL(wm_live_open(&live, traces.directory, &error), 0);
    CU_ASSERT_EQUAL(live->count, 0);
    CU_ASSERT_FALSE(wm_live_over(live));
    traces_overwrite(traces.directory, "rank-00001.trace", 8000, "", 1);
    poll_again(live);
    CU_ASSERT_EQUAL(live->count, 1);
    CU_ASSERT_FALSE(live->ranks[0].begun);
    traces_remove_directory(traces.directory);
    wm_live_close(live);

    traces_open(&traces, 1, 1 << 14, WM_TRACE_FLIGHT, NULL);
    live = watch(&traces);
    traces.ranks = 2;
    CU_ASSERT_EQUAL_FATAL(wm_recorder_open(&traces.recorders[1], traces.directory, 1, 1 << 14, WM_TRACE_FLIGHT,
                                           WM_CLOCK_MONOTONIC, &error),
                          0);
    traces.rings[1] = wm_recorder_get_ring(traces.recorders[1]);
    traces_put(&traces, 1, 5, WM_TRACE_ENTER, 3, 0, -1, 0, 64);
    poll_again(live);
    CU_ASSERT_EQUAL_FATAL(live->count, 2);
    CU_ASSERT_TRUE(live->ranks[1].begun);
    CU_ASSERT_EQUAL(live->ranks[1].call_count, 1);
    CU_ASSERT_PTR_NULL(wm_live_find(live, 2));
    CU_ASSERT_PTR_EQUAL(wm_live_find(live, 1), &live->ranks[1]);
    traces_close(&traces);
    wm_live_close(live);
    traces_remove(&traces);
    CU_ASSERT_EQUAL(wm_live_open(&live, "no/such/directory", &error), -WM_ETRACE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "cannot read the trace directory 'no/such/directory'"));
}

static void definitions__are_read_again_as_they_grow(void)
{
    struct traces traces;
    struct wm_live *live;

    traces_open(&traces, 1, 1 << 14, WM_TRACE_FLIGHT, NULL);
    live = watch(&traces);
    CU_ASSERT_EQUAL(live->definitions->node_count, 0);
    traces_define_node(traces.recorders[0], 2, "reduce", 4, 17, "core flat");
    poll_again(live);
    CU_ASSERT_EQUAL(live->definitions->node_count, 3);
    CU_ASSERT_EQUAL(live->definitions->job_ranks, 1);
    traces_close(&traces);
    wm_live_close(live);
    traces_remove(&traces);
}

/* A run in the same directory makes the files anew: the old mapping is let go. */
static void another_run__takes_the_place_of_the_first(void)
{
    struct traces traces, again;
    struct wm_live *live;
    struct wm_error error = {0};

    traces_open(&traces, 1, 1 << 14, WM_TRACE_FLIGHT, NULL);
    traces_put(&traces, 0, 1, WM_TRACE_ENTER, 3, 0, -1, 0, 64);
    live = watch(&traces);
    CU_ASSERT_EQUAL(live->ranks[0].call_count, 1);
    again = traces;
    CU_ASSERT_EQUAL_FATAL(wm_recorder_open(&again.recorders[0], traces.directory, 0, 1 << 14, WM_TRACE_FLIGHT,
                                           WM_CLOCK_MONOTONIC, &error),
                          0);
    again.rings[0] = wm_recorder_get_ring(again.recorders[0]);
    poll_again(live);
    CU_ASSERT_EQUAL(live->ranks[0].call_count, 0);
    wm_recorder_close(again.recorders[0]);
    wm_recorder_close(traces.recorders[0]);
    wm_live_close(live);
    traces_remove(&traces);
}

/* A child writes as a rank and is killed: its pid is gone, and what it did last stays to be read. */
static void a_killed_rank__is_gone_in_its_call(void)
{
    struct wm_live *live;
    struct traces traces;
    int told[2], status;
    pid_t child;
    char byte;

    traces_make_directory(traces.directory);
    CU_ASSERT_EQUAL_FATAL(pipe(told), 0);
    child = fork();
    if (child == 0) {
        struct wm_recorder *recorder;
        struct wm_error error;

        if (wm_recorder_open(&recorder, traces.directory, 0, 1 << 14, WM_TRACE_FLIGHT, WM_CLOCK_MONOTONIC, &error) < 0)
            _exit(1);
        char host[256] = "";
        gethostname(host, sizeof host - 1);
        traces_define_rank(recorder, 0, 1, host, NULL);
        wm_record(wm_recorder_get_ring(recorder), WM_TRACE_ENTER, 3, 0, 1, -1, 0, 64);
        if (write(told[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    CU_ASSERT_EQUAL(read(told[0], &byte, 1), 1);
    live = watch(&traces);
    CU_ASSERT_EQUAL(live->ranks[0].life, WM_LIFE_ALIVE);
    CU_ASSERT_EQUAL(live->ranks[0].call_count, 1);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    poll_again(live);
    CU_ASSERT_EQUAL(live->ranks[0].life, WM_LIFE_GONE);
    CU_ASSERT_EQUAL(live->ranks[0].call_count, 1);
    CU_ASSERT_TRUE(wm_live_over(live));
    CU_ASSERT_EQUAL(live->ranks[0].now_ticks, live->ranks[0].last_ticks);
    wm_live_close(live);
    close(told[0]);
    close(told[1]);
    traces_remove_directory(traces.directory);
}

/* Every record of the writer says the same thing in all of its fields; a torn one would not. The writer goes through a
 * ring of 128 records as fast as it can, while the reader looks at it with wm_live_poll: who believes a mixture of two
 * records finds a call whose fields disagree. */
struct writer {
    struct wm_recorder_ring *ring;
    _Atomic bool stop;
};

static void *write_on(void *context)
{
    struct writer *writer = context;
    uint32_t i = 0;

    for (; !atomic_load(&writer->stop); i++) {
        uint32_t k = i & 0xffffff;

        wm_record_at(writer->ring, k, WM_TRACE_ENTER, (uint8_t)(k % 7), (uint16_t)k, k, (int32_t)k, k, k);
    }
    return NULL;
}

static bool whole(const struct wm_live_call *call)
{
    uint32_t k = call->sequence;

    return call->communicator == k && call->since_ticks == k && call->bytes == k && call->root == (int32_t)k &&
           call->node == (uint16_t)k && call->operation == k % 7;
}

static void torn_records__are_never_seen(void)
{
    enum { LOOKS = 4000 };
    struct traces traces;
    struct wm_live *live;
    struct writer writer = {0};
    pthread_t thread;
    uint64_t seen = 0, torn = 0;

    traces_open(&traces, 1, 128 * 32, WM_TRACE_FLIGHT, NULL);
    writer.ring = traces.rings[0];
    live = watch(&traces);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, write_on, &writer), 0);
    for (int i = 0; i < LOOKS || (seen == 0 && i < 1000 * LOOKS); i++) {
        poll_again(live);
        for (int k = 0; k < live->ranks[0].call_count; k++, seen++)
            torn += !whole(&live->ranks[0].calls[k]);
        wm_live_forget(&live->ranks[0]);
    }
    atomic_store(&writer.stop, true);
    pthread_join(thread, NULL);
    CU_ASSERT_TRUE(seen > 0);
    CU_ASSERT_EQUAL(torn, 0);
    CU_ASSERT_TRUE(live->ranks[0].gaps > 0);
    traces_close(&traces);
    wm_live_close(live);
    traces_remove(&traces);
}

static void poll__outlives_a_file_that_is_cut(void)
{
    struct traces traces;
    struct wm_live *live;

    traces_open(&traces, 2, 1 << 14, WM_TRACE_FLIGHT, NULL);
    traces_put(&traces, 0, 100, WM_TRACE_ENTER, 3, 5, -1, 0, 64);
    live = watch(&traces);
    traces_truncate(traces.directory, "rank-00000.trace", 0);
    poll_again(live);
    CU_ASSERT_EQUAL(live->ranks[0].offered, 0);
    CU_ASSERT_EQUAL(live->ranks[1].life, WM_LIFE_ALIVE);
    wm_live_close(live);
    traces_close(&traces);
    traces_remove(&traces);
}

static const struct check_case cases[] = {
    CASE(poll__outlives_a_file_that_is_cut),
    CASE(a_call__opens_and_ends),
    CASE(a_watcher__asks_for_a_level),
    CASE(pieces__are_one_call),
    CASE(many_edges_and_calls__do_not_overflow),
    CASE(a_call_without_a_beginning__is_seen_by_its_edges),
    CASE(marks_and_levels__are_kept),
    CASE(ranks__may_come_later),
    CASE(definitions__are_read_again_as_they_grow),
    CASE(another_run__takes_the_place_of_the_first),
    CASE(a_killed_rank__is_gone_in_its_call),
    CASE(torn_records__are_never_seen),
};

CHECK_MAIN("live", cases)
