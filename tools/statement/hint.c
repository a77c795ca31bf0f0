/* Who knows of which message, compared with what the statement's hint says. */
#include <stdlib.h>
#include <string.h>
#include "tools/statement/proof.h"

enum { MESSAGE_CHARS = 192 };

static const struct wm_statement_part *arrival_of(const struct wm_statement_proof *p, int rank, size_t i)
{
    const struct wm_proof_arrival *origin = &p->ranks[rank].origins[i];

    return &p->ranks[origin->source].lists.sends.parts[origin->part];
}

static uint64_t arrival_hash(const struct wm_statement_proof *p, int rank, size_t i)
{
    return wm_part_hash(&p->ranks[p->ranks[rank].origins[i].source].lists, arrival_of(p, rank, i), false);
}

static uint64_t belief_hash(const struct wm_statement_proof *p, int rank, size_t i)
{
    const struct wm_traffic *x = &p->ranks[rank].lists;

    return wm_part_hash(x, &x->receives.parts[i], true);
}

static bool is_believed(const struct wm_statement_proof *p, int rank, uint64_t hash)
{
    for (size_t i = 0; i < p->ranks[rank].lists.receives.count; i++)
        if (belief_hash(p, rank, i) == hash)
            return true;
    return false;
}

/* Where what comes to a rank and what it expects begin to differ: say which message one end alone knows of. */
static void refute_belief(struct wm_statement_proof *p, int rank, size_t i)
{
    const struct wm_traffic *x = &p->ranks[rank].lists;
    bool comes = i < p->ranks[rank].arrivals.receives.count && !is_believed(p, rank, arrival_hash(p, rank, i));
    int peer = comes ? p->ranks[rank].origins[i].source : x->receives.parts[i].peer;
    char message[MESSAGE_CHARS];

    if (comes)
        wm_part_describe(&p->ranks[peer].lists, arrival_of(p, rank, i), false, message, sizeof message);
    else
        wm_part_describe(x, &x->receives.parts[i], true, message, sizeof message);
    wm_proof_refute(p, WM_CLAIM_HINT, "the hint '%s' is wrong: rank %d %s rank %d %s, and rank %d does not know of it",
                    wm_knowledge_name(p->s->hint), comes ? peer : rank, comes ? "sends" : "expects of",
                    comes ? rank : peer, message, comes ? rank : peer);
}

static void check_corresponding(struct wm_statement_proof *p)
{
    for (int rank = 0; rank < p->names->ranks; rank++) {
        size_t comes = p->ranks[rank].arrivals.receives.count, expected = p->ranks[rank].lists.receives.count, i = 0;

        if (!p->ranks[rank].lists.believes) {
            wm_proof_refute(p, WM_CLAIM_HINT,
                            "the hint '%s' is wrong: rank %d cannot tell what it receives, as an expression has no "
                            "value there",
                            wm_knowledge_name(p->s->hint), rank);
            continue;
        }
        while (i < comes && i < expected && arrival_hash(p, rank, i) == belief_hash(p, rank, i))
            i++;
        if (i < comes || i < expected)
            refute_belief(p, rank, i);
    }
}

/* ---- global ---- */

struct listing {
    struct wm_parts *list;
    int reduction;
};

static void add(struct wm_frame *f, void *with)
{
    struct listing *l = with;
    union wm_scalar room[WM_VALUE_LANES];
    struct wm_values peers = wm_evaluate_values(f, f->s->reductions[l->reduction].receiver, room);

    for (int i = 0; i < wm_frame_lanes(f) && f->rc == 0; i++)
        wm_parts_add(l->list, f, i, l->reduction, (int)wm_value(peers, i).i);
}

/* Number `i` of both lists is the same message, with the same values of all variables. */
static bool is_same(const struct wm_statement *s, const struct wm_parts *a, const struct wm_parts *b, size_t i)
{
    const struct wm_statement_part *x = &a->parts[i], *y = &b->parts[i];
    size_t bytes = sizeof *a->values * (size_t)s->variable_count;

    return x->peer == y->peer && x->reduction == y->reduction &&
           (bytes == 0 || memcmp(a->values + x->variables, b->values + y->variables, bytes) == 0);
}

/* What `source` sends, as rank `by` sees it. 0, -WM_ENOMEM, -WM_EINVAL: it cannot tell. */
static int list_as_seen(const struct wm_statement_proof *p, int source, int by, struct wm_parts *list)
{
    struct wm_frame f = {
        .s = p->s, .bindings = wm_names_bindings(p->names, by), .me = source, .ranks = p->names->ranks};

    for (int r = 0; r < p->s->reduction_count && f.rc == 0; r++)
        wm_enumerate(&f, &p->s->reductions[r], WM_SENDS, add, &(struct listing){list, r});
    return f.rc;
}

static void parts_release(struct wm_parts *list)
{
    free(list->parts);
    free(list->values);
}

/* Rank `by` knows what `source` sends to whom. */
static int check_seen(struct wm_statement_proof *p, int source, const struct wm_parts *sent, int by)
{
    struct wm_parts seen = {0};
    int rc = list_as_seen(p, source, by, &seen);
    size_t i = 0;

    while (i < sent->count && i < seen.count && is_same(p->s, sent, &seen, i))
        i++;
    if (rc == -WM_EINVAL)
        wm_proof_refute(p, WM_CLAIM_HINT,
                        "the hint 'global' is wrong: rank %d cannot tell what rank %d sends, as an expression has no "
                        "value there",
                        by, source);
    else if (rc == 0 && i < sent->count)
        wm_proof_refute(p, WM_CLAIM_HINT,
                        "the hint 'global' is wrong: rank %d does not know of a message from rank %d to rank %d", by,
                        source, sent->parts[i].peer);
    else if (rc == 0 && i < seen.count)
        wm_proof_refute(p, WM_CLAIM_HINT,
                        "the hint 'global' is wrong: rank %d expects a message from rank %d to rank %d, which is not "
                        "sent",
                        by, source, seen.parts[i].peer);
    parts_release(&seen);
    return rc == -WM_ENOMEM ? rc : 0;
}

static int check_global(struct wm_statement_proof *p)
{
    int rc = 0;

    for (int source = 0; source < p->names->ranks && rc == 0; source++) {
        struct wm_parts sent = {0};

        rc = list_as_seen(p, source, source, &sent);
        for (int by = 0; by < p->names->ranks && rc == 0 && p->verdict->refuted[WM_CLAIM_HINT].code == 0; by++)
            rc = check_seen(p, source, &sent, by);
        parts_release(&sent);
    }
    return rc;
}

int wm_proof_hint(struct wm_statement_proof *p)
{
    if (p->s->hint == WM_KNOWLEDGE_GLOBAL || p->s->hint == WM_KNOWLEDGE_CORRESPONDING)
        check_corresponding(p);
    return p->s->hint == WM_KNOWLEDGE_GLOBAL && !wm_statement_is_global(p->s, p->names->bindings) ? check_global(p) : 0;
}
