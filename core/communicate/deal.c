/* Deals: texts compiled at their first call, and what calls found out, kept while it holds. */
#include "core/communicate/collective.h"
#include "core/communicate/overlap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/hash.h"
#include "core/process/process.h"

static struct wm_form *forms;
static uint64_t touches;

void wm_touch(const void *at)
{
    (void)at;
    touches++;
}

/* ---- faults ---- */

static void place(const struct wm_saying *site, struct wm_error *error)
{
    char where[WM_ERROR_FILE_CHARS];

    snprintf(where, sizeof where, "%s:%d: statement", site->file, site->line);
    wm_error_place(error, where, error->line > 0 ? error->line : 1, error->line > 0 ? error->column : 1);
    wm_error_quote(error, site->text, strlen(site->text));
}

void wm_deal_abort(const struct wm_deal *d, struct wm_error *error)
{
    place(d->site, error);
    wm_process_abort(error);
}

void wm_deal_refuse(const struct wm_saying *site, const char *sentence)
{
    struct wm_error error = {0};

    wm_error_set(&error, -WM_EINVAL, "%s", sentence);
    place(site, &error);
    wm_process_abort(&error);
}

/* The others wait for the end in a barrier. */
static _Noreturn void fail(const struct wm_talk *t, const struct wm_saying *site, struct wm_error *error)
{
    place(site, error);
    if (t->rank == 0)
        wm_process_abort(error);
    PMPI_Barrier(t->comm);
    PMPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void wm_deal_fail(const struct wm_talk *t, const struct wm_deal *d, struct wm_error *error)
{
    fail(t, d->site, error);
}

/* ---- forms ---- */

/* The next name of "A, B, WM_SPAN(C, n)": commas within parentheses part nothing. */
static const char *next_name(const char *at, size_t *bytes)
{
    int depth = 0;

    at += strspn(at, " \t\n");
    for (*bytes = 0; at[*bytes] != '\0' && (depth > 0 || at[*bytes] != ','); ++*bytes)
        depth += (at[*bytes] == '(') - (at[*bytes] == ')');
    return at;
}

/* Bindings without a name of their own have the site's. */
static void name_bindings(struct wm_form *f, const struct wm_saying *site, struct wm_bound bindings[])
{
    const char *at = site->names;
    size_t bytes = 0;

    for (int i = 0; i < f->count; i++) {
        if (at != NULL)
            at = next_name(at, &bytes);
        f->names[i] = bindings[i].name != NULL ? strdup(bindings[i].name) : strndup(at, bytes);
        if (f->names[i] == NULL)
            wm_out_of_memory("a statement");
        if (at != NULL)
            at += bytes + (at[bytes] == ',');
        bindings[i].name = f->names[i];
    }
}

static void form_free(struct wm_form *f)
{
    for (int i = 0; i < f->count; i++)
        free(f->names[i]);
    wm_statement_free(f->s);
    free(f);
}

void wm_forms_forget(void)
{
    for (struct wm_form *next; forms != NULL; forms = next) {
        next = forms->next;
        form_free(forms);
    }
}

/* Something is promised of all these bindings: their values, if they change, change at all ranks. */
static bool are_promised(const struct wm_statement *s, const struct wm_bound bindings[], uint64_t which)
{
    for (int i = 0; i < s->binding_count; i++)
        if ((which >> i & 1) != 0 && (bindings[i].promises & (WM_IS_UNIFORM | WM_IS_STABLE)) == 0)
            return false;
    return true;
}

/* All ranks know how much a place is, whatever its array's extents become at one of them. */
static bool is_place_steady(const struct wm_statement *s, const struct wm_bound bindings[], int term)
{
    const struct wm_term *place = &s->terms[term];
    const struct wm_bound *b = &bindings[place->index];

    if (place->kind != WM_TERM_PLACE || (b->promises & (WM_IS_UNIFORM | WM_IS_STABLE | WM_IS_SIZED)) != 0)
        return true;
    return b->dimensions == 0 || (b->dimensions == 1 && place->operands[0] >= 0);
}

static bool is_steady(const struct wm_statement *s, const struct wm_bound bindings[])
{
    for (int i = 0; i < s->reduction_count; i++)
        if (!is_place_steady(s, bindings, s->reductions[i].storage) ||
            !is_place_steady(s, bindings, s->reductions[i].data))
            return false;
    return are_promised(s, bindings, s->choosing | s->sizing);
}

static const struct wm_form *form_of(const struct wm_talk *t, const struct wm_saying *site, struct wm_bound bindings[],
                                     int count)
{
    struct wm_form *f = wm_allocate_zeroed(sizeof *f + sizeof f->names[0] * (size_t)count, "a statement");
    struct wm_error error = {0};

    f->count = count;
    name_bindings(f, site, bindings);
    f->hash = wm_hash_add_text(wm_bindings_hash(bindings, count), site->text);
    for (const struct wm_form *old = forms; old != NULL; old = old->next)
        if (old->hash == f->hash && strcmp(old->s->text, site->text) == 0) {
            form_free(f);
            return old;
        }
    if (wm_statement_new(&f->s, site->text, bindings, count, &error) < 0)
        fail(t, site, &error);
    f->asks = !are_promised(f->s, bindings, f->s->choosing);
    f->steady = is_steady(f->s, bindings);
    f->next = forms;
    return forms = f;
}

static struct wm_deal **slot_of(struct wm_talk *t, const struct wm_saying *site)
{
    return &t->deals[(uintptr_t)site / sizeof *site % WM_DEAL_SLOTS];
}

struct wm_deal *wm_deal_of(struct wm_talk *t, const struct wm_saying *site, struct wm_bound bindings[], int count)
{
    struct wm_deal **slot = slot_of(t, site), *d = *slot;

    while (d != NULL && d->site != site)
        d = d->next;
    if (d == NULL) {
        d = wm_allocate_zeroed(sizeof *d, "a statement");
        d->site = site;
        d->form = form_of(t, site, bindings, count);
        d->s = d->form->s;
        d->operation = WM_OPERATION_COUNT;
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

/* ---- what it depends on ---- */

/* The deal depends on these bytes of a binding, if it has them. */
static void depend(struct wm_deal *d, const struct wm_bound *b, int binding, bool extents, char **saw)
{
    size_t bytes = extents ? sizeof b->extents[0] * b->dimensions : wm_binding_count(b) * wm_binding_element_bytes(b);

    if (b->kind != WM_BOUND_PLACE || bytes == 0 || (!extents && (b->promises & WM_IS_STABLE) != 0))
        return;
    memcpy(*saw, extents ? (const void *)b->extents : b->at, bytes);
    d->dependencies[d->dependency_count++] =
        (struct wm_dependency){.binding = binding, .extents = extents, .bytes = bytes, .saw = *saw};
    *saw += bytes;
}

static void depend_all(struct wm_deal *d, const struct wm_bound bindings[], uint64_t which, bool extents, char **saw)
{
    for (int i = 0; i < d->form->count; i++)
        if ((which >> i & 1) != 0)
            depend(d, &bindings[i], i, extents, saw);
}

static void see(struct wm_deal *d, const struct wm_bound bindings[])
{
    const struct wm_statement *s = d->s;
    uint64_t others = (s->reading | s->writing | s->sizing) & ~s->choosing;
    size_t bytes = 1;
    char *saw;

    for (int i = 0; i < d->form->count; i++) {
        bytes += sizeof bindings[i].extents;
        if (((s->choosing | s->sizing) >> i & 1) != 0 && bindings[i].kind == WM_BOUND_PLACE)
            bytes += wm_binding_count(&bindings[i]) * wm_binding_element_bytes(&bindings[i]);
    }
    free(d->saw);
    free(d->dependencies);
    d->saw = saw = wm_allocate(bytes, "a statement");
    d->dependencies = wm_allocate(sizeof *d->dependencies * (2 * (size_t)d->form->count + 1), "a statement");
    d->dependency_count = 0;
    d->touched = touches;
    depend_all(d, bindings, s->choosing, true, &saw);
    depend_all(d, bindings, s->choosing, false, &saw);
    d->choosing_count = d->dependency_count;
    depend_all(d, bindings, s->sizing & ~s->choosing, false, &saw);
    d->sizing_count = d->dependency_count;
    depend_all(d, bindings, others, true, &saw);
}

static bool is_as_it_was(const struct wm_dependency *w, const struct wm_bound bindings[])
{
    const void *is = w->extents ? (const void *)bindings[w->binding].extents : bindings[w->binding].at;
    uint64_t a, b;
    uint32_t c, d;

    if (w->bytes == sizeof a) {
        memcpy(&a, is, sizeof a);
        memcpy(&b, w->saw, sizeof b);
        return a == b;
    }
    if (w->bytes == sizeof c) {
        memcpy(&c, is, sizeof c);
        memcpy(&d, w->saw, sizeof d);
        return c == d;
    }
    return memcmp(is, w->saw, w->bytes) == 0;
}

enum wm_change wm_deal_changed(const struct wm_deal *d, const struct wm_bound bindings[])
{
    if (d->touched != touches)
        return WM_CHOICE_CHANGED;
    for (int i = 0; i < d->dependency_count; i++)
        if (!is_as_it_was(&d->dependencies[i], bindings))
            return i < d->choosing_count ? WM_CHOICE_CHANGED
                   : i < d->sizing_count ? WM_SIZES_CHANGED
                                         : WM_EXTENTS_CHANGED;
    return WM_UNCHANGED;
}

/* ---- loads ---- */

static size_t count_peers(const struct wm_parts *parts)
{
    size_t count = 0;

    for (size_t i = 0; i < parts->count; i++)
        count += i == 0 || parts->parts[i].peer != parts->parts[i - 1].peer;
    return count;
}

/* Put the parts of each peer together. Where only the sender knows, each has a head. */
static void make_loads(struct wm_loads *p, const struct wm_traffic *traffic, const struct wm_parts *parts,
                       const struct wm_bound bindings[], bool heads)
{
    bool received = parts == &traffic->receives;

    p->loads = wm_allocate_zeroed(sizeof *p->loads * (count_peers(parts) + 1), "a statement");
    p->self = -1;
    for (size_t i = 0; i < parts->count; i++) {
        const struct wm_statement_part *part = &parts->parts[i];
        struct wm_load *load;

        if (p->count == 0 || p->loads[p->count - 1].peer != part->peer) {
            p->loads[p->count++] = (struct wm_load){.peer = part->peer, .first = i};
            p->self = part->peer == traffic->me ? p->count - 1 : p->self;
        }
        load = &p->loads[p->count - 1];
        load->count++;
        load->bytes += wm_part_bytes(traffic, part) + (heads ? wm_head_bytes(traffic, part->reduction, WM_SENDS) : 0);
        load->direct = !heads && load->count == 1 && wm_part_place(traffic, part, bindings, received) != NULL;
    }
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
    free(d->sent);
    free(d->received);
    free(d->at);
    d->sent = d->received = NULL;
    d->at = NULL;
    d->made = d->learned = false;
}

static void make_all_loads(struct wm_deal *d, const struct wm_bound bindings[])
{
    bool heads = d->knowledge == WM_KNOWLEDGE_SENDER;

    make_loads(&d->sends, &d->traffic, &d->traffic.sends, bindings, heads);
    if (!heads)
        make_loads(&d->receives, &d->traffic, &d->traffic.receives, bindings, false);
    wm_loads_part_overlaps(&d->receives, &d->traffic.receives);
}

void wm_deal_settle(struct wm_deal *d, const struct wm_bound bindings[])
{
    if (d->operation == WM_OPERATION_COUNT)
        make_all_loads(d, bindings);
    see(d, bindings);
    d->made = true;
}

void wm_deal_learn(struct wm_deal *d, const struct wm_bound bindings[])
{
    if (!d->form->steady)
        return;
    d->learned = true;
    d->knowledge = WM_KNOWLEDGE_CORRESPONDING;
    free_loads(&d->sends);
    make_all_loads(d, bindings);
    free(d->at);
    d->at = NULL;
}

void wm_deal_take_requests(struct wm_deal *d, const struct wm_bound bindings[])
{
    d->learned = d->form->steady;
    d->knowledge = d->learned ? WM_KNOWLEDGE_CORRESPONDING : WM_KNOWLEDGE_RECEIVER;
    free_loads(&d->sends);
    wm_deal_settle(d, bindings);
}

/* Of one dimension, or of extents that have not changed. */
static void check_fit(const struct wm_deal *d, const struct wm_parts *parts, const struct wm_bound bindings[])
{
    for (size_t i = 0; i < parts->count; i++) {
        const struct wm_section *section = &parts->parts[i].section;
        const struct wm_bound *b = &bindings[section->binding];
        struct wm_error error = {0};

        if (section->dimensions != 1 || section->offset + section->count <= b->extents[0])
            continue;
        wm_error_set(&error, -WM_EINVAL, "'%s' has %zu elements now, and those from %zu on, %zu of them, are asked for",
                     b->name, b->extents[0], section->offset, section->count);
        wm_deal_abort(d, &error);
    }
}

void wm_deal_check_fit(struct wm_deal *d, const struct wm_bound bindings[])
{
    check_fit(d, &d->traffic.sends, bindings);
    check_fit(d, &d->traffic.receives, bindings);
    see(d, bindings);
}

/* ---- places ---- */

static bool overlap(const struct wm_bound *a, const struct wm_bound *b)
{
    const char *x = a->at, *y = b->at;

    return x < y + wm_binding_count(b) * wm_binding_element_bytes(b) &&
           y < x + wm_binding_count(a) * wm_binding_element_bytes(a);
}

/* No place that is read is stored into, and none by two names. */
static bool is_disjoint(const struct wm_statement *s, const struct wm_bound bindings[])
{
    for (int i = 0; i < s->binding_count; i++)
        for (int w = 0; ((s->reading | s->writing) >> i & 1) != 0 && w < s->binding_count; w++)
            if ((s->writing >> w & 1) != 0 && (i != w || (s->reading >> i & 1) != 0) &&
                overlap(&bindings[i], &bindings[w]))
                return false;
    return true;
}

static void place_loads(struct wm_deal *d, struct wm_loads *loads, const struct wm_bound bindings[], bool received)
{
    const struct wm_parts *parts = received ? &d->traffic.receives : &d->traffic.sends;

    for (int i = 0; i < loads->count; i++) {
        struct wm_load *load = &loads->loads[i];
        bool direct = d->disjoint && load->direct && i != loads->self;

        load->place = direct ? wm_part_place(&d->traffic, &parts->parts[load->first], bindings, received) : NULL;
    }
}

bool wm_deal_is_bound(const struct wm_deal *d, const struct wm_bound bindings[])
{
    if (d->at == NULL)
        return false;
    for (int i = 0; i < d->form->count; i++)
        if (d->at[i] != bindings[i].at)
            return false;
    return true;
}

void wm_deal_bind(struct wm_deal *d, const struct wm_bound bindings[], bool as_operation)
{
    bool bound = wm_deal_is_bound(d, bindings);

    if (d->operation != WM_OPERATION_COUNT && !as_operation && d->sends.loads == NULL) {
        make_all_loads(d, bindings);
        bound = false;
    }
    if (bound)
        return;
    if (d->at == NULL)
        d->at = wm_allocate(sizeof *d->at * (size_t)(d->form->count + 1), "a statement");
    for (int i = 0; i < d->form->count; i++)
        d->at[i] = bindings[i].at;
    d->disjoint = is_disjoint(d->s, bindings);
    place_loads(d, &d->sends, bindings, false);
    place_loads(d, &d->receives, bindings, true);
    if (d->operation != WM_OPERATION_COUNT)
        wm_collective_place(d, bindings);
}

static void deal_free(struct wm_deal *d)
{
    wm_deal_clear(d);
    free(d->saw);
    free(d->dependencies);
    free(d);
}

void wm_deals_free(struct wm_deal *d)
{
    for (struct wm_deal *next; d != NULL; d = next) {
        next = d->next;
        deal_free(d);
    }
}

void wm_deals_forget(const struct wm_saying *site)
{
    for (struct wm_talk *t = wm_talks(); t != NULL; t = t->next)
        for (struct wm_deal **link = slot_of(t, site), *d; (d = *link) != NULL;) {
            if (d->site != site) {
                link = &d->next;
                continue;
            }
            *link = d->next;
            deal_free(d);
        }
}
