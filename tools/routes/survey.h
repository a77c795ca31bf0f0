/* A survey: the memory that a conveyor holds at the ranks of a network (core/plan/convey/form.h). */
#ifndef WM_CONVEY_SURVEY_H
#define WM_CONVEY_SURVEY_H

#include "tools/routes/network.h"

struct wm_survey {
    int looked;                /* ranks: all, or a sample of them */
    int least_rank, most_rank; /* the first of those that hold least, and most, in total */
    struct wm_convey_memory least, most;
};

void wm_survey_make(struct wm_survey *survey, struct wm_network *network, const struct wm_convey_form *form);

#endif
