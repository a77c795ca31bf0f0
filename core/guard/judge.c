/* The judge: standings, mismatches, and the greatest set of ranks that hold one another. */
#include "core/guard/judge.h"

#include <stdlib.h>
#include <string.h>
#include "waymark/operation.h"

static bool read_now(const struct wm_page *page, struct wm_page_now *now)
{
    uint64_t doing = __atomic_load_n(&page->now.doing, __ATOMIC_ACQUIRE);

    *now = page->now;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    now->doing = doing;
    return __atomic_load_n(&page->now.doing, __ATOMIC_RELAXED) == doing;
}

/* What it is in, as far as it can be told. */
static void look_at_call(struct wm_stand *s, const struct wm_page *page)
{
    if (s->now.call < WM_PAGE_CALLS && s->now.comm < WM_PAGE_COMMS) {
        memcpy(&s->call, &page->calls[s->now.call], sizeof s->call);
        s->call.type[sizeof s->call.type - 1] = s->call.reduction_name[sizeof s->call.reduction_name - 1] = '\0';
        s->known = s->call.id != 0 && s->call.operation < WM_COLLECTIVE_COUNT;
    }
}

static void look(struct wm_stand *s, const struct wm_page *page, bool gone, const uint64_t *earlier)
{
    bool steady = read_now(page, &s->now);

    s->member = -1;
    s->doing = s->now.doing;
    if (page->state != WM_PAGE_RUNNING)
        s->standing = WM_STANDS_LEFT;
    else if (steady && (s->doing & 1) != 0)
        s->standing = WM_STANDS_IN;
    if (s->standing == WM_STANDS_IN)
        look_at_call(s, page);
    s->still = s->standing == WM_STANDS_IN && s->known && (earlier == NULL || *earlier == s->doing);
    if (gone && s->standing != WM_STANDS_LEFT)
        s->standing = WM_STANDS_GONE;
}

/* The members first to end - 1 are in order of their numbers: those who have not come stand before the others. */
static void find_missing(struct wm_judgement *j, int first, int end)
{
    for (int i = first; i < end; i++) {
        const struct wm_member *m = &j->members.list[i];
        struct wm_stand *s = &j->stands[m->page];
        int low = first, high = i;

        if (!s->still || s->now.comm != m->comm)
            continue;
        s->first = first;
        s->member = i;
        while (low < high) {
            int middle = low + (high - low) / 2;

            if (j->members.list[middle].sequence < s->now.sequence)
                low = middle + 1;
            else
                high = middle;
        }
        s->missing_end = low;
    }
}

static bool never_comes(const struct wm_stand *s)
{
    return s->held || s->standing == WM_STANDS_LEFT || s->standing == WM_STANDS_GONE;
}

/* No rank comes out of it before this one has come. */
static bool needs(const struct wm_judgement *j, const struct wm_stand *s, const struct wm_member *other)
{
    const struct wm_page_comm *mine = &j->pages[j->members.list[s->member].page]->comms[s->now.comm];
    int rank = j->pages[other->page]->comms[other->comm].rank;

    if (wm_operation_synchronises((enum wm_operation)s->call.operation))
        return true;
    switch (s->call.operation) {
    case WM_BCAST:
    case WM_SCATTER:
    case WM_SCATTERV:
        return rank == s->call.root;
    case WM_REDUCE:
    case WM_GATHER:
    case WM_GATHERV:
        return mine->rank == s->call.root;
    case WM_SCAN:
    case WM_EXSCAN:
        return rank < mine->rank;
    default:
        return false;
    }
}

/* Neither does any of the missing ever come, nor is one of them unseen. */
static bool is_held(const struct wm_judgement *j, const struct wm_stand *s)
{
    const struct wm_page_comm *comm;
    int end = s->first, never = 0;

    if (s->member < 0 || s->missing_end == s->first)
        return false;
    for (int i = s->first; i < s->missing_end; i++) {
        const struct wm_member *m = &j->members.list[i];

        if (!never_comes(&j->stands[m->page]))
            continue;
        never++;
        if (needs(j, s, m))
            return true;
    }
    end = wm_members_end(&j->members, s->first);
    comm = &j->pages[j->members.list[s->member].page]->comms[s->now.comm];
    return never == s->missing_end - s->first && end - s->first == comm->ranks;
}

static void find_held(struct wm_judgement *j)
{
    bool changed = true;

    for (int i = 0; i < j->count; i++)
        j->stands[i].held = j->stands[i].still && j->stands[i].standing == WM_STANDS_IN;
    while (changed) {
        changed = false;
        for (int i = 0; i < j->count; i++) {
            struct wm_stand *s = &j->stands[i];

            if (!s->held || is_held(j, s))
                continue;
            s->held = false;
            changed = true;
        }
    }
}

/* In the order in which the communicators were made, as far as it is known. */
static int compare_mismatches(const void *left, const void *right)
{
    const struct wm_disagreement *a = left, *b = right;

    return a->place != b->place ? (a->place < b->place ? -1 : 1) : (a->id > b->id) - (a->id < b->id);
}

static int find_mismatches(struct wm_judgement *j)
{
    int groups = 0, rc = 0;

    for (int first = 0; first < j->members.count; first = wm_members_end(&j->members, first))
        groups++;
    if ((j->mismatches = calloc((size_t)groups + 1, sizeof *j->mismatches)) == NULL)
        return -WM_ENOMEM;
    for (int first = 0, end; rc >= 0 && first < j->members.count; first = end) {
        end = wm_members_end(&j->members, first);
        rc = wm_disagreement_find(&j->mismatches[j->mismatch_count], j->pages, &j->members, first, end);
        if (rc > 0)
            j->mismatch_count++;
        find_missing(j, first, end);
    }
    qsort(j->mismatches, (size_t)j->mismatch_count, sizeof *j->mismatches, compare_mismatches);
    return rc < 0 ? rc : 0;
}

int wm_judge(struct wm_judgement *j, const struct wm_page *const *pages, const bool *gone, const uint64_t *earlier,
             int count)
{
    int rc;

    *j = (struct wm_judgement){.pages = pages, .count = count};
    if ((j->stands = calloc((size_t)count + 1, sizeof *j->stands)) == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < count; i++)
        look(&j->stands[i], pages[i], gone[i], earlier != NULL ? &earlier[i] : NULL);
    if ((rc = wm_members_read(&j->members, pages, count)) == 0 && (rc = find_mismatches(j)) == 0)
        find_held(j);
    if (rc < 0) {
        wm_judgement_release(j);
        return rc;
    }
    for (int i = 0; i < count; i++) {
        j->held_count += j->stands[i].held;
        j->gone_count += j->stands[i].standing == WM_STANDS_GONE;
        j->waiting_count += j->stands[i].still && j->stands[i].standing == WM_STANDS_IN;
    }
    return 0;
}

void wm_judgement_release(struct wm_judgement *j)
{
    for (int i = 0; i < j->mismatch_count; i++)
        wm_disagreement_release(&j->mismatches[i]);
    free(j->mismatches);
    free(j->stands);
    wm_members_release(&j->members);
    *j = (struct wm_judgement){0};
}
