/* What is held is there when it is due, and no sooner, by a clock that the test sets. Two ranks; of collectives more.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/engine/engine.h"
#include "core/message/delay.h"
#include "core/message/span.h"
#include "core/plan/planner.h"
#include "tests/core/message/protocols.h"
#include "tests/mpi/places.h"

WM_PROTOCOL(numbered, struct number_header, number_key, WM_KEY_DECIDES, WM_IN_ORDER, number);

enum { US = 1000, BEGIN = 1000 * US, LATENCY = 500 * US, SMALL = 100, LARGE = 10000, MESSAGES = 40, COUNT = 100 };

static int rank, ranks, faults;
static uint64_t begin_ns = BEGIN, now_ns = BEGIN;

static void check(int line, bool right, const char *what)
{
    if (!right && faults++ < 8)
        fprintf(stderr, "delay: rank %d, line %d: not: %s\n", rank, line, what);
}

#define CHECK(right) check(__LINE__, right, #right)

static uint64_t set_clock(void)
{
    return now_ns;
}

/* ---- uplinks: a byte takes a microsecond ---- */

static const struct wm_lag slow = {.axis = WM_AXIS_ALL, .latency_ns = LATENCY, .mbit = 8};
static const struct wm_lag shaky = {.axis = WM_AXIS_ALL, .latency_ns = LATENCY, .jitter_ppm = 1000 * US, .seed = 7};

static void check_uplinks(void)
{
    const struct wm_lag other = {.axis = 1, .latency_ns = LATENCY, .mbit = 8};
    struct wm_uplink *u = wm_uplink_find(&other);
    struct wm_due due = wm_uplink_send(u, 0, 1, 0, 100), far;

    CHECK(wm_uplink_find(&other) == u && wm_uplink_find(&slow) != u);
    CHECK(due.sent_ns == now_ns && due.due_ns == now_ns + 100 * US + LATENCY);
    CHECK(wm_uplink_send(u, 0, 2, 0, 50).due_ns == now_ns + 150 * US + LATENCY);
    now_ns += 1000 * US;
    CHECK(wm_uplink_send(u, 0, 1, 1, 50).due_ns == now_ns + 50 * US + LATENCY);
    CHECK(wm_due_here(&due) == due.due_ns);
    far = due;
    far.clock++;
    CHECK(wm_due_here(&far) == now_ns + 100 * US + LATENCY);
    now_ns = BEGIN;
}

static void check_jitter(void)
{
    struct wm_lag other = shaky;
    uint64_t least = UINT64_MAX, most = 0;
    int same = 0;

    other.seed = 8;
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t ns = wm_lag_latency_ns(&shaky, 0, 1, i);

        CHECK(ns == wm_lag_latency_ns(&shaky, 0, 1, i));
        same += ns == wm_lag_latency_ns(&other, 0, 1, i) || ns == wm_lag_latency_ns(&shaky, 1, 0, i);
        least = ns < least ? ns : least;
        most = ns > most ? ns : most;
    }
    CHECK(same == 0 && least < LATENCY / 50 && most > LATENCY * 2 - LATENCY / 50 && most <= 2 * LATENCY);
}

/* ---- messages: rank 1 sends to rank 0 ---- */

static struct wm_endpoints *group;
static struct wm_message_delay delay;
static struct wm_message_way way = {.most_bytes = SIZE_MAX, .eager_below = 4096, .delay = &delay};
static char data[LARGE], received[LARGE];

static const struct wm_message_way *ways(void *map, const char *protocol, bool near)
{
    (void)map, (void)protocol, (void)near;
    return &way;
}

static void meet(void)
{
    MPI_Request barrier;
    int over = 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    while (!over) {
        wm_endpoints_drain(group);
        MPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
    }
}

static int count_held(void)
{
    int count = 0;

    for (const struct wm_held *h = group->far->held; h != NULL; h = h->next)
        count++;
    return count;
}

static void await_held(int count)
{
    while (count_held() < count)
        wm_endpoints_drain(group);
}

static bool is_there(struct numbered *p, int number)
{
    const struct numbered_envelope *found;

    numbered_probe(p, &(struct number_header){number}, &found);
    return found != NULL;
}

static void send_three(struct numbered *p)
{
    struct numbered_envelope e[3];

    for (int i = 0; i < 3; i++) {
        e[i] = (struct numbered_envelope){.header = {i},
                                          .message = {.buffer = data, .bytes = i < 2 ? SMALL : LARGE, .peer = 0}};
        numbered_send(p, &e[i]);
    }
    numbered_wait(p, &e[0]); /* kept, though they are held */
    numbered_wait(p, &e[1]);
    meet();
    CHECK(!e[2].message.complete);
    numbered_wait(p, &e[2]);
    CHECK(e[2].message.error == WM_MESSAGE_DONE);
}

/* They leave one after another: SMALL, twice SMALL, and LARGE more microseconds after the beginning. */
static void receive_three(struct numbered *p)
{
    const uint64_t due[] = {begin_ns + SMALL * US + LATENCY, begin_ns + 2 * SMALL * US + LATENCY,
                            begin_ns + (2 * SMALL + LARGE) * US + LATENCY};
    struct numbered_envelope e[3];

    for (int i = 0; i < 3; i++)
        e[i] = (struct numbered_envelope){.header = {i}, .message = {.buffer = received, .bytes = LARGE}};
    await_held(3);
    numbered_receive(p, &e[0]);
    meet();
    for (int i = 0; i < 3; i++) {
        now_ns = due[i] - 1;
        CHECK(!(i == 0 ? numbered_check(p, &e[0]) : is_there(p, i)));
        now_ns = due[i];
        CHECK(i == 0 ? numbered_check(p, &e[0]) : is_there(p, i));
        if (i > 0)
            numbered_receive(p, &e[i]);
        numbered_wait(p, &e[i]);
        CHECK(e[i].message.bytes == (i < 2 ? SMALL : LARGE) && memcmp(data, received, e[i].message.bytes) == 0);
    }
}

static void send_many(struct numbered *p)
{
    struct numbered_envelope e[MESSAGES];

    for (int i = 0; i < MESSAGES; i++) {
        e[i] = (struct numbered_envelope){
            .header = {1}, .message = {.buffer = &data[i], .bytes = 1, .peer = 0, .rendezvous = i % 3 == 0}};
        numbered_send(p, &e[i]);
    }
    meet();
    for (int i = 0; i < MESSAGES; i++)
        numbered_wait(p, &e[i]);
}

/* Jitter changes no order. */
static void receive_many(struct numbered *p)
{
    struct numbered_envelope e[MESSAGES];
    int complete = 0, steps = 0;

    for (int i = 0; i < MESSAGES; i++) {
        e[i] = (struct numbered_envelope){.header = {1}, .message = {.buffer = &received[i], .bytes = 1}};
        numbered_receive(p, &e[i]);
    }
    await_held(MESSAGES);
    meet();
    for (; complete < MESSAGES; now_ns += LATENCY / 4, steps++) {
        wm_endpoints_drain(group);
        for (int here = MESSAGES - count_held(); complete < here; complete++) {
            numbered_wait(p, &e[complete]);
            CHECK(received[complete] == data[complete]);
        }
    }
    CHECK(steps > 2 && steps <= 10);
}

/* One that is held can be cancelled; one that nobody receives is gone with its protocol. */
static void leave_some(struct numbered *p)
{
    struct numbered_envelope e[2];

    for (int i = 0; rank == 1 && i < 2; i++) {
        e[i] = (struct numbered_envelope){.message = {.buffer = data, .bytes = 1, .peer = 0, .rendezvous = i == 0}};
        numbered_send(p, &e[i]);
    }
    if (rank == 0)
        await_held(2);
    meet();
    if (rank == 1) {
        numbered_cancel(p, &e[0]);
        numbered_wait(p, &e[0]);
        CHECK(e[0].message.error == WM_MESSAGE_CANCELLED);
        numbered_wait(p, &e[1]);
    }
    meet();
    CHECK(count_held() == (rank == 0));
}

/* Between nodes what is larger than a line is held whole: its DUE stands before its parts. */
enum { PARTS = 100000 };

static char parts[PARTS];

static void send_in_parts(struct numbered *p)
{
    struct numbered_envelope e = {.message = {.buffer = parts, .bytes = PARTS, .peer = 0}};

    for (int i = 0; i < PARTS; i++)
        parts[i] = (char)(i % 251);
    numbered_send(p, &e);
    numbered_wait(p, &e);
}

static void receive_in_parts(struct numbered *p)
{
    struct numbered_envelope e = {.message = {.buffer = parts, .bytes = PARTS}};
    int i = 0;

    await_held(1);
    now_ns = begin_ns + (uint64_t)PARTS * US + LATENCY - 1;
    CHECK(!is_there(p, 0));
    now_ns++;
    CHECK(is_there(p, 0));
    numbered_receive(p, &e);
    CHECK(e.message.complete && e.message.bytes == PARTS);
    while (i < PARTS && parts[i] == (char)(i % 251))
        i++;
    CHECK(i == PARTS);
}

/* All processes' clocks go on by as much. */
static void check_part(const struct wm_lag *lag, void (*sends)(struct numbered *), void (*receives)(struct numbered *))
{
    static const int groups[] = {0, 1};
    struct numbered p;

    now_ns = begin_ns += 1000000 * (uint64_t)US;
    delay = (struct wm_message_delay){.uplink = wm_uplink_find(lag), .groups = groups};
    CHECK(numbered_open(&p, group, rank, "numbers") == WM_MESSAGE_DONE);
    meet();
    (rank == 1 ? sends : receives)(&p);
    meet();
    numbered_close(&p);
    meet();
}

static void check_messages(int nodes, bool by_mpi)
{
    struct wm_place *places = places_on(nodes, ranks);

    wm_node_start(places, 1);
    way.by_mpi = by_mpi;
    group = wm_endpoints_span(MPI_COMM_WORLD, places, 1, &(struct wm_message_limits){.ways = ways, .mpi_near = by_mpi});
    check_part(&slow, send_three, receive_three);
    check_part(&shaky, send_many, receive_many);
    check_part(&shaky, leave_some, leave_some);
    if (nodes == 2) {
        way.eager_below = PARTS + 1;
        check_part(&slow, send_in_parts, receive_in_parts);
        way.eager_below = 4096;
    }
    wm_endpoints_free(group);
    wm_node_stop();
    free(places);
}

/* ---- collectives ---- */

static const char answer_text[] =
    "{\"bytes\": [0, null], \"path\": [{\"wrapper\": \"delay\", \"node\": 1, \"arguments\": [\"500us\"],"
    "  \"keywords\": {\"axis\": {\"axis\": \"all\"}}},"
    " {\"wrapper\": \"allreduce\", \"node\": 2, \"arguments\": [{\"axis\": \"all\"}],"
    "  \"keywords\": {\"shape\": {\"symbol\": \"ring\"}}}]}";

static const struct wm_plan_call call = {
    .operation = WM_ALLREDUCE, .count = COUNT, .unit_bytes = sizeof(double), .root = -1, .commutative = true};

static struct wm_plan *make_plan(void)
{
    struct wm_place *places = places_on(1, ranks);
    json_t *answer = json_loads(answer_text, 0, NULL);
    struct wm_layout *layout = NULL;
    struct wm_path *path = NULL;
    struct wm_plan *plan = NULL;
    struct wm_error error = {0};
    struct wm_grid grid;

    if (wm_grid_init(&grid, NULL, ranks, places, &error) < 0 ||
        wm_path_parse(&path, answer, WM_ALLREDUCE, &grid, "map", &error) < 0 ||
        wm_layout_new(&layout, path, &grid, -1, false, &error) < 0 ||
        wm_plan_make(&plan, path, layout, &call, rank, &error) < 0)
        fprintf(stderr, "delay: %s\n", error.text);
    wm_layout_free(layout);
    wm_path_free(path);
    wm_grid_release(&grid);
    json_decref(answer);
    free(places);
    return plan;
}

static struct wm_engine *make_engine(void)
{
    int *world = malloc(sizeof *world * (size_t)ranks);
    uint16_t *numbers = calloc((size_t)ranks, sizeof *numbers);

    for (int r = 0; r < ranks; r++)
        world[r] = r;
    return wm_engine_new(&(struct wm_engine_parts){
        .nets[WM_NET_MPI] = wm_net_mpi_new(&(struct wm_net_peers){world, numbers, rank}), .self = rank});
}

/* Everyone's clock goes on together. Returns whether all are over. */
static bool tick(struct wm_engine *engine, const struct wm_flight *flight)
{
    MPI_Request request;
    int mine = wm_flight_over(flight), all, over = 0;

    MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD, &request);
    while (!over) {
        wm_engine_progress(engine, false);
        MPI_Test(&request, &over, MPI_STATUS_IGNORE);
    }
    now_ns += LATENCY / 10;
    return all;
}

/* A ring combines and collects in so many messages, one behind the other. */
static void check_collective(void)
{
    const struct wm_call mpi_call = {.operation = WM_ALLREDUCE};
    struct wm_engine *engine = make_engine();
    struct wm_plan *plan = make_plan();
    double in[COUNT], out[COUNT];
    struct wm_binding binding = {
        .send = in, .receive = out, .unit_bytes = sizeof(double), .op = MPI_SUM, .call = &mpi_call, .number = 1};
    struct wm_flight *flight;

    wm_geometry_read(&binding.geometry, MPI_DOUBLE);
    for (int i = 0; i < COUNT; i++)
        in[i] = rank + i;
    now_ns = begin_ns = BEGIN;
    flight = wm_engine_start(engine, plan, &binding);
    while (!tick(engine, flight))
        ;
    CHECK(now_ns >= begin_ns + 2 * (uint64_t)(ranks - 1) * LATENCY);
    CHECK(wm_engine_give(engine, flight) == MPI_SUCCESS);
    for (int i = 0; i < COUNT; i++)
        CHECK(out[i] == ranks * (ranks - 1) / 2.0 + ranks * i);
    wm_engine_free(engine);
    wm_plan_free(plan);
}

int main(int argc, char **argv)
{
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    wm_due_clock = set_clock;
    wm_geometry_start();
    if (wm_net_start() < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < LARGE; i++)
        data[i] = (char)(i % 127);
    check_uplinks();
    check_jitter();
    if (ranks == 2) {
        check_messages(0, false);
        check_messages(0, true);
        check_messages(2, false);
    }
    check_collective();
    wm_net_stop();
    wm_geometry_stop();
    MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
