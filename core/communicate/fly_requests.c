/* The requests of a turn whose receivers alone know of its messages: what is asked for is listed at its senders, and
 * then both ends know. */
#include <stdlib.h>
#include <string.h>
#include "core/communicate/arrived.h"
#include "core/communicate/fly.h"
#include "core/communicate/load.h"
#include "core/data/allocate.h"

/* What is asked of each rank. */
static void make_requests(struct wm_deal *d)
{
    const struct wm_traffic *x = &d->traffic;
    struct wm_loads *requests = &d->sends;

    requests->loads = wm_allocate_zeroed(sizeof *requests->loads * (x->receives.count + 1), "a statement");
    requests->self = -1;
    for (size_t i = 0; i < x->receives.count; i++) {
        const struct wm_statement_part *part = &x->receives.parts[i];

        if (requests->count == 0 || requests->loads[requests->count - 1].peer != part->peer) {
            requests->loads[requests->count++] = (struct wm_load){.peer = part->peer, .first = i};
            requests->self = part->peer == x->me ? requests->count - 1 : requests->self;
        }
        requests->loads[requests->count - 1].count++;
        requests->loads[requests->count - 1].bytes += wm_head_bytes(x, part->reduction, WM_RECEIVES);
    }
}

static void write_request(const struct wm_traffic *x, struct wm_load *load)
{
    char *at = wm_load_staging(load);

    for (size_t i = load->first; i < load->first + load->count; i++)
        at += wm_head_write(x, &x->receives.parts[i], WM_RECEIVES, at);
}

void wm_fly_requests_begin(struct wm_turn *turn)
{
    struct wm_loads *requests = &turn->deal->sends;

    make_requests(turn->deal);
    for (int i = 0; i < requests->count; i++) {
        struct wm_load *load = &requests->loads[i];

        write_request(&turn->deal->traffic, load);
        if (i != requests->self)
            wm_load_send(turn, load, load->staging, true);
        else
            memcpy(wm_arrived_new(turn, turn->talk->rank, load->bytes)->data, load->staging, load->bytes);
    }
}

void wm_fly_requests_end(struct wm_turn *turn)
{
    struct wm_traffic *x = &turn->deal->traffic;
    struct wm_error error = {0};
    size_t head;

    for (struct wm_arrived *a = turn->arrived, *next; a != NULL; a = next) {
        wm_load_check(turn, &a->e);
        for (const char *at = a->data; at < a->data + a->e.message.bytes; at += head)
            if (wm_head_read(x, turn->bindings, WM_RECEIVES, a->e.header.source, at, &head, &error) < 0)
                wm_deal_abort(turn->deal, &error);
        next = a->next;
        free(a);
    }
    turn->arrived = NULL;
    turn->barred = false;
    turn->number++;
}
