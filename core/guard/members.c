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

static uint32_t comm_count(const struct wm_page *page)
{
    uint32_t count = __atomic_load_n(&page->comm_count, __ATOMIC_ACQUIRE);

    return count < WM_PAGE_COMMS ? count : WM_PAGE_COMMS;
}

int wm_members_read(struct wm_members *members, const struct wm_page *const *pages, int count)
{
    size_t room = 0;

    *members = (struct wm_members){0};
    for (int i = 0; i < count; i++)
        room += comm_count(pages[i]);
    if ((members->list = malloc((room + 1) * sizeof *members->list)) == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < count; i++)
        for (uint32_t c = 0; c < comm_count(pages[i]) && (size_t)members->count < room; c++) {
            struct wm_member *member = &members->list[members->count];

            if (!read_member(member, &pages[i]->comms[c]))
                continue;
            member->page = i;
            member->comm = c;
            members->count++;
        }
    qsort(members->list, (size_t)members->count, sizeof *members->list, compare);
    return 0;
}

void wm_members_release(struct wm_members *members)
{
    free(members->list);
    *members = (struct wm_members){0};
}

int wm_members_end(const struct wm_members *members, int first)
{
    int end = first;

    while (end < members->count && members->list[end].id == members->list[first].id)
        end++;
    return end;
}

bool wm_member_at(const struct wm_page *page, const struct wm_member *member, uint64_t sequence,
                  struct wm_page_entry *entry)
{
    uint64_t newest = page->ring_next;

    for (uint64_t i = 1; i <= WM_PAGE_RING && i <= newest; i++) {
        const struct wm_page_entry *place = &page->ring[(newest - i) % WM_PAGE_RING];

        if (__atomic_load_n(&place->sequence, __ATOMIC_ACQUIRE) != sequence || place->comm != member->comm)
            continue;
        *entry = *place;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&place->sequence, __ATOMIC_RELAXED) == sequence && entry->comm == member->comm)
            return true;
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
