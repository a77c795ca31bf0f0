/* Several plans in flight on one engine: started in one order, finished in another on every second rank, with more
 * messages than tags. And the numbers of communicators. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/engine/engine.h"
#include "core/plan/planner.h"

enum { FLIGHTS = 5, COUNT = 3000, RANKS_MAX = 64 };

static const char answer_text[] =
    "{\"bytes\": [0, null], \"path\": [{\"wrapper\": \"segment\", \"node\": 1, \"arguments\": [64]},"
    " {\"wrapper\": \"allreduce\", \"node\": 2, \"arguments\": [{\"axis\": \"all\"}],"
    "  \"keywords\": {\"shape\": {\"symbol\": \"ring\"}}}]}";

static int ranks, rank;
static double in[FLIGHTS][COUNT], out[FLIGHTS][COUNT];

static const struct wm_plan *make_plan(void)
{
    static const struct wm_plan_call call = {
        .operation = WM_ALLREDUCE, .count = COUNT, .unit_bytes = sizeof(double), .root = -1, .commutative = true};
    struct wm_place *places = calloc((size_t)ranks, sizeof *places);
    json_t *answer = json_loads(answer_text, 0, NULL);
    struct wm_layout *layout = NULL;
    struct wm_path *path = NULL;
    struct wm_plan *plan = NULL;
    struct wm_error error = {0};
    struct wm_grid grid;

    for (int r = 0; r < ranks; r++)
        places[r].world_rank = r;
    if (wm_grid_init(&grid, NULL, ranks, places, &error) < 0 ||
        wm_path_parse(&path, answer, WM_ALLREDUCE, &grid, "map", &error) < 0 ||
        wm_layout_new(&layout, path, &grid, -1, false, &error) < 0 ||
        wm_plan_make(&plan, path, layout, &call, rank, &error) < 0)
        fprintf(stderr, "flights: %s\n", error.text);
    wm_layout_free(layout);
    wm_path_free(path);
    wm_grid_release(&grid);
    json_decref(answer);
    free(places);
    return plan;
}

static struct wm_flight *start(struct wm_engine *engine, const struct wm_plan *plan, int number)
{
    static const struct wm_call call = {.operation = WM_ALLREDUCE};
    struct wm_binding binding = {.send = in[number],
                                 .receive = out[number],
                                 .unit_bytes = sizeof(double),
                                 .op = MPI_SUM,
                                 .call = &call,
                                 .number = (uint32_t)number};

    wm_geometry_read(&binding.geometry, MPI_DOUBLE);
    for (int i = 0; i < COUNT; i++)
        in[number][i] = rank + number * 1000 + i;
    return wm_engine_start(engine, plan, &binding);
}

static int wrong_sums(void)
{
    int wrong = 0;

    for (int n = 0; n < FLIGHTS; n++)
        for (int i = 0; i < COUNT; i++)
            wrong += out[n][i] != ranks * (ranks - 1) / 2.0 + ranks * (n * 1000.0 + i);
    return wrong;
}

/* Each rank has another number for the same communicator. */
static struct wm_net *make_net(void)
{
    static int world[RANKS_MAX];
    static uint16_t numbers[RANKS_MAX];

    for (int r = 0; r < ranks; r++) {
        world[r] = r;
        numbers[r] = (uint16_t)(r * 7);
    }
    return wm_net_mpi_new(&(struct wm_net_peers){world, numbers, rank});
}

static int take_number(void)
{
    return wm_net_numbers_take(&(int){1});
}

/* No more of a run than is free. */
static int wrong_runs(void)
{
    int five = 5, three = 3, wrong;

    wrong = wm_net_numbers_take(&five) != 0 || five != 5;
    wm_net_number_give(1);
    wm_net_number_give(2);
    wrong += wm_net_numbers_take(&three) != 1 || three != 2;
    for (int number = 0; number < five; number++)
        wm_net_number_give(number);
    return wrong;
}

/* The lowest free one is taken, each only once. */
static int wrong_numbers(void)
{
    int count = 0, wrong = wrong_runs();

    while (take_number() == count)
        count++;
    for (int number = 70; number >= 0; number -= 35)
        wm_net_number_give(number);
    for (int number = 0; number <= 70; number += 35)
        wrong += take_number() != number;
    wrong += take_number() != -1 || count < 64;
    while (count > 0)
        wm_net_number_give(--count);
    return wrong;
}

int main(int argc, char **argv)
{
    struct wm_flight *flights[FLIGHTS];
    struct wm_engine *engine;
    const struct wm_plan *plan;
    int wrong = 0, all, over_early = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    wm_geometry_start();
    if (ranks > RANKS_MAX || wm_net_start() < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    plan = make_plan();
    engine = wm_engine_new(&(struct wm_engine_parts){.nets[WM_NET_MPI] = make_net()});
    for (int n = 0; n < FLIGHTS; n++)
        flights[n] = start(engine, plan, n);
    for (int n = 0; n < FLIGHTS; n++)
        over_early += ranks > 1 && wm_flight_over(flights[n]);
    for (int n = 0; n < FLIGHTS; n++) {
        struct wm_flight *flight = flights[rank % 2 ? FLIGHTS - 1 - n : n];

        wm_engine_finish(engine, flight);
        wrong += wm_engine_give(engine, flight) != MPI_SUCCESS;
    }
    wrong += wrong_sums() + over_early + wrong_numbers();
    wm_engine_free(engine);
    wm_plan_free((struct wm_plan *)plan);
    wm_net_stop();
    wm_geometry_stop();
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
