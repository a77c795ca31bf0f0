/* The messages of a deal, sent, received and stored. */
#include "core/communicate/fly.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/message/far.h"

/* ---- what both do ---- */

static void pack_part(const struct wm_deal *d, const struct wm_statement_part *part, const struct wm_bound bindings[],
                      void *to)
{
    struct wm_error error = {0};

    if (wm_part_pack(&d->traffic, part, bindings, to, &error) < 0)
        wm_deal_abort(d, &error);
}

/* Read the data of a load; with heads, where its receiver does not know of it. */
static void pack(const struct wm_deal *d, struct wm_load *load, const struct wm_bound bindings[], bool heads)
{
    char *at = wm_load_staging(load);

    for (size_t i = load->first; i < load->first + load->count; i++) {
        const struct wm_statement_part *part = &d->traffic.sends.parts[i];

        if (heads)
            at += wm_part_head(&d->traffic, part, at);
        pack_part(d, part, bindings, at);
        at += wm_part_bytes(&d->traffic, part);
    }
}

static void send(struct wm_talk *t, const struct wm_deal *d, struct wm_load *load, void *data, bool rendezvous)
{
    load->e.header = (struct wm_talk_header){.number = t->number, .site = (uint32_t)d->form->hash, .source = t->rank};
    load->e.message =
        (struct wm_envelope){.buffer = data, .bytes = load->bytes, .peer = load->peer, .rendezvous = rendezvous};
    wm_talk_mail_send(&t->mail, &load->e);
}

static _Noreturn void refuse_message(const struct wm_talk *t, const struct wm_deal *d, int peer, const char *what)
{
    struct wm_error error = {0};

    wm_error_set(&error, -WM_EINVAL, "rank %d sends rank %d %s", peer, t->rank, what);
    wm_deal_abort(d, &error);
}

static void check_site(const struct wm_talk *t, const struct wm_deal *d, const struct wm_talk_header *header)
{
    if (header->site != (uint32_t)d->form->hash)
        refuse_message(t, d, header->source,
                       "data of another statement: all ranks have to make the same statements in the same order");
}

/* Wait for an envelope, and say what is wrong with it. */
static void wait_for(struct wm_talk *t, const struct wm_deal *d, struct wm_talk_mail_envelope *e)
{
    char sentence[512];
    struct wm_error error = {0};

    wm_talk_mail_wait(&t->mail, e);
    if (e->message.error == WM_MESSAGE_DONE || e->message.error == WM_MESSAGE_TRUNCATED)
        return;
    wm_error_set(&error, -WM_EMPI, "%s", wm_message_sentence(&t->mail.common, &e->message, sentence, sizeof sentence));
    wm_deal_abort(d, &error);
}

static void wait_for_sends(struct wm_talk *t, struct wm_deal *d)
{
    for (int i = 0; i < d->sends.count; i++)
        if (i != d->sends.self)
            wait_for(t, d, &d->sends.loads[i].e);
}

/* ---- both ends know ---- */

static void post(struct wm_talk *t, struct wm_deal *d)
{
    for (int i = 0; i < d->receives.count; i++) {
        struct wm_load *load = &d->receives.loads[i];

        if (i == d->receives.self)
            continue;
        load->e.header = (struct wm_talk_header){.number = t->number, .source = load->peer};
        load->e.message = (struct wm_envelope){.buffer = load->place != NULL ? load->place : wm_load_staging(load),
                                               .bytes = load->bytes};
        wm_talk_mail_receive(&t->mail, &load->e);
    }
}

static void send_all(struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[])
{
    for (int i = 0; i < d->sends.count; i++) {
        struct wm_load *load = &d->sends.loads[i];

        if (load->place == NULL)
            pack(d, load, bindings, false);
        if (i != d->sends.self)
            send(t, d, load, load->place != NULL ? load->place : load->staging, false);
    }
}

static void check_bytes(const struct wm_talk *t, const struct wm_deal *d, const struct wm_load *load, size_t bytes)
{
    char what[128];

    if (bytes == load->bytes)
        return;
    snprintf(what, sizeof what, "%zu bytes, and that one expects %zu: they do not agree on how much is sent", bytes,
             load->bytes);
    refuse_message(t, d, load->peer, what);
}

static void wait_for_receives(struct wm_talk *t, struct wm_deal *d)
{
    for (int i = 0; i < d->receives.count; i++) {
        struct wm_load *load = &d->receives.loads[i];

        if (i != d->receives.self) {
            wait_for(t, d, &load->e);
            check_site(t, d, &load->e.header);
        }
        check_bytes(t, d, load, i != d->receives.self ? load->e.message.whole : d->sends.loads[d->sends.self].bytes);
    }
}

static void store(const struct wm_deal *d, const struct wm_load *load, const struct wm_bound bindings[],
                  const char *from)
{
    for (size_t i = load->first; i < load->first + load->count; i++) {
        const struct wm_statement_part *part = &d->traffic.receives.parts[i];

        wm_part_store(&d->traffic, part, bindings, from);
        from += wm_part_bytes(&d->traffic, part);
    }
}

void wm_fly_corresponding(struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[])
{
    post(t, d);
    send_all(t, d, bindings);
    wait_for_receives(t, d);
    wait_for_sends(t, d);
    for (int i = 0; i < d->receives.count; i++) {
        const struct wm_load *load = &d->receives.loads[i];

        if (load->place == NULL)
            store(d, load, bindings, i == d->receives.self ? d->sends.loads[d->sends.self].staging : load->staging);
    }
}

/* ---- senders alone know ---- */

/* What has come of one rank. */
struct arrival {
    struct arrival *next;
    struct wm_talk_mail_envelope e;
    char *data;
};

/* Room for so many bytes of a rank, among the others by source. */
static struct arrival *arrival_new(struct arrival **arrivals, int source, size_t bytes)
{
    struct arrival *a = wm_allocate_zeroed(sizeof *a + bytes, "a statement");

    a->e.header.source = source;
    a->e.message.bytes = bytes;
    a->e.message.complete = true;
    a->e.message.buffer = a->data = (char *)(a + 1);
    while (*arrivals != NULL && (*arrivals)->e.header.source < source)
        arrivals = &(*arrivals)->next;
    a->next = *arrivals;
    return *arrivals = a;
}

/* Take what has come of this statement. True: something has. */
static bool take(struct wm_talk *t, const struct wm_deal *d, struct arrival **arrivals)
{
    struct wm_talk_header any = {.number = t->number, .source = -1};
    struct wm_talk_mail_envelope *message;
    struct arrival *a;

    wm_talk_mail_take(&t->mail, &any, &message);
    if (message == NULL)
        return false;
    check_site(t, d, &message->header);
    a = arrival_new(arrivals, message->header.source, message->message.bytes);
    wm_talk_mail_receive_taken(&t->mail, &a->e, message);
    return true;
}

static bool sends_are_taken(const struct wm_deal *d)
{
    for (int i = 0; i < d->sends.count; i++)
        if (i != d->sends.self && !d->sends.loads[i].e.message.complete)
            return false;
    return true;
}

/* Take what comes until all ranks' sends are taken. */
static void gather(struct wm_talk *t, const struct wm_deal *d, struct arrival **arrivals)
{
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool begun = false;
    unsigned turn = 0;

    for (int over = 0; !over;) {
        if (take(t, d, arrivals))
            continue;
        if (!begun && sends_are_taken(d)) {
            PMPI_Ibarrier(t->comm, &barrier);
            begun = true;
        }
        if (begun)
            PMPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
        if (!over)
            wm_endpoints_rest(t->group, &turn);
    }
}

/* Find the places of what has come of a rank. */
static void arrive(struct wm_deal *d, const struct wm_bound bindings[], const struct arrival *a)
{
    const struct wm_parts *parts = &d->traffic.receives;
    struct wm_error error = {0};
    size_t head;

    for (const char *at = a->data; at < a->data + a->e.message.bytes;) {
        if (wm_traffic_arrive(&d->traffic, bindings, a->e.header.source, at, &head, &error) < 0)
            wm_deal_abort(d, &error);
        at += head + wm_part_bytes(&d->traffic, &parts->parts[parts->count - 1]);
    }
}

/* Store its parts, from number `part` on. Returns the number of the next one. */
static size_t store_arrived(struct wm_deal *d, const struct wm_bound bindings[], const struct arrival *a, size_t part)
{
    for (const char *at = a->data; at < a->data + a->e.message.bytes; part++) {
        const struct wm_statement_part *p = &d->traffic.receives.parts[part];

        at += wm_part_head_bytes(&d->traffic, p->reduction);
        wm_part_store(&d->traffic, p, bindings, at);
        at += wm_part_bytes(&d->traffic, p);
    }
    return part;
}

void wm_fly_sender(struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[])
{
    struct arrival *arrivals = NULL;
    size_t part = 0;

    for (int i = 0; i < d->sends.count; i++) {
        struct wm_load *load = &d->sends.loads[i];

        pack(d, load, bindings, true);
        if (i != d->sends.self)
            send(t, d, load, load->staging, true);
        else
            memcpy(arrival_new(&arrivals, t->rank, load->bytes)->data, load->staging, load->bytes);
    }
    gather(t, d, &arrivals);
    d->traffic.receives.count = d->traffic.receives.value_count = 0;
    for (struct arrival *a = arrivals; a != NULL; a = a->next) {
        wait_for(t, d, &a->e);
        arrive(d, bindings, a);
    }
    for (struct arrival *a = arrivals, *next; a != NULL; a = next) {
        next = a->next;
        part = store_arrived(d, bindings, a, part);
        free(a);
    }
}
