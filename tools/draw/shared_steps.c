/* Shared steps of a round, written short. */
#include "tools/draw/shared_steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/proof/parts.h"
#include "tools/text/units.h"

enum { RANKS_CHARS = 256 };

size_t wm_shared_steps_alike(const struct wm_round_shared *steps, size_t count)
{
    size_t end = 1;

    while (end < count && steps[end].round == steps[0].round && steps[end].node == steps[0].node &&
           steps[end].shared->kind == steps[0].shared->kind &&
           wm_shared_units(steps[end].shared) == wm_shared_units(steps[0].shared))
        end++;
    return end;
}

/* From the root, to it, or among all. */
static void members_text(const struct wm_shared *shared, char *out, size_t out_bytes)
{
    bool down = shared->kind == WM_SHARED_BCAST || shared->kind == WM_SHARED_SCATTER;
    int root = wm_part_root(shared);
    char ranks[RANKS_CHARS];

    wm_ranks_text(shared->members, shared->size, ranks, sizeof ranks);
    if (root < 0)
        snprintf(out, out_bytes, "{%s}", ranks);
    else if (down)
        snprintf(out, out_bytes, "%d→{%s}", root, ranks);
    else
        snprintf(out, out_bytes, "{%s}→%d", ranks, root);
}

void wm_shared_step_text(const struct wm_shared *shared, char out[WM_SHARED_STEP_CHARS])
{
    char members[RANKS_CHARS + 32];

    members_text(shared, members, sizeof members);
    snprintf(out, WM_SHARED_STEP_CHARS, "%s %s", wm_shared_name((enum wm_shared_kind)shared->kind), members);
}

static bool is_same(const struct wm_shared *a, const struct wm_shared *b)
{
    return a->kind == b->kind && a->root == b->root && a->size == b->size &&
           memcmp(a->members, b->members, sizeof *a->members * (size_t)a->size) == 0;
}

/* Each, and how often it comes. */
static void print_shared_steps(FILE *out, const struct wm_round_shared *steps, size_t count, size_t max)
{
    size_t shown = 0, end;

    for (size_t i = 0; i < count; i = end) {
        char members[RANKS_CHARS + 32];

        for (end = i + 1; end < count && is_same(steps[i].shared, steps[end].shared);)
            end++;
        if (max > 0 && shown++ == max) {
            fprintf(out, " … and %zu more", count - i);
            return;
        }
        members_text(steps[i].shared, members, sizeof members);
        fprintf(out, " %s", members);
        if (end - i > 1)
            fprintf(out, "×%zu", end - i);
    }
}

char *wm_shared_steps_text(const struct wm_round_shared *steps, size_t count, size_t max)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return NULL;
    fputs(wm_shared_name((enum wm_shared_kind)steps->shared->kind), out);
    print_shared_steps(out, steps, count, max);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
