/* The inline writer of records; included by tracer/tracer.h alone.
 *
 * The record is written first, the head after it with release order, so that whoever reads the mapping or the
 * file of a killed process finds only whole records beneath the head. (In a full ring the oldest record is
 * the one being overwritten; the reader leaves it out.) Every WM_RECORD_CLOCK_EVERY records a pair of clocks
 * is recorded too: the trace of a job that was killed has no closing pair. */
#include <sched.h>
#include <time.h>

enum { WM_RECORD_CLOCK_EVERY = 4096, WM_RECORD_AHEAD = 8 };

/* Write a CLOCK record now. The writer does so by itself from time to time; who has been silent for seconds,
 * and passes a place that is not on anybody's critical path, may call it too. */
void wm_recorder_clock(struct wm_recorder_ring *ring);

static inline uint64_t wm_trace_level_kinds(enum wm_trace_level level)
{
    const uint64_t always = WM_TRACE_KIND_BIT(WM_TRACE_CLOCK) | WM_TRACE_KIND_BIT(WM_TRACE_SYNC) |
                            WM_TRACE_KIND_BIT(WM_TRACE_LEVEL) | WM_TRACE_KIND_BIT(WM_TRACE_MAP_EPOCH);
    const uint64_t calls = WM_TRACE_KIND_BIT(WM_TRACE_ENTER) | WM_TRACE_KIND_BIT(WM_TRACE_LEAVE) |
                           WM_TRACE_KIND_BIT(WM_TRACE_QUESTION) | WM_TRACE_KIND_BIT(WM_TRACE_MARK) |
                           WM_TRACE_KIND_BIT(WM_TRACE_WAIT) | WM_TRACE_KIND_BIT(WM_TRACE_ASK) |
                           WM_TRACE_KIND_BIT(WM_TRACE_STATEMENT) | WM_TRACE_KIND_BIT(WM_TRACE_REGION) |
                           WM_TRACE_KIND_BIT(WM_TRACE_CONVEY_STATE) | WM_TRACE_KIND_BIT(WM_TRACE_CONVEY_COUNT) |
                           WM_TRACE_KIND_BIT(WM_TRACE_P2P_POST) | WM_TRACE_KIND_BIT(WM_TRACE_P2P_DONE);
    const uint64_t all = ((UINT64_C(1) << WM_TRACE_KIND_COUNT) - 1);

    return level == WM_TRACE_DETAIL ? all : level == WM_TRACE_CALLS ? always | calls : always;
}

static inline uint64_t wm_recorder_kinds(const struct wm_recorder_ring *ring)
{
    return atomic_load_explicit(&ring->kinds, memory_order_relaxed);
}

static inline bool wm_recorder_is_asked(const struct wm_recorder_ring *ring)
{
    return atomic_load_explicit(ring->asked, memory_order_relaxed) !=
           atomic_load_explicit(&ring->heard, memory_order_relaxed);
}

static inline bool wm_recorder_wants(const struct wm_recorder_ring *ring, enum wm_trace_kind kind)
{
    return (wm_recorder_kinds(ring) & WM_TRACE_KIND_BIT(kind)) != 0;
}

static inline uint64_t wm_recorder_now(const struct wm_recorder_ring *ring)
{
    struct timespec now;

#if defined(__x86_64__) || defined(__i386__)
    if (__builtin_expect(ring->tsc, true))
        return __builtin_ia32_rdtsc();
#endif
    (void)ring;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Stores reach the cache in their order: one that misses holds up what the program wrote after it, be it the flag that
 * another rank waits for. So lines are asked for ahead. */
static inline void wm_recorder_expect(struct wm_trace_record *record)
{
#ifdef __x86_64__
    __asm__ volatile("prefetchw %0" : : "m"(*(char *)record));
#else
    __builtin_prefetch(record, 1);
#endif
}

static inline void wm_record_at(struct wm_recorder_ring *ring, uint64_t time_ticks, enum wm_trace_kind kind,
                                uint8_t flags, uint16_t node, uint32_t communicator, int32_t peer, uint32_t sequence,
                                uint64_t argument)
{
    uint64_t next;

    while (__builtin_expect(ring->shared, false) &&
           atomic_flag_test_and_set_explicit(&ring->busy, memory_order_acquire))
        sched_yield();
    next = ring->next;
    if (__builtin_expect(!ring->full_mode || next < ring->capacity, true))
        ring->records[next & (ring->capacity - 1)] = (struct wm_trace_record){
            .time_ticks = time_ticks,
            .argument = argument,
            .sequence = sequence,
            .communicator = communicator,
            .peer = peer,
            .node = node,
            .kind = (uint8_t)kind,
            .flags = flags,
        };
    wm_recorder_expect(&ring->records[(next + WM_RECORD_AHEAD) & (ring->capacity - 1)]);
    ring->next = ++next;
    atomic_store_explicit(ring->head, next, memory_order_release);
    if (__builtin_expect(ring->shared, false))
        atomic_flag_clear_explicit(&ring->busy, memory_order_release);
    if (__builtin_expect(next % WM_RECORD_CLOCK_EVERY == 0, false))
        wm_recorder_clock(ring);
}

static inline void wm_record(struct wm_recorder_ring *ring, enum wm_trace_kind kind, uint8_t flags, uint16_t node,
                             uint32_t communicator, int32_t peer, uint32_t sequence, uint64_t argument)
{
    wm_record_at(ring, wm_recorder_now(ring), kind, flags, node, communicator, peer, sequence, argument);
}
