/* The analysis and the report, on traces whose answers were worked out by hand. */
#include "tests/check.h"
#include "tests/tools/analysis/analysed.h"
#include "tools/findings/findings.h"
#include "tools/text/units.h"
#include "tracer/file.h"

static const char map_text[] = "(path-map\n"
                               "  (on allreduce\n"
                               "    (else (path (trace 'all)\n"
                               "                (reduce core #:shape 'flat)\n"
                               "                (trace 'inner)\n"
                               "                (allreduce node)))))\n";

static void open_traces(struct traces *traces, int ranks)
{
    traces_open(traces, ranks, 1 << 16, WM_TRACE_FLIGHT, map_text);
    traces_define_node(traces->recorders[0], 1, "trace", 3, 17, "all");
    traces_define_node(traces->recorders[0], 2, "reduce", 4, 17, "core flat");
    traces_define_node(traces->recorders[0], 3, "trace", 5, 17, "inner");
    traces_define_node(traces->recorders[0], 4, "allreduce", 6, 17, "node");
}

/* One region of each rank: enters at enters[i], leaves at leaves[i]. */
static void put_regions(struct traces *traces, int operation, int node, int root, uint32_t sequence,
                        const int64_t *enters, const int64_t *leaves)
{
    for (int i = 0; i < traces->ranks; i++) {
        traces_put(traces, i, enters[i], WM_TRACE_ENTER, operation, node, root, sequence, 100);
        if (leaves != NULL)
            traces_put(traces, i, leaves[i], WM_TRACE_LEAVE, operation, node, root, sequence, 100);
    }
}

/* Ranks 0, 1 and 2 enter an allreduce at 0, 100, 1000 ns and leave at 1500, 1500, 1600. Ranks 1 and 2 send to
 * 0. */
static void put_allreduce(struct traces *traces)
{
    const int all = WM_ALLREDUCE;

    traces_put(traces, 0, 0, WM_TRACE_ENTER, all, 1, -1, 0, 64);
    traces_put(traces, 0, 50, WM_TRACE_RECV_POST, 0, 2, 1, 0, WM_TRACE_EDGE(0, 64));
    traces_put(traces, 0, 50, WM_TRACE_RECV_POST, 0, 2, 2, 0, WM_TRACE_EDGE(0, 64));
    traces_put(traces, 0, 300, WM_TRACE_RECV_DONE, 0, 2, 1, 0, WM_TRACE_EDGE(0, 64));
    traces_put(traces, 0, 1300, WM_TRACE_RECV_DONE, 0, 2, 2, 0, WM_TRACE_EDGE(0, 64));
    traces_put(traces, 0, 1350, WM_TRACE_REDUCE, 0, 2, -1, 0, 50);
    traces_put(traces, 0, 1500, WM_TRACE_LEAVE, all, 1, -1, 0, 64);

    traces_put(traces, 1, 100, WM_TRACE_ENTER, all, 1, -1, 0, 64);
    traces_put(traces, 1, 150, WM_TRACE_SEND_POST, 0, 2, 0, 0, WM_TRACE_EDGE(0, 64));
    traces_put(traces, 1, 160, WM_TRACE_SEND_DONE, 0, 2, 0, 0, WM_TRACE_EDGE(0, 64));
    traces_put(traces, 1, 1500, WM_TRACE_LEAVE, all, 1, -1, 0, 64);

    traces_put(traces, 2, 1000, WM_TRACE_ENTER, all, 1, -1, 0, 64);
    traces_put(traces, 2, 1100, WM_TRACE_SEND_POST, 0, 2, 0, 0, WM_TRACE_EDGE(0, 64));
    traces_put(traces, 2, 1110, WM_TRACE_SEND_DONE, 0, 2, 0, 0, WM_TRACE_EDGE(0, 64));
    traces_put(traces, 2, 1600, WM_TRACE_LEAVE, all, 1, -1, 0, 64);
}

static void lines__add_up_as_computed_by_hand(void)
{
    struct traces traces;
    struct analysed result;
    const struct wm_line *line;

    open_traces(&traces, 3);
    put_allreduce(&traces);
    result = analysed_report(&traces);

    line = analysed_line(&result, 1);
    CU_ASSERT_EQUAL(line->calls, 1);
    CU_ASSERT_EQUAL(line->regions, 3);
    CU_ASSERT_EQUAL(line->bytes, 64);
    CU_ASSERT_EQUAL(line->time_ns, 1500 + 1400 + 600);
    CU_ASSERT_EQUAL(line->late_ns, 1000 + 900);
    CU_ASSERT_EQUAL(line->inside_ns, 100);        /* rank 0, from the arrival of 2 until it sends */
    CU_ASSERT_EQUAL(line->transfer_ns, 200 + 10); /* rank 0 receives, rank 2 sends; 1 sent before the arrival */
    CU_ASSERT_EQUAL(line->work_ns, 50);
    CU_ASSERT_EQUAL(line->overhead_ns, 150 + 500 + 590);
    CU_ASSERT_EQUAL(line->wait_by_rank[2], 1900);
    CU_ASSERT_EQUAL(line->last_by_rank[2], 1);

    line = analysed_line(&result, 2);
    CU_ASSERT_FALSE(line->visited);
    CU_ASSERT_EQUAL(line->messages, 2);
    CU_ASSERT_EQUAL(line->bytes, 128);
    CU_ASSERT_EQUAL(line->late_ns, 950); /* the receive from 2 ends last and takes it all */
    CU_ASSERT_EQUAL(line->inside_ns, 100);
    CU_ASSERT_EQUAL(line->transfer_ns, 220);
    CU_ASSERT_EQUAL(line->work_ns, 50);
    CU_ASSERT_EQUAL(line->time_ns, 1320);
    CU_ASSERT_EQUAL(line->wait_by_rank[2], 1050);

    CU_ASSERT_EQUAL_FATAL(result.analysis->edge_count, 2);
    CU_ASSERT_EQUAL(result.analysis->edges[0].source, 2);
    CU_ASSERT_EQUAL(result.analysis->edges[0].destination, 0);
    CU_ASSERT_EQUAL(result.analysis->edges[0].wait_ns, 1050);
    CU_ASSERT_EQUAL(result.analysis->edges[0].transfer_ns, 210);
    CU_ASSERT_EQUAL(result.analysis->edges[1].wait_ns, 0);
    CU_ASSERT_EQUAL(result.analysis->edges[1].transfer_ns, 10);

    CU_ASSERT_EQUAL_FATAL(result.analysis->slow_count, 1);
    CU_ASSERT_EQUAL(result.analysis->slow[0].duration_ns, 1600);
    CU_ASSERT_EQUAL(result.analysis->slow[0].skew_ns, 1000);
    CU_ASSERT_EQUAL(result.analysis->slow[0].last_rank, 2);
    analysed_release(&result, &traces);
}

static void waits__follow_the_dependencies_of_the_operation(void)
{
    static const struct {
        int operation, root;
        int64_t enters[3], wait_ns, for_rank_0, for_rank_1, for_rank_2;
    } cases[] = {
        {WM_BARRIER, -1, {0, 100, 1000}, 1900, 0, 0, 1900},   {WM_ALLTOALLV, -1, {0, 100, 1000}, 1900, 0, 0, 1900},
        {WM_BCAST, 1, {0, 100, 1000}, 100, 0, 100, 0},        {WM_SCATTER, 2, {0, 100, 1000}, 1900, 0, 0, 1900},
        {WM_REDUCE, 1, {0, 100, 1000}, 900, 0, 0, 900},       {WM_GATHERV, 2, {0, 100, 1000}, 0, 0, 0, 0},
        {WM_SCAN, -1, {1000, 100, 500}, 1400, 1400, 0, 0},    {WM_EXSCAN, -1, {0, 100, 1000}, 0, 0, 0, 0},
        {WM_ALLREDUCE, -1, {0, 100, 2500}, 3900, 0, 0, 3900}, /* no wait is longer than the stay */
    };
    static const int64_t leaves[3] = {2000, 2000, 3000};
    struct traces traces;
    struct analysed result;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct wm_line *line;

        open_traces(&traces, 3);
        put_regions(&traces, cases[i].operation, 0, cases[i].root, 0, cases[i].enters, leaves);
        result = analysed_report(&traces);
        line = analysed_line(&result, 0);
        CU_ASSERT_EQUAL(line->late_ns, cases[i].wait_ns);
        if (cases[i].wait_ns > 0) {
            CU_ASSERT_EQUAL(line->wait_by_rank[0], cases[i].for_rank_0);
            CU_ASSERT_EQUAL(line->wait_by_rank[1], cases[i].for_rank_1);
            CU_ASSERT_EQUAL(line->wait_by_rank[2], cases[i].for_rank_2);
        }
        analysed_expect(&result, wm_operation_function(cases[i].operation));
        analysed_release(&result, &traces);
    }
}

/* Two pairs meet in an inner trace wrapper, neither knows of the other: rank 0 waits for 1, rank 2 for 3. */
static void waits__inside_stay_within_groups_that_meet(void)
{
    static const int64_t outer[4] = {0, 0, 0, 0}, leaves[4] = {2000, 2000, 2000, 2000};
    static const int64_t inner[4] = {100, 300, 100, 900};
    struct traces traces;
    struct analysed result;
    const struct wm_line *line;

    open_traces(&traces, 4);
    for (int i = 0; i < 4; i++) {
        int peer = i ^ 1;

        traces_put(&traces, i, outer[i], WM_TRACE_ENTER, WM_ALLREDUCE, 1, -1, 7, 8);
        traces_put(&traces, i, inner[i], WM_TRACE_ENTER, WM_ALLREDUCE, 3, -1, 7, 8);
        traces_put(&traces, i, inner[i], WM_TRACE_SEND_POST, 0, 4, peer, 7, WM_TRACE_EDGE(0, 8));
        traces_put(&traces, i, inner[i], WM_TRACE_SEND_DONE, 0, 4, peer, 7, WM_TRACE_EDGE(0, 8));
        traces_put(&traces, i, inner[i], WM_TRACE_RECV_POST, 0, 4, peer, 7, WM_TRACE_EDGE(0, 8));
        traces_put(&traces, i, 950, WM_TRACE_RECV_DONE, 0, 4, peer, 7, WM_TRACE_EDGE(0, 8));
        traces_put(&traces, i, 1000, WM_TRACE_LEAVE, WM_ALLREDUCE, 3, -1, 7, 8);
        traces_put(&traces, i, leaves[i], WM_TRACE_LEAVE, WM_ALLREDUCE, 1, -1, 7, 8);
    }
    result = analysed_report(&traces);
    line = analysed_line(&result, 3);
    CU_ASSERT_FALSE(line->outermost);
    CU_ASSERT_EQUAL(line->late_ns, 200 + 800);
    CU_ASSERT_EQUAL(line->wait_by_rank[1], 200);
    CU_ASSERT_EQUAL(line->wait_by_rank[3], 800);
    CU_ASSERT_EQUAL(line->time_ns, 900 + 700 + 900 + 100);
    CU_ASSERT_EQUAL(analysed_line(&result, 1)->late_ns, 0);
    CU_ASSERT_EQUAL(analysed_line(&result, 1)->inside_ns, 1000);
    CU_ASSERT_EQUAL(analysed_line(&result, 4)->inside_ns, 1000); /* on the outer region nobody was late */
    CU_ASSERT_EQUAL(analysed_line(&result, 4)->late_ns, 0);      /* and the inner one does not count twice */
    CU_ASSERT_EQUAL(analysed_line(&result, 4)->transfer_ns, 650 + 650 + 50 + 50);
    analysed_release(&result, &traces);
}

static void regions__join_the_pieces_of_a_segmented_call(void)
{
    struct traces traces;
    struct analysed result;
    const struct wm_line *line;

    open_traces(&traces, 1);
    traces_put(&traces, 0, 0, WM_TRACE_ENTER, WM_ALLREDUCE, 1, -1, 0, 300);
    traces_put(&traces, 0, 10, WM_TRACE_ENTER, WM_ALLREDUCE, 3, -1, 0, 100);
    traces_put(&traces, 0, 20, WM_TRACE_ENTER, WM_ALLREDUCE, 3, -1, 0, 100);
    traces_put(&traces, 0, 30, WM_TRACE_LEAVE, WM_ALLREDUCE, 3, -1, 0, 100);
    traces_put(&traces, 0, 40, WM_TRACE_LEAVE, WM_ALLREDUCE, 3, -1, 0, 100);
    traces_put(&traces, 0, 50, WM_TRACE_ENTER, WM_ALLREDUCE, 3, -1, 0, 100);
    traces_put(&traces, 0, 60, WM_TRACE_LEAVE, WM_ALLREDUCE, 3, -1, 0, 100);
    traces_put(&traces, 0, 99, WM_TRACE_LEAVE, WM_ALLREDUCE, 1, -1, 0, 300);
    result = analysed_report(&traces);
    line = analysed_line(&result, 3);
    CU_ASSERT_EQUAL(line->calls, 1);
    CU_ASSERT_EQUAL(line->pieces, 3);
    CU_ASSERT_EQUAL(line->bytes, 300);
    CU_ASSERT_EQUAL(line->time_ns, 50);
    analysed_release(&result, &traces);
}

static void instances__in_flight_at_once_stay_apart(void)
{
    struct traces traces;
    struct analysed result;

    open_traces(&traces, 1);
    traces_put(&traces, 0, 0, WM_TRACE_ENTER, WM_ALLREDUCE, 1, -1, 0, 8);
    traces_put(&traces, 0, 10, WM_TRACE_ENTER, WM_ALLREDUCE, 1, -1, 1, 8);
    traces_put(&traces, 0, 15, WM_TRACE_QUESTION, WM_ALLREDUCE, 0, -1, 0, 5000);
    traces_put(&traces, 0, 20, WM_TRACE_LEAVE, WM_ALLREDUCE, 1, -1, 0, 8);
    traces_put(&traces, 0, 40, WM_TRACE_LEAVE, WM_ALLREDUCE, 1, -1, 1, 8);
    result = analysed_report(&traces);
    CU_ASSERT_EQUAL(analysed_line(&result, 1)->calls, 2);
    CU_ASSERT_EQUAL(analysed_line(&result, 1)->time_ns, 20 + 30);
    CU_ASSERT_EQUAL(result.analysis->questions, 1);
    CU_ASSERT_EQUAL(result.analysis->question_ns, 5000);
    analysed_expect(&result, "map server: 1 question, 5.00 µs in all");
    analysed_release(&result, &traces);
}

static void clocks__that_disagree_are_reported(void)
{
    struct traces traces;
    struct analysed result;

    open_traces(&traces, 2);
    put_regions(&traces, WM_ALLREDUCE, 1, -1, 0, (int64_t[]){0, 0}, NULL);
    traces_put(&traces, 0, 10, WM_TRACE_RECV_POST, 0, 2, 1, 0, WM_TRACE_EDGE(0, 8));
    traces_put(&traces, 0, 20, WM_TRACE_RECV_DONE, 0, 2, 1, 0, WM_TRACE_EDGE(0, 8));
    traces_put(&traces, 1, 2020, WM_TRACE_SEND_POST, 0, 2, 0, 0, WM_TRACE_EDGE(0, 8));
    result = analysed_report(&traces);
    CU_ASSERT_EQUAL(result.analysis->violations, 1);
    CU_ASSERT_EQUAL(result.analysis->violation_max_ns, 2000);
    analysed_expect(&result, "1 message arrived, it seems, up to 2.00 µs before being sent");
    analysed_release(&result, &traces);
}

static void report__says_first_who_is_late(void)
{
    static const int64_t enters[3] = {0, 0, 900000000}, leaves[3] = {900001000, 900001000, 900001000};
    struct traces traces;
    struct analysed result;

    open_traces(&traces, 3);
    put_regions(&traces, WM_ALLREDUCE, 1, -1, 0, enters, leaves);
    result = analysed_report(&traces);
    CU_ASSERT_EQUAL(strncmp(result.text, "Finding: ", 9), 0);
    analysed_expect(&result, "Finding: 20 % of the run's rank time (1.80 s");
    analysed_expect(&result, "waiting in MPI_Allreduce for rank 2");
    analysed_expect(&result, "(trace 'all): it came last in 1 of 1 call");
    analysed_expect(&result, "2 (100 %)");
    analysed_release(&result, &traces);
}

static void report__puts_the_source_beside_the_line(void)
{
    struct traces traces;
    struct analysed result;

    open_traces(&traces, 3);
    put_allreduce(&traces);
    result = analysed_report(&traces);
    analysed_expect(&result, "allreduce, by line of maps/cluster.scm");
    analysed_expect(&result, "(trace 'all)\n");
    analysed_expect(&result, "  (reduce core #:shape 'flat)");
    analysed_expect(&result, "2 → 0");
    analysed_expect(&result, "residual of all totals: 0 ns");
    for (char *line = strtok(result.text, "\n"); line != NULL; line = strtok(NULL, "\n"))
        CU_ASSERT_TRUE(wm_text_columns(line) <= 110);
    analysed_release(&result, &traces);
}

static void report__of_a_crash_names_who_never_came(void)
{
    struct traces traces;
    struct analysed result;

    open_traces(&traces, 3);
    put_regions(&traces, WM_ALLREDUCE, 1, -1, 0, (int64_t[]){0, 0, 0}, (int64_t[]){10, 10, 10});
    for (int i = 0; i < 2; i++)
        traces_put(&traces, i, 100, WM_TRACE_ENTER, WM_ALLREDUCE, 1, -1, 1, 64);
    traces_put(&traces, 0, 120, WM_TRACE_RECV_POST, 0, 2, 2, 1, WM_TRACE_EDGE(0, 64));
    traces_close(&traces);
    traces_kill(&traces);
    result = analysed_report(&traces);
    CU_ASSERT_EQUAL(result.analysis->death_count, 3);
    CU_ASSERT_EQUAL_FATAL(result.analysis->stuck_count, 1);
    CU_ASSERT_EQUAL(result.analysis->stuck[0].inside_count, 2);
    CU_ASSERT_EQUAL_FATAL(result.analysis->stuck[0].absent_count, 1);
    CU_ASSERT_EQUAL(result.analysis->stuck[0].absent[0], 2);
    CU_ASSERT_EQUAL(analysed_line(&result, 1)->regions, 3);
    analysed_expect(&result, "The job died in MPI_Allreduce number 1 on MPI_COMM_WORLD");
    analysed_expect(&result, "never came: 2");
    analysed_expect(&result, "rank 0 awaits a message from rank 2: 64 B");
    analysed_expect(&result, "rank 2 (alpha, process");
    analysed_release(&result, &traces);
}

static void report__of_a_crash_tells_who_waits_for_a_path(void)
{
    struct traces traces;
    struct analysed result;

    open_traces(&traces, 3);
    put_regions(&traces, WM_ALLREDUCE, 1, -1, 0, (int64_t[]){0, 0, 0}, (int64_t[]){10, 10, 10});
    traces_put(&traces, 0, 100, WM_TRACE_ENTER, WM_ALLREDUCE, 1, -1, 1, 64);
    traces_put(&traces, 1, 100, WM_TRACE_ASK, WM_ALLREDUCE, 0, -1, 2, 1);
    traces_close(&traces);
    traces_kill(&traces);
    result = analysed_report(&traces);
    CU_ASSERT_EQUAL_FATAL(result.analysis->stuck_count, 1);
    CU_ASSERT_EQUAL_FATAL(result.analysis->stuck[0].absent_count, 1);
    CU_ASSERT_EQUAL(result.analysis->stuck[0].absent[0], 2);
    analysed_expect(&result, "waiting for the path of its next call");
    analysed_release(&result, &traces);
}

static void report__says_that_ranks_share_processors(void)
{
    struct traces traces;
    struct analysed result;

    open_traces(&traces, 3);
    put_regions(&traces, WM_BARRIER, 0, -1, 0, (int64_t[]){0, 0, 0}, (int64_t[]){10, 10, 10});
    for (int i = 0; i < 3; i++)
        traces_define(traces.recorders[i], json_pack("{ss si si ss s[ii]}", "define", "rank", "rank", i, "ranks", 3,
                                                     "host", i < 2 ? "alpha" : "beta", "processors", i, 1023));
    result = analysed_report(&traces);
    CU_ASSERT_PTR_NULL(strstr(result.text, " share "));
    analysed_release(&result, &traces);

    open_traces(&traces, 3);
    for (int i = 0; i < 3; i++)
        traces_define(traces.recorders[i], json_pack("{ss si si ss s[iii]}", "define", "rank", "rank", i, "ranks", 3,
                                                     "host", "alpha", "processors", 7, 1023, 1024));
    result = analysed_report(&traces);
    analysed_expect(&result, "3 ranks share 2 processors of alpha");
    analysed_release(&result, &traces);
}

static void report__names_calls_that_do_not_match(void)
{
    struct traces traces;
    struct analysed result;

    open_traces(&traces, 3);
    put_regions(&traces, WM_ALLREDUCE, 1, -1, 0, (int64_t[]){0, 0, 0}, (int64_t[]){10, 10, 10});
    for (int i = 0; i < 3; i++)
        traces_put(&traces, i, 100 + i, WM_TRACE_ENTER, i == 2 ? WM_BARRIER : WM_ALLREDUCE, 0, -1, 1, 64);
    traces_close(&traces);
    traces_kill(&traces);
    result = analysed_report(&traces);
    analysed_expect(&result,
                    "The program's calls do not match: number 1 on MPI_COMM_WORLD is MPI_Allreduce at ranks 0-1, and");
    analysed_expect(&result, "MPI_Barrier at rank 2.");
    analysed_expect(&result, "inside: 0-1; never came: 2");
    analysed_expect(&result, "inside: 2; never came: 0-1");
    analysed_release(&result, &traces);
}

static void report__says_of_other_roots_that_calls_do_not_match(void)
{
    struct traces traces;
    struct analysed result;

    open_traces(&traces, 3);
    for (int i = 0; i < 3; i++) {
        traces_put(&traces, i, 100 + i, WM_TRACE_ENTER, WM_BCAST, 0, i / 2, 0, 64);
        traces_put(&traces, i, 200 + i, WM_TRACE_LEAVE, WM_BCAST, 0, i / 2, 0, 64);
    }
    result = analysed_report(&traces);
    analysed_expect(&result, "is MPI_Bcast with root 0 at ranks 0-1");
    analysed_expect(&result, "and MPI_Bcast with root 1 at rank 2.");
    analysed_release(&result, &traces);
}

static void report__of_a_ring_that_came_round_counts_the_lost(void)
{
    struct traces traces;
    struct analysed result;

    traces_open(&traces, 2, 4096, WM_TRACE_FLIGHT, NULL);
    for (uint32_t i = 0; i < 200; i++)
        put_regions(&traces, WM_BARRIER, 0, -1, i, (int64_t[]){i * 10, i * 10}, (int64_t[]){i * 10 + 5, i * 10 + 5});
    result = analysed_report(&traces);
    CU_ASSERT_EQUAL(result.analysis->lost, 2 * (400 - 128));
    CU_ASSERT_EQUAL(analysed_line(&result, 0)->calls, 63); /* of the oldest the beginning may be lost */
    analysed_expect(&result, "the oldest are missing");
    analysed_expect(&result, "MPI_Barrier");
    analysed_release(&result, &traces);
}

static void report__survives_garbage(void)
{
    struct traces traces;
    uint32_t random = 99;

    for (int round = 0; round < 60; round++) {
        struct analysed result;

        open_traces(&traces, 3);
        for (int i = 0; i < 300; i++) {
            uint32_t r = random = random * 1664525u + 1013904223u;

            r >>= 8;
            traces_put(&traces, (int)(r % 3), r % 5000, (enum wm_trace_kind)((r >> 4) % (round % 2 ? 8 : 12)),
                       (int)(r >> 7) % (round % 3 ? 17 : 30), (int)(r >> 3) % 6, (int)(r >> 5) % 5 - 1, (r >> 6) % 3,
                       (r >> 2) % 4096);
        }
        traces_close(&traces);
        if (round % 4 == 0)
            traces_kill(&traces);
        result = analysed_report(&traces);
        CU_ASSERT_EQUAL(strncmp(result.text, "Finding: ", 9), 0);
        analysed_release(&result, &traces);
    }
}

static void tool__ends_with_a_sentence(void)
{
    CU_ASSERT_EQUAL(wm_report_run(&(struct wm_report_request){.directory = "no/such/directory"}), 1);
}

static void units__read_well(void)
{
    static const struct {
        int64_t ns;
        const char *text;
    } times[] = {{0, "0 ns"},         {999, "999 ns"},        {1000, "1.00 µs"},       {9996, "10.0 µs"},
                 {999600, "1.00 ms"}, {1234567890, "1.23 s"}, {119000000000, "119 s"}, {125000000000, "2 min 05 s"},
                 {-1500, "-1.50 µs"}};
    char ranks[64];

    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        CU_ASSERT_STRING_EQUAL(wm_time_text(times[i].ns).text, times[i].text);
    CU_ASSERT_STRING_EQUAL(wm_bytes_text(8).text, "8 B");
    CU_ASSERT_STRING_EQUAL(wm_bytes_text(9600).text, "9.4 KiB");
    CU_ASSERT_STRING_EQUAL(wm_bytes_text(1 << 20).text, "1 MiB");
    CU_ASSERT_STRING_EQUAL(wm_count_text(1234567).text, "1,234,567");
    CU_ASSERT_STRING_EQUAL(wm_share_text(1, 1000).text, "<1 %");
    wm_ranks_text((int[]){0, 1, 2, 5, 7, 8}, 6, ranks, sizeof ranks);
    CU_ASSERT_STRING_EQUAL(ranks, "0-2, 5, 7-8");
    wm_ranks_text((int[]){100, 200, 300, 400, 500}, 5, ranks, 20);
    CU_ASSERT_STRING_EQUAL(ranks, "100, 200, …");
}

static const struct check_case cases[] = {
    CASE(lines__add_up_as_computed_by_hand),
    CASE(waits__follow_the_dependencies_of_the_operation),
    CASE(waits__inside_stay_within_groups_that_meet),
    CASE(regions__join_the_pieces_of_a_segmented_call),
    CASE(instances__in_flight_at_once_stay_apart),
    CASE(clocks__that_disagree_are_reported),
    CASE(report__says_first_who_is_late),
    CASE(report__puts_the_source_beside_the_line),
    CASE(report__of_a_crash_names_who_never_came),
    CASE(report__of_a_crash_tells_who_waits_for_a_path),
    CASE(report__says_that_ranks_share_processors),
    CASE(report__names_calls_that_do_not_match),
    CASE(report__says_of_other_roots_that_calls_do_not_match),
    CASE(report__of_a_ring_that_came_round_counts_the_lost),
    CASE(report__survives_garbage),
    CASE(tool__ends_with_a_sentence),
    CASE(units__read_well),
};

CHECK_MAIN("report", cases)
