/* Endpoints: groups, and the protocols that are open in them. */
#include "core/message/endpoints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/message/delay.h"
#include "core/message/far.h"
#include "core/path/transport.h"

enum { RECEIVES = 1 << 20 };
_Static_assert((int)WM_LINE_EAGER_BYTES == (int)WM_LINE_BODY_BYTES, "a line's body");
enum { PASSED_EACH = 8 }; /* entries of the right key that are passed in vain for each that was filed: more are told */

struct wm_endpoints *wm_endpoints_new(int count, const struct wm_message_limits *limits)
{
    struct wm_endpoints *group = calloc(1, sizeof *group);

    if (group == NULL)
        return NULL;
    group->count = count;
    pthread_mutex_init(&group->lock, NULL);
    if (limits != NULL)
        group->limits = *limits;
    if (group->limits.unexpected_bytes == 0)
        group->limits.unexpected_bytes = WM_UNEXPECTED_BYTES;
    if (group->limits.receives == 0)
        group->limits.receives = RECEIVES;
    for (int near = 0; near < 2; near++)
        group->ways[near] = (struct wm_message_way){.most_bytes = SIZE_MAX,
                                                    .eager_below = wm_eager_bytes(group->limits.eager_bytes, near) + 1};
    return group;
}

static void free_context(struct wm_context *context)
{
    free(context->name);
    free(context->named);
    free(context->elsewhere);
    free(context);
}

void wm_endpoints_free(struct wm_endpoints *group)
{
    if (group->far != NULL)
        wm_far_free(group);
    for (struct wm_context *context = group->contexts, *next; context != NULL; context = next) {
        next = context->next;
        free_context(context);
    }
    if (group->limits.forget != NULL)
        group->limits.forget(group->limits.map);
    pthread_mutex_destroy(&group->lock);
    free(group);
}

void wm_endpoints_lock(struct wm_endpoints *group)
{
    pthread_mutex_lock(&group->lock);
    group->shared = true;
}

void wm_endpoints_unlock(struct wm_endpoints *group)
{
    pthread_mutex_unlock(&group->lock);
}

static struct wm_context *make_context(struct wm_endpoints *group, const char *name, size_t header_bytes)
{
    struct wm_context *context = calloc(1, sizeof *context + (size_t)group->count * sizeof context->opened[0]);

    if (context == NULL)
        return NULL;
    context->name = strdup(name);
    if (group->far != NULL)
        context->named = calloc((size_t)group->far->wire.peer_count, sizeof *context->named);
    if (context->name == NULL || (group->far != NULL && context->named == NULL)) {
        free_context(context);
        return NULL;
    }
    context->header_bytes = header_bytes;
    context->endpoints = group->count;
    context->number = group->context_count++;
    context->next = group->contexts;
    group->contexts = context;
    return context;
}

struct wm_context *wm_context_find(struct wm_endpoints *group, const char *name, size_t header_bytes)
{
    struct wm_context *context = group->contexts;

    while (context != NULL && strcmp(context->name, name) != 0)
        context = context->next;
    return context != NULL ? context : make_context(group, name, header_bytes);
}

bool wm_endpoint_is_here(const struct wm_endpoints *group, int endpoint)
{
    const struct wm_far *far = group->far;

    return (unsigned)endpoint < (unsigned)group->count && (far == NULL || endpoint / far->each == far->wire.self);
}

bool wm_endpoint_is_near(const struct wm_endpoints *group, int endpoint)
{
    return wm_endpoint_is_here(group, endpoint) || wm_far_peer(group->far, endpoint)->near;
}

/* What forbids an endpoint to open the protocol. */
static enum wm_message_error refuse(const struct wm_endpoints *group, const struct wm_context *context, int self,
                                    size_t header_bytes)
{
    if (!wm_endpoint_is_here(group, self))
        return WM_MESSAGE_RANGE;
    if (context->header_bytes != header_bytes)
        return WM_MESSAGE_HEADER;
    return context->opened[self] != NULL ? WM_MESSAGE_TWICE : WM_MESSAGE_DONE;
}

/* Half of the limit is for what others may send without asking, in equal shares. */
static bool make_rooms(struct wm_protocol *p, const struct wm_endpoints *group)
{
    size_t reserved = p->limit_bytes / 2;
    int others = group->count - group->far->each;

    p->passages = (struct wm_match_link){&p->passages, &p->passages};
    p->rooms = calloc((size_t)group->count, sizeof *p->rooms);
    p->limit_bytes -= reserved;
    p->share_bytes = others > 0 ? reserved / (size_t)others : 0;
    return p->rooms != NULL;
}

int wm_protocol_open(struct wm_protocol *p, struct wm_endpoints *group, int self, const char *name, size_t header_bytes,
                     size_t message_offset, bool (*come)(struct wm_protocol *p, const struct wm_arrival *a))
{
    *p = (struct wm_protocol){
        .group = group, .self = self, .header_bytes = header_bytes, .message_offset = message_offset, .come = come};
    if (strlen(name) > WM_MESSAGE_NAME_BYTES)
        return p->error = WM_MESSAGE_NAME;
    if ((p->context = wm_context_find(group, name, header_bytes)) == NULL)
        return p->error = WM_MESSAGE_MEMORY;
    if ((p->error = refuse(group, p->context, self, header_bytes)) != WM_MESSAGE_DONE)
        return p->error;
    for (int near = 0; near < 2; near++)
        p->ways[near] =
            group->limits.ways != NULL ? group->limits.ways(group->limits.map, name, near) : &group->ways[near];
    p->limit_bytes = group->limits.unexpected_bytes;
    if (group->far != NULL && !make_rooms(p, group))
        return p->error = WM_MESSAGE_MEMORY;
    p->tell_bytes = p->limit_bytes - p->limit_bytes / 4;
    wm_matching_init(&p->expected, group->limits.receives);
    wm_matching_init(&p->unexpected, UINT64_MAX);
    p->context->opened[self] = p;
    wm_message_trace_open(p);
    return WM_MESSAGE_DONE;
}

int wm_protocol_send_away(struct wm_protocol *p, struct wm_envelope *e, const void *header)
{
    if ((unsigned)e->peer >= (unsigned)p->group->count)
        return wm_envelope_complete(e, WM_MESSAGE_RANGE);
    if (wm_endpoint_is_here(p->group, e->peer))
        return wm_envelope_complete(e, WM_MESSAGE_UNKNOWN);
    return wm_far_send(p, e, header);
}

void wm_envelope_convert(struct wm_envelope *receive, const struct wm_envelope *message)
{
    size_t from_bytes = wm_number_bytes(message->number), to_bytes = wm_number_bytes(receive->number);
    size_t sent = message->bytes / from_bytes, room = receive->bytes / to_bytes, count = sent < room ? sent : room;
    size_t made = wm_numbers_convert(receive->number, receive->buffer, message->number, message->buffer, count);

    receive->sent = message->number;
    receive->whole = sent * to_bytes;
    receive->bytes = made * to_bytes;
    receive->peer = message->sender;
    wm_envelope_complete(receive, made < count  ? WM_MESSAGE_INEXACT
                                  : sent > room ? WM_MESSAGE_TRUNCATED
                                                : WM_MESSAGE_DONE);
}

static struct wm_envelope *message_of(const struct wm_protocol *p, struct wm_match *at)
{
    return (struct wm_envelope *)((char *)at + p->message_offset);
}

/* Give every entry of a table away. */
static void end_all(struct wm_protocol *p, const struct wm_match_table *table, enum wm_message_error error)
{
    for (uint64_t i = 0; i < wm_match_buckets(table); i++)
        for (struct wm_match_link *link = table->buckets[i].next, *next; link != &table->buckets[i]; link = next) {
            struct wm_envelope *e = message_of(p, (struct wm_match *)link);

            next = link->next;
            if (e->place == WM_ENVELOPE_ANNOUNCED)
                wm_far_refuse(p, e, error);
            if (wm_envelope_is_kept(e))
                free(link);
            else
                wm_envelope_complete(e, error);
        }
}

/* Take what this endpoint sends out of a peer's queue. */
static void take_back(const struct wm_protocol *p, struct wm_protocol *peer)
{
    const struct wm_match_table *table = &peer->unexpected.form[0];

    for (uint64_t i = 0; i < wm_match_buckets(table); i++)
        for (struct wm_match_link *link = table->buckets[i].next, *next; link != &table->buckets[i]; link = next) {
            struct wm_envelope *e = message_of(p, (struct wm_match *)link);

            next = link->next;
            if (e->place != WM_ENVELOPE_UNREQUESTED || e->sender != p->self)
                continue;
            wm_arrived_remove(&peer->unexpected, (struct wm_match *)link);
            wm_envelope_complete(e, WM_MESSAGE_CANCELLED);
        }
}

struct wm_match *wm_protocol_find_announced(const struct wm_protocol *p, int sender, uint64_t record)
{
    const struct wm_match_table *table = &p->unexpected.form[0];

    for (uint64_t i = 0; i < wm_match_buckets(table); i++)
        for (struct wm_match_link *link = table->buckets[i].next; link != &table->buckets[i]; link = link->next) {
            const struct wm_envelope *e = message_of(p, (struct wm_match *)link);

            if (e->place == WM_ENVELOPE_ANNOUNCED && e->sender == sender && e->record == record)
                return (struct wm_match *)link;
        }
    return NULL;
}

static void tell(void (*listener)(const char *sentence), const struct wm_protocol *p, const char *what,
                 unsigned long long count, const char *advice)
{
    char sentence[400];

    if (listener == NULL)
        return;
    snprintf(sentence, sizeof sentence, "'%s' at endpoint %d: %s %llu %s", p->context->name, p->self, what, count,
             advice);
    listener(sentence);
}

void wm_protocol_tell_kept(struct wm_protocol *p)
{
    p->tell_bytes = SIZE_MAX;
    tell(
        p->group->limits.tell, p, "messages that no receive waits for take", p->kept_bytes,
        "bytes, of which a third more may be taken; then they stay with their senders: post receives earlier, or raise "
        "the limit (WAYMARK_UNEXPECTED, where the program sets none)");
}

/* Of one side's matching. */
static void tell_keys(const struct wm_protocol *p, const struct wm_matching *m)
{
    void (*listener)(const char *sentence) = p->group->limits.tell_keys;
    uint64_t collided = 0;

    for (unsigned form = 0; form < m->forms; form++)
        collided += m->form[form].collided;
    if (collided > 0)
        tell(listener, p, "keys collided", collided,
             "times, until another hash kept them apart: spread them over more bits");
    if (m->passed > PASSED_EACH * m->order)
        tell(listener, p, "headers of equal keys were searched through,", m->passed,
             "times one that did not match: more of the header should be in the key");
}

static void free_idle(struct wm_protocol *p)
{
    for (struct wm_match_link *link = p->idle, *next; link != NULL; link = next) {
        next = link->next;
        free(link);
    }
}

void wm_protocol_close(struct wm_protocol *p)
{
    struct wm_context *context = p->context;

    context->opened[p->self] = NULL;
    tell_keys(p, &p->expected);
    tell_keys(p, &p->unexpected);
    for (int i = 0; i < context->endpoints; i++)
        if (context->opened[i] != NULL)
            take_back(p, context->opened[i]);
    for (unsigned form = 0; form < p->expected.forms; form++)
        end_all(p, &p->expected.form[form], WM_MESSAGE_CANCELLED);
    end_all(p, &p->unexpected.form[0], WM_MESSAGE_CLOSED);
    wm_matching_release(&p->expected);
    wm_matching_release(&p->unexpected);
    free_idle(p);
    if (p->rooms != NULL) {
        wm_held_close(p);
        wm_far_settle(p);
    }
    free(p->rooms);
    free(p->delayed);
}

void wm_envelope_notify(struct wm_envelope *e)
{
    void (*notify)(struct wm_envelope * e) = e->notify;

    e->notify = NULL;
    notify(e);
}

void wm_protocol_notify(struct wm_protocol *p)
{
    p->notify(p);
}
