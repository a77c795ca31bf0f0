/* The files of a generated trace: recorders with made-up clocks, definitions, the text of the map. */
#include "tests/tracer/generated_files.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "waymark/operation.h"
#include "tracer/file.h"

static const int64_t LEAD_NS = 1000000; /* from a rank's start pair to the job's time 0 */
static const uint64_t EPOCH_NS = UINT64_C(1700000000000000000);
static const uint64_t UPTIME_NS = UINT64_C(1000000000000);
static const double TICKS_PER_NS = 2.5;
static const char *const marks[GENERATED_MARKS] = {"assembly", "solve", "output"};

double generated_random(struct generated *g)
{
    uint64_t x = g->random += 0x9e3779b97f4a7c15u; /* splitmix64 (Steele, Lea, Flood 2014) */

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

int generated_host(const struct generated *g, int rank)
{
    return (int)((int64_t)rank * g->options->hosts / g->options->ranks);
}

/* A number from -1 to 1 that belongs to the host. */
static double host_trait(const struct generated *g, int host, int which)
{
    struct generated own = {.random = g->options->seed * 1000003 + (uint64_t)host * 8 + (uint64_t)which};

    return host == 0 ? 0 : 2 * generated_random(&own) - 1;
}

static bool own_clocks(const struct generated *g)
{
    return g->options->skew_ns > 0;
}

static uint64_t monotonic_of(const struct generated *g, int host, int64_t at_ns)
{
    double rate = own_clocks(g) ? 1 + host_trait(g, host, 0) * g->options->drift_ppm * 1e-6 : 1;
    uint64_t start_ns = UPTIME_NS + (own_clocks(g) ? (uint64_t)host * UPTIME_NS : 0);

    return start_ns + (uint64_t)llround((double)(at_ns + LEAD_NS) * rate);
}

uint64_t generated_ticks_of(const struct generated *g, int64_t duration_ns)
{
    return own_clocks(g) ? (uint64_t)llround((double)duration_ns * TICKS_PER_NS) : (uint64_t)duration_ns;
}

static struct wm_clock_pair pair_at(const struct generated *g, int host, int64_t at_ns)
{
    struct wm_clock_pair pair = {.monotonic_ns = monotonic_of(g, host, at_ns)};
    double wall_error_ns = own_clocks(g) ? host_trait(g, host, 1) * (double)g->options->skew_ns : 0;

    pair.ticks = own_clocks(g) ? ((uint64_t)host + 1) * UPTIME_NS * 3 + generated_ticks_of(g, at_ns + LEAD_NS)
                               : pair.monotonic_ns;
    pair.realtime_ns = EPOCH_NS + (uint64_t)(at_ns + LEAD_NS) + (uint64_t)llround(wall_error_ns);
    return pair;
}

/* Ranks start one after the other. */
static int64_t start_ns(int rank)
{
    return (int64_t)rank * 1000 % LEAD_NS - LEAD_NS;
}

static double ticks_per_second(const struct generated *g, int host)
{
    double drift = own_clocks(g) ? host_trait(g, host, 0) * g->options->drift_ppm * 1e-6 : 0;

    return own_clocks(g) ? 1e9 * TICKS_PER_NS / (1 + drift) : 1e9;
}

/* The recorder puts a true pair of clocks after every so many records: a made-up one takes its place. */
static void replace_clock(const struct generated *g, struct wm_recorder_ring *ring, int host, int64_t at_ns)
{
    struct wm_trace_record *last = &ring->records[(ring->next - 1) & (ring->capacity - 1)];
    struct wm_clock_pair pair = pair_at(g, host, at_ns);

    last->time_ticks = pair.ticks;
    last->argument = pair.monotonic_ns;
}

void generated_put(struct generated *g, int rank, int64_t at_ns, const struct wm_trace_record *record)
{
    struct wm_recorder_ring *ring;
    bool world = record->kind == WM_TRACE_MARK || record->kind == WM_TRACE_SYNC || record->kind == WM_TRACE_CLOCK ||
                 record->kind == WM_TRACE_REGION;

    g->records++;
    g->counts[rank]++;
    if (g->recorders == NULL)
        return;
    ring = wm_recorder_get_ring(g->recorders[rank]);
    wm_record_at(ring, pair_at(g, generated_host(g, rank), at_ns).ticks, record->kind, record->flags, record->node,
                 world ? 0 : record->communicator + 1 + (uint32_t)(rank % 3), record->peer, record->sequence,
                 record->argument);
    if (ring->next % WM_RECORD_CLOCK_EVERY == 1 && ring->next > 1)
        replace_clock(g, ring, generated_host(g, rank), at_ns);
}

/* A rank compares its clock with its host's first rank; that one with the first of the host whose number lacks the
 * lowest bit: a binomial tree. */
void generated_sync(struct generated *g)
{
    enum { NEAR_HALF_NS = 120, FAR_HALF_NS = 1500 };
    int leader = 0;

    for (int rank = 0; rank < g->options->ranks; rank++) {
        int host = generated_host(g, rank), with, half_ns;
        int64_t at_ns = g->now_ns[rank];
        double error_ns;

        if (rank > 0 && generated_host(g, rank - 1) != host)
            leader = rank;
        with = leader;
        half_ns = NEAR_HALF_NS;
        error_ns = (generated_random(g) * 2 - 1);
        if (rank == leader) {
            half_ns = FAR_HALF_NS;
            for (with = 0; generated_host(g, with) != (host & (host - 1)); with++)
                ;
        }
        if (rank == 0 || g->stopped[rank])
            continue;
        error_ns *= half_ns;
        /* A comparison counts beside a pair of its rank's clocks. */
        generated_put(
            g, rank, at_ns,
            &(struct wm_trace_record){.kind = WM_TRACE_CLOCK, .peer = -1, .argument = monotonic_of(g, host, at_ns)});
        generated_put(g, rank, at_ns,
                      &(struct wm_trace_record){.kind = WM_TRACE_SYNC,
                                                .flags = rank != leader,
                                                .peer = with,
                                                .sequence = (uint32_t)half_ns,
                                                .argument = monotonic_of(g, generated_host(g, with), at_ns) -
                                                            monotonic_of(g, host, at_ns) +
                                                            (uint64_t)(rank == leader ? llround(error_ns) : 0)});
    }
}

/* The map, while its text is written: where the next word goes is where a node is. */
struct map {
    char text[4096];
    size_t length;
    int line, column;
};

static void write_map(struct map *map, const char *words)
{
    for (; *words != '\0' && map->length + 1 < sizeof map->text; words++) {
        map->text[map->length++] = *words;
        map->column = *words == '\n' ? 1 : map->column + 1;
        map->line += *words == '\n';
    }
}

static int define(struct wm_recorder *recorder, json_t *definition)
{
    int rc = definition == NULL ? -WM_ENOMEM : wm_recorder_define(recorder, definition);

    json_decref(definition);
    return rc;
}

/* A wrapper of an operation's path, in the text and, where recorders are given, as a definition of all ranks. */
static void write_node(struct generated *g, struct map *map, int node, const char *wrapper, const char *label,
                       const char *source, const char *operation)
{
    write_map(map, "\n          ");
    for (int rank = 0; g->recorders != NULL && rank < g->options->ranks; rank++)
        define(g->recorders[rank],
               json_pack("{ss si ss si si ss ss}", "define", "node", "node", node, "wrapper", wrapper, "line",
                         map->line, "column", map->column, "label", label, "operation", operation));
    write_map(map, "(");
    write_map(map, wrapper);
    write_map(map, " ");
    write_map(map, source);
    write_map(map, ")");
}

static void write_stage(struct generated *g, struct map *map, int node, enum generated_operation kind, bool within)
{
    static const char *const trees[] = {"'binomial", "'chain", "'binomial", "'flat"};
    static const char *const exchanges[] = {"'binomial", "'ring", "'butterfly", "'flat"};
    const struct generated_nodes *nodes = &g->nodes[kind];
    bool tree = kind == GENERATED_BCAST || kind == GENERATED_REDUCE || (within && nodes->between > 0);
    const char *wrapper =
        within && nodes->between > 0 && kind == GENERATED_ALLREDUCE ? "reduce" : generated_operation_names[kind];
    const char *axis = nodes->between == 0 ? "all" : within ? "core" : "node";
    char label[64];

    snprintf(label, sizeof label, "%s #:shape %s", axis, (tree ? trees : exchanges)[g->options->shape]);
    write_node(g, map, node, wrapper, label, label, generated_operation_names[kind]);
}

static void write_trace(struct generated *g, struct map *map, int node, const char *name, enum generated_operation kind)
{
    char source[32];

    snprintf(source, sizeof source, "'%s", name);
    write_node(g, map, node, "trace", name, source, generated_operation_names[kind]);
}

/* Data goes from the root outwards through stages in the order of the map, or inwards. */
static void write_path(struct generated *g, struct map *map, enum generated_operation kind)
{
    const struct generated_nodes *nodes = &g->nodes[kind];
    bool outwards = kind == GENERATED_BCAST && nodes->between > 0;

    write_map(map, "\n  (on ");
    write_map(map, generated_operation_names[kind]);
    write_map(map, "\n    (path");
    write_trace(g, map, nodes->outer, generated_operation_names[kind], kind);
    if (!outwards)
        write_stage(g, map, nodes->within, kind, true);
    if (nodes->between > 0) {
        write_trace(g, map, nodes->inner, "between", kind);
        write_stage(g, map, nodes->between, kind, false);
    }
    if (outwards)
        write_stage(g, map, nodes->within, kind, true);
    write_map(map, "))");
}

/* The text, and the nodes' definitions when there are recorders. */
static void write_whole_map(struct generated *g, struct map *map)
{
    *map = (struct map){.line = 1, .column = 1};
    write_map(map, ";; A generated trace's map.\n(path-map");
    for (int kind = 0; kind < GENERATED_MIXED; kind++)
        if (g->options->operation == GENERATED_MIXED || (int)g->options->operation == kind)
            write_path(g, map, (enum generated_operation)kind);
    write_map(map, ")\n");
}

static void number_nodes(struct generated *g)
{
    int next = 1;

    for (int kind = 0; kind < GENERATED_MIXED; kind++) {
        struct generated_nodes *nodes = &g->nodes[kind];

        nodes->outer = next++;
        nodes->within = next++;
        if (g->options->hosts > 1) {
            nodes->inner = next++;
            nodes->between = next++;
        }
    }
}

/* The world; and over and over: the halves, every other rank, all but the last. */
static void make_members(struct generated *g, int number)
{
    struct generated_communicator *c = &g->communicators[number];
    int ranks = g->options->ranks;

    for (int rank = 0; rank < ranks; rank++) {
        bool in = number == 0         ? true
                  : (number % 4) == 1 ? rank < (ranks + 1) / 2
                  : (number % 4) == 2 ? rank % 2 == 0
                  : (number % 4) == 3 ? rank >= ranks / 2
                                      : rank + 1 < ranks || ranks == 1;

        if (!in)
            continue;
        c->members[c->size] = c->size;
        c->ranks[c->size++] = rank;
    }
}

static void define_communicator(struct generated *g, int number)
{
    const struct generated_communicator *c = &g->communicators[number];
    json_t *members = json_array();
    char name[32] = "MPI_COMM_WORLD";

    if (number > 0)
        snprintf(name, sizeof name, "part %d", number);
    for (int i = 0; i < c->size; i++)
        json_array_append_new(members, json_integer(c->ranks[i]));
    for (int i = 0; i < c->size; i++)
        define(g->recorders[c->ranks[i]], json_pack("{ss si ss sO}", "define", "communicator", "id",
                                                    number + 1 + c->ranks[i] % 3, "name", name, "ranks", members));
    json_decref(members);
}

static int define_rank(struct generated *g, int rank, const char *map_text)
{
    char host[32], boot[48];
    struct wm_clock_pair start;
    json_t *line;
    int rc;

    snprintf(host, sizeof host, "host%d", generated_host(g, rank));
    snprintf(boot, sizeof boot, "generated-boot-%d", own_clocks(g) ? generated_host(g, rank) : 0);
    line = json_pack("{ss si si ss si ss ss ss ss* ss si si sb}", "define", "rank", "rank", rank, "ranks",
                     g->options->ranks, "host", host, "pid", 1000 + rank, "version", "0.1.0", "mode",
                     g->options->ring ? "flight" : "full", "map_file", "maps/generated.scm", "map_text",
                     rank == 0 ? map_text : NULL, "program", "generated", "mpi_eager_bytes", 4096,
                     "mpi_eager_far_bytes", 65536, "p2p", !g->options->superblocks);
    if (g->options->superblocks)
        json_object_update_new(line, json_pack("{si si si}", "process", rank / 2, "sibling", rank % 2, "siblings", 2));
    rc = define(g->recorders[rank], line);
    if (rc >= 0 && g->options->superblocks)
        rc = define(g->recorders[rank],
                    json_pack("{ss si ss}", "define", "superblock", "superblock", 0, "name", "steps"));
    if (rc < 0)
        return rc;
    start = pair_at(g, generated_host(g, rank), start_ns(rank));
    rc = define(g->recorders[rank],
                json_pack("{ss ss sf sI sI sI ss}", "define", "clock", "kind", own_clocks(g) ? "tsc" : "monotonic",
                          "ticks_per_second", ticks_per_second(g, generated_host(g, rank)), "start_ticks",
                          (json_int_t)start.ticks, "start_monotonic_ns", (json_int_t)start.monotonic_ns,
                          "start_realtime_ns", (json_int_t)start.realtime_ns, "boot", boot));
    for (int i = 0; i < GENERATED_MARKS && g->options->marks && rc >= 0; i++)
        rc = define(g->recorders[rank], json_pack("{ss si ss}", "define", "mark", "id", i + 1, "name", marks[i]));
    return rc;
}

/* Change the header of a rank's file in place. */
static void overwrite(const char *directory, int rank, off_t offset, const void *data, size_t bytes)
{
    char name[PATH_MAX];
    int file;

    snprintf(name, sizeof name, "%s/rank-%05d.trace", directory, rank);
    file = open(name, O_RDWR | O_CLOEXEC);
    if (file < 0 || pwrite(file, data, bytes, offset) != (ssize_t)bytes)
        perror(name);
    if (file >= 0)
        close(file);
}

static void set_clock(const struct generated *g, const char *directory, int rank)
{
    int host = generated_host(g, rank);
    struct wm_clock_pair start = pair_at(g, host, start_ns(rank));
    double rate = ticks_per_second(g, host);
    uint32_t clock = own_clocks(g);

    overwrite(directory, rank, offsetof(struct wm_trace_header, start), &start, sizeof start);
    overwrite(directory, rank, offsetof(struct wm_trace_header, ticks_per_second), &rate, sizeof rate);
    overwrite(directory, rank, offsetof(struct wm_trace_header, clock), &clock, sizeof clock);
}

/* The second line is the recorder's own, of this machine's clocks and boot: the third says the same of made-up ones. */
static void drop_second_line(const char *directory, int rank)
{
    char name[PATH_MAX], *text = NULL, *second, *third;
    size_t bytes = 0;
    FILE *file;

    snprintf(name, sizeof name, "%s/rank-%05d.json", directory, rank);
    file = fopen(name, "r+");
    if (file == NULL || getdelim(&text, &bytes, '\0', file) < 0 || (second = strchr(text, '\n')) == NULL ||
        (third = strchr(second + 1, '\n')) == NULL)
        abort();
    fclose(file);
    file = fopen(name, "w");
    if (file == NULL || fwrite(text, 1, (size_t)(second - text), file) == 0 || fputs(third, file) < 0)
        abort();
    fclose(file);
    free(text);
}

static int open_recorders(struct generated *g, const char *directory, const uint64_t *counts)
{
    struct wm_error error = {0};
    struct map map;

    write_whole_map(g, &map);
    g->recorders = calloc((size_t)g->options->ranks, sizeof *g->recorders);
    for (int rank = 0; rank < g->options->ranks; rank++) {
        uint64_t records = g->options->ring ? g->options->ring : 2 * (counts[rank] + counts[rank] / 4000 + 2);

        if (wm_recorder_open(&g->recorders[rank], directory, rank, records * sizeof(struct wm_trace_record),
                             g->options->ring ? WM_TRACE_FLIGHT : WM_TRACE_FULL, WM_CLOCK_MONOTONIC, &error) < 0 ||
            define_rank(g, rank, map.text) < 0) {
            fprintf(stderr, "generate: %s\n", error.text[0] ? error.text : "a definition cannot be written");
            return -1;
        }
        set_clock(g, directory, rank);
    }
    for (int i = 0; i < g->options->communicators; i++)
        define_communicator(g, i);
    if (!g->options->native)
        write_whole_map(g, &map);
    return 0;
}

/* Close all files as of 1 ms after the last record; of a job that crashed or lives, open them again. */
static void close_recorders(struct generated *g, const char *directory)
{
    static const uint32_t open_state = WM_TRACE_OPEN;
    int64_t last_ns = 0;

    for (int rank = 0; rank < g->options->ranks; rank++)
        if (g->now_ns[rank] > last_ns)
            last_ns = g->now_ns[rank];
    for (int rank = 0; rank < g->options->ranks; rank++) {
        struct wm_clock_pair close = pair_at(g, generated_host(g, rank), last_ns + LEAD_NS), none = {0};
        bool open = g->options->open || g->options->crash_rank >= 0;
        uint64_t capacity;
        static const char zero;

        if (g->recorders[rank] == NULL)
            continue;
        capacity = wm_recorder_get_ring(g->recorders[rank])->capacity;
        wm_recorder_close(g->recorders[rank]);
        drop_second_line(directory, rank);
        overwrite(directory, rank, offsetof(struct wm_trace_header, close), open ? &none : &close, sizeof close);
        if (!open)
            continue;
        overwrite(directory, rank, offsetof(struct wm_trace_header, state), &open_state, sizeof open_state);
        overwrite(directory, rank, (off_t)(WM_TRACE_HEADER_BYTES + capacity * sizeof(struct wm_trace_record)) - 1,
                  &zero, 1);
    }
    free(g->recorders);
    g->recorders = NULL;
}

/* Back to the job's start. Returns false when out of memory. */
static bool rewind_all(struct generated *g)
{
    size_t ranks = (size_t)g->options->ranks, communicators = (size_t)g->options->communicators;

    g->random = g->options->seed;
    g->records = 0;
    if (g->now_ns == NULL) {
        g->now_ns = calloc(ranks, sizeof *g->now_ns);
        g->stopped = calloc(ranks, sizeof *g->stopped);
        g->counts = calloc(ranks, sizeof *g->counts);
        g->communicators = calloc(communicators, sizeof *g->communicators);
        if (!g->now_ns || !g->stopped || !g->counts || !g->communicators)
            return false;
        for (int i = 0; i < g->options->communicators; i++) {
            g->communicators[i].ranks = calloc(ranks, sizeof(int));
            g->communicators[i].members = calloc(ranks, sizeof(int));
            if (!g->communicators[i].ranks || !g->communicators[i].members)
                return false;
            make_members(g, i);
        }
    }
    memset(g->now_ns, 0, ranks * sizeof *g->now_ns);
    memset(g->stopped, 0, ranks * sizeof *g->stopped);
    memset(g->counts, 0, ranks * sizeof *g->counts);
    for (size_t i = 0; i < communicators; i++)
        g->communicators[i].calls = 0;
    return true;
}

static void release(struct generated *g)
{
    for (int i = 0; g->communicators != NULL && i < g->options->communicators; i++) {
        free(g->communicators[i].ranks);
        free(g->communicators[i].members);
    }
    free(g->communicators);
    free(g->counts);
    free(g->stopped);
    free(g->now_ns);
}

int64_t generated_make(const char *directory, const struct generated_options *options)
{
    struct generated g = {.options = options};
    uint64_t *counts = NULL;
    int64_t records = -1;

    number_nodes(&g);
    if (!rewind_all(&g))
        goto out;
    generated_play(&g);
    counts = calloc((size_t)options->ranks, sizeof *counts);
    if (counts == NULL)
        goto out;
    memcpy(counts, g.counts, (size_t)options->ranks * sizeof *counts);
    if (!rewind_all(&g) || open_recorders(&g, directory, counts) < 0)
        goto out;
    generated_play(&g);
    records = (int64_t)g.records;
out:
    if (g.recorders != NULL)
        close_recorders(&g, directory);
    free(counts);
    release(&g);
    return records;
}
