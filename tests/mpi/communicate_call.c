/* A random statement over MPI, called, and what it has done compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/communicate_trial.h"
#include "waymark/communicate.h"

/* Put the world of this rank where a call shall find it: where it was, or elsewhere. */
static void place(struct trial *t, int call)
{
    struct memory *m = &t->places[call];

    for (int i = 0; i < t->s.thing_count; i++) {
        size_t bytes = thing_bytes(&t->s.things[i], t->rank);
        void *old = m->at[t->rank][i];

        if (t->s.things[i].kind != WM_BOUND_PLACE)
            continue;
        if (old == NULL || bytes != t->place_bytes[call][i] || fuzz_chance(&t->own, 5)) {
            m->at[t->rank][i] = malloc(bytes);
            free(old);
        }
        t->place_bytes[call][i] = bytes;
        memcpy(m->at[t->rank][i], t->world.at[t->rank][i], bytes);
    }
}

void trial_call(struct trial *t, int call, struct kinds *kinds, MPI_Request *request)
{
    struct wm_bound bindings[THINGS_MAX];

    place(t, call);
    memory_bind(&t->places[call], &t->s, t->rank, bindings);
    t->blocking[call] = request == NULL;
    t->learned[call] = kinds_before(kinds, t->comm, t->site, bindings);
    if (t->scope != NULL) {
        for (int i = 0; i < t->s.thing_count; i++)
            wm_scope_bind(t->scope, &bindings[i]);
        if (request == NULL)
            wm_scope_communicate(t->scope, t->comm);
        else
            wm_scope_icommunicate(t->scope, t->comm, request);
        return;
    }
    for (int i = 0; i < t->s.thing_count && t->site->names != NULL; i++)
        bindings[i].name = NULL;
    if (request == NULL)
        wm_communicate(t->comm, t->site, bindings, t->s.thing_count);
    else
        wm_icommunicate(t->comm, t->site, bindings, t->s.thing_count, request);
}

static bool is_alike(const struct trial *t, int thing, const char *a, const char *b)
{
    const struct thing *of = &t->s.things[thing];

    return memcmp(a, b, of->element_bytes) == 0 || (t->by_value && thing == t->s.reductions[0].storage->index &&
                                                    value_load(of->type, a).real == value_load(of->type, b).real);
}

/* Bytes in hexadecimal digits, the last one first, as numbers are written. */
static void print_element(const char *at, size_t bytes, char out[40])
{
    for (size_t i = 0; i < bytes && i < 16; i++)
        sprintf(out + 2 * i, "%02x", (unsigned char)at[bytes - 1 - i]);
}

static const char *compare_place(const struct trial *t, int call, int thing)
{
    static char sentence[200];
    const struct thing *of = &t->s.things[thing];
    const char *found = t->places[call].at[t->rank][thing], *wanted = t->wanted.at[t->rank][thing];
    char is[40], should[40];

    for (size_t i = 0; of->kind == WM_BOUND_PLACE && i < thing_count(of, t->rank); i++) {
        const char *a = found + i * of->element_bytes, *b = wanted + i * of->element_bytes;

        if (is_alike(t, thing, a, b))
            continue;
        print_element(a, of->element_bytes, is);
        print_element(b, of->element_bytes, should);
        snprintf(sentence, sizeof sentence, "call %d, element %zu of '%s' is 0x%s, not 0x%s (%s)", call, i, of->name,
                 is, should, wm_number_name(of->type));
        return sentence;
    }
    return NULL;
}

const char *trial_compare(struct trial *t, int call, struct kinds *kinds)
{
    const char *wrong = NULL;

    kinds_after(kinds, t->comm, t->site, t->learned[call], t->blocking[call]);
    for (int i = 0; i < t->s.thing_count && wrong == NULL; i++)
        wrong = compare_place(t, call, i);
    return wrong;
}

void trial_store(struct trial *t)
{
    memory_free(&t->world, &t->s);
    t->world = t->wanted;
}
