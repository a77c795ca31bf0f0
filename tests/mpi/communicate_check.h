/* What the programs of statements find wrong. */
#ifndef WM_TESTS_COMMUNICATE_CHECK_H
#define WM_TESTS_COMMUNICATE_CHECK_H

#include <stdio.h>

static int rank, ranks, faults; /* this rank's */

static inline void check(const char *what, double is, double should)
{
    if (is == should)
        return;
    fprintf(stderr, "rank %d of %d: %s: %.17g, not %.17g\n", rank, ranks, what, is, should);
    faults++;
}

#endif
