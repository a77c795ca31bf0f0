/* Joints: shared steps, written short. */
#include "tools/proof/joints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/proof/parts.h"
#include "tools/text/units.h"

enum { RANKS_CHARS = 256 };

size_t wm_joints_alike(const struct wm_joint *joints, size_t count)
{
    size_t end = 1;

    while (end < count && joints[end].round == joints[0].round && joints[end].node == joints[0].node &&
           joints[end].shared->kind == joints[0].shared->kind &&
           wm_shared_units(joints[end].shared) == wm_shared_units(joints[0].shared))
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

void wm_joint_text(const struct wm_shared *shared, char out[WM_JOINT_CHARS])
{
    char members[RANKS_CHARS + 32];

    members_text(shared, members, sizeof members);
    snprintf(out, WM_JOINT_CHARS, "%s %s", wm_shared_name((enum wm_shared_kind)shared->kind), members);
}

static bool is_same(const struct wm_shared *a, const struct wm_shared *b)
{
    return a->kind == b->kind && a->root == b->root && a->size == b->size &&
           memcmp(a->members, b->members, sizeof *a->members * (size_t)a->size) == 0;
}

/* Each, and how often it comes. */
static void print_joints(FILE *out, const struct wm_joint *joints, size_t count, size_t max)
{
    size_t shown = 0, end;

    for (size_t i = 0; i < count; i = end) {
        char members[RANKS_CHARS + 32];

        for (end = i + 1; end < count && is_same(joints[i].shared, joints[end].shared);)
            end++;
        if (max > 0 && shown++ == max) {
            fprintf(out, " … and %zu more", count - i);
            return;
        }
        members_text(joints[i].shared, members, sizeof members);
        fprintf(out, " %s", members);
        if (end - i > 1)
            fprintf(out, "×%zu", end - i);
    }
}

char *wm_joints_text(const struct wm_joint *joints, size_t count, size_t max)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL)
        return NULL;
    fputs(wm_shared_name((enum wm_shared_kind)joints->shared->kind), out);
    print_joints(out, joints, count, max);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
