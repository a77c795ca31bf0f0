/* Deals: texts compiled at their first call, and what calls found out, kept while it holds. */
#include "core/communicate/deal.h"

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

static bool asks(const struct wm_statement *s, const struct wm_bound bindings[])
{
    for (int i = 0; i < s->binding_count; i++)
        if ((s->choosing >> i & 1) != 0 && (bindings[i].promises & (WM_IS_UNIFORM | WM_IS_STABLE)) == 0)
            return true;
    return false;
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
    f->asks = asks(f->s, bindings);
    f->next = forms;
    return forms = f;
}

struct wm_deal *wm_deal_of(struct wm_talk *t, const struct wm_saying *site, struct wm_bound bindings[], int count)
{
    struct wm_deal **slot = &t->deals[(uintptr_t)site / sizeof *site % WM_DEAL_SLOTS], *d = *slot;

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
    for (int i = 0; i < count; i++)
        bindings[i].name = d->form->names[i];
    return d;
}

/* ---- what it depends on ---- */

static bool is_seen(const struct wm_statement *s, const struct wm_bound bindings[], uint64_t which, int i)
{
    (void)s;
    return (which >> i & 1) != 0 && (bindings[i].promises & WM_IS_STABLE) == 0;
}

/* Go through the values of `which` bindings, at *saw: keep them, or, if `compares`, say whether they are as they were.
 */
static bool see_values(const struct wm_statement *s, const struct wm_bound bindings[], uint64_t which, bool compares,
                       char **saw)
{
    for (int i = 0; i < s->binding_count; i++) {
        size_t bytes = wm_binding_count(&bindings[i]) * wm_binding_element_bytes(&bindings[i]);

        if (!is_seen(s, bindings, which, i) || bindings[i].kind != WM_BOUND_PLACE)
            continue;
        if (compares && memcmp(*saw, bindings[i].at, bytes) != 0)
            return false;
        if (!compares && bytes > 0)
            memcpy(*saw, bindings[i].at, bytes);
        *saw += bytes;
    }
    return true;
}

static bool see_extents(const struct wm_statement *s, const struct wm_bound bindings[], uint64_t which, bool compares,
                        char **saw)
{
    for (int i = 0; i < s->binding_count; i++) {
        if ((which >> i & 1) == 0 || bindings[i].dimensions == 0)
            continue;
        if (compares && memcmp(*saw, bindings[i].extents, sizeof bindings[i].extents) != 0)
            return false;
        if (!compares)
            memcpy(*saw, bindings[i].extents, sizeof bindings[i].extents);
        *saw += sizeof bindings[i].extents;
    }
    return true;
}

enum wm_change wm_deal_changed(const struct wm_deal *d, const struct wm_bound bindings[])
{
    const struct wm_statement *s = d->s;
    uint64_t places = (s->reading | s->writing | s->sizing) & ~s->choosing;
    char *saw = d->saw;

    if (d->touched != touches || !see_extents(s, bindings, s->choosing, true, &saw) ||
        !see_values(s, bindings, s->choosing, true, &saw))
        return WM_CHOICE_CHANGED;
    if (!see_extents(s, bindings, places, true, &saw) || !see_values(s, bindings, s->sizing & ~s->choosing, true, &saw))
        return WM_SIZES_CHANGED;
    return WM_UNCHANGED;
}

static size_t seen_bytes(const struct wm_statement *s, const struct wm_bound bindings[])
{
    size_t bytes = 0;

    for (int i = 0; i < s->binding_count; i++) {
        bytes += sizeof bindings[i].extents;
        if (is_seen(s, bindings, s->choosing | s->sizing, i))
            bytes += wm_binding_count(&bindings[i]) * wm_binding_element_bytes(&bindings[i]);
    }
    return bytes;
}

static void see(struct wm_deal *d, const struct wm_bound bindings[])
{
    const struct wm_statement *s = d->s;
    uint64_t places = (s->reading | s->writing | s->sizing) & ~s->choosing;
    size_t bytes = seen_bytes(s, bindings);
    char *saw;

    if (bytes > d->saw_room) {
        free(d->saw);
        d->saw = wm_allocate(bytes, "a statement");
        d->saw_room = bytes;
    }
    saw = d->saw;
    d->touched = touches;
    see_extents(s, bindings, s->choosing, false, &saw);
    see_values(s, bindings, s->choosing, false, &saw);
    see_extents(s, bindings, places, false, &saw);
    see_values(s, bindings, s->sizing & ~s->choosing, false, &saw);
}

/* ---- loads ---- */

char *wm_load_staging(struct wm_load *load)
{
    if (load->staging == NULL)
        load->staging = wm_allocate(load->bytes > 0 ? load->bytes : 1, "a statement");
    return load->staging;
}

/* Put the parts of each peer together. Where only the sender knows, each has a head. */
static void make_loads(struct wm_loads *p, const struct wm_traffic *traffic, const struct wm_parts *parts,
                       const struct wm_bound bindings[], bool heads)
{
    bool received = parts == &traffic->receives;

    p->loads = wm_allocate_zeroed(sizeof *p->loads * (parts->count + 1), "a statement");
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
        load->bytes += wm_part_bytes(traffic, part) + (heads ? wm_part_head_bytes(traffic, part->reduction) : 0);
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
    d->sent = d->received = NULL;
    d->made = false;
}

void wm_deal_settle(struct wm_deal *d, const struct wm_bound bindings[])
{
    bool heads = d->knowledge == WM_KNOWLEDGE_SENDER;

    if (d->operation == WM_OPERATION_COUNT)
        make_loads(&d->sends, &d->traffic, &d->traffic.sends, bindings, heads);
    if (d->operation == WM_OPERATION_COUNT && !heads)
        make_loads(&d->receives, &d->traffic, &d->traffic.receives, bindings, false);
    see(d, bindings);
    d->made = true;
}

void wm_deals_free(struct wm_deal *d)
{
    for (struct wm_deal *next; d != NULL; d = next) {
        next = d->next;
        wm_deal_clear(d);
        free(d->saw);
        free(d);
    }
}
