/* Drawings as a graph for Graphviz: ranks in their nodes, an arrow for each pair of ranks and line of the map, a box
 * for each shared step. */
#include <stdlib.h>
#include <string.h>
#include "tools/draw/drawing.h"
#include "tools/proof/parts.h"
#include "tools/text/units.h"

enum { ROUNDS_LISTED = 6 };

/* Okabe and Ito's colours, which the colour-blind can tell apart. */
const char *wm_dot_colour(int number)
{
    static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};

    return colours[number % (int)(sizeof colours / sizeof colours[0])];
}

static int compare(const void *left, const void *right)
{
    const struct wm_round_message *a = left, *b = right;
    const int keys[][2] = {{a->source, b->source}, {a->target, b->target}, {a->node, b->node}, {a->round, b->round}};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* A quoted string of dot. */
static void print_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void print_nodes(FILE *out, const struct wm_scene *s, const bool *shown)
{
    for (int r = 0; r < s->site.ranks; r++) {
        bool first = shown == NULL || shown[r];

        for (int other = 0; first && other < r; other++)
            first = s->site.places[other].node != s->site.places[r].node || (shown != NULL && !shown[other]);
        if (!first)
            continue;
        fprintf(out, "  subgraph cluster_%d {\n    style=rounded; color=\"#999999\"; label=", s->site.places[r].node);
        print_string(out, s->site.places[r].host);
        fprintf(out, ";\n");
        for (int other = r; other < s->site.ranks; other++)
            if (s->site.places[other].node == s->site.places[r].node && (shown == NULL || shown[other]))
                fprintf(out, "    %d;\n", other);
        fprintf(out, "  }\n");
    }
}

/* "1, 3: 8 B": the rounds, and what goes in each of them. */
static void print_arrow(FILE *out, const struct wm_scene *s, const struct wm_round_message *messages, size_t count)
{
    uint64_t bytes = 0;
    int listed = 0;

    fprintf(out, "  %d -> %d [color=\"%s\", label=\"", messages->source, messages->target,
            wm_dot_colour(messages->node));
    for (size_t i = 0; i < count; i++) {
        bytes += wm_scene_bytes(s, messages[i].units);
        if ((i == 0 || messages[i].round != messages[i - 1].round) && listed++ < ROUNDS_LISTED)
            fprintf(out, "%s%d", i > 0 ? ", " : "", messages[i].round);
    }
    fprintf(out, "%s: %s\"];\n", listed > ROUNDS_LISTED ? ", …" : "", wm_bytes_text(bytes).text);
}

static int compare_shared(const void *left, const void *right)
{
    const struct wm_round_shared *a = left, *b = right;
    const int keys[][2] = {{a->shared->members[0], b->shared->members[0]},
                           {a->node, b->node},
                           {a->shared->kind, b->shared->kind},
                           {a->shared->size, b->shared->size},
                           {a->shared->root, b->shared->root},
                           {a->round, b->round}};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static bool is_same_shared(const struct wm_round_shared *a, const struct wm_round_shared *b)
{
    return a->node == b->node && a->shared->kind == b->shared->kind && a->shared->root == b->shared->root &&
           a->shared->size == b->shared->size &&
           memcmp(a->shared->members, b->shared->members, sizeof(int) * (size_t)a->shared->size) == 0;
}

/* A line between the box and each member; where it ends in an arrow, something goes. */
static void print_members(FILE *out, const struct wm_round_shared *step, int number)
{
    const struct wm_shared *s = step->shared;
    bool down = s->kind == WM_SHARED_BCAST || s->kind == WM_SHARED_SCATTER;
    int root = wm_part_root(s);

    for (int i = 0; i < s->size; i++) {
        bool gives = root < 0 || (s->members[i] == root) == down, gets = root < 0 || !gives;

        fprintf(out, "  %d -> shared%d [dir=%s, style=dashed, color=\"%s\"];\n", s->members[i], number,
                gives && gets ? "both"
                : gives       ? "forward"
                              : "back",
                wm_dot_colour(step->node));
    }
}

/* A box for each line of the map, members, kind and root: "1, 3: shared reduce of 8 B". */
static void print_shared_step(FILE *out, const struct wm_scene *s, const struct wm_round_shared *steps, size_t count,
                              int number)
{
    uint64_t bytes = 0;

    fprintf(out, "  shared%d [shape=box, color=\"%s\", label=\"", number, wm_dot_colour(steps->node));
    for (size_t i = 0; i < count; i++) {
        bytes += wm_scene_bytes(s, wm_shared_units(steps[i].shared));
        if (i < ROUNDS_LISTED)
            fprintf(out, "%s%d", i > 0 ? ", " : "", steps[i].round);
    }
    fprintf(out, "%s: shared %s of %s\"];\n", count > ROUNDS_LISTED ? ", …" : "",
            wm_shared_name((enum wm_shared_kind)steps->shared->kind), wm_bytes_text(bytes).text);
    print_members(out, steps, number);
}

static int print_shared_steps(FILE *out, const struct wm_scene *s, const struct wm_rounds *rounds)
{
    size_t count = rounds->shared_count, end;
    struct wm_round_shared *steps = calloc(count + 1, sizeof *steps);
    int number = 0;

    if (steps == NULL)
        return -WM_ENOMEM;
    if (count > 0)
        memcpy(steps, rounds->shared, count * sizeof *steps);
    qsort(steps, count, sizeof *steps, compare_shared);
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count && is_same_shared(&steps[i], &steps[end]);)
            end++;
        print_shared_step(out, s, &steps[i], end - i, number++);
    }
    free(steps);
    return 0;
}

static void print_legend(FILE *out, const struct wm_scene *s)
{
    fprintf(out, "  subgraph cluster_legend {\n    label=\"lines of the map\"; color=\"#999999\";\n");
    for (int i = 0; i < s->answer.path->wrapper_count; i++) {
        const struct wm_wrapper *w = &s->answer.path->wrappers[i];
        char name[WM_DRAWING_NAME_BYTES];

        if (w->stage < 0)
            continue;
        wm_drawing_name(s, w, name);
        fprintf(out, "    \"line %d: %s\" [shape=plaintext, fontcolor=\"%s\"];\n", w->line, name,
                wm_dot_colour(w->node));
    }
    fprintf(out, "  }\n");
}

static void print_title(FILE *out, const struct wm_scene *s)
{
    char title[WM_ERROR_FILE_CHARS + 2 * WM_DRAWING_CALL_BYTES + 128], call[WM_DRAWING_CALL_BYTES];
    char premise[WM_DRAWING_CALL_BYTES];

    wm_drawing_call(&s->facts, call);
    wm_drawing_premise_text(s, premise);
    snprintf(title, sizeof title, "%s%s%s, %s, %s:%d", call, premise[0] != '\0' ? ", " : "", premise,
             s->question.machine, s->map.file, s->answer.path->rule_line);
    fprintf(out, "digraph waymark {\n  labelloc=t; label=");
    print_string(out, title);
    fprintf(out, ";\n  node [shape=circle];\n");
}

void wm_dot_begin(FILE *out, const struct wm_scene *s, const bool *shown)
{
    print_title(out, s);
    print_nodes(out, s, shown);
}

int wm_drawing_dot(FILE *out, const struct wm_scene *s, const struct wm_rounds *rounds)
{
    size_t count = s->answer.path->native ? 0 : rounds->message_count, end;
    struct wm_round_message *messages = calloc(count + 1, sizeof *messages);

    if (messages == NULL)
        return -WM_ENOMEM;
    if (count > 0)
        memcpy(messages, rounds->messages, count * sizeof *messages);
    qsort(messages, count, sizeof *messages, compare);
    wm_dot_begin(out, s, NULL);
    if (s->answer.path->native)
        fprintf(out, "  native [shape=plaintext, label=\"native: the MPI library's own collective\"];\n");
    else
        print_legend(out, s);
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count && messages[end].source == messages[i].source &&
                          messages[end].target == messages[i].target && messages[end].node == messages[i].node;)
            end++;
        print_arrow(out, s, &messages[i], end - i);
    }
    free(messages);
    if (!s->answer.path->native && print_shared_steps(out, s, rounds) < 0)
        return -WM_ENOMEM;
    fprintf(out, "}\n");
    return 0;
}
