/* One binary search, of whatever has an order: `holds` is an expression of `i`, true of the first elements and false of
 * the rest; it is evaluated some log2(count) times, each time with another `i`. */
#ifndef WM_SEARCH_H
#define WM_SEARCH_H

#include <stddef.h>

/* How many of the elements 0 … count - 1 it is true of: the index of the first of the rest, or `count`. */
#define WM_COUNT_WHILE(i, count, holds)                                                                                \
    ({                                                                                                                 \
        size_t low_ = 0, high_ = (size_t)(count);                                                                      \
                                                                                                                       \
        while (low_ < high_) {                                                                                         \
            size_t i = low_ + (high_ - low_) / 2;                                                                      \
                                                                                                                       \
            if (holds)                                                                                                 \
                low_ = i + 1;                                                                                          \
            else                                                                                                       \
                high_ = i;                                                                                             \
        }                                                                                                              \
        low_;                                                                                                          \
    })

/* The index of the last element that it is true of; 0 where there is none. */
#define WM_LAST_WHILE(i, count, holds)                                                                                 \
    ({                                                                                                                 \
        size_t found_ = WM_COUNT_WHILE(i, count, holds);                                                               \
                                                                                                                       \
        found_ > 0 ? found_ - 1 : 0;                                                                                   \
    })

#endif
