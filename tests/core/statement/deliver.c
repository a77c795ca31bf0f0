/* The library's side: a random statement's traffic, delivered in memory. */
#include "tests/core/statement/deliver.h"

#include <stdlib.h>
#include <string.h>

void deliver_bind(struct delivery *d, const struct statement *s, const struct memory *m)
{
    d->ranks = s->ranks;
    for (int r = 0; r < s->ranks; r++)
        memory_bind(m, s, r, d->bindings[r]);
}

void deliver_list(struct delivery *d, bool believes)
{
    for (int r = 0; r < d->ranks; r++) {
        struct wm_error error = {0};

        d->rc[r] = wm_traffic_new(&d->traffic[r], d->statement, d->bindings[r], r, d->ranks, believes, &error);
        if ((d->rc[r] < 0) != (error.text[0] != '\0'))
            abort();
    }
}

void deliver_release(struct delivery *d)
{
    for (int r = 0; r < d->ranks; r++)
        if (d->rc[r] == 0)
            wm_traffic_release(&d->traffic[r]);
}

static void *take(size_t bytes)
{
    void *block = malloc(bytes);

    if (block == NULL)
        abort();
    return block;
}

/* The data of a part in a block of its size; NULL: it cannot be read. Where the part has a place, it is there, too. */
static char *pack(struct delivery *d, int rank, const struct wm_statement_part *part, const char **wrong)
{
    const struct wm_traffic *x = &d->traffic[rank];
    size_t bytes = wm_part_bytes(x, part);
    char *data = take(bytes);
    struct wm_error error = {0};
    const char *place = wm_part_place(x, part, d->bindings[rank], false);

    if (wm_part_pack(x, part, d->bindings[rank], data, &error) < 0) {
        free(data);
        *wrong = error.text[0] == '\0' ? "a fault without a sentence" : *wrong;
        return NULL;
    }
    if (place != NULL && memcmp(place, data, bytes) != 0)
        *wrong = "a part's place does not hold what is sent";
    return data;
}

/* Store the data of all receives of a rank, in their order. */
static void store_all(struct delivery *d, int rank, char **data, struct fuzz_random *random)
{
    const struct wm_traffic *x = &d->traffic[rank];

    for (size_t i = 0; i < x->receives.count; i++) {
        const struct wm_statement_part *part = &x->receives.parts[i];
        void *place = wm_part_place(x, part, d->bindings[rank], true);

        if (place != NULL && fuzz_chance(random, 50))
            memcpy(place, data[i], wm_part_bytes(x, part));
        else
            wm_part_store(x, part, d->bindings[rank], data[i]);
        free(data[i]);
    }
    free(data);
}

/* The part that `to` receives as `turn`-th of `from`; NULL: there is none. */
static size_t find_receive(const struct wm_traffic *x, int from, size_t turn)
{
    for (size_t i = 0; i < x->receives.count; i++)
        if (x->receives.parts[i].peer == from && turn-- == 0)
            return i;
    return SIZE_MAX;
}

const char *deliver_by_beliefs(struct delivery *d, struct fuzz_random *random)
{
    char **data[RANKS_MAX];
    const char *wrong = NULL;

    for (int r = 0; r < d->ranks; r++) {
        data[r] = take((d->traffic[r].receives.count + 1) * sizeof *data[r]);
        memset(data[r], 0, (d->traffic[r].receives.count + 1) * sizeof *data[r]);
    }
    for (int r = 0; r < d->ranks; r++) {
        const struct wm_parts *sends = &d->traffic[r].sends;
        size_t turn = 0;

        for (size_t i = 0; i < sends->count; i++) {
            const struct wm_statement_part *part = &sends->parts[i];
            size_t at;

            turn = i > 0 && sends->parts[i - 1].peer == part->peer ? turn + 1 : 0;
            at = find_receive(&d->traffic[part->peer], r, turn);
            if (at == SIZE_MAX || d->traffic[part->peer].receives.parts[at].count != part->count)
                return "the ends do not agree on a part";
            if ((data[part->peer][at] = pack(d, r, part, &wrong)) == NULL)
                return "a part cannot be read";
        }
    }
    for (int r = 0; r < d->ranks; r++)
        store_all(d, r, data[r], random);
    return wrong;
}

/* Send a part of `from` to its peer, with its head. */
static const char *send_head(struct delivery *d, int from, const struct wm_statement_part *part,
                             const struct message *m, char **data)
{
    struct wm_traffic *x = &d->traffic[from], *to = &d->traffic[part->peer];
    size_t bytes = wm_items_bytes(x, part, 1, WM_SENDS);
    char *head = take(bytes);
    const char *wrong = NULL;
    struct wm_error error = {0};
    int rc;

    if (wm_items_write(x, part, 1, WM_SENDS, head) != bytes) {
        free(head);
        return "a head is of another length than said";
    }
    rc = wm_items_list(to, d->bindings[part->peer], WM_SENDS, from, head, bytes, &error);
    free(head);
    if ((rc < 0) != m->homeless)
        return rc < 0 ? "a message has no place" : "a message has a place, although its place is wrong";
    *data = pack(d, from, part, &wrong);
    if ((*data == NULL) != m->unreadable)
        return *data == NULL ? "a message cannot be read" : "a message can be read, although it cannot";
    if (m->homeless) { /* nobody takes it */
        free(*data);
        *data = NULL;
    }
    return wrong;
}

static const char *send_all(struct delivery *d, const struct oracle *o, int from, int to, char ***data)
{
    const struct wm_parts *sends = &d->traffic[from].sends;
    const char *wrong;

    for (size_t i = 0; i < sends->count; i++) {
        const struct message *m = &o->sends[from].list[i];
        const struct wm_statement_part *part = &sends->parts[i];
        size_t count = d->traffic[to].receives.count;

        if (part->peer != to)
            continue;
        if ((*data = realloc(*data, (count + 1) * sizeof **data)) == NULL)
            abort();
        if ((wrong = send_head(d, from, part, m, &(*data)[count])) != NULL)
            return wrong;
    }
    return NULL;
}

const char *deliver_by_heads(struct delivery *d, const struct oracle *o)
{
    char **data[RANKS_MAX] = {NULL};
    bool fails = oracle_fails(o);
    struct fuzz_random never = {0};

    for (int to = 0; to < d->ranks; to++)
        for (int from = 0; from < d->ranks; from++) {
            const char *wrong = send_all(d, o, from, to, &data[to]);

            if (wrong != NULL)
                return wrong;
        }
    for (int r = 0; r < d->ranks; r++) {
        if (!fails) {
            store_all(d, r, data[r], &never);
            continue;
        }
        for (size_t i = 0; i < d->traffic[r].receives.count; i++)
            free(data[r][i]);
        free(data[r]);
    }
    return NULL;
}
