/* Messages under a delay: due times are told, and what has come is held. */
#include "core/message/delay.h"

#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"

bool wm_message_delay_parts(const struct wm_message_delay *delay, int endpoints, int each)
{
    for (int i = 0; i < endpoints; i++)
        if (delay->groups[i] != delay->groups[i / each * each])
            return true;
    return false;
}

/* ---- the sender ---- */

static uint64_t number_of(struct wm_protocol *p, int peer)
{
    if (p->delayed == NULL)
        p->delayed = wm_allocate_zeroed((size_t)p->group->count * sizeof *p->delayed, "messages");
    return p->delayed[peer]++;
}

void wm_held_announce(struct wm_protocol *p, const struct wm_envelope *e, const void *header,
                      const struct wm_message_delay *delay, struct wm_wire_peer *peer)
{
    struct wm_line_head head = {.sender = p->self, .receiver = e->peer, .kind = WM_LINE_DUE};
    struct wm_line_body body = {.first_bytes = sizeof(struct wm_due)};
    struct wm_due due;

    if (delay->groups[p->self] == delay->groups[e->peer] || (delay->holds != NULL && !delay->holds(header)))
        return;
    due = wm_uplink_send(delay->uplink, p->self, e->peer, number_of(p, e->peer), e->bytes);
    body.first = &due;
    wm_far_say(p->group->far, peer, &head, &body);
}

/* ---- the receiver ---- */

void wm_held_expect(struct wm_wire_peer *peer, const struct wm_wire_line *line)
{
    struct wm_due due;
    uint64_t at_ns;

    memcpy(&due, line->body, sizeof due);
    at_ns = wm_due_here(&due);
    if (at_ns > peer->due_ns)
        peer->due_ns = at_ns;
    peer->is_delayed = true;
}

static void insert(struct wm_far *far, struct wm_held *h)
{
    struct wm_held **place = &far->held;

    if (far->held_last != NULL && far->held_last->at_ns <= h->at_ns)
        place = &far->held_last->next;
    while (*place != NULL && (*place)->at_ns <= h->at_ns)
        place = &(*place)->next;
    h->next = *place;
    *place = h;
    if (h->next == NULL)
        far->held_last = h;
}

static struct wm_held *take(struct wm_far *far, struct wm_held **place)
{
    struct wm_held *h = *place;

    *place = h->next;
    if (far->held_last == h)
        far->held_last = NULL;
    for (struct wm_held *last = far->held; h->next == NULL && last != NULL; last = last->next)
        far->held_last = last;
    h->p->kept_bytes -= h->kept_bytes;
    return h;
}

/* A copy counts as kept, and so its send is over. */
static void keep(struct wm_held *h)
{
    size_t bytes = wm_protocol_copy_bytes(h->p, h->line.head.bytes);

    if (h->line.head.kind != WM_LINE_EAGER)
        return;
    if (h->line.head.record != 0 && h->p->kept_bytes + bytes > h->p->limit_bytes)
        return;
    h->kept_bytes = bytes;
    h->p->kept_bytes += bytes;
    wm_far_say_done(h->p, h->line.head.sender, h->line.head.record);
    h->line.head.record = 0;
}

bool wm_held_come(struct wm_endpoints *group, struct wm_wire_peer *peer, const struct wm_wire_line *line)
{
    struct wm_protocol *p = wm_far_receiver(peer, line);
    struct wm_held *h;

    if (p == NULL || p->header_bytes != line->head.header_bytes) { /* which is said at once */
        peer->is_delayed = false;
        return wm_far_message(group, peer, line);
    }
    if ((h = malloc(sizeof *h + line->body_bytes)) == NULL)
        return false;
    *h = (struct wm_held){.at_ns = peer->due_ns, .peer = peer, .p = p, .line = *line};
    memcpy(h->body, line->body, p->header_bytes);
    memcpy(h->body + p->header_bytes, line->data, line->body_bytes - p->header_bytes);
    h->line.body = h->body;
    h->line.data = h->body + p->header_bytes;
    keep(h);
    insert(group->far, h);
    peer->is_delayed = false;
    return true;
}

bool wm_held_drain(struct wm_endpoints *group)
{
    struct wm_far *far = group->far;
    uint64_t now = wm_due_clock();
    bool moved = false;

    while (far->held != NULL && far->held->at_ns <= now) {
        struct wm_held *h = take(far, &far->held);

        if (!wm_far_message(group, h->peer, &h->line)) { /* there is no memory now */
            h->p->kept_bytes += h->kept_bytes;
            insert(far, h);
            break;
        }
        free(h);
        moved = true;
    }
    return moved;
}

static void refuse(struct wm_far *far, struct wm_held **place, enum wm_message_error error)
{
    struct wm_held *h = take(far, place);
    struct wm_envelope announced = {.sender = h->line.head.sender, .record = h->line.head.record};

    wm_far_refuse(h->p, &announced, error);
    free(h);
}

void wm_held_cancel(struct wm_far *far, const struct wm_protocol *p, const struct wm_wire_line *line)
{
    for (struct wm_held **place = &far->held; *place != NULL; place = &(*place)->next)
        if ((*place)->p == p && (*place)->line.head.sender == line->head.sender &&
            (*place)->line.head.record == line->head.record) {
            refuse(far, place, WM_MESSAGE_CANCELLED);
            return;
        }
}

void wm_held_close(const struct wm_protocol *p)
{
    struct wm_held **place = &p->group->far->held;

    while (*place != NULL)
        if ((*place)->p == p)
            refuse(p->group->far, place, WM_MESSAGE_CLOSED);
        else
            place = &(*place)->next;
}

void wm_held_free(struct wm_far *far)
{
    for (struct wm_held *h = far->held, *next; h != NULL; h = next) {
        next = h->next;
        free(h);
    }
}
