/* The planner's carriers: by which net messages go, and the parameters of shared memory. */
#include <string.h>
#include "core/plan/planner_state.h"

static bool same_transport(const struct wm_transport *a, const struct wm_transport *b)
{
    return a->copy == b->copy && a->eager_bytes == b->eager_bytes && a->chunk_bytes == b->chunk_bytes;
}

/* The index of the parameters; they are added if no wrapper had these yet. */
static uint8_t find_transport(struct wm_planner *p, const struct wm_transport *transport)
{
    struct wm_plan *plan = p->plan;
    int i = 0;

    while (i < plan->transport_count && !same_transport(&plan->transports[i], transport))
        i++;
    if (p->status < 0 || (i == plan->transport_count &&
                          !wm_planner_grow(p, (void **)&plan->transports, i, &p->transport_room, sizeof *transport)))
        return 0;
    if (i == plan->transport_count)
        plan->transports[plan->transport_count++] = *transport;
    return (uint8_t)i;
}

struct wm_carriage wm_planner_carry(struct wm_planner *p, enum wm_net_choice net, const struct wm_transport *transport)
{
    struct wm_carriage former = p->carrier;

    p->carrier = (struct wm_carriage){(uint8_t)net, find_transport(p, transport)};
    return former;
}

void wm_planner_carry_back(struct wm_planner *p, struct wm_carriage former)
{
    p->carrier = former;
}

/* enum wm_net_kind. */
static uint8_t net_of(const struct wm_planner *p, int peer)
{
    return p->carrier.net != WM_CHOOSE_MPI && p->layout->node[p->rank] == p->layout->node[peer] ? WM_NET_SHM
                                                                                                : WM_NET_MPI;
}

static bool crosses_axis(const struct wm_planner *p, int peer)
{
    return p->holds && p->layout->apart[peer] != p->layout->apart[p->rank];
}

bool wm_planner_may_share(const struct wm_planner *p, const struct wm_group *group)
{
    bool crosses = false;

    for (int i = 0; i < group->size && p->holds; i++)
        crosses |= crosses_axis(p, group->members[i]);
    return p->call->shared && p->carrier.net != WM_CHOOSE_MPI && !crosses && !p->spoils;
}

void wm_planner_hold_messages(struct wm_planner *p, const struct wm_wrapper *delay)
{
    p->holds = delay != NULL;
    if (delay != NULL)
        p->plan->lag = wm_lag_of(delay);
}

void wm_planner_spoil_messages(struct wm_planner *p, const struct wm_fault *fault)
{
    p->spoils = fault != NULL;
    if (fault != NULL)
        p->plan->fault = *fault;
}

void wm_planner_address(struct wm_planner *p, struct wm_step *message)
{
    message->net = net_of(p, message->peer);
    message->transport = p->carrier.transport;
    message->spoilt = p->spoils;
    message->held = crosses_axis(p, message->peer) ? ++p->plan->held_messages : 0;
    p->plan->message_steps++;
}
