/* The verdict on a trial: from rounds of calls under two maps to how much slower the new one is.
 *
 * A round's ratio is that of the new map's two medians to the old one's two. Rounds of one operation, size class and
 * number of ranks are a row: its change is the mean of the ratios less 1 without the highest and the lowest fifth, its
 * interval of 95 % follows from the winsorised variance (Yuen, 1974): a machine that does other things now and then
 * does not spoil either. The total weighs rows by their share of the time that the old map took for the calls. */
#ifndef WM_RETUNE_VERDICT_H
#define WM_RETUNE_VERDICT_H

#include <stdbool.h>
#include "core/guard/mailbox.h"

enum { WM_TRIAL_ROWS_MAX = 64 };

/* Rows that are judged must have taken so much of the time, or nothing is shown. */
#define WM_TRIAL_SHARE_MIN 0.5

/* A row is judged from so many rounds on, all of a trial before its end from so many. */
enum { WM_TRIAL_ROUNDS_MIN = 3, WM_TRIAL_ROUNDS_EARLY = 10 };

/* The new map is worse if it is slower by more than this: to be shown. */
#define WM_TRIAL_TOLERANCE 0.02

struct wm_change {
    bool known;
    double change, low, high; /* 0.03: 3 % slower; the interval of 95 % */
    double error, freedom;    /* the standard error, and its degrees of freedom */
};

struct wm_trial_row {
    uint32_t operation, size_class, ranks;
    int rounds;
    uint64_t calls;        /* measured */
    double old_ns, new_ns; /* medians of the rounds' */
    double weight_ns;      /* of all its calls, at the old map's median */
    struct wm_change change;
};

struct wm_trial_table {
    int row_count;
    struct wm_trial_row rows[WM_TRIAL_ROWS_MAX]; /* by weight, the heaviest first */
    struct wm_change total;                      /* of rows that are known */
    double share;                                /* of the time that those took */
    int rounds;                                  /* of all rows */
};

enum wm_verdict {
    WM_VERDICT_OPEN,  /* go on */
    WM_VERDICT_WORSE, /* it is shown that the new map is worse */
    WM_VERDICT_NOT,   /* … that it is not */
    WM_VERDICT_UNSURE /* the trial is over, and neither is shown */
};

/* Rounds whose rows there is no room for are left out. */
void wm_trial_table_make(struct wm_trial_table *table, const struct wm_mailbox_round *rounds, uint32_t count);

/* `over`: there are no more rounds. */
typedef enum wm_verdict wm_trial_judge(const struct wm_trial_table *table, bool over);
enum wm_verdict wm_trial_verdict(const struct wm_trial_table *table, bool over);

#endif
