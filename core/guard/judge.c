/* The judge: standings, mismatches, and the greatest set of ranks that hold one another. */
#include "core/guard/judge.h"

#include <stdlib.h>
#include <string.h>
#include "core/guard/held.h"
#include "waymark/operation.h"

static bool read_now(struct wm_stand *s, const struct wm_page *page)
{
    uint64_t doing = __atomic_load_n(&page->now.doing, __ATOMIC_ACQUIRE);

    s->now = page->now;
    s->entry = page->ring[(page->ring_next - 1) % WM_PAGE_RING];
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    s->now.doing = doing;
    return __atomic_load_n(&page->now.doing, __ATOMIC_RELAXED) == doing;
}

/* What it is in, as far as it can be told. */
static void look_at_call(struct wm_stand *s, const struct wm_page *page)
{
    if (s->entry.call < WM_PAGE_CALLS && s->entry.comm < WM_PAGE_COMMS) {
        memcpy(&s->call, &page->calls[s->entry.call], sizeof s->call);
        s->call.type[sizeof s->call.type - 1] = s->call.reduction_name[sizeof s->call.reduction_name - 1] = '\0';
        s->known = s->call.id != 0 && s->call.operation < WM_COLLECTIVE_COUNT;
    }
}

static uint64_t place_of(const struct wm_stand *s, const struct wm_page *page)
{
    uint64_t site = s->known ? s->call.site : s->now.site;
    const struct wm_page_module *module = wm_page_find_module(page, site);

    return module != NULL ? site - module->base : site;
}

static void look(struct wm_stand *s, const struct wm_page *page, bool gone, const uint64_t *earlier)
{
    bool steady = read_now(s, page);

    s->member = -1;
    s->rank = page->rank;
    s->step = page->step;
    s->threads = page->threads != 0;
    s->doing = s->now.doing;
    if (page->state != WM_PAGE_RUNNING)
        s->standing = WM_STANDS_LEFT;
    else if (steady && (s->doing & 1) != 0)
        s->standing = WM_STANDS_IN;
    if (s->standing == WM_STANDS_IN && s->now.function == WM_POST_NONE)
        look_at_call(s, page);
    if (s->standing == WM_STANDS_IN)
        s->place = place_of(s, page);
    s->still = s->standing == WM_STANDS_IN && (s->known || s->now.function != WM_POST_NONE) &&
               (earlier == NULL || *earlier == s->doing);
    if (gone && s->standing != WM_STANDS_LEFT)
        s->standing = WM_STANDS_GONE;
}

/* The members first to end - 1 are in order of their numbers: those who have not come stand before the others. */
static void find_missing(struct wm_judgement *j, int first, int end)
{
    for (int i = first; i < end; i++) {
        const struct wm_member *m = &j->members.list[i];
        struct wm_stand *s = &j->stands[m->page];

        if (!s->still || !s->known || s->entry.comm != m->comm)
            continue;
        s->first = first;
        s->member = i;
        s->missing_end = wm_members_before(&j->members, i, s->entry.sequence);
    }
}

/* One that has moved since it was looked at may have done so before its page's sums were read: nothing is proven. */
static void look_again(struct wm_judgement *j)
{
    bool moved = false;

    for (int i = 0; i < j->count; i++)
        if (j->stands[i].held &&
            __atomic_load_n(&wm_pages_at(j->pages, i)->now.doing, __ATOMIC_ACQUIRE) != j->stands[i].doing)
            moved = true;
    for (int i = 0; moved && i < j->count; i++)
        j->stands[i].held = false;
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

int wm_judge(struct wm_judgement *j, const struct wm_pages *pages, const bool *gone, const uint64_t *earlier)
{
    int rc = 0;

    *j = (struct wm_judgement){.pages = pages, .count = pages->count};
    if ((j->stands = calloc((size_t)j->count + 1, sizeof *j->stands)) == NULL)
        return -WM_ENOMEM;
    for (int i = 0; rc == 0 && i < j->count; i++) {
        if (!wm_page_is_begun(wm_pages_at(pages, i)))
            continue;
        j->seen_count++;
        look(&j->stands[i], wm_pages_at(pages, i), gone[i], earlier != NULL ? &earlier[i] : NULL);
        rc = wm_members_read(&j->members, wm_pages_at(pages, i), i);
    }
    if (rc == 0 && (rc = wm_members_sort(&j->members)) == 0 && (rc = find_mismatches(j)) == 0 &&
        (rc = wm_held_find(j)) == 0)
        look_again(j);
    if (rc < 0) {
        wm_judgement_release(j);
        return rc;
    }
    for (int i = 0; i < j->count; i++) {
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
