/* Shared steps: threads as members of a group run long series of random steps of every kind, in small rounds. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "core/shared.h"
#include "tests/check.h"

enum { MEMBERS_MAX = 9, UNITS_MAX = 700, STEPS = 400 };

/* A unit is a map x -> factor x + term: composing is associative and does not commute. */
struct affine {
    uint32_t factor, term;
};

static void compose(const void *a, const void *b, void *out, size_t count)
{
    const struct affine *first = a, *second = b;
    struct affine *both = out;

    for (size_t i = 0; i < count; i++)
        both[i] =
            (struct affine){first[i].factor * second[i].factor, first[i].term * second[i].factor + second[i].term};
}

/* What member `m` gives in unit `i` of what it has for `to`. */
static struct affine brought(uint32_t step, int m, int to, size_t i)
{
    uint32_t h = (step * 2654435761u) ^ (uint32_t)(m * 40503 + to * 9176 + 1) * 2246822519u ^ (uint32_t)i * 3266489917u;

    h = (h ^ h >> 15) * 2246822519u;
    return (struct affine){h | 1, h >> 7};
}

static uint32_t next(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*random >> 33);
}

/* A series of steps, the same at all members. */
struct series {
    int size;
    uint64_t seed;
    size_t chunk_bytes; /* 0: random */
    bool crowded;
    void *area;
};

struct member {
    const struct series *series;
    int self;
    struct wm_shared_lane lane;
    struct affine *in, *out; /* [MEMBERS_MAX * UNITS_MAX] */
    int faults;
};

struct plan_of_step {
    struct wm_shared shared;
    int members[MEMBERS_MAX];
    struct wm_ref from[MEMBERS_MAX], to[MEMBERS_MAX];
    size_t counts[MEMBERS_MAX];
    bool in_place;
    size_t chunk_bytes;
};

static bool has_shares(int kind)
{
    return kind == WM_SHARED_GATHER || kind == WM_SHARED_SCATTER || kind == WM_SHARED_ALLGATHER ||
           kind == WM_SHARED_REDUCE_SCATTER;
}

static void draw_step(struct plan_of_step *p, const struct member *me, uint64_t *random)
{
    int n = me->series->size;
    size_t most = next(random) % 3 == 0 ? UNITS_MAX : 1 + next(random) % 9;

    p->shared = (struct wm_shared){.kind = (uint8_t)(next(random) % WM_SHARED_KIND_COUNT),
                                   .size = n,
                                   .self = me->self,
                                   .root = (int)(next(random) % (uint32_t)n),
                                   .members = p->members,
                                   .from = p->from,
                                   .to = p->to,
                                   .counts = p->counts};
    p->in_place = next(random) % 3 == 0 && p->shared.kind >= WM_SHARED_REDUCE;
    p->chunk_bytes = me->series->chunk_bytes != 0 ? me->series->chunk_bytes : 8 + next(random) % 4000;
    for (int m = 0; m < n; m++) {
        p->members[m] = m;
        p->counts[m] = has_shares(p->shared.kind) ? next(random) % (most + 1) : most;
        p->from[m] = (struct wm_ref){p->in_place ? WM_BUFFER_RECEIVE : WM_BUFFER_SEND, (size_t)m * UNITS_MAX};
        p->to[m] = (struct wm_ref){WM_BUFFER_RECEIVE, (size_t)m * UNITS_MAX};
    }
    if (p->in_place && p->shared.kind == WM_SHARED_REDUCE_SCATTER)
        p->to[0] = p->from[me->self];
}

/* The `of` that member m's data is for, in each kind: what brought() was asked with. */
static struct affine combined(uint32_t step, int n, int to, size_t i)
{
    struct affine all = brought(step, 0, to, i), one;

    for (int m = 1; m < n; m++) {
        one = brought(step, m, to, i);
        compose(&all, &one, &all, 1);
    }
    return all;
}

static void fill(const struct plan_of_step *p, struct member *me, uint32_t step)
{
    struct affine *from = p->in_place ? me->out : me->in;

    memset(me->out, 0xee, sizeof *me->out * MEMBERS_MAX * UNITS_MAX);
    for (int to = 0; to < p->shared.size; to++)
        for (size_t i = 0; i < UNITS_MAX; i++)
            from[(size_t)to * UNITS_MAX + i] = brought(step, me->self, to, i);
}

static void expect(struct member *me, const struct affine *got, size_t i, struct affine wanted)
{
    if (memcmp(&got[i], &wanted, sizeof wanted) != 0)
        me->faults++;
}

static void check_moved(struct member *me, const struct plan_of_step *p, uint32_t step)
{
    const struct wm_shared *s = &p->shared;
    bool root = me->self == s->root;

    for (int m = 0; m < s->size; m++)
        for (size_t i = 0; m != me->self && i < p->counts[m]; i++)
            if (s->kind == WM_SHARED_ALLGATHER || (s->kind == WM_SHARED_GATHER && root))
                expect(me, me->out + (size_t)m * UNITS_MAX, i, brought(step, m, 0, i));
            else if (s->kind == WM_SHARED_ALLTOALL)
                expect(me, me->out + (size_t)m * UNITS_MAX, i, brought(step, m, me->self, i));
    for (size_t i = 0; !root && s->kind == WM_SHARED_BCAST && i < p->counts[0]; i++)
        expect(me, me->out, i, brought(step, s->root, 0, i));
    for (size_t i = 0; !root && s->kind == WM_SHARED_SCATTER && i < p->counts[me->self]; i++)
        expect(me, me->out, i, brought(step, s->root, me->self, i));
}

static void check_combined(struct member *me, const struct plan_of_step *p, uint32_t step)
{
    const struct wm_shared *s = &p->shared;
    int to = s->kind == WM_SHARED_REDUCE_SCATTER ? me->self : 0;

    if (s->kind < WM_SHARED_REDUCE || (s->kind == WM_SHARED_REDUCE && me->self != s->root))
        return;
    for (size_t i = 0; i < p->counts[to]; i++)
        expect(me, me->out + p->to[0].offset, i, combined(step, s->size, to, i));
}

static void *run_member(void *data)
{
    struct member *me = data;
    struct wm_geometry geometry = {.size = sizeof(struct affine), .extent = sizeof(struct affine), .packed = true};
    uint64_t random = me->series->seed, own = me->series->seed + 17 * (uint64_t)me->self;
    struct wm_shared_task task;
    struct plan_of_step p;

    for (uint32_t step = 0; step < STEPS; step++) {
        struct wm_shared_data values = {
            (uintptr_t)me->in, (uintptr_t)me->out, NULL, &geometry, sizeof(struct affine), 0, compose};

        draw_step(&p, me, &random);
        fill(&p, me, step);
        for (uint32_t rest = next(&own) % 4; rest > 2; rest--)
            sched_yield();
        wm_shared_begin(&task, &me->lane, &p.shared, &values, p.chunk_bytes);
        while (!wm_shared_advance(&task))
            sched_yield();
        check_moved(me, &p, step);
        check_combined(me, &p, step);
        me->faults += task.error != 0;
    }
    return NULL;
}

static int run_series(int size, uint64_t seed, size_t chunk_bytes, bool crowded)
{
    struct series series = {size, seed, chunk_bytes, crowded, NULL};
    struct member members[MEMBERS_MAX];
    pthread_t threads[MEMBERS_MAX];
    size_t bytes = (wm_shared_area_bytes(size) + WM_SHARED_PAGE - 1) / WM_SHARED_PAGE * WM_SHARED_PAGE;
    int faults = 0;

    series.area = aligned_alloc(WM_SHARED_PAGE, bytes);
    memset(series.area, 0, bytes);
    for (int m = 0; m < size; m++) {
        members[m] = (struct member){.series = &series, .self = m};
        members[m].in = malloc(sizeof(struct affine) * MEMBERS_MAX * UNITS_MAX);
        members[m].out = malloc(sizeof(struct affine) * MEMBERS_MAX * UNITS_MAX);
        CU_ASSERT_EQUAL_FATAL(wm_shared_lane_init(&members[m].lane, series.area, size, m, crowded), 0);
        pthread_create(&threads[m], NULL, run_member, &members[m]);
    }
    for (int m = 0; m < size; m++) {
        pthread_join(threads[m], NULL);
        faults += members[m].faults;
        wm_shared_lane_release(&members[m].lane);
        free(members[m].in);
        free(members[m].out);
    }
    free(series.area);
    return faults;
}

static void every_kind_gives_what_it_says_in_rounds_of_any_size(void)
{
    for (int size = 2; size <= MEMBERS_MAX; size++)
        CU_ASSERT_EQUAL(run_series(size, (uint64_t)size * 1000003, 0, size > 2), 0);
}

static void every_kind_gives_what_it_says_in_one_round(void)
{
    for (int size = 2; size <= 5; size++)
        CU_ASSERT_EQUAL(run_series(size, (uint64_t)size * 7777, WM_SHARED_PAYLOAD, true), 0);
}

static void a_unit_a_round_is_enough(void)
{
    CU_ASSERT_EQUAL(run_series(3, 99, 1, true), 0);
}

static const struct check_case cases[] = {
    CASE(every_kind_gives_what_it_says_in_rounds_of_any_size),
    CASE(every_kind_gives_what_it_says_in_one_round),
    CASE(a_unit_a_round_is_enough),
};

CHECK_MAIN("shared", cases)
