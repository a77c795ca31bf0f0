/* The messages of a turn by a conveyor: what a rank has packed for each other one goes in pieces, which are gathered
 * with those of others on their way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/communicate/arrived.h"
#include "core/communicate/fly.h"
#include "core/communicate/load.h"
#include "core/data/allocate.h"
#include "core/vector.h"
#include "waymark/convey_comm.h"

enum { PIECE_BYTES = 2048, NAME_CHARS = 64 };

/* What has come of a rank. */
struct pile {
    char *data;
    size_t bytes, capacity;
};

/* A conveyor of the talk, for all statements of a name. */
struct wm_conduit {
    struct wm_conduit *next;
    char name[NAME_CHARS];
    convey_t *conveyor;
    struct pile *piles; /* [ranks] */
};

static _Noreturn void refuse(const struct wm_turn *turn, const struct wm_conduit *s, int error)
{
    struct wm_error e = {0};

    wm_error_set(&e, -WM_EMPI, "its conveyor: %s",
                 s->conveyor != NULL ? convey_error_string(s->conveyor, error) : "it could not be made");
    wm_deal_abort(turn->deal, &e);
}

/* Collective, when the talk has none of this name. */
static struct wm_conduit *conduit_of(const struct wm_turn *turn)
{
    struct wm_talk *t = turn->talk;
    const char *name = turn->deal->s->name[0] != '\0' ? turn->deal->s->name : "statements";
    struct wm_conduit *s = t->conduits;
    char cut[NAME_CHARS];

    snprintf(cut, sizeof cut, "%s", name);
    while (s != NULL && strcmp(s->name, cut) != 0)
        s = s->next;
    if (s != NULL)
        return s;
    s = wm_allocate_zeroed(sizeof *s, "a statement");
    memcpy(s->name, cut, sizeof cut);
    s->piles = wm_allocate_zeroed(sizeof *s->piles * (size_t)t->ranks, "a statement");
    s->conveyor = wm_convey_new_elastic(t->comm, cut, PIECE_BYTES);
    if (s->conveyor == NULL)
        refuse(turn, s, 0);
    s->next = t->conduits;
    return t->conduits = s;
}

void wm_conduits_free(struct wm_talk *t)
{
    for (struct wm_conduit *s = t->conduits, *next; s != NULL; s = next) {
        next = s->next;
        convey_free(s->conveyor);
        for (int r = 0; r < t->ranks; r++)
            free(s->piles[r].data);
        free(s->piles);
        free(s);
    }
    t->conduits = NULL;
}

static void append(struct pile *p, const void *data, size_t bytes)
{
    if (wm_vector_reserve(&p->data, &p->capacity, p->bytes + bytes, 1) < 0)
        wm_out_of_memory("a statement");
    memcpy(p->data + p->bytes, data, bytes);
    p->bytes += bytes;
}

/* How far pushing has come. */
struct progress {
    int load;
    size_t bytes; /* of that load */
};

/* Push what has room. True: that was all. */
static bool push(const struct wm_turn *turn, const struct wm_conduit *s, struct progress *p)
{
    const struct wm_loads *loads = &turn->deal->sends;

    for (; p->load < loads->count; *p = (struct progress){p->load + 1, 0}) {
        const struct wm_load *load = &loads->loads[p->load];

        while (p->load != loads->self && p->bytes < load->bytes) {
            size_t left = load->bytes - p->bytes, bytes = left < PIECE_BYTES ? left : PIECE_BYTES;
            int status = convey_epush(s->conveyor, bytes, (const char *)load->place + p->bytes, load->peer);

            if (status < 0)
                refuse(turn, s, status);
            if (status != convey_OK)
                return false;
            p->bytes += bytes;
        }
    }
    return true;
}

static void pull(const struct wm_turn *turn, const struct wm_conduit *s)
{
    convey_item_t item = {0};
    int status;

    while ((status = convey_epull(s->conveyor, &item)) == convey_OK)
        append(&s->piles[item.from], item.data, item.bytes);
    if (status < 0)
        refuse(turn, s, status);
}

static void carry(const struct wm_turn *turn, const struct wm_conduit *s)
{
    struct progress p = {0};
    bool done = false;
    int status = convey_begin(s->conveyor, 1, 1);

    while (status >= 0 && (status = convey_advance(s->conveyor, done)) > 0) {
        done = done || push(turn, s, &p);
        pull(turn, s);
    }
    if (status == convey_DONE)
        status = convey_reset(s->conveyor);
    if (status < 0)
        refuse(turn, s, status);
}

/* Last ones first, so that each is put before the others. */
static void arrive(struct wm_turn *turn, struct wm_conduit *s)
{
    const struct wm_loads *loads = &turn->deal->sends;

    for (int r = turn->talk->ranks - 1; r >= 0; r--) {
        if (r == turn->talk->rank && loads->self >= 0)
            wm_arrived_new(turn, r, loads->loads[loads->self].place, loads->loads[loads->self].bytes);
        else if (s->piles[r].bytes > 0)
            wm_arrived_new(turn, r, s->piles[r].data, s->piles[r].bytes);
        s->piles[r].bytes = 0;
    }
}

static void fly(struct wm_turn *turn)
{
    struct wm_conduit *s = conduit_of(turn);

    carry(turn, s);
    arrive(turn, s);
    wm_fly_senders_end(turn);
}

/* What is listed of a deal that more ranks know of is for calls that do not block: it stands aside. */
void wm_fly_conveyor(struct wm_turn *turn)
{
    struct wm_deal *d = turn->deal;
    struct wm_traffic listed = d->traffic;
    struct wm_loads sends = d->sends;

    if (d->knowledge == WM_KNOWLEDGE_SENDER) {
        fly(turn);
        wm_deal_learn(d, turn->bindings);
        return;
    }
    d->traffic = (struct wm_traffic){.s = d->s, .me = turn->talk->rank, .ranks = turn->talk->ranks};
    d->sends = (struct wm_loads){0};
    wm_fly_pack(turn);
    fly(turn);
    wm_traffic_release(&d->traffic);
    free(d->sends.loads);
    d->traffic = listed;
    d->sends = sends;
}
