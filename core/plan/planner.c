/* The planner: steps, and what they wait for. */
#include "core/plan/planner_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/hash.h"

enum { CHUNK_BYTES_MIN = 1 << 10, CHUNK_BYTES_MAX = 64 << 10 };

static void out_of_memory(struct wm_planner *p)
{
    if (p->status == 0)
        p->status = wm_error_set(p->error, -WM_ENOMEM, "no memory for a plan");
}

void wm_planner_fail(struct wm_planner *p, const char *format, ...)
{
    const struct wm_wrapper *wrapper = p->position >= 0 ? &p->path->wrappers[p->position] : NULL;
    char text[WM_ERROR_TEXT_CHARS];
    va_list arguments;

    if (p->status < 0)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    p->status = wm_error_set(p->error, -WM_EPATH, "%s", text);
    if (wrapper != NULL)
        wm_error_place(p->error, NULL, wrapper->line, wrapper->column);
}

/* A chunk with room for so many bytes; NULL: no memory. One for much stands behind the one in use, which stays so. */
static struct wm_plan_chunk *add_chunk(struct wm_planner *p, size_t bytes)
{
    size_t room = p->chunks == NULL ? CHUNK_BYTES_MIN : p->chunks->room * 2;
    struct wm_plan_chunk *chunk, **at = &p->chunks;

    room = room < CHUNK_BYTES_MAX ? room : CHUNK_BYTES_MAX;
    if (bytes > room) {
        room = bytes;
        at = p->chunks != NULL ? &p->chunks->next : at;
    }
    chunk = calloc(1, sizeof *chunk + room);
    if (chunk == NULL)
        return NULL;
    *chunk = (struct wm_plan_chunk){.next = *at, .room = room};
    *at = chunk;
    return chunk;
}

void *wm_planner_allocate(struct wm_planner *p, size_t bytes)
{
    size_t whole = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct wm_plan_chunk *chunk = p->chunks;
    char *at;

    if (p->status == 0 && (chunk == NULL || chunk->room - chunk->used < whole))
        chunk = add_chunk(p, whole);
    if (p->status < 0 || chunk == NULL) {
        out_of_memory(p);
        return NULL;
    }
    at = (char *)chunk->data + chunk->used;
    chunk->used += whole;
    return at;
}

bool wm_planner_grow(struct wm_planner *p, void **array, int count, int *room, size_t element_bytes)
{
    int wanted = *room ? 2 * *room : 16;
    void *grown;

    if (count < *room)
        return true;
    grown = realloc(*array, element_bytes * (size_t)wanted);
    if (grown == NULL) {
        out_of_memory(p);
        return false;
    }
    *array = grown;
    *room = wanted;
    return true;
}

static void depend(void *data, int earlier)
{
    struct wm_planner *p = data;
    int step = p->plan->step_count - 1;

    if (earlier == step || p->stamp[earlier] == step || p->status < 0 ||
        !wm_planner_grow(p, (void **)&p->edges, p->edge_count, &p->edge_room, sizeof *p->edges))
        return;
    p->stamp[earlier] = step;
    p->edges[p->edge_count++] = (struct wm_edge){earlier, step};
    p->plan->steps[earlier].successors++;
    p->plan->steps[step].dependencies++;
}

/* Append a step; its dependencies follow. Returns its number, -1 after an error. */
static int add_step(struct wm_planner *p, enum wm_step_kind kind, int peer, size_t count)
{
    int rooms[2] = {p->step_room, p->step_room}, step = p->plan->step_count;

    if (p->call->steps_max > 0 && (size_t)step == p->call->steps_max)
        out_of_memory(p);
    if (p->status < 0 || !wm_planner_grow(p, (void **)&p->plan->steps, step, &p->step_room, sizeof *p->plan->steps) ||
        !wm_planner_grow(p, (void **)&p->stamp, step, &rooms[0], sizeof *p->stamp) ||
        !wm_planner_grow(p, (void **)&p->follower, step, &rooms[1], sizeof *p->follower))
        return -1;
    p->stamp[step] = -1;
    p->plan->steps[step] = (struct wm_step){
        .kind = (uint8_t)kind,
        .traced = p->trace_depth > 0,
        .node = (uint16_t)(p->position >= 0 ? p->path->wrappers[p->position].node : 0),
        .peer = peer,
        .count = count,
    };
    p->plan->step_count++;
    return step;
}

static void access_units(struct wm_planner *p, enum wm_access access, struct wm_ref ref, size_t count)
{
    if (p->status == 0 && wm_hazards_access(p->hazards, p->plan->step_count - 1, access, ref, count, depend, p) < 0)
        out_of_memory(p);
}

void wm_planner_after(struct wm_planner *p, int step)
{
    if (step >= 0 && p->status == 0 &&
        wm_planner_grow(p, (void **)&p->after, p->after_count, &p->after_room, sizeof *p->after))
        p->after[p->after_count++] = step;
}

/* Wait for the gate, unless something behind the gate is waited for already. */
static void wait_for_gate(struct wm_planner *p)
{
    int step = p->plan->step_count - 1;

    if (p->status < 0 || p->gate.step < 0)
        return;
    for (int e = p->edge_count - 1; e >= 0 && p->edges[e].to == step; e--)
        if (p->edges[e].from >= p->gate.start)
            return;
    depend(p, p->gate.step);
}

/* Wait for what was asked for, and for the gate. */
static void pass_gate(struct wm_planner *p)
{
    for (int i = 0; i < p->after_count && p->status == 0; i++)
        depend(p, p->after[i]);
    p->after_count = 0;
    wait_for_gate(p);
}

/* Before a step that reads or updates: let one step wait for the crowd that it would wait for, as others will too. */
static void join_crowd(struct wm_planner *p, enum wm_access access, struct wm_ref ref, size_t count)
{
    if (count == 0 || p->status < 0 || !wm_hazards_crowded(p->hazards, access, ref, count) ||
        add_step(p, WM_STEP_JOIN, -1, 0) < 0)
        return;
    access_units(p, WM_JOIN, ref, count);
    wait_for_gate(p);
}

/* Nothing to do: what was asked for it is forgotten. */
static int no_step(struct wm_planner *p)
{
    p->after_count = 0;
    return -1;
}

/* The seat of a peer, or the free one that is to be its. */
static struct wm_pair_messages *find_seat(const struct wm_pairs_met *met, int peer)
{
    uint64_t mask = (uint64_t)met->room - 1, at = wm_hash_scatter((uint64_t)peer) & mask;

    while (met->seats[at].count > 0 && met->seats[at].peer != peer)
        at = (at + 1) & mask;
    return &met->seats[at];
}

static bool make_seats(struct wm_planner *p, struct wm_pairs_met *met)
{
    struct wm_pairs_met more = {met->count, met->room > 0 ? 2 * met->room : 16, NULL};

    more.seats = calloc((size_t)more.room, sizeof *more.seats);
    if (more.seats == NULL) {
        out_of_memory(p);
        return false;
    }
    for (int i = 0; i < met->room; i++)
        if (met->seats[i].count > 0)
            *find_seat(&more, met->seats[i].peer) = met->seats[i];
    free(met->seats);
    *met = more;
    return true;
}

/* Number the newest step's message. It waits for the one that has its tag. */
static void number_message(struct wm_planner *p, struct wm_pairs_met *met, int peer)
{
    int step = p->plan->step_count - 1;
    struct wm_pair_messages *messages;

    if (2 * met->count >= met->room && !make_seats(p, met))
        return;
    messages = find_seat(met, peer);
    met->count += messages->count == 0;
    messages->peer = peer;

    if (messages->count == WM_MESSAGES_MAX - 1)
        wm_planner_fail(p, "more than %d messages to one rank in a call; use larger segments", WM_MESSAGES_MAX - 1);
    if (messages->count > 0)
        p->follower[messages->newest] = step;
    else
        messages->tag_holder = step;
    messages->newest = step;
    if (messages->count >= WM_MESSAGE_TAGS) {
        wm_planner_after(p, messages->tag_holder);
        messages->tag_holder = p->follower[messages->tag_holder];
    }
    p->plan->steps[step].message = messages->count++;
}

int wm_planner_send(struct wm_planner *p, int peer, struct wm_ref source, size_t count)
{
    int step;

    join_crowd(p, WM_READ, source, count);
    step = count > 0 ? add_step(p, WM_STEP_SEND, peer, count) : no_step(p);
    if (step < 0)
        return -1;
    p->plan->steps[step].source = source;
    number_message(p, &p->sent, peer);
    wm_planner_address(p, &p->plan->steps[step]);
    access_units(p, WM_READ, source, count);
    pass_gate(p);
    return step;
}

int wm_planner_recv(struct wm_planner *p, int peer, struct wm_ref target, size_t count)
{
    int step = count > 0 ? add_step(p, WM_STEP_RECV, peer, count) : no_step(p);

    if (step < 0)
        return -1;
    p->plan->steps[step].target = target;
    number_message(p, &p->received, peer);
    wm_planner_address(p, &p->plan->steps[step]);
    access_units(p, WM_WRITE, target, count);
    pass_gate(p);
    return step;
}

/* Blocks that no step has written yet are one range: whoever writes between them is a little later for it. */
static void read_source(struct wm_planner *p, const struct wm_step *step)
{
    struct wm_stride stride = wm_plan_stride(p->plan, step);
    size_t extent = wm_plan_extent(p->plan, step), count = step->count;
    struct wm_ref at = step->source;

    if (!wm_hazards_written(p->hazards, at, extent)) {
        access_units(p, WM_READ, at, extent);
        return;
    }
    for (; count > 0; count -= stride.block, at.offset += stride.distance)
        access_units(p, WM_READ, at, stride.block);
}

static int add_local(struct wm_planner *p, enum wm_step_kind kind, struct wm_ref source, struct wm_ref target,
                     size_t count)
{
    int step = count > 0 ? add_step(p, kind, -1, count) : no_step(p);

    if (step >= 0) {
        p->plan->steps[step].source = source;
        p->plan->steps[step].target = target;
    }
    return step;
}

/* Find what the newest step waits for. */
static void access_local(struct wm_planner *p, int step, enum wm_access access)
{
    if (step < 0)
        return;
    read_source(p, &p->plan->steps[step]);
    access_units(p, access, p->plan->steps[step].target, p->plan->steps[step].count);
    pass_gate(p);
}

void wm_planner_reduce(struct wm_planner *p, struct wm_ref source, struct wm_ref target, size_t count, bool ordered)
{
    enum wm_access access = ordered ? WM_WRITE : WM_UPDATE;

    join_crowd(p, WM_READ, source, count);
    join_crowd(p, access, target, count);
    access_local(p, add_local(p, WM_STEP_REDUCE, source, target, count), access);
}

void wm_planner_copy(struct wm_planner *p, struct wm_ref source, struct wm_ref target, size_t count)
{
    join_crowd(p, WM_READ, source, count);
    access_local(p, add_local(p, WM_STEP_COPY, source, target, count), WM_WRITE);
}

void wm_planner_copy_blocks(struct wm_planner *p, struct wm_ref source, struct wm_stride stride, struct wm_ref target,
                            size_t count)
{
    struct wm_plan *plan = p->plan;
    int step;

    join_crowd(p, WM_READ, source, (count / stride.block - 1) * stride.distance + stride.block);
    step = add_local(p, WM_STEP_COPY, source, target, count);
    if (step < 0 ||
        !wm_planner_grow(p, (void **)&plan->strides, plan->stride_count, &p->stride_room, sizeof *plan->strides))
        return;
    plan->strides[plan->stride_count++] = stride;
    plan->steps[step].message = (uint32_t)plan->stride_count;
    access_local(p, step, WM_WRITE);
}

static void join_crowds(struct wm_planner *p, const struct wm_shared *shared)
{
    struct wm_ref at;
    size_t count;

    for (int i = 0; i < shared->size; i++)
        if (wm_shared_gives(shared, i, &at, &count))
            join_crowd(p, WM_READ, at, count);
}

/* What it reads comes first: a range that is combined in place is then written by its one reader. */
static void access_shared(struct wm_planner *p, const struct wm_shared *shared)
{
    struct wm_ref at;
    size_t count;

    for (int i = 0; i < shared->size; i++)
        if (wm_shared_gives(shared, i, &at, &count))
            access_units(p, WM_READ, at, count);
    for (int i = 0; i < shared->size; i++)
        if (wm_shared_gets(shared, i, &at, &count))
            access_units(p, WM_WRITE, at, count);
}

int wm_planner_shared(struct wm_planner *p, const struct wm_shared *shared)
{
    struct wm_plan *plan = p->plan;
    size_t units = shared->size > 1 ? wm_shared_units(shared) : 0;
    int step;

    if (units == 0 || p->status < 0)
        return no_step(p);
    join_crowds(p, shared);
    step = add_step(p, WM_STEP_SHARED, -1, units);
    if (step < 0 ||
        !wm_planner_grow(p, (void **)&plan->shared, plan->shared_count, &p->shared_room, sizeof *plan->shared))
        return -1;
    if (!wm_shared_copy(&plan->shared[plan->shared_count], shared)) {
        out_of_memory(p);
        return -1;
    }
    plan->steps[step].message = (uint32_t)plan->shared_count++;
    plan->steps[step].transport = p->carrier.transport;
    access_shared(p, shared);
    pass_gate(p);
    return step;
}

bool wm_planner_omits(struct wm_planner *p, int round, int rounds)
{
    struct wm_plan *plan = p->plan;
    int kept = p->call->rounds_max;

    if (round == 0)
        p->rounds_first = plan->step_count;
    if (kept == 0 || rounds <= kept || round < kept - 1 || round == rounds - 1)
        return false;
    if (round == kept - 1 && plan->gap_count < WM_GAPS_MAX)
        plan->gaps[plan->gap_count++] = (struct wm_gap){p->rounds_first, plan->step_count, rounds - kept};
    return plan->gap_count > 0 && plan->gaps[plan->gap_count - 1].first == p->rounds_first;
}

void wm_planner_native(struct wm_planner *p)
{
    if (add_step(p, WM_STEP_NATIVE, -1, p->flow.count) >= 0)
        pass_gate(p);
}

/* Make the newest step wait for all steps from `start` on that nothing waits for yet. */
static void depend_on_sinks(struct wm_planner *p, int start)
{
    int step = p->plan->step_count - 1;

    for (int earlier = start; p->status == 0 && earlier < step; earlier++)
        if (p->plan->steps[earlier].successors == 0)
            depend(p, earlier);
}

void wm_planner_strike(struct wm_planner *p, const struct wm_fault *fault)
{
    int step = p->rank == fault->rank ? add_step(p, WM_STEP_STRIKE, -1, 0) : -1;

    if (step < 0)
        return;
    pass_gate(p);
    p->gate = (struct wm_gate){step, step};
    p->plan->fault = *fault;
}

struct wm_mark wm_planner_enter(struct wm_planner *p)
{
    struct wm_mark mark = {p->call->traced ? add_step(p, WM_STEP_ENTER, p->call->root, p->flow.count) : -1, p->gate};

    if (mark.step < 0)
        return mark;
    pass_gate(p);
    p->gate = (struct wm_gate){mark.step, mark.step};
    p->trace_depth++;
    return mark;
}

void wm_planner_leave(struct wm_planner *p, struct wm_mark mark)
{
    if (mark.step < 0 || p->status < 0)
        return;
    p->trace_depth--;
    p->gate = mark.outer;
    add_step(p, WM_STEP_LEAVE, p->call->root, p->flow.count);
    depend_on_sinks(p, mark.step);
}

void wm_planner_pieces_begin(struct wm_planner *p, int window)
{
    p->window = window > WM_PIECES_WINDOW_MAX - 1 ? WM_PIECES_WINDOW_MAX - 1 : window;
    p->outer_gate = p->gate;
}

void wm_planner_piece_begin(struct wm_planner *p, int piece)
{
    p->pool = &p->pools[1 + piece % p->window];
    p->pool->next = p->pool->arrival_next = 0;
    p->piece_start = p->plan->step_count;
    p->gate = p->outer_gate;
    if (piece >= p->window && p->piece_ends[piece % p->window] >= 0)
        p->gate = (struct wm_gate){p->piece_ends[piece % p->window], p->piece_start};
}

void wm_planner_piece_end(struct wm_planner *p, int piece)
{
    int step = p->plan->step_count > p->piece_start ? add_step(p, WM_STEP_JOIN, -1, 0) : -1;

    if (step >= 0)
        depend_on_sinks(p, p->piece_start);
    p->piece_ends[piece % p->window] = step;
}

void wm_planner_pieces_end(struct wm_planner *p)
{
    p->gate = p->outer_gate;
    p->pool = &p->pools[0];
}

int wm_planner_give(struct wm_planner *p, int peer, size_t offset, size_t count)
{
    return count > 0 ? wm_planner_send(p, peer, wm_planner_given(p, offset, count), count) : no_step(p);
}

int wm_planner_take(struct wm_planner *p, int peer, size_t offset, size_t count)
{
    return count > 0 ? wm_planner_recv(p, peer, wm_planner_taken(p, offset, count), count) : no_step(p);
}
