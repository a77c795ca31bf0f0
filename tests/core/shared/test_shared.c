/* Shared steps: threads as members of a group run long series of random steps of every kind, in small rounds, small
 * groups directly and larger ones through trees; where the fast path serves, some members take it. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "core/shared/lane.h"
#include "core/shared/shared.h"
#include "core/shared/short.h"
#include "tests/check.h"

enum { MEMBERS_MAX = 40, DIRECT_MAX = 9, UNITS_MAX = 700, STEPS = 200, TREE_UNITS = 300, TREE_STEPS = 40 };

/* A process id that is never given. */
enum { NO_PROCESS = 0x7ffffffe };

/* Enough for reductions to take the long way, in which every member combines a share. */
enum { LONG_UNITS = 24000, LONG_STEPS = 15, LONG_CHUNK_BYTES = 16 << 10 };

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
    int fan, steps;
    size_t units;      /* of a block, at most */
    long process[2];   /* of two members: the other's as each believes; 0: its memory is closed */
    int cache_members; /* so many consecutive members share a cache; 0: nobody knows */
    void *area;
    int short_steps[WM_SHARED_KIND_COUNT]; /* how many members' steps took the fast path */
};

struct member {
    const struct series *series;
    int self;
    struct wm_shared_lane lane;
    struct affine *in, *out; /* [size * units] */
    int faults, short_steps[WM_SHARED_KIND_COUNT];
};

struct plan_of_step {
    struct wm_shared shared;
    int members[MEMBERS_MAX];
    struct wm_ref from[MEMBERS_MAX], to[MEMBERS_MAX];
    size_t counts[MEMBERS_MAX];
    bool in_place;
    struct wm_transport transport;
};

static bool has_shares(int kind)
{
    return kind == WM_SHARED_GATHER || kind == WM_SHARED_SCATTER || kind == WM_SHARED_ALLGATHER ||
           kind == WM_SHARED_REDUCE_SCATTER;
}

/* Shares of no units stand where there is no memory. */
static void forget_empty(struct plan_of_step *p)
{
    static const struct wm_ref nowhere = {WM_BUFFER_TEMPORARY, 0};
    bool gathers = p->shared.kind == WM_SHARED_GATHER || p->shared.kind == WM_SHARED_ALLGATHER;

    for (int m = 0; has_shares(p->shared.kind) && m < p->shared.size; m++) {
        if (p->counts[m] > 0)
            continue;
        *(gathers ? &p->to[m] : &p->from[m]) = nowhere;
        if (m == p->shared.self)
            *(gathers ? &p->from[0] : &p->to[0]) = nowhere;
    }
}

static void draw_step(struct plan_of_step *p, const struct member *me, uint64_t *random)
{
    int n = me->series->size;
    size_t units = me->series->units, most = next(random) % 3 == 0 ? units : 1 + next(random) % 9;

    p->shared = (struct wm_shared){.kind = (uint8_t)(next(random) % WM_SHARED_KIND_COUNT),
                                   .size = n,
                                   .self = me->self,
                                   .root = (int)(next(random) % (uint32_t)n),
                                   .fan = me->series->fan,
                                   .members = p->members,
                                   .from = p->from,
                                   .to = p->to,
                                   .counts = p->counts};
    p->in_place =
        next(random) % 3 == 0 && (p->shared.kind >= WM_SHARED_REDUCE || p->shared.kind == WM_SHARED_ALLGATHER);
    p->transport.chunk_bytes = me->series->chunk_bytes != 0 ? me->series->chunk_bytes : 8 + next(random) % 4000;
    p->transport.copy = (uint8_t)(next(random) % (WM_COPY_SINGLE + 1));
    for (int m = 0; m < n; m++) {
        p->members[m] = m;
        p->counts[m] = !has_shares(p->shared.kind) ? most : next(random) % 8 == 0 ? 0 : next(random) % (most + 1);
        p->from[m] = (struct wm_ref){p->in_place ? WM_BUFFER_RECEIVE : WM_BUFFER_SEND, (size_t)m * units};
        p->to[m] = (struct wm_ref){WM_BUFFER_RECEIVE, (size_t)m * units};
    }
    if (p->in_place && p->shared.kind == WM_SHARED_REDUCE_SCATTER)
        p->to[0] = p->from[me->self];
    if (p->in_place && p->shared.kind == WM_SHARED_ALLGATHER)
        p->from[0] = p->to[me->self];
    forget_empty(p);
}

/* Contributions of the first `members`, of what they have for `to`. */
static struct affine combined(uint32_t step, int members, int to, size_t i)
{
    struct affine all = brought(step, 0, to, i), one;

    for (int m = 1; m < members; m++) {
        one = brought(step, m, to, i);
        compose(&all, &one, &all, 1);
    }
    return all;
}

static void fill(const struct plan_of_step *p, struct member *me, uint32_t step)
{
    struct affine *from = p->in_place ? me->out : me->in;
    size_t units = me->series->units;

    memset(me->out, 0xee, sizeof *me->out * (size_t)p->shared.size * units);
    for (int to = 0; to < p->shared.size; to++)
        for (size_t i = 0; i < units; i++)
            from[(size_t)to * units + i] = brought(step, me->self, to, i);
    for (size_t i = 0; p->in_place && p->shared.kind == WM_SHARED_ALLGATHER && i < units; i++)
        me->out[p->from[0].offset + i] = brought(step, me->self, 0, i);
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
        for (size_t i = 0; (m != me->self || s->kind == WM_SHARED_ALLGATHER) && i < p->counts[m]; i++)
            if (s->kind == WM_SHARED_ALLGATHER || (s->kind == WM_SHARED_GATHER && root))
                expect(me, me->out + (size_t)m * me->series->units, i, brought(step, m, 0, i));
            else if (s->kind == WM_SHARED_ALLTOALL)
                expect(me, me->out + (size_t)m * me->series->units, i, brought(step, m, me->self, i));
    for (size_t i = 0; !root && s->kind == WM_SHARED_BCAST && i < p->counts[0]; i++)
        expect(me, me->out, i, brought(step, s->root, 0, i));
    for (size_t i = 0; !root && s->kind == WM_SHARED_SCATTER && i < p->counts[me->self]; i++)
        expect(me, me->out, i, brought(step, s->root, me->self, i));
}

/* The first member of an exclusive scan keeps what it has. */
static void check_untouched(struct member *me, const struct plan_of_step *p, uint32_t step)
{
    struct affine untouched;

    memset(&untouched, 0xee, sizeof untouched);
    for (size_t i = 0; p->shared.kind == WM_SHARED_EXSCAN && me->self == 0 && i < p->counts[0]; i++)
        expect(me, me->out, i, p->in_place ? brought(step, 0, 0, i) : untouched);
}

static void check_combined(struct member *me, const struct plan_of_step *p, uint32_t step)
{
    const struct wm_shared *s = &p->shared;
    int to = s->kind == WM_SHARED_REDUCE_SCATTER ? me->self : 0;
    int members = s->kind == WM_SHARED_SCAN ? me->self + 1 : s->kind == WM_SHARED_EXSCAN ? me->self : s->size;

    if (s->kind < WM_SHARED_REDUCE || (s->kind == WM_SHARED_REDUCE && me->self != s->root))
        return;
    for (size_t i = 0; members > 0 && i < p->counts[to]; i++)
        expect(me, me->out + p->to[0].offset, i, combined(step, members, to, i));
}

static _Thread_local int own_cache;

static int find_own_cache(void)
{
    return own_cache;
}

/* Which way a member goes is its own matter. Returns whether it took the fast path. */
static bool run_step(struct member *me, const struct plan_of_step *p, const struct wm_shared_data *values, bool shortly)
{
    struct wm_shared_short step;
    struct wm_shared_task task;

    if (shortly && wm_shared_short_make(&step, &me->lane, &p->shared, values, &p->transport)) {
        wm_shared_short_run(&step, (const void *)values->send, (void *)values->receive);
        return true;
    }
    wm_shared_plan(&task, &me->lane, &p->shared, values, &p->transport);
    wm_shared_begin(&task);
    while (!wm_shared_advance(&task))
        sched_yield();
    me->faults += task.error != 0;
    return false;
}

static void *run_member(void *data)
{
    struct member *me = data;
    struct wm_geometry geometry = {.size = sizeof(struct affine), .extent = sizeof(struct affine), .packed = true};
    uint64_t random = me->series->seed, own = me->series->seed + 17 * (uint64_t)me->self;
    struct plan_of_step p;

    own_cache = me->series->cache_members > 0 ? me->self / me->series->cache_members : -1;
    for (uint32_t step = 0; step < (uint32_t)me->series->steps; step++) {
        struct wm_shared_data values = {
            (uintptr_t)me->in, (uintptr_t)me->out, NULL, &geometry, sizeof(struct affine), 0, compose};

        draw_step(&p, me, &random);
        fill(&p, me, step);
        for (uint32_t rest = next(&own) % 4; rest > 2; rest--)
            sched_yield();
        me->short_steps[p.shared.kind] += run_step(me, &p, &values, next(&own) % 2 == 0);
        check_moved(me, &p, step);
        check_combined(me, &p, step);
        check_untouched(me, &p, step);
    }
    return NULL;
}

static void init_member(struct member *me, const struct series *series, int self)
{
    size_t bytes = sizeof(struct affine) * (size_t)series->size * series->units;

    *me = (struct member){.series = series, .self = self, .in = malloc(bytes), .out = malloc(bytes)};
    wm_shared_lane_init(&me->lane, series->area, series->size, self, series->crowded);
    me->lane.find_cache = find_own_cache;
    me->lane.other_process = series->size == 2 ? series->process[self] : 0;
}

static void release_member(struct member *me)
{
    wm_shared_lane_release(&me->lane);
    free(me->in);
    free(me->out);
}

static int run(struct series *series, void *(*run_one)(void *))
{
    struct member members[MEMBERS_MAX];
    pthread_t threads[MEMBERS_MAX];
    size_t bytes = (wm_shared_area_bytes(series->size) + WM_SHARED_PAGE - 1) / WM_SHARED_PAGE * WM_SHARED_PAGE;
    int faults = 0;

    series->area = aligned_alloc(WM_SHARED_PAGE, bytes);
    memset(series->area, 0, bytes);
    for (int m = 0; m < series->size; m++) {
        init_member(&members[m], series, m);
        pthread_create(&threads[m], NULL, run_one, &members[m]);
    }
    for (int m = 0; m < series->size; m++) {
        pthread_join(threads[m], NULL);
        faults += members[m].faults;
        for (int kind = 0; kind < WM_SHARED_KIND_COUNT; kind++)
            series->short_steps[kind] += members[m].short_steps[kind];
        release_member(&members[m]);
    }
    free(series->area);
    return faults;
}

static int run_series(int size, uint64_t seed, size_t chunk_bytes, bool crowded)
{
    struct series series = {
        .size = size, .seed = seed, .chunk_bytes = chunk_bytes, .crowded = crowded, .steps = STEPS, .units = UNITS_MAX};
    int faults;

    faults = run(&series, run_member);
    for (int kind = 0; chunk_bytes == WM_SHARED_PAYLOAD && kind < WM_SHARED_KIND_COUNT; kind++)
        CU_ASSERT(series.short_steps[kind] > 0);
    return faults;
}

static int run_long(int size, bool crowded)
{
    struct series series = {.size = size,
                            .seed = (uint64_t)size * 31,
                            .chunk_bytes = LONG_CHUNK_BYTES,
                            .crowded = crowded,
                            .steps = LONG_STEPS,
                            .units = LONG_UNITS};

    return run(&series, run_member);
}

static int run_tree(int size, int fan, int cache_members, size_t chunk_bytes)
{
    struct series series = {.size = size,
                            .seed = (uint64_t)(size * 131 + fan * 17 + cache_members),
                            .chunk_bytes = chunk_bytes,
                            .crowded = fan != 0,
                            .fan = fan,
                            .steps = TREE_STEPS,
                            .units = TREE_UNITS,
                            .cache_members = cache_members};

    return run(&series, run_member);
}

static int run_pair(long first, long second)
{
    struct series small = {.size = 2,
                           .seed = (uint64_t)(first + 3 * second),
                           .process = {first, second},
                           .steps = STEPS,
                           .units = UNITS_MAX};
    struct series large = {.size = 2,
                           .seed = (uint64_t)(first + 5 * second),
                           .chunk_bytes = LONG_CHUNK_BYTES,
                           .process = {first, second},
                           .steps = 4 * LONG_STEPS,
                           .units = LONG_UNITS};

    return run(&small, run_member) + run(&large, run_member);
}

static void two_members_move_each_others_data(void)
{
    CU_ASSERT_EQUAL(run_pair(getpid(), getpid()), 0);
}

static void what_one_of_them_cannot_move_goes_through_slots(void)
{
    CU_ASSERT_EQUAL(run_pair(getpid(), 0), 0);
    CU_ASSERT_EQUAL(run_pair(0, getpid()), 0);
    CU_ASSERT_EQUAL(run_pair(getpid(), NO_PROCESS), 0);
    CU_ASSERT_EQUAL(run_pair(NO_PROCESS, NO_PROCESS), 0);
}

static void every_kind_gives_what_it_says_in_rounds_of_any_size(void)
{
    for (int size = 2; size <= DIRECT_MAX; size++)
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

static void every_kind_gives_what_it_says_through_trees(void)
{
    static const int sizes[] = {9, 13, 24, 40}, fans[] = {2, 3, 8};

    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t f = 0; f < sizeof fans / sizeof fans[0]; f++)
            CU_ASSERT_EQUAL(run_tree(sizes[s], fans[f], 0, WM_SHARED_PAYLOAD), 0);
}

static void caches_do_not_change_what_trees_give(void)
{
    static const int cache_members[] = {1, 4, 5, 7, 16};

    for (size_t c = 0; c < sizeof cache_members / sizeof cache_members[0]; c++) {
        CU_ASSERT_EQUAL(run_tree(23, 8, cache_members[c], WM_SHARED_PAYLOAD), 0);
        CU_ASSERT_EQUAL(run_tree(23, 3, cache_members[c], WM_SHARED_PAYLOAD), 0);
    }
}

static void trees_and_rounds_of_any_size_take_turns(void)
{
    CU_ASSERT_EQUAL(run_tree(12, 0, 5, 0), 0);
    CU_ASSERT_EQUAL(run_tree(19, 2, 0, 0), 0);
}

/* Barriers alone: nobody may leave one before all have come. */
static _Atomic int came[TREE_STEPS * 8];

static void *run_barriers(void *data)
{
    struct member *me = data;
    size_t counts[1] = {1};
    int members[MEMBERS_MAX] = {0};
    struct wm_ref refs[1] = {{WM_BUFFER_SEND, 0}};
    struct wm_geometry geometry = {.packed = true};
    struct wm_shared_data none = {.geometry = &geometry};
    struct wm_shared step = {.kind = WM_SHARED_ALLREDUCE,
                             .size = me->series->size,
                             .self = me->self,
                             .fan = me->series->fan,
                             .members = members,
                             .from = refs,
                             .to = refs,
                             .counts = counts};
    uint64_t random = me->series->seed + (uint64_t)me->self;
    struct wm_shared_task task;

    for (int i = 0; i < me->series->steps; i++) {
        if (next(&random) % 4 == 0)
            sched_yield();
        came[i]++;
        wm_shared_plan(&task, &me->lane, &step, &none, &(struct wm_transport){0});
        wm_shared_begin(&task);
        while (!wm_shared_advance(&task))
            sched_yield();
        me->faults += came[i] != me->series->size;
    }
    return NULL;
}

static void nobody_leaves_a_barrier_before_all_have_come(void)
{
    static const int fans[] = {2, 3, 8, 40};

    for (size_t f = 0; f < sizeof fans / sizeof fans[0]; f++) {
        struct series series = {
            .size = 33, .seed = f, .crowded = true, .fan = fans[f], .steps = TREE_STEPS * 8, .units = 1};

        memset((void *)came, 0, sizeof came);
        CU_ASSERT_EQUAL(run(&series, run_barriers), 0);
    }
}

static void large_reductions_are_shared_out(void)
{
    for (int size = 2; size <= 5; size++)
        CU_ASSERT_EQUAL(run_long(size, size > 3), 0);
}

/* The rounds that an allgather of two members is planned to take; `begun`: the last that its lane has given away. */
static uint32_t planned_rounds(size_t share_bytes, uint64_t *begun)
{
    const int members[] = {0, 1};
    const size_t counts[] = {share_bytes, share_bytes};
    const struct wm_ref from[] = {{WM_BUFFER_SEND, 0}, {0}},
                        to[] = {{WM_BUFFER_RECEIVE, 0}, {WM_BUFFER_RECEIVE, counts[0]}};
    const struct wm_shared step = {
        .kind = WM_SHARED_ALLGATHER, .size = 2, .members = members, .from = from, .to = to, .counts = counts};
    const struct wm_geometry geometry = wm_geometry_bytes();
    const struct wm_shared_data data = {.geometry = &geometry, .unit_bytes = 1};
    const struct wm_transport transport = {0};
    void *area = calloc(1, wm_shared_area_bytes(2));
    struct wm_shared_lane lane;
    struct wm_shared_task task;

    wm_shared_lane_init(&lane, area, 2, 0, false);
    wm_shared_plan(&task, &lane, &step, &data, &transport);
    CU_ASSERT_EQUAL(lane.round, 0);
    wm_shared_begin(&task);
    *begun = lane.round;
    wm_shared_lane_release(&lane);
    free(area);
    return task.total;
}

static void a_step_takes_its_rounds_when_it_begins(void)
{
    uint64_t begun;
    uint32_t rounds;

    CU_ASSERT_EQUAL(planned_rounds(8, &begun), 1);
    CU_ASSERT_EQUAL(begun, 1);
    rounds = planned_rounds(1 << 20, &begun);
    CU_ASSERT(rounds > 1);
    CU_ASSERT_EQUAL(begun, rounds);
}

static long faults(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* Of the rounds of a new lane, those that meet a page fault; AddressSanitizer has some of its own. */
static int rounds_with_faults(size_t bytes, char *area)
{
    struct wm_shared_lane lane;
    int count = 0;

    wm_shared_lane_init(&lane, area, 2, 0, false);
    for (uint64_t round = 1; round <= WM_SHARED_SLOTS; round++) {
        long before = faults();

        for (int m = 0; m < 2; m++)
            memset(wm_shared_payload(&lane, round, m, bytes), 1, bytes);
        count += faults() > before;
    }
    wm_shared_lane_release(&lane);
    return count;
}

static void a_new_lane_has_pages_before_most_rounds(void)
{
#ifdef MADV_POPULATE_WRITE
    static const size_t sizes[] = {512, 4096};
    size_t bytes = wm_shared_area_bytes(2);

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        CU_ASSERT_TRUE_FATAL(area != MAP_FAILED);
        if (madvise(area, 1, MADV_POPULATE_WRITE) == 0) /* as from Linux 5.14 on */
            CU_ASSERT_TRUE(rounds_with_faults(sizes[i], area) <= WM_SHARED_SLOTS / 2);
        munmap(area, bytes);
    }
#endif
}

static const struct check_case cases[] = {
    CASE(a_new_lane_has_pages_before_most_rounds),
    CASE(large_reductions_are_shared_out),
    CASE(every_kind_gives_what_it_says_in_rounds_of_any_size),
    CASE(two_members_move_each_others_data),
    CASE(what_one_of_them_cannot_move_goes_through_slots),
    CASE(every_kind_gives_what_it_says_in_one_round),
    CASE(a_unit_a_round_is_enough),
    CASE(every_kind_gives_what_it_says_through_trees),
    CASE(caches_do_not_change_what_trees_give),
    CASE(trees_and_rounds_of_any_size_take_turns),
    CASE(nobody_leaves_a_barrier_before_all_have_come),
    CASE(a_step_takes_its_rounds_when_it_begins),
};

CHECK_MAIN("shared", cases)
