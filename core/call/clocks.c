/* Clocks compared by flights. */
#include "core/call/clocks.h"

#include "core/call/wait.h"
#include "core/clock/compare.h"

enum { EXCHANGES = 3 };

/* A rank's messages go one after the other, so they share a flight's number; ranks have different numbers of them. */
struct way {
    struct wm_comm *comm;
    uint32_t number;
};

static bool fly(const struct way *way, const struct wm_step *step, const void *send, void *receive)
{
    struct wm_step steps[1] = {*step};
    int roots[1] = {0};
    const struct wm_plan plan = {.step_count = 1, .steps = steps, .root_count = 1, .roots = roots, .message_steps = 1};
    const struct wm_binding binding = {
        .send = send, .receive = receive, .geometry = wm_geometry_bytes(), .unit_bytes = 1, .number = way->number};
    int rc = wm_requests_fly_numbered(way->comm, &plan, &binding);

    if (rc != MPI_SUCCESS && way->comm->stopped == 0)
        WM_BUG("a message between the ranks of a communicator did not come");
    return rc == MPI_SUCCESS;
}

static bool send(void *context, int peer, const void *data, size_t bytes)
{
    const struct wm_step step = {
        .kind = WM_STEP_SEND, .net = WM_NET_MPI, .peer = peer, .source = {WM_BUFFER_SEND, 0}, .count = bytes};

    return fly(context, &step, data, NULL);
}

static bool receive(void *context, int peer, void *data, size_t bytes)
{
    const struct wm_step step = {
        .kind = WM_STEP_RECV, .net = WM_NET_MPI, .peer = peer, .target = {WM_BUFFER_RECEIVE, 0}, .count = bytes};

    return fly(context, &step, NULL, data);
}

int64_t wm_clocks_compare(struct wm_comm *c)
{
    struct way own = {c, wm_requests_number(c)};
    const struct wm_clock_way way = {send, receive, &own};
    struct wm_clock_view view;

    wm_clock_compare(&way, c->rank, c->ranks, EXCHANGES, &view);
    return view.ahead_ns;
}
