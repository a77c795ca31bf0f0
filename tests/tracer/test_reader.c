/* The reader: any subset of ranks, torn tails, garbage, clocks, communicators. */
#include <math.h>
#include "tests/check.h"
#include "tests/tracer/traces.h"
#include "tracer/file.h"

static void expect_refusal(const char *directory, const char *words)
{
    struct wm_trace *trace = (void *)1;
    struct wm_error error = {0};

    CU_ASSERT_EQUAL(wm_trace_open(&trace, directory, &error), -WM_ETRACE);
    CU_ASSERT_PTR_NULL(trace);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, words));
}

static void open__refuses_what_holds_no_trace(void)
{
    char directory[64];

    traces_make_directory(directory);
    expect_refusal("no/such/directory", "no/such/directory");
    expect_refusal(directory, "no trace in");
    traces_overwrite(directory, "rank-1.trace", 0, "x", 1);
    expect_refusal(directory, "no trace in");
    traces_overwrite(directory, "rank-00001.trace", 0, "x", 1);
    expect_refusal(directory, "too short");
    traces_remove_directory(directory);
}

static void open__takes_any_subset_of_ranks(void)
{
    struct traces traces;
    struct wm_trace *trace;
    char name[128];

    traces_open(&traces, 4, 4096, WM_TRACE_FULL, "");
    traces_close(&traces);
    snprintf(name, sizeof name, "%s/rank-00000.trace", traces.directory);
    unlink(name);
    snprintf(name, sizeof name, "%s/rank-00002.json", traces.directory);
    unlink(name);
    trace = traces_read(traces.directory);
    CU_ASSERT_EQUAL(trace->rank_count, 3);
    CU_ASSERT_EQUAL(trace->job_ranks, 4);
    CU_ASSERT_EQUAL(trace->ranks[0].rank, 1);
    CU_ASSERT_EQUAL(trace->ranks[2].rank, 3);
    CU_ASSERT_TRUE(traces_warned(trace, "communicators of rank 2 are unknown"));
    CU_ASSERT_EQUAL(wm_trace_communicator_key(&trace->ranks[1], 3), WM_TRACE_NO_COMMUNICATOR);
    wm_trace_close(trace);
    traces_remove(&traces);
}

static void communicators__match_by_members_and_order(void)
{
    struct traces traces;
    struct wm_trace *trace;
    uint32_t world, first, second;

    traces_open(&traces, 2, 4096, WM_TRACE_FULL, "");
    traces_define_world(traces.recorders[0], 50, 2); /* on rank 0 a copy of the world, another one … */
    traces_define_world(traces.recorders[0], 60, 2);
    traces_define_world(traces.recorders[1], 9, 2); /* … which rank 1 calls otherwise */
    traces_define(traces.recorders[1],
                  json_pack("{ss si ss s[i]}", "define", "communicator", "id", 10, "name", "self", "ranks", 1));
    traces_define_world(traces.recorders[1], 11, 2);
    traces_close(&traces);
    trace = traces_read(traces.directory);
    world = wm_trace_communicator_key(&trace->ranks[0], 1);
    first = wm_trace_communicator_key(&trace->ranks[0], 50);
    second = wm_trace_communicator_key(&trace->ranks[0], 60);
    CU_ASSERT_NOT_EQUAL(world, first);
    CU_ASSERT_NOT_EQUAL(first, second);
    CU_ASSERT_EQUAL(wm_trace_communicator_key(&trace->ranks[1], 2), world);
    CU_ASSERT_EQUAL(wm_trace_communicator_key(&trace->ranks[1], 9), first);
    CU_ASSERT_EQUAL(wm_trace_communicator_key(&trace->ranks[1], 11), second);
    CU_ASSERT_EQUAL(trace->communicator_count, 4);
    CU_ASSERT_EQUAL(wm_trace_communicator_key(&trace->ranks[1], 3), WM_TRACE_NO_COMMUNICATOR);
    CU_ASSERT_EQUAL(wm_trace_communicator_key(&trace->ranks[1], UINT32_MAX), WM_TRACE_NO_COMMUNICATOR);
    wm_trace_close(trace);
    traces_remove(&traces);
}

static void definitions__give_the_map_and_its_nodes(void)
{
    struct traces traces;
    struct wm_trace *trace;

    traces_open(&traces, 2, 4096, WM_TRACE_FULL, "(path-map)\n");
    traces_define_node(traces.recorders[1], 7, "reduce", 5, 11, "core binomial");
    traces_close(&traces);
    trace = traces_read(traces.directory);
    CU_ASSERT_STRING_EQUAL(trace->map_file, "maps/cluster.scm");
    CU_ASSERT_STRING_EQUAL(trace->map_text, "(path-map)\n");
    CU_ASSERT_EQUAL_FATAL(trace->node_count, 8);
    CU_ASSERT_STRING_EQUAL(trace->nodes[7].wrapper, "reduce");
    CU_ASSERT_STRING_EQUAL(trace->nodes[7].label, "core binomial");
    CU_ASSERT_EQUAL(trace->nodes[7].line, 5);
    CU_ASSERT_EQUAL(trace->nodes[7].column, 11);
    CU_ASSERT_PTR_NULL(trace->nodes[6].wrapper);
    CU_ASSERT_STRING_EQUAL(trace->ranks[1].host, "alpha");
    CU_ASSERT_EQUAL(trace->ranks[1].pid, (long)getpid());
    wm_trace_close(trace);
    traces_remove(&traces);
}

static void definitions__name_marks(void)
{
    struct traces traces;
    struct wm_trace *trace;
    const struct wm_trace_rank *rank;

    traces_open(&traces, 2, 4096, WM_TRACE_FULL, "");
    for (int i = 1; i <= 3; i++)
        traces_define(traces.recorders[1],
                      json_pack("{ss si ss}", "define", "mark", "id", 10 * i, "name", i == 2 ? "solve" : ""));
    traces_define(traces.recorders[1], json_pack("{ss si}", "define", "mark", "id", 7));
    traces_close(&traces);
    trace = traces_read(traces.directory);
    rank = &trace->ranks[1];
    CU_ASSERT_EQUAL(trace->ranks[0].mark_count, 0);
    CU_ASSERT_EQUAL_FATAL(rank->mark_count, 3);
    CU_ASSERT_EQUAL(rank->marks[1].id, 20);
    CU_ASSERT_STRING_EQUAL(rank->marks[1].name, "solve");
    CU_ASSERT_STRING_EQUAL(rank->marks[2].name, "");
    CU_ASSERT_TRUE(traces_warned(trace, "1 damaged line"));
    wm_trace_close(trace);
    traces_remove(&traces);
}

/* Numbers ascend, and a text is there: what else is said is another's. */
static void definitions__of_statements_are_found_by_number(void)
{
    struct traces traces;
    struct wm_trace *trace;
    const struct wm_trace_statement *statement;

    traces_open(&traces, 2, 4096, WM_TRACE_FULL, "");
    for (int i = 1; i <= 5; i++)
        traces_define(traces.recorders[1],
                      json_pack("{ss si ss ss ss si ss}", "define", "statement", "statement", i == 4 ? 2 : 3 * i,
                                "name", i == 2 ? "halo" : "", "text", "x <<= y", "file", "jacobi.c", "line", 10 * i,
                                "carried", "global"));
    traces_define(traces.recorders[1], json_pack("{ss si}", "define", "statement", "statement", 100));
    traces_define(traces.recorders[1],
                  json_pack("{ss sI ss}", "define", "statement", "statement", (json_int_t)1 << 40, "text", "x <<= y"));
    traces_define(traces.recorders[1], json_pack("{ss si ss si si}", "define", "statement", "statement", 101, "text",
                                                 "", "name", 7, "line", -7));
    traces_close(&traces);
    trace = traces_read(traces.directory);
    CU_ASSERT_PTR_NULL(wm_trace_statement_find(&trace->ranks[0], 3));
    CU_ASSERT_EQUAL(trace->ranks[1].statement_count, 5);
    CU_ASSERT_TRUE(traces_warned(trace, "3 damaged lines"));
    statement = wm_trace_statement_find(&trace->ranks[1], 6);
    CU_ASSERT_PTR_NOT_NULL_FATAL(statement);
    CU_ASSERT_STRING_EQUAL(statement->name, "halo");
    CU_ASSERT_STRING_EQUAL(statement->text, "x <<= y");
    CU_ASSERT_STRING_EQUAL(statement->carried, "global");
    CU_ASSERT_EQUAL(statement->line, 20);
    statement = wm_trace_statement_find(&trace->ranks[1], 101);
    CU_ASSERT_PTR_NOT_NULL_FATAL(statement);
    CU_ASSERT_STRING_EQUAL(statement->file, "");
    CU_ASSERT_EQUAL(statement->line, 0);
    CU_ASSERT_PTR_NULL(wm_trace_statement_find(&trace->ranks[1], 2));
    CU_ASSERT_PTR_NULL(wm_trace_statement_find(&trace->ranks[1], -1));
    CU_ASSERT_PTR_NULL(wm_trace_statement_find(&trace->ranks[1], 102));
    wm_trace_close(trace);
    traces_remove(&traces);
}

static void definitions__survive_garbage(void)
{
    static const char garbage[] = "{\"define\":\"communicator\",\"id\":-1,\"ranks\":[0]}\n"
                                  "{\"define\":\"communicator\",\"id\":5,\"ranks\":[\"x\"]}\n"
                                  "{\"define\":\"communicator\",\"id\":99999999999,\"ranks\":[0]}\n"
                                  "{\"define\":\"node\",\"node\":70000}\n"
                                  "{\"define\":7}\n[]\n\x01\x02\n"
                                  "{\"define\":\"something of a later version\"}\n"
                                  "{\"define\":\"node\",\"no";
    struct traces traces;
    struct wm_trace *trace;
    struct stat status;
    char name[128];

    traces_open(&traces, 1, 4096, WM_TRACE_FULL, "");
    traces_close(&traces);
    snprintf(name, sizeof name, "%s/rank-00000.json", traces.directory);
    stat(name, &status);
    traces_overwrite(traces.directory, "rank-00000.json", status.st_size, garbage, sizeof garbage - 1);
    trace = traces_read(traces.directory);
    CU_ASSERT_TRUE(traces_warned(trace, "8 damaged lines"));
    CU_ASSERT_EQUAL(trace->communicator_count, 1);
    CU_ASSERT_EQUAL(trace->node_count, 0);
    wm_trace_close(trace);
    traces_remove(&traces);
}

static void records__survive_a_torn_tail(void)
{
    struct traces traces;
    struct wm_trace *trace;

    traces_open(&traces, 1, 8192, WM_TRACE_FULL, "");
    for (uint32_t i = 0; i < 100; i++)
        traces_put(&traces, 0, i, WM_TRACE_ENTER, 3, 1, -1, i, 8);
    traces_close(&traces);
    traces_truncate(traces.directory, "rank-00000.trace", 4096 + 32 * 40 + 17);
    trace = traces_read(traces.directory);
    CU_ASSERT_EQUAL(trace->ranks[0].count, 40);
    CU_ASSERT_EQUAL(trace->ranks[0].lost, 60);
    wm_trace_close(trace);
    traces_remove(&traces);
}

static void records__leave_out_the_one_being_overwritten(void)
{
    struct traces traces;
    struct wm_trace *trace;
    uint32_t open_state = WM_TRACE_OPEN;

    traces_open(&traces, 1, 4096, WM_TRACE_FLIGHT, "");
    for (uint32_t i = 0; i < 200; i++)
        traces_put(&traces, 0, i, WM_TRACE_ENTER, 3, 1, -1, i, 8);
    traces_close(&traces);
    traces_overwrite(traces.directory, "rank-00000.trace", offsetof(struct wm_trace_header, state), &open_state, 4);
    trace = traces_read(traces.directory);
    CU_ASSERT_EQUAL(trace->ranks[0].first, 73);
    CU_ASSERT_EQUAL(trace->ranks[0].count, 127);
    CU_ASSERT_EQUAL(trace->ranks[0].lost, 73);
    CU_ASSERT_EQUAL(wm_trace_record_get(&trace->ranks[0], 73)->sequence, 73);
    wm_trace_close(trace);
    traces_remove(&traces);
}

/* Any byte of the header or of the records may be anything: the reader refuses or reads, and stays within
 * bounds. */
static void records__survive_garbage(void)
{
    struct traces traces;
    struct wm_trace *trace;
    struct wm_error error;
    uint32_t random = 12345;

    traces_open(&traces, 1, 4096, WM_TRACE_FLIGHT, "");
    for (uint32_t i = 0; i < 200; i++)
        traces_put(&traces, 0, i, WM_TRACE_ENTER, 3, 1, -1, i, 8);
    traces_close(&traces);
    for (int round = 0; round < 2000; round++) {
        static const off_t places[] = {8, 2200, 4096, 8192};
        unsigned char old, byte;
        char name[128];
        int file;
        off_t at;

        random = random * 1664525u + 1013904223u;
        at = (off_t)((random >> 8) % (uint32_t)(round % 2 ? places[3] : 104));
        byte = (unsigned char)(random >> 3);
        snprintf(name, sizeof name, "%s/rank-00000.trace", traces.directory);
        file = open(name, O_RDWR);
        CU_ASSERT_EQUAL(pread(file, &old, 1, at), 1);
        CU_ASSERT_EQUAL(pwrite(file, &byte, 1, at), 1);
        if (wm_trace_open(&trace, traces.directory, &error) == 0) {
            uint64_t number = 0, seen = 0;

            for (; wm_trace_next(&trace->ranks[0], &number) != NULL; seen++)
                ;
            CU_ASSERT_TRUE(seen <= 128);
            wm_trace_close(trace);
        }
        CU_ASSERT_EQUAL(pwrite(file, &old, 1, at), 1);
        close(file);
    }
    traces_remove(&traces);
}

static void open__ignores_files_of_an_earlier_larger_run(void)
{
    struct traces traces;
    struct wm_trace *trace;
    struct wm_error error;
    struct wm_recorder *recorder;

    traces_open(&traces, 4, 4096, WM_TRACE_FULL, "");
    traces_close(&traces);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL_FATAL(
            wm_recorder_open(&recorder, traces.directory, i, 4096, WM_TRACE_FULL, WM_CLOCK_MONOTONIC, &error), 0);
        traces_define_rank(recorder, i, 2, "alpha", "");
        wm_recorder_close(recorder);
    }
    trace = traces_read(traces.directory);
    CU_ASSERT_EQUAL(trace->rank_count, 2);
    CU_ASSERT_EQUAL(trace->job_ranks, 2);
    CU_ASSERT_TRUE(traces_warned(trace, "2 files belong to an earlier run"));
    wm_trace_close(trace);
    traces_remove(&traces);
}

/* Give a rank's file a clock: ticks at `rate` a second that were `start` when CLOCK_MONOTONIC was what it
 * was. */
static void set_clock(const char *directory, const char *file, double rate, double claimed_rate, uint64_t ticks,
                      uint64_t monotonic_ns, uint64_t length_ns)
{
    struct wm_clock_pair start = {ticks, monotonic_ns, 1700000000000000000u + monotonic_ns};
    struct wm_clock_pair close = start;
    uint32_t tsc = 1;

    close.ticks += (uint64_t)llround((double)length_ns * rate / 1e9);
    close.monotonic_ns += length_ns;
    traces_overwrite(directory, file, offsetof(struct wm_trace_header, clock), &tsc, 4);
    traces_overwrite(directory, file, offsetof(struct wm_trace_header, ticks_per_second), &claimed_rate, 8);
    traces_overwrite(directory, file, offsetof(struct wm_trace_header, start), &start, sizeof start);
    traces_overwrite(directory, file, offsetof(struct wm_trace_header, close), &close, sizeof close);
}

static void clock__follows_the_closing_pair(void)
{
    struct traces traces;
    struct wm_trace *trace;

    traces_open(&traces, 2, 4096, WM_TRACE_FULL, "");
    traces_close(&traces);
    /* Rank 0 counts 2.5e9 ticks a second but measured 10 ppm too many at the start; rank 1 began 2 s later.
     */
    set_clock(traces.directory, "rank-00000.trace", 2.5e9, 2.500025e9, 1000, 5000000000, 100000000000);
    set_clock(traces.directory, "rank-00001.trace", 1e9, 1e9, 77, 7000000000, 90000000000);
    trace = traces_read(traces.directory);
    CU_ASSERT_FALSE(trace->several_clocks);
    CU_ASSERT_EQUAL(wm_trace_ns(&trace->ranks[0], 1000), 0);
    CU_ASSERT_EQUAL(wm_trace_ns(&trace->ranks[0], 1000 + 125000000000), 50000000000);
    CU_ASSERT_EQUAL(wm_trace_ns(&trace->ranks[0], 0), -400);
    CU_ASSERT_EQUAL(wm_trace_ns(&trace->ranks[1], 77), 2000000000);
    CU_ASSERT_EQUAL(wm_trace_ns(&trace->ranks[1], 77 + 500), 2000000500);
    CU_ASSERT_EQUAL(trace->ranks[0].end_ns, 100000000000);
    CU_ASSERT_EQUAL(wm_trace_duration_ns(&trace->ranks[0], 2500), 1000);
    CU_ASSERT_TRUE(wm_trace_ns(&trace->ranks[0], UINT64_MAX) > 0);
    wm_trace_close(trace);
    traces_remove(&traces);
}

static void clock__of_a_killed_rank_takes_its_machines_rate(void)
{
    struct traces traces;
    struct wm_trace *trace;
    uint32_t open_state = WM_TRACE_OPEN;

    traces_open(&traces, 2, 4096, WM_TRACE_FULL, "");
    traces_close(&traces);
    set_clock(traces.directory, "rank-00000.trace", 2.5e9, 2.500025e9, 1000, 5000000000, 100000000000);
    set_clock(traces.directory, "rank-00001.trace", 2.5e9, 2.499975e9, 1000, 5000000000, 0);
    traces_overwrite(traces.directory, "rank-00001.trace", offsetof(struct wm_trace_header, state), &open_state, 4);
    trace = traces_read(traces.directory);
    CU_ASSERT_FALSE(trace->ranks[1].closed);
    CU_ASSERT_EQUAL(wm_trace_ns(&trace->ranks[1], 1000 + 125000000000), 50000000000);
    wm_trace_close(trace);
    traces_remove(&traces);
}

static void clock__bends_at_recorded_pairs(void)
{
    struct traces traces;
    struct wm_trace *trace;

    traces_open(&traces, 1, 4096, WM_TRACE_FULL, "");
    /* 1 s at 1e9 ticks a second, then 1 s at 1e9 + 200000; a pair that says nonsense is passed over. */
    wm_record_at(traces.rings[0], 1000000000, WM_TRACE_CLOCK, 0, 0, 0, -1, 0, 1000000000);
    wm_record_at(traces.rings[0], 1500000000, WM_TRACE_CLOCK, 0, 0, 0, -1, 0, 77);
    wm_record_at(traces.rings[0], 2000200000, WM_TRACE_CLOCK, 0, 0, 0, -1, 0, 2000000000);
    traces_close(&traces);
    set_clock(traces.directory, "rank-00000.trace", 1e9, 1e9, 0, 0, 0);
    trace = traces_read(traces.directory);
    CU_ASSERT_EQUAL(wm_trace_ns(&trace->ranks[0], 500000000), 500000000);
    CU_ASSERT_EQUAL(wm_trace_ns(&trace->ranks[0], 1500100000), 1500000000);
    CU_ASSERT_EQUAL(wm_trace_ns(&trace->ranks[0], 2000200000), 2000000000);
    CU_ASSERT_EQUAL(wm_trace_ns(&trace->ranks[0], 250000000), 250000000);
    wm_trace_close(trace);
    traces_remove(&traces);
}

static void clock__of_several_machines_is_the_wall_clock(void)
{
    struct traces traces;
    struct wm_trace *trace;
    struct wm_clock_pair start = {5, 5, 1700000000000000000u}, other = {900, 900, 1700000000000001000u};
    char json[] = "{\"define\":\"rank\",\"rank\":1,\"ranks\":2,\"host\":\"beta\"}\n"
                  "{\"define\":\"clock\",\"boot\":\"another\"}\n";

    traces_open(&traces, 2, 4096, WM_TRACE_FULL, "");
    traces_close(&traces);
    traces_truncate(traces.directory, "rank-00001.json", 0);
    traces_overwrite(traces.directory, "rank-00001.json", 0, json, sizeof json - 1);
    traces_overwrite(traces.directory, "rank-00000.trace", offsetof(struct wm_trace_header, start), &start,
                     sizeof start);
    traces_overwrite(traces.directory, "rank-00001.trace", offsetof(struct wm_trace_header, start), &other,
                     sizeof other);
    trace = traces_read(traces.directory);
    CU_ASSERT_TRUE(trace->several_clocks);
    CU_ASSERT_EQUAL(wm_trace_ns(&trace->ranks[0], 5), 0);
    CU_ASSERT_EQUAL(wm_trace_ns(&trace->ranks[1], 900), 1000);
    wm_trace_close(trace);
    traces_remove(&traces);
}

static const struct check_case cases[] = {
    CASE(open__refuses_what_holds_no_trace),
    CASE(open__takes_any_subset_of_ranks),
    CASE(communicators__match_by_members_and_order),
    CASE(definitions__give_the_map_and_its_nodes),
    CASE(definitions__name_marks),
    CASE(definitions__of_statements_are_found_by_number),
    CASE(definitions__survive_garbage),
    CASE(records__survive_a_torn_tail),
    CASE(records__leave_out_the_one_being_overwritten),
    CASE(records__survive_garbage),
    CASE(open__ignores_files_of_an_earlier_larger_run),
    CASE(clock__follows_the_closing_pair),
    CASE(clock__of_a_killed_rank_takes_its_machines_rate),
    CASE(clock__bends_at_recorded_pairs),
    CASE(clock__of_several_machines_is_the_wall_clock),
};

CHECK_MAIN("reader", cases)
