/* Mismatches: chains compared, the first difference found, ranks put together by what they called. */
#include "core/guard/disagreement.h"

#include <stdlib.h>
#include <string.h>

/* Two ranks whose chains differ after call `sequence`. */
struct pair {
    const struct wm_page *page[2];
    const struct wm_member *member[2];
    uint64_t sequence;
};

/* The chains of a member after a call: the newest one needs no ring. */
static bool chains_at(const struct wm_page *page, const struct wm_member *member, uint64_t sequence,
                      struct wm_page_entry *entry)
{
    if (sequence != member->sequence)
        return wm_member_at(page, member, sequence, entry);
    *entry = (struct wm_page_entry){.sequence = sequence, .chain = member->chain, .types = member->types};
    return true;
}

/* A type that goes with any was used, so that the chains of types say nothing. */
static bool is_wild(const struct pair *p)
{
    return p->member[0]->wild > 0 || p->member[1]->wild > 0;
}

static bool differs(const struct pair *p, const struct wm_page_entry *one, const struct wm_page_entry *other)
{
    return one->chain != other->chain || (!is_wild(p) && one->types != other->types);
}

/* Both made the call of this number, and its types differ, whatever was before. */
static bool types_differ_at(const struct pair *p, uint64_t sequence)
{
    struct wm_page_entry entry[2];
    struct wm_page_call call[2];

    for (int i = 0; i < 2; i++)
        if (!wm_member_at(p->page[i], p->member[i], sequence, &entry[i]) ||
            !wm_member_call(p->page[i], p->member[i], &entry[i], &call[i]) || call[i].types == 0)
            return false;
    return call[0].print == call[1].print && call[0].types != call[1].types;
}

/* Do these two differ by the newest call of the one that is behind? */
static bool is_different(struct pair *p)
{
    struct wm_page_entry entry[2];

    p->sequence = p->member[0]->sequence;
    if (p->sequence == 0)
        return false;
    for (int i = 0; i < 2; i++)
        if (!chains_at(p->page[i], p->member[i], p->sequence, &entry[i]))
            return false;
    if (differs(p, &entry[0], &entry[1]))
        return true;
    if (!is_wild(p) || entry[0].types == entry[1].types)
        return false;
    for (uint64_t back = 0; back < WM_PAGE_RING && back < p->sequence; back++)
        if (types_differ_at(p, p->sequence - back)) {
            p->sequence -= back;
            return true;
        }
    return false;
}

/* Go back while the rings have both ranks' calls. True: the call before `sequence` was the last that agreed. */
static bool go_back(struct pair *p)
{
    struct wm_page_entry entry[2];

    while (p->sequence > 1) {
        for (int i = 0; i < 2; i++)
            if (!wm_member_at(p->page[i], p->member[i], p->sequence - 1, &entry[i]))
                return false;
        if (!differs(p, &entry[0], &entry[1]))
            return true;
        p->sequence--;
    }
    return true;
}

static bool has_like(const struct wm_page *page, uint64_t id, const struct wm_page_call *call)
{
    for (int i = 0; i < WM_PAGE_CALLS; i++)
        if (page->calls[i].id == id && page->calls[i].print == call->print && page->calls[i].types == call->types)
            return true;
    return false;
}

/* The rings have forgotten it: the first call of a kind that the other one never made. */
static void ask_tables(struct pair *p)
{
    uint64_t least = p->sequence;

    for (int side = 0; side < 2; side++)
        for (int i = 0; i < WM_PAGE_CALLS; i++) {
            const struct wm_page_call *call = &p->page[side]->calls[i];

            if (call->id == p->member[side]->id && call->first > 0 && call->first < least &&
                !has_like(p->page[!side], call->id, call))
                least = call->first;
        }
    p->sequence = least;
}

/* The one kind of call on the communicator that may have had this number; false: there are several, or none. */
static bool ask_table(const struct wm_page *page, const struct wm_member *member, uint64_t sequence,
                      struct wm_page_call *call)
{
    const struct wm_page_call *found = NULL;

    for (int i = 0; i < WM_PAGE_CALLS; i++) {
        const struct wm_page_call *c = &page->calls[i];

        if (c->id != member->id || c->first > sequence || c->last < sequence)
            continue;
        if (c->first == sequence || (c->last == sequence && (found == NULL || found->first != sequence))) {
            found = c; /* surely this one */
            continue;
        }
        if (found != NULL && (found->first == sequence || found->last == sequence))
            continue;
        if (found != NULL)
            return false;
        found = c;
    }
    if (found == NULL)
        return false;
    *call = *found;
    call->type[sizeof call->type - 1] = call->reduction_name[sizeof call->reduction_name - 1] = '\0';
    return true;
}

static bool is_same_call(const struct wm_party *party, bool came, bool known, const struct wm_page_call *call)
{
    if (party->came != came || party->known != known)
        return false;
    return !known ||
           (party->call.print == call->print && party->call.types == call->types && party->call.offset == call->offset);
}

static struct wm_party *find_party(struct wm_disagreement *m, int room, bool came, bool known,
                                   const struct wm_page_call *call)
{
    for (int i = 0; i < m->count; i++)
        if (is_same_call(&m->parties[i], came, known, call))
            return &m->parties[i];
    m->parties[m->count] = (struct wm_party){.came = came, .known = known};
    if (known)
        m->parties[m->count].call = *call;
    m->parties[m->count].ranks = malloc((size_t)room * sizeof(int));
    m->parties[m->count].pages = malloc((size_t)room * sizeof(int));
    return &m->parties[m->count++];
}

static int compare_parties(const void *left, const void *right)
{
    const struct wm_party *a = left, *b = right;

    if (a->came != b->came)
        return a->came ? -1 : 1;
    return a->count != b->count ? b->count - a->count : a->ranks[0] - b->ranks[0];
}

/* Put a member to those that called the same; ranks stay in order. False: no memory. */
static bool add_member(struct wm_disagreement *m, const struct wm_page *page, const struct wm_member *member, int room)
{
    struct wm_page_entry entry;
    struct wm_page_call call = {0};
    bool came = member->sequence >= m->sequence;
    bool known =
        came && ((wm_member_at(page, member, m->sequence, &entry) && wm_member_call(page, member, &entry, &call)) ||
                 ask_table(page, member, m->sequence, &call));
    struct wm_party *party = find_party(m, room, came, known, &call);
    int rank = page->comms[member->comm].rank, at;

    if (party->ranks == NULL || party->pages == NULL)
        return false;
    for (at = party->count++; at > 0 && party->ranks[at - 1] > rank; at--) {
        party->ranks[at] = party->ranks[at - 1];
        party->pages[at] = party->pages[at - 1];
    }
    party->ranks[at] = rank;
    party->pages[at] = member->page;
    return true;
}

static int group(struct wm_disagreement *m, const struct wm_pages *pages, const struct wm_members *members, int first,
                 int end)
{
    int room = end - first;

    m->parties = calloc((size_t)room, sizeof *m->parties);
    for (int i = first; i < end; i++)
        if (m->parties == NULL || !add_member(m, wm_pages_at(pages, members->list[i].page), &members->list[i], room)) {
            wm_disagreement_release(m);
            return -WM_ENOMEM;
        }
    qsort(m->parties, (size_t)m->count, sizeof *m->parties, compare_parties);
    return 1;
}

static void describe(struct wm_disagreement *m, const struct pair *p)
{
    const struct wm_page_comm *comm = &p->page[0]->comms[p->member[0]->comm];

    m->id = p->member[0]->id;
    m->place = p->member[0]->comm;
    m->ranks = comm->ranks;
    m->sequence = p->sequence;
    memcpy(m->name, comm->name, sizeof m->name);
    m->name[sizeof m->name - 1] = '\0';
}

/* They have made the same calls so far: no page need be read. */
static bool have_same_chains(const struct wm_member *one, const struct wm_member *other)
{
    return one->sequence == other->sequence && one->chain == other->chain && one->types == other->types;
}

/* Those who are behind first: each is held against the next one, whose ring may still have its newest call. The lowest
 * difference of all counts. */
int wm_disagreement_find(struct wm_disagreement *m, const struct wm_pages *pages, const struct wm_members *members,
                         int first, int end)
{
    bool found = false;
    int rc;

    *m = (struct wm_disagreement){0};
    for (int i = first; i + 1 < end; i++) {
        const struct wm_member *one = &members->list[i], *other = one + 1;
        struct pair p = {.member = {one, other}};
        bool exact;

        if (have_same_chains(one, other))
            continue;
        p.page[0] = wm_pages_at(pages, one->page);
        p.page[1] = wm_pages_at(pages, other->page);
        if (!is_different(&p))
            continue;
        if (!(exact = go_back(&p)))
            ask_tables(&p);
        if (found && m->sequence <= p.sequence)
            continue;
        describe(m, &p);
        m->exact = exact;
        found = true;
    }
    if (!found)
        return 0;
    if ((rc = group(m, pages, members, first, end)) < 0)
        return rc;
    m->types_only = m->count > 1;
    for (int i = 1; i < m->count; i++)
        if (!m->parties[i].known || m->parties[i].call.print != m->parties[0].call.print)
            m->types_only = false;
    return 1;
}

void wm_disagreement_release(struct wm_disagreement *m)
{
    for (int i = 0; i < m->count; i++) {
        free(m->parties[i].ranks);
        free(m->parties[i].pages);
    }
    free(m->parties);
    m->parties = NULL;
    m->count = 0;
}
