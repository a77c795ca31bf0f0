/* Critical paths and slack, on instances whose paths were worked out by hand. */
#include "tests/check.h"
#include "tests/tools/analysis/analysed.h"
#include "tools/analysis/critical.h"

enum { STEPS_MAX = 32 };

struct steps {
    size_t count;
    struct wm_critical_step steps[STEPS_MAX];
};

static void take_step(void *context, const struct wm_critical_step *step)
{
    struct steps *steps = context;

    CU_ASSERT_FATAL(steps->count < STEPS_MAX);
    steps->steps[steps->count++] = *step;
}

static int walk(void *context, const struct wm_instance *instance)
{
    struct steps *steps = context;

    steps->count = 0;
    CU_ASSERT_EQUAL(wm_critical_walk(instance, take_step, steps), steps->count);
    return 0;
}

/* Times of steps are those of the trace; its start is not base_ns. */
static int64_t base_of(const struct traces *traces, const struct analysed *analysed)
{
    return (int64_t)(traces->base_ns - analysed->trace->ranks[0].start.monotonic_ns) +
           analysed->trace->ranks[0].start_ns;
}

static void expect_step(const struct steps *steps, size_t number, int64_t base_ns, int member, int node,
                        int64_t begin_ns, int64_t end_ns, bool message)
{
    const struct wm_critical_step *step = &steps->steps[number];

    CU_ASSERT_FATAL(number < steps->count);
    CU_ASSERT_EQUAL(step->member, member);
    CU_ASSERT_EQUAL(step->node, node);
    CU_ASSERT_EQUAL(step->begin_ns - base_ns, begin_ns);
    CU_ASSERT_EQUAL(step->end_ns - base_ns, end_ns);
    CU_ASSERT_EQUAL(step->message != NULL, message);
}

/* Rank 2 sends to 1, which combines and sends to 0, which combines; 3 comes last, sends to 0 early enough, and is not
 * on the path. */
static void put_tree(struct traces *traces)
{
    const int all = WM_REDUCE;

    for (int i = 0; i < 4; i++)
        analysed_enter(traces, i, (int64_t[]){0, 100, 200, 300}[i], all, NODE_ALL, 0, 0);
    traces_put(traces, 0, 20, WM_TRACE_RECV_POST, 0, NODE_REDUCE, 1, 0, WM_TRACE_EDGE(0, 64));
    traces_put(traces, 0, 20, WM_TRACE_RECV_POST, 0, NODE_REDUCE, 3, 0, WM_TRACE_EDGE(0, 64));
    traces_put(traces, 0, 400, WM_TRACE_RECV_DONE, 0, NODE_REDUCE, 3, 0, WM_TRACE_EDGE(0, 64));
    traces_put(traces, 0, 900, WM_TRACE_RECV_DONE, 0, NODE_REDUCE, 1, 0, WM_TRACE_EDGE(0, 64));
    traces_put(traces, 0, 980, WM_TRACE_REDUCE, 0, NODE_REDUCE, -1, 0, 70);
    analysed_leave(traces, 0, 1000, all, NODE_ALL, 0, 0);

    analysed_receive(traces, 1, 110, 600, NODE_NODE, 2, 0, WM_TRACE_EDGE(0, 64));
    traces_put(traces, 1, 680, WM_TRACE_REDUCE, 0, NODE_NODE, -1, 0, 80);
    analysed_send(traces, 1, 700, 720, NODE_REDUCE, 0, 0, WM_TRACE_EDGE(0, 64));
    analysed_leave(traces, 1, 730, all, NODE_ALL, 0, 0);

    analysed_send(traces, 2, 250, 260, NODE_NODE, 1, 0, WM_TRACE_EDGE(0, 64));
    analysed_leave(traces, 2, 270, all, NODE_ALL, 0, 0);
    analysed_send(traces, 3, 310, 320, NODE_REDUCE, 0, 0, WM_TRACE_EDGE(0, 64));
    analysed_leave(traces, 3, 330, all, NODE_ALL, 0, 0);
}

static void path__goes_from_sender_to_sender(void)
{
    struct steps steps = {0};
    struct wm_observer observer = {&steps, NULL, walk};
    struct traces traces;
    struct analysed result;
    int64_t base_ns;

    analysed_open(&traces, 4);
    put_tree(&traces);
    result = analysed_make(&traces, &observer);
    base_ns = base_of(&traces, &result);
    CU_ASSERT_EQUAL_FATAL(steps.count, 8);
    expect_step(&steps, 0, base_ns, 0, NODE_ALL, 980, 1000, false);
    expect_step(&steps, 1, base_ns, 0, NODE_REDUCE, 910, 980, false);
    expect_step(&steps, 2, base_ns, 0, NODE_ALL, 900, 910, false);
    expect_step(&steps, 3, base_ns, 0, NODE_REDUCE, 700, 900, true);
    expect_step(&steps, 4, base_ns, 1, NODE_ALL, 680, 700, false);
    expect_step(&steps, 5, base_ns, 1, NODE_NODE, 600, 680, false);
    expect_step(&steps, 6, base_ns, 1, NODE_NODE, 250, 600, true);
    expect_step(&steps, 7, base_ns, 2, NODE_ALL, 200, 250, false);
    CU_ASSERT_EQUAL(result.analysis->path_count, 1);
    CU_ASSERT_EQUAL(result.analysis->path_last_on, 0);
    CU_ASSERT_EQUAL(result.analysis->path_ns, 800);
    CU_ASSERT_EQUAL(analysed_line(&result, NODE_ALL)->critical_ns, 20 + 10 + 20 + 50);
    CU_ASSERT_EQUAL(analysed_line(&result, NODE_REDUCE)->critical_ns, 70 + 200);
    CU_ASSERT_EQUAL(analysed_line(&result, NODE_NODE)->critical_ns, 80 + 350);
    CU_ASSERT_EQUAL(analysed_line(&result, NODE_NODE)->critical, 1);
    CU_ASSERT_EQUAL(analysed_edge(&result, NODE_REDUCE, 1, 0)->critical, 1);
    CU_ASSERT_EQUAL(analysed_edge(&result, NODE_REDUCE, 1, 0)->critical_ns, 200);
    CU_ASSERT_EQUAL(analysed_edge(&result, NODE_REDUCE, 3, 0)->critical, 0);
    CU_ASSERT_EQUAL(analysed_edge(&result, NODE_REDUCE, 3, 0)->instances, 1);
    analysed_release(&result, &traces);
}

static void slack__is_how_much_later_a_message_might_have_come(void)
{
    struct traces traces;
    struct analysed result;
    struct wm_edge_cost *edge;

    analysed_open(&traces, 4);
    put_tree(&traces);
    result = analysed_make(&traces, NULL);
    edge = analysed_edge(&result, NODE_REDUCE, 3, 0);
    CU_ASSERT_EQUAL(edge->slack_ns.count, 1);
    CU_ASSERT_EQUAL(wm_spread_at(&edge->slack_ns, 50), 510); /* rank 0 works from 910 on */
    CU_ASSERT_EQUAL(edge->propagation_ns, 90);
    CU_ASSERT_EQUAL(wm_spread_at(&analysed_edge(&result, NODE_REDUCE, 1, 0)->slack_ns, 50), 10);
    CU_ASSERT_EQUAL(wm_spread_at(&analysed_edge(&result, NODE_NODE, 2, 1)->slack_ns, 50), 0);
    analysed_release(&result, &traces);
}

/* The message was there before rank 0 came for it: nothing was waited for, but it might have come 410 ns later. */
static void path__stays_where_the_message_had_come(void)
{
    struct steps steps = {0};
    struct wm_observer observer = {&steps, NULL, walk};
    struct traces traces;
    struct analysed result;
    int64_t base_ns;

    analysed_open(&traces, 2);
    analysed_enter(&traces, 0, 500, WM_REDUCE, NODE_ALL, 0, 0);
    analysed_receive(&traces, 0, 510, 530, NODE_REDUCE, 1, 0, WM_TRACE_EDGE(0, 64));
    analysed_leave(&traces, 0, 540, WM_REDUCE, NODE_ALL, 0, 0);
    analysed_enter(&traces, 1, 90, WM_REDUCE, NODE_ALL, 0, 0);
    analysed_send(&traces, 1, 100, 110, NODE_REDUCE, 0, 0, WM_TRACE_EDGE(0, 64));
    analysed_leave(&traces, 1, 120, WM_REDUCE, NODE_ALL, 0, 0);
    result = analysed_make(&traces, &observer);
    base_ns = base_of(&traces, &result);
    CU_ASSERT_EQUAL_FATAL(steps.count, 3);
    expect_step(&steps, 0, base_ns, 0, NODE_ALL, 530, 540, false);
    expect_step(&steps, 1, base_ns, 0, NODE_REDUCE, 510, 530, false);
    expect_step(&steps, 2, base_ns, 0, NODE_ALL, 500, 510, false);
    CU_ASSERT_EQUAL(result.analysis->path_last_on, 1);
    CU_ASSERT_EQUAL(wm_spread_at(&analysed_edge(&result, NODE_REDUCE, 1, 0)->slack_ns, 50), 10 + 410);
    analysed_release(&result, &traces);
}

static void path__of_a_native_call_is_the_last_to_arrive(void)
{
    struct steps steps = {0};
    struct wm_observer observer = {&steps, NULL, walk};
    struct traces traces;
    struct analysed result;
    int64_t base_ns;

    analysed_open(&traces, 3);
    analysed_call(&traces, 0, 0, 1000, WM_ALLREDUCE, 0, -1, 0);
    analysed_call(&traces, 1, 100, 1010, WM_ALLREDUCE, 0, -1, 0);
    analysed_call(&traces, 2, 700, 990, WM_ALLREDUCE, 0, -1, 0);
    result = analysed_make(&traces, &observer);
    base_ns = base_of(&traces, &result);
    CU_ASSERT_EQUAL_FATAL(steps.count, 2);
    expect_step(&steps, 0, base_ns, 1, 0, 700, 1010, false);
    expect_step(&steps, 1, base_ns, 2, 0, 700, 700, false);
    CU_ASSERT_EQUAL(result.analysis->path_last_on, 1);
    CU_ASSERT_EQUAL(result.analysis->path_ns, 310);
    analysed_release(&result, &traces);
}

/* Of a broadcast the leaves wait for the root, and not for each other: rank 2 came last, but leaves first. */
static void path__of_a_native_broadcast_goes_to_the_root(void)
{
    struct steps steps = {0};
    struct wm_observer observer = {&steps, NULL, walk};
    struct traces traces;
    struct analysed result;

    analysed_open(&traces, 3);
    analysed_call(&traces, 0, 300, 500, WM_BCAST, 0, 0, 0);
    analysed_call(&traces, 1, 100, 600, WM_BCAST, 0, 0, 0);
    analysed_call(&traces, 2, 400, 450, WM_BCAST, 0, 0, 0);
    result = analysed_make(&traces, &observer);
    CU_ASSERT_EQUAL_FATAL(steps.count, 2);
    expect_step(&steps, 1, base_of(&traces, &result), 0, 0, 300, 300, false);
    CU_ASSERT_EQUAL(result.analysis->path_last_on, 0);
    CU_ASSERT_EQUAL(result.analysis->path_ns, 300);
    analysed_release(&result, &traces);
}

/* Time in shared memory is the rank's own; inside an inner wrapper the rest is that wrapper's. */
static void path__gives_local_time_to_works_and_to_the_innermost(void)
{
    struct steps steps = {0};
    struct wm_observer observer = {&steps, NULL, walk};
    struct traces traces;
    struct analysed result;
    int64_t base_ns;

    analysed_open(&traces, 1);
    analysed_enter(&traces, 0, 0, WM_ALLREDUCE, NODE_ALL, -1, 0);
    analysed_enter(&traces, 0, 100, WM_ALLREDUCE, NODE_INNER, -1, 0);
    traces_put(&traces, 0, 250, WM_TRACE_SHARED, 0, NODE_NODE, -1, 0, 100);
    analysed_leave(&traces, 0, 300, WM_ALLREDUCE, NODE_INNER, -1, 0);
    analysed_leave(&traces, 0, 400, WM_ALLREDUCE, NODE_ALL, -1, 0);
    result = analysed_make(&traces, &observer);
    base_ns = base_of(&traces, &result);
    CU_ASSERT_EQUAL_FATAL(steps.count, 5);
    expect_step(&steps, 0, base_ns, 0, NODE_ALL, 300, 400, false);
    expect_step(&steps, 1, base_ns, 0, NODE_INNER, 250, 300, false);
    expect_step(&steps, 2, base_ns, 0, NODE_NODE, 150, 250, false);
    expect_step(&steps, 3, base_ns, 0, NODE_INNER, 100, 150, false);
    expect_step(&steps, 4, base_ns, 0, NODE_ALL, 0, 100, false);
    CU_ASSERT_EQUAL(analysed_line(&result, NODE_INNER)->exclusive_by_rank[0], 100);
    CU_ASSERT_EQUAL(analysed_line(&result, NODE_ALL)->exclusive_by_rank[0], 200);
    CU_ASSERT_EQUAL(analysed_line(&result, NODE_NODE)->exclusive_by_rank[0], 100);
    analysed_release(&result, &traces);
}

static const struct check_case cases[] = {
    CASE(path__goes_from_sender_to_sender),
    CASE(slack__is_how_much_later_a_message_might_have_come),
    CASE(path__stays_where_the_message_had_come),
    CASE(path__of_a_native_call_is_the_last_to_arrive),
    CASE(path__of_a_native_broadcast_goes_to_the_root),
    CASE(path__gives_local_time_to_works_and_to_the_innermost),
};

CHECK_MAIN("critical", cases)
