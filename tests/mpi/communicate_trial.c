/* A random statement over MPI, made. */
#include "tests/mpi/communicate_trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "waymark/communicate.h"

/* Now and then arrays of one extent get many elements, so that messages are large. */
static void enlarge(struct trial *t)
{
    size_t extent = 3 + fuzz_below(&t->random, 3);

    if (!fuzz_chance(&t->random, 20))
        return;
    for (int i = 0; i < t->s.thing_count; i++) {
        struct thing *thing = &t->s.things[i];

        if (thing->name[0] < 'A' || thing->name[0] > 'E' || thing->dimensions == 0)
            continue;
        for (int r = 0; r < t->s.ranks; r++)
            if (thing->extents[r][0] == extent)
                thing->extents[r][0] = 1000;
    }
}

static bool is_stored(const struct trial *t, int thing)
{
    bool stored = false;

    for (int i = 0; i < t->s.reduction_count; i++)
        stored |= t->s.reductions[i].storage->index == thing;
    return stored;
}

static void promise(struct trial *t)
{
    for (int i = 0; i < t->s.thing_count; i++) {
        struct thing *thing = &t->s.things[i];
        bool same = true;

        for (int r = 1; r < t->s.ranks; r++)
            same &= memcmp(thing->extents[r], thing->extents[0], sizeof thing->extents[0]) == 0;
        if (thing->kind != WM_BOUND_PLACE)
            thing->promises |= fuzz_chance(&t->random, 20) ? WM_IS_ORDERED : 0;
        else if (fuzz_chance(&t->random, 35))
            thing->promises |= WM_IS_STABLE;
        if (thing->kind == WM_BOUND_PLACE && thing->dimensions == 0 && !is_stored(t, i) && fuzz_chance(&t->random, 30))
            thing->promises |= WM_IS_VALUE;
        if (same && thing->kind == WM_BOUND_PLACE && fuzz_chance(&t->random, 50))
            thing->promises |= WM_IS_SIZED;
    }
}

/* Collective operations combine in an order of their own: where the statement may be one, sums and products of reals
 * are those of a few powers of two. */
static void be_exact(struct trial *t)
{
    struct reduction *r = &t->s.reductions[0];
    bool real = type_is_real(t->s.things[r->storage->index].type);

    t->exact = t->by_value = false;
    for (int i = 0; i < t->s.clause_count; i++)
        real &= t->s.clauses[i].kind != CLAUSE_ARRAY && t->s.clauses[i].kind != CLAUSE_VALUE;
    if (!real || t->s.reduction_count > 1 || r->bound >= 0 || strcmp(r->text, "<<=") == 0)
        return;
    t->by_value = true;
    if (strcmp(r->text, "+") != 0 && strcmp(r->text, "*") != 0)
        return;
    t->exact = true;
    if (r->data->kind != NODE_PLACE)
        r->text = "max";
    else if (!type_is_real(r->data->type))
        r->text = "+";
}

void trial_fill(struct trial *t, struct memory *memory, int thing, unsigned ranks)
{
    static const double few[] = {-2, -1, -0.5, 0.5, 1, 2};
    const struct thing *of = &t->s.things[thing];

    memory_fill(memory, &t->s, thing, ranks);
    for (int r = 0; r < t->s.ranks && t->exact && type_is_real(of->type); r++)
        for (size_t i = 0; i < thing_count(of, r) && of->kind == WM_BOUND_PLACE; i++) {
            char *at = (char *)memory->at[r][thing] + i * of->element_bytes;

            value_store(value_real(of->type, few[(unsigned)fabs(value_load(of->type, at).real * 4) % 6]), at);
        }
}

static bool is_known(const struct trial *t)
{
    bool all = oracle_agrees(&t->oracle);

    for (int r = 0; r < t->s.ranks; r++)
        all &= t->oracle.believes[r];
    return all;
}

/* A hint that is right, or none. */
static const char *pick_hint(struct trial *t)
{
    static const char *const hints[] = {"", "", "", "", "sender", "receiver", "global", "corresponding"};
    const char *hint = FUZZ_PICK(&t->random, hints);

    return (*hint == 'g' || *hint == 'c') && (t->oracle.murky || !is_known(t)) ? "" : hint;
}

/* All on which who sends what to whom depends is the same at all ranks. */
static bool is_global(const struct trial *t, const struct memory *memory)
{
    const struct wm_statement *s = t->compiled;
    bool local = false;

    for (int i = 0; i < s->term_count; i++)
        local |= s->terms[i].kind == WM_TERM_ME;
    for (int i = 0; i < t->s.thing_count; i++)
        for (int r = 1; r < t->s.ranks && (s->choosing >> i & 1) != 0; r++)
            local |= thing_bytes(&t->s.things[i], r) != thing_bytes(&t->s.things[i], 0) ||
                     (t->s.things[i].kind == WM_BOUND_PLACE &&
                      memcmp(memory->at[r][i], memory->at[0][i], thing_bytes(&t->s.things[i], r)) != 0);
    return !local;
}

/* What is promised to be uniform is the same at all ranks. */
static uint64_t keep_promises(struct trial *t, struct memory *memory)
{
    uint64_t matters = t->compiled != NULL ? t->compiled->choosing | t->compiled->sizing : 0, changed = 0;

    for (int i = 0; i < t->s.thing_count; i++)
        for (int r = 1; r < t->s.ranks; r++)
            if ((t->s.things[i].promises & WM_IS_UNIFORM) != 0 && (matters >> i & 1) != 0 &&
                t->s.things[i].kind == WM_BOUND_PLACE &&
                memcmp(memory->at[r][i], memory->at[0][i], thing_bytes(&t->s.things[i], r)) != 0) {
                memcpy(memory->at[r][i], memory->at[0][i], thing_bytes(&t->s.things[i], r));
                changed |= UINT64_C(1) << i;
            }
    return changed;
}

bool trial_list(struct trial *t, struct memory *memory, uint64_t *changed)
{
    bool receiver = strcmp(t->s.hint, "receiver") == 0;

    *changed |= keep_promises(t, memory);
    if (receiver)
        oracle_list_requests(&t->oracle, &t->s, memory);
    else
        oracle_list(&t->oracle, &t->s, memory);
    if (t->oracle.murky || oracle_fails(&t->oracle))
        return false;
    t->known = !receiver && is_known(t);
    if (t->s.hint[0] == 'g' && t->compiled != NULL && !is_global(t, memory))
        return false;
    return (t->s.hint[0] != 'g' && t->s.hint[0] != 'c') || t->known;
}

static void compile(struct trial *t)
{
    struct wm_bound bindings[THINGS_MAX];
    struct wm_error error = {0};

    fuzz_text_clear(&t->text);
    statement_print(&t->s, &t->text);
    wm_statement_free(t->compiled);
    t->compiled = NULL;
    memory_bind(&t->world, &t->s, t->rank, bindings);
    if (wm_statement_new(&t->compiled, t->text.bytes, bindings, t->s.thing_count, &error) < 0) {
        fprintf(stderr, "it does not compile: %s\n    %s\n", error.text, t->text.bytes);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

/* Names of the bindings, as a macro gives them. */
static char *join_names(const struct trial *t)
{
    char *names = calloc(THINGS_MAX, sizeof t->s.things[0].name + 2);

    for (int i = 0; i < t->s.thing_count; i++)
        sprintf(names + strlen(names), "%s%s", i > 0 ? ", " : "", t->s.things[i].name);
    return names;
}

static void say(struct trial *t, uint64_t name)
{
    char file[64];

    snprintf(file, sizeof file, "seed %llu", (unsigned long long)name);
    t->scope = NULL;
    if (fuzz_chance(&t->random, 30)) {
        t->scope = wm_scope_new(t->text.bytes, file, t->s.ranks);
        t->site = (struct wm_statement_site *)t->scope; /* with which it begins */
        return;
    }
    t->site = calloc(1, sizeof *t->site);
    *t->site = (struct wm_statement_site){.text = strdup(t->text.bytes), .file = strdup(file), .line = t->s.ranks};
    if (fuzz_chance(&t->random, 50))
        t->site->names = join_names(t);
}

bool trial_new(struct trial *t, MPI_Comm comm, uint64_t name, uint64_t seed)
{
    uint64_t changed = 0;
    int ranks;

    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &t->rank);
    t->comm = comm;
    t->random.state = seed ^ 0x77;
    t->own.state = seed + (uint64_t)t->rank;
    statement_generate(&t->s, seed, ranks, 25);
    enlarge(t);
    promise(t);
    be_exact(t);
    memory_new(&t->world, &t->s);
    for (int i = 0; i < t->s.thing_count; i++)
        trial_fill(t, &t->world, i, ALL_RANKS);
    oracle_list(&t->oracle, &t->s, &t->world);
    t->s.hint = pick_hint(t);
    if (!trial_list(t, &t->world, &changed)) {
        memory_free(&t->world, &t->s);
        return false;
    }
    compile(t);
    if (t->s.hint[0] == 'g' && !is_global(t, &t->world)) {
        t->s.hint = "corresponding";
        compile(t);
    }
    say(t, name);
    memset(t->places, 0, sizeof t->places);
    memset(t->place_bytes, 0, sizeof t->place_bytes);
    memory_new(&t->wanted, &t->s);
    memory_copy(&t->wanted, &t->world, &t->s);
    oracle_run(&t->oracle, &t->wanted);
    return true;
}

void trial_end(struct trial *t)
{
    memory_free(&t->world, &t->s);
    for (int call = 0; call < CALLS_MAX; call++)
        for (int i = 0; i < t->s.thing_count; i++)
            free(t->places[call].at[t->rank][i]);
    wm_statement_free(t->compiled);
    t->compiled = NULL;
    if (t->scope != NULL)
        wm_scope_free(t->scope);
}

void trial_release(struct trial *t)
{
    fuzz_text_release(&t->text);
    oracle_release(&t->oracle);
}
