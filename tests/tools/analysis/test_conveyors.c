/* Conveyors in a trace: made-up records whose figures were worked out by hand. */
#include "tests/check.h"
#include "tests/tools/analysis/analysed.h"

/* Rank 0 sends to 1 on hop 0, and 1 to 2 on hop 1; buffers of 200 units. */
static void define_conveyor(struct traces *traces, int rank, uint32_t run)
{
    static const char *const outlets[] = {"[[0,0,1,0,\"shm\"]]", "[[1,1,2,0,\"mpi\"]]", "[]"};
    static const char *const inlets[] = {"[]", "[[0,0,0,0,\"shm\"]]", "[[1,1,1,0,\"mpi\"]]"};
    char text[512];

    snprintf(text, sizeof text,
             "{\"define\":\"conveyor\",\"communicator\":%d,\"run\":%u,\"name\":\"stream\",\"node\":1,\"item_bytes\":8,"
             "\"unit_bytes\":8,\"tag_bytes\":0,\"units\":200,\"buffers\":2,\"elastic\":false,\"sample\":4,"
             "\"nodes\":[0,0,1],\"hops\":[{\"axis\":\"core\",\"first_out\":0,\"first_in\":0},"
             "{\"axis\":\"node\",\"first_out\":1,\"first_in\":1}],\"outlets\":%s,\"inlets\":%s}",
             1 + rank, run, outlets[rank], inlets[rank]);
    traces_define(traces->recorders[rank], json_loads(text, 0, NULL));
}

static void open_traces(struct traces *traces)
{
    traces_open(traces, 3, 1 << 16, WM_TRACE_FULL, "(path-map\n (on conveyor (path (trace 's) (route core node))))\n");
    traces_define_node(traces->recorders[0], 1, "trace", 2, 21, "s");
    for (int rank = 0; rank < 3; rank++)
        define_conveyor(traces, rank, 1);
}

static void put(struct traces *traces, int rank, int64_t at_ns, enum wm_trace_kind kind, int flags, int link,
                uint64_t argument)
{
    traces_put(traces, rank, at_ns, kind, flags, 1, link, 1, argument);
}

static void put_ends(struct traces *traces, int rank, uint64_t pushed, uint64_t pulled)
{
    put(traces, rank, 600, WM_TRACE_CONVEY_STATE, 2, -1, WM_TRACE_TURNS(3, 5));
    put(traces, rank, 1000, WM_TRACE_CONVEY_STATE, 4, -1, WM_TRACE_TURNS(4, 10));
    put(traces, rank, 1000, WM_TRACE_CONVEY_COUNT, WM_TRACE_PUSHED, -1, pushed);
    put(traces, rank, 1000, WM_TRACE_CONVEY_COUNT, WM_TRACE_PULLED, -1, pulled);
    put(traces, rank, 1000, WM_TRACE_CONVEY_COUNT, WM_TRACE_REFUSED, -1, rank == 0 ? 7 : 0);
    put(traces, rank, 1001, WM_TRACE_CONVEY_STATE, 0, -1, WM_TRACE_TURNS(4, 10));
}

/* Rank 0 pushes 120 items to rank 2, in two buffers; the first item is watched. */
static void put_source(struct traces *traces)
{
    put(traces, 0, 0, WM_TRACE_CONVEY_STATE, 1, -1, 0);
    put(traces, 0, 100, WM_TRACE_CONVEY_OPEN, 0, 0, 0);
    put(traces, 0, 100, WM_TRACE_CONVEY_SAMPLE, WM_TRACE_STEP_PUSHED, 0, traces->base_ns + 100);
    put(traces, 0, 300, WM_TRACE_CONVEY_CLOSE, 0, 0, WM_TRACE_LOAD(100, 800));
    put(traces, 0, 500, WM_TRACE_CONVEY_BLOCKED, 0, 0, 200);
    put(traces, 0, 500, WM_TRACE_CONVEY_OPEN, 0, 0, 100);
    put(traces, 0, 700, WM_TRACE_CONVEY_CLOSE, 3, 0, WM_TRACE_LOAD(20, 160));
    put_ends(traces, 0, 120, 0);
}

static void put_relay(struct traces *traces)
{
    put(traces, 1, 0, WM_TRACE_CONVEY_STATE, 1, -1, 0);
    put(traces, 1, 350, WM_TRACE_CONVEY_TAKE, 0, 0, 0);
    put(traces, 1, 350, WM_TRACE_CONVEY_SAMPLE, WM_TRACE_STEP_ARRIVED, 0, traces->base_ns + 100);
    put(traces, 1, 360, WM_TRACE_CONVEY_OPEN, 1, 1, 0);
    put(traces, 1, 360, WM_TRACE_CONVEY_SAMPLE, WM_TRACE_STEP_RELAYED, 1, traces->base_ns + 100);
    put(traces, 1, 480, WM_TRACE_CONVEY_BLOCKED, 1, 1, 160);
    put(traces, 1, 480, WM_TRACE_CONVEY_CLOSE, 0, 1, WM_TRACE_LOAD(100, 700));
    put(traces, 1, 490, WM_TRACE_CONVEY_GIVE, 0, 0, 100);
    put(traces, 1, 720, WM_TRACE_CONVEY_TAKE, 0, 0, 100);
    put(traces, 1, 720, WM_TRACE_CONVEY_OPEN, 1, 1, 100);
    put(traces, 1, 730, WM_TRACE_CONVEY_CLOSE, 3, 1, WM_TRACE_LOAD(20, 160));
    put(traces, 1, 740, WM_TRACE_CONVEY_GIVE, 0, 0, 120);
    put_ends(traces, 1, 0, 0);
}

/* What comes is cut otherwise than it was sent: chunks of a ring do not end where buffers did. */
static void put_destination(struct traces *traces, uint64_t last)
{
    put(traces, 2, 0, WM_TRACE_CONVEY_STATE, 1, -1, 0);
    put(traces, 2, 500, WM_TRACE_CONVEY_TAKE, 0, 1, 0);
    put(traces, 2, 500, WM_TRACE_CONVEY_SAMPLE, WM_TRACE_STEP_ARRIVED, 1, traces->base_ns + 100);
    put(traces, 2, 550, WM_TRACE_CONVEY_GIVE, 0, 1, 60);
    put(traces, 2, 760, WM_TRACE_CONVEY_TAKE, 0, 1, 60);
    put(traces, 2, 780, WM_TRACE_CONVEY_PULL, 0, 1, 60);
    put(traces, 2, 790, WM_TRACE_CONVEY_GIVE, 0, 1, last);
    put_ends(traces, 2, 0, last);
}

/* The first of a trace. */
static struct wm_conveyor_totals *conveyor_of(const struct analysed *result)
{
    return result->analysis->conveyors->conveyors;
}

static struct analysed stream(struct traces *traces)
{
    open_traces(traces);
    put_source(traces);
    put_relay(traces);
    put_destination(traces, 120);
    return analysed_report(traces);
}

static void hops__add_up_as_computed_by_hand(void)
{
    struct traces traces;
    struct analysed result = stream(&traces);
    struct wm_hop_totals *hop = conveyor_of(&result)->hops;

    CU_ASSERT_EQUAL(result.analysis->conveyors->count, 1);
    CU_ASSERT_EQUAL(hop[0].buffers, 2);
    CU_ASSERT_EQUAL(hop[0].closed_by[0], 1);
    CU_ASSERT_EQUAL(hop[0].closed_by[3], 1);
    CU_ASSERT_EQUAL(hop[0].units, 120);
    CU_ASSERT_EQUAL(hop[0].taken, 120);
    CU_ASSERT_EQUAL(hop[0].bytes, 960);
    CU_ASSERT_EQUAL(hop[0].bytes_over[WM_CONVEYOR_SHM], 960);
    CU_ASSERT_EQUAL(hop[0].meagre, 1);
    CU_ASSERT_EQUAL(hop[0].sizes[9], 1);
    CU_ASSERT_EQUAL(hop[0].sizes[7], 1);
    CU_ASSERT_EQUAL(hop[0].relayed, 0);
    CU_ASSERT_EQUAL(wm_spread_at(&hop[0].fill_permille, 95), 500);
    CU_ASSERT_EQUAL(wm_spread_at(&hop[0].fill_ns, 50), 200);
    CU_ASSERT_EQUAL(wm_spread_at(&hop[0].hop_ns, 50), 20);
    CU_ASSERT_EQUAL(wm_spread_at(&hop[0].hop_ns, 95), 50);
    CU_ASSERT_EQUAL(wm_spread_sum(&hop[0].stay_ns), 140 + 20);
    CU_ASSERT_EQUAL(hop[0].sent[0 * 3 + 1], 120);

    CU_ASSERT_EQUAL(hop[1].relayed, 2);
    CU_ASSERT_EQUAL(hop[1].bytes, 860); /* one was compressed */
    CU_ASSERT_EQUAL(hop[1].bytes_over[WM_CONVEYOR_MPI], 860);
    CU_ASSERT_EQUAL(hop[1].units, 120);
    CU_ASSERT_EQUAL(hop[1].taken, 120);
    CU_ASSERT_EQUAL(hop[1].hop_ns.count, 2);
    CU_ASSERT_EQUAL(wm_spread_sum(&hop[1].hop_ns), 20 + 30);
    CU_ASSERT_EQUAL(wm_spread_sum(&hop[1].stay_ns), 50 + 30);
    CU_ASSERT_EQUAL(wm_spread_sum(&hop[1].early_ns), 20);
    CU_ASSERT_EQUAL(hop[1].sent[1 * 3 + 2], 120);
    CU_ASSERT_EQUAL(hop[0].unmatched + hop[1].unmatched + hop[0].uneven_links + hop[1].uneven_links, 0);
    analysed_release(&result, &traces);
}

static void runs__add_up_over_ranks(void)
{
    struct traces traces;
    struct analysed result = stream(&traces);

    CU_ASSERT_EQUAL(conveyor_of(&result)->runs, 1);
    CU_ASSERT_EQUAL(conveyor_of(&result)->begun, 3);
    CU_ASSERT_EQUAL(conveyor_of(&result)->finished, 3);
    CU_ASSERT_EQUAL(conveyor_of(&result)->run_ns, 3000);
    CU_ASSERT_EQUAL(conveyor_of(&result)->endgame_ns, 3 * 400);
    CU_ASSERT_EQUAL(conveyor_of(&result)->pushed, 120);
    CU_ASSERT_EQUAL(conveyor_of(&result)->pulled, 120);
    CU_ASSERT_EQUAL(conveyor_of(&result)->refused, 7);
    CU_ASSERT_EQUAL(conveyor_of(&result)->progressed, 12);
    CU_ASSERT_EQUAL(conveyor_of(&result)->advances, 30);
    analysed_release(&result, &traces);
}

static void waits__come_back_to_who_waits_for_nobody(void)
{
    struct traces traces;
    struct analysed result = stream(&traces);
    const struct wm_conveyor_block *block = conveyor_of(&result)->blocks;

    CU_ASSERT_EQUAL(conveyor_of(&result)->blocked_ns, 360);
    CU_ASSERT_EQUAL_FATAL(conveyor_of(&result)->block_count, 2);
    CU_ASSERT_EQUAL(block[0].from, 0);
    CU_ASSERT_EQUAL(block[0].to, 1);
    CU_ASSERT_EQUAL(block[0].root, 2); /* 1 waited for 2 from 320 to 480, most of 300 to 500 */
    CU_ASSERT_EQUAL(block[0].ns, 200);
    CU_ASSERT_EQUAL(block[1].from, 1);
    CU_ASSERT_EQUAL(block[1].root, 2);
    CU_ASSERT_EQUAL(block[1].ns, 160);
    analysed_expect(&result, "rank 2, for which 1 waits");
    analysed_release(&result, &traces);
}

/* 0 and 1 fill each other's links: neither is freed by following the other for ever. */
static void waits__in_a_circle_end(void)
{
    struct traces traces;
    struct analysed result;

    traces_open(&traces, 3, 1 << 16, WM_TRACE_FULL, NULL);
    for (int rank = 0; rank < 2; rank++) {
        char text[400];

        snprintf(text, sizeof text,
                 "{\"define\":\"conveyor\",\"communicator\":%d,\"run\":1,\"units\":8,\"unit_bytes\":8,"
                 "\"hops\":[{\"axis\":\"all\",\"first_out\":0,\"first_in\":0}],\"outlets\":[[0,0,%d,0,\"shm\"]],"
                 "\"inlets\":[[0,0,%d,0,\"shm\"]]}",
                 1 + rank, 1 - rank, 1 - rank);
        traces_define(traces.recorders[rank], json_loads(text, 0, NULL));
        put(&traces, rank, 900, WM_TRACE_CONVEY_BLOCKED, 0, 0, 800);
    }
    result = analysed_report(&traces);
    CU_ASSERT_EQUAL_FATAL(conveyor_of(&result)->block_count, 2);
    CU_ASSERT_EQUAL(conveyor_of(&result)->blocks[0].root, 1);
    CU_ASSERT_EQUAL(conveyor_of(&result)->blocks[1].root, 0);
    analysed_release(&result, &traces);
}

static void items__take_what_their_hops_and_relays_take(void)
{
    struct traces traces;
    struct analysed result = stream(&traces);

    CU_ASSERT_EQUAL(conveyor_of(&result)->watched, 1);
    CU_ASSERT_EQUAL(conveyor_of(&result)->arrived, 1);
    CU_ASSERT_EQUAL(conveyor_of(&result)->strayed, 0);
    CU_ASSERT_EQUAL(wm_spread_at(&conveyor_of(&result)->hop_item_ns[0], 50), 250);
    CU_ASSERT_EQUAL(wm_spread_at(&conveyor_of(&result)->relay_item_ns[1], 50), 10);
    CU_ASSERT_EQUAL(wm_spread_at(&conveyor_of(&result)->hop_item_ns[1], 50), 140);
    CU_ASSERT_EQUAL(wm_spread_at(&conveyor_of(&result)->item_ns, 50), 400);
    CU_ASSERT_EQUAL(conveyor_of(&result)->residual_ns, 0);
    analysed_expect(&result, "arrival 400 ns, p95 400 ns: hop 1 250 ns, relay 10 ns, hop 2 140 ns");
    analysed_release(&result, &traces);
}

static void items__that_end_on_the_way_are_counted_apart(void)
{
    struct traces traces;
    struct analysed result;

    open_traces(&traces);
    put_source(&traces);
    put_destination(&traces, 120);
    result = analysed_report(&traces);
    CU_ASSERT_EQUAL(conveyor_of(&result)->watched, 1);
    CU_ASSERT_EQUAL(conveyor_of(&result)->arrived, 0);
    CU_ASSERT_EQUAL(conveyor_of(&result)->strayed, 1);
    CU_ASSERT_EQUAL(conveyor_of(&result)->hops[0].unmatched, 2);
    analysed_release(&result, &traces);
}

static void report__shows_the_identities(void)
{
    struct traces traces;
    struct analysed result = stream(&traces);

    analysed_expect(&result,
                    "Conveyor 'stream' at cluster.scm:2 (trace 's): 3 ranks, items of 8 B, buffers of 1.6 KiB");
    analysed_expect(&result, "closed are units taken on 2 of 2 links; items pulled are those pushed, and those of the");
    analysed_expect(&result, "residual 0 ns");
    analysed_expect(&result, "advances that found something to do: 12 of 30 (40 %)");
    analysed_expect(&result, "        0 | @| | 120\n");
    analysed_expect(&result, "        1 |  |@| 120\n");
    for (char *line = strtok(result.text, "\n"); line != NULL; line = strtok(NULL, "\n"))
        CU_ASSERT_TRUE(strlen(line) <= 130);
    analysed_release(&result, &traces);
}

static void report__says_which_identity_is_broken(void)
{
    struct traces traces;
    struct analysed result;

    open_traces(&traces);
    put_source(&traces);
    put_relay(&traces);
    put_destination(&traces, 119);
    result = analysed_report(&traces);
    CU_ASSERT_EQUAL(conveyor_of(&result)->hops[1].uneven_links, 1);
    analysed_expect(&result, "taken on 1 of 2 links; items pulled are NOT those pushed");
    analysed_release(&result, &traces);
}

static void report__says_first_that_a_run_did_not_end(void)
{
    struct traces traces;
    struct analysed result;

    open_traces(&traces);
    for (int rank = 0; rank < 3; rank++)
        put(&traces, rank, 10 * rank, WM_TRACE_CONVEY_STATE, 1, -1, 0);
    put(&traces, 0, 100, WM_TRACE_CONVEY_STATE, 2, -1, 0);
    result = analysed_report(&traces);
    analysed_expect(&result, "Finding: The conveyor 'stream' at cluster.scm:2 did not come to its end");
    analysed_expect(&result, "not complete: 3 of 3 runs of a rank");
    analysed_release(&result, &traces);
}

static void conveyors__of_another_pipeline_stay_apart(void)
{
    struct traces traces;
    struct analysed result;

    open_traces(&traces);
    put_source(&traces);
    define_conveyor(&traces, 0, 2);
    traces_put(&traces, 0, 1100, WM_TRACE_CONVEY_OPEN, 0, 1, 0, 2, 0);
    traces_put(&traces, 0, 1200, WM_TRACE_CONVEY_CLOSE, 1, 1, 0, 3, WM_TRACE_LOAD(5, 40)); /* of another run */
    traces_put(&traces, 0, 1300, WM_TRACE_CONVEY_OPEN, 0, 1, 0, 3, 0);
    traces_put(&traces, 0, 1400, WM_TRACE_CONVEY_CLOSE, 1, 1, 0, 3, WM_TRACE_LOAD(6, 48));
    result = analysed_report(&traces);
    CU_ASSERT_EQUAL_FATAL(result.analysis->conveyors->count, 2);
    CU_ASSERT_EQUAL(result.analysis->conveyors->conveyors[0].hops[0].units, 120);
    CU_ASSERT_EQUAL(result.analysis->conveyors->conveyors[1].hops[0].units, 6);
    CU_ASSERT_EQUAL(result.analysis->conveyors->conveyors[1].runs, 2);
    analysed_release(&result, &traces);
}

static void loads__keep_what_fits(void)
{
    CU_ASSERT_EQUAL(WM_TRACE_LOAD(5, 40) >> 34, 5);
    CU_ASSERT_EQUAL(WM_TRACE_LOAD(5, 40) & WM_TRACE_LOAD_BYTES_MAX, 40);
    CU_ASSERT_EQUAL(WM_TRACE_LOAD(UINT64_MAX, UINT64_MAX), UINT64_MAX);
}

static void report__survives_garbage(void)
{
    struct traces traces;
    uint64_t random = 7;

    for (int round = 0; round < 60; round++) {
        struct analysed result;

        open_traces(&traces);
        if (round % 3 == 0)
            traces_define(
                traces.recorders[1],
                json_loads("{\"define\":\"conveyor\",\"communicator\":2,\"run\":2,\"units\":1,\"unit_bytes\":1,"
                           "\"hops\":[{\"first_out\":9,\"first_in\":4194304}],\"outlets\":[[3,0,99,5,7],[4],9,"
                           "[5,7,1,1]],\"inlets\":[[2,0,1,1,\"x\"]]}",
                           0, NULL));
        for (int i = 0; i < 400; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            traces_put(&traces, (int)(random >> 33) % 3, (int64_t)(random >> 40) % 5000,
                       (enum wm_trace_kind)(WM_TRACE_CONVEY_STATE + (random >> 36) % (round % 2 ? 9 : 11)),
                       (int)(random >> 30) % (round % 5 ? 5 : 256), 1, (int)(random >> 50) % 7 - 1,
                       (uint32_t)(random >> 45) % 4, round % 4 ? (random >> 20) % 300 : random * (random >> 7));
        }
        result = analysed_report(&traces);
        CU_ASSERT_EQUAL(strncmp(result.text, "Finding: ", 9), 0);
        analysed_release(&result, &traces);
    }
}

static const struct check_case cases[] = {
    CASE(hops__add_up_as_computed_by_hand),
    CASE(runs__add_up_over_ranks),
    CASE(waits__come_back_to_who_waits_for_nobody),
    CASE(waits__in_a_circle_end),
    CASE(items__take_what_their_hops_and_relays_take),
    CASE(items__that_end_on_the_way_are_counted_apart),
    CASE(report__shows_the_identities),
    CASE(report__says_which_identity_is_broken),
    CASE(report__says_first_that_a_run_did_not_end),
    CASE(conveyors__of_another_pipeline_stay_apart),
    CASE(loads__keep_what_fits),
    CASE(report__survives_garbage),
};

CHECK_MAIN("conveyors", cases)
