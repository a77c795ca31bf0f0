/* The requests of a turn whose receivers alone know of its messages: what is asked for is listed at its senders, and
 * then both ends know. */
#include <stdlib.h>
#include "core/communicate/arrived.h"
#include "core/communicate/fly.h"
#include "core/communicate/load.h"

/* What is asked of each rank. */
static void make_requests(struct wm_deal *d)
{
    const struct wm_traffic *x = &d->traffic;

    wm_loads_group(&d->sends, &x->receives, x->me);
    for (int i = 0; i < d->sends.count; i++) {
        struct wm_load *load = &d->sends.loads[i];

        load->bytes = wm_items_bytes(x, &x->receives.parts[load->first], load->count, WM_RECEIVES);
        wm_items_write(x, &x->receives.parts[load->first], load->count, WM_RECEIVES, wm_load_staging(load));
    }
}

void wm_fly_requests_begin(struct wm_turn *turn)
{
    struct wm_loads *requests = &turn->deal->sends;

    make_requests(turn->deal);
    for (int i = 0; i < requests->count; i++) {
        struct wm_load *load = &requests->loads[i];

        if (i != requests->self)
            wm_load_send(turn, load, load->staging, true);
        else
            wm_arrived_new(turn, turn->talk->rank, load->staging, load->bytes);
    }
}

void wm_fly_requests_end(struct wm_turn *turn)
{
    struct wm_traffic *x = &turn->deal->traffic;
    struct wm_error error = {0};

    for (struct wm_arrived *a = turn->arrived, *next; a != NULL; a = next) {
        wm_load_check(turn, &a->e);
        if (wm_items_list(x, turn->bindings, WM_RECEIVES, a->e.header.source, a->data, a->e.message.bytes, &error) < 0)
            wm_deal_abort(turn->deal, &error);
        next = a->next;
        free(a);
    }
    turn->arrived = NULL;
    turn->barred = false;
    turn->number++;
}
