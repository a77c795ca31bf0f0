/* Shared steps: what each member gives and gets, what they wait for, where they give way to messages; nets of messages.
 */
#include <stdarg.h>
#include <string.h>
#include "core/plan/planner.h"
#include "tests/check.h"
#include "tests/fixture.h"

enum { TEXT_CHARS = 2048 };

static void add(char *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + strlen(text), TEXT_CHARS - strlen(text), format, arguments);
    va_end(arguments);
}

static void add_range(char *text, struct wm_ref at, size_t count)
{
    if (at.buffer < WM_BUFFER_TEMPORARY)
        add(text, " %c%zux%zu", "SR"[at.buffer], at.offset, count);
    else
        add(text, " t%d.%zux%zu", at.buffer - WM_BUFFER_TEMPORARY, at.offset, count);
}

/* "reduce 0 1* 2 gives S0x4 gets R0x4": members, the root starred unless it is the first; what one neither gives nor
 * gets is not written. */
static void add_shared(char *text, const struct wm_shared *shared)
{
    struct wm_ref at;
    size_t count;

    add(text, "%s", wm_shared_name((enum wm_shared_kind)shared->kind));
    for (int i = 0; i < shared->size; i++)
        add(text, " %d%s", shared->members[i], i == shared->root && i > 0 ? "*" : "");
    add(text, " gives");
    for (int i = 0; i < shared->size; i++)
        if (wm_shared_gives(shared, i, &at, &count))
            add_range(text, at, count);
    add(text, " gets");
    for (int i = 0; i < shared->size; i++)
        if (wm_shared_gets(shared, i, &at, &count))
            add_range(text, at, count);
}

/* The steps with, in parentheses, those that each waits for. */
static void write_plan(const struct wm_plan *plan, char *text)
{
    text[0] = '\0';
    for (int s = 0; s < plan->step_count; s++) {
        const struct wm_step *step = &plan->steps[s];
        const char *open = " (";

        add(text, s > 0 ? "; " : "");
        if (step->kind == WM_STEP_SHARED)
            add_shared(text, &plan->shared[step->message]);
        else
            add(text, "%s", wm_step_name((enum wm_step_kind)step->kind));
        for (int e = 0; e < s; e++)
            for (int i = 0; i < plan->steps[e].successors; i++)
                if (plan->successors[plan->steps[e].first_successor + i] == s) {
                    add(text, "%s%d", open, e);
                    open = " ";
                }
        add(text, open[1] == '(' ? "" : ")");
    }
}

static struct wm_plan *make(const char *machine, const struct wm_plan_call *call, int rank, const char *wrappers)
{
    struct wm_error error = {0};
    struct wm_layout *layout;
    struct wm_plan *plan;
    struct wm_grid grid;
    struct wm_path *path;

    CU_ASSERT_FATAL(fixture_grid(&grid, machine));
    path = fixture_path(wrappers, call->operation, &grid, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    CU_ASSERT_EQUAL_FATAL(wm_layout_new(&layout, path, &grid, call->root, !call->commutative, &error), 0);
    CU_ASSERT_EQUAL_FATAL(wm_plan_make(&plan, path, layout, call, rank, &error), 0);
    wm_layout_free(layout);
    wm_path_free(path);
    wm_grid_release(&grid);
    return plan;
}

static void check_plan(const char *machine, struct wm_plan_call call, int rank, const char *wrappers,
                       const char *expected)
{
    struct wm_plan *plan = make(machine, &call, rank, wrappers);
    char text[TEXT_CHARS];

    write_plan(plan, text);
    CU_ASSERT_STRING_EQUAL(text, expected);
    if (strcmp(text, expected) != 0)
        printf("\n    got:      %s\n    expected: %s\n", text, expected);
    wm_plan_free(plan);
}

#define STAGE(name, axis, shape)                                                                                       \
    "{'wrapper': '" name "', 'arguments': [{'axis': '" axis "'}], 'keywords': {'shape': {'symbol': '" shape "'}}}"
#define SHARED(name, axis) STAGE(name, axis, "shared")
#define REMOTE(net, keywords) "{'wrapper': 'remote', 'arguments': [{'symbol': '" net "'}], 'keywords': {" keywords "}}"

static struct wm_plan_call whole(enum wm_operation operation, size_t count, int root)
{
    return (struct wm_plan_call){
        .operation = operation, .count = count, .unit_bytes = 8, .root = root, .commutative = true, .shared = true};
}

/* One block of each rank, `each` units, of an operation that gathers or deals out. */
static struct wm_plan_call blocks(enum wm_operation operation, int ranks, size_t each, int root, int rank)
{
    struct wm_blocks one = {.count = 1, .each = each}, all = {.count = ranks, .each = each}, none = {0};
    bool down = operation == WM_SCATTER;
    struct wm_plan_call call = {.operation = operation, .unit_bytes = 1, .root = root, .commutative = true};

    call.shared = true;
    call.data = all;
    call.send = down ? (rank == root ? all : none) : one;
    call.receive = down ? one : root < 0 || rank == root ? all : none;
    return call;
}

static void shared__an_allreduce_is_one_step(void)
{
    struct wm_plan_call call = whole(WM_ALLREDUCE, 4, -1);

    check_plan("core=3", call, 1, "[" SHARED("allreduce", "all") "]", "allreduce 0 1 2 gives S0x4 gets R0x4");
    call.in_place = true;
    check_plan("core=3", call, 2, "[" SHARED("allreduce", "all") "]", "allreduce 0 1 2 gives R0x4 gets R0x4");
}

static void shared__a_barrier_is_one_unit_of_no_bytes(void)
{
    struct wm_plan_call call = whole(WM_BARRIER, 1, -1);

    call.unit_bytes = 0;
    check_plan("core=2", call, 1, "[" SHARED("barrier", "all") "]", "allreduce 0 1 gives S0x1 gets R0x1");
    check_plan("core=2", call, 1, "[" SHARED("reduce", "all") "]",
               "reduce 0 1 gives S0x1 gets; bcast 0 1 gives gets R0x1");
}

static void shared__a_root_gets_what_the_others_give(void)
{
    struct wm_plan_call call = whole(WM_REDUCE, 4, 1);

    check_plan("core=3", call, 1, "[" SHARED("reduce", "all") "]", "reduce 0 1* 2 gives S0x4 gets R0x4");
    check_plan("core=3", call, 2, "[" SHARED("reduce", "all") "]", "reduce 0 1* 2 gives S0x4 gets");
    check_plan("core=3", whole(WM_BCAST, 4, 2), 2, "[" SHARED("bcast", "all") "]", "bcast 0 1 2* gives R0x4 gets");
    check_plan("core=3", whole(WM_BCAST, 4, 2), 0, "[" SHARED("bcast", "all") "]", "bcast 0 1 2* gives gets R0x4");
}

static void shared__blocks_go_from_and_to_where_the_user_has_them(void)
{
    check_plan("core=3", blocks(WM_GATHER, 3, 2, 1, 1), 1, "[" SHARED("gather", "all") "]",
               "gather 0 1* 2 gives gets R0x2 R4x2; copy");
    check_plan("core=3", blocks(WM_GATHER, 3, 2, 1, 2), 2, "[" SHARED("gather", "all") "]",
               "gather 0 1* 2 gives S0x2 gets");
    check_plan("core=3", blocks(WM_SCATTER, 3, 2, 1, 1), 1, "[" SHARED("scatter", "all") "]",
               "scatter 0 1* 2 gives S0x2 S4x2 gets; copy");
    check_plan("core=3", blocks(WM_SCATTER, 3, 2, 1, 0), 0, "[" SHARED("scatter", "all") "]",
               "scatter 0 1* 2 gives gets R0x2");
    check_plan("core=3", blocks(WM_ALLGATHER, 3, 2, -1, 1), 1, "[" SHARED("allgather", "all") "]",
               "allgather 0 1 2 gives S0x2 gets R0x2 R2x2 R4x2");
}

/* An allgather brings a share of its own to its place, where it has one apart. */
static void shared__an_allgather_keeps_what_is_its_own(void)
{
    struct wm_plan_call call = blocks(WM_ALLGATHER, 3, 2, -1, 1);

    call.in_place = true;
    check_plan("core=3", call, 1, "[" SHARED("allgather", "all") "]", "allgather 0 1 2 gives R2x2 gets R0x2 R4x2");
    check_plan("node=2,core=2,order=cyclic", blocks(WM_ALLGATHER, 4, 2, -1, 1), 1,
               "[" SHARED("allgather", "core") ", " STAGE("allgather", "node", "ring") "]",
               "allgather 1 3 gives S0x2 gets R2x2 R6x2; copy (0); send (1); recv; copy (3); copy (3)");
    check_plan("node=2,core=2,order=cyclic", blocks(WM_ALLGATHER, 4, 2, -1, 1), 1,
               "[" STAGE("allgather", "node", "ring") ", " SHARED("allgather", "core") "]",
               "send; recv; copy; allgather 1 3 gives R0x4 gets R4x4 (1 2)");
}

static void shared__an_alltoall_but_no_alltoallv(void)
{
    struct wm_plan_call call = blocks(WM_ALLTOALL, 4, 3, -1, 1);

    call.send.count = 4;
    check_plan("core=4", call, 1, "[" SHARED("alltoall", "all") "]",
               "alltoall 0 1 2 3 gives S0x3 S6x3 S9x3 gets R0x3 R6x3 R9x3; copy");
    call.operation = WM_ALLTOALLV;
    check_plan("core=4", call, 1, "[" SHARED("alltoall", "all") "]", "send; recv; send; recv; send; recv; copy");
}

/* The result of a reduce-scatter comes straight to its place, unless contributions stand there. */
static void shared__a_reduce_scatter_combines_shares(void)
{
    struct wm_plan_call call = blocks(WM_REDUCE_SCATTER, 3, 2, -1, 1);

    call.count = 6;
    call.unit_bytes = 8;
    call.receive.count = 1;
    check_plan("core=3", call, 1, "[" SHARED("reduce-scatter", "all") "]",
               "reduce-scatter 0 1 2 gives S0x2 S2x2 S4x2 gets R0x2");
    call.in_place = true;
    check_plan("core=3", call, 1, "[" SHARED("reduce-scatter", "all") "]",
               "reduce-scatter 0 1 2 gives R0x2 R2x2 R4x2 gets t0.2x2; copy (0)");
}

static void shared__a_scan_gives_to_those_behind_it(void)
{
    struct wm_plan_call scan = whole(WM_SCAN, 4, -1), exscan = whole(WM_EXSCAN, 4, -1);

    check_plan("core=3", scan, 0, "[" SHARED("scan", "all") "]", "scan 0 1 2 gives S0x4 gets R0x4");
    check_plan("core=3", scan, 2, "[" SHARED("scan", "all") "]", "scan 0 1 2 gives S0x4 gets R0x4");
    check_plan("core=3", exscan, 0, "[" SHARED("scan", "all") "]", "exscan 0 1 2 gives S0x4 gets");
    check_plan("core=3", exscan, 1, "[" SHARED("scan", "all") "]", "exscan 0 1 2 gives S0x4 gets R0x4");
    check_plan("core=3", exscan, 2, "[" SHARED("scan", "all") "]", "exscan 0 1 2 gives gets R0x4");
    scan.in_place = exscan.in_place = true;
    scan.commutative = exscan.commutative = false;
    check_plan("core=3", scan, 1, "[" SHARED("scan", "all") "]", "scan 0 1 2 gives R0x4 gets R0x4");
    check_plan("core=3", exscan, 1, "[" SHARED("scan", "all") "]", "exscan 0 1 2 gives R0x4 gets R0x4");
    scan.shared = false;
    check_plan("core=2", scan, 1, "[" SHARED("scan", "all") "]", "copy; recv; reduce (0 1)");
}

/* The last of a group fetches what the earlier groups hold; in an exclusive scan it needs its own once more. */
static void shared__totals_of_scans_go_on(void)
{
    static const char stages[] =
        "[{'wrapper': 'scan', 'arguments': [{'axis': 'core'}], 'keywords': "
        "{'shape': {'symbol': 'shared'}, 'out': {'symbol': 'shared'}}}, " STAGE("scan", "node", "chain") "]";
    struct wm_plan_call scan = whole(WM_SCAN, 4, -1), exscan = whole(WM_EXSCAN, 4, -1);

    exscan.in_place = true;
    check_plan("node=2,core=2", scan, 1, stages, "scan 0 1 gives S0x4 gets R0x4; send (0)");
    check_plan("node=2,core=2", scan, 3, stages,
               "scan 2 3 gives S0x4 gets R0x4; recv; bcast 2 3* gives t0.0x4 gets (1); reduce (0 1)");
    check_plan("node=2,core=2", exscan, 1, stages, "copy; exscan 0 1 gives gets R0x4 (0); reduce (0 1); send (2)");
    check_plan("node=2,core=2", exscan, 2, stages, "exscan 2 3 gives R0x4 gets; bcast 2 3* gives gets R0x4 (0)");
}

static void shared__the_way_out_waits_for_the_way_in(void)
{
    check_plan("core=2", whole(WM_ALLREDUCE, 4, -1), 0, "[" SHARED("reduce", "all") "]",
               "reduce 0 1 gives S0x4 gets R0x4; bcast 0 1 gives R0x4 gets (0)");
    check_plan("core=3", whole(WM_ALLREDUCE, 7, -1), 1, "[" SHARED("reduce-scatter", "all") "]",
               "reduce-scatter 0 1 2 gives S0x2 S2x2 S4x3 gets R2x2; "
               "allgather 0 1 2 gives R2x2 gets R0x2 R4x3 (0)");
    check_plan("core=2", whole(WM_BCAST, 5, 0), 1,
               "[{'wrapper': 'scatter', 'arguments': [{'axis': 'all'}], "
               "'keywords': {'shape': {'symbol': 'shared'}, 'out': {'symbol': 'shared'}}}]",
               "scatter 0 1 gives gets R2x3; allgather 0 1 gives R2x3 gets R0x2 (0)");
}

static void shared__leaders_alone_send_between_nodes(void)
{
    check_plan("node=2,core=2", whole(WM_ALLREDUCE, 4, -1), 0,
               "[" SHARED("reduce", "core") ", " STAGE("allreduce", "node", "butterfly") "]",
               "reduce 0 1 gives S0x4 gets R0x4; send (0); recv; reduce (0 1 2); bcast 0 1 gives R0x4 gets (3)");
    check_plan("node=2,core=2", whole(WM_ALLREDUCE, 4, -1), 3,
               "[" SHARED("reduce", "core") ", " STAGE("allreduce", "node", "butterfly") "]",
               "reduce 2 3 gives S0x4 gets; bcast 2 3 gives gets R0x4");
}

static void shared__pieces_are_steps_of_their_own(void)
{
    check_plan("core=2", whole(WM_BCAST, 5, 0), 1,
               "[{'wrapper': 'segment', 'arguments': [24], 'keywords': {'window': 1}}, " SHARED("bcast", "all") "]",
               "bcast 0 1 gives gets R0x3; join (0); bcast 0 1 gives gets R3x2 (1); join (2)");
}

static void shared__needs_units_of_somebody_and_more_than_one_member(void)
{
    check_plan("core=1", whole(WM_BCAST, 4, 0), 0, "[" SHARED("bcast", "all") "]", "");
    check_plan("core=3", whole(WM_BCAST, 0, 0), 0, "[" SHARED("bcast", "all") "]", "");
    /* Two units for three members: the first has none, and takes part. */
    check_plan("core=3", whole(WM_ALLREDUCE, 2, -1), 0, "[" SHARED("reduce-scatter", "all") "]",
               "reduce-scatter 0 1 2 gives S0x1 S1x1 gets; allgather 0 1 2 gives gets R0x1 R1x1");
}

static void shared__gives_way_to_the_default_shape(void)
{
    struct wm_plan_call call = whole(WM_ALLREDUCE, 4, -1), barred = call, large = call;

    barred.shared = false;
    check_plan("core=2", barred, 0, "[" SHARED("allreduce", "all") "]", "send; recv; reduce (1)");
    large.unit_bytes = WM_SHARED_UNIT_BYTES_MAX + 1;
    check_plan("core=2", large, 0, "[" SHARED("allreduce", "all") "]", "send; recv; reduce (1)");
    large.unit_bytes--;
    check_plan("core=2", large, 0, "[" SHARED("allreduce", "all") "]", "allreduce 0 1 gives S0x4 gets R0x4");
    check_plan("core=2", call, 0, "[" REMOTE("mpi", "") ", " SHARED("allreduce", "all") "]", "send; recv; reduce (1)");
}

/* Where ranks are dealt out round-robin, the members of a node are no neighbours. */
static void shared__keeps_the_order_of_an_operator_that_does_not_commute(void)
{
    struct wm_plan_call call = whole(WM_REDUCE, 4, 0);

    call.commutative = false;
    check_plan("node=2,core=2", call, 1, "[" SHARED("reduce", "core") ", " STAGE("reduce", "node", "flat") "]",
               "reduce 0 1 gives S0x4 gets");
    check_plan("node=2,core=2,order=cyclic", call, 2,
               "[" SHARED("reduce", "core") ", " STAGE("reduce", "node", "flat") "]", "send");
}

static void shared__steps_carry_fan_and_transport(void)
{
    struct wm_plan_call call = whole(WM_ALLREDUCE, 4, -1);
    struct wm_plan *plan = make(
        "core=4", &call, 1,
        "[" REMOTE("shm", "'chunk': 4096, 'copy': {'symbol': 'single'}") ", {'wrapper': 'allreduce', "
                                                                         "'arguments': [{'axis': 'all'}], 'keywords': "
                                                                         "{'shape': [{'symbol': 'shared'}, 3]}}]");

    CU_ASSERT_EQUAL_FATAL(plan->step_count, 1);
    CU_ASSERT_EQUAL(plan->steps[0].count, 4);
    CU_ASSERT_EQUAL(plan->steps[0].peer, -1);
    CU_ASSERT_EQUAL(plan->shared[0].fan, 3);
    CU_ASSERT_EQUAL_FATAL(plan->transport_count, 2);
    CU_ASSERT_EQUAL(plan->steps[0].transport, 1);
    CU_ASSERT_EQUAL(plan->transports[1].chunk_bytes, 4096);
    CU_ASSERT_EQUAL(plan->transports[1].eager_bytes, 0);
    CU_ASSERT_EQUAL(plan->transports[1].copy, WM_COPY_SINGLE);
    wm_plan_free(plan);
}

/* "0:shm/1 3:mpi/0": the peer, net and transport of each message of a rank. */
static void check_nets(const char *machine, int rank, const char *wrappers, const char *expected)
{
    struct wm_plan_call call = whole(WM_ALLREDUCE, 4, -1);
    struct wm_plan *plan = make(machine, &call, rank, wrappers);
    char text[TEXT_CHARS] = "";

    for (int s = 0; s < plan->step_count; s++)
        if (plan->steps[s].kind == WM_STEP_SEND || plan->steps[s].kind == WM_STEP_RECV)
            add(text, "%s%d:%s/%d", text[0] != '\0' ? " " : "", plan->steps[s].peer,
                plan->steps[s].net == WM_NET_SHM ? "shm" : "mpi", plan->steps[s].transport);
    CU_ASSERT_STRING_EQUAL(text, expected);
    if (strcmp(text, expected) != 0)
        printf("\n    got:      %s\n    expected: %s\n", text, expected);
    wm_plan_free(plan);
}

static void nets__are_shared_memory_within_a_node(void)
{
    static const char stages[] = "[" STAGE("reduce", "core", "flat") ", " STAGE("allreduce", "node", "butterfly") "]";

    check_nets("node=2,core=2", 0, stages, "1:shm/0 2:mpi/0 2:mpi/0 1:shm/0");
    check_nets("core=4", 0, "[" STAGE("allreduce", "all", "butterfly") "]", "1:shm/0 1:shm/0 2:shm/0 2:shm/0");
}

/* Both ways of the stages inside, and no stage before. */
static void nets__are_chosen_for_the_stages_inside(void)
{
    static const char outer[] =
        "[" REMOTE("mpi", "") ", " STAGE("reduce", "core", "flat") ", " STAGE("allreduce", "node", "butterfly") "]";
    static const char inner[] = "[" STAGE("reduce", "core", "flat") ", " REMOTE("mpi", "'eager': 64") ", " STAGE(
        "allreduce", "node", "butterfly") "]";
    static const char nested[] = "[" REMOTE("mpi", "'eager': 64") ", " STAGE("allreduce", "node", "flat") ", " REMOTE(
        "shm", "'eager': 128") ", " REMOTE("auto", "'eager': 64") ", " STAGE("reduce", "core", "flat") "]";

    check_nets("node=2,core=2", 0, outer, "1:mpi/0 2:mpi/0 2:mpi/0 1:mpi/0");
    check_nets("node=2,core=2", 0, inner, "1:shm/0 2:mpi/1 2:mpi/1 1:shm/0");
    check_nets("node=2,core=2", 0, nested, "2:mpi/1 2:mpi/1 1:shm/1 1:shm/1");
}

/* A stage on the way out of a remote's own stages is outside it again. */
static void nets__of_the_way_out_are_those_of_the_way_in(void)
{
    static const char stages[] =
        "[" STAGE("reduce", "core", "flat") ", " REMOTE("mpi", "") ", " STAGE("reduce", "node", "flat") "]";

    check_nets("node=2,core=2", 2, stages, "3:shm/0 0:mpi/0 0:mpi/0 3:shm/0");
}

static void shared__copies_stand_in_one_piece(void)
{
    const int members[] = {4, 2, 9};
    const struct wm_ref from[3] = {{0, 1}, {1, 2}, {2, 3}}, to[3] = {{3, 4}, {4, 5}, {5, 6}};
    const size_t counts[3] = {7, 8, 9};
    struct wm_shared step = {WM_SHARED_SCATTER, 3, 1, 0, 5, members, from, to, counts}, copy;

    CU_ASSERT_FATAL(wm_shared_copy(&copy, &step));
    CU_ASSERT(copy.kind == step.kind && copy.size == 3 && copy.self == 1 && copy.fan == 5);
    CU_ASSERT_PTR_NOT_EQUAL(copy.members, members);
    CU_ASSERT_EQUAL(memcmp(copy.members, members, sizeof members), 0);
    CU_ASSERT(copy.from[2].buffer == 2 && copy.from[2].offset == 3 && copy.to[0].buffer == 3);
    CU_ASSERT_EQUAL(memcmp(copy.counts, counts, sizeof counts), 0);
    CU_ASSERT((const char *)copy.from > (const char *)copy.members && copy.to == copy.from + 3);
    CU_ASSERT_EQUAL(wm_shared_units(&copy), 24);
    wm_shared_release(&copy);
    CU_ASSERT_PTR_NULL(copy.members);
}

static void call__with_shared_steps_is_another_than_one_without(void)
{
    struct wm_plan_call may = whole(WM_BCAST, 4, 0), may_not = may, copy;

    may_not.shared = false;
    CU_ASSERT(!wm_plan_call_equal(&may, &may_not));
    CU_ASSERT_NOT_EQUAL(wm_plan_call_hash(&may), wm_plan_call_hash(&may_not));
    CU_ASSERT_EQUAL_FATAL(wm_plan_call_copy(&copy, &may), 0);
    CU_ASSERT(wm_plan_call_equal(&may, &copy));
    wm_plan_call_release(&copy);
}

static const struct check_case cases[] = {
    CASE(shared__an_allreduce_is_one_step),
    CASE(shared__a_barrier_is_one_unit_of_no_bytes),
    CASE(shared__a_root_gets_what_the_others_give),
    CASE(shared__blocks_go_from_and_to_where_the_user_has_them),
    CASE(shared__an_alltoall_but_no_alltoallv),
    CASE(shared__a_reduce_scatter_combines_shares),
    CASE(shared__an_allgather_keeps_what_is_its_own),
    CASE(shared__a_scan_gives_to_those_behind_it),
    CASE(shared__totals_of_scans_go_on),
    CASE(shared__the_way_out_waits_for_the_way_in),
    CASE(shared__leaders_alone_send_between_nodes),
    CASE(shared__pieces_are_steps_of_their_own),
    CASE(shared__needs_units_of_somebody_and_more_than_one_member),
    CASE(shared__gives_way_to_the_default_shape),
    CASE(shared__keeps_the_order_of_an_operator_that_does_not_commute),
    CASE(shared__steps_carry_fan_and_transport),
    CASE(nets__are_shared_memory_within_a_node),
    CASE(nets__are_chosen_for_the_stages_inside),
    CASE(nets__of_the_way_out_are_those_of_the_way_in),
    CASE(shared__copies_stand_in_one_piece),
    CASE(call__with_shared_steps_is_another_than_one_without),
};

CHECK_MAIN("shared plans", cases)
