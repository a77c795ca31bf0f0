/* Rounds: calls counted, timed, and compared by all ranks. */
#include "core/call/round.h"

#include <stdlib.h>
#include <string.h>
#include "core/call/clocks.h"
#include "core/call/describe.h"
#include "core/call/wait.h"
#include "core/data/allocate.h"
#include "core/process/epochs.h"
#include "tracer/clock.h"

/* --- Kinds of calls --- */

static int class_of(uint64_t bytes)
{
    return bytes == 0 ? 0 : 64 - __builtin_clzll(bytes);
}

static struct wm_tried_kind *add_kind(struct wm_trial *t, enum wm_operation operation, int size_class)
{
    struct wm_tried_kind *kind;

    if (t->kind_count == WM_TRIAL_KINDS_MAX)
        return NULL;
    kind = wm_allocate_zeroed(sizeof *kind, "a trial");
    kind->operation = operation;
    kind->size_class = size_class;
    kind->calls = WM_TRIAL_CALLS_MIN;
    return t->kinds[t->kind_count++] = kind;
}

static struct wm_tried_kind *find_kind(struct wm_trial *t, enum wm_operation operation, int size_class)
{
    for (int i = 0; i < t->kind_count; i++)
        if (t->kinds[i]->operation == operation && t->kinds[i]->size_class == size_class)
            return t->kinds[i];
    return add_kind(t, operation, size_class);
}

/* NULL: the trial is not about it. A call with a wrong argument is the library's. */
static struct wm_tried_kind *kind_of(struct wm_comm *c, const struct wm_call *call)
{
    const struct wm_trial_scope *scope = &c->trial->scope;
    struct wm_described d;
    int size_class;

    if ((scope->one && call->operation != scope->operation) || !wm_describe(c, call, &d))
        return NULL;
    size_class = class_of(d.facts.bytes);
    wm_described_release(&d);
    return scope->one && (uint32_t)size_class != scope->size_class ? NULL
                                                                   : find_kind(c->trial, call->operation, size_class);
}

/* --- What the ranks tell each other --- */

/* Put the largest of all ranks' into each place. */
static void maximise(struct wm_comm *c, int64_t *values, int count)
{
    const struct wm_call call = {.comm = c->user,
                                 .send = MPI_IN_PLACE,
                                 .receive = values,
                                 .receive_type = MPI_INT64_T,
                                 .op = MPI_MAX,
                                 .operation = WM_ALLREDUCE,
                                 .receive_count = count};

    if (wm_requests_fly_own(c, &call, false) != MPI_SUCCESS && c->stopped == 0)
        WM_BUG("what the ranks of a communicator measured did not come");
}

/* --- Rounds --- */

static int compare_times(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* The medians of the blocks, the same at all ranks. */
static void measure(struct wm_comm *c, const struct wm_tried_kind *kind, int64_t medians[WM_TRIAL_BLOCKS])
{
    int64_t values[2 * WM_TRIAL_BLOCKS * WM_TRIAL_CALLS_MAX], ahead = wm_clocks_compare(c);
    int all = WM_TRIAL_BLOCKS * kind->calls;

    for (int i = 0; i < all; i++) {
        values[i] = kind->came_ns[i] + ahead;
        values[all + i] = kind->left_ns[i] + ahead;
    }
    maximise(c, values, 2 * all);
    for (int i = 0; i < all; i++)
        values[i] = values[all + i] > values[i] ? values[all + i] - values[i] : 1;
    for (int block = 0; block < WM_TRIAL_BLOCKS; block++) {
        int64_t *times = values + block * kind->calls;

        qsort(times, (size_t)kind->calls, sizeof *times, compare_times);
        medians[block] = times[kind->calls / 2];
    }
}

static int choose_calls(const int64_t medians[WM_TRIAL_BLOCKS], int most)
{
    int64_t calls = WM_TRIAL_BLOCK_NS / ((medians[0] + medians[WM_TRIAL_BLOCKS - 1]) / 2);

    return calls < WM_TRIAL_CALLS_MIN ? WM_TRIAL_CALLS_MIN : calls > most ? most : (int)calls;
}

/* Two blocks of the next round have the tried map. */
static uint64_t choose_rest(uint32_t every, int calls)
{
    return every > 2 ? 2 * (uint64_t)calls * every - (uint64_t)(WM_TRIAL_BLOCKS * calls) : 0;
}

static void end_round(struct wm_comm *c, struct wm_tried_kind *kind)
{
    uint32_t every = c->trial->scope.every;
    struct wm_mailbox_round round = {.operation = (uint32_t)kind->operation,
                                     .size_class = (uint32_t)kind->size_class,
                                     .ranks = (uint32_t)c->ranks,
                                     .calls = (uint32_t)kind->calls};

    measure(c, kind, round.ns);
    if (kind->rounds++ > 0)
        wm_epochs_show(&round);
    kind->calls = choose_calls(round.ns, every > 0 ? WM_TRIAL_CALLS_FEW : WM_TRIAL_CALLS_MAX);
    kind->rest = choose_rest(every, kind->calls);
    kind->at = 0;
}

/* The old map, the new one, the new one, the old one. */
static bool is_of_tried(const struct wm_tried_kind *kind)
{
    int block = kind->at / kind->calls;

    return block == 1 || block == 2;
}

struct wm_tried_kind *wm_round_come(struct wm_comm *c, const struct wm_call *call)
{
    struct wm_tried_kind *kind = kind_of(c, call);

    if (kind == NULL)
        return NULL;
    if (kind->rest > 0) {
        kind->rest--;
        return NULL;
    }
    if (is_of_tried(kind))
        wm_trial_turn(c);
    kind->came_ns[kind->at] = (int64_t)wm_clock_monotonic_ns();
    return kind;
}

void wm_round_leave(struct wm_comm *c, struct wm_tried_kind *kind)
{
    if (kind == NULL)
        return;
    kind->left_ns[kind->at] = (int64_t)wm_clock_monotonic_ns();
    if (c->trial->turned)
        wm_trial_turn(c);
    if (++kind->at == WM_TRIAL_BLOCKS * kind->calls)
        end_round(c, kind);
}
