/* A call of a statement: what holds of the last one is used again, or found out anew. */
#include "core/communicate/agree.h"
#include "core/communicate/collective.h"
#include "core/communicate/fly.h"

/* List what this rank sends, and, where the other end may know, receives. */
static void list(const struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[], bool believes)
{
    struct wm_error error = {0};

    wm_deal_clear(d);
    if (wm_traffic_new(&d->traffic, d->s, bindings, t->rank, t->ranks, believes, &error) < 0)
        wm_deal_abort(d, &error);
}

/* Blocks of an operation are of the size that all ranks agreed on. */
static bool is_of_block(const struct wm_talk *t, const struct wm_deal *d, const struct wm_bound bindings[])
{
    size_t least, most;
    int root;

    wm_collective_find(t, d, bindings, &root, &least, &most);
    return most == 0 || (least == d->block && most == d->block);
}

static void find_out(const struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[])
{
    d->knowledge = WM_KNOWLEDGE_SENDER;
    list(t, d, bindings, d->s->hint != WM_KNOWLEDGE_SENDER);
    if (d->s->hint != WM_KNOWLEDGE_SENDER)
        wm_agree_knowledge(t, d, bindings);
    wm_deal_settle(d, bindings);
}

/* What it depends on has changed: at all ranks, or in sizes alone, of which each rank has its own. A size that the
 * ranks agreed on is promised to be uniform: it changes at all of them. */
static void renew(const struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[], enum wm_change change)
{
    if (change == WM_CHOICE_CHANGED && d->knowledge != WM_KNOWLEDGE_SENDER) {
        find_out(t, d, bindings);
        return;
    }
    list(t, d, bindings, d->knowledge != WM_KNOWLEDGE_SENDER);
    if (d->operation != WM_OPERATION_COUNT && !is_of_block(t, d, bindings))
        find_out(t, d, bindings);
    else
        wm_deal_settle(d, bindings);
}

/* The change, as all ranks have to see it. */
static enum wm_change agree(const struct wm_talk *t, const struct wm_deal *d, enum wm_change change)
{
    if (!d->form->asks || d->knowledge == WM_KNOWLEDGE_SENDER)
        return change;
    if (wm_agree_changed(t, change == WM_CHOICE_CHANGED))
        return WM_CHOICE_CHANGED;
    return change;
}

int wm_communicate(MPI_Comm comm, const struct wm_saying *site, struct wm_bound bindings[], int count)
{
    struct wm_talk *t = wm_talk_on(comm);
    struct wm_deal *d = wm_deal_of(t, site, bindings, count);
    enum wm_change change;

    t->number++;
    if (!d->made)
        find_out(t, d, bindings);
    else if ((change = agree(t, d, wm_deal_changed(d, bindings))) != WM_UNCHANGED)
        renew(t, d, bindings, change);
    wm_deal_bind(d, bindings);
    if (d->operation != WM_OPERATION_COUNT)
        wm_fly_collective(t, d, bindings);
    else if (d->knowledge == WM_KNOWLEDGE_SENDER)
        wm_fly_sender(t, d, bindings);
    else
        wm_fly_corresponding(t, d, bindings);
    return MPI_SUCCESS;
}
