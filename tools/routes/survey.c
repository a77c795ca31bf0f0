/* A survey: the memory that a conveyor holds at the ranks of a network. */
#include "tools/routes/survey.h"

void wm_survey_make(struct wm_survey *s, struct wm_network *n, const struct wm_convey_form *form)
{
    *s = (struct wm_survey){.looked = wm_network_sample_count(n, 0)};
    for (int i = 0; i < s->looked; i++) {
        int rank = wm_network_sample(n->ranks, s->looked, i);
        struct wm_convey_memory m = wm_convey_memory(n->design, form, wm_network_route(n, rank), n->grid->node);

        if (i == 0 || m.total < s->least.total) {
            s->least = m;
            s->least_rank = rank;
        }
        if (i == 0 || m.total > s->most.total) {
            s->most = m;
            s->most_rank = rank;
        }
    }
}
