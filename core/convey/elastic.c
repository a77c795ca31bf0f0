/* Elastic items: records written, relayed and read; monsters on tickets. */
#include "core/convey/elastic.h"

#include <stdlib.h>
#include "core/convey/trace.h"

/* Items above a quarter of a buffer would leave much of it empty: they go on a ticket. */
static bool is_monster(const struct wm_conveyor *c, size_t bytes)
{
    return wm_record_units(bytes) > c->form.units / 4 &&
           wm_record_units(bytes) > wm_record_units(sizeof(struct wm_ticket_item));
}

static size_t units_of(uint32_t bytes)
{
    return wm_record_units(bytes == WM_RECORD_TICKET ? sizeof(struct wm_ticket_item) : bytes);
}

/* Room for a record at the outlet, in one piece. */
static bool has_room(struct wm_conveyor *c, struct wm_convey_outlet *hot, size_t units)
{
    return (size_t)(hot->limit - hot->at) >= units * WM_ELASTIC_UNIT_BYTES || wm_flow_room(c, hot->link, units);
}

static void write_record(struct wm_convey_outlet *hot, struct wm_record_head head, const void *data, size_t bytes)
{
    memcpy(hot->at, &head, sizeof head);
    if (bytes > 0)
        memcpy(hot->at + sizeof head, data, bytes);
    hot->at += units_of(head.bytes) * WM_ELASTIC_UNIT_BYTES;
}

static int push_monster(struct wm_conveyor *c, size_t bytes, const void *item, int pe, struct wm_convey_outlet *hot,
                        uint32_t tag)
{
    struct wm_ticket_item ticket;
    int rc = wm_monster_send(c->monsters, item, bytes, pe, &ticket);

    if (rc < 0)
        return wm_convey_fail(c, "convey_epush", rc);
    c->monsters_full = rc == 0;
    if (rc == 0)
        return convey_FAIL;
    write_record(hot, (struct wm_record_head){WM_RECORD_TICKET, tag}, &ticket, sizeof ticket);
    wm_flow_urge(c, hot->link); /* monsters under way hold places until their tickets arrive */
    return convey_OK;
}

int wm_elastic_push(struct wm_conveyor *c, size_t bytes, const void *item, int pe)
{
    bool monster = is_monster(c, bytes);
    struct wm_convey_outlet *hot;
    int outlet, rc = convey_OK;
    uint32_t tag;

    wm_ways_find(c, pe, &outlet, &tag);
    hot = &c->hot[outlet];
    if (!has_room(c, hot, wm_record_units(monster ? sizeof(struct wm_ticket_item) : bytes)))
        rc = convey_FAIL;
    else if (monster)
        rc = push_monster(c, bytes, item, pe, hot, tag);
    else
        write_record(hot, (struct wm_record_head){(uint32_t)bytes, tag}, item, bytes);
    c->refused += rc == convey_FAIL;
    c->elastic_pushed += rc == convey_OK;
    c->elastic_bytes += rc == convey_OK ? bytes : 0;
    return rc;
}

static struct wm_record_head head_at(const struct wm_inlet *in, size_t unit)
{
    struct wm_record_head head;

    memcpy(&head, in->chunk.items + unit * WM_ELASTIC_UNIT_BYTES, sizeof head);
    return head;
}

/* The sampled record, if this is it. */
static void pass_sample(struct wm_conveyor *c, struct wm_inlet *in, struct wm_convey_outlet *hot)
{
    if (in->sample.ticks != 0 && in->sample.position - in->taken == in->used)
        wm_convey_trace_relay(c, in, hot->link);
}

size_t wm_elastic_relay(struct wm_conveyor *c, struct wm_inlet *in, struct wm_route_turn turn)
{
    size_t moved = 0;

    while (in->used < in->chunk.units) {
        struct wm_record_head head = head_at(in, in->used);
        const char *data = in->chunk.items + (in->used + WM_RECORD_HEAD_UNITS) * WM_ELASTIC_UNIT_BYTES;
        struct wm_convey_outlet *hot = &c->hot[turn.base + (int)(head.tag & turn.mask)];
        size_t units = units_of(head.bytes);

        if (!has_room(c, hot, units))
            break;
        pass_sample(c, in, hot);
        head.tag = head.tag >> turn.shift | turn.add;
        write_record(hot, head, data, (units - WM_RECORD_HEAD_UNITS) * WM_ELASTIC_UNIT_BYTES);
        if (head.bytes == WM_RECORD_TICKET)
            wm_flow_urge(c, hot->link);
        in->used += units;
        moved++;
    }
    return moved;
}

/* Pointers are aligned as the ring is, to 8 behind a record's head, and the chunk goes when its last record was pulled;
 * else there is a copy. */
static void *place_of(struct wm_conveyor *c, char *data, size_t bytes, bool last)
{
    bool stays = bytes == 0 || (!last && ((uintptr_t)data & (c->align - 1)) == 0);

    return stays ? data : wm_pull_bounce(c, data, bytes);
}

void wm_elastic_drop(struct wm_conveyor *c)
{
    if (c->monster_pulled)
        wm_monster_drop(c->monsters, c->monster_source, c->monster_number);
    c->monster_pulled = false;
}

/* The monster of the ticket at `data`. Returns as read_record. */
static int read_monster(struct wm_conveyor *c, const char *data, int64_t from, convey_item_t *result)
{
    struct wm_ticket_item ticket;
    void *item = NULL;
    int rc;

    memcpy(&ticket, data, sizeof ticket);
    if ((rc = wm_monster_receive(c->monsters, (int)from, &ticket, &item)) != 1)
        return rc;
    *result = (convey_item_t){ticket.bytes, item, from};
    wm_elastic_drop(c);
    c->monster_pulled = true;
    c->monster_source = (int)from;
    c->monster_number = ticket.number;
    return 1;
}

/* 1: the record at the pulled chunk's cursor is in *result, and what was pulled before is not valid any more; 0: its
 * monster is not there yet. */
static int read_record(struct wm_conveyor *c, convey_item_t *result)
{
    struct wm_inlet *in = c->pulled;
    struct wm_record_head head = head_at(in, in->used);
    char *data = in->chunk.items + (in->used + WM_RECORD_HEAD_UNITS) * WM_ELASTIC_UNIT_BYTES;
    int64_t from = c->hop_count == 1 ? in->peer : wm_route_source(c->route, c->pulled_link, head.tag);

    if (head.bytes == WM_RECORD_TICKET)
        return read_monster(c, data, from, result);
    data = place_of(c, data, head.bytes, in->used + units_of(head.bytes) == in->chunk.units);
    if (data == NULL)
        return convey_error_ALLOC;
    *result = (convey_item_t){head.bytes, data, from};
    wm_elastic_drop(c);
    return 1;
}

static bool has_record(const struct wm_conveyor *c)
{
    return c->pulled != NULL && c->pulled->used < c->pulled->chunk.units;
}

int wm_elastic_pull(struct wm_conveyor *c, convey_item_t *result)
{
    const struct wm_convey_hop *h = &c->hops[c->hop_count - 1];
    int rc = 0;

    c->record_units = 0;
    for (int tries = 0; rc == 0 && tries <= h->route->links; tries++) {
        if (!has_record(c) && !wm_pull_next(c))
            return convey_FAIL;
        rc = read_record(c, result);
        if (rc == 0)
            c->pulled = NULL; /* a monster is on its way: it keeps its inlet's chunk, others go on */
    }
    if (rc < 0)
        return wm_convey_fail(c, "convey_epull", rc);
    if (rc == 0)
        return convey_FAIL;
    c->record_units = units_of(head_at(c->pulled, c->pulled->used).bytes);
    c->pulled->used += c->record_units;
    c->elastic_pulled++;
    return convey_OK;
}

int wm_elastic_unpull(struct wm_conveyor *c)
{
    if (c->record_units == 0 || c->pulled == NULL)
        return convey_FAIL;
    c->pulled->used -= c->record_units;
    c->record_units = 0;
    c->monster_pulled = false; /* it stays, for the next pull */
    c->elastic_pulled--;
    return convey_OK;
}

bool wm_elastic_waiting(const struct wm_conveyor *c)
{
    return has_record(c);
}
