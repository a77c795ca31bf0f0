/* Trials: watched by beats, ended by a wish. */
#include "tools/retune/trial.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tools/doctor/process.h"
#include "tools/retune/job.h"
#include "tools/retune/verdict.h"
#include "tools/text/table.h"
#include "tools/text/units.h"
#include "tracer/clock.h"
#include "waymark/operation.h"

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

void wm_trial_catch_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

/* --- What it has shown --- */

static void print_change(struct wm_table *table, const struct wm_change *c)
{
    if (c->known)
        wm_table_cell(table, "%+.1f %% ± %.1f %%", 100 * c->change, 100 * (c->high - c->low) / 2);
    else
        wm_table_cell(table, "too few rounds");
}

static void print_row(struct wm_table *table, const struct wm_trial_row *row, double whole_ns)
{
    wm_table_cell(table, "%s",
                  row->operation < WM_OPERATION_COUNT ? wm_operation_name((enum wm_operation)row->operation) : "?");
    wm_table_cell(table, "%s",
                  row->size_class > 0 ? wm_bytes_text(UINT64_C(1) << ((row->size_class - 1) & 63)).text : "any");
    wm_table_cell(table, "%u", row->ranks);
    wm_table_cell(table, "%s", wm_count_text(row->calls).text);
    wm_table_cell(table, "%s", wm_time_text((int64_t)row->old_ns).text);
    wm_table_cell(table, "%s", wm_time_text((int64_t)row->new_ns).text);
    print_change(table, &row->change);
    wm_table_cell(table, "%s", wm_share_text((int64_t)row->weight_ns, (int64_t)whole_ns).text);
}

static void print_table(const struct wm_trial_table *t)
{
    static const char *const heading[] = {"operation", "from", "ranks", "calls", "old", "new", "change", "of the time"};
    struct wm_terminal terminal = wm_terminal_of(stdout);
    struct wm_table table;
    double whole_ns = 0;

    wm_table_init(&table, "lrrrrrrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        wm_table_cell(&table, "%s", heading[i]);
    for (int i = 0; i < t->row_count; i++)
        whole_ns += t->rows[i].weight_ns;
    for (int i = 0; i < t->row_count; i++)
        print_row(&table, &t->rows[i], whole_ns);
    wm_table_print(&table, &terminal);
    if (t->total.known)
        printf("  in all %+.1f %%, at 95 %% between %+.1f %% and %+.1f %%, by %s\n", 100 * t->total.change,
               100 * t->total.low, 100 * t->total.high, wm_number_text((uint64_t)t->rounds, "round").text);
}

/* --- Its end --- */

static const char *sentence_of(enum wm_verdict verdict, bool kept)
{
    switch (verdict) {
    case WM_VERDICT_WORSE:
        return "the new map is slower by more than 2 %";
    case WM_VERDICT_NOT:
        return "the new map is not slower by more than 2 %";
    case WM_VERDICT_OPEN:
        return "interrupted";
    default:
        return kept ? "it is not shown that the new map is slower by more than 2 %"
                    : "it is not shown that the new map is not slower by more than 2 %; more rounds may show it";
    }
}

int wm_trial_finish(struct wm_mailbox *m, bool keep, int64_t patience_ns, struct wm_error *error)
{
    int rc = wm_mailbox_ask(m, keep ? WM_MAILBOX_KEEP : WM_MAILBOX_STOP, NULL, NULL, 0, NULL, error);

    return rc < 0 ? rc : wm_retune_await(m, patience_ns, error);
}

static int end(struct wm_mailbox *m, enum wm_verdict verdict, const struct wm_trial_choice *choice, bool *kept,
               struct wm_error *error)
{
    int rc;

    *kept = verdict == WM_VERDICT_NOT || (verdict == WM_VERDICT_UNSURE && choice->keep);
    if ((rc = wm_trial_finish(m, *kept, choice->patience_ns, error)) < 0)
        return rc;
    printf("%s\nepoch %u: '%.*s' %s on each communicator from one of its next calls on\n", sentence_of(verdict, *kept),
           m->epoch, (int)sizeof m->map_file - 1, m->map_file, *kept ? "holds" : "holds again");
    return 0;
}

enum wm_verdict wm_trial_await(struct wm_mailbox *m, int most, int64_t patience_ns, wm_trial_judge *judge,
                               struct wm_trial_table *table)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    uint64_t last_ns = wm_clock_monotonic_ns();
    enum wm_verdict verdict = WM_VERDICT_OPEN;
    uint32_t count = 0;

    while (!interrupted && verdict == WM_VERDICT_OPEN) {
        uint32_t rounds = wm_mailbox_rounds(m);
        bool over = rounds >= (uint32_t)most || wm_mailbox_state(m) == WM_MAILBOX_CLOSED ||
                    wm_process_state(m->pid) == 0 || wm_clock_monotonic_ns() - last_ns > (uint64_t)patience_ns;

        __atomic_fetch_add(&m->beat, 1, __ATOMIC_RELAXED);
        if (rounds > count || over) {
            count = rounds;
            last_ns = wm_clock_monotonic_ns();
            wm_trial_table_make(table, m->rounds, count);
            verdict = judge(table, over);
        }
        if (verdict == WM_VERDICT_OPEN)
            nanosleep(&pause, NULL);
    }
    return verdict;
}

int wm_trial_watch(struct wm_mailbox *m, const char *map, const struct wm_trial_choice *choice, bool *kept,
                   struct wm_error *error)
{
    struct wm_trial_table *table = calloc(1, sizeof *table);
    enum wm_verdict verdict;
    int rc;

    if (table == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for what the trial shows");
    printf("epoch %u: '%s' is tried beside '%.*s'\n", m->epoch, map, (int)sizeof m->map_file - 1, m->map_file);
    fflush(stdout);
    verdict = wm_trial_await(m, choice->rounds, choice->patience_ns, wm_trial_verdict, table);
    print_table(table);
    rc = end(m, verdict, choice, kept, error);
    free(table);
    return rc;
}
