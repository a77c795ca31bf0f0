/* The messages of a turn, where their senders alone know of them. */
#include <stdlib.h>
#include <string.h>
#include "core/communicate/arrived.h"
#include "core/communicate/check.h"
#include "core/communicate/fly.h"
#include "core/communicate/load.h"
#include "core/data/allocate.h"

struct wm_arrived *wm_arrived_new(struct wm_turn *turn, int source, size_t bytes)
{
    struct wm_arrived *a = wm_allocate_zeroed(sizeof *a + bytes, "a statement"), **link = &turn->arrived;

    a->e.header.source = source;
    a->e.message.bytes = bytes;
    a->e.message.buffer = a->data = (char *)(a + 1);
    while (*link != NULL && (*link)->e.header.source < source)
        link = &(*link)->next;
    a->next = *link;
    return *link = a;
}

void wm_fly_senders_begin(struct wm_turn *turn)
{
    struct wm_loads *loads = &turn->deal->sends;

    for (int i = 0; i < loads->count; i++) {
        struct wm_load *load = &loads->loads[i];

        wm_load_pack(turn, load, true);
        if (i != loads->self)
            wm_load_send(turn, load, load->staging, true);
        else
            memcpy(wm_arrived_new(turn, turn->talk->rank, load->bytes)->data, load->staging, load->bytes);
    }
}

/* Take one that has come. */
static bool take(struct wm_turn *turn)
{
    struct wm_talk_mail *mail = &turn->talk->mail;
    struct wm_talk_header any = {.number = turn->number, .source = -1};
    struct wm_talk_mail_envelope *message;
    struct wm_arrived *a;

    wm_talk_mail_take(mail, &any, &message);
    if (message == NULL)
        return false;
    wm_load_check_statement(turn, &message->header);
    a = wm_arrived_new(turn, message->header.source, message->message.bytes);
    wm_talk_mail_receive_taken(mail, &a->e, message);
    return true;
}

bool wm_fly_senders_take(struct wm_turn *turn)
{
    int over = 0;

    while (take(turn))
        continue;
    if (!turn->barred && wm_loads_are_complete(&turn->deal->sends)) {
        PMPI_Ibarrier(turn->talk->own, &turn->asked);
        turn->barred = true;
    }
    if (turn->barred)
        PMPI_Test(&turn->asked, &over, MPI_STATUS_IGNORE);
    return over != 0;
}

/* Find the places of what has come of a rank. */
static void arrive(const struct wm_turn *turn, const struct wm_arrived *a)
{
    struct wm_traffic *x = &turn->deal->traffic;
    struct wm_error error = {0};
    size_t head;

    for (const char *at = a->data; at < a->data + a->e.message.bytes;) {
        if (wm_head_read(x, turn->bindings, WM_SENDS, a->e.header.source, at, &head, &error) < 0)
            wm_deal_abort(turn->deal, &error);
        at += head + wm_part_bytes(x, &x->receives.parts[x->receives.count - 1]);
    }
}

/* Store its parts, from number `part` on. Returns the number of the next one. */
static size_t store(const struct wm_turn *turn, const struct wm_arrived *a, size_t part)
{
    const struct wm_traffic *x = &turn->deal->traffic;

    for (const char *at = a->data; at < a->data + a->e.message.bytes; part++) {
        at += wm_head_bytes(x, x->receives.parts[part].reduction, WM_SENDS);
        wm_part_store(x, &x->receives.parts[part], turn->bindings, at);
        at += wm_part_bytes(x, &x->receives.parts[part]);
    }
    return part;
}

void wm_fly_senders_end(struct wm_turn *turn)
{
    struct wm_parts *receives = &turn->deal->traffic.receives;
    size_t part = 0;

    receives->count = receives->value_count = 0;
    for (struct wm_arrived *a = turn->arrived; a != NULL; a = a->next) {
        wm_load_check(turn, &a->e);
        arrive(turn, a);
    }
    wm_check_stores(turn);
    for (struct wm_arrived *next; turn->arrived != NULL; turn->arrived = next) {
        next = turn->arrived->next;
        part = store(turn, turn->arrived, part);
        free(turn->arrived);
    }
}
