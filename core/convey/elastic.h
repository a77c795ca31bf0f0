/* Elastic items: records in units of WM_ELASTIC_UNIT_BYTES, a head and the item behind it. */
#ifndef WM_CONVEY_ELASTIC_H
#define WM_CONVEY_ELASTIC_H

#include "core/convey/state.h"

/* Sizes above the largest that a record holds tell its kind. */
enum { WM_RECORD_HEAD_UNITS = 1 };
#define WM_RECORD_TICKET UINT32_MAX

struct wm_record_head {
    uint32_t bytes; /* of the item, or WM_RECORD_TICKET: a struct wm_ticket_item follows */
    uint32_t tag;
};

static inline size_t wm_record_units(size_t bytes)
{
    return WM_RECORD_HEAD_UNITS + (bytes + WM_ELASTIC_UNIT_BYTES - 1) / WM_ELASTIC_UNIT_BYTES;
}

/* Relay the records of an inlet's chunk from in->used on. Returns how many. */
size_t wm_elastic_relay(struct wm_conveyor *c, struct wm_inlet *in, struct wm_route_turn turn);

/* Push and pull; states and arguments have been checked. As convey_epush and convey_epull. */
int wm_elastic_push(struct wm_conveyor *c, size_t bytes, const void *item, int pe);
int wm_elastic_pull(struct wm_conveyor *c, convey_item_t *result);
int wm_elastic_unpull(struct wm_conveyor *c);
/* The monster that was pulled last, if it was one, is not valid any more. */
void wm_elastic_drop(struct wm_conveyor *c);
/* Is there anything left to pull? */
bool wm_elastic_waiting(const struct wm_conveyor *c);

#endif
