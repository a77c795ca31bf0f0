/* Conveyors: the records of conveyors read rank by rank, and counted by hop. */
#include "tools/analysis/conveyors.h"

#include <string.h>
#include "tools/analysis/conveyors_raw.h"
#include "core/vector.h"

enum { WORKING = 1, ENDGAME = 2, COMPLETE = 4 };

/* What is open at one end of a link. */
struct end {
    bool known;
    uint64_t position;
    int64_t ns;
};

/* A definition of the rank that is being read, with what its run has open. */
struct seat {
    const struct wm_trace_conveyor *definition;
    uint32_t conveyor, run;
    int rank;                     /* in the communicator */
    struct end *outlets, *inlets; /* as the definition's links */
    uint64_t turns, runs;
    int64_t begin_ns, endgame_ns; /* -1: not seen */
};

struct reading {
    struct wm_conveyor_records raw;
    struct wm_trace_rank *rank;
    struct seat *seats; /* of the rank, as many as its definitions */
};

/* The row of `sent` in which a rank of the communicator counts. */
static int cell_of(const struct wm_conveyor_totals *conveyor, int rank)
{
    return conveyor->cells == conveyor->ranks ? rank : (int)((int64_t)rank * conveyor->cells / conveyor->ranks);
}

/* ---- conveyors and seats ---- */

static int new_conveyor(struct wm_conveyor_table *conveyors, const struct wm_trace *trace, uint32_t key,
                        const struct wm_trace_conveyor *definition)
{
    size_t capacity = conveyors->count == 0 || (conveyors->count & (conveyors->count - 1)) != 0 ? 0 : conveyors->count;
    struct wm_conveyor_totals *conveyor, *grown = conveyors->conveyors;

    if (conveyors->count == 0 || capacity > 0)
        grown = realloc(conveyors->conveyors, sizeof *grown * (conveyors->count > 0 ? 2 * conveyors->count : 1));
    if (grown == NULL)
        return -WM_ENOMEM;
    conveyors->conveyors = grown;
    conveyor = &conveyors->conveyors[conveyors->count++];
    *conveyor = (struct wm_conveyor_totals){.communicator = key,
                                            .run = definition->run,
                                            .definition = definition,
                                            .ranks = trace->communicators[key].size,
                                            .hop_count = definition->hop_count};
    conveyor->cells = conveyor->ranks < WM_CONVEYOR_CELLS_MAX ? conveyor->ranks : WM_CONVEYOR_CELLS_MAX;
    for (int hop = 0; hop < conveyor->hop_count; hop++) {
        conveyor->hops[hop].axis = definition->hops[hop].axis;
        conveyor->hops[hop].sent =
            calloc((size_t)conveyor->cells * (size_t)conveyor->cells, sizeof *conveyor->hops[hop].sent);
        if (conveyor->hops[hop].sent == NULL)
            return -WM_ENOMEM;
    }
    return 0;
}

/* The number of the conveyor, made if it is new; or -WM_ENOMEM. */
static int find_conveyor(struct wm_conveyor_table *conveyors, const struct wm_trace *trace, uint32_t key,
                         const struct wm_trace_conveyor *definition)
{
    for (size_t i = 0; i < conveyors->count; i++)
        if (conveyors->conveyors[i].communicator == key && conveyors->conveyors[i].run == definition->run &&
            conveyors->conveyors[i].hop_count == definition->hop_count)
            return (int)i;
    return new_conveyor(conveyors, trace, key, definition) < 0 ? -WM_ENOMEM : (int)conveyors->count - 1;
}

static int rank_in(const struct wm_trace_communicator *communicator, int world)
{
    for (int r = 0; r < communicator->size; r++)
        if (communicator->ranks[r] == world)
            return r;
    return -1;
}

/* 1: the definition is of no known communicator. */
static int take_seat(struct reading *reading, struct seat *seat, const struct wm_trace_conveyor *definition)
{
    const struct wm_trace *trace = reading->raw.trace;
    uint32_t key = wm_trace_communicator_key(reading->rank, definition->communicator);
    int rank = key == WM_TRACE_NO_COMMUNICATOR ? -1 : rank_in(&trace->communicators[key], reading->rank->rank);
    int conveyor = rank < 0 ? 1 : find_conveyor(reading->raw.conveyors, trace, key, definition);

    if (rank < 0 || conveyor < 0)
        return conveyor;
    *seat = (struct seat){.definition = definition, .conveyor = (uint32_t)conveyor, .rank = rank, .begin_ns = -1};
    seat->outlets = calloc((size_t)definition->outlet_count + 1, sizeof *seat->outlets);
    seat->inlets = calloc((size_t)definition->inlet_count + 1, sizeof *seat->inlets);
    reading->raw.conveyors->conveyors[conveyor].rank_count++;
    return seat->outlets == NULL || seat->inlets == NULL ? -WM_ENOMEM : 0;
}

static struct wm_conveyor_totals *conveyor_of(struct reading *reading, const struct seat *seat)
{
    return &reading->raw.conveyors->conveyors[seat->conveyor];
}

static void end_run(struct reading *reading, struct seat *seat)
{
    conveyor_of(reading, seat)->progressed += seat->turns >> 32;
    conveyor_of(reading, seat)->advances += (uint32_t)seat->turns;
    seat->turns = 0;
    seat->begin_ns = seat->endgame_ns = -1;
}

static void begin_run(struct reading *reading, struct seat *seat, uint32_t run)
{
    end_run(reading, seat);
    seat->run = run;
    seat->runs++;
    memset(seat->outlets, 0, sizeof *seat->outlets * (size_t)seat->definition->outlet_count);
    memset(seat->inlets, 0, sizeof *seat->inlets * (size_t)seat->definition->inlet_count);
}

/* ---- records ---- */

/* The outlet that a record speaks of; NULL: there is none of that number. */
static const struct wm_trace_link *outlet_of(struct reading *reading, const struct seat *seat, int number)
{
    const struct wm_trace_link *link =
        wm_trace_link_find(seat->definition->outlets, seat->definition->outlet_count, number);

    return link != NULL && link->peer < conveyor_of(reading, seat)->ranks ? link : NULL;
}

static const struct wm_trace_link *inlet_of(const struct seat *seat, int number)
{
    return wm_trace_link_find(seat->definition->inlets, seat->definition->inlet_count, number);
}

static struct wm_conveyor_link link_to(const struct seat *seat, const struct wm_trace_link *outlet)
{
    return (struct wm_conveyor_link){seat->conveyor, seat->run, outlet->peer, outlet->hop, outlet->there};
}

static struct wm_conveyor_link link_here(const struct seat *seat, const struct wm_trace_link *inlet)
{
    return (struct wm_conveyor_link){seat->conveyor, seat->run, seat->rank, inlet->hop,
                                     inlet->number - seat->definition->hops[inlet->hop].first_in};
}

static int add_piece(struct wm_conveyor_piece **pieces, size_t *count, size_t *capacity, struct wm_conveyor_piece piece)
{
    if (wm_vector_reserve(pieces, capacity, *count + 1, sizeof **pieces) < 0)
        return -WM_ENOMEM;
    (*pieces)[(*count)++] = piece;
    return 0;
}

static int log2_of(uint64_t bytes)
{
    int size = 0;

    while (bytes > 1 && size < WM_CONVEYOR_SIZES - 1) {
        bytes /= 2;
        size++;
    }
    return size;
}

static enum wm_conveyor_net net_of(const struct wm_trace_link *link)
{
    static const char *const names[WM_CONVEYOR_OTHER] = {"self", "shm", "mpi"};
    int net = 0;

    while (net < WM_CONVEYOR_OTHER && strcmp(names[net], link->net) != 0)
        net++;
    return (enum wm_conveyor_net)net;
}

static int count_buffer(struct wm_conveyor_totals *conveyor, const struct seat *seat, const struct wm_trace_link *link,
                        const struct wm_trace_record *record, int64_t fill_ns)
{
    struct wm_hop_totals *hop = &conveyor->hops[link->hop];
    uint64_t units = record->argument >> 34, bytes = record->argument & WM_TRACE_LOAD_BYTES_MAX;
    uint64_t permille = 1000 * units / seat->definition->units;
    int rc = wm_spread_add(&hop->fill_permille, permille < 1000 ? (int64_t)permille : 1000);

    hop->buffers++;
    hop->closed_by[record->flags % WM_CONVEYOR_REASONS]++;
    hop->meagre += permille < 250;
    hop->units += units;
    hop->bytes += bytes;
    hop->bytes_over[net_of(link)] += bytes;
    hop->sizes[log2_of(bytes)]++;
    hop->sent[cell_of(conveyor, seat->rank) * conveyor->cells + cell_of(conveyor, link->peer)] += units;
    return rc < 0 ? rc : wm_spread_add(&hop->fill_ns, fill_ns);
}

static int read_outlet(struct reading *reading, struct seat *seat, const struct wm_trace_record *record, int64_t ns)
{
    const struct wm_trace_link *link = outlet_of(reading, seat, record->peer);
    struct wm_conveyor_records *raw = &reading->raw;
    struct end *end;
    int rc;

    if (link == NULL)
        return 1;
    end = &seat->outlets[link - seat->definition->outlets];
    if (record->kind == WM_TRACE_CONVEY_OPEN) {
        *end = (struct end){true, record->argument, ns};
        conveyor_of(reading, seat)->hops[link->hop].relayed += record->flags & 1;
        return 0;
    }
    if (!end->known)
        return 0; /* its beginning is lost */
    end->known = false;
    rc = count_buffer(conveyor_of(reading, seat), seat, link, record, ns - end->ns);
    return rc < 0 ? rc
                  : add_piece(&raw->closes, &raw->close_count, &raw->close_capacity,
                              (struct wm_conveyor_piece){link_to(seat, link), end->position,
                                                         end->position + (record->argument >> 34), ns});
}

static int read_inlet(struct reading *reading, struct seat *seat, const struct wm_trace_record *record, int64_t ns)
{
    const struct wm_trace_link *link = inlet_of(seat, record->peer);
    struct wm_conveyor_records *raw = &reading->raw;
    struct end *end;
    int rc;

    if (link == NULL)
        return 1;
    end = &seat->inlets[link - seat->definition->inlets];
    if (record->kind == WM_TRACE_CONVEY_TAKE)
        *end = (struct end){true, record->argument, ns};
    if (record->kind == WM_TRACE_CONVEY_PULL && end->known && end->position == record->argument)
        return wm_spread_add(&conveyor_of(reading, seat)->hops[link->hop].early_ns, ns - end->ns);
    if (record->kind != WM_TRACE_CONVEY_GIVE || !end->known || record->argument < end->position)
        return 0;
    end->known = false;
    rc = wm_spread_add(&conveyor_of(reading, seat)->hops[link->hop].stay_ns, ns - end->ns);
    return rc < 0
               ? rc
               : add_piece(&raw->takes, &raw->take_count, &raw->take_capacity,
                           (struct wm_conveyor_piece){link_here(seat, link), end->position, record->argument, end->ns});
}

static int read_blocked(struct reading *reading, struct seat *seat, const struct wm_trace_record *record, int64_t ns)
{
    const struct wm_trace_link *link = outlet_of(reading, seat, record->peer);
    struct wm_conveyor_records *raw = &reading->raw;
    int64_t wait_ns = wm_trace_duration_ns(reading->rank, record->argument);

    if (link == NULL || !wm_trace_plausible(reading->rank, ns - wait_ns))
        return 1;
    if (wm_vector_reserve(&raw->waits, &raw->wait_capacity, raw->wait_count + 1, sizeof *raw->waits) < 0)
        return -WM_ENOMEM;
    raw->waits[raw->wait_count++] =
        (struct wm_conveyor_wait){seat->conveyor, seat->run, seat->rank, link->peer, link->hop, ns - wait_ns, ns};
    return 0;
}

static int read_sample(struct reading *reading, struct seat *seat, const struct wm_trace_record *record, int64_t ns)
{
    bool arrived = record->flags == WM_TRACE_STEP_ARRIVED;
    const struct wm_trace_link *link = arrived ? inlet_of(seat, record->peer) : outlet_of(reading, seat, record->peer);
    struct wm_conveyor_records *raw = &reading->raw;

    if (link == NULL)
        return 1;
    if (wm_vector_reserve(&raw->steps, &raw->step_capacity, raw->step_count + 1, sizeof *raw->steps) < 0)
        return -WM_ENOMEM;
    raw->steps[raw->step_count++] = (struct wm_conveyor_step){
        .link = arrived ? link_here(seat, link) : link_to(seat, link),
        .ticks = record->argument,
        .step = record->flags,
        .rank = seat->rank,
        .ns = ns,
        .age_ns = record->time_ticks > record->argument
                      ? wm_trace_duration_ns(reading->rank, record->time_ticks - record->argument)
                      : 0,
    };
    return 0;
}

static int read_state(struct reading *reading, struct seat *seat, const struct wm_trace_record *record, int64_t ns)
{
    struct wm_conveyor_totals *conveyor = conveyor_of(reading, seat);

    seat->turns = record->argument;
    if (record->flags == WORKING) {
        seat->begin_ns = ns;
        conveyor->begun++;
    } else if (record->flags == ENDGAME) {
        seat->endgame_ns = ns;
    } else if (record->flags == COMPLETE && seat->begin_ns >= 0) {
        conveyor->finished++;
        conveyor->run_ns += ns - seat->begin_ns;
        conveyor->endgame_ns += seat->endgame_ns >= 0 ? ns - seat->endgame_ns : 0;
    }
    return 0;
}

static int read_count(struct reading *reading, struct seat *seat, const struct wm_trace_record *record, int64_t ns)
{
    struct wm_conveyor_totals *conveyor = conveyor_of(reading, seat);
    uint64_t *const counts[] = {&conveyor->pushed, &conveyor->pulled, &conveyor->refused};

    (void)ns;
    if (record->flags >= sizeof counts / sizeof counts[0])
        return 1;
    *counts[record->flags] += record->argument;
    return 0;
}

static const struct {
    enum wm_trace_kind kind;
    int (*read)(struct reading *, struct seat *, const struct wm_trace_record *, int64_t ns);
} readers[] = {
    {WM_TRACE_CONVEY_STATE, read_state},     {WM_TRACE_CONVEY_OPEN, read_outlet}, {WM_TRACE_CONVEY_CLOSE, read_outlet},
    {WM_TRACE_CONVEY_TAKE, read_inlet},      {WM_TRACE_CONVEY_GIVE, read_inlet},  {WM_TRACE_CONVEY_PULL, read_inlet},
    {WM_TRACE_CONVEY_BLOCKED, read_blocked}, {WM_TRACE_CONVEY_COUNT, read_count}, {WM_TRACE_CONVEY_SAMPLE, read_sample},
};

static struct seat *seat_of(struct reading *reading, const struct wm_trace_record *record)
{
    const struct wm_trace_conveyor *definition = wm_trace_conveyor_find(reading->rank, record);
    struct seat *seat = definition != NULL ? &reading->seats[definition - reading->rank->conveyors] : NULL;

    if (seat == NULL || seat->definition == NULL)
        return NULL;
    if (seat->run != record->sequence)
        begin_run(reading, seat, record->sequence);
    return seat;
}

/* 1: the record means nothing. */
static int read_record(struct reading *reading, const struct wm_trace_record *record)
{
    int64_t ns = wm_trace_ns(reading->rank, record->time_ticks);
    struct seat *seat = wm_trace_plausible(reading->rank, ns) ? seat_of(reading, record) : NULL;

    if (seat == NULL)
        return 1;
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        if (readers[i].kind == record->kind)
            return readers[i].read(reading, seat, record, ns);
    return 1;
}

/* ---- ranks ---- */

static int seat_all(struct reading *reading)
{
    int count = reading->rank->conveyor_count, rc = 0;

    reading->seats = calloc((size_t)count + 1, sizeof *reading->seats);
    if (reading->seats == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < count && rc >= 0; i++)
        rc = take_seat(reading, &reading->seats[i], &reading->rank->conveyors[i]);
    return rc < 0 ? rc : 0;
}

static void leave_seat(struct reading *reading, struct seat *seat)
{
    if (seat->definition != NULL) {
        end_run(reading, seat);
        if (conveyor_of(reading, seat)->runs < seat->runs)
            conveyor_of(reading, seat)->runs = seat->runs;
    }
    free(seat->outlets);
    free(seat->inlets);
}

static void leave_all(struct reading *reading)
{
    for (int i = 0; reading->seats != NULL && i < reading->rank->conveyor_count; i++)
        leave_seat(reading, &reading->seats[i]);
    free(reading->seats);
    reading->seats = NULL;
}

static int read_rank(struct reading *reading)
{
    const struct wm_trace_record *record;
    int rc = seat_all(reading);

    for (uint64_t number = 0; rc >= 0 && (record = wm_trace_next(reading->rank, &number)) != NULL;) {
        const struct wm_trace_record copy = *record; /* a live job may overwrite it between a check and its use */
        bool concerns = copy.kind >= WM_TRACE_CONVEY_STATE && copy.kind <= WM_TRACE_CONVEY_SAMPLE;

        rc = concerns ? read_record(reading, &copy) : 0;
        reading->raw.conveyors->unknown += rc > 0;
    }
    leave_all(reading);
    return rc < 0 ? rc : 0;
}

static int bring_together(struct wm_conveyor_records *raw)
{
    int rc = wm_conveyors_match(raw);

    if (rc >= 0)
        rc = wm_conveyors_block(raw);
    return rc < 0 ? rc : wm_conveyors_follow(raw);
}

int wm_conveyor_table_make(struct wm_conveyor_table **conveyors, struct wm_trace *trace)
{
    struct reading reading = {.raw.trace = trace};
    int rc = 0;

    *conveyors = reading.raw.conveyors = calloc(1, sizeof **conveyors);
    if (*conveyors == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < trace->rank_count && rc >= 0; i++) {
        reading.rank = &trace->ranks[i];
        rc = read_rank(&reading);
    }
    if (rc >= 0)
        rc = bring_together(&reading.raw);
    free(reading.raw.closes);
    free(reading.raw.takes);
    free(reading.raw.waits);
    free(reading.raw.steps);
    if (rc < 0) {
        wm_conveyor_table_free(*conveyors);
        *conveyors = NULL;
    }
    return rc;
}

static void release_conveyor(struct wm_conveyor_totals *conveyor)
{
    for (int hop = 0; hop < conveyor->hop_count; hop++) {
        wm_spread_release(&conveyor->hops[hop].fill_permille);
        wm_spread_release(&conveyor->hops[hop].fill_ns);
        wm_spread_release(&conveyor->hops[hop].hop_ns);
        wm_spread_release(&conveyor->hops[hop].stay_ns);
        wm_spread_release(&conveyor->hops[hop].early_ns);
        wm_spread_release(&conveyor->hop_item_ns[hop]);
        wm_spread_release(&conveyor->relay_item_ns[hop]);
        free(conveyor->hops[hop].sent);
    }
    wm_spread_release(&conveyor->item_ns);
    free(conveyor->blocks);
}

void wm_conveyor_table_free(struct wm_conveyor_table *conveyors)
{
    if (conveyors == NULL)
        return;
    for (size_t i = 0; i < conveyors->count; i++)
        release_conveyor(&conveyors->conveyors[i]);
    free(conveyors->conveyors);
    free(conveyors);
}
