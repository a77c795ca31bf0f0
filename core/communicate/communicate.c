/* A call of a statement: what holds of the last one is used again, or found out anew. */
#include "core/communicate/agree.h"
#include "core/communicate/fly.h"

/* List what this rank sends, and, where the other end may know, receives. */
static void list(const struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[], bool believes)
{
    struct wm_error error = {0};

    wm_deal_clear(d);
    if (wm_traffic_new(&d->traffic, d->s, bindings, t->rank, t->ranks, believes, &error) < 0)
        wm_deal_abort(d, &error);
}

static void find_out(const struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[])
{
    list(t, d, bindings, d->s->hint != WM_KNOWLEDGE_SENDER);
    d->knowledge = d->s->hint == WM_KNOWLEDGE_SENDER ? WM_KNOWLEDGE_SENDER : wm_agree_knowledge(t, d, bindings);
    wm_deal_settle(d, bindings);
}

static void renew(const struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[])
{
    enum wm_change change = d->made ? wm_deal_changed(d, bindings) : WM_CHOICE_CHANGED;
    bool agreed = d->made && d->knowledge != WM_KNOWLEDGE_SENDER;

    if (agreed && d->form->asks)
        change = wm_agree_changed(t, change == WM_CHOICE_CHANGED) ? WM_CHOICE_CHANGED
                 : change == WM_CHOICE_CHANGED                    ? WM_SIZES_CHANGED
                                                                  : change;
    if (!d->made || (agreed && change == WM_CHOICE_CHANGED)) {
        find_out(t, d, bindings);
    } else if (change != WM_UNCHANGED) {
        list(t, d, bindings, d->knowledge != WM_KNOWLEDGE_SENDER);
        wm_deal_settle(d, bindings);
    }
}

int wm_communicate(MPI_Comm comm, const struct wm_saying *site, struct wm_bound bindings[], int count)
{
    struct wm_talk *t = wm_talk_on(comm);
    struct wm_deal *d = wm_deal_of(t, site, bindings, count);

    t->number++;
    renew(t, d, bindings);
    if (d->knowledge == WM_KNOWLEDGE_SENDER)
        wm_fly_sender(t, d, bindings);
    else
        wm_fly_corresponding(t, d, bindings);
    return MPI_SUCCESS;
}
