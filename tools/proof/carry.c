/* What steps do to data, on symbols: messages and shared steps move and combine accounts of what is in the buffers. */
#include "tools/proof/machine.h"
#include "tools/proof/dag.h"
#include "tools/proof/parts.h"

static const char *name_at(const struct wm_machine *m, struct wm_at at)
{
    return wm_step_name((enum wm_step_kind)wm_machine_step(m, at)->kind);
}

static struct wm_proof_memory *memory_of(const struct wm_machine *m, int rank, int buffer)
{
    return &m->memories[rank][buffer];
}

static bool is_read(struct wm_machine *m, struct wm_at at, int buffer, size_t gap, bool whole)
{
    char name[WM_DAG_NAME_CHARS];

    return whole || wm_machine_refute(m, "rank %d: step %d (%s) reads unit %zu of %s, which nothing has written",
                                      at.rank, at.step, name_at(m, at), gap, wm_dag_buffer_name(buffer, name));
}

static bool read_units(struct wm_machine *m, struct wm_at at, struct wm_ref ref, size_t count,
                       struct wm_proof_memory *out)
{
    size_t gap = 0;
    bool whole = wm_memory_read(&m->event_arena, memory_of(m, at.rank, ref.buffer), ref.offset, count, out, &gap);

    return is_read(m, at, ref.buffer, gap, whole);
}

static void write_units(struct wm_machine *m, int rank, struct wm_ref ref, size_t count, size_t from,
                        struct wm_proof_memory *content)
{
    wm_memory_shift(content, from, ref.offset);
    wm_memory_write(&m->run_arena, memory_of(m, rank, ref.buffer), ref.offset, count, content);
}

/* The tree of everyone's contributions to the units is the known one, or it is known from now on. */
static bool is_known_tree(struct wm_machine *m, const struct wm_proof_span *units, const struct wm_symbol *symbol)
{
    size_t count = units->high - units->low, gap;
    struct wm_proof_memory found;
    struct wm_symbol *kept;
    struct wm_proof_span span;

    if (units->stride.block > 0 || !wm_memory_agrees(&m->trees, units->origin, count, symbol))
        return false;
    if (wm_memory_read(&m->event_arena, &m->trees, units->origin, count, &found, &gap))
        return true;
    kept = wm_arena_take(m->arena, sizeof *kept);
    *kept = *symbol;
    span = wm_span(units->origin, units->origin + count, 0, kept);
    wm_memory_write(m->arena, &m->trees, units->origin, count, &(struct wm_proof_memory){&span, 1, 1, 0});
    return true;
}

/* What stands for everyone's contributions, whatever their tree, where that is no matter or known. */
static const struct wm_symbol *as_whole(struct wm_machine *m, const struct wm_proof_span *units,
                                        const struct wm_symbol *symbol)
{
    if (symbol->count < m->whole.count || m->symmetry != NULL)
        return symbol;
    return !m->order_fixed || is_known_tree(m, units, symbol) ? &m->whole : symbol;
}

static bool combine_spans(struct wm_machine *m, struct wm_at at, const struct wm_proof_span *left,
                          struct wm_proof_span *right)
{
    const struct wm_symbol *both;
    int culprit = 0;

    if (left->symbol == NULL || right->symbol == NULL)
        return wm_machine_refute(m, "rank %d: step %d reduces what is only to be moved", at.rank, at.step);
    if (left->origin != right->origin)
        return wm_machine_refute(m, "rank %d: step %d reduces unit %zu of the call's data with unit %zu", at.rank,
                                 at.step, left->origin, right->origin);
    both = wm_symbol_combine(&m->symbols, left->symbol, right->symbol, &culprit);
    if (both == NULL && m->symbols.kind != WM_SYMBOL_INTERVAL)
        return wm_machine_refute(m, "rank %d: step %d reduces the contribution of rank %d twice", at.rank, at.step,
                                 culprit);
    if (both == NULL)
        return wm_machine_refute(
            m, "rank %d: step %d reduces ranks %d to %d with ranks %d to %d, which breaks the order", at.rank, at.step,
            left->symbol->low, left->symbol->high, right->symbol->low, right->symbol->high);
    right->symbol = as_whole(m, right, both);
    return true;
}

/* The next part of both, of as many units and in equal blocks. */
static void cut_alike(const struct wm_proof_span *a, const struct wm_proof_span *b, size_t low,
                      struct wm_proof_span *left, struct wm_proof_span *right)
{
    size_t high = a->high < b->high ? a->high : b->high;

    *left = wm_span_part(a, low, high);
    *right = wm_span_part(b, low, high);
    if (left->high == right->high && left->stride.block == right->stride.block &&
        left->stride.distance == right->stride.distance)
        return;
    *left = wm_span_range(a, low, high);
    *right = wm_span_range(b, low, left->high);
    *left = wm_span_range(a, low, right->high);
}

/* Put together left op right, which stand at equal offsets. Walks both, cut where either is cut. */
static bool combine_units(struct wm_machine *m, struct wm_at at, const struct wm_proof_memory *lefts,
                          const struct wm_proof_memory *rights, struct wm_proof_memory *out)
{
    struct wm_proof_span right;
    size_t low = lefts->count > 0 ? lefts->spans[0].low : 0;

    *out = (struct wm_proof_memory){0};
    for (int i = 0, j = 0; i < lefts->count && j < rights->count; low = right.high) {
        struct wm_proof_span left;

        cut_alike(&lefts->spans[i], &rights->spans[j], low, &left, &right);
        if (!combine_spans(m, at, &left, &right))
            return false;
        wm_memory_append(&m->event_arena, out, right);
        i += lefts->spans[i].high == right.high;
        j += rights->spans[j].high == right.high;
    }
    return true;
}

static bool read_source(struct wm_machine *m, struct wm_at at, struct wm_proof_memory *out)
{
    const struct wm_step *step = wm_machine_step(m, at);

    return read_units(m, at, step->source, step->count, out);
}

static void write_target(struct wm_machine *m, struct wm_at at, size_t from, struct wm_proof_memory *content)
{
    const struct wm_step *step = wm_machine_step(m, at);

    write_units(m, at.rank, step->target, step->count, from, content);
}

/* target = source op target */
static bool reduce_units(struct wm_machine *m, struct wm_at at)
{
    const struct wm_step *step = wm_machine_step(m, at);
    struct wm_proof_memory source, target, result;

    if (!read_source(m, at, &source) || !read_units(m, at, step->target, step->count, &target))
        return false;
    wm_memory_shift(&source, step->source.offset, step->target.offset);
    if (!combine_units(m, at, &source, &target, &result))
        return false;
    write_target(m, at, step->target.offset, &result);
    return true;
}

static bool copy_units(struct wm_machine *m, struct wm_at at)
{
    const struct wm_step *step = wm_machine_step(m, at);
    struct wm_proof_memory content;
    size_t gap = 0;
    bool whole =
        wm_memory_gather(&m->event_arena, memory_of(m, at.rank, step->source.buffer), step->source.offset,
                         wm_plan_stride(m->plans[at.rank], step), step->count, step->target.offset, &content, &gap);

    if (is_read(m, at, step->source.buffer, gap, whole))
        write_target(m, at, step->target.offset, &content);
    return whole;
}

/* What a member is to get into one of its ranges. Contents count their units from 0. */
struct gift {
    struct wm_at at;
    struct wm_ref to;
    size_t count;
    struct wm_proof_memory content;
};

static bool is_same(struct wm_ref a, struct wm_ref b)
{
    return a.buffer == b.buffer && a.offset == b.offset;
}

/* A reduction may get where it gives from; all else that is to be got is spoiled. */
static void spoil_shared(struct wm_machine *m, struct wm_at at)
{
    const struct wm_shared *s = wm_machine_shared(m, at);

    for (int i = 0; i < s->size; i++) {
        struct wm_ref to;
        size_t count;
        int from;

        if (wm_shared_gets(s, i, &to, &count) && (wm_part_giver(s, i, &from) >= 0 || !is_same(s->from[from], to)))
            write_units(m, at.rank, to, count, 0, &(struct wm_proof_memory){0});
    }
}

static bool read_from(struct wm_machine *m, struct wm_at giver, int from, size_t count, struct wm_proof_memory *out)
{
    struct wm_ref ref = wm_machine_shared(m, giver)->from[from];

    if (!read_units(m, giver, ref, count, out))
        return false;
    wm_memory_shift(out, ref.offset, 0);
    return true;
}

/* Contributions up to that of member `end` - 1, in the order of members, to the right of the first `begin` ones', which
 * the gift has. */
static bool combine_members(struct wm_machine *m, const struct wm_shared_instance *instance, int from, int begin,
                            int end, struct gift *gift)
{
    for (int i = begin; i < end; i++) {
        struct wm_proof_memory next, both;

        if (!read_from(m, instance->members[i], from, gift->count, &next) ||
            (i > 0 && !combine_units(m, gift->at, &gift->content, &next, &both)))
            return false;
        gift->content = i > 0 ? both : next;
    }
    return true;
}

static void copy_content(struct wm_machine *m, const struct wm_proof_memory *content, struct wm_proof_memory *out)
{
    *out = (struct wm_proof_memory){0};
    for (int i = 0; i < content->count; i++)
        wm_memory_append(&m->event_arena, out, content->spans[i]);
}

/* Where all is one block a member gets what the one before it got, and perhaps more. */
static bool make_gift(struct wm_machine *m, const struct wm_shared_instance *instance, int range, struct gift *gift,
                      const struct gift *first)
{
    const struct wm_shared *s = wm_machine_shared(m, gift->at);
    int from, giver = wm_part_giver(s, range, &from), begin = 0;

    if (giver >= 0)
        return read_from(m, instance->members[giver], from, gift->count, &gift->content);
    if (wm_part_whole(s) && gift > first) {
        copy_content(m, &gift[-1].content, &gift->content);
        begin = wm_part_combined(wm_machine_shared(m, gift[-1].at));
    }
    return combine_members(m, instance, from, begin, wm_part_combined(s), gift);
}

static size_t count_gifts(const struct wm_machine *m, const struct wm_shared_instance *instance)
{
    size_t count = 0;

    for (int member = 0; member < instance->size; member++) {
        struct wm_ref first;
        int ranges;

        wm_part_gotten(wm_machine_shared(m, instance->members[member]), &ranges, &first);
        count += (size_t)ranges;
    }
    return count;
}

/* All gifts, in `gifts`, whose storage is the event's. Returns how many, -1 when something cannot be read or combined.
 */
static int make_gifts(struct wm_machine *m, const struct wm_shared_instance *instance, struct gift **gifts)
{
    int count = 0;

    *gifts = wm_arena_take(&m->event_arena, sizeof **gifts * (count_gifts(m, instance) + 1));
    for (int member = 0; member < instance->size; member++)
        for (int range = 0; range < instance->size; range++) {
            struct gift *gift = &(*gifts)[count];

            *gift = (struct gift){.at = instance->members[member]};
            if (!wm_shared_gets(wm_machine_shared(m, gift->at), range, &gift->to, &gift->count))
                continue;
            if (!make_gift(m, instance, range, gift, &(*gifts)[0]))
                return -1;
            count++;
        }
    return count;
}

static bool pass_shared(struct wm_machine *m, const struct wm_shared_instance *instance)
{
    struct gift *gifts;
    int count = make_gifts(m, instance, &gifts);

    for (int i = 0; i < count; i++)
        write_units(m, gifts[i].at.rank, gifts[i].to, gifts[i].count, 0, &gifts[i].content);
    return count >= 0;
}

static bool pass_message(struct wm_machine *m, const struct wm_proof_message *message)
{
    struct wm_proof_memory content;

    if (!read_source(m, message->send, &content))
        return false;
    wm_machine_move(m, message, &content);
    write_target(m, message->recv, wm_machine_step(m, message->send)->source.offset, &content);
    return true;
}

/* What is to come is spoiled. */
static void post(struct wm_machine *m, struct wm_at at)
{
    if (wm_machine_step(m, at)->kind == WM_STEP_RECV)
        write_target(m, at, 0, &(struct wm_proof_memory){0});
    else if (wm_machine_step(m, at)->kind == WM_STEP_SHARED)
        spoil_shared(m, at);
}

static bool run_step(struct wm_machine *m, struct wm_at at)
{
    switch ((enum wm_step_kind)wm_machine_step(m, at)->kind) {
    case WM_STEP_REDUCE:
        return reduce_units(m, at);
    case WM_STEP_COPY:
        return copy_units(m, at);
    case WM_STEP_SEND: /* with its receive: pass_message */
    case WM_STEP_RECV:
    case WM_STEP_SHARED:
    case WM_STEP_ENTER:
    case WM_STEP_LEAVE:
    case WM_STEP_NATIVE:
    case WM_STEP_STRIKE:
    case WM_STEP_JOIN:
        return true;
    }
    return false;
}

static void begin(struct wm_machine *m)
{
    const struct wm_scenario *s = &m->cast.scenario;

    m->symbols = (struct wm_symbols){.arena = &m->run_arena,
                                     .ranks = m->grid->ranks,
                                     .kind = s->operation == WM_BARRIER ? WM_SYMBOL_UNION
                                             : s->commutative           ? WM_SYMBOL_SET
                                                                        : WM_SYMBOL_INTERVAL};
    m->whole = (struct wm_symbol){.high = m->grid->ranks - 1, .count = m->grid->ranks};
    m->memories = wm_arena_take(&m->run_arena, sizeof *m->memories * (size_t)m->ranks);
    for (int rank = 0; rank < m->ranks; rank++) {
        int real = wm_machine_rank(m, rank);
        struct wm_plan_call call = wm_cast_call(&m->cast, real, &m->event_arena);
        int buffers = WM_BUFFER_TEMPORARY + m->plans[rank]->temporary_count;

        m->memories[rank] = wm_arena_take(&m->run_arena, sizeof **m->memories * (size_t)buffers);
        wm_cast_before(&m->cast, &call, real, &m->symbols, &m->run_arena, m->memories[rank]);
        wm_arena_clear(&m->event_arena);
    }
}

const struct wm_machine_data wm_machine_symbols = {
    .begin = begin,
    .post = post,
    .pass_message = pass_message,
    .pass_shared = pass_shared,
    .run_step = run_step,
    .end = wm_machine_check_results,
};
