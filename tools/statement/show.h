/* What the command prints: a survey, and what a proof over several numbers of ranks found, as text and as JSON. */
#ifndef WM_TOOLS_STATEMENT_SHOW_H
#define WM_TOOLS_STATEMENT_SHOW_H

#include <jansson.h>
#include "tools/statement/plan.h"
#include "tools/statement/prove.h"
#include "tools/statement/survey.h"
#include "tools/text/table.h"

enum { WM_STATEMENT_PROOFS_MAX = 256 };

/* Numbers of ranks. */
struct wm_rank_counts {
    int count, list[WM_STATEMENT_PROOFS_MAX];
};

struct wm_statement_check {
    struct wm_rank_counts proven;
    struct wm_rank_counts refuted[WM_CLAIM_COUNT]; /* by claim */
    struct wm_rank_counts looked;                  /* where all expressions have values, so that more was looked at */
    struct wm_error first[WM_CLAIM_COUNT];         /* the sentence of the first one refuted */
    struct wm_statement_verdict last;              /* of the last number of ranks that was looked at */
    int last_ranks;
    uint64_t messages;
};

void wm_survey_print(const struct wm_terminal *terminal, const struct wm_bound_names *names,
                     const struct wm_statement *s, struct wm_statement_survey *survey);
json_t *wm_survey_json(const struct wm_bound_names *names, const struct wm_statement *s,
                       struct wm_statement_survey *survey);

/* A table of figures: of each the least of all ranks, the median, the most, and the sum. */
enum wm_figure { WM_FIGURE_COUNTS, WM_FIGURE_BYTES, WM_FIGURE_TIMES };
void wm_figures_begin(struct wm_table *table, const char *title);
void wm_figures_add(struct wm_table *table, const char *text, struct wm_spread *spread, enum wm_figure figure);
json_t *wm_spread_json(struct wm_spread *spread);

/* `names` of any number of ranks. */
void wm_statement_check_print(const struct wm_terminal *terminal, const struct wm_bound_names *names,
                              const struct wm_statement *s, const struct wm_statement_check *check);
json_t *wm_statement_check_json(const struct wm_bound_names *names, const struct wm_statement *s,
                                const struct wm_statement_check *check);

/* "A[], B[][]: doubles; argmin: operator": what is declared by itself; "" if nothing is. */
void wm_names_declared(const struct wm_bound_names *names, char *out, size_t out_bytes);
/* "n, T alike at all ranks; right differs between ranks"; "" if no name is known. */
void wm_names_values(const struct wm_bound_names *names, char *out, size_t out_bytes);

#endif
