/* Drawings as text: the steps of one rank. */
#include <stdlib.h>
#include <string.h>
#include "tools/draw/drawing.h"
#include "tools/draw/shared_steps.h"
#include "tools/proof/parts.h"
#include "tools/text/units.h"

enum { TEXT_BYTES = WM_SHARED_STEP_CHARS + 320 };

/* "temporary 2 at 64 KiB" */
static void ref_text(const struct wm_scene *s, struct wm_ref ref, char *out, size_t out_bytes)
{
    char name[32], at[64] = "";

    snprintf(name, sizeof name, "temporary %d", ref.buffer - WM_BUFFER_TEMPORARY);
    if (ref.offset > 0 && s->scenario.unit_bytes > 0)
        snprintf(at, sizeof at, " at %s", wm_bytes_text(wm_scene_bytes(s, ref.offset)).text);
    snprintf(out, out_bytes, "%s%s",
             ref.buffer == WM_BUFFER_SEND      ? "the send buffer"
             : ref.buffer == WM_BUFFER_RECEIVE ? "the receive buffer"
                                               : name,
             at);
}

/* " into the receive buffer", " into 3 places"; empty for none. */
static void places_text(const struct wm_scene *s, const char *way, int ranges, struct wm_ref first, char *out,
                        size_t out_bytes)
{
    char place[96];

    ref_text(s, first, place, sizeof place);
    if (ranges > 1)
        snprintf(place, sizeof place, "%d places", ranges);
    snprintf(out, out_bytes, "%s%s", ranges > 0 ? way : "", ranges > 0 ? place : "");
}

/* "shared reduce {0-3}→0 of 8 B out of the send buffer" */
static void shared_text(const struct wm_scene *s, const struct wm_shared *shared, char *out, size_t out_bytes)
{
    struct wm_ref first = {0, 0};
    char name[WM_SHARED_STEP_CHARS], source[112], target[112];
    int ranges;

    wm_part_given(shared, &ranges, &first);
    places_text(s, " out of ", ranges, first, source, sizeof source);
    wm_part_gotten(shared, &ranges, &first);
    places_text(s, " into ", ranges, first, target, sizeof target);
    wm_shared_step_text(shared, name);
    snprintf(out, out_bytes, "shared %s of %s%s%s", name,
             wm_bytes_text(wm_scene_bytes(s, wm_shared_units(shared))).text, source, target);
}

/* ", in blocks of 8 B, 64 B apart" behind the source. */
static void copy_text(const struct wm_scene *s, const struct wm_plan *plan, const struct wm_step *step, char *source,
                      size_t source_bytes)
{
    struct wm_stride stride = wm_plan_stride(plan, step);
    size_t used = strlen(source);

    if (stride.block < step->count)
        snprintf(source + used, source_bytes - used, ", in blocks of %s, %s apart,",
                 wm_bytes_text(wm_scene_bytes(s, stride.block)).text,
                 wm_bytes_text(wm_scene_bytes(s, stride.distance)).text);
    used = strlen(source);
    if (stride.block < step->count && stride.first > 0)
        snprintf(source + used, source_bytes - used, " beginning with block %zu, block 0 behind the last,",
                 stride.first);
}

static void step_text(const struct wm_scene *s, const struct wm_plan *plan, const struct wm_step *step, char *out,
                      size_t out_bytes)
{
    char source[256], target[96], size[48];

    ref_text(s, step->source, source, sizeof source);
    ref_text(s, step->target, target, sizeof target);
    snprintf(size, sizeof size, "%s", wm_bytes_text(wm_scene_bytes(s, step->count)).text);
    switch ((enum wm_step_kind)step->kind) {
    case WM_STEP_SEND:
        snprintf(out, out_bytes, "send %s to %d out of %s", size, step->peer, source);
        break;
    case WM_STEP_RECV:
        snprintf(out, out_bytes, "receive %s from %d into %s", size, step->peer, target);
        break;
    case WM_STEP_REDUCE:
        snprintf(out, out_bytes, "reduce %s of %s into %s", size, source, target);
        break;
    case WM_STEP_COPY:
        copy_text(s, plan, step, source, sizeof source);
        snprintf(out, out_bytes, "copy %s of %s into %s", size, source, target);
        break;
    case WM_STEP_SHARED:
        shared_text(s, &plan->shared[step->message], out, out_bytes);
        break;
    case WM_STEP_ENTER:
    case WM_STEP_LEAVE:
    case WM_STEP_NATIVE:
    case WM_STEP_STRIKE:
    case WM_STEP_JOIN:
        snprintf(out, out_bytes, "%s", wm_step_name((enum wm_step_kind)step->kind));
    }
}

/* The steps that this one waits for. */
static void causes_text(const struct wm_plan *plan, int step, char *out, size_t out_bytes)
{
    int causes[16], count = 0;

    for (int earlier = 0; earlier < step; earlier++)
        for (int i = 0; i < plan->steps[earlier].successors; i++)
            if (plan->successors[plan->steps[earlier].first_successor + i] == step && count < 16)
                causes[count++] = earlier;
    wm_ranks_text(causes, count, out, out_bytes);
    if (plan->steps[step].dependencies > count)
        snprintf(out + strlen(out), out_bytes - strlen(out), ", …");
}

static void print_step(struct wm_table *table, const struct wm_scene *s, const struct wm_rounds *rounds, int rank,
                       int number)
{
    const struct wm_plan *plan = s->plans[rank];
    const struct wm_step *step = &plan->steps[number];
    const struct wm_wrapper *w = wm_scene_wrapper(s, step->node);
    bool has_round = step->kind == WM_STEP_SEND || step->kind == WM_STEP_RECV || step->kind == WM_STEP_SHARED;
    char text[TEXT_BYTES], causes[64], name[WM_DRAWING_NAME_BYTES];

    step_text(s, plan, step, text, sizeof text);
    causes_text(plan, number, causes, sizeof causes);
    wm_drawing_name(s, w, name);
    wm_table_cell(table, "%d", number);
    wm_table_cell(table, has_round ? "%d" : "", wm_rounds_of_step(rounds, rank, number));
    wm_table_cell(table, "%s", causes);
    if (w != NULL)
        wm_table_cell(table, "%d %s", w->line, name);
    else
        wm_table_cell(table, "%s", "");
    wm_table_cell(table, "%s", text);
}

int wm_drawing_rank(const struct wm_terminal *terminal, const struct wm_scene *s, const struct wm_rounds *rounds,
                    int rank)
{
    static const char *const titles[] = {"step", "round", "after", "line", "what"};
    char walk[TEXT_BYTES * 4], prefix[96];
    struct wm_table table;
    bool failed;

    wm_drawing_head(terminal, &s->question, &s->facts);
    wm_drawing_premise(terminal, s);
    wm_drawing_walk(s, rank, walk, sizeof walk);
    snprintf(prefix, sizeof prefix, "rank %d on %s: ", rank, s->site.places[rank].host);
    wm_terminal_wrap(terminal, prefix, walk);
    fputc('\n', terminal->file);
    wm_table_init(&table, "rrlll");
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        wm_table_cell(&table, "%s", titles[i]);
    for (int step = 0; step < s->plans[rank]->step_count; step++)
        print_step(&table, s, rounds, rank, step);
    failed = table.out_of_memory;
    wm_table_print(&table, terminal);
    return failed ? -WM_ENOMEM : 0;
}
