/* Clocks compared by ping-pongs, of two ranks and of many. */
#include "core/clock/compare.h"

#include "tracer/clock.h"

struct answer {
    uint64_t in_ns, out_ns;
    int64_t ahead_ns, half_ns;
};

static int64_t magnitude(int64_t n)
{
    return n < 0 ? -n : n;
}

bool wm_clock_ask(const struct wm_clock_way *way, int peer, int times, struct wm_clock_view *view)
{
    struct wm_interval interval;
    struct answer answer = {0};

    *view = (struct wm_clock_view){0};
    wm_interval_clear(&interval);
    for (int i = 0; i < times; i++) {
        struct wm_clock_exchange exchange = {.sent_ns = wm_clock_monotonic_ns()};

        if (!way->send(way->context, peer, NULL, 0) || !way->receive(way->context, peer, &answer, sizeof answer))
            return false;
        exchange.back_ns = wm_clock_monotonic_ns();
        exchange.there_in_ns = answer.in_ns;
        exchange.there_out_ns = answer.out_ns;
        wm_interval_add(&interval, &exchange);
    }
    if (!wm_interval_offset(&interval, &view->offset))
        return false;
    view->ahead_ns = answer.ahead_ns + (wm_offset_is_zero(&view->offset) ? 0 : view->offset.offset_ns);
    view->half_ns = answer.half_ns + view->offset.half_ns;
    if (magnitude(view->ahead_ns) <= view->half_ns)
        view->ahead_ns = 0;
    return true;
}

void wm_clock_answer(const struct wm_clock_way *way, int peer, int times, const struct wm_clock_view *own)
{
    for (int i = 0; i < times; i++) {
        struct answer answer = {.ahead_ns = own->ahead_ns, .half_ns = own->half_ns};

        if (!way->receive(way->context, peer, NULL, 0))
            return;
        answer.in_ns = wm_clock_monotonic_ns();
        answer.out_ns = wm_clock_monotonic_ns();
        if (!way->send(way->context, peer, &answer, sizeof answer))
            return;
    }
}

int wm_clock_compare(const struct wm_clock_way *way, int rank, int ranks, int times, struct wm_clock_view *view)
{
    int reach = 1, parent = -1;

    *view = (struct wm_clock_view){0};
    while (rank == 0 ? reach < ranks : (rank & reach) == 0)
        reach *= 2;
    if (rank > 0 && wm_clock_ask(way, rank - reach, times, view))
        parent = rank - reach;
    else if (rank > 0)
        view->half_ns = WM_CLOCK_UNKNOWN_NS;
    for (int step = reach / 2; step > 0; step /= 2)
        if (rank + step < ranks)
            wm_clock_answer(way, rank + step, times, view);
    return parent;
}
