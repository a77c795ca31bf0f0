/* Alike: plans of ranks compared with those of their representatives. */
#include "tools/proof/alike.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "tools/proof/images.h"
#include "tools/proof/in_place.h"

struct comparing {
    struct wm_machine *m;
    const struct wm_symmetry *symmetry;
    uint8_t **may; /* by representative and temporary */
    size_t steps;  /* compared */
    char *why;
};

static bool differ(const struct comparing *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool differ(const struct comparing *c, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(c->why, WM_ERROR_TEXT_CHARS, format, arguments);
    va_end(arguments);
    return false;
}

static bool same_plan(struct comparing *c, int rank, const struct wm_plan *plan)
{
    int representative = rank % c->symmetry->step, other = wm_machine_rank(c->m, representative), step;
    struct wm_imaging imaging = {.symmetry = c->symmetry,
                                 .scenario = &c->m->cast.scenario,
                                 .may = c->may[representative],
                                 .displacement = wm_symmetry_of(c->symmetry, rank),
                                 .from = c->m->plans[representative],
                                 .to = plan};

    if (wm_image_check(&imaging, &c->m->run_arena, &step))
        return true;
    if (c->symmetry->apart)
        return differ(c, "the messages of rank %d are others than those of rank %d, or wait for what is combined", rank,
                      other);
    if (imaging.from->step_count != plan->step_count)
        return differ(c, "rank %d has %d steps, and rank %d has %d", rank, plan->step_count, other,
                      imaging.from->step_count);
    if (step < 0)
        return differ(c, "the plan of rank %d is another than that of rank %d", rank, other);
    return differ(c, "rank %d does not what step %d of rank %d does", rank, step, other);
}

static bool compare_rank(struct comparing *c, int rank, const struct wm_prove_options *options)
{
    struct wm_machine *m = c->m;
    struct wm_plan_call call;
    struct wm_plan *plan;
    struct wm_error error;
    int other, writer;
    bool same;

    wm_arena_clear(&m->run_arena);
    call = wm_cast_call(&m->cast, rank, &m->run_arena);
    if (wm_plan_make(&plan, m->path, c->symmetry->layout, &call, rank, &error) < 0)
        return differ(c, "rank %d has no plan: %.200s", rank, error.text);
    if (options->spoil != NULL)
        options->spoil(plan, rank);
    same = !m->waits_in_place || wm_in_place_wait(plan, &m->run_arena, &other, &writer)
               ? same_plan(c, rank, plan)
               : differ(c, "step %d of rank %d does not wait for step %d", writer, rank, other);
    c->steps += (size_t)plan->step_count;
    m->proof->compared++;
    wm_plan_free(plan);
    return same;
}

static bool compare_ranks(struct comparing *c, const struct wm_prove_options *options)
{
    uint64_t random = options->seed;

    for (int n = 0, rank; (rank = wm_image_sample(c->symmetry, n, c->steps, &random)) >= 0; n++) {
        if (c->symmetry->first > 0 && n == c->symmetry->step)
            break; /* the others were compared with the first ranks */
        if (!compare_rank(c, rank, options))
            return false;
    }
    return true;
}

/* A temporary that may stay does. */
static void settle_spaces(struct comparing *c, int rank)
{
    struct wm_machine *m = c->m;
    const struct wm_plan *plan = m->plans[rank];

    m->spaces[rank] =
        wm_arena_take(m->arena, sizeof **m->spaces * (size_t)(WM_BUFFER_TEMPORARY + plan->temporary_count));
    for (int b = 0; b < WM_BUFFER_TEMPORARY; b++)
        m->spaces[rank][b] = wm_symmetry_space(&m->cast.scenario, b, false);
    for (int t = 0; t < plan->temporary_count; t++) {
        int may = c->may[rank][t] & WM_MAY_STAY ? WM_MAY_STAY : c->may[rank][t] & WM_MAY_GO ? WM_MAY_GO : WM_MAY_RANK;

        m->spaces[rank][WM_BUFFER_TEMPORARY + t] = wm_image_space(m->cast.scenario.operation, may);
    }
}

enum wm_space wm_machine_permutes(const struct wm_machine *m, int rank, struct wm_ref ref, size_t count)
{
    enum wm_space space = m->spaces[rank][ref.buffer];

    if (ref.buffer >= WM_BUFFER_TEMPORARY && space == WM_SPACE_FIXED)
        space = wm_symmetry_home(m->cast.scenario.operation);
    if (space == WM_SPACE_PLACES && m->symmetry->layout->order->identity)
        space = WM_SPACE_BLOCKS; /* places are blocks then */
    return wm_symmetry_permutes(m->symmetry, space, ref.offset, count) ? space : WM_SPACE_FIXED;
}

static bool permutes_alike(const struct comparing *c, int rank, const struct wm_shared *shared)
{
    enum wm_space seen = WM_SPACE_FIXED;
    bool first = true;

    for (int i = 0; i < 2 * shared->size; i++) {
        struct wm_ref at;
        size_t count;
        enum wm_space space;

        if (!(i % 2 == 0 ? wm_shared_gives : wm_shared_gets)(shared, i / 2, &at, &count))
            continue;
        space = wm_machine_permutes(c->m, rank, at, count);
        if (!first && space != seen)
            return false;
        seen = space;
        first = false;
    }
    return true;
}

/* A copy of blocks. */
static bool is_cut(const struct wm_plan *plan, const struct wm_step *step)
{
    return wm_plan_stride(plan, step).block < step->count;
}

/* Where units of a step are permuted, those that they come from are, too. */
static bool check_step(const struct comparing *c, int rank, const struct wm_step *step)
{
    const struct wm_plan *plan = c->m->plans[rank];

    if (is_cut(plan, step))
        return true;
    if (step->kind == WM_STEP_COPY || step->kind == WM_STEP_REDUCE)
        return wm_machine_permutes(c->m, rank, step->source, step->count) ==
               wm_machine_permutes(c->m, rank, step->target, step->count);
    if (step->kind != WM_STEP_SHARED)
        return true;
    for (int i = 0; i < plan->shared[step->message].size; i++)
        if (plan->shared[step->message].members[i] >= c->symmetry->step)
            return false;
    return permutes_alike(c, rank, &plan->shared[step->message]);
}

/* Temporaries that stay: what comes permuted is to be taken so, and what does not, not. The steps' order is their
 * meaning, whatever the order in which they run. */
struct forms {
    const struct comparing *c;
    int rank;
    struct wm_proof_memory *held; /* by temporary: the symbol tells the form */
    bool written;                 /* the receive buffer is */
};

static const struct wm_symbol form_symbols[WM_SPACE_PAIRS + 1];

static bool stays(const struct forms *f, struct wm_ref ref)
{
    return ref.buffer >= WM_BUFFER_TEMPORARY && f->c->m->spaces[f->rank][ref.buffer] == WM_SPACE_FIXED;
}

static void put_form(struct forms *f, struct wm_ref ref, size_t count, enum wm_space form)
{
    struct wm_proof_span span = wm_span(ref.offset, ref.offset + count, ref.offset, &form_symbols[form]);
    struct wm_proof_memory one = {&span, 1, 1, 0};

    f->written = f->written || ref.buffer == WM_BUFFER_RECEIVE;
    if (stays(f, ref))
        wm_memory_write(&f->c->m->run_arena, &f->held[ref.buffer - WM_BUFFER_TEMPORARY], ref.offset, count, &one);
}

/* In a buffer of another space for what is written than for what is read, nothing is read behind the first write. */
static bool may_read(const struct forms *f, struct wm_ref ref)
{
    const struct wm_scenario *s = &f->c->m->cast.scenario;

    return !f->written || ref.buffer != WM_BUFFER_RECEIVE ||
           wm_symmetry_space(s, ref.buffer, true) == wm_symmetry_space(s, ref.buffer, false);
}

static bool has_form(const struct forms *f, struct wm_ref ref, size_t count, enum wm_space form)
{
    struct wm_proof_memory found;
    size_t gap;

    if (!may_read(f, ref))
        return false;
    if (!stays(f, ref))
        return true;
    wm_memory_read(&f->c->m->run_arena, &f->held[ref.buffer - WM_BUFFER_TEMPORARY], ref.offset, count, &found, &gap);
    for (int i = 0; i < found.count; i++)
        if (found.spans[i].symbol != &form_symbols[form])
            return false;
    return true;
}

static enum wm_space form_of(const struct forms *f, struct wm_ref ref, size_t count)
{
    return wm_machine_permutes(f->c->m, f->rank, ref, count);
}

static bool check_shared_forms(struct forms *f, const struct wm_shared *shared)
{
    struct wm_ref at;
    size_t count;

    for (int i = 0; i < shared->size; i++)
        if (wm_shared_gives(shared, i, &at, &count) && !has_form(f, at, count, form_of(f, at, count)))
            return false;
    for (int i = 0; i < shared->size; i++)
        if (wm_shared_gets(shared, i, &at, &count))
            put_form(f, at, count, form_of(f, at, count));
    return true;
}

/* Block by block they go, or stay, as tools/proof/images.c looks at: nothing is permuted as a whole. */
static bool check_blocks_form(struct forms *f, const struct wm_step *step)
{
    struct wm_stride stride = wm_plan_stride(f->c->m->plans[f->rank], step);
    struct wm_ref from = step->source;

    for (size_t done = 0; done < step->count; done += stride.block, from.offset += stride.distance)
        if (!has_form(f, from, stride.block, WM_SPACE_FIXED))
            return false;
    put_form(f, step->target, step->count, WM_SPACE_FIXED);
    return true;
}

static bool check_form(struct forms *f, const struct wm_step *step)
{
    if (step->kind == WM_STEP_SHARED)
        return check_shared_forms(f, &f->c->m->plans[f->rank]->shared[step->message]);
    if (is_cut(f->c->m->plans[f->rank], step))
        return check_blocks_form(f, step);
    if (wm_step_reads((enum wm_step_kind)step->kind) &&
        !has_form(f, step->source, step->count, form_of(f, step->source, step->count)))
        return false;
    f->written = f->written || (step->kind == WM_STEP_REDUCE && step->target.buffer == WM_BUFFER_RECEIVE);
    if (step->kind == WM_STEP_REDUCE && !has_form(f, step->target, step->count, form_of(f, step->target, step->count)))
        return false;
    if (wm_step_writes((enum wm_step_kind)step->kind))
        put_form(f, step->target, step->count, form_of(f, step->target, step->count));
    return true;
}

static bool check_representative(struct comparing *c, int rank)
{
    const struct wm_plan *plan = c->m->plans[rank];
    struct forms forms = {c, rank, NULL, false};

    wm_arena_clear(&c->m->run_arena);
    forms.held = wm_arena_take(&c->m->run_arena, sizeof *forms.held * ((size_t)plan->temporary_count + 1));
    settle_spaces(c, rank);
    for (int s = 0; s < plan->step_count && !c->symmetry->apart; s++)
        if (!check_step(c, rank, &plan->steps[s]) || !check_form(&forms, &plan->steps[s]))
            return differ(c, "step %d of rank %d moves units of which other ranks move others", s,
                          wm_machine_rank(c->m, rank));
    return true;
}

static bool check_representatives(struct comparing *c)
{
    for (int rank = 0; rank < c->symmetry->step; rank++)
        if (!check_representative(c, rank))
            return false;
    return true;
}

/* A temporary may be anything as yet. */
static void open_spaces(struct comparing *c, int representatives)
{
    struct wm_machine *m = c->m;

    c->may = wm_arena_take(m->arena, sizeof *c->may * (size_t)representatives);
    for (int rank = 0; rank < representatives; rank++) {
        size_t temporaries = (size_t)m->plans[rank]->temporary_count;

        c->may[rank] = wm_arena_take(m->arena, temporaries + 1);
        memset(c->may[rank], WM_MAY_ALL, temporaries);
    }
}

bool wm_alike_check(struct wm_machine *m, const struct wm_prove_options *options, char why[WM_ERROR_TEXT_CHARS])
{
    struct comparing c = {.m = m, .symmetry = m->symmetry, .why = why};

    m->spaces = wm_arena_take(m->arena, sizeof *m->spaces * (size_t)m->symmetry->step);
    m->proof->compared = 0;
    open_spaces(&c, m->symmetry->step);
    return compare_ranks(&c, options) && check_representatives(&c);
}

bool wm_alike_begin(struct wm_machine *m, const struct wm_prove_options *options, char why[WM_ERROR_TEXT_CHARS])
{
    struct comparing c = {.m = m, .symmetry = m->symmetry, .why = why};

    open_spaces(&c, 1);
    return compare_rank(&c, m->symmetry->step, options);
}
