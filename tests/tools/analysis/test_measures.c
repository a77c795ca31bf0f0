/* Spreads, floors, efficiencies, imbalance, nonblocking calls, dependencies that messages show, switched recording and
 * the replay, on traces whose answers were worked out by hand. */
#include "tests/check.h"
#include "tests/tools/analysis/analysed.h"

static void spreads__are_of_instances_and_of_regions(void)
{
    struct traces traces;
    struct analysed result;
    struct wm_line *line;

    analysed_open(&traces, 3);
    analysed_call(&traces, 0, 0, 1500, WM_ALLREDUCE, NODE_ALL, -1, 0);
    analysed_call(&traces, 1, 100, 1400, WM_ALLREDUCE, NODE_ALL, -1, 0);
    analysed_call(&traces, 2, 1000, 1600, WM_ALLREDUCE, NODE_ALL, -1, 0);
    result = analysed_make(&traces, NULL);
    line = analysed_line(&result, NODE_ALL);
    CU_ASSERT_EQUAL(line->duration_ns.count, 1);
    CU_ASSERT_EQUAL(wm_spread_at(&line->duration_ns, 50), 1600);
    CU_ASSERT_EQUAL(wm_spread_at(&line->skew_ns, 50), 1000);
    CU_ASSERT_EQUAL(line->wait_ns.count, 3);
    CU_ASSERT_EQUAL(wm_spread_at(&line->wait_ns, 1), 0);
    CU_ASSERT_EQUAL(wm_spread_at(&line->wait_ns, 100), 1000);
    CU_ASSERT_EQUAL(wm_spread_sum(&line->wait_ns), 1900);
    CU_ASSERT_EQUAL(wm_spread_at(&line->service_ns, 1), 400);
    CU_ASSERT_EQUAL(wm_spread_sum(&line->service_ns), 500 + 400 + 600);
    CU_ASSERT_EQUAL(wm_spread_at(&line->completion_ns, 1), 0); /* the first to leave left at 1400 */
    CU_ASSERT_EQUAL(wm_spread_at(&line->completion_ns, 100), 200);
    CU_ASSERT_EQUAL(line->error_ns, 2 * (wm_trace_error_ns(&result.trace->ranks[0], 0) +
                                         wm_trace_error_ns(&result.trace->ranks[2], 0)));
    CU_ASSERT_EQUAL(line->unresolved, 0);
    analysed_release(&result, &traces);
}

static void waits__below_the_clocks_bounds_are_unresolved(void)
{
    struct traces traces;
    struct analysed result;

    analysed_open(&traces, 2);
    analysed_call(&traces, 0, 0, 100, WM_BARRIER, 0, -1, 0);
    analysed_call(&traces, 1, 1, 100, WM_BARRIER, 0, -1, 0);
    result = analysed_make(&traces, NULL);
    CU_ASSERT_TRUE(result.trace->clock_error_ns > 1);
    CU_ASSERT_EQUAL(analysed_line(&result, 0)->unresolved, 1);
    analysed_release(&result, &traces);
}

/* 40 calls of a rank each; every fourth is calm. The calm ones take 100, 101, …; 109 the rest take 500. */
static void floors__are_of_the_calm_calls(void)
{
    struct traces traces;
    struct analysed result;
    struct wm_line *line;

    analysed_open(&traces, 2);
    for (uint32_t i = 0; i < 40; i++) {
        int64_t at_ns = 10000 * i, skew_ns = i % 4 ? 1000 + i : 0, service_ns = i % 4 ? 500 : 100 + i / 4;

        for (int rank = 0; rank < 2; rank++) {
            int64_t enter_ns = at_ns + rank * skew_ns;

            analysed_call(&traces, rank, enter_ns, at_ns + skew_ns + service_ns, WM_BARRIER, 0, -1, i);
        }
    }
    result = analysed_make(&traces, NULL);
    line = analysed_line(&result, 0);
    /* 20 services of calm calls, each twice: 100, 100, 101, …; the 5th percentile is the first. */
    CU_ASSERT_EQUAL(line->floor_ns, 80 * 100);
    CU_ASSERT_EQUAL(line->excess_ns, 60 * 400 + 2 * 45);
    CU_ASSERT_EQUAL(line->excess_ns + line->floor_ns, wm_spread_sum(&line->service_ns));
    analysed_release(&result, &traces);
}

/* Another size is another class. */
static void floors__differ_by_size(void)
{
    struct traces traces;
    struct analysed result;

    analysed_open(&traces, 1);
    for (uint32_t i = 0; i < 4; i++) {
        int64_t took_ns[] = {100, 1000, 130, 1700}, at_ns = 10000 * i;
        uint64_t bytes = i % 2 ? 4096 : 8;

        traces_put(&traces, 0, at_ns, WM_TRACE_ENTER, WM_BARRIER, 0, -1, i, bytes);
        traces_put(&traces, 0, at_ns + took_ns[i], WM_TRACE_LEAVE, WM_BARRIER, 0, -1, i, bytes);
    }
    result = analysed_make(&traces, NULL);
    CU_ASSERT_EQUAL(analysed_line(&result, 0)->floor_ns, 2 * 100 + 2 * 1000);
    CU_ASSERT_EQUAL(analysed_line(&result, 0)->excess_ns, 30 + 700);
    analysed_release(&result, &traces);
}

/* Rank 0 is 1 s in a call, of which it waits for rank 1 for 0.5 s. Rank 1 is 0.25 s in it, and 1 s in one of its own.
 * On an ideal network rank 0 would take the longest. */
static void efficiencies__are_pops(void)
{
    static const int64_t second_ns = 1000000000;
    struct traces traces;
    struct analysed result;
    struct wm_efficiency e;
    double run_ns;

    analysed_open(&traces, 2);
    analysed_call(&traces, 0, 0, second_ns, WM_BARRIER, 0, -1, 0);
    analysed_call(&traces, 1, second_ns / 2, second_ns * 3 / 4, WM_BARRIER, 0, -1, 0);
    analysed_call(&traces, 1, second_ns * 3 / 4, second_ns * 7 / 4, WM_BARRIER, 0, -1, 1);
    result = analysed_make(&traces, NULL);
    e = result.analysis->efficiency;
    run_ns = (double)result.analysis->span_ns;
    CU_ASSERT_DOUBLE_EQUAL(e.load_balance, (run_ns - 1e9 + run_ns - 1.25e9) / 2 / (run_ns - 1e9), 1e-3);
    CU_ASSERT_DOUBLE_EQUAL(e.serialisation, (run_ns - 1e9) / (run_ns - 0.5e9), 1e-3);
    CU_ASSERT_DOUBLE_EQUAL(e.transfer, (run_ns - 0.5e9) / run_ns, 1e-3);
    CU_ASSERT_DOUBLE_EQUAL(e.communication, e.serialisation * e.transfer, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(e.parallel, e.load_balance * e.communication, 1e-12);
    analysed_release(&result, &traces);
}

static void imbalance__is_of_time_without_waits(void)
{
    struct traces traces;
    struct analysed result;
    struct wm_line *line;

    analysed_open(&traces, 4);
    for (int i = 0; i < 3; i++) { /* rank 3 takes no part */
        analysed_enter(&traces, i, 0, WM_ALLREDUCE, NODE_ALL, -1, 0);
        traces_put(&traces, i, 700, WM_TRACE_REDUCE, 0, NODE_REDUCE, -1, 0, (uint64_t[]){100, 200, 600}[i]);
        analysed_leave(&traces, i, 700, WM_ALLREDUCE, NODE_ALL, -1, 0);
    }
    result = analysed_make(&traces, NULL);
    line = analysed_line(&result, NODE_REDUCE);
    CU_ASSERT_PTR_NOT_NULL_FATAL(line->exclusive_by_rank);
    CU_ASSERT_EQUAL(line->exclusive_by_rank[2], 600);
    CU_ASSERT_EQUAL(line->exclusive_by_rank[3], 0);
    CU_ASSERT_DOUBLE_EQUAL(line->imbalance, 1, 1e-12);
    analysed_release(&result, &traces);
}

/* 1000 in flight, the last 250 of them in MPI_Wait, which goes on for another call until 1200. */
static void flights__overlap_what_the_program_does(void)
{
    struct traces traces;
    struct analysed result;
    struct wm_line *line;

    analysed_open(&traces, 1);
    analysed_call(&traces, 0, 0, 1000, WM_ALLREDUCE, NODE_ALL, -1, 0);
    traces_put(&traces, 0, 1200, WM_TRACE_WAIT, WM_ALLREDUCE, NODE_ALL, -1, 0, 450);
    analysed_call(&traces, 0, 2000, 2100, WM_ALLREDUCE, NODE_ALL, -1, 1);
    result = analysed_make(&traces, NULL);
    line = analysed_line(&result, NODE_ALL);
    CU_ASSERT_EQUAL(line->flights, 1);
    CU_ASSERT_EQUAL(line->flight_ns, 1000);
    CU_ASSERT_EQUAL(line->flight_wait_ns, 250);
    CU_ASSERT_EQUAL(line->time_ns, 1100);
    analysed_release(&result, &traces);
}

/* A chain 0 → 1 → 2 within one stage, and a message without bytes from 3 to 2; ranks enter at 300, 200, 100, 400. */
static void put_chain(struct traces *traces, int operation, int root)
{
    for (int i = 0; i < 4; i++)
        analysed_enter(traces, i, (int64_t[]){300, 200, 100, 400}[i], operation, NODE_ALL, root, 0);
    analysed_send(traces, 0, 310, 320, NODE_REDUCE, 1, 0, WM_TRACE_EDGE(0, 8));
    analysed_receive(traces, 1, 210, 330, NODE_REDUCE, 0, 0, WM_TRACE_EDGE(0, 8));
    analysed_send(traces, 1, 330, 350, NODE_REDUCE, 2, 0, WM_TRACE_EDGE(0, 8)); /* as soon as it has it */
    analysed_receive(traces, 2, 110, 360, NODE_REDUCE, 1, 0, WM_TRACE_EDGE(0, 8));
    analysed_send(traces, 3, 410, 420, NODE_REDUCE, 2, 0, WM_TRACE_EDGE(0, 0));
    analysed_receive(traces, 2, 110, 430, NODE_REDUCE, 3, 0, WM_TRACE_EDGE(0, 0));
    for (int i = 0; i < 4; i++)
        analysed_leave(traces, i, 500, operation, NODE_ALL, root, 0);
}

static void dependencies__of_counted_forms_are_what_messages_show(void)
{
    static const struct {
        int operation, root;
        int64_t for_rank_0, for_rank_1, for_rank_3;
    } cases[] = {
        {WM_ALLGATHERV, -1, 100 + 200, 0, 0},     /* 1 and 2 have 0's bytes; nobody has any of 3 */
        {WM_NEIGHBOR_ALLTOALLV, -1, 100, 100, 0}, /* to each peer something else: 2 has nothing of 0 */
        {WM_ALLTOALLV, -1, 100, 100, 0},          /* likewise */
        {WM_GATHERV, 2, 200, 0, 0},               /* the root alone waits, for the last whose bytes it has */
        {WM_SCATTERV, 0, 100 + 200, 0, 0},        /* 3 gets nothing */
        {WM_ALLTOALL, -1, 0, 0, 100 + 200 + 300}, /* the plain form: everybody for everybody */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct traces traces;
        struct analysed result;
        struct wm_line *line;

        analysed_open(&traces, 4);
        put_chain(&traces, cases[i].operation, cases[i].root);
        result = analysed_make(&traces, NULL);
        line = analysed_line(&result, NODE_ALL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(line->wait_by_rank);
        CU_ASSERT_EQUAL(line->wait_by_rank[0], cases[i].for_rank_0);
        CU_ASSERT_EQUAL(line->wait_by_rank[1], cases[i].for_rank_1);
        CU_ASSERT_EQUAL(line->wait_by_rank[2], 0);
        CU_ASSERT_EQUAL(line->wait_by_rank[3], cases[i].for_rank_3);
        analysed_release(&result, &traces);
    }
}

/* Through another stage a rank's bytes go on even where each peer gets something else; through memory all is possible.
 */
static void dependencies__pass_from_stage_to_stage(void)
{
    for (int shared = 0; shared < 2; shared++) {
        struct traces traces;
        struct analysed result;
        struct wm_line *line;

        analysed_open(&traces, 4);
        for (int i = 0; i < 4; i++)
            analysed_enter(&traces, i, (int64_t[]){300, 200, 100, 400}[i], WM_ALLTOALLV, NODE_ALL, -1, 0);
        analysed_send(&traces, 0, 310, 320, NODE_NODE, 1, 0, WM_TRACE_EDGE(0, 8));
        analysed_receive(&traces, 1, 210, 330, NODE_NODE, 0, 0, WM_TRACE_EDGE(0, 8));
        analysed_send(&traces, 1, 340, 350, NODE_REDUCE, 2, 0, WM_TRACE_EDGE(0, 8));
        analysed_receive(&traces, 2, 110, 360, NODE_REDUCE, 1, 0, WM_TRACE_EDGE(0, 8));
        if (shared)
            traces_put(&traces, 3, 450, WM_TRACE_SHARED, 0, NODE_NODE, -1, 0, 10);
        for (int i = 0; i < 4; i++)
            analysed_leave(&traces, i, 500, WM_ALLTOALLV, NODE_ALL, -1, 0);
        result = analysed_make(&traces, NULL);
        line = analysed_line(&result, NODE_ALL);
        CU_ASSERT_EQUAL(line->wait_by_rank[0], shared ? 0 : 100 + 200);
        CU_ASSERT_EQUAL(line->wait_by_rank[3], shared ? 100 + 200 + 300 : 0);
        analysed_release(&result, &traces);
    }
}

static void dependencies__of_native_neighbors_are_unknown(void)
{
    struct traces traces;
    struct analysed result;

    analysed_open(&traces, 2);
    analysed_call(&traces, 0, 0, 900, WM_NEIGHBOR_ALLGATHER, 0, -1, 0);
    analysed_call(&traces, 1, 500, 900, WM_NEIGHBOR_ALLGATHER, 0, -1, 0);
    result = analysed_make(&traces, NULL);
    CU_ASSERT_EQUAL(analysed_line(&result, 0)->late_ns, 0);
    analysed_release(&result, &traces);
}

static void put_level(struct traces *traces, int rank, int64_t at_ns, enum wm_trace_level level)
{
    traces_put(traces, rank, at_ns, WM_TRACE_LEVEL, level, 0, -1, 0, 0);
}

/* Rank 1 records nothing of the second call, and only the call of the third. */
static void levels__make_ranks_absent_and_not_late(void)
{
    struct traces traces;
    struct analysed result;
    struct wm_line *line;

    analysed_open(&traces, 3);
    put_level(&traces, 1, 0, WM_TRACE_OFF);
    put_level(&traces, 1, 3000, WM_TRACE_CALLS);
    for (int i = 0; i < 3; i++) {
        if (i != 1) {
            analysed_enter(&traces, i, 1000, WM_ALLREDUCE, NODE_ALL, -1, 0);
            if (i == 0)
                analysed_receive(&traces, 0, 1100, 1900, NODE_REDUCE, 1, 0, WM_TRACE_EDGE(0, 8));
            analysed_leave(&traces, i, 2000, WM_ALLREDUCE, NODE_ALL, -1, 0);
        }
        analysed_enter(&traces, i, 4000, WM_ALLREDUCE, NODE_ALL, -1, 1);
        if (i == 0)
            analysed_receive(&traces, 0, 4100, 4900, NODE_REDUCE, 1, 1, WM_TRACE_EDGE(0, 8));
        analysed_leave(&traces, i, 5000, WM_ALLREDUCE, NODE_ALL, -1, 1);
    }
    result = analysed_make(&traces, NULL);
    line = analysed_line(&result, NODE_ALL);
    CU_ASSERT_EQUAL(line->regions, 5);
    CU_ASSERT_EQUAL(line->late_ns, 0);
    CU_ASSERT_EQUAL(line->inside_ns, 0);
    CU_ASSERT_EQUAL(line->transfer_ns, 1600);
    CU_ASSERT_EQUAL(result.analysis->unmatched, 2);
    CU_ASSERT_EQUAL(result.analysis->path_count, 2);
    CU_ASSERT_EQUAL(result.analysis->stuck_count, 0);
    analysed_release(&result, &traces);
}

/* Rank 4 was off when it may have left call 1, and on again. Rank 0 dies in call 1. Rank 1 switched recording off
 * inside of it; rank 2 was off and on again since call 0, so that it may have come; rank 3 was off and on before call 0
 * and has not come. */
static void levels__are_no_evidence_of_being_stuck(void)
{
    struct traces traces;
    struct analysed result;
    struct wm_error error = {0};

    analysed_open(&traces, 5);
    put_level(&traces, 3, 0, WM_TRACE_OFF);
    put_level(&traces, 3, 50, WM_TRACE_DETAIL);
    for (int i = 0; i < 5; i++)
        analysed_call(&traces, i, 100, 200, WM_BARRIER, NODE_ALL, -1, 0);
    analysed_enter(&traces, 0, 300, WM_BARRIER, NODE_ALL, -1, 1);
    analysed_enter(&traces, 1, 300, WM_BARRIER, NODE_ALL, -1, 1);
    put_level(&traces, 1, 400, WM_TRACE_OFF);
    analysed_enter(&traces, 4, 300, WM_BARRIER, NODE_ALL, -1, 1);
    put_level(&traces, 4, 310, WM_TRACE_OFF);
    put_level(&traces, 4, 320, WM_TRACE_DETAIL);
    put_level(&traces, 2, 250, WM_TRACE_OFF);
    put_level(&traces, 2, 400, WM_TRACE_DETAIL);
    traces_close(&traces);
    traces_kill(&traces);
    CU_ASSERT_EQUAL_FATAL(wm_trace_open(&result.trace, traces.directory, &error), 0);
    CU_ASSERT_EQUAL_FATAL(wm_analysis_make(&result.analysis, result.trace, NULL), 0);
    CU_ASSERT_EQUAL_FATAL(result.analysis->stuck_count, 1);
    CU_ASSERT_EQUAL(result.analysis->stuck[0].inside_count, 1);
    CU_ASSERT_EQUAL(result.analysis->stuck[0].inside[0], 0);
    CU_ASSERT_EQUAL_FATAL(result.analysis->stuck[0].absent_count, 1);
    CU_ASSERT_EQUAL(result.analysis->stuck[0].absent[0], 3);
    analysed_release(&result, &traces);
}

struct seen {
    int instances, pieces;
    uint32_t sequences[8];
};

static int see_piece(void *context, const struct wm_instance *instance, const struct wm_region *region,
                     const struct wm_cost_piece *piece)
{
    struct seen *seen = context;

    (void)instance, (void)region, (void)piece;
    seen->pieces++;
    return 0;
}

static int see_instance(void *context, const struct wm_instance *instance)
{
    struct seen *seen = context;

    seen->sequences[seen->instances++ % 8] = instance->sequence;
    return 0;
}

static void replay__shows_what_is_wanted_in_its_order(void)
{
    static const struct wm_instance_name wanted[] = {{0, 3}, {0, 1}, {0, 77}, {5, 1}};
    struct seen seen = {0};
    struct wm_observer observer = {&seen, see_piece, see_instance};
    struct traces traces;
    struct analysed result;

    analysed_open(&traces, 2);
    for (uint32_t k = 0; k < 5; k++)
        for (int i = 0; i < 2; i++)
            analysed_call(&traces, i, 100 * k, 100 * k + 50, WM_BARRIER, NODE_ALL, -1, k);
    for (int i = 0; i < 2; i++) /* instance 3 comes again, behind others */
        traces_put(&traces, i, 600, WM_TRACE_WAIT, WM_BARRIER, NODE_ALL, -1, 3, 10);
    result = analysed_make(&traces, NULL);
    CU_ASSERT_EQUAL(wm_analysis_replay(result.trace, wanted, 4, &observer), 0);
    CU_ASSERT_EQUAL(seen.instances, 2);
    CU_ASSERT_EQUAL(seen.sequences[0], 3);
    CU_ASSERT_EQUAL(seen.sequences[1], 1);
    CU_ASSERT_EQUAL(seen.pieces, 4);
    CU_ASSERT_EQUAL(wm_analysis_replay(result.trace, NULL, 0, &observer), 0);
    CU_ASSERT_EQUAL(seen.instances, 2);
    analysed_release(&result, &traces);
}

/* 70 sizes are too many: 3 and 4 are then both near 4, 70 near 64. */
static void sizes__become_powers_of_two_when_there_are_many(void)
{
    struct traces traces;
    struct analysed result;
    struct wm_line *line;
    uint64_t messages = 0;
    int64_t transfer_ns = 0;

    analysed_open(&traces, 2);
    for (int i = 0; i < 2; i++)
        analysed_enter(&traces, i, 0, WM_ALLREDUCE, NODE_ALL, -1, 0);
    for (int k = 0; k < 70; k++) {
        analysed_send(&traces, 1, 100 * k + 10, 100 * k + 10, NODE_REDUCE, 0, 0, WM_TRACE_EDGE(k, k + 1));
        analysed_receive(&traces, 0, 100 * k + 10, 100 * k + 60, NODE_REDUCE, 1, 0, WM_TRACE_EDGE(k, k + 1));
    }
    for (int i = 0; i < 2; i++)
        analysed_leave(&traces, i, 9000, WM_ALLREDUCE, NODE_ALL, -1, 0);
    result = analysed_make(&traces, NULL);
    line = analysed_line(&result, NODE_REDUCE);
    CU_ASSERT_EQUAL_FATAL(line->size_count, 7); /* 1, 2, 4, … 64 */
    for (size_t i = 0; i < line->size_count; i++) {
        CU_ASSERT_EQUAL(line->sizes[i].bytes, UINT64_C(1) << i);
        messages += line->sizes[i].messages;
        transfer_ns += line->sizes[i].transfer_ns;
    }
    CU_ASSERT_EQUAL(line->sizes[1].messages, 1);
    CU_ASSERT_EQUAL(line->sizes[2].messages, 3); /* 3, 4, 5 */
    CU_ASSERT_EQUAL(messages, 70);
    CU_ASSERT_EQUAL(transfer_ns, line->transfer_ns);
    analysed_release(&result, &traces);
}

static void recording__has_a_cost(void)
{
    struct traces traces;
    struct analysed result;

    analysed_open(&traces, 1);
    for (uint32_t k = 0; k < 500; k++)
        analysed_call(&traces, 0, 100 * k, 100 * k + 50, WM_BARRIER, NODE_ALL, -1, k);
    result = analysed_make(&traces, NULL);
    CU_ASSERT_TRUE(result.analysis->own_ns > 0);
    analysed_release(&result, &traces);
}

static void define_statement(struct traces *traces, int rank, int number, int line, const char *carried)
{
    traces_define(traces->recorders[rank],
                  json_pack("{ss si ss ss ss si ss}", "define", "statement", "statement", number, "name", "halo",
                            "text", "halo: x <<= y", "file", "src/jacobi.c", "line", line, "carried", carried));
}

/* Within two wrappers. */
static void make_statement(struct traces *traces, int rank, int64_t at_ns, int64_t ns, int number, uint32_t sequence)
{
    analysed_enter(traces, rank, at_ns, WM_STATEMENT, NODE_ALL, number, sequence);
    analysed_enter(traces, rank, at_ns, WM_STATEMENT, NODE_INNER, number, sequence);
    traces_put(traces, rank, at_ns + ns, WM_TRACE_STATEMENT, 0, NODE_ALL, number, sequence, (uint64_t)ns);
    analysed_leave(traces, rank, at_ns + ns, WM_STATEMENT, NODE_INNER, number, sequence);
    analysed_leave(traces, rank, at_ns + ns, WM_STATEMENT, NODE_ALL, number, sequence);
}

/* Numbers are each rank's own; a leave (of 64 bytes) counts behind its statement alone. */
static void statements__add_up_by_line_over_ranks(void)
{
    struct traces traces;
    struct analysed result;
    const struct wm_statement_row *rows;

    analysed_open(&traces, 2);
    define_statement(&traces, 0, 1, 81, "global");
    define_statement(&traces, 0, 2, 81, "bcast");
    define_statement(&traces, 0, 3, 99, "global"); /* made by nobody */
    define_statement(&traces, 1, 7, 81, "bcast");
    define_statement(&traces, 1, 8, 81, "global");
    define_statement(&traces, 1, 9, 81, "global"); /* on another communicator */
    make_statement(&traces, 0, 0, 100, 1, 0);
    make_statement(&traces, 1, 50, 300, 8, 0);
    make_statement(&traces, 1, 400, 20, 9, 1);
    make_statement(&traces, 0, 500, 10, 2, 2);
    make_statement(&traces, 1, 500, 10, 7, 2);
    make_statement(&traces, 0, 600, 10, 4, 3); /* defined by nobody */
    analysed_leave(&traces, 1, 700, WM_STATEMENT, NODE_ALL, 8, 4);
    result = analysed_report(&traces);
    rows = result.analysis->statements->rows;
    CU_ASSERT_EQUAL_FATAL(result.analysis->statements->count, 2);
    CU_ASSERT_EQUAL(result.analysis->statements->unknown, 1);
    CU_ASSERT_STRING_EQUAL(rows[0].definition->carried, "global");
    CU_ASSERT_EQUAL(rows[0].calls, 3);
    CU_ASSERT_EQUAL(rows[0].ranks, 2);
    CU_ASSERT_EQUAL(rows[0].bytes, 3 * 64);
    CU_ASSERT_EQUAL(rows[0].time_ns, 420);
    CU_ASSERT_EQUAL(rows[0].max_ns, 300);
    CU_ASSERT_EQUAL(rows[0].max_rank, 1);
    CU_ASSERT_EQUAL(rows[0].node, NODE_ALL);
    CU_ASSERT_STRING_EQUAL(rows[1].definition->carried, "bcast");
    CU_ASSERT_EQUAL(rows[1].calls, 2);
    CU_ASSERT_EQUAL(rows[1].bytes, 2 * 64);
    CU_ASSERT_EQUAL(result.analysis->mismatch.instances, 0);
    analysed_expect(&result, "jacobi.c:81  global   cluster.scm:3      3  420 ns");
    analysed_release(&result, &traces);
}

static void define_superblock(struct traces *traces, int rank, int number, const char *name)
{
    traces_define(traces->recorders[rank],
                  json_pack("{ss si ss}", "define", "superblock", "superblock", number, "name", name));
}

static void region(struct traces *traces, int rank, int64_t at_ns, int number, enum wm_trace_region place, uint64_t ns)
{
    enum { TAG = 77 };

    wm_record_at(traces->rings[rank], traces->base_ns + (uint64_t)at_ns, WM_TRACE_REGION, (uint8_t)place, 0,
                 (uint32_t)number, place == WM_TRACE_REGION_IDLE ? 1 : -1, TAG, ns);
}

/* With times from the first one on. */
static int note_interval(void *with, const struct wm_region_interval *interval)
{
    static int64_t first_ns;
    char *text = with, *at = text + strlen(text);

    if (at == text)
        first_ns = interval->begin_ns;
    snprintf(at, 256 - (size_t)(at - text), "%s%zu %d-%d ", wm_trace_region_name(interval->place), interval->superblock,
             (int)(interval->begin_ns - first_ns), (int)(interval->end_ns - first_ns));
    return 0;
}

/* Of one that has another inside, and that itself: pairs, times and waits of each; what is lost or wrong. */
static void superblocks__add_up_regions_by_name(void)
{
    struct traces traces;
    struct analysed result;
    const struct wm_superblock_row *rows;
    char text[256] = "";

    analysed_open(&traces, 2);
    define_superblock(&traces, 0, 0, "outer");
    define_superblock(&traces, 0, 3, "inner");
    define_superblock(&traces, 0, 2, "damaged"); /* numbers ascend */
    define_superblock(&traces, 1, 1, "outer");
    region(&traces, 0, 1000, 0, WM_TRACE_REGION_BEGIN, 0);
    region(&traces, 0, 1000, 0, WM_TRACE_REGION_RECEIVE, 0);
    region(&traces, 0, 1100, 0, WM_TRACE_REGION_WAIT, 0);
    region(&traces, 0, 1300, 0, WM_TRACE_REGION_IDLE, 150);
    region(&traces, 0, 1300, 0, WM_TRACE_REGION_COMPUTE, 0);
    region(&traces, 0, 2300, 3, WM_TRACE_REGION_BEGIN, 0);
    region(&traces, 0, 2300, 3, WM_TRACE_REGION_COMPUTE, 0);
    region(&traces, 0, 2400, 3, WM_TRACE_REGION_BEGIN, 0); /* itself */
    region(&traces, 0, 2450, 3, WM_TRACE_REGION_END, 0);
    region(&traces, 0, 2500, 3, WM_TRACE_REGION_END, 150);
    region(&traces, 0, 2600, 0, WM_TRACE_REGION_UNPACK, 1100); /* no pair: it goes on to compute */
    region(&traces, 0, 2700, 0, WM_TRACE_REGION_END, 100);
    region(&traces, 0, 2800, 9, WM_TRACE_REGION_SEND, 0);                 /* defined by nobody */
    region(&traces, 0, 2800, 0, WM_TRACE_REGION_SEND, UINT64_C(1) << 60); /* longer than the run */
    region(&traces, 0, 2800, 0, WM_TRACE_REGION_PLACES, 0);               /* nowhere */
    region(&traces, 1, 1500, 1, WM_TRACE_REGION_COMPUTE, 0);              /* its begin is lost */
    region(&traces, 1, 2500, 1, WM_TRACE_REGION_END, 1000);
    result = analysed_report(&traces);
    rows = result.analysis->superblocks->rows;
    CU_ASSERT_EQUAL_FATAL(result.analysis->superblocks->count, 2);
    CU_ASSERT_EQUAL(result.analysis->superblocks->unknown, 3);
    CU_ASSERT_STRING_EQUAL(rows[0].name, "outer");
    CU_ASSERT_EQUAL(rows[0].ranks, 2);
    CU_ASSERT_EQUAL(rows[0].times.pairs, 2);
    CU_ASSERT_EQUAL(rows[0].times.compute_ns, 2200);
    CU_ASSERT_EQUAL(rows[0].times.idle_ns, 150);
    CU_ASSERT_EQUAL(rows[0].times.late_rank, 0);
    CU_ASSERT_EQUAL(rows[0].times.late_peer, 1);
    CU_ASSERT_EQUAL(rows[0].times.late_tag, 77);
    CU_ASSERT_EQUAL(rows[0].wait_ns, 200);
    CU_ASSERT_EQUAL(rows[1].times.pairs, 1);
    CU_ASSERT_EQUAL(rows[1].times.compute_ns, 150);
    CU_ASSERT_EQUAL(wm_superblock_intervals(result.analysis->superblocks, result.trace, 0, note_interval, text), 0);
    CU_ASSERT_STRING_EQUAL(text, "receive0 0-100 wait0 100-300 compute0 300-1300 compute1 1300-1400 "
                                 "compute1 1450-1500 compute0 1500-1600 unpack0 1600-1700 ");
    analysed_expect(&result, "outer           2             2           1        100 ns");
    analysed_expect(&result,
                    "'outer': most of that is one message, of rank 0 from rank 1 with tag 77; look why it came late.");
    analysed_release(&result, &traces);
}

static void spread__sorts_many_values(void)
{
    struct wm_spread spread = {0};
    uint64_t random = 1;

    for (int i = 0; i < 5000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        CU_ASSERT_EQUAL(wm_spread_add(&spread, (int64_t)random >> (i % 40)), 0);
    }
    wm_spread_at(&spread, 50);
    for (size_t i = 1; i < spread.count; i++)
        if (spread.values[i - 1] > spread.values[i])
            CU_FAIL("not sorted");
    wm_spread_release(&spread);
}

static const struct check_case cases[] = {
    CASE(spreads__are_of_instances_and_of_regions),
    CASE(waits__below_the_clocks_bounds_are_unresolved),
    CASE(floors__are_of_the_calm_calls),
    CASE(floors__differ_by_size),
    CASE(efficiencies__are_pops),
    CASE(imbalance__is_of_time_without_waits),
    CASE(flights__overlap_what_the_program_does),
    CASE(dependencies__of_counted_forms_are_what_messages_show),
    CASE(dependencies__pass_from_stage_to_stage),
    CASE(dependencies__of_native_neighbors_are_unknown),
    CASE(levels__make_ranks_absent_and_not_late),
    CASE(levels__are_no_evidence_of_being_stuck),
    CASE(replay__shows_what_is_wanted_in_its_order),
    CASE(sizes__become_powers_of_two_when_there_are_many),
    CASE(recording__has_a_cost),
    CASE(statements__add_up_by_line_over_ranks),
    CASE(superblocks__add_up_regions_by_name),
    CASE(spread__sorts_many_values),
};

CHECK_MAIN("measures", cases)
