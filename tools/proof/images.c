/* Images: two plans, step by step. */
#include "tools/proof/images.h"

#include <stdlib.h>
#include <string.h>
#include "core/hash.h"

enum { ALL_RANKS = 128, SAMPLE_RANKS = 64, SAMPLE_RANKS_LEAST = 4, SAMPLE_STEPS = 2000000 };

int wm_image_sample(const struct wm_symmetry *s, int n, size_t steps, uint64_t *random)
{
    int images = s->ranks <= ALL_RANKS ? s->ranks - s->step : s->step, others = n - images;

    if (others < 0)
        return s->step + n;
    if (s->ranks <= ALL_RANKS || others >= SAMPLE_RANKS || (others >= SAMPLE_RANKS_LEAST && steps > SAMPLE_STEPS))
        return -1;
    *random = wm_hash_scatter(*random + 1);
    return s->step + (int)(*random % (uint64_t)(s->ranks - s->step));
}

enum wm_space wm_image_space(enum wm_operation operation, int may)
{
    if (may == WM_MAY_RANK && wm_operation_data(operation) == WM_DATA_PAIRS)
        return WM_SPACE_BLOCKS;
    return may == WM_MAY_STAY ? WM_SPACE_FIXED : wm_symmetry_home(operation);
}

static bool goes_to(const struct wm_imaging *c, enum wm_space space, struct wm_ref from, struct wm_ref to, size_t count)
{
    size_t image;

    return wm_symmetry_range(c->symmetry, space, c->displacement, from.offset, count, &image) && image == to.offset;
}

static bool same_ref(struct wm_imaging *c, struct wm_ref from, struct wm_ref to, size_t count, bool writes)
{
    const struct wm_scenario *s = c->scenario;
    uint8_t *may;

    if (c->may == NULL)
        return true;
    if (from.buffer != to.buffer)
        return false;
    if (from.buffer < WM_BUFFER_TEMPORARY)
        return goes_to(c, wm_symmetry_space(s, from.buffer, writes), from, to, count);
    may = &c->may[from.buffer - WM_BUFFER_TEMPORARY];
    for (int one = WM_MAY_GO; one <= WM_MAY_STAY; one *= 2)
        if (*may & one && !goes_to(c, wm_image_space(s->operation, one), from, to, count))
            *may &= (uint8_t)~one;
    return *may != 0;
}

/* What a member gives, or what it gets. */
static bool same_side(struct wm_imaging *c, const struct wm_shared *a, const struct wm_shared *b,
                      bool (*side)(const struct wm_shared *, int, struct wm_ref *, size_t *), bool writes)
{
    for (int i = 0; i < a->size; i++) {
        struct wm_ref from, to;
        size_t count, other;
        bool one = side(a, i, &from, &count), two = side(b, i, &to, &other);

        if (one != two || (one && (count != other || !same_ref(c, from, to, count, writes))))
            return false;
    }
    return true;
}

static bool same_shared(struct wm_imaging *c, const struct wm_shared *a, const struct wm_shared *b)
{
    if (a->kind != b->kind || a->size != b->size || a->self != b->self || a->root != b->root || a->fan != b->fan)
        return false;
    for (int i = 0; i < a->size; i++)
        if (wm_symmetry_image(c->symmetry, c->displacement, a->members[i]) != b->members[i])
            return false;
    return same_side(c, a, b, wm_shared_gives, false) && same_side(c, a, b, wm_shared_gets, true);
}

/* Where a range comes to stand, if its units do as one; in temporaries by what these may be. */
static bool block_image(const struct wm_imaging *c, struct wm_ref at, size_t count, int may, bool writes, size_t *image)
{
    bool temporary = at.buffer >= WM_BUFFER_TEMPORARY;
    enum wm_space space =
        temporary ? wm_image_space(c->scenario->operation, may) : wm_symmetry_space(c->scenario, at.buffer, writes);

    *image = at.offset;
    return space == WM_SPACE_FIXED || (!wm_symmetry_permutes(c->symmetry, space, at.offset, count) &&
                                       wm_symmetry_range(c->symmetry, space, c->displacement, at.offset, count, image));
}

/* Does the image of each block's copy stand among those of `b`, if source and target are these? */
static bool blocks_go(const struct wm_imaging *c, const struct wm_step *a, const struct wm_step *b, int reads,
                      int writes)
{
    struct wm_stride stride = wm_plan_stride(c->from, a), other = wm_plan_stride(c->to, b);
    struct wm_ref to = a->target;

    if (other.first >= b->count / other.block)
        return false;
    for (size_t done = 0; done < a->count; done += stride.block) {
        struct wm_ref from = {a->source.buffer, a->source.offset + wm_stride_at(stride, a->count, done)};
        size_t source, target;

        if (!block_image(c, from, stride.block, reads, false, &source) ||
            !block_image(c, to, stride.block, writes, true, &target))
            return false;
        target -= b->target.offset; /* huge where it stands before */
        if (target >= b->count || target % other.block != 0 ||
            source != b->source.offset + wm_stride_at(other, b->count, target))
            return false;
        to.offset += stride.block;
    }
    return true;
}

static int may_be(const struct wm_imaging *c, int buffer)
{
    return buffer >= WM_BUFFER_TEMPORARY ? c->may[buffer - WM_BUFFER_TEMPORARY] : WM_MAY_STAY;
}

static void narrow(struct wm_imaging *c, int buffer, int may)
{
    if (buffer >= WM_BUFFER_TEMPORARY)
        c->may[buffer - WM_BUFFER_TEMPORARY] = (uint8_t)may;
}

/* Blocks of a temporary that goes may come to one that stays, as those of a user's buffer do. */
static int going_sources(const struct wm_imaging *c, const struct wm_step *a, const struct wm_step *b)
{
    int sources = 0;

    for (int from = WM_MAY_GO; from <= WM_MAY_RANK; from *= 2)
        if (may_be(c, a->source.buffer) & from && may_be(c, a->target.buffer) & WM_MAY_STAY &&
            blocks_go(c, a, b, from, WM_MAY_STAY))
            sources |= from;
    return sources;
}

/* Copies of blocks. Which of them belong together matters: of two temporaries each becomes one thing. */
static bool same_blocks(struct wm_imaging *c, const struct wm_step *a, const struct wm_step *b)
{
    bool both = a->source.buffer >= WM_BUFFER_TEMPORARY && a->target.buffer >= WM_BUFFER_TEMPORARY;
    int sources = 0, targets = 0;

    if (wm_plan_stride(c->from, a).block != wm_plan_stride(c->to, b).block)
        return false;
    if (c->may == NULL)
        return true;
    if (a->source.buffer != b->source.buffer || a->target.buffer != b->target.buffer)
        return false;
    for (int from = WM_MAY_GO; from <= WM_MAY_STAY; from *= 2)
        for (int to = WM_MAY_GO; to <= WM_MAY_STAY; to *= 2)
            if (may_be(c, a->source.buffer) & from && may_be(c, a->target.buffer) & to &&
                (!both || (sources == 0 && (from == WM_MAY_STAY) == (to == WM_MAY_STAY))) &&
                blocks_go(c, a, b, from, to)) {
                sources |= from;
                targets |= to;
            }
    if (both && sources == 0) {
        sources = going_sources(c, a, b);
        targets = WM_MAY_STAY;
    }
    narrow(c, a->source.buffer, sources);
    narrow(c, a->target.buffer, targets);
    return sources != 0;
}

/* Messages are numbered alike; so are the strides of copies, which may stand in another order. */
static bool same_message(const struct wm_step *a, const struct wm_step *b)
{
    return a->kind == WM_STEP_COPY ? (a->message == 0) == (b->message == 0) : a->message == b->message;
}

/* But for where they read and write, and what waits for what. */
static bool same_kind(const struct wm_imaging *c, const struct wm_step *a, const struct wm_step *b)
{
    if (a->kind != b->kind || a->traced != b->traced || a->spoilt != b->spoilt || a->node != b->node ||
        a->net != b->net || a->transport != b->transport || !same_message(a, b) || a->held != b->held ||
        a->count != b->count)
        return false;
    return a->peer < 0 ? b->peer == a->peer : b->peer == wm_symmetry_image(c->symmetry, c->displacement, a->peer);
}

static bool same_step(struct wm_imaging *c, const struct wm_step *a, const struct wm_step *b)
{
    bool reads = wm_step_reads((enum wm_step_kind)a->kind), writes = wm_step_writes((enum wm_step_kind)a->kind);

    if (!same_kind(c, a, b) || a->dependencies != b->dependencies || a->successors != b->successors)
        return false;
    if (a->kind == WM_STEP_COPY && a->message != 0)
        return same_blocks(c, a, b);
    return (!reads || same_ref(c, a->source, b->source, a->count, false)) &&
           (!writes || same_ref(c, a->target, b->target, a->count, true));
}

static bool same_arrays(const struct wm_plan *a, const struct wm_plan *b)
{
    return a->step_count == b->step_count && a->temporary_count == b->temporary_count &&
           a->shared_count == b->shared_count && a->transport_count == b->transport_count &&
           (a->temporary_count == 0 || memcmp(a->temporary_units, b->temporary_units,
                                              sizeof *a->temporary_units * (size_t)a->temporary_count) == 0) &&
           (a->transport_count == 0 ||
            memcmp(a->transports, b->transports, sizeof *a->transports * (size_t)a->transport_count) == 0);
}

/* A copy by its end in a user's buffer, where that is to stand in the image; of two temporaries by its target. */
struct copy {
    int step;
    bool reads; /* this end is its source */
    struct wm_ref at;
};

static int compare_copies(const void *left, const void *right)
{
    const struct copy *a = left, *b = right;

    if (a->reads != b->reads)
        return a->reads - b->reads;
    if (a->at.buffer != b->at.buffer)
        return a->at.buffer - b->at.buffer;
    if (a->at.offset != b->at.offset)
        return a->at.offset < b->at.offset ? -1 : 1;
    return a->step - b->step;
}

/* The lowest image of the blocks of a copy, at its source or its target in a user's buffer. */
static size_t lowest_image(const struct wm_imaging *c, struct wm_ref at, struct wm_stride stride, bool source,
                           size_t count)
{
    enum wm_space space = wm_symmetry_space(c->scenario, at.buffer, !source);
    size_t lowest = SIZE_MAX, image;

    for (size_t done = 0; done < count; done += stride.block) {
        wm_symmetry_range(c->symmetry, space, c->displacement, at.offset, stride.block, &image);
        lowest = image < lowest ? image : lowest;
        at.offset += source ? stride.distance : stride.block;
    }
    return lowest;
}

/* List the copies from `first` on; `moved`: as their images. Returns how many. */
static int list_copies(const struct wm_imaging *c, const struct wm_plan *plan, int first, bool moved,
                       struct copy *copies)
{
    int count = 0;

    for (; first + count < plan->step_count && plan->steps[first + count].kind == WM_STEP_COPY; count++) {
        const struct wm_step *step = &plan->steps[first + count];
        bool reads = step->target.buffer >= WM_BUFFER_TEMPORARY && step->source.buffer < WM_BUFFER_TEMPORARY;
        struct copy *copy = &copies[count];

        *copy = (struct copy){first + count, reads, reads ? step->source : step->target};
        if (moved && copy->at.buffer < WM_BUFFER_TEMPORARY)
            copy->at.offset = lowest_image(c, copy->at, wm_plan_stride(plan, step), reads, step->count);
    }
    qsort(copies, (size_t)count, sizeof *copies, compare_copies);
    return count;
}

/* Which step is the image of which: the n-th of the n-th, but of copies that follow each other. */
static bool put_in_order(struct wm_imaging *c, struct wm_arena *arena, int *step)
{
    size_t room = (size_t)c->from->step_count + 1;
    struct copy *from = wm_arena_take(arena, sizeof *from * room), *to = wm_arena_take(arena, sizeof *to * room);

    for (int s = 0, count; s<c->from->step_count; s += count> 0 ? count : 1) {
        *step = c->order[s] = s;
        count = c->may == NULL ? 0 : list_copies(c, c->from, s, true, from);
        if (count > 0 && list_copies(c, c->to, s, false, to) != count)
            return false;
        for (int i = 0; i < count; i++)
            c->order[from[i].step] = to[i].step;
    }
    return true;
}

/* The image of the n-th step that waits for a step is the n-th that waits for its image. */
static bool follow(struct wm_imaging *c, int s)
{
    const struct wm_step *a = &c->from->steps[s], *b = c->order[s] >= 0 ? &c->to->steps[c->order[s]] : NULL;

    if (b == NULL || a->successors != b->successors)
        return false;
    for (int e = 0; e < a->successors; e++) {
        int *image = &c->order[c->from->successors[a->first_successor + e]];
        int next = c->to->successors[b->first_successor + e];

        if (*image >= 0 && *image != next)
            return false;
        *image = next;
    }
    return true;
}

/* By what waits for what: so their order is the same whenever they are ready. Only copies may stand elsewhere. */
static bool put_by_causes(struct wm_imaging *c)
{
    int others = -1;

    if (c->from->root_count != c->to->root_count)
        return false;
    for (int s = 0; s < c->from->step_count; s++)
        c->order[s] = -1;
    for (int i = 0; i < c->from->root_count; i++)
        c->order[c->from->roots[i]] = c->to->roots[i];
    for (int s = 0; s < c->from->step_count; s++) {
        if (!follow(c, s))
            return false;
        if (c->from->steps[s].kind != WM_STEP_COPY && c->order[s] <= others)
            return false;
        others = c->from->steps[s].kind != WM_STEP_COPY ? c->order[s] : others;
    }
    return true;
}

static int compare_numbers(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

/* The images of its successors are its image's. */
static bool same_successors(const struct wm_imaging *c, int s, int *images, int *others)
{
    const struct wm_step *a = &c->from->steps[s], *b = &c->to->steps[c->order[s]];
    size_t count = (size_t)a->successors;

    for (size_t e = 0; e < count; e++) {
        images[e] = c->order[c->from->successors[(size_t)a->first_successor + e]];
        others[e] = c->to->successors[(size_t)b->first_successor + e];
    }
    if (memcmp(images, others, sizeof *images * count) == 0)
        return true;
    qsort(images, count, sizeof *images, compare_numbers);
    qsort(others, count, sizeof *others, compare_numbers);
    return memcmp(images, others, sizeof *images * count) == 0;
}

static bool same_at(struct wm_imaging *c, int s, int *images, int *others)
{
    const struct wm_step *a = &c->from->steps[s], *b = &c->to->steps[c->order[s]];

    if (!same_step(c, a, b) || !same_successors(c, s, images, others))
        return false;
    return a->kind != WM_STEP_SHARED || same_shared(c, &c->from->shared[a->message], &c->to->shared[b->message]);
}

static bool same_steps(struct wm_imaging *c, int *images, int *others, int *step)
{
    for (*step = 0; *step < c->from->step_count; ++*step)
        if (!same_at(c, *step, images, others))
            return false;
    return true;
}

/* The sends and receives of a plan. */
struct messages {
    const struct wm_plan *plan;
    int count, *steps;
    int *numbers; /* by step; -1: it is another one */
    int *waiting; /* of a step */
};

/* False: one waits for another step, or there are steps beside copies and reductions that are none of these. */
static bool list_messages(struct messages *l, const struct wm_plan *plan, struct wm_arena *arena)
{
    size_t bytes = sizeof(int) * ((size_t)plan->step_count + 1);

    *l = (struct messages){plan, 0, wm_arena_take(arena, bytes), wm_arena_take(arena, bytes),
                           wm_arena_take(arena, bytes)};
    for (int s = 0; s < plan->step_count; s++) {
        int kind = plan->steps[s].kind;

        l->numbers[s] = kind == WM_STEP_SEND || kind == WM_STEP_RECV ? l->count : -1;
        if (l->numbers[s] >= 0)
            l->steps[l->count++] = s;
        else if (kind != WM_STEP_COPY && kind != WM_STEP_REDUCE && kind != WM_STEP_JOIN)
            return false;
    }
    for (int s = 0; s < plan->step_count; s++)
        for (int e = 0; l->numbers[s] < 0 && e < plan->steps[s].successors; e++)
            if (l->numbers[plan->successors[plan->steps[s].first_successor + e]] >= 0)
                return false;
    return true;
}

/* The messages that wait for a step, in order. Returns how many. */
static size_t list_waiting(const struct messages *l, const struct wm_step *step)
{
    size_t count = 0;

    for (int e = 0; e < step->successors; e++) {
        int number = l->numbers[l->plan->successors[step->first_successor + e]];

        if (number >= 0)
            l->waiting[count++] = number;
    }
    qsort(l->waiting, count, sizeof *l->waiting, compare_numbers);
    return count;
}

static bool same_messages(struct wm_imaging *c, struct wm_arena *arena, int *step)
{
    struct messages from, to;

    if (!list_messages(&from, c->from, arena) || !list_messages(&to, c->to, arena) || from.count != to.count)
        return false;
    for (int i = 0; i < from.count; i++) {
        const struct wm_step *a = &c->from->steps[ *step = from.steps[i]], *b = &c->to->steps[to.steps[i]];
        size_t count = list_waiting(&from, a);

        if (!same_kind(c, a, b) || list_waiting(&to, b) != count ||
            memcmp(from.waiting, to.waiting, sizeof *from.waiting * count) != 0)
            return false;
        if (a->kind == WM_STEP_SEND &&
            (a->source.buffer >= WM_BUFFER_TEMPORARY || !same_ref(c, a->source, b->source, a->count, false)))
            return false;
    }
    return true;
}

bool wm_image_check(struct wm_imaging *c, struct wm_arena *arena, int *step)
{
    size_t room = (size_t)c->from->step_count + 1;
    int *images, *others;

    *step = -1;
    if (c->symmetry->apart)
        return same_messages(c, arena, step);
    if (!same_arrays(c->from, c->to))
        return false;
    c->order = wm_arena_take(arena, sizeof *c->order * room);
    if (!put_in_order(c, arena, step))
        return false;
    images = wm_arena_take(arena, sizeof *images * room);
    others = wm_arena_take(arena, sizeof *others * room);
    return same_steps(c, images, others, step) ||
           (c->may == NULL && put_by_causes(c) && same_steps(c, images, others, step));
}
