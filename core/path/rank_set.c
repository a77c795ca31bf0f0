/* Sets of ranks. */
#include "core/path/rank_set.h"

#include <string.h>

void wm_rank_set_add(struct wm_rank_set *set, int low, int high)
{
    struct wm_rank_range *all = set->ranges;
    int end = set->count, begin;

    while (end > 0 && all[end - 1].low > high + 1)
        end--;
    for (begin = end; begin > 0 && all[begin - 1].high + 1 >= low; begin--) {
        low = all[begin - 1].low < low ? all[begin - 1].low : low;
        high = all[begin - 1].high > high ? all[begin - 1].high : high;
    }
    memmove(&all[begin + 1], &all[end], sizeof *all * (size_t)(set->count - end));
    set->count += begin + 1 - end;
    all[begin] = (struct wm_rank_range){low, high};
}
