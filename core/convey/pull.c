/* Pulls that the inlined way cannot do: the next chunk, other states; spans; unpull. */
#include <stdlib.h>
#include "core/convey/elastic.h"
#include "core/convey/state.h"
#include "core/convey/trace.h"

static struct wm_convey_hop *last_hop(const struct wm_conveyor *c)
{
    return (struct wm_convey_hop *)&c->hops[c->hop_count - 1];
}

void wm_pull_settle(struct wm_conveyor *c)
{
    if (c->pulled != NULL && !c->wish.elastic)
        c->pulled->used = (size_t)(c->head.next - c->pulled->chunk.items) / c->form.unit_bytes;
}

static void close_cursors(struct wm_conveyor *c)
{
    c->head.next = c->head.end = NULL;
    c->head.next_tag = NULL;
    c->head.lent = false;
    c->pulled = NULL;
}

static void open_cursors(struct wm_conveyor *c, struct wm_inlet *in, int link)
{
    c->pulled = in;
    wm_ways_face(c, link);
    if (c->wish.elastic)
        return;
    c->head.next = in->chunk.items + in->used * c->form.unit_bytes;
    c->head.end = in->chunk.items + in->chunk.units * c->form.unit_bytes;
    c->head.next_tag = in->chunk.tags + in->used * c->form.tag_bytes;
}

/* The chunk in hand has been used up. */
static void give_back(struct wm_conveyor *c)
{
    struct wm_inlet *in = c->pulled;

    wm_pull_settle(c);
    close_cursors(c);
    if (in->used == in->chunk.units)
        wm_flow_give(c, in);
}

bool wm_pull_next(struct wm_conveyor *c)
{
    struct wm_convey_hop *h = last_hop(c);
    int links = h->route->links;

    if (c->pulled != NULL)
        give_back(c);
    for (int i = 0; i < links; i++) {
        int link = h->turn;
        struct wm_inlet *in = h->inlets[link];

        h->turn = link + 1 < links ? link + 1 : 0;
        if (in == NULL || in->ended)
            continue;
        if (c->trace != NULL && in->used == 0 && in->chunk.units > 0)
            wm_convey_trace_pull(c, in);
        if (in->used < in->chunk.units || wm_flow_take(c, in)) {
            open_cursors(c, in, link);
            return true;
        }
        h->open_inlets -= in->ended;
    }
    return false;
}

void wm_pull_let_go(struct wm_conveyor *c)
{
    bool is_used =
        c->wish.elastic ? c->pulled != NULL && c->pulled->used == c->pulled->chunk.units : c->head.next == c->head.end;

    if (c->pulled != NULL && is_used && !c->head.lent)
        give_back(c);
}

void wm_pull_drop(struct wm_conveyor *c)
{
    struct wm_convey_hop *h = last_hop(c);

    wm_pull_settle(c);
    close_cursors(c);
    wm_elastic_drop(c); /* or the next run would find it */
    for (int link = 0; link < h->route->links; link++)
        if (h->inlets[link] != NULL && h->inlets[link]->chunk.units > 0)
            wm_flow_give(c, h->inlets[link]);
}

bool wm_pull_waiting(const struct wm_conveyor *c)
{
    const struct wm_convey_hop *h = last_hop(c);

    if (c->head.next != c->head.end || (c->wish.elastic && wm_elastic_waiting(c)))
        return true;
    for (int link = 0; link < h->route->links; link++) {
        const struct wm_inlet *in = h->inlets[link];

        if (in != NULL && in != c->pulled && in->used < in->chunk.units)
            return true;
    }
    return false;
}

static int check(const struct wm_conveyor *c)
{
    return c == NULL ? convey_error_NULL : c->state == convey_DORMANT ? convey_error_STATE : 0;
}

void *wm_pull_bounce(struct wm_conveyor *c, const void *data, size_t bytes)
{
    size_t room = (bytes + CONVEY_MAX_ALIGN) & ~(size_t)(CONVEY_MAX_ALIGN - 1);

    if (room > c->bounce_bytes) {
        void *larger = aligned_alloc(CONVEY_MAX_ALIGN, room);

        if (larger == NULL)
            return NULL;
        free(c->bounce);
        c->bounce = larger;
        c->bounce_bytes = room;
    }
    return memcpy(c->bounce, data, bytes);
}

/* Something is at c->head.next. */
static bool is_ready(struct wm_conveyor *c)
{
    return c->state != convey_COMPLETE && wm_pull_next(c);
}

/* An elastic item of the size that convey_push has. Returns as convey_pull. */
static int pull_elastic(struct wm_conveyor *c, void **data, int64_t *from)
{
    convey_item_t item;
    int rc = c->state == convey_COMPLETE ? convey_FAIL : wm_elastic_pull(c, &item);

    if (rc != convey_OK)
        return rc;
    if (item.bytes != c->head.item_bytes) {
        wm_elastic_unpull(c);
        return convey_error_MISFIT;
    }
    if (from != NULL)
        *from = item.from;
    *data = item.data;
    return convey_OK;
}

/* An item in its chunk. Returns as convey_pull. */
static int pull_in_place(struct wm_conveyor *c, void **data, int64_t *from)
{
    if (c->wish.elastic)
        return pull_elastic(c, data, from);
    if (c->head.next == c->head.end && !is_ready(c))
        return convey_FAIL;
    if (from != NULL)
        *from = wm_convey_source(&c->head);
    *data = wm_convey_take(&c->head);
    return convey_OK;
}

/* The same, to stay until the next pull that succeeds: the last one of a chunk cannot stay there. */
static int pull_to_stay(struct wm_conveyor *c, void **data, int64_t *from)
{
    int rc = pull_in_place(c, data, from);

    if (rc != convey_OK || c->wish.elastic || c->head.next != c->head.end)
        return rc;
    *data = wm_pull_bounce(c, *data, c->head.item_bytes);
    if (*data != NULL)
        return convey_OK;
    c->head.next -= c->form.unit_bytes;
    c->head.next_tag -= c->form.tag_bytes;
    return convey_error_ALLOC;
}

void *wm_convey_apull(convey_t *self, int64_t *from)
{
    struct wm_conveyor *c = wm_conveyor_of(self);
    void *data = NULL;
    int rc = check(c);

    if (rc == 0)
        rc = pull_to_stay(c, &data, from);
    if (rc < 0)
        wm_convey_fail(c, "convey_apull", rc);
    return data;
}

int wm_convey_pull(convey_t *self, void *item, int64_t *from)
{
    struct wm_conveyor *c = wm_conveyor_of(self);
    int rc = check(c);
    void *data;

    if (rc == 0 && item == NULL && c->head.item_bytes > 0)
        rc = convey_error_ARGUMENT;
    if (rc == 0)
        rc = pull_in_place(c, &data, from);
    if (rc != convey_OK)
        return rc < 0 ? wm_convey_fail(c, "convey_pull", rc) : rc;
    if (c->head.item_bytes > 0)
        memcpy(item, data, c->head.item_bytes);
    return convey_OK;
}

bool wm_convey_has_item(struct wm_conveyor *c)
{
    convey_item_t item;

    if (check(c) < 0 || c->state == convey_COMPLETE || c->handler != NULL)
        return false;
    if (!c->wish.elastic)
        return c->head.next != c->head.end || is_ready(c);
    return wm_elastic_pull(c, &item) == convey_OK && wm_elastic_unpull(c) == convey_OK;
}

int convey_epull(convey_t *self, convey_item_t *result)
{
    struct wm_conveyor *c = wm_conveyor_of(self);
    int rc = check(c);

    if (rc == 0 && !c->wish.elastic)
        rc = convey_error_RIGID;
    if (rc == 0 && result == NULL)
        rc = convey_error_ARGUMENT;
    if (rc < 0)
        return wm_convey_fail(c, "convey_epull", rc);
    return c->state == convey_COMPLETE ? convey_FAIL : wm_elastic_pull(c, result);
}

int wm_convey_unpull(convey_t *self)
{
    struct wm_conveyor *c = wm_conveyor_of(self);
    int rc = check(c);

    if (rc < 0)
        return wm_convey_fail(c, "convey_unpull", rc);
    if (c->wish.elastic)
        rc = c->state == convey_COMPLETE ? convey_FAIL : wm_elastic_unpull(c);
    else if (c->state != convey_COMPLETE && c->pulled != NULL && c->head.next > c->pulled->chunk.items) {
        c->head.next -= c->form.unit_bytes;
        c->head.next_tag -= c->form.tag_bytes;
        rc = convey_OK;
    } else
        rc = convey_FAIL;
    c->stats[0][convey_UNPULLS] += rc;
    return rc;
}

/* Items from head.next on that are of one source. */
static size_t same_source(const struct wm_conveyor *c, size_t count)
{
    size_t width = c->form.tag_bytes, i = 1;

    if (width == 0)
        return count;
    while (i < count && memcmp(c->head.next_tag, c->head.next_tag + i * width, width) == 0)
        i++;
    return i;
}

int64_t convey_pull_span(convey_t *self, const void **items, int64_t *from)
{
    struct wm_conveyor *c = wm_conveyor_of(self);
    int rc = check(c);
    size_t count;

    if (rc == 0 && (items == NULL || c->wish.elastic))
        rc = convey_error_ARGUMENT;
    if (rc < 0)
        return wm_convey_fail(c, "convey_pull_span", rc);
    if (c->head.next == c->head.end && !is_ready(c))
        return 0;
    count = (size_t)(c->head.end - c->head.next) / c->form.unit_bytes;
    if (from != NULL) {
        *from = wm_convey_source(&c->head);
        count = same_source(c, count);
    }
    *items = c->head.next;
    c->head.lent = true;
    c->head.next += count * c->form.unit_bytes;
    c->head.next_tag += count * c->form.tag_bytes;
    return (int64_t)count;
}
