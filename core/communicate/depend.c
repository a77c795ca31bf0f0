/* What a deal depends on, as it was when it was made. */
#include <stdlib.h>
#include <string.h>
#include "core/communicate/deal.h"
#include "core/data/allocate.h"
#include "core/vector.h"
#include "core/statement/places.h"

/* What was touched, and when for the last time. */
struct touch {
    const void *at;
    uint64_t number;
};

static struct {
    struct touch *list;
    size_t count, capacity;
    uint64_t number; /* of the last one */
} touches;

void wm_touch(const void *at)
{
    size_t i = 0;

    while (i < touches.count && touches.list[i].at != at)
        i++;
    if (i == touches.count) {
        if (wm_vector_reserve(&touches.list, &touches.capacity, i + 1, sizeof *touches.list) < 0)
            wm_out_of_memory("a statement");
        touches.count++;
    }
    touches.list[i] = (struct touch){at, ++touches.number};
}

uint64_t wm_touches(void)
{
    return touches.number;
}

void wm_touches_forget(void)
{
    free(touches.list);
    memset(&touches, 0, sizeof touches);
}

static bool is_at(const struct wm_bound *b, const void *at)
{
    return at == NULL || at == b->at ||
           ((const char *)at > (const char *)b->at && (const char *)at < wm_binding_end(b));
}

bool wm_deal_is_touched(const struct wm_deal *d, const struct wm_bound bindings[])
{
    for (size_t i = 0; d->touched != touches.number && i < touches.count; i++)
        for (int b = 0; touches.list[i].number > d->touched && b < d->form->count; b++)
            if ((bindings[b].promises & WM_IS_STABLE) != 0 && is_at(&bindings[b], touches.list[i].at))
                return true;
    return false;
}

/* The deal depends on these bytes of a binding, if it has them. */
static void depend(struct wm_deal *d, const struct wm_bound *b, int binding, bool extents, char **saw)
{
    size_t bytes = extents ? sizeof b->extents[0] * b->dimensions : wm_binding_count(b) * wm_binding_element_bytes(b);

    if (b->kind != WM_BOUND_PLACE || bytes == 0 || (!extents && (b->promises & WM_IS_STABLE) != 0))
        return;
    if (extents)
        memcpy(*saw, b->extents, bytes);
    else
        wm_binding_copy(b, *saw);
    d->dependencies[d->dependency_count++] = (struct wm_dependency){
        .binding = binding, .extents = extents, .bytes = extents || b->stride == 0 ? bytes : 0, .saw = *saw};
    *saw += bytes;
}

static void depend_all(struct wm_deal *d, const struct wm_bound bindings[], uint64_t which, bool extents, char **saw)
{
    for (int i = 0; i < d->form->count; i++)
        if ((which >> i & 1) != 0)
            depend(d, &bindings[i], i, extents, saw);
}

/* Bindings whose extents, if they change, change at all ranks. */
static uint64_t sized(const struct wm_deal *d, const struct wm_bound bindings[])
{
    uint64_t which = 0;

    for (int i = 0; i < d->form->count; i++)
        if ((bindings[i].promises & (WM_IS_UNIFORM | WM_IS_SIZED)) != 0)
            which |= UINT64_C(1) << i;
    return which;
}

void wm_deal_see(struct wm_deal *d, const struct wm_bound bindings[])
{
    const struct wm_statement *s = d->s;
    uint64_t sizing = s->sizing & ~s->choosing, others = (s->reading | s->writing) & ~s->sizing & ~s->choosing;
    size_t bytes = 1;
    char *saw;

    for (int i = 0; i < d->form->count; i++) {
        bytes += sizeof bindings[i].extents;
        if (((s->choosing | s->sizing) >> i & 1) != 0 && bindings[i].kind == WM_BOUND_PLACE)
            bytes += wm_binding_count(&bindings[i]) * wm_binding_element_bytes(&bindings[i]);
    }
    d->guarded = 0;
    free(d->saw);
    free(d->dependencies);
    d->saw = saw = wm_allocate(bytes, "a statement");
    d->dependencies = wm_allocate(sizeof *d->dependencies * (2 * (size_t)d->form->count + 1), "a statement");
    d->dependency_count = 0;
    d->met = d->knowledge == WM_KNOWLEDGE_SENDER ? s->writing : wm_traffic_met(&d->traffic);
    /* Values are looked at where the extents are as they were. */
    depend_all(d, bindings, s->choosing, true, &saw);
    depend_all(d, bindings, s->choosing, false, &saw);
    d->choosing_count = d->dependency_count;
    depend_all(d, bindings, sizing, true, &saw);
    depend_all(d, bindings, sizing, false, &saw);
    depend_all(d, bindings, others & sized(d, bindings), true, &saw);
    d->sizing_count = d->dependency_count;
    depend_all(d, bindings, others & ~sized(d, bindings), true, &saw);
}

static const char *now(const struct wm_dependency *w, const struct wm_bound bindings[])
{
    const struct wm_bound *b = &bindings[w->binding];

    return w->extents ? (const void *)b->extents : b->at;
}

static bool is_as_it_was(const struct wm_dependency *w, const struct wm_bound bindings[])
{
    return w->bytes > 0 ? memcmp(now(w, bindings), w->saw, w->bytes) == 0
                        : wm_binding_is(&bindings[w->binding], w->saw);
}

enum wm_change wm_deal_changed(const struct wm_deal *d, const struct wm_bound bindings[], bool touched)
{
    if (touched)
        return WM_CHOICE_CHANGED;
    for (int i = 0; i < d->dependency_count; i++)
        if (!is_as_it_was(&d->dependencies[i], bindings))
            return i < d->choosing_count ? WM_CHOICE_CHANGED
                   : i < d->sizing_count ? WM_SIZES_CHANGED
                                         : WM_EXTENTS_CHANGED;
    return WM_UNCHANGED;
}

bool wm_deal_uniform_changed(const struct wm_deal *d, const struct wm_bound bindings[])
{
    for (int i = 0; i < d->dependency_count; i++) {
        const struct wm_dependency *w = &d->dependencies[i];
        unsigned promises = bindings[w->binding].promises & (WM_IS_UNIFORM | (w->extents ? WM_IS_SIZED : 0));

        if (promises != 0 && !is_as_it_was(w, bindings))
            return true;
    }
    return false;
}

void wm_deal_check_stable(const struct wm_deal *d, const struct wm_bound bindings[])
{
    for (int i = 0; i < d->dependency_count; i++) {
        const struct wm_dependency *w = &d->dependencies[i];
        const struct wm_bound *b = &bindings[w->binding];
        struct wm_bound old = *b;
        struct wm_error error = {0};

        if (!w->extents || (b->promises & (WM_IS_STABLE | WM_IS_UNIFORM)) != WM_IS_STABLE || is_as_it_was(w, bindings))
            continue;
        memcpy(old.extents, w->saw, w->bytes);
        wm_error_set(&error, -WM_EINVAL,
                     "'%s' is promised to be stable, and has %zu elements now, not %zu, without wm_touch", b->name,
                     wm_binding_count(b), wm_binding_count(&old));
        wm_deal_abort(d, &error);
    }
}

/* ---- guards ---- */

enum { WIDE = sizeof(uint64_t), NARROW = sizeof(uint32_t), GUARDED_BYTES = 8 * WIDE };

static bool can_guard(const struct wm_dependency *w)
{
    return w->bytes > 0 && w->bytes <= GUARDED_BYTES && w->bytes % NARROW == 0;
}

static void guard(struct wm_deal *d, const struct wm_bound bindings[], const struct wm_dependency *w, size_t at,
                  size_t bytes)
{
    struct wm_deal_guard *g = &d->guards[d->guard_count++];

    *g = (struct wm_deal_guard){.at = now(w, bindings) + at};
    memcpy(&g->saw, w->saw + at, bytes);
}

/* Pieces of these bytes. */
static bool guard_pieces(struct wm_deal *d, const struct wm_bound bindings[], bool wide)
{
    for (int i = 0; i < d->dependency_count; i++) {
        const struct wm_dependency *w = &d->dependencies[i];
        size_t at = wide ? 0 : w->bytes / WIDE * WIDE, piece = wide ? WIDE : NARROW;

        if (w->extents)
            continue;
        if (!can_guard(w))
            return false;
        for (; at + piece <= w->bytes; at += piece)
            guard(d, bindings, w, at, piece);
    }
    return true;
}

void wm_deal_set_guards(struct wm_deal *d, const struct wm_bound bindings[])
{
    free(d->guards);
    d->guards =
        wm_allocate(sizeof *d->guards * ((size_t)d->dependency_count * GUARDED_BYTES / NARROW + 1), "a statement");
    d->guard_count = 0;
    d->guarded = guard_pieces(d, bindings, true) ? d->site->changes : 0;
    d->wide_count = d->guard_count;
    guard_pieces(d, bindings, false);
}

/* Few branches: those behind a wait are often mispredicted. */
bool wm_deal_is_unchanged(const struct wm_deal *d)
{
    const struct wm_deal_guard *g = d->guards, *wide = g + d->wide_count, *end = g + d->guard_count;
    uint64_t is;
    uint32_t is_narrow, saw_narrow;

    if (d->guarded == 0 || d->guarded != d->site->changes || d->touched != touches.number)
        return false;
    for (; g < wide; g++) {
        memcpy(&is, g->at, WIDE);
        if (is != g->saw)
            return false;
    }
    for (; g < end; g++) {
        memcpy(&is_narrow, g->at, NARROW);
        memcpy(&saw_narrow, &g->saw, NARROW);
        if (is_narrow != saw_narrow)
            return false;
    }
    return true;
}
