/* Delay costs, floors, efficiencies, spreads and edge waits, on traces whose answers were worked out by hand. */
#include "tests/check.h"
#include "tests/tools/analysis/analysed.h"

/* The cost of a delay: of `rank`, waited for on `node`, with a cause; 0 where there is none. */
static struct wm_delay delay_of(const struct analysed *result, int rank, int node, bool computing, int cause_node)
{
    for (size_t i = 0; i < result->analysis->delay_count; i++) {
        const struct wm_delay *delay = &result->analysis->delays[i];

        if (delay->rank == rank && delay->node == node && delay->computing == computing &&
            (computing || delay->cause_node == cause_node))
            return *delay;
    }
    return (struct wm_delay){.rank = -1};
}

static int64_t cost_of_all(const struct analysed *result, int node)
{
    int64_t cost_ns = 0;

    for (size_t i = 0; i < result->analysis->delay_count; i++)
        if (result->analysis->delays[i].node == node)
            cost_ns += result->analysis->delays[i].cost_ns;
    return cost_ns;
}

/* After a barrier rank 1 computes 300 longer than the mean of the others, and is 100 longer in a call of its own
 * communicator (here: sequence 1, of which it alone has a record). Then the two others wait for it. */
static void delays__share_waits_by_excess(void)
{
    struct traces traces;
    struct analysed result;
    struct wm_delay computing, calling;

    analysed_open(&traces, 3);
    for (int i = 0; i < 3; i++)
        analysed_call(&traces, i, 0, 1000, WM_BARRIER, 0, -1, 0);
    analysed_call(&traces, 1, 1100, 1200, WM_ALLREDUCE, NODE_INNER, -1, 1);
    analysed_call(&traces, 0, 1200, 1500, WM_ALLREDUCE, NODE_ALL, -1, 2);
    analysed_call(&traces, 1, 1500, 1500, WM_ALLREDUCE, NODE_ALL, -1, 2);
    analysed_call(&traces, 2, 1000, 1600, WM_ALLREDUCE, NODE_ALL, -1, 2);
    result = analysed_make(&traces, NULL);
    CU_ASSERT_EQUAL(analysed_line(&result, NODE_ALL)->late_ns, 300 + 500);
    computing = delay_of(&result, 1, NODE_ALL, true, 0);
    calling = delay_of(&result, 1, NODE_ALL, false, NODE_INNER);
    CU_ASSERT_EQUAL(computing.excess_ns, 300); /* 400, where the others' mean is 100 */
    CU_ASSERT_EQUAL(computing.cost_ns, 600);
    CU_ASSERT_EQUAL(computing.instances, 1);
    CU_ASSERT_EQUAL(calling.excess_ns, 100);
    CU_ASSERT_EQUAL(calling.cost_ns, 200);
    CU_ASSERT_EQUAL(calling.cause_operation, WM_ALLREDUCE);
    CU_ASSERT_EQUAL(result.analysis->delays[0].cost_ns, 600); /* the dearest first */
    analysed_release(&result, &traces);
}

/* What a rank did before the last call that synchronised it is paid for. A broadcast synchronises who waited. */
static void delays__begin_at_the_last_synchronisation(void)
{
    struct traces traces;
    struct analysed result;

    analysed_open(&traces, 2);
    analysed_call(&traces, 0, 0, 5000, WM_BCAST, NODE_ALL, 1, 0); /* rank 1 computes 4900 */
    analysed_call(&traces, 1, 4900, 5000, WM_BCAST, NODE_ALL, 1, 0);
    analysed_call(&traces, 1, 5100, 5800, WM_BARRIER, NODE_INNER, -1, 7); /* rank 1 alone: as if on its own */
    analysed_call(&traces, 0, 5100, 6000, WM_ALLREDUCE, NODE_REDUCE, -1, 8);
    analysed_call(&traces, 1, 5900, 6000, WM_ALLREDUCE, NODE_REDUCE, -1, 8);
    result = analysed_make(&traces, NULL);
    CU_ASSERT_EQUAL(delay_of(&result, 1, NODE_ALL, true, 0).cost_ns, 4900);
    CU_ASSERT_EQUAL(delay_of(&result, 1, NODE_REDUCE, true, 0).excess_ns, 100); /* 100 and 100, against 100 */
    CU_ASSERT_EQUAL(delay_of(&result, 1, NODE_REDUCE, true, 0).cost_ns, 100);
    CU_ASSERT_EQUAL(delay_of(&result, 1, NODE_REDUCE, false, NODE_INNER).cost_ns, 700);
    CU_ASSERT_EQUAL(cost_of_all(&result, NODE_REDUCE), 800);
    analysed_release(&result, &traces);
}

/* Rank 1 comes late since it left the barrier late: there it was too long. */
static void delays__of_who_left_late_are_of_that_call(void)
{
    struct traces traces;
    struct analysed result;
    struct wm_delay delay;

    analysed_open(&traces, 2);
    analysed_call(&traces, 0, 0, 100, WM_BARRIER, 0, -1, 0);
    analysed_call(&traces, 1, 0, 600, WM_BARRIER, 0, -1, 0);
    analysed_call(&traces, 0, 150, 700, WM_ALLREDUCE, NODE_ALL, -1, 1);
    analysed_call(&traces, 1, 650, 700, WM_ALLREDUCE, NODE_ALL, -1, 1);
    result = analysed_make(&traces, NULL);
    delay = delay_of(&result, 1, NODE_ALL, false, 0);
    CU_ASSERT_EQUAL(delay.cost_ns, 500);
    CU_ASSERT_EQUAL(delay.excess_ns, 500);
    analysed_release(&result, &traces);
}

/* Rank 1 was not recorded for 600 of the 700 that it was away: that is not known to be computing. */
static void delays__do_not_blame_what_was_not_recorded(void)
{
    struct traces traces;
    struct analysed result;
    struct wm_delay delay;

    analysed_open(&traces, 2);
    for (int i = 0; i < 2; i++)
        analysed_call(&traces, i, 0, 100, WM_BARRIER, 0, -1, 0);
    traces_put(&traces, 1, 110, WM_TRACE_LEVEL, WM_TRACE_OFF, 0, -1, 0, 0);
    traces_put(&traces, 1, 710, WM_TRACE_LEVEL, WM_TRACE_CALLS, 0, -1, 0, 0);
    analysed_call(&traces, 0, 140, 900, WM_ALLREDUCE, NODE_ALL, -1, 1);
    analysed_call(&traces, 1, 800, 900, WM_ALLREDUCE, NODE_ALL, -1, 1);
    result = analysed_make(&traces, NULL);
    delay = delay_of(&result, 1, NODE_ALL, true, 0);
    CU_ASSERT_EQUAL(delay.cost_ns, 660);
    CU_ASSERT_EQUAL(delay.excess_ns, 100 - 40);
    analysed_release(&result, &traces);
}

static void edges__tell_late_senders_from_late_receivers(void)
{
    struct traces traces;
    struct analysed result;
    struct wm_edge_cost *edge;
    struct wm_line *line;

    analysed_open(&traces, 2);
    for (int i = 0; i < 2; i++)
        analysed_enter(&traces, i, 0, WM_ALLREDUCE, NODE_ALL, -1, 0);
    analysed_receive(&traces, 0, 10, 200, NODE_REDUCE, 1, 0, WM_TRACE_EDGE(0, 8)); /* waits 90 for the sender */
    analysed_send(&traces, 1, 100, 110, NODE_REDUCE, 0, 0, WM_TRACE_EDGE(0, 8));
    analysed_receive(&traces, 0, 500, 700, NODE_REDUCE, 1, 0, WM_TRACE_EDGE(1, 4096));
    analysed_send(&traces, 1, 300, 690, NODE_REDUCE, 0, 0, WM_TRACE_EDGE(1, 4096)); /* waits 200 for the receiver */
    analysed_receive(&traces, 0, 900, 950, NODE_REDUCE, 1, 0, WM_TRACE_EDGE(2, 8));
    analysed_send(&traces, 1, 800, 820, NODE_REDUCE, 0, 0, WM_TRACE_EDGE(2, 8)); /* over before: waits for nobody */
    for (int i = 0; i < 2; i++)
        analysed_leave(&traces, i, 1000, WM_ALLREDUCE, NODE_ALL, -1, 0);
    result = analysed_make(&traces, NULL);
    edge = analysed_edge(&result, NODE_REDUCE, 1, 0);
    CU_ASSERT_EQUAL(edge->late_sender_ns, 90);
    CU_ASSERT_EQUAL(edge->late_receiver_ns, 200);
    CU_ASSERT_EQUAL(edge->wait_ns, 290);
    CU_ASSERT_EQUAL(edge->transfer_ns, 100 + 10 + 200 + 190 + 50 + 20);
    CU_ASSERT_EQUAL(edge->propagation_ns, 100 + 400 + 150);
    CU_ASSERT_EQUAL(edge->instances, 1);
    line = analysed_line(&result, NODE_REDUCE);
    CU_ASSERT_EQUAL_FATAL(line->size_count, 2);
    CU_ASSERT_EQUAL(line->sizes[0].bytes, 8);
    CU_ASSERT_EQUAL(line->sizes[0].messages, 2);
    CU_ASSERT_EQUAL(line->sizes[0].late_sender_ns, 90);
    CU_ASSERT_EQUAL(line->sizes[0].late_receiver_ns, 0);
    CU_ASSERT_EQUAL(line->sizes[0].transfer_ns, 100 + 10 + 50 + 20);
    CU_ASSERT_EQUAL(line->sizes[1].bytes, 4096);
    CU_ASSERT_EQUAL(line->sizes[1].late_receiver_ns, 200);
    CU_ASSERT_EQUAL(line->sizes[1].transfer_ns, 390);
    analysed_release(&result, &traces);
}

static const struct check_case cases[] = {
    CASE(delays__share_waits_by_excess),
    CASE(delays__begin_at_the_last_synchronisation),
    CASE(delays__of_who_left_late_are_of_that_call),
    CASE(delays__do_not_blame_what_was_not_recorded),
    CASE(edges__tell_late_senders_from_late_receivers),
};

CHECK_MAIN("delays", cases)
