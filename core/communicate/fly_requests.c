/* The requests of a turn whose receivers alone know of its messages: what is asked for is listed at its senders, and
 * then both ends know. */
#include <stdlib.h>
#include <string.h>
#include "core/communicate/arrived.h"
#include "core/communicate/fly.h"
#include "core/communicate/load.h"

/* What is asked of each rank. */
static void make_requests(struct wm_deal *d)
{
    const struct wm_traffic *x = &d->traffic;

    wm_loads_group(&d->sends, &x->receives, x->me);
    for (int i = 0; i < d->sends.count; i++)
        for (size_t k = 0; k < d->sends.loads[i].count; k++)
            d->sends.loads[i].bytes +=
                wm_head_bytes(x, x->receives.parts[d->sends.loads[i].first + k].reduction, WM_RECEIVES);
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
