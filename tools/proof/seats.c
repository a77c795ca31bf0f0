/* Seats: shared steps sorted by list of members and turn. */
#include "tools/proof/seats.h"

#include <stdlib.h>
#include "core/error.h"
#include "core/hash.h"

static uint64_t list_number(const struct wm_shared *shared)
{
    uint64_t number = wm_hash_add(WM_HASH_BEGIN, (uint64_t)shared->size);

    for (int i = 0; i < shared->size; i++)
        number = wm_hash_add(number, (uint64_t)shared->members[i]);
    return number;
}

static int compare_lists(const struct wm_seat *a, const struct wm_seat *b)
{
    int first = a->shared->members[0], other = b->shared->members[0];

    return first != other ? first - other : (a->list > b->list) - (a->list < b->list);
}

/* By rank, in the order of its plan. */
static int compare_listed(const void *left, const void *right)
{
    const struct wm_seat *a = left, *b = right;
    int lists = compare_lists(a, b);

    if (lists != 0)
        return lists;
    return a->rank != b->rank ? a->rank - b->rank : a->step - b->step;
}

static int compare_turns(const void *left, const void *right)
{
    const struct wm_seat *a = left, *b = right;
    int lists = compare_lists(a, b);

    if (lists != 0)
        return lists;
    return a->turn != b->turn ? a->turn - b->turn : a->shared->self - b->shared->self;
}

/* Fill in all seats, or, where there is no room, count them. */
static size_t fill(struct wm_plan *const *plans, int ranks, struct wm_seat *seats)
{
    size_t count = 0;

    for (int rank = 0; rank < ranks; rank++)
        for (int s = 0; plans[rank]->shared_count > 0 && s < plans[rank]->step_count; s++) {
            const struct wm_step *step = &plans[rank]->steps[s];
            const struct wm_shared *shared = &plans[rank]->shared[step->message];

            if (step->kind != WM_STEP_SHARED)
                continue;
            if (seats != NULL)
                seats[count] = (struct wm_seat){shared, list_number(shared), rank, s, 0, 0};
            count++;
        }
    return count;
}

static void number(struct wm_seat *seats, size_t count)
{
    qsort(seats, count, sizeof *seats, compare_listed);
    for (size_t i = 1; i < count; i++) {
        if (compare_lists(&seats[i - 1], &seats[i]) == 0 && seats[i - 1].rank == seats[i].rank)
            seats[i].turn = seats[i - 1].turn + 1;
        if (seats[i].turn >= WM_SEATS_WINDOW)
            seats[i - WM_SEATS_WINDOW].held = seats[i].step;
    }
    qsort(seats, count, sizeof *seats, compare_turns);
}

int wm_seats_list(struct wm_plan *const *plans, int ranks, struct wm_seat **seats, size_t *count)
{
    *count = fill(plans, ranks, NULL);
    *seats = *count > 0 ? malloc(sizeof **seats * *count) : NULL;
    if (*count == 0)
        return 0;
    if (*seats == NULL)
        return -WM_ENOMEM;
    fill(plans, ranks, *seats);
    number(*seats, *count);
    return 0;
}

size_t wm_seats_together(const struct wm_seat *seats, size_t count)
{
    size_t end = 1;

    while (end < count && compare_lists(&seats[0], &seats[end]) == 0 && seats[0].turn == seats[end].turn)
        end++;
    return end;
}

int wm_seats_missing(const struct wm_seat *seats, size_t together)
{
    size_t i = 0;

    while (i < together && seats[i].shared->self == (int)i)
        i++;
    return (int)i == seats[0].shared->size ? -1 : seats[0].shared->members[i];
}
