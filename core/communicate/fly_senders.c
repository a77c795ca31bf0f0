/* The messages of a turn, where their senders alone know of them. */
#include <stdlib.h>
#include "core/communicate/arrived.h"
#include "core/communicate/check.h"
#include "core/communicate/fly.h"
#include "core/communicate/load.h"
#include "core/data/allocate.h"
#include "core/process/process.h"

struct wm_arrived *wm_arrived_new(struct wm_turn *turn, int source, char *data, size_t bytes)
{
    struct wm_arrived *a = wm_allocate(sizeof *a + (data == NULL ? bytes : 0), "a statement"), **link = &turn->arrived;

    *a = (struct wm_arrived){.e.header.source = source, .data = data != NULL ? data : (char *)(a + 1)};
    a->e.message.bytes = bytes;
    a->e.message.buffer = a->data;
    a->e.message.complete = data != NULL;
    while (*link != NULL && (*link)->e.header.source < source)
        link = &(*link)->next;
    a->next = *link;
    return *link = a;
}

void wm_fly_pack(const struct wm_turn *turn)
{
    struct wm_deal *d = turn->deal;
    struct wm_error error = {0};

    if (wm_items_pack(&d->items, &d->traffic, turn->bindings, &error) < 0)
        wm_deal_abort(d, &error);
    wm_loads_of_items(&d->sends, &d->items, turn->talk->rank);
}

void wm_fly_senders_begin(struct wm_turn *turn)
{
    struct wm_deal *d = turn->deal;

    for (int i = 0; i < d->sends.count; i++) {
        struct wm_load *load = &d->sends.loads[i];

        if (i != d->sends.self)
            wm_load_send(turn, load, load->place, true);
        else
            wm_arrived_new(turn, turn->talk->rank, load->place, load->bytes);
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
    a = wm_arrived_new(turn, message->header.source, NULL, message->message.bytes);
    wm_talk_mail_receive_taken(mail, &a->e, message);
    return true;
}

static bool are_complete(const struct wm_arrived *a)
{
    while (a != NULL && a->e.message.complete)
        a = a->next;
    return a == NULL;
}

/* A send may be over while its data is still on its way. */
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
    return over != 0 && are_complete(turn->arrived);
}

/* Where places depend on values of the one, what is stored into the other may change them. */
static bool may_change(const struct wm_bound *placing, const struct wm_bound *written)
{
    return placing->kind == WM_BOUND_FUNCTION || wm_bindings_overlap(placing, written);
}

/* Places are found while others are stored into: none depends on what this rank stores, and nobody asks for them
 * afterwards. */
static bool stores_at_once(const struct wm_turn *turn)
{
    const struct wm_statement *s = turn->deal->s;

    if (turn->deal->form->steady || wm_process.settings.check)
        return false;
    for (int i = 0; i < s->binding_count; i++)
        for (int w = 0; (s->placing >> i & 1) != 0 && w < s->binding_count; w++)
            if ((s->writing >> w & 1) != 0 && may_change(&turn->bindings[i], &turn->bindings[w]))
                return false;
    return true;
}

static void arrive(const struct wm_turn *turn, const struct wm_arrived *a, bool at_once)
{
    struct wm_traffic *x = &turn->deal->traffic;
    size_t bytes = a->e.message.bytes;
    int source = a->e.header.source;
    struct wm_error error = {0};
    int rc = at_once ? wm_items_apply(x, turn->bindings, source, a->data, bytes, &error)
                     : wm_items_list(x, turn->bindings, WM_SENDS, source, a->data, bytes, &error);

    if (rc < 0)
        wm_deal_abort(turn->deal, &error);
}

void wm_fly_senders_end(struct wm_turn *turn)
{
    struct wm_traffic *x = &turn->deal->traffic;
    bool at_once = stores_at_once(turn);
    size_t part = 0;

    x->receives.count = x->receives.value_count = 0;
    for (const struct wm_arrived *a = turn->arrived; a != NULL; a = a->next)
        wm_load_check(turn, &a->e);
    for (const struct wm_arrived *a = turn->arrived; a != NULL; a = a->next)
        arrive(turn, a, at_once);
    wm_check_stores(turn);
    for (struct wm_arrived *a = turn->arrived, *next; a != NULL; a = next) {
        if (!at_once)
            part = wm_items_store(x, turn->bindings, a->data, a->e.message.bytes, part);
        next = a->next;
        free(a);
    }
    turn->arrived = NULL;
}
