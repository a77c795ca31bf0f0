/* Forms: texts compiled at their first call. */
#include <stdlib.h>
#include <string.h>
#include "core/communicate/deal.h"
#include "core/data/allocate.h"
#include "core/hash.h"
#include "core/statement/promises.h"

static struct wm_form *forms;

/* The next name of "A, B, WM_SPAN(C, n)": commas within parentheses part nothing. */
static const char *next_name(const char *at, size_t *bytes)
{
    int depth = 0;

    at += strspn(at, " \t\n");
    for (*bytes = 0; at[*bytes] != '\0' && (depth > 0 || at[*bytes] != ','); ++*bytes)
        depth += (at[*bytes] == '(') - (at[*bytes] == ')');
    return at;
}

void wm_bindings_name(const struct wm_statement_site *site, struct wm_bound bindings[], int count, char *names[])
{
    const char *at = site->names;
    size_t bytes = 0;

    for (int i = 0; i < count; i++) {
        if (at != NULL)
            at = next_name(at, &bytes);
        names[i] = bindings[i].name != NULL ? strdup(bindings[i].name) : strndup(at, bytes);
        if (names[i] == NULL)
            wm_out_of_memory("a statement");
        if (at != NULL)
            at += bytes + (at[bytes] == ',');
        bindings[i].name = names[i];
    }
}

struct wm_bound wm_binding_keep(const struct wm_bound *b, union wm_scalar *value)
{
    struct wm_bound kept = *b;

    if ((b->promises & WM_IS_VALUE) != 0)
        kept.at = memcpy(value, b->at, wm_binding_element_bytes(b));
    return kept;
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

const struct wm_form *wm_form_of(const struct wm_talk *t, const struct wm_statement_site *site,
                                 struct wm_bound bindings[], int count)
{
    struct wm_form *f = wm_allocate_zeroed(sizeof *f + sizeof f->names[0] * (size_t)count, "a statement");
    struct wm_error error = {0};

    f->count = count;
    wm_bindings_name(site, bindings, count, f->names);
    f->hash = wm_hash_add_text(wm_bindings_hash(bindings, count), site->text);
    for (const struct wm_form *old = forms; old != NULL; old = old->next)
        if (old->hash == f->hash && strcmp(old->s->text, site->text) == 0) {
            form_free(f);
            return old;
        }
    if (wm_statement_new(&f->s, site->text, bindings, count, &error) < 0)
        wm_deal_fail_at(t, site, &error);
    f->asks = wm_bindings_unpromised(f->s, bindings, f->s->choosing) != 0;
    f->steady = wm_statement_is_steady(f->s, bindings);
    f->next = forms;
    return forms = f;
}
