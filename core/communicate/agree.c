/* What ranks tell each other before a statement's messages. */
#include "core/communicate/agree.h"

#include <stdlib.h>
#include "core/call/records.h"
#include "core/data/allocate.h"
#include "core/process/process.h"

/* How words of ranks are joined. Made once. */
static MPI_Datatype words = MPI_DATATYPE_NULL;
static MPI_Op joining = MPI_OP_NULL;

static void join(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const uint64_t *a = in;
    uint64_t *b = inout;

    (void)type;
    for (int i = 0; i < *count; i++, a += WM_WORDS, b += WM_WORDS)
        wm_agreement_join(b, a);
}

static void start(void)
{
    if (joining != MPI_OP_NULL)
        return;
    PMPI_Type_contiguous(WM_WORDS, MPI_UINT64_T, &words);
    PMPI_Type_commit(&words);
    PMPI_Op_create(join, 1, &joining);
}

void wm_agree_stop(void)
{
    if (joining == MPI_OP_NULL)
        return;
    PMPI_Op_free(&joining);
    PMPI_Type_free(&words);
}

void wm_agree_ask(struct wm_turn *turn)
{
    turn->mine_changed = turn->change == WM_CHOICE_CHANGED;
    PMPI_Iallreduce(&turn->mine_changed, &turn->changed, 1, MPI_INT, MPI_MAX, turn->talk->own, &turn->asked);
}

/* ---- a hint that is wrong ---- */

/* The pair of ranks, as one number, whose ends do not know of the same messages: the least of all. */
static int64_t find_pair(const struct wm_talk *t, const struct wm_traffic *x)
{
    uint64_t *sums = wm_allocate_zeroed(sizeof *sums * 3 * (size_t)t->ranks, "a statement"),
             *believed = sums + t->ranks, *sent = believed + t->ranks;
    int64_t mine = INT64_MAX, least;

    for (size_t i = 0; i < x->sends.count; i++)
        sums[x->sends.parts[i].peer] += wm_part_hash(x, &x->sends.parts[i], false);
    for (size_t i = 0; x->believes && i < x->receives.count; i++)
        believed[x->receives.parts[i].peer] += wm_part_hash(x, &x->receives.parts[i], true);
    PMPI_Alltoall(sums, 1, MPI_UINT64_T, sent, 1, MPI_UINT64_T, t->own);
    for (int r = t->ranks - 1; r >= 0; r--)
        if (sent[r] != believed[r])
            mine = (int64_t)r * t->ranks + t->rank;
    PMPI_Allreduce(&mine, &least, 1, MPI_INT64_T, MPI_MIN, t->own);
    free(sums);
    return least;
}

struct hashes {
    int count;
    uint64_t *of;
};

/* All ranks get the hashes of one end's messages of the pair. */
static struct hashes share_hashes(const struct wm_talk *t, const struct wm_traffic *x, int rank, int peer,
                                  bool received)
{
    const struct wm_parts *list = received ? &x->receives : &x->sends;
    struct hashes h = {0};

    for (size_t i = 0; rank == t->rank && i < list->count; i++)
        h.count += list->parts[i].peer == peer;
    PMPI_Bcast(&h.count, 1, MPI_INT, rank, t->own);
    h.of = wm_allocate(sizeof *h.of * (size_t)(h.count + 1), "a statement");
    for (size_t i = 0, k = 0; rank == t->rank && i < list->count; i++)
        if (list->parts[i].peer == peer)
            h.of[k++] = wm_part_hash(x, &list->parts[i], received);
    PMPI_Bcast(h.of, h.count, MPI_UINT64_T, rank, t->own);
    return h;
}

/* The first of these that is none of those; -1: there is none. */
static int first_alone(const struct hashes *these, const struct hashes *those)
{
    for (int i = 0; i < these->count; i++) {
        int k = 0;

        while (k < those->count && those->of[k] != these->of[i])
            k++;
        if (k == those->count)
            return i;
    }
    return -1;
}

/* Number `i` of the messages of this rank and the peer, in a sentence. */
static void describe(const struct wm_traffic *x, int peer, int i, bool received, char *out, size_t out_bytes)
{
    const struct wm_statement_part *part = received ? x->receives.parts : x->sends.parts;

    while (part->peer != peer)
        part++;
    wm_part_describe(x, part + i, received, out, out_bytes);
}

static _Noreturn void refuse_hint(const struct wm_talk *t, const struct wm_deal *d)
{
    int64_t pair = find_pair(t, &d->traffic);
    int sender = (int)(pair / t->ranks), receiver = (int)(pair % t->ranks), alone;
    struct hashes sent = share_hashes(t, &d->traffic, sender, receiver, false);
    struct hashes believed = share_hashes(t, &d->traffic, receiver, sender, true);
    struct wm_error error = {0};
    char what[256] = "";
    bool by_sender;

    alone = first_alone(&sent, &believed);
    by_sender = alone >= 0;
    if (!by_sender)
        alone = first_alone(&believed, &sent);
    if (alone >= 0 && t->rank == (by_sender ? sender : receiver))
        describe(&d->traffic, by_sender ? receiver : sender, alone, !by_sender, what, sizeof what);
    PMPI_Bcast(what, sizeof what, MPI_CHAR, by_sender ? sender : receiver, t->own);
    wm_error_set(&error, -WM_EINVAL, "the hint '%s' is wrong: rank %d %s rank %d %s, and rank %d does not know of it",
                 wm_knowledge_name(d->s->hint), by_sender ? sender : receiver, by_sender ? "sends" : "expects of",
                 by_sender ? receiver : sender, what, by_sender ? receiver : sender);
    wm_deal_fail(t, d, &error);
}

/* ---- who knows ---- */

static _Noreturn void refuse_global(const struct wm_talk *t, const struct wm_deal *d)
{
    struct wm_error error = {0};

    wm_error_set(&error, -WM_EINVAL,
                 "the hint 'global' is wrong: who sends what to whom depends on %s; 'corresponding' holds",
                 wm_statement_chooses_by_me(d->s) ? "'me'" : "a value that differs between ranks");
    wm_deal_fail(t, d, &error);
}

static _Noreturn void refuse_promise(const struct wm_talk *t, const struct wm_deal *d)
{
    struct wm_error error = {0};

    wm_error_set(&error, -WM_EINVAL, "what is promised by WM_UNIFORM differs between ranks");
    wm_deal_fail(t, d, &error);
}

void wm_agree_tell(struct wm_turn *turn)
{
    start();
    wm_agreement_tell(turn->mine, &turn->deal->traffic, turn->bindings);
    PMPI_Iallreduce(turn->mine, turn->all, 1, words, joining, turn->talk->own, &turn->asked);
}

/* Communicators of teams are under the process's map: it serves the operation, and is the communicator's, too. */
static bool is_for_teams(const struct wm_talk *t, enum wm_operation operation)
{
    return (wm_process.map.planned & WM_OPERATION_BIT(operation)) != 0 &&
           wm_comm_record(t->comm)->map == &wm_process.map;
}

void wm_agree_conclude(const struct wm_turn *turn)
{
    struct wm_deal *d = turn->deal;
    struct wm_agreement a = wm_agreement_of(turn->all, &d->traffic, turn->bindings);

    if (!a.promises_hold)
        refuse_promise(turn->talk, d);
    if (a.knowledge == WM_KNOWLEDGE_SENDER && d->s->hint != WM_KNOWLEDGE_UNSAID)
        refuse_hint(turn->talk, d);
    if (a.knowledge != WM_KNOWLEDGE_GLOBAL && d->s->hint == WM_KNOWLEDGE_GLOBAL)
        refuse_global(turn->talk, d);
    d->knowledge = a.knowledge;
    d->collective = a.collective;
    if (a.collective.team && !is_for_teams(turn->talk, a.collective.operation))
        d->collective.operation = WM_OPERATION_COUNT;
}
