/* Tests of the simulation: small plans, timed by hand, to the picosecond; and that the blame adds up. */
#include <stdlib.h>
#include <string.h>
#include "tests/check.h"
#include "tests/fixture.h"
#include "tools/predict/blame.h"
#include "tools/predict/simulation.h"

enum { RANKS = 4, STEPS = 8, EDGES = 16 };

/* Plans under construction: units are bytes. */
static struct {
    struct wm_plan plans[RANKS], *of[RANKS];
    struct wm_step steps[RANKS][STEPS];
    int edges[RANKS][STEPS][STEPS], edge_counts[RANKS][STEPS]; /* successors */
    int successors[RANKS][EDGES], roots[RANKS][STEPS];
} t;

/* The parameters of all tests, in ps and fs a byte. */
enum {
    FLIGHT = 7,
    STEP = 10,
    POLL = 5,
    SEND = 100,
    LATENCY = 1000,
    RECEIVE = 50,
    BYTE = 10000, /* fs: 10 ps a byte */
    EAGER = 64,
    HANDSHAKE = 300,
    COPY = 20
};

static void set(struct wm_profile_row *row, int parameter, int64_t value)
{
    row->values[parameter].value = value;
}

static struct wm_profile make_profile(void)
{
    struct wm_profile p = {0};
    struct wm_profile_row *row;

    row = wm_profile_add(&p, WM_PROFILE_LINK, "*", WM_NET_MPI, 0, 0);
    set(row, WM_LINK_EAGER, EAGER);
    set(row, WM_LINK_HANDSHAKE, HANDSHAKE);
    row = wm_profile_add(&p, WM_PROFILE_MESSAGE, "*", WM_NET_MPI, 0, 0);
    set(row, WM_MESSAGE_SEND, SEND);
    set(row, WM_MESSAGE_LATENCY, LATENCY);
    set(row, WM_MESSAGE_BYTE, BYTE);
    set(row, WM_MESSAGE_RECEIVE, RECEIVE);
    row = wm_profile_add(&p, WM_PROFILE_ENGINE, "", 0, 0, 0);
    set(row, WM_ENGINE_FLIGHT, FLIGHT);
    set(row, WM_ENGINE_STEP, STEP);
    set(row, WM_ENGINE_POLL, POLL);
    row = wm_profile_add(&p, WM_PROFILE_KERNEL, "copy", 0, 0, 0);
    set(row, WM_KERNEL_CALL, COPY);
    row = wm_profile_add(&p, WM_PROFILE_HOST, "", 0, 0, 0);
    set(row, WM_HOST_OUT, 0);
    row = wm_profile_add(&p, WM_PROFILE_SHARED, "*", 0, 2, 0);
    set(row, WM_SHARED_CALL, 400);
    set(row, WM_SHARED_BYTE, 1000);
    set(row, WM_SHARED_POST, 30);
    set(row, WM_SHARED_ORDER, 7);
    return p;
}

static void set_host(struct wm_profile *p, int parameter, int64_t value)
{
    set((struct wm_profile_row *)(uintptr_t)wm_profile_find(p, WM_PROFILE_HOST, "", 0, 0, 0), parameter, value);
}

/* Add a step, which waits for the one `behind`, -1: for none. Returns its number. */
static int add(int rank, enum wm_step_kind kind, int peer, size_t bytes, int behind)
{
    struct wm_plan *plan = &t.plans[rank];
    int number = plan->step_count++;

    t.steps[rank][number] = (struct wm_step){.kind = (uint8_t)kind, .peer = peer, .count = bytes, .net = WM_NET_MPI};
    if (kind == WM_STEP_SEND || kind == WM_STEP_RECV)
        plan->message_steps++;
    if (behind >= 0) {
        t.edges[rank][behind][t.edge_counts[rank][behind]++] = number;
        t.steps[rank][number].dependencies++;
    }
    return number;
}

static void begin(void)
{
    memset(&t, 0, sizeof t);
}

static void finish_plan(int rank)
{
    struct wm_plan *plan = &t.plans[rank];
    int edge = 0;

    plan->steps = t.steps[rank];
    plan->successors = t.successors[rank];
    plan->roots = t.roots[rank];
    for (int i = 0; i < plan->step_count; i++) {
        t.steps[rank][i].first_successor = edge;
        t.steps[rank][i].successors = t.edge_counts[rank][i];
        for (int e = 0; e < t.edge_counts[rank][i]; e++)
            t.successors[rank][edge++] = t.edges[rank][i][e];
        if (t.steps[rank][i].dependencies == 0)
            plan->roots[plan->root_count++] = i;
    }
    t.of[rank] = plan;
}

/* The time of the plans on a machine of so many ranks that come and go; of those that stay, the blame must add up to
 * it. */
static int64_t time_with(const char *machine, struct wm_profile profile, struct wm_sim_presence presence)
{
    static const struct wm_path no_path;
    struct wm_grid grid;
    struct wm_sim_program program;
    struct wm_model model;
    struct wm_simulation simulation;
    struct wm_time_blame blame;
    struct wm_error error = {0};
    int64_t time, sum = 0;
    int hosts = 0;

    CU_ASSERT_FATAL(fixture_grid(&grid, machine));
    for (int r = 0; r < grid.ranks; r++) {
        finish_plan(r);
        hosts = grid.node[r] + 1 > hosts ? grid.node[r] + 1 : hosts;
    }
    CU_ASSERT_EQUAL_FATAL(wm_program_init(&program, t.of, grid.ranks, grid.node, hosts, 1, &no_path, NULL, &error), 0);
    CU_ASSERT_EQUAL_FATAL(wm_model_init(&model, &profile, &grid), 0);
    CU_ASSERT_EQUAL(presence.begin == NULL && presence.back == NULL
                        ? wm_simulation_run(&simulation, &program, &model, 0, &error)
                        : wm_simulation_run_from(&simulation, &program, &model, &presence, &error),
                    0);
    time = simulation.end;
    wm_blame_walk(&blame, &simulation, &no_path);
    for (int i = 0; i < blame.count; i++)
        sum += blame.parts[i].time;
    CU_ASSERT(sum == time || presence.back != NULL);
    wm_simulation_release(&simulation);
    wm_model_release(&model);
    wm_program_release(&program);
    wm_grid_release(&grid);
    wm_profile_release(&profile);
    return time;
}

static int64_t time_of(const char *machine, struct wm_profile profile)
{
    return time_with(machine, profile, (struct wm_sim_presence){0});
}

enum { HOP = SEND + STEP + LATENCY + POLL + RECEIVE };

static void message__takes_what_its_parameters_add_up_to(void)
{
    begin();
    add(0, WM_STEP_SEND, 1, 8, -1);
    add(1, WM_STEP_RECV, 0, 8, -1);
    CU_ASSERT_EQUAL(time_of("node=2", make_profile()), FLIGHT + HOP + 8 * 10);
}

static void chain__takes_a_hop_after_another(void)
{
    begin();
    add(0, WM_STEP_SEND, 1, 8, -1);
    add(1, WM_STEP_SEND, 2, 8, add(1, WM_STEP_RECV, 0, 8, -1));
    add(2, WM_STEP_RECV, 1, 8, -1);
    CU_ASSERT_EQUAL(time_of("node=3", make_profile()), FLIGHT + 2 * (HOP + 80));
}

/* 0 to 2, then to 1; 2 to 3. The second send of 0 is through while the first flies. */
static void tree__takes_its_longest_branch(void)
{
    begin();
    add(0, WM_STEP_SEND, 2, 8, -1);
    add(0, WM_STEP_SEND, 1, 8, -1);
    add(2, WM_STEP_SEND, 3, 8, add(2, WM_STEP_RECV, 0, 8, -1));
    add(1, WM_STEP_RECV, 0, 8, -1);
    add(3, WM_STEP_RECV, 2, 8, -1);
    CU_ASSERT_EQUAL(time_of("node=4", make_profile()), FLIGHT + 2 * (HOP + 80));
}

/* All send to the right, receive from the left, and send that on: all at once, so a round is a hop. Receives are posted
 * while messages fly. */
static void ring__takes_its_rounds(void)
{
    begin();
    for (int r = 0; r < 4; r++) {
        int recv;

        add(r, WM_STEP_SEND, (r + 1) % 4, 8, -1);
        recv = add(r, WM_STEP_RECV, (r + 3) % 4, 8, -1);
        t.steps[r][add(r, WM_STEP_SEND, (r + 1) % 4, 8, recv)].message = 1;
        t.steps[r][add(r, WM_STEP_RECV, (r + 3) % 4, 8, -1)].message = 1;
    }
    CU_ASSERT_EQUAL(time_of("node=4", make_profile()), FLIGHT + 2 * (HOP + 80));
}

/* The request is there long before the copy is over and the receive posted; then the answer takes the handshake, the
 * sender's poll, the bytes and the latency. */
static void rendezvous__waits_for_the_receive(void)
{
    struct wm_profile profile = make_profile();

    set((struct wm_profile_row *)(uintptr_t)wm_profile_find(&profile, WM_PROFILE_KERNEL, "copy", 0, 0, 0),
        WM_KERNEL_BYTE, 100000); /* 100 ps a byte */
    begin();
    add(0, WM_STEP_SEND, 1, 100, -1);
    add(1, WM_STEP_RECV, 0, 100, add(1, WM_STEP_COPY, -1, 100, -1));
    CU_ASSERT_EQUAL(time_of("node=2", profile),
                    FLIGHT + STEP + COPY + 100 * 100 + STEP + HANDSHAKE + POLL + 100 * 10 + LATENCY + POLL + RECEIVE);
}

/* An eager message that comes before its receive waits there; it costs no poll then. */
static void eager_message__waits_for_its_receive(void)
{
    struct wm_profile profile = make_profile();

    set((struct wm_profile_row *)(uintptr_t)wm_profile_find(&profile, WM_PROFILE_KERNEL, "copy", 0, 0, 0),
        WM_KERNEL_CALL, 100000);
    begin();
    add(0, WM_STEP_SEND, 1, 8, -1);
    add(1, WM_STEP_RECV, 0, 8, add(1, WM_STEP_COPY, -1, 8, -1));
    CU_ASSERT_EQUAL(time_of("node=2", profile), FLIGHT + STEP + 100000 + STEP + RECEIVE);
}

/* Two ranks of a host send 1000 bytes at once: the card takes 8 ps for a byte, so 16 a byte each. The second one has
 * 1000 bytes, the first 500: when that is through, the rest flows at the flow's own 10. */
static void flows__share_a_card_fluidly(void)
{
    struct wm_profile profile = make_profile();

    set_host(&profile, WM_HOST_OUT, 8000);
    set((struct wm_profile_row *)(uintptr_t)wm_profile_find(&profile, WM_PROFILE_LINK, "*", WM_NET_MPI, 0, 0),
        WM_LINK_EAGER, 4096);
    begin();
    add(0, WM_STEP_SEND, 2, 1000, -1);
    add(1, WM_STEP_SEND, 3, 500, -1);
    add(2, WM_STEP_RECV, 0, 1000, -1);
    add(3, WM_STEP_RECV, 1, 500, -1);
    CU_ASSERT_EQUAL(time_of("node=2,core=2", profile), FLIGHT + HOP + 500 * 16 + 500 * 10);
}

/* Two ranks that send to each other by rendezvous: each core pushes both flows. */
static void exchange__takes_what_a_core_does_for_both_ways(void)
{
    struct wm_profile profile = make_profile();
    struct wm_profile_row *row =
        (struct wm_profile_row *)(uintptr_t)wm_profile_find(&profile, WM_PROFILE_MESSAGE, "*", WM_NET_MPI, 0, 0);

    set(row, WM_MESSAGE_SEND_BYTE, 7000);
    set(row, WM_MESSAGE_RECEIVE_BYTE, 8000);
    set(row, WM_MESSAGE_CROSS, 600);
    begin();
    for (int r = 0; r < 2; r++) {
        add(r, WM_STEP_SEND, 1 - r, 1000, -1);
        add(r, WM_STEP_RECV, 1 - r, 1000, -1);
    }
    /* a poll each for the request and for the answer; both send ends are taken while the messages fly, and meet */
    CU_ASSERT_EQUAL(time_of("node=2", profile), FLIGHT + STEP + SEND + LATENCY + POLL + HANDSHAKE + POLL + 1000 * 15 +
                                                    LATENCY + POLL + RECEIVE + 600);
}

/* Eager messages of two ranks that meet on their way cost both receivers more; round three ranks none meets another. */
static void eager_messages__cross_between_two(void)
{
    for (int ranks = 2; ranks <= 3; ranks++) {
        struct wm_profile profile = make_profile();

        set((struct wm_profile_row *)(uintptr_t)wm_profile_find(&profile, WM_PROFILE_MESSAGE, "*", WM_NET_MPI, 0, 8),
            WM_MESSAGE_CROSS, 700);
        begin();
        for (int r = 0; r < ranks; r++) {
            add(r, WM_STEP_SEND, (r + 1) % ranks, 8, -1);
            add(r, WM_STEP_RECV, (r + ranks - 1) % ranks, 8, -1);
        }
        CU_ASSERT_EQUAL(time_of(ranks == 2 ? "node=2" : "node=3", profile), FLIGHT + HOP + 80 + (ranks == 2 ? 700 : 0));
    }
}

static void share(int rank, enum wm_shared_kind kind, int size, size_t bytes, int behind)
{
    static const int members[RANKS] = {0, 1, 2, 3};
    static size_t counts[RANKS];
    static struct wm_shared shared[RANKS];

    counts[0] = bytes;
    shared[rank] =
        (struct wm_shared){.kind = (uint8_t)kind, .size = size, .self = rank, .members = members, .counts = counts};
    t.plans[rank].shared = &shared[rank];
    t.plans[rank].shared_count = 1;
    add(rank, WM_STEP_SHARED, -1, bytes, behind);
}

/* It posts a receive and computes: what has landed meanwhile is taken when it comes back. */
static void receiver__takes_when_it_is_back(void)
{
    static const int64_t back[] = {0, 5000};

    begin();
    add(0, WM_STEP_SEND, 1, 8, -1);
    add(1, WM_STEP_RECV, 0, 8, -1);
    CU_ASSERT_EQUAL(time_with("node=2", make_profile(), (struct wm_sim_presence){.back = back}), 5000 + POLL + RECEIVE);
}

/* What it asked for is answered while it computes, and flows from when it is back; then the receiver takes it. */
static void sender__answers_when_it_is_back(void)
{
    static const int64_t back[] = {5000, 0};

    begin();
    add(0, WM_STEP_SEND, 1, 100, -1);
    add(1, WM_STEP_RECV, 0, 100, -1);
    CU_ASSERT_EQUAL(time_with("node=2", make_profile(), (struct wm_sim_presence){.back = back}),
                    5000 + POLL + 100 * 10 + LATENCY + POLL + RECEIVE);
}

static void shared_allreduce__ends_behind_the_last_member(void)
{
    begin();
    share(0, WM_SHARED_ALLREDUCE, 3, 8, -1);
    share(1, WM_SHARED_ALLREDUCE, 3, 8, add(1, WM_STEP_COPY, -1, 8, -1));
    share(2, WM_SHARED_ALLREDUCE, 3, 8, -1);
    CU_ASSERT_EQUAL(time_of("core=3", make_profile()), FLIGHT + STEP + COPY + STEP + 400 + 8 + 7);
}

/* The root of a bcast waits for nobody: the others, who copy first, find it done. */
static void shared_bcast__waits_for_its_root_alone(void)
{
    begin();
    share(0, WM_SHARED_BCAST, 3, 8, add(0, WM_STEP_COPY, -1, 8, -1));
    share(1, WM_SHARED_BCAST, 3, 8, -1);
    share(2, WM_SHARED_BCAST, 3, 8, -1);
    CU_ASSERT_EQUAL(time_of("core=3", make_profile()), FLIGHT + STEP + COPY + STEP + 400 + 8 + 7);
    begin();
    share(0, WM_SHARED_REDUCE, 3, 8, -1);
    share(1, WM_SHARED_REDUCE, 3, 8, -1);
    share(2, WM_SHARED_REDUCE, 3, 8, add(2, WM_STEP_COPY, -1, 8, -1));
    CU_ASSERT_EQUAL(time_of("core=3", make_profile()), FLIGHT + STEP + COPY + STEP + 400 + 8 + 7);
}

/* Flows that come and go at resources, drawn; and when each is over, by the fluid and by steps of real numbers. */
enum { FLOWS = 60, RESOURCES = 5 };
static struct {
    struct {
        int64_t begin, bytes, own, shares[RESOURCES]; /* ps, bytes, fs a byte; share 0: not passed */
    } flows[FLOWS];
    double left[FLOWS], slow_end[FLOWS];
    int64_t end[FLOWS];
} f;

static void draw_flows(void)
{
    for (int i = 0; i < FLOWS; i++) {
        f.flows[i].begin = rand() % 40 * 100000;
        f.flows[i].bytes = 1 + rand() % 100000;
        f.flows[i].own = 1 + rand() % 2000;
        for (int r = 0; r < RESOURCES; r++)
            f.flows[i].shares[r] = r == i % RESOURCES || rand() % 4 == 0 ? 100 + rand() % 400 : 0;
    }
}

static void end_flows(struct wm_fluid *fluid, struct wm_events *events, int64_t now)
{
    while (events->count > 0 && events->heap[0].time == now) {
        struct wm_sim_event event = wm_events_take(events);

        if (!wm_fluid_holds(fluid, &event))
            continue;
        f.end[fluid->flows[event.at].step] = now;
        wm_fluid_end(fluid, event.at, now, events);
    }
}

static void run_fluid(void)
{
    struct wm_events events = {0};
    struct wm_fluid fluid;

    wm_fluid_init(&fluid, RESOURCES);
    for (int64_t now = 0, next; now < INT64_MAX; now = next) {
        end_flows(&fluid, &events, now);
        next = INT64_MAX;
        for (int i = 0; i < FLOWS; i++) {
            int flow = f.flows[i].begin != now
                           ? -1
                           : wm_fluid_begin(&fluid, i, (uint64_t)f.flows[i].bytes, f.flows[i].own, now);

            for (int r = 0; r < RESOURCES && flow >= 0; r++)
                if (f.flows[i].shares[r] > 0)
                    wm_fluid_pass(&fluid, flow, r, f.flows[i].shares[r], now);
            if (f.flows[i].begin > now && f.flows[i].begin < next)
                next = f.flows[i].begin;
        }
        wm_fluid_settle(&fluid, now, &events);
        if (events.count > 0 && events.heap[0].time < next)
            next = events.heap[0].time;
    }
    wm_fluid_release(&fluid);
    wm_events_release(&events);
}

static double slow_rate(int flow, const double *loads)
{
    double rate = (double)f.flows[flow].own;

    for (int r = 0; r < RESOURCES; r++)
        if (f.flows[flow].shares[r] > 0 && loads[r] > rate)
            rate = loads[r];
    return rate / 1000;
}

/* From one beginning or end to the next. */
static void run_slowly(void)
{
    for (double now = 0, next; now < 1e18; now = next) {
        double loads[RESOURCES] = {0};

        next = 1e18;
        for (int i = 0; i < FLOWS; i++)
            for (int r = 0; r < RESOURCES && (double)f.flows[i].begin <= now && f.left[i] > 0; r++)
                loads[r] += (double)f.flows[i].shares[r];
        for (int i = 0; i < FLOWS; i++) {
            double at =
                (double)f.flows[i].begin > now ? (double)f.flows[i].begin : now + f.left[i] * slow_rate(i, loads);

            if (f.left[i] > 0 && at < next)
                next = at;
        }
        for (int i = 0; i < FLOWS && next < 1e18; i++)
            if ((double)f.flows[i].begin <= now && f.left[i] > 0) {
                f.left[i] -= (next - now) / slow_rate(i, loads);
                if (f.left[i] < 1e-6) {
                    f.left[i] = 0;
                    f.slow_end[i] = next;
                }
            }
    }
}

static void fluid__ends_each_flow_as_slow_steps_do(void)
{
    for (int seed = 1; seed <= 200; seed++) {
        memset(&f, 0, sizeof f);
        srand((unsigned)seed);
        draw_flows();
        for (int i = 0; i < FLOWS; i++)
            f.left[i] = (double)f.flows[i].bytes;
        run_fluid();
        run_slowly();
        for (int i = 0; i < FLOWS; i++)
            CU_ASSERT(f.end[i] > 0 && (double)f.end[i] > f.slow_end[i] - 100 && (double)f.end[i] < f.slow_end[i] + 100);
    }
}

/* Four ranks of a host with two cores. */
enum { YIELD = 500, BEGIN = YIELD };

static struct wm_profile crowded_profile(int64_t latency)
{
    struct wm_profile profile = make_profile();

    set_host(&profile, WM_HOST_CORES, 2);
    set_host(&profile, WM_HOST_YIELD, YIELD);
    set((struct wm_profile_row *)(uintptr_t)wm_profile_find(&profile, WM_PROFILE_MESSAGE, "*", WM_NET_MPI, 0, 0),
        WM_MESSAGE_LATENCY, latency);
    return profile;
}

/* When rank 1 has a core again, at `from` or later: it posted a receive while rank 0 sent, and then all go round. */
static int64_t next_turn(int64_t from)
{
    int line[] = {2, 3, 1, 0};
    int64_t turns[] = {FLIGHT + STEP + SEND + YIELD, FLIGHT + STEP + YIELD};

    for (;;) {
        int core = turns[1] < turns[0], rank = line[0];

        if (rank == 1 && turns[core] >= from)
            return turns[core];
        memmove(line, line + 1, 3 * sizeof *line);
        line[3] = rank;
        turns[core] += YIELD;
    }
}

static void send_in_crowd(size_t bytes)
{
    begin();
    add(0, WM_STEP_SEND, 1, bytes, -1);
    add(1, WM_STEP_RECV, 0, bytes, -1);
}

static void receiver_in_a_crowd__takes_a_message_in_its_turn(void)
{
    for (int64_t latency = 0; latency < 40000; latency += 37) {
        int64_t lands = FLIGHT + STEP + SEND + 8 * 10 + latency;

        send_in_crowd(8);
        CU_ASSERT_EQUAL(time_of("core=4", crowded_profile(latency)), next_turn(lands) + POLL + RECEIVE - BEGIN);
    }
}

/* Who is asked has the data before it yields, at 3322; who sent them learns of it in its next turn, at 3617. */
static void receiver_in_a_crowd__reads_what_it_is_asked_for(void)
{
    send_in_crowd(100);
    CU_ASSERT_EQUAL(time_of("core=4", crowded_profile(LATENCY)), 3617 + POLL - BEGIN);
}

/* Each of the four copies: two at a time, so the last two begin a yield behind the first ones' end. */
static void crowd__has_as_many_cores_as_its_host(void)
{
    begin();
    for (int rank = 0; rank < 4; rank++)
        add(rank, WM_STEP_COPY, -1, 8, -1);
    CU_ASSERT_EQUAL(time_of("core=4", crowded_profile(LATENCY)), FLIGHT + 2 * (STEP + COPY) + YIELD - BEGIN);
    begin();
    for (int rank = 0; rank < 2; rank++)
        add(rank, WM_STEP_COPY, -1, 8, -1);
    CU_ASSERT_EQUAL(time_of("core=2", crowded_profile(LATENCY)), FLIGHT + STEP + COPY);
}

static const struct check_case cases[] = {
    CASE(message__takes_what_its_parameters_add_up_to),
    CASE(chain__takes_a_hop_after_another),
    CASE(tree__takes_its_longest_branch),
    CASE(ring__takes_its_rounds),
    CASE(rendezvous__waits_for_the_receive),
    CASE(eager_message__waits_for_its_receive),
    CASE(flows__share_a_card_fluidly),
    CASE(fluid__ends_each_flow_as_slow_steps_do),
    CASE(exchange__takes_what_a_core_does_for_both_ways),
    CASE(eager_messages__cross_between_two),
    CASE(receiver__takes_when_it_is_back),
    CASE(sender__answers_when_it_is_back),
    CASE(shared_allreduce__ends_behind_the_last_member),
    CASE(shared_bcast__waits_for_its_root_alone),
    CASE(receiver_in_a_crowd__takes_a_message_in_its_turn),
    CASE(receiver_in_a_crowd__reads_what_it_is_asked_for),
    CASE(crowd__has_as_many_cores_as_its_host),
};

CHECK_MAIN("simulations", cases)
