/* Deals: made, learned, forgotten. */
#include "core/communicate/deal.h"

#include <stdlib.h>
#include <string.h>
#include "core/communicate/load.h"
#include "core/communicate/rule.h"
#include "core/communicate/team.h"
#include "core/data/allocate.h"
#include "core/process/process.h"
#include "core/statement/places.h"

struct wm_deal *wm_deal_of(struct wm_talk *t, const struct wm_statement_site *site, struct wm_bound bindings[],
                           int count)
{
    struct wm_deal **slot = wm_deal_slot(t, site), *d = *slot;

    while (d != NULL && d->site != site)
        d = d->next;
    if (d == NULL) {
        d = wm_allocate_zeroed(sizeof *d, "a statement");
        d->site = site;
        d->form = wm_form_of(t, site, bindings, count);
        d->s = d->form->s;
        d->collective.operation = WM_OPERATION_COUNT;
        d->next = *slot;
        *slot = d;
    }
    return d;
}

void wm_deal_name(const struct wm_deal *d, struct wm_bound bindings[])
{
    for (int i = 0; i < d->form->count; i++)
        bindings[i].name = d->form->names[i];
}

static void make_loads(struct wm_loads *loads, const struct wm_traffic *x, const struct wm_parts *parts,
                       const struct wm_bound bindings[])
{
    bool received = parts == &x->receives;

    wm_loads_group(loads, parts, x->me);
    for (int i = 0; i < loads->count; i++) {
        struct wm_load *load = &loads->loads[i];
        const struct wm_statement_part *first = &parts->parts[load->first];

        for (const struct wm_statement_part *part = first; part < first + load->count; part++)
            load->bytes += wm_part_bytes(x, part);
        load->direct = load->count == 1 && wm_part_place(x, first, bindings, received) != NULL;
    }
}

/* Of what is received no load is direct, if two messages are stored into one place: all are stored in the order of
 * their senders, when all have come. */
static void part_overlaps(struct wm_loads *loads, const struct wm_traffic *x)
{
    bool direct = false;

    for (int i = 0; i < loads->count; i++)
        direct |= loads->loads[i].direct;
    if (!direct || x->receives.count < 2 || !wm_traffic_stores_twice(x))
        return;
    for (int i = 0; i < loads->count; i++)
        loads->loads[i].direct = false;
}

static void free_loads(struct wm_loads *p)
{
    for (int i = 0; i < p->count; i++)
        free(p->loads[i].staging);
    free(p->loads);
    *p = (struct wm_loads){0};
}

void wm_deal_clear(struct wm_deal *d)
{
    wm_traffic_release(&d->traffic);
    free_loads(&d->sends);
    free_loads(&d->receives);
    free(d->blocks.sent);
    free(d->blocks.received);
    free(d->at);
    d->blocks.sent = d->blocks.received = NULL;
    d->at = NULL;
    d->guarded = 0;
    d->made = d->learned = false;
}

void wm_deal_make_loads(struct wm_deal *d, const struct wm_bound bindings[])
{
    /* Blocks of an operation are parts; what is checked is told of by its message. */
    if (d->collective.operation == WM_OPERATION_COUNT && !wm_process.settings.check) {
        wm_parts_fold(&d->traffic, &d->traffic.sends, bindings, false);
        wm_parts_fold(&d->traffic, &d->traffic.receives, bindings, true);
    }
    make_loads(&d->sends, &d->traffic, &d->traffic.sends, bindings);
    make_loads(&d->receives, &d->traffic, &d->traffic.receives, bindings);
    part_overlaps(&d->receives, &d->traffic);
}

void wm_deal_settle(struct wm_deal *d, const struct wm_bound bindings[])
{
    bool alone = d->knowledge == WM_KNOWLEDGE_SENDER;

    if (d->collective.operation == WM_OPERATION_COUNT && !alone)
        wm_deal_make_loads(d, bindings);
    if (alone && !d->form->steady) { /* each call lists anew, whatever has changed */
        wm_traffic_release(&d->traffic);
        d->dependency_count = 0;
    } else {
        wm_deal_see(d, bindings);
    }
    d->made = true;
}

void wm_deal_learn(struct wm_deal *d, const struct wm_bound bindings[])
{
    if (!d->form->steady)
        return;
    d->learned = true;
    d->knowledge = WM_KNOWLEDGE_CORRESPONDING;
    d->met = wm_traffic_met(&d->traffic);
    free_loads(&d->sends);
    wm_deal_make_loads(d, bindings);
    free(d->at);
    d->at = NULL;
}

void wm_deal_take_requests(struct wm_deal *d)
{
    d->learned = d->form->steady;
    d->knowledge = d->learned ? WM_KNOWLEDGE_CORRESPONDING : WM_KNOWLEDGE_RECEIVER;
    free_loads(&d->sends);
}

/* Up to which element of its binding, which has one dimension, a section reaches. */
static size_t end_of(const struct wm_section *section, size_t stride)
{
    size_t last = section->offset;

    for (int d = 0; d < section->dimensions; d++)
        last += (section->counts[d] - 1) * section->strides[d];
    return section->count > 0 ? last / stride + 1 : section->offset / stride;
}

/* Of one dimension, or of extents that have not changed. */
static void check_fit(const struct wm_deal *d, const struct wm_parts *parts, const struct wm_bound bindings[])
{
    for (size_t i = 0; i < parts->count; i++) {
        const struct wm_section *section = &parts->parts[i].section;
        const struct wm_bound *b = &bindings[section->binding];
        struct wm_error error = {0};
        size_t stride = wm_binding_stride(b, 0, 1), first = section->offset / stride, end = end_of(section, stride);

        if (b->dimensions != 1 || end <= b->extents[0])
            continue;
        wm_error_set(&error, -WM_EINVAL, "'%s' has %zu elements now, and those from %zu on, %zu of them, are asked for",
                     b->name, b->extents[0], first, end - first);
        wm_deal_abort(d, &error);
    }
}

void wm_deal_check_fit(struct wm_deal *d, const struct wm_bound bindings[])
{
    check_fit(d, &d->traffic.sends, bindings);
    check_fit(d, &d->traffic.receives, bindings);
    wm_deal_see(d, bindings);
}

static void deal_free(struct wm_deal *d)
{
    wm_deal_clear(d);
    wm_team_leave(d);
    wm_items_release(&d->items);
    wm_rule_free(d->rule);
    free(d->saw);
    free(d->dependencies);
    free(d->guards);
    free(d);
}

void wm_deals_free(struct wm_deal *d)
{
    for (struct wm_deal *next; d != NULL; d = next) {
        next = d->next;
        deal_free(d);
    }
}

void wm_deals_forget(const struct wm_statement_site *site)
{
    for (struct wm_talk *t = wm_talks(); t != NULL; t = t->next)
        for (struct wm_deal **link = wm_deal_slot(t, site), *d; (d = *link) != NULL;) {
            if (d->site != site) {
                link = &d->next;
                continue;
            }
            *link = d->next;
            deal_free(d);
        }
}
