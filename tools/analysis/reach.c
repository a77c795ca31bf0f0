/* Reach: follows bytes from rank to rank, event by event in the order of time. */
#include "tools/analysis/reach.h"

#include <stdlib.h>

enum { OWN = -1 }; /* the stage of what was not received */

/* What came to a region: the latest source, and the latest that came through another stage than that. */
struct arrivals {
    int source, other_source; /* regions, -1: none */
    int stage;                /* that `source` came through */
};

struct event {
    int64_t time_ns;
    uint32_t message;
    int region;
    bool receive;
};

struct sweep {
    const struct wm_instance *instance;
    struct wm_region *const *regions;
    bool apart;
    struct arrivals *arrivals; /* by region */
    int *carried;              /* by message: the latest source that it brings, -1: none */
    struct event *events;
    size_t event_count;
};

bool wm_reach_is_known(const struct wm_instance *instance)
{
    for (size_t i = 0; i < instance->work_count; i++)
        if (instance->works[i].shared)
            return false;
    return instance->message_count > 0;
}

static bool is_later(const struct sweep *sweep, int a, int b)
{
    return a >= 0 && (b < 0 || sweep->regions[a]->enter_ns > sweep->regions[b]->enter_ns);
}

static void arrive(const struct sweep *sweep, struct arrivals *at, int source, int stage)
{
    if (stage == at->stage) {
        at->source = is_later(sweep, source, at->source) ? source : at->source;
    } else if (is_later(sweep, source, at->source)) {
        at->other_source = at->source;
        at->source = source;
        at->stage = stage;
    } else if (is_later(sweep, source, at->other_source)) {
        at->other_source = source;
    }
}

static void take_event(struct sweep *sweep, const struct event *event)
{
    const struct wm_trace_message *message = &sweep->instance->messages[event->message];
    struct arrivals *at = &sweep->arrivals[event->region];

    if (event->receive)
        arrive(sweep, at, sweep->carried[event->message], message->receive_node);
    else if (sweep->apart && at->stage == message->send_node)
        sweep->carried[event->message] = at->other_source;
    else
        sweep->carried[event->message] = at->source;
}

static void add_event(struct sweep *sweep, const struct wm_trace_side *side, int region)
{
    const struct wm_trace_message *message = &sweep->instance->messages[side->message];
    int64_t time_ns = side->receive ? message->receive_done_ns : message->send_post_ns;

    if (message->bytes > 0 && time_ns != WM_TIME_UNKNOWN)
        sweep->events[sweep->event_count++] = (struct event){time_ns, side->message, region, side->receive};
}

static void add_events(struct sweep *sweep, const int *region_of_member)
{
    const struct wm_instance *instance = sweep->instance;

    for (size_t p = 0; p < instance->part_count; p++) {
        const struct wm_member_part *part = &instance->parts[p];
        int mine = region_of_member[part->member];
        uint32_t bit;

        if (mine < 0)
            continue;
        bit = 1u << (sweep->regions[mine] - &instance->regions[part->first_region]);
        for (size_t i = 0; i < part->side_count; i++)
            if (instance->sides[part->first_side + i].open_regions & bit)
                add_event(sweep, &instance->sides[part->first_side + i], mine);
    }
}

/* What is received at a time may be sent on at the same. */
static int compare_events(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return (x->receive < y->receive) - (x->receive > y->receive);
}

static void run(struct sweep *sweep, struct wm_reach *reach, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sweep->arrivals[i] = (struct arrivals){reach->source < 0 || reach->source == (int)i ? (int)i : -1, -1, OWN};
    for (size_t i = 0; i < sweep->instance->message_count; i++)
        sweep->carried[i] = -1;
    qsort(sweep->events, sweep->event_count, sizeof *sweep->events, compare_events);
    for (size_t i = 0; i < sweep->event_count; i++)
        take_event(sweep, &sweep->events[i]);
    for (size_t i = 0; i < count; i++)
        reach->latest[i] = sweep->arrivals[i].source;
}

int wm_reach_find(struct wm_reach *reach, const struct wm_instance *instance, struct wm_region *const *regions,
                  size_t count, const int *region_of_member)
{
    struct sweep sweep = {instance, regions, reach->apart, NULL, NULL, NULL, 0};
    int rc = -WM_ENOMEM;

    sweep.arrivals = malloc(count * sizeof *sweep.arrivals);
    sweep.carried = malloc((instance->message_count + 1) * sizeof *sweep.carried);
    sweep.events = malloc((instance->side_count + 1) * sizeof *sweep.events);
    if (sweep.arrivals != NULL && sweep.carried != NULL && sweep.events != NULL) {
        add_events(&sweep, region_of_member);
        run(&sweep, reach, count);
        rc = 0;
    }
    free(sweep.arrivals);
    free(sweep.carried);
    free(sweep.events);
    return rc;
}
