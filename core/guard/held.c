/* Who is held: collective calls, messages, and the fixed point. */
#include "core/guard/held.h"

#include <stdlib.h>
#include "waymark/operation.h"

enum { NOBODY = -1, ALL = WM_WITNESS_ALL };

/* What is known of a communicator's first members. */
struct crowd {
    int alive;      /* one that may come; -1: none was seen */
    int end, freed; /* none before `end` may, if no more ranks have been let go since */
};

struct search {
    struct wm_judgement *j;
    int *dependents, *next; /* by page: whose witness it is */
    int *stack, depth;      /* let go, and their dependents not asked yet */
    int *never;             /* by first member: of those missing, where the search for one that never comes goes on */
    struct crowd *crowds;   /* by first member */
    int freed;              /* let go so far */
    uint64_t *sent;         /* by member: messages sent to it; NULL: not counted yet */
    bool *uncounted;        /* by communicator's first member: some of its ranks' sends are not known */
};

/* --- Ranks --- */

static bool never_comes(const struct wm_judgement *j, int page)
{
    const struct wm_stand *s = &j->stands[page];

    return s->held || s->standing == WM_STANDS_LEFT || s->standing == WM_STANDS_GONE;
}

/* The place in by_rank of the first member that is not before (id, rank). */
static int find_place(const struct wm_judgement *j, uint64_t id, int rank)
{
    int low = 0, high = j->members.count;

    while (low < high) {
        int middle = low + (high - low) / 2;
        const struct wm_member *m = &j->members.list[j->members.by_rank[middle]];

        if (m->id < id || (m->id == id && m->rank < rank))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int wm_held_find_member(const struct wm_judgement *j, uint64_t id, int rank)
{
    int place = find_place(j, id, rank), member;

    if (place == j->members.count)
        return -1;
    member = j->members.by_rank[place];
    return j->members.list[member].id == id && j->members.list[member].rank == rank ? member : -1;
}

int wm_held_find_rank(const struct wm_judgement *j, uint64_t id, int rank)
{
    int member = wm_held_find_member(j, id, rank);

    return member >= 0 ? j->members.list[member].page : -1;
}

/* --- Collective calls --- */

/* A call that has begun, and for which the members first to missing_end - 1 have not come. */
struct call {
    const struct wm_page_call *call;
    const struct wm_member *own; /* who is in it */
    int first, missing_end;
};

/* Of those missing, one that never comes; ranks that came to be let go stay so. */
static int find_never(struct search *s, const struct call *c)
{
    int *at = &s->never[c->first];

    while (*at < c->missing_end && !never_comes(s->j, s->j->members.list[*at].page))
        ++*at;
    return *at < c->missing_end ? s->j->members.list[*at].page : NOBODY;
}

/* None of the members first to end - 1 comes. */
static bool nobody_comes(struct search *s, int first, int end)
{
    struct crowd *c = &s->crowds[first];

    if (c->alive >= 0 && c->alive < end)
        return false;
    if (c->freed != s->freed)
        c->end = first;
    c->freed = s->freed;
    for (int *i = &c->end; *i < end; ++*i)
        if (!never_comes(s->j, s->j->members.list[*i].page)) {
            c->alive = *i;
            return false;
        }
    return true;
}

static int find_before(const struct search *s, const struct call *c)
{
    for (int i = c->first; i < c->missing_end; i++)
        if (s->j->members.list[i].rank < c->own->rank && never_comes(s->j, s->j->members.list[i].page))
            return s->j->members.list[i].page;
    return NOBODY;
}

static int find_root(const struct search *s, const struct call *c)
{
    int member = wm_held_find_member(s->j, c->own->id, c->call->root);

    if (member < c->first || member >= c->missing_end || !never_comes(s->j, s->j->members.list[member].page))
        return NOBODY;
    return s->j->members.list[member].page;
}

/* One that the call cannot do without. */
static int find_needed(struct search *s, const struct call *c)
{
    if (wm_operation_synchronises((enum wm_operation)c->call->operation))
        return find_never(s, c);
    switch (c->call->operation) {
    case WM_BCAST:
    case WM_SCATTER:
    case WM_SCATTERV:
        return find_root(s, c);
    case WM_REDUCE:
    case WM_GATHER:
    case WM_GATHERV:
        return c->own->rank == c->call->root ? find_never(s, c) : NOBODY;
    case WM_SCAN:
    case WM_EXSCAN:
        return find_before(s, c);
    default:
        return NOBODY;
    }
}

/* Or all that are missing, none of which is unseen. */
static int call_witness(struct search *s, const struct call *c)
{
    int needed;

    if (c->missing_end == c->first)
        return NOBODY;
    if ((needed = find_needed(s, c)) >= 0)
        return needed;
    if (wm_members_end(&s->j->members, c->first) - c->first != c->own->ranks ||
        !nobody_comes(s, c->first, c->missing_end))
        return NOBODY;
    return ALL;
}

static int stand_witness(struct search *s, int i)
{
    const struct wm_stand *stand = &s->j->stands[i];
    struct call c = {.call = &stand->call, .first = stand->first, .missing_end = stand->missing_end};

    if (stand->member < 0)
        return NOBODY;
    c.own = &s->j->members.list[stand->member];
    return call_witness(s, &c);
}

/* A nonblocking call that is waited for. */
static int request_witness(struct search *s, int i, const struct wm_page_message *m)
{
    const struct wm_page *page = wm_pages_at(s->j->pages, i);
    const struct wm_page_comm *comm = &page->comms[m->comm];
    struct call c = {0};
    int own;

    if (m->bytes >= WM_PAGE_CALLS)
        return NOBODY;
    c.call = &page->calls[m->bytes];
    own = wm_held_find_member(s->j, comm->id, comm->rank);
    if (own < 0 || c.call->id != comm->id || c.call->operation >= WM_COLLECTIVE_COUNT)
        return NOBODY;
    c.own = &s->j->members.list[own];
    c.first = c.own->first;
    c.missing_end = wm_members_before(&s->j->members, own, m->sequence);
    return call_witness(s, &c);
}

/* --- Messages --- */

uint32_t wm_held_messages(const struct wm_page_now *now)
{
    uint32_t most = now->function >= WM_POST_WAIT ? WM_PAGE_HANDLES : WM_PAGE_WITH;

    return now->count < most ? now->count : most;
}

const struct wm_page_message *wm_held_message(const struct wm_page *page, const struct wm_page_now *now, uint32_t index)
{
    const struct wm_page_message *m;

    if (now->function < WM_POST_WAIT)
        return &page->post.with[index];
    m = page->post.handles[index] != 0 ? wm_post_find(&page->post, page->post.handles[index]) : NULL;
    return m != NULL && (m->flags & WM_POST_ACTIVE) != 0 ? m : NULL;
}

bool wm_held_needs_one(const struct wm_page_now *now)
{
    return now->function == WM_POST_WAITANY || now->function == WM_POST_WAITSOME;
}

/* Its rank has sent more than can be told. */
static void add_uncounted(struct search *s, const struct wm_page *page)
{
    for (uint32_t c = 0; c < WM_PAGE_COMMS && c < page->comm_count; c++) {
        int own = wm_held_find_member(s->j, page->comms[c].id, page->comms[c].rank);

        if (own >= 0)
            s->uncounted[s->j->members.list[own].first] = true;
    }
}

/* What a page's rank has sent. */
static void add_sent(struct search *s, const struct wm_page *page)
{
    if (page->post.lost != 0 || page->threads != 0)
        add_uncounted(s, page);
    for (uint32_t word = 0; word < WM_PAGE_PAIRS / 64; word++)
        for (uint64_t left = page->post.used[word]; left != 0; left &= left - 1) {
            const struct wm_page_pair *pair = &page->post.pairs[word * 64 + (uint32_t)__builtin_ctzll(left)];
            int to = pair->comm > 0 && pair->comm <= WM_PAGE_COMMS
                         ? wm_held_find_member(s->j, page->comms[pair->comm - 1].id, pair->peer)
                         : -1;

            if (to >= 0)
                s->sent[to] += pair->sent;
        }
}

/* Add up what was sent to each member. */
static int count_sent(struct search *s)
{
    const struct wm_judgement *j = s->j;

    if (s->sent != NULL)
        return 0;
    s->sent = calloc((size_t)j->members.count + 1, sizeof *s->sent);
    s->uncounted = calloc((size_t)j->members.count + 1, sizeof *s->uncounted);
    if (s->sent == NULL || s->uncounted == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < j->count; i++)
        add_sent(s, wm_pages_at(j->pages, i));
    return 0;
}

/* All that was sent to the rank on the communicator it has received. */
static bool has_received_all(struct search *s, int page, uint32_t comm)
{
    const struct wm_page_comm *c = &wm_pages_at(s->j->pages, page)->comms[comm];
    int own = wm_held_find_member(s->j, c->id, c->rank), first;

    if (own < 0 || count_sent(s) < 0)
        return false;
    first = s->j->members.list[own].first;
    return !s->uncounted[first] && wm_members_end(&s->j->members, first) - first == c->ranks &&
           s->sent[own] == c->received;
}

/* The counts of a receive's pair at both ends; zeros where nothing was sent. False: they are not known. */
static bool find_ends(const struct wm_judgement *j, int page, const struct wm_page_message *m,
                      const struct wm_page_pair **out, const struct wm_page_pair **in)
{
    static const struct wm_page_pair none;
    const struct wm_page *to = wm_pages_at(j->pages, page), *from;
    const struct wm_page_comm *comm = &to->comms[m->comm];
    int other = wm_held_find_member(j, comm->id, m->peer);

    if (other < 0 || j->stands[j->members.list[other].page].threads)
        return false;
    from = wm_pages_at(j->pages, j->members.list[other].page);
    *out = wm_post_find_pair(&from->post, j->members.list[other].comm, comm->rank);
    *in = wm_post_find_pair(&to->post, m->comm, m->peer);
    if (*out == NULL && from->post.lost != 0)
        return false;
    *out = *out != NULL ? *out : &none;
    *in = *in != NULL ? *in : &none;
    return true;
}

uint32_t wm_held_underway(const struct wm_judgement *j, int page, const struct wm_page_message *m)
{
    const struct wm_page_pair *out, *in;

    return m->peer >= 0 && find_ends(j, page, m, &out, &in) ? out->sent - in->received : 0;
}

/* No message from its peer is underway that this receive could take. */
static bool nothing_comes(struct search *s, int page, const struct wm_page_message *m)
{
    const struct wm_page_pair *out, *in;
    uint32_t underway;

    if (!find_ends(s->j, page, m, &out, &in))
        return false;
    underway = out->sent - in->received;
    if (underway == 0)
        return true;
    if (underway == 1 && m->tag != WM_PAGE_ANY && in->blurred == 0 && out->sent_tags - in->received_tags != m->tag)
        return true;
    return has_received_all(s, page, m->comm);
}

static int receive_witness(struct search *s, int page, const struct wm_page_message *m)
{
    const struct wm_page_comm *comm = &wm_pages_at(s->j->pages, page)->comms[m->comm];
    int other;

    if (m->peer >= 0) {
        other = wm_held_find_rank(s->j, comm->id, m->peer);
        return other >= 0 && never_comes(s->j, other) && nothing_comes(s, page, m) ? other : NOBODY;
    }
    if (!has_received_all(s, page, m->comm))
        return NOBODY;
    other = s->j->members.list[wm_held_find_member(s->j, comm->id, comm->rank)].first;
    return nobody_comes(s, other, wm_members_end(&s->j->members, other)) ? ALL : NOBODY;
}

static bool takes(const struct wm_page *page, const struct wm_page_message *receive, uint64_t id, int rank, int tag)
{
    if (receive->comm == WM_PAGE_NO_COMM)
        return true;
    return receive->comm < WM_PAGE_COMMS && page->comms[receive->comm].id == id &&
           (receive->peer == WM_PAGE_ANY || receive->peer == rank) &&
           (receive->tag == WM_PAGE_ANY || receive->tag == tag);
}

/* None of the receives that the page's rank has begun takes the message, nor does that of a blocking call. */
static bool none_takes(const struct wm_judgement *j, int other, uint64_t id, int rank, int tag)
{
    const struct wm_page *page = wm_pages_at(j->pages, other);
    const struct wm_page_now *now = &j->stands[other].now;
    uint32_t seen = 0;

    if (page->threads != 0)
        return false;
    if ((now->doing & 1) != 0 && now->function != WM_POST_NONE && now->function < WM_POST_WAIT)
        for (uint32_t k = 0; k < wm_held_messages(now); k++)
            if (page->post.with[k].kind == WM_POST_RECEIVED && takes(page, &page->post.with[k], id, rank, tag))
                return false;
    for (uint32_t i = 0; i < WM_PAGE_MESSAGES && page->post.pending > 0; i++) {
        const struct wm_page_message *m = &page->post.messages[i];

        if (m->request == 0 || m->kind != WM_POST_RECEIVED || (m->flags & WM_POST_ACTIVE) == 0)
            continue;
        if (takes(page, m, id, rank, tag))
            return false;
        seen++;
    }
    return seen == page->post.pending;
}

static int send_witness(struct search *s, int page, const struct wm_page_message *m)
{
    const struct wm_page_comm *comm = &wm_pages_at(s->j->pages, page)->comms[m->comm];
    int other = wm_held_find_rank(s->j, comm->id, m->peer);

    if ((m->flags & WM_POST_SYNCHRONOUS) == 0 || other < 0 || !never_comes(s->j, other))
        return NOBODY;
    return none_takes(s->j, other, comm->id, comm->rank, m->tag) ? other : NOBODY;
}

static int message_witness(struct search *s, int page, const struct wm_page_message *m)
{
    if (m == NULL || m->comm >= WM_PAGE_COMMS)
        return NOBODY;
    switch (m->kind) {
    case WM_POST_COLLECTIVE:
        return request_witness(s, page, m);
    case WM_POST_RECEIVED:
        return receive_witness(s, page, m);
    default:
        return send_witness(s, page, m);
    }
}

/* Any of the messages is enough: none of them comes. The witness is ALL, or one rank that all of them need. */
static int any_witness(struct search *s, int i, uint32_t count)
{
    const struct wm_page_now *now = &s->j->stands[i].now;
    int witness = NOBODY;

    if (count < now->count)
        return NOBODY;
    for (uint32_t k = 0; k < count; k++) {
        int one = message_witness(s, i, wm_held_message(wm_pages_at(s->j->pages, i), now, k));

        if (one == NOBODY)
            return NOBODY;
        witness = k == 0 || one == witness ? one : ALL;
    }
    return witness;
}

/* All of the messages are needed: one of them never comes. */
static int wait_witness(struct search *s, int i)
{
    const struct wm_page_now *now = &s->j->stands[i].now;
    uint32_t count = wm_held_messages(now);
    int witness = NOBODY;

    if (wm_held_needs_one(now))
        return any_witness(s, i, count);
    for (uint32_t k = 0; k < count && witness == NOBODY; k++)
        witness = message_witness(s, i, wm_held_message(wm_pages_at(s->j->pages, i), now, k));
    return witness;
}

/* --- The fixed point --- */

static void settle(struct search *s, int i)
{
    struct wm_stand *stand = &s->j->stands[i];

    stand->witness = stand->now.function == WM_POST_NONE ? stand_witness(s, i) : wait_witness(s, i);
    if (stand->witness == NOBODY) {
        stand->held = false;
        s->freed++;
        s->stack[s->depth++] = i;
    } else if (stand->witness >= 0) {
        s->next[i] = s->dependents[stand->witness];
        s->dependents[stand->witness] = i;
    }
}

static void drain(struct search *s)
{
    while (s->depth > 0) {
        int freed = s->stack[--s->depth], i = s->dependents[freed];

        s->dependents[freed] = NOBODY;
        while (i >= 0) {
            int next = s->next[i];

            if (s->j->stands[i].held)
                settle(s, i);
            i = next;
        }
    }
}

/* Those who are held for want of all are nobody's dependents. */
static bool ask_again(struct search *s)
{
    bool changed = false;

    for (int i = 0; i < s->j->count; i++)
        if (s->j->stands[i].held && s->j->stands[i].witness == ALL) {
            settle(s, i);
            changed = changed || s->j->stands[i].witness != ALL;
        }
    drain(s);
    return changed;
}

static bool prepare(struct search *s)
{
    size_t ranks = (size_t)s->j->count + 1, members = (size_t)s->j->members.count + 1;

    s->dependents = malloc(ranks * sizeof(int));
    s->next = malloc(ranks * sizeof(int));
    s->stack = malloc(ranks * sizeof(int));
    s->never = malloc(members * sizeof(int));
    s->crowds = malloc(members * sizeof *s->crowds);
    if (s->dependents == NULL || s->next == NULL || s->stack == NULL || s->never == NULL || s->crowds == NULL)
        return false;
    for (int i = 0; i < s->j->count; i++) {
        s->dependents[i] = NOBODY;
        s->j->stands[i].held = s->j->stands[i].still && s->j->stands[i].standing == WM_STANDS_IN;
        s->j->stands[i].witness = NOBODY;
    }
    for (int i = 0; i < s->j->members.count; i++) {
        s->never[i] = i;
        s->crowds[i] = (struct crowd){.alive = -1, .end = i};
    }
    return true;
}

int wm_held_find(struct wm_judgement *j)
{
    struct search s = {.j = j};
    int rc = prepare(&s) ? 0 : -WM_ENOMEM;

    for (int i = 0; rc == 0 && i < j->count; i++)
        if (j->stands[i].held)
            settle(&s, i);
    if (rc == 0) {
        drain(&s);
        while (ask_again(&s))
            ;
    }
    free(s.dependents);
    free(s.next);
    free(s.stack);
    free(s.never);
    free(s.crowds);
    free(s.sent);
    free(s.uncounted);
    return rc;
}
