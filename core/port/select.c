/* The choice between what a rank can wait for. */
#include "core/convey/state.h"
#include "core/node/node.h"
#include "core/port/state.h"

struct choice {
    struct wm_alternative *list;
    int count;
    struct wm_ports *ports; /* NULL: there is no port among them */
    bool others;            /* there are others */
    uint64_t seen;          /* events of the ports, when they were looked at */
};

static bool is_complete(MPI_Request *request)
{
    int over = 0;

    if (*request != MPI_REQUEST_NULL)
        PMPI_Request_get_status(*request, &over, MPI_STATUS_IGNORE);
    return over != 0;
}

static bool has_item(struct wm_alternative *a)
{
    a->advanced = convey_advance(a->conveyor, a->done);
    return a->advanced <= convey_DONE || wm_convey_has_item(wm_conveyor_of(a->conveyor));
}

static bool is_ready(struct choice *c, struct wm_alternative *a)
{
    if (a->port != NULL) {
        c->ports = a->port->ports;
        return wm_end_is_ready(a->port, true);
    }
    c->others = true;
    return a->request != NULL ? is_complete(a->request) : a->conveyor != NULL && has_item(a);
}

/* The first that is ready, from `begin` on in a circle; -1: none. */
static int look(struct choice *c, int begin)
{
    for (int i = 0; i < c->count; i++) {
        int at = begin + i < c->count ? begin + i : begin + i - c->count;

        if (is_ready(c, &c->list[at]))
            return at;
    }
    return -1;
}

/* Ports say when to look again, the others have to be asked. */
static int look_again(struct choice *c, int begin)
{
    if (!c->others && c->ports != NULL && c->seen == c->ports->events)
        return -1;
    c->seen = c->ports != NULL ? c->ports->events : 0;
    return look(c, begin);
}

static void rest(struct choice *c, unsigned *turn)
{
    if (c->ports != NULL)
        wm_ports_rest(c->ports, turn);
    else
        wm_node_wait(wm_node_job_crowded(), (*turn)++);
}

int wm_select(struct wm_alternative *list, int count, int *turn, double seconds)
{
    struct choice c = {.list = list, .count = count};
    int begin = turn != NULL && *turn < count ? *turn : 0, found = look(&c, begin);
    double start = found < 0 && seconds > 0 ? PMPI_Wtime() : 0;
    bool late = false;

    for (unsigned idle = 0; found < 0 && !late; found = look_again(&c, begin)) {
        rest(&c, &idle);
        late = seconds == 0 || (seconds > 0 && PMPI_Wtime() - start >= seconds);
    }
    if (found >= 0 && turn != NULL)
        *turn = found + 1;
    return found;
}
