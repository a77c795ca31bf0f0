/* Cuts: where sorted round trips fall into near and far ones. */
#include "core/path/clusters.h"

#include <math.h>

/* In logarithms: the least step between neighbours, steps of medians to spreads, and the least spread: what several
 * measurements of one pair differ by. */
#define STEP_MIN log(1.5)
#define SPREADS 6.0
#define SPREAD_MIN log(1.1)

static double sum_of_squares(const double *values, int count)
{
    double mean = 0, sum = 0;

    for (int i = 0; i < count; i++)
        mean += values[i] / count;
    for (int i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sum;
}

/* Of two parts that stand next to each other. */
static double pooled_spread(const double *first, int near, int far)
{
    double spread = sqrt((sum_of_squares(first, near) + sum_of_squares(first + near, far)) / (near + far));

    return spread > SPREAD_MIN ? spread : SPREAD_MIN;
}

/* The part that ends before `end` begins there. */
static int part_begin(const double *sorted, int end)
{
    int begin = end - 1;

    while (begin > 0 && sorted[begin] - sorted[begin - 1] < STEP_MIN)
        begin--;
    return begin;
}

int wm_clusters_cut(const double *sorted, int count, double *step)
{
    for (int end = count; end > 0;) {
        int cut = part_begin(sorted, end), begin;

        if (cut == 0)
            return 0;
        begin = part_begin(sorted, cut);
        *step = sorted[(cut + end - 1) / 2] - sorted[(begin + cut - 1) / 2];
        if (*step > SPREADS * pooled_spread(sorted + begin, cut - begin, end - cut))
            return cut;
        end = cut;
    }
    return 0;
}
