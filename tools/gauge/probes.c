/* Probes, and their map. */
#include "tools/gauge/probes.h"

#include <string.h>

static const struct {
    const char *name, *before, *shape;
    bool tests;
} families[] = {
#define X(id, name, before, shape, test) [WM_GAUGE_##id] = {name, before, shape, test},
    WM_GAUGE_FAMILIES(X)
#undef X
};

/* The stage that serves an operation by itself. */
static const struct {
    enum wm_operation operation;
    const char *name, *stage;
} stages[] = {
    {WM_BARRIER, "barrier", "barrier"},
    {WM_BCAST, "bcast", "bcast"},
    {WM_REDUCE, "reduce", "reduce"},
    {WM_ALLREDUCE, "allreduce", "allreduce"},
    {WM_GATHER, "gather", "gather"},
    {WM_SCATTER, "scatter", "scatter"},
    {WM_ALLGATHER, "allgather", "allgather"},
    {WM_ALLTOALL, "alltoall", "alltoall"},
    {WM_REDUCE_SCATTER_BLOCK, "reduce-scatter-block", "reduce-scatter"},
    {WM_SCAN, "scan", "scan"},
};

enum { STAGES = sizeof stages / sizeof *stages };

const char *wm_gauge_family_name(enum wm_gauge_family family)
{
    return families[family].name;
}

int wm_gauge_family_find(const char *name)
{
    for (int i = 0; i < WM_GAUGE_FAMILY_COUNT; i++)
        if (strcmp(families[i].name, name) == 0)
            return i;
    return -1;
}

bool wm_gauge_family_tests(enum wm_gauge_family family)
{
    return families[family].tests;
}

/* Pieces are of trees, and of few bytes; a path in segments serves what has one block. */
static bool is_served(int family, enum wm_operation op)
{
    if (strstr(families[family].before, "segment") == NULL)
        return true;
    return op == WM_BCAST || (families[family].tests && (op == WM_REDUCE || op == WM_ALLREDUCE));
}

/* Trees serve not every operation: one whose stage refuses the family's shape has the stage's own. An allreduce of
 * trees goes up and down one. */
static void print_rule(FILE *out, int family, int stage)
{
    enum wm_operation op = stages[stage].operation;
    const char *shape = families[family].shape, *name = stages[stage].stage;
    bool tree = shape != NULL && strcmp(shape, "'binomial") == 0;

    if (tree && op == WM_ALLREDUCE)
        name = "reduce";
    if (tree &&
        (op == WM_BARRIER || op == WM_ALLGATHER || op == WM_ALLTOALL || op == WM_REDUCE_SCATTER_BLOCK || op == WM_SCAN))
        shape = NULL;
    fprintf(out, "    ((and (string=? communicator \"%s\")%s) (path %s(%s all%s%s)))\n", families[family].name,
            strstr(families[family].before, "segment 64)") != NULL ? " (<= bytes 1KiB)" : "", families[family].before,
            name, shape != NULL ? " #:shape " : "", shape != NULL ? shape : "");
}

/* A map that names clusters has them looked for. */
static void print_fences(FILE *out)
{
    fputs("    ((and (string=? communicator \"fence\") (= nodes 1)) (path (barrier all #:shape 'shared)))\n"
          "    ((and (string=? communicator \"fence\") (> clusters 1)) (path (barrier core) (barrier node) (barrier "
          "cluster)))\n",
          out);
}

void wm_gauge_print_map(FILE *out)
{
    fputs("(path-map\n", out);
    for (int s = 0; s < STAGES; s++) {
        fprintf(out, "  (on %s\n", stages[s].name);
        if (stages[s].operation == WM_BARRIER)
            print_fences(out);
        for (int f = 0; f < WM_GAUGE_FAMILY_COUNT; f++)
            if (is_served(f, stages[s].operation))
                print_rule(out, f, s);
        fputs("    (else (path (native))))\n", out);
    }
}

static void add(struct wm_gauge_list *list, enum wm_gauge_family family, enum wm_operation operation, uint64_t bytes)
{
    if (list->count < WM_GAUGE_PROBES_MAX)
        list->probes[list->count++] = (struct wm_gauge_probe){family, operation, bytes};
}

uint64_t wm_gauge_next_bytes(uint64_t bytes)
{
    bool power = (bytes & (bytes - 1)) == 0;

    return bytes == 8 ? 16 : power ? bytes / 2 * 3 : bytes / 3 * 4;
}

/* Every so many of the series. */
static void add_sizes(struct wm_gauge_list *list, enum wm_gauge_family family, enum wm_operation operation,
                      uint64_t bytes_max, int stride)
{
    int place = 0;

    for (uint64_t bytes = 8; bytes <= bytes_max; bytes = wm_gauge_next_bytes(bytes))
        if (place++ % stride == 0)
            add(list, family, operation, bytes);
}

static void list_net(struct wm_gauge_list *list, enum wm_gauge_family family, enum wm_gauge_family pieces,
                     enum wm_gauge_family bulk, uint64_t bytes_max)
{
    add_sizes(list, family, WM_BCAST, bytes_max, 1);
    add_sizes(list, family, WM_ALLGATHER, bytes_max, 2);
    add_sizes(list, family, WM_REDUCE, family == WM_GAUGE_SHM ? bytes_max : 8, 3);
    add(list, family, WM_ALLREDUCE, 8);
    add(list, pieces, WM_BCAST, WM_GAUGE_PIECE_BYTES);
    add(list, pieces, WM_BCAST, WM_GAUGE_PIECE_BYTES * WM_GAUGE_PIECES);
    add(list, bulk, WM_BCAST, WM_GAUGE_BULK_BYTES);
    add(list, bulk, WM_BCAST, WM_GAUGE_BULK_BYTES * WM_GAUGE_PIECES);
}

static void list_shared(struct wm_gauge_list *list, uint64_t bytes_max, int factor)
{
    add(list, WM_GAUGE_SHARED, WM_BARRIER, 0);
    for (int s = 1; s < STAGES; s++)
        add_sizes(list, WM_GAUGE_SHARED, stages[s].operation, bytes_max, factor);
}

void wm_gauge_list_pair(struct wm_gauge_list *list, bool near, uint64_t bytes_max)
{
    *list = (struct wm_gauge_list){0};
    list_net(list, WM_GAUGE_MPI, WM_GAUGE_MPI_PIECES, WM_GAUGE_MPI_BULK, bytes_max);
    if (!near)
        return;
    list_net(list, WM_GAUGE_SHM, WM_GAUGE_SHM_PIECES, WM_GAUGE_SHM_BULK, bytes_max);
    list_shared(list, bytes_max, 1);
}

void wm_gauge_list_host(struct wm_gauge_list *list, uint64_t bytes_max)
{
    *list = (struct wm_gauge_list){0};
    list_shared(list, bytes_max, 4);
}

uint64_t wm_gauge_draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* From 8 bytes on, even in its logarithm: a power of two, and up to as much again. */
static uint64_t draw_bytes(uint64_t *state, uint64_t bytes_max)
{
    int powers = 0;
    uint64_t bytes;

    while (UINT64_C(16) << powers < bytes_max)
        powers++;
    bytes = UINT64_C(8) << (powers > 0 ? wm_gauge_draw(state) % (uint64_t)powers : 0);
    return bytes + wm_gauge_draw(state) % (bytes / 8 + 1) * 8;
}

void wm_gauge_list_test(struct wm_gauge_list *list, bool near, uint64_t bytes_max, uint64_t seed, int count)
{
    static const enum wm_gauge_family all[] = {WM_GAUGE_TEST_MPI, WM_GAUGE_TEST_CUT, WM_GAUGE_TEST_SHM,
                                               WM_GAUGE_TEST_SHARED};

    *list = (struct wm_gauge_list){0};
    while (list->count < count) {
        enum wm_gauge_family family = all[wm_gauge_draw(&seed) % (near ? 4 : 2)];
        int stage = 1 + (int)(wm_gauge_draw(&seed) % (STAGES - 1));
        uint64_t bytes = draw_bytes(&seed, bytes_max);

        if (is_served(family, stages[stage].operation))
            add(list, family, stages[stage].operation, bytes);
    }
}
