/* Which shared steps meet, and whether their members agree on what they do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/proof/parts.h"
#include "tools/proof/machine.h"
#include "tools/proof/seats.h"

enum { MEMBERS_NAMED = 6 };

static struct wm_at at_of(const struct wm_seat *seat)
{
    return (struct wm_at){seat->rank, seat->step};
}

const char *wm_machine_ranks(const struct wm_shared *shared, char text[WM_MACHINE_RANKS_CHARS])
{
    const int *members = shared->members;
    int last = shared->size - 1, used = snprintf(text, WM_MACHINE_RANKS_CHARS, "rank%s", last == 0 ? "" : "s");
    bool range = last > 0;

    for (int i = 1; i <= last; i++)
        range = range && members[i] == members[i - 1] + 1;
    if (range)
        snprintf(text + used, WM_MACHINE_RANKS_CHARS - (size_t)used, " %d-%d", members[0], members[last]);
    for (int i = 0; !range && i <= last && i <= MEMBERS_NAMED; i++)
        used += i < MEMBERS_NAMED ? snprintf(text + used, WM_MACHINE_RANKS_CHARS - (size_t)used, "%s %d",
                                             i > 0 ? "," : "", members[i])
                                  : snprintf(text + used, WM_MACHINE_RANKS_CHARS - (size_t)used, ", …");
    return text;
}

/* "shared step 1 of ranks 0-3 <is> allreduce at rank 2 (line 5, step 7), but …" */
static bool refute_two(struct wm_machine *m, const struct wm_seat *seat, const struct wm_seat *first, const char *is,
                       const char *at_seat, const char *at_first)
{
    char ranks[WM_MACHINE_RANKS_CHARS];

    return wm_machine_refute(
        m, "shared step %d of %s %s %s at rank %d (line %d, step %d), but %s at rank %d (line %d, step %d)", seat->turn,
        wm_machine_ranks(seat->shared, ranks), is, at_seat, seat->rank, wm_machine_line(m, at_of(seat)), seat->step,
        at_first, first->rank, wm_machine_line(m, at_of(first)), first->step);
}

static void kind_text(const struct wm_shared *shared, char *out, size_t out_bytes)
{
    const char *name = wm_shared_name((enum wm_shared_kind)shared->kind);
    int root = wm_part_root(shared);

    if (root >= 0)
        snprintf(out, out_bytes, "%s with root %d", name, root);
    else
        snprintf(out, out_bytes, "%s", name);
}

static bool check_counts(struct wm_machine *m, const struct wm_seat *seat, const struct wm_seat *first)
{
    const struct wm_shared *a = seat->shared, *b = first->shared;

    for (int i = 0; i < (wm_part_whole(a) ? 1 : a->size); i++) {
        char is[48], here[32], there[32];

        if (a->counts[i] == b->counts[i])
            continue;
        snprintf(is, sizeof is, "has in share %d", i);
        snprintf(here, sizeof here, "%zu units", a->counts[i]);
        snprintf(there, sizeof there, "%zu", b->counts[i]);
        return refute_two(m, seat, first, is, here, there);
    }
    return true;
}

/* How it is carried out: chunks, and how many members read one another directly. */
static bool check_ways(struct wm_machine *m, const struct wm_seat *seat, const struct wm_seat *first)
{
    size_t a = wm_machine_transport(m, at_of(seat))->chunk_bytes,
           b = wm_machine_transport(m, at_of(first))->chunk_bytes;
    int fan = seat->shared->fan, other = first->shared->fan;
    char here[40], there[32];

    if (a == b && fan == other)
        return true;
    snprintf(here, sizeof here, a != b ? "chunks of %zu bytes" : "a fan of %zu", a != b ? a : (size_t)fan);
    snprintf(there, sizeof there, "of %zu", a != b ? b : (size_t)other);
    return refute_two(m, seat, first, "goes in", here, there);
}

/* Does the member mean the same as the first? */
static bool check_seat(struct wm_machine *m, const struct wm_seat *seat, const struct wm_seat *first)
{
    const struct wm_shared *a = seat->shared, *b = first->shared;
    char here[48], there[48];

    kind_text(a, here, sizeof here);
    kind_text(b, there, sizeof there);
    if (strcmp(here, there) != 0)
        return refute_two(m, seat, first, "is", here, there);
    return check_counts(m, seat, first) && check_ways(m, seat, first);
}

static bool add_instance(struct wm_machine *m, const struct wm_seat *seats, int count)
{
    struct wm_at *members = wm_arena_take(m->arena, sizeof *members * (size_t)count);
    int *held = wm_arena_take(m->arena, sizeof *held * (size_t)count), missing = wm_seats_missing(seats, (size_t)count);
    char ranks[WM_MACHINE_RANKS_CHARS];

    if (missing >= 0)
        return wm_machine_refute(m, "shared step %d of %s is listed by rank %d (line %d, step %d), but not by rank %d",
                                 seats[0].turn, wm_machine_ranks(seats[0].shared, ranks), seats[0].rank,
                                 wm_machine_line(m, at_of(&seats[0])), seats[0].step, missing);
    for (int i = 0; i < count; i++) {
        if (!check_seat(m, &seats[i], &seats[0]))
            return false;
        members[i] = at_of(&seats[i]);
        held[i] = seats[i].held;
        m->message_of[m->first[members[i].rank] + (size_t)members[i].step] = m->instance_count;
    }
    m->instances[m->instance_count++] = (struct wm_shared_instance){count, 0, members, held};
    return true;
}

bool wm_machine_match_shared(struct wm_machine *m)
{
    struct wm_seat *seats;
    size_t count, together;
    bool matched = wm_seats_list(m->plans, m->ranks, &seats, &count) == 0 ||
                   wm_machine_refute(m, "no memory for %zu shared steps", count);

    if (matched && count > 0)
        m->instances = wm_arena_take(m->arena, sizeof *m->instances * count);
    for (size_t i = 0; matched && i < count; i += together) {
        together = wm_seats_together(&seats[i], count - i);
        matched = add_instance(m, &seats[i], (int)together);
    }
    free(seats);
    return matched;
}
