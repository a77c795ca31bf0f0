/* Offset intervals: how far another clock stands from ours, from a handful of ping-pongs.
 *
 * An exchange has four times: ours when we sent, theirs when it came, theirs when it was answered, ours when the answer
 * came. What is sent comes later than it was sent, whatever the ways there and back are like: so their clock minus ours
 * was at most theirs-in minus sent, at the time of sending, and at least theirs-out minus back, at the time of the
 * answer. Neither bound assumes that both ways take equally long. Many exchanges: the greatest lower bound and the
 * least upper one, which need not come from the same exchange, are kept; the offset is the middle, half the distance is
 * the error (SKaMPI's measurement: Worsch, Reussner, Augustin, "On benchmarking collective MPI operations", 2002; with
 * the second time at the other end that NTP has).
 *
 * Meanwhile the clocks drift. Bounds are moved to one instant, the middle of the tightest exchange, and widened by what
 * two clocks may drift apart until then. Pure arithmetic; all times in ns. */
#ifndef WM_INTERVAL_H
#define WM_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

enum { WM_INTERVAL_EXCHANGES_MAX = 32 };

struct wm_clock_exchange {
    uint64_t sent_ns, back_ns;          /* our clock */
    uint64_t there_in_ns, there_out_ns; /* theirs */
};

struct wm_interval {
    int count;
    struct wm_clock_exchange exchanges[WM_INTERVAL_EXCHANGES_MAX];
};

/* What came of it: at `at_ns` of our clock, theirs minus ours lies within offset_ns ± half_ns. */
struct wm_offset {
    uint64_t at_ns;
    int64_t offset_ns;
    int64_t half_ns;
};

static inline void wm_interval_clear(struct wm_interval *interval)
{
    interval->count = 0;
}

/* Take an exchange in; one more than WM_INTERVAL_EXCHANGES_MAX, or one whose times run backwards, is passed over. */
void wm_interval_add(struct wm_interval *interval, const struct wm_clock_exchange *exchange);

/* The offset. False: there was no exchange, or the bounds contradict each other (a clock was set meanwhile); *offset
 * is all zero then. */
bool wm_interval_offset(const struct wm_interval *interval, struct wm_offset *offset);

/* May both be one clock? */
bool wm_offset_is_zero(const struct wm_offset *offset);

#endif
