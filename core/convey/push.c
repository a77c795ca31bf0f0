/* Pushes that the inlined way cannot do: no room, another state, long tags; spans; urgent ones. */
#include "core/convey/elastic.h"
#include "core/convey/state.h"
#include "core/convey/tag.h"

static int check(const struct wm_conveyor *c, int64_t pe)
{
    if (c->state != convey_WORKING)
        return convey_error_STATE;
    return pe < 0 || pe >= c->ranks ? convey_error_RANGE : 0;
}

static int refuse(struct wm_conveyor *c)
{
    c->refused++;
    return convey_FAIL;
}

static int push(struct wm_conveyor *c, const void *item, int pe, struct wm_convey_outlet **used)
{
    struct wm_convey_outlet *hot;
    int outlet;
    uint32_t tag;

    wm_ways_find(c, pe, &outlet, &tag);
    hot = *used = &c->hot[outlet];
    if (c->wish.elastic)
        return wm_elastic_push(c, c->head.item_bytes, item, pe);
    if (hot->at == hot->limit && !wm_flow_room(c, hot->link, 1))
        return refuse(c);
    if (c->head.item_bytes > 0)
        memcpy(hot->at, item, c->head.item_bytes);
    hot->at += c->form.unit_bytes;
    wm_tag_write(hot, tag, c->form.tag_bytes);
    return convey_OK;
}

int wm_convey_push(convey_t *self, const void *item, int64_t pe)
{
    struct wm_conveyor *c = wm_conveyor_of(self);
    struct wm_convey_outlet *hot = NULL;
    int rc = c == NULL ? convey_error_NULL : check(c, pe);

    if (rc == 0 && item == NULL && c->head.item_bytes > 0)
        rc = convey_error_ARGUMENT;
    return rc < 0 ? wm_convey_fail(c, "convey_push", rc) : push(c, item, (int)pe, &hot);
}

int convey_epush(convey_t *self, size_t bytes, const void *item, int64_t pe)
{
    struct wm_conveyor *c = wm_conveyor_of(self);
    int rc = c == NULL ? convey_error_NULL : !c->wish.elastic ? convey_error_RIGID : check(c, pe);

    if (rc == 0 && bytes > c->wish.item_bound)
        rc = convey_error_SIZE;
    if (rc == 0 && item == NULL && bytes > 0)
        rc = convey_error_ARGUMENT;
    return rc < 0 ? wm_convey_fail(c, "convey_epush", rc) : wm_elastic_push(c, bytes, item, (int)pe);
}

int convey_push_urgent(convey_t *self, const void *item, int64_t pe)
{
    struct wm_conveyor *c = wm_conveyor_of(self);
    struct wm_convey_outlet *hot = NULL;
    int rc = c == NULL ? convey_error_NULL : check(c, pe);

    if (rc == 0 && item == NULL && c->head.item_bytes > 0)
        rc = convey_error_ARGUMENT;
    if (rc < 0)
        return wm_convey_fail(c, "convey_push_urgent", rc);
    rc = push(c, item, (int)pe, &hot);
    if (rc == convey_OK) {
        wm_flow_urge(c, hot->link);
        wm_flow_close(c, hot->link, WM_REASON_URGENT);
    }
    return rc;
}

/* As many as the open buffer takes. */
static size_t push_some(struct wm_conveyor *c, const char *items, size_t count, struct wm_convey_outlet *hot,
                        uint32_t tag)
{
    size_t stride = c->form.unit_bytes, room = (size_t)(hot->limit - hot->at) / stride;
    size_t some = count < room ? count : room;

    if (c->head.item_bytes > 0)
        memcpy(hot->at, items, some * stride);
    hot->at += some * stride;
    for (size_t i = 0; c->form.tag_bytes > 0 && i < some; i++)
        wm_tag_write(hot, tag, c->form.tag_bytes);
    return some;
}

int64_t convey_push_span(convey_t *self, const void *items, size_t count, int64_t pe)
{
    struct wm_conveyor *c = wm_conveyor_of(self);
    int rc = c == NULL ? convey_error_NULL : check(c, pe), outlet;
    struct wm_convey_outlet *hot;
    size_t done = 0;
    uint32_t tag;

    if (rc == 0 && (c->wish.elastic || (items == NULL && count > 0 && c->head.item_bytes > 0)))
        rc = convey_error_ARGUMENT;
    if (rc < 0)
        return wm_convey_fail(c, "convey_push_span", rc);
    wm_ways_find(c, (int)pe, &outlet, &tag);
    for (hot = &c->hot[outlet]; done < count;) {
        if (hot->at == hot->limit && !wm_flow_room(c, hot->link, 1))
            break;
        done += push_some(c, (const char *)items + done * c->head.item_bytes, count - done, hot, tag);
    }
    c->refused += done < count;
    return (int64_t)done;
}
