/* Flows: what a rank tells of, peer by peer; and the ranks of which this is alike. */
#ifndef WM_TOOLS_FLOWS_H
#define WM_TOOLS_FLOWS_H

#include "tools/statement/survey.h"

/* Of what a rank tells of: alike for ranks with the same peers, alike for those with peers at the same distances. */
struct wm_flow_keys {
    uint64_t peers, distances;
};

/* Of what a rank tells of. 0 or -WM_ENOMEM; release in any case. */
int wm_flows_of(struct wm_statement_flows *flows, const struct wm_traffic *traffic);
void wm_flows_release(struct wm_statement_flows *flows);

struct wm_flow_keys wm_flows_keys(struct wm_statement_flows *flows, int rank, int ranks);

/* Make the survey's groups: each rank joins the larger one of the two that it fits into. */
int wm_flow_groups_make(struct wm_statement_survey *survey, const struct wm_bound_names *names,
                        const struct wm_statement *statement, const struct wm_flow_keys keys[], struct wm_error *error);

#endif
