/* Which send meets which receive. */
#include "tools/proof/machine.h"

#include <stdlib.h>

struct end {
    int from, to;
    uint32_t number;
    bool receives;
    struct wm_at at;
};

static int compare_ends(const void *left, const void *right)
{
    const struct end *a = left, *b = right;

    if (a->from != b->from)
        return a->from - b->from;
    if (a->to != b->to)
        return a->to - b->to;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->receives - b->receives;
}

static size_t count_ends(const struct wm_machine *m)
{
    size_t count = 0;

    for (int rank = 0; rank < m->ranks; rank++)
        count += (size_t)m->plans[rank]->message_steps;
    return count;
}

/* A message is told as its sender's representative sends it. */
static struct end make_end(const struct wm_machine *m, struct wm_at at, const struct wm_step *step)
{
    bool receives = step->kind == WM_STEP_RECV;
    int rank = wm_machine_rank(m, at.rank), back;
    struct end end = {receives ? step->peer : rank, receives ? rank : step->peer, step->message, receives, at};

    if (m->symmetry == NULL || !receives || end.from < 0 || end.from >= m->symmetry->ranks)
        return end;
    back = wm_symmetry_inverse(m->symmetry, wm_symmetry_of(m->symmetry, end.from));
    end.from = wm_symmetry_image(m->symmetry, back, end.from);
    end.to = wm_symmetry_image(m->symmetry, back, end.to);
    return end;
}

/* By its sender: those of no rank stand behind all others. */
static int shelf_of(const struct wm_machine *m, const struct end *end)
{
    int shelf = end->from - wm_machine_rank(m, 0);

    return shelf >= 0 && shelf < m->ranks ? shelf : m->ranks;
}

/* Count the ends of each shelf, or, where `ends` is not NULL, put each to the next place of its shelf. */
static void shelve_ends(const struct wm_machine *m, size_t *shelves, struct end *ends)
{
    for (int rank = 0; rank < m->ranks; rank++)
        for (int s = 0; s < m->plans[rank]->step_count; s++) {
            const struct wm_step *step = &m->plans[rank]->steps[s];
            struct end end;
            size_t *shelf;

            if (step->kind != WM_STEP_SEND && step->kind != WM_STEP_RECV)
                continue;
            end = make_end(m, (struct wm_at){rank, s}, step);
            shelf = &shelves[shelf_of(m, &end)];
            if (ends != NULL)
                ends[*shelf] = end;
            ++*shelf;
        }
}

/* In order: by senders first, so that no more than a rank's are sorted at a time. */
static void list_ends(const struct wm_machine *m, struct end *ends, size_t *shelves)
{
    size_t first = 0;

    shelve_ends(m, shelves, NULL);
    for (int shelf = 0; shelf <= m->ranks; shelf++) {
        size_t count = shelves[shelf];

        shelves[shelf] = first;
        first += count;
    }
    shelve_ends(m, shelves, ends);
    for (int shelf = 0; shelf <= m->ranks; shelf++) { /* which end now where the next begins */
        first = shelf > 0 ? shelves[shelf - 1] : 0;
        qsort(&ends[first], shelves[shelf] - first, sizeof *ends, compare_ends);
    }
}

/* By the same net, in the same way. */
static bool agree(struct wm_machine *m, const struct end *send, const struct end *recv)
{
    const struct wm_step *sent = wm_machine_step(m, send->at), *received = wm_machine_step(m, recv->at);
    const struct wm_transport *a = wm_machine_transport(m, send->at), *b = wm_machine_transport(m, recv->at);

    if (sent->net != received->net)
        return wm_machine_refute(m,
                                 "message %u from rank %d to rank %d is sent by net %d (line %d), but received by "
                                 "net %d (line %d)",
                                 send->number, send->from, send->to, sent->net, wm_machine_line(m, send->at),
                                 received->net, wm_machine_line(m, recv->at));
    if ((sent->held > 0) != (received->held > 0))
        return wm_machine_refute(m, "message %u from rank %d to rank %d is held at one end alone (lines %d and %d)",
                                 send->number, send->from, send->to, wm_machine_line(m, send->at),
                                 wm_machine_line(m, recv->at));
    return (a->copy == b->copy && a->eager_bytes == b->eager_bytes && a->chunk_bytes == b->chunk_bytes) ||
           wm_machine_refute(m,
                             "message %u from rank %d to rank %d is sent in another way (line %d) than received "
                             "(line %d)",
                             send->number, send->from, send->to, wm_machine_line(m, send->at),
                             wm_machine_line(m, recv->at));
}

/* Where a displacement permutes the units of one end, it does those of the other. */
static bool move_alike(struct wm_machine *m, const struct end *send, const struct end *recv)
{
    const struct wm_step *sent = wm_machine_step(m, send->at), *received = wm_machine_step(m, recv->at);

    if (m->spaces == NULL || wm_machine_permutes(m, send->at.rank, sent->source, sent->count) ==
                                 wm_machine_permutes(m, recv->at.rank, received->target, received->count))
        return true;
    wm_machine_refute(m, "message %u from rank %d to rank %d has no images", send->number, send->from, send->to);
    m->proof->outcome = WM_TOO_LARGE; /* that is no fault, but no proof either */
    return false;
}

static bool pair_ends(struct wm_machine *m, const struct end *send, const struct end *recv)
{
    size_t sent = wm_machine_step(m, send->at)->count, received = wm_machine_step(m, recv->at)->count;

    if (sent != received)
        return wm_machine_refute(m, "rank %d sends %zu units to rank %d as message %u, but rank %d receives %zu",
                                 send->from, sent, send->to, send->number, send->to, received);
    if (!agree(m, send, recv) || !move_alike(m, send, recv))
        return false;
    m->message_of[m->first[send->at.rank] + (size_t)send->at.step] = m->message_count;
    m->message_of[m->first[recv->at.rank] + (size_t)recv->at.step] = m->message_count;
    m->messages[m->message_count++] = (struct wm_proof_message){send->at, recv->at, send->number, 0};
    return true;
}

bool wm_machine_match_messages(struct wm_machine *m)
{
    size_t count = count_ends(m);
    struct end *ends = malloc(sizeof *ends * (count + 1));
    size_t *shelves = calloc((size_t)m->ranks + 1, sizeof *shelves);
    bool paired = ends != NULL && shelves != NULL;

    m->first = wm_arena_take(m->arena, sizeof *m->first * ((size_t)m->ranks + 1));
    for (int rank = 0; rank < m->ranks; rank++)
        m->first[rank + 1] = m->first[rank] + (size_t)m->plans[rank]->step_count;
    m->messages = wm_arena_take(m->arena, sizeof *m->messages * (count / 2 + 1));
    m->message_of = wm_arena_take(m->arena, sizeof *m->message_of * m->first[m->ranks]);
    if (paired)
        list_ends(m, ends, shelves);
    else
        wm_machine_refute(m, "no memory for %zu messages", count);
    free(shelves);
    for (size_t i = 0; paired && i < count; i += 2) {
        const struct end *a = &ends[i], *b = &ends[i + 1];

        if (i + 1 == count || a->from != b->from || a->to != b->to || a->number != b->number || a->receives)
            paired = wm_machine_refute(m, "message %u from rank %d to rank %d is only %s", a->number, a->from, a->to,
                                       a->receives ? "received" : "sent");
        else
            paired = pair_ends(m, a, b);
    }
    free(ends);
    return paired;
}
