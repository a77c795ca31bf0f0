/* Cases of MPI among subranks: each runs at every subrank, and knows MPI's functions alone. */
#ifndef WM_TESTS_SUBRANK_H
#define WM_TESTS_SUBRANK_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void subrank_case(int rank, int size);

/* A fault of this rank, at a line. */
void subrank_check(int rank, const char *file, int line, bool right, const char *what);

#define CHECK(right) subrank_check(rank, __FILE__, __LINE__, (right), #right)
#define OK(call) CHECK((call) == MPI_SUCCESS)

subrank_case subrank_messages, subrank_requests, subrank_generalized, subrank_probes,
    subrank_random;                                                               /* subrank_messages.c */
subrank_case subrank_groups, subrank_comms, subrank_attributes, subrank_handlers; /* subrank_comms.c */
subrank_case subrank_cart, subrank_graphs, subrank_later;                         /* subrank_comms.c */
subrank_case subrank_inter, subrank_crossing;                                     /* subrank_inter.c */
subrank_case subrank_moving, subrank_combining, subrank_immediate, subrank_neighbours,
    subrank_persistent; /* subrank_collectives.c */

#endif
