/* Loads on their way: read, sent, and checked when they have come. */
#include "core/communicate/load.h"

#include <stdlib.h>
#include "core/data/allocate.h"

static size_t count_peers(const struct wm_parts *parts)
{
    size_t count = 0;

    for (size_t i = 0; i < parts->count; i++)
        count += i == 0 || parts->parts[i].peer != parts->parts[i - 1].peer;
    return count;
}

void wm_loads_group(struct wm_loads *p, const struct wm_parts *parts, int me)
{
    p->loads = wm_allocate_zeroed(sizeof *p->loads * (count_peers(parts) + 1), "a statement");
    p->self = -1;
    for (size_t i = 0; i < parts->count; i++) {
        int peer = parts->parts[i].peer;

        if (p->count == 0 || p->loads[p->count - 1].peer != peer) {
            p->loads[p->count++] = (struct wm_load){.peer = peer, .first = i};
            p->self = peer == me ? p->count - 1 : p->self;
        }
        p->loads[p->count - 1].count++;
    }
}

char *wm_load_staging(struct wm_load *load)
{
    if (load->staging == NULL)
        load->staging = wm_allocate(load->bytes > 0 ? load->bytes : 1, "a statement");
    return load->staging;
}

void wm_loads_of_items(struct wm_loads *p, const struct wm_items *items, int me)
{
    free(p->loads);
    p->loads = wm_allocate_zeroed(sizeof *p->loads * ((size_t)items->peer_count + 1), "a statement");
    p->count = items->peer_count;
    p->self = -1;
    for (int i = 0; i < p->count; i++) {
        const struct wm_bucket *b = &items->buckets[items->peers[i]];

        p->loads[i] = (struct wm_load){.peer = items->peers[i], .bytes = b->bytes, .place = b->data};
        p->self = items->peers[i] == me ? i : p->self;
    }
}

void wm_load_pack(const struct wm_turn *turn, struct wm_load *load)
{
    const struct wm_traffic *x = &turn->deal->traffic;
    struct wm_error error = {0};
    char *at = wm_load_staging(load);

    for (size_t i = load->first; i < load->first + load->count; i++) {
        const struct wm_statement_part *part = &x->sends.parts[i];

        if (wm_part_pack(x, part, turn->bindings, at, &error) < 0)
            wm_deal_abort(turn->deal, &error);
        at += wm_part_bytes(x, part);
    }
}

void wm_load_send(const struct wm_turn *turn, struct wm_load *load, void *data, bool rendezvous)
{
    load->e.header = (struct wm_talk_header){
        .number = turn->number, .site = (uint32_t)turn->deal->form->hash, .source = turn->talk->rank};
    load->e.message =
        (struct wm_envelope){.buffer = data, .bytes = load->bytes, .peer = load->peer, .rendezvous = rendezvous};
    wm_talk_mail_send(&turn->talk->mail, &load->e);
}

void wm_load_refuse(const struct wm_turn *turn, int sender, const char *what)
{
    struct wm_error error = {0};

    wm_error_set(&error, -WM_EINVAL, "rank %d sends rank %d %s", sender, turn->talk->rank, what);
    wm_deal_abort(turn->deal, &error);
}

void wm_load_check_statement(const struct wm_turn *turn, const struct wm_talk_header *header)
{
    if (header->site != (uint32_t)turn->deal->form->hash)
        wm_load_refuse(turn, header->source,
                       "data of another statement: all ranks have to make the same statements in the same order");
}

void wm_load_check(const struct wm_turn *turn, const struct wm_talk_mail_envelope *e)
{
    const struct wm_protocol *protocol = &turn->talk->mail.common;
    char sentence[512];
    struct wm_error error = {0};

    if (e->message.error == WM_MESSAGE_DONE || e->message.error == WM_MESSAGE_TRUNCATED)
        return;
    wm_error_set(&error, -WM_EMPI, "%s", wm_message_sentence(protocol, &e->message, sentence, sizeof sentence));
    wm_deal_abort(turn->deal, &error);
}
