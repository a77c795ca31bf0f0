/* Messages between processes against a model: tests/core/message/model.h, step by step. Every rank runs the whole
 * model, and after each step all ranks go on until nothing moves. wire_model NODES EACH STEPS: that many pretended
 * nodes (0: those that there are), with EACH endpoints at every rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/message/far.h"
#include "core/message/span.h"
#include "tests/core/message/model.h"
#include "tests/mpi/places.h"

enum { PHASE_STEPS = 100 };

static int rank, ranks;

/* What moves anywhere may move something elsewhere. */
static void settle(void)
{
    bool moved = true, any; /* the step itself may have written something */

    do {
        while (wm_endpoints_drain(group))
            moved = true;
        MPI_Allreduce(&moved, &any, 1, MPI_C_BOOL, MPI_LOR, MPI_COMM_WORLD);
        moved = !wm_wire_idle(&group->far->wire) || group->far->busy_count > 0;
    } while (any);
}

/* The first rank that sees something else ends the job. */
static void check(bool right, long i)
{
    if (right)
        return;
    fprintf(stderr, "wire_model: rank %d, step %ld: it is not as the model says\n", rank, i);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void run(long steps)
{
    static const uint32_t sends[] = {50, 75, 25}, ranges[] = {2, 12, 300};

    for (long i = 0; i < steps; i++) {
        bool right = step(sends[i / PHASE_STEPS % 3], ranges[i / PHASE_STEPS / 3 % 3]);

        settle();
        check(right && all_right(), i);
        collect();
    }
    for (int i = 0; i < LETTERS; i++)
        check(receive_taken_one(&letters[i]), i);
    settle();
    check(all_right(), steps);
}

/* Closing leaves nothing under way. */
static void close_all(void)
{
    for (int i = 0; i < endpoints; i++)
        for (int kind = 0; is_here(i) && kind < MODELS; kind++)
            kinds[kind].close(&ends[i][kind].p);
    for (int i = 0; i < LETTERS; i++)
        if (letters[i].used && is_here(owner(&letters[i])))
            check(kinds[letters[i].kind].message(&letters[i].e)->complete, -1);
    wm_far_begin_progress(group);
    wm_endpoints_free(group);
}

static const struct wm_message_way *gather(void *map, const char *protocol, bool near)
{
    static const struct wm_message_way way = {
        .most_bytes = SIZE_MAX, .eager_below = EAGER + 1, .gather_bytes = 20 * EAGER};

    (void)map, (void)protocol, (void)near;
    return &way;
}

static void open_all(const struct wm_place *places, const struct wm_message_limits *limits)
{

    memset(ends, 0, sizeof ends);
    memset(letters, 0, sizeof letters);
    kept_bytes_max = SIZE_MAX;
    endpoints = each * ranks;
    group = wm_endpoints_span(MPI_COMM_WORLD, places, each, limits);
    wm_far_end_progress(group); /* nothing moves but by settle() */
    for (int i = 0; i < endpoints; i++)
        for (int kind = 0; is_here(i) && kind < MODELS; kind++)
            check(kinds[kind].open(&ends[i][kind].p, group, i, kinds[kind].name) == WM_MESSAGE_DONE, -1);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const struct wm_message_limits limits[] = {{.eager_bytes = EAGER, .single_copy_bytes = 1},
                                                      {.eager_bytes = EAGER, .single_copy_bytes = SIZE_MAX},
                                                      {.eager_bytes = EAGER, .ways = gather}};
    struct wm_place *places;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    here = rank;
    places = places_on(atoi(argv[1]), ranks);
    each = atoi(argv[2]);
    wm_node_start(places, 1);
    for (int i = 0; i < 3; i++) {
        open_all(places, &limits[i]);
        run((long)fuzz_steps((uint64_t)atol(argv[3])));
        close_all();
    }
    wm_node_stop();
    free(places);
    MPI_Finalize();
    return 0;
}
