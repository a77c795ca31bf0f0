/* Members: read from the pages, sorted; calls found in their rings. */
#include "core/guard/members.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES = 8 };

/* False: there is none, or it changes all the time. */
static bool read_member(struct wm_member *member, const struct wm_page_comm *comm)
{
    for (int i = 0; i < TRIES; i++) {
        uint64_t sequence = __atomic_load_n(&comm->sequence, __ATOMIC_ACQUIRE);

        member->id = __atomic_load_n(&comm->id, __ATOMIC_ACQUIRE);
        member->sequence = sequence;
        member->chain = comm->chain;
        member->types = comm->types;
        member->wild = comm->wild;
        member->rank = comm->rank;
        member->ranks = comm->ranks;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&comm->begun, __ATOMIC_RELAXED) == sequence)
            return member->id != 0;
    }
    return false;
}

static int compare(const void *left, const void *right)
{
    const struct wm_member *a = left, *b = right;

    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    return a->page < b->page ? -1 : a->page > b->page;
}

static int compare_ranks(const void *left, const void *right, void *list)
{
    const struct wm_member *a = (const struct wm_member *)list + *(const int *)left;
    const struct wm_member *b = (const struct wm_member *)list + *(const int *)right;

    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

int wm_members_sort(struct wm_members *members)
{
    qsort(members->list, (size_t)members->count, sizeof *members->list, compare);
    if ((members->by_rank = malloc(((size_t)members->count + 1) * sizeof *members->by_rank)) == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < members->count; i++) {
        bool same = i > 0 && members->list[i - 1].id == members->list[i].id;

        members->list[i].first = same ? members->list[i - 1].first : i;
        members->list[members->list[i].first].end = i + 1;
        members->by_rank[i] = i;
    }
    qsort_r(members->by_rank, (size_t)members->count, sizeof *members->by_rank, compare_ranks, members->list);
    return 0;
}

static uint32_t comm_count(const struct wm_page *page)
{
    uint32_t count = __atomic_load_n(&page->comm_count, __ATOMIC_ACQUIRE);

    return count < WM_PAGE_COMMS ? count : WM_PAGE_COMMS;
}

static bool make_room(struct wm_members *members, uint32_t more)
{
    int room = members->room > 0 ? members->room : 64;
    struct wm_member *list;

    while (room - members->count < (int)more)
        room *= 2;
    if (room == members->room)
        return true;
    if ((list = realloc(members->list, (size_t)room * sizeof *list)) == NULL)
        return false;
    members->list = list;
    members->room = room;
    return true;
}

int wm_members_read(struct wm_members *members, const struct wm_page *page, int index)
{
    uint32_t count = comm_count(page);

    if (!make_room(members, count))
        return -WM_ENOMEM;
    for (uint32_t c = 0; c < count; c++) {
        struct wm_member *member = &members->list[members->count];

        if (!read_member(member, &page->comms[c]))
            continue;
        member->page = index;
        member->comm = c;
        members->count++;
    }
    return 0;
}

void wm_members_release(struct wm_members *members)
{
    free(members->list);
    free(members->by_rank);
    *members = (struct wm_members){0};
}

int wm_members_end(const struct wm_members *members, int first)
{
    return members->list[first].end;
}

int wm_members_before(const struct wm_members *members, int member, uint64_t sequence)
{
    int low = members->list[member].first, high = member;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (members->list[middle].sequence < sequence)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The oldest entry may be being written anew. */
bool wm_member_at(const struct wm_page *page, const struct wm_member *member, uint64_t sequence,
                  struct wm_page_entry *entry)
{
    uint64_t next = __atomic_load_n(&page->ring_next, __ATOMIC_ACQUIRE);

    for (uint64_t i = 1; i < WM_PAGE_RING && i <= next; i++) {
        *entry = page->ring[(next - i) % WM_PAGE_RING];
        if (entry->sequence != sequence || entry->comm != member->comm)
            continue;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        return __atomic_load_n(&page->ring_next, __ATOMIC_RELAXED) - (next - i) < WM_PAGE_RING;
    }
    return false;
}

bool wm_member_call(const struct wm_page *page, const struct wm_member *member, const struct wm_page_entry *entry,
                    struct wm_page_call *call)
{
    if (entry->call >= WM_PAGE_CALLS)
        return false;
    memcpy(call, &page->calls[entry->call], sizeof *call);
    call->type[sizeof call->type - 1] = '\0';
    call->reduction_name[sizeof call->reduction_name - 1] = '\0';
    return call->id == member->id && call->first <= entry->sequence && entry->sequence <= call->last;
}
