/* The library's side: a random statement's messages, delivered in memory. */
#include "tests/core/statement/deliver.h"

#include <stdlib.h>
#include <string.h>

void deliver_bind(struct delivery *d, const struct statement *s, const struct memory *m)
{
    d->ranks = s->ranks;
    for (int r = 0; r < s->ranks; r++)
        memory_bind(m, s, r, d->bindings[r]);
}

void deliver_list(struct delivery *d)
{
    for (int r = 0; r < d->ranks; r++) {
        struct wm_error error = {0};

        d->rc[r] = wm_traffic_new(&d->traffic[r], d->statement, d->bindings[r], r, d->ranks, true, &error);
        if ((d->rc[r] < 0) != (error.text[0] != '\0'))
            abort();
    }
}

void deliver_fold(struct delivery *d)
{
    for (int r = 0; r < d->ranks; r++) {
        wm_parts_fold(&d->traffic[r], &d->traffic[r].sends, d->bindings[r], false);
        wm_parts_fold(&d->traffic[r], &d->traffic[r].receives, d->bindings[r], true);
    }
}

void deliver_release(struct delivery *d)
{
    for (int r = 0; r < d->ranks; r++) {
        wm_traffic_release(&d->traffic[r]);
        wm_items_release(&d->items[r]);
    }
}

/* ---- letters ---- */

static char *extend(struct letter *l, size_t bytes)
{
    if (bytes > 0 && (l->data = realloc(l->data, l->bytes + bytes)) == NULL)
        abort();
    l->bytes += bytes;
    return l->data + l->bytes - bytes;
}

static void burn_letters(struct delivery *d)
{
    for (int from = 0; from < d->ranks; from++)
        for (int to = 0; to < d->ranks; to++) {
            free(d->letters[from][to].data);
            d->letters[from][to] = (struct letter){0};
        }
}

/* ---- requests ---- */

static const char *ask(struct delivery *d, int receiver)
{
    struct wm_traffic *x = &d->traffic[receiver];
    struct wm_error error;

    if (wm_traffic_new_requests(x, d->statement, d->bindings[receiver], receiver, d->ranks, &error) < 0)
        return "a receiver cannot tell what it asks for";
    for (size_t i = 0, count; i < x->receives.count; i += count) {
        const struct wm_statement_part *part = &x->receives.parts[i];
        size_t bytes;

        for (count = 1; i + count < x->receives.count && part[count].peer == part->peer;)
            count++;
        bytes = wm_items_bytes(x, part, count, WM_RECEIVES);
        if (wm_items_write(x, part, count, WM_RECEIVES, extend(&d->letters[receiver][part->peer], bytes)) != bytes)
            return "requests are of another length than said";
    }
    return NULL;
}

const char *deliver_requests(struct delivery *d)
{
    const char *wrong = NULL;
    struct wm_error error;

    for (int to = 0; to < d->ranks && wrong == NULL; to++)
        wrong = ask(d, to);
    for (int from = 0; from < d->ranks; from++)
        for (int to = 0; to < d->ranks && wrong == NULL; to++) {
            const struct letter *l = &d->letters[to][from];

            if (wm_items_list(&d->traffic[from], d->bindings[from], WM_RECEIVES, to, l->data, l->bytes, &error) < 0)
                wrong = "what is asked for cannot be sent";
        }
    burn_letters(d);
    return wrong;
}

/* ---- what is sent ---- */

/* Where a part has a place, its data is there. */
static int pack_parts(struct delivery *d, int from, struct wm_error *error)
{
    const struct wm_traffic *x = &d->traffic[from];
    int rc = 0;

    for (size_t i = 0; i < x->sends.count && rc == 0; i++) {
        const struct wm_statement_part *part = &x->sends.parts[i];
        const char *place = wm_part_place(x, part, d->bindings[from], false);
        size_t bytes = wm_part_bytes(x, part);
        char *to = extend(&d->letters[from][part->peer], bytes);

        rc = wm_part_pack(x, part, d->bindings[from], to, error);
        if (place != NULL && memcmp(place, to, bytes) != 0)
            return 1;
    }
    return rc;
}

static int pack_items(struct delivery *d, int from, struct wm_error *error)
{
    struct wm_items *items = &d->items[from];
    int rc = wm_items_pack(items, &d->traffic[from], d->bindings[from], error);

    for (int i = 0; i < items->peer_count && rc == 0; i++) {
        const struct wm_bucket *b = &items->buckets[items->peers[i]];

        memcpy(extend(&d->letters[from][items->peers[i]], b->bytes), b->data, b->bytes);
    }
    return rc;
}

static const char *send(struct delivery *d, const struct oracle *o, enum way way, int from)
{
    struct wm_error error = {0};
    int rc = way == BY_PARTS ? pack_parts(d, from, &error) : pack_items(d, from, &error);
    bool fails = o->faulty[from];

    for (size_t i = 0; i < o->sends[from].count; i++)
        fails |= o->sends[from].list[i].unreadable;
    if (rc > 0)
        return "a part's place does not hold what is sent";
    if ((rc < 0) != (error.text[0] != '\0'))
        return "a fault without a sentence";
    if ((rc < 0) != fails)
        return rc < 0 ? "what is sent cannot be read" : "what is sent can be read, although it cannot";
    return NULL;
}

/* ---- what is received ---- */

static const char *receive_parts(struct delivery *d, int to, struct fuzz_random *random)
{
    const struct wm_traffic *x = &d->traffic[to];
    size_t done[RANKS_MAX] = {0};

    for (size_t i = 0; i < x->receives.count; i++) {
        const struct wm_statement_part *part = &x->receives.parts[i];
        const struct letter *l = &d->letters[part->peer][to];
        char *place = wm_part_place(x, part, d->bindings[to], true), *data = l->data + done[part->peer];
        size_t bytes = wm_part_bytes(x, part);

        if ((done[part->peer] += bytes) > l->bytes)
            return "less is sent than received";
        if (place != NULL && fuzz_chance(random, 50))
            memcpy(place, data, bytes);
        else
            wm_part_store(x, part, d->bindings[to], data);
    }
    for (int from = 0; from < d->ranks; from++)
        if (done[from] < d->letters[from][to].bytes)
            return "more is sent than received";
    return NULL;
}

/* Of a rank that cannot read what it sends nothing comes. */
static bool has_no_place(const struct delivery *d, const struct oracle *o, int from, int to)
{
    const struct messages *list = &o->sends[from];
    bool homeless = false;

    for (size_t i = 0; i < list->count; i++)
        homeless |= list->list[i].to == to && list->list[i].homeless;
    return homeless && d->letters[from][to].bytes > 0;
}

static const char *receive_items(struct delivery *d, const struct oracle *o, enum way way, int to)
{
    struct wm_traffic *x = &d->traffic[to];
    size_t part = 0;

    x->receives.count = x->receives.value_count = 0;
    for (int from = 0; from < d->ranks; from++) {
        const struct letter *l = &d->letters[from][to];
        struct wm_error error = {0};
        int rc = way == AT_ONCE ? wm_items_apply(x, d->bindings[to], from, l->data, l->bytes, &error)
                                : wm_items_list(x, d->bindings[to], WM_SENDS, from, l->data, l->bytes, &error);

        if ((rc < 0) != (error.text[0] != '\0'))
            return "a fault without a sentence";
        if ((rc < 0) != has_no_place(d, o, from, to))
            return rc < 0 ? "what comes has no place" : "what comes has a place, although its place is wrong";
    }
    for (int from = 0; from < d->ranks && way == BY_ITEMS && !oracle_fails(o); from++)
        part = wm_items_store(x, d->bindings[to], d->letters[from][to].data, d->letters[from][to].bytes, part);
    return NULL;
}

const char *deliver(struct delivery *d, const struct oracle *o, enum way way, struct fuzz_random *random)
{
    const char *wrong = NULL;

    for (int from = 0; from < d->ranks && wrong == NULL; from++)
        wrong = send(d, o, way, from);
    for (int to = 0; to < d->ranks && wrong == NULL && (way != BY_PARTS || !oracle_fails(o)); to++)
        wrong = way == BY_PARTS ? receive_parts(d, to, random) : receive_items(d, o, way, to);
    burn_letters(d);
    return wrong;
}
