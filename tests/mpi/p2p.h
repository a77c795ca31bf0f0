/* Cases of point-to-point messages: each runs at every endpoint, which is a rank of its own. */
#ifndef WM_TESTS_P2P_H
#define WM_TESTS_P2P_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/p2p/p2p.h"

struct me {
    int rank, size;
    struct wm_endpoints *group;
    struct wm_p2p_process *process;
    struct wm_p2p_comm *comm, *quiet; /* of all; quiet: for meet alone */
};

typedef void p2p_case(const struct me *me);

/* All ranks are here. */
void p2p_meet(const struct me *me);
/* A fault of this rank, at a line. */
void p2p_check(const struct me *me, const char *file, int line, bool right, const char *what);
/* Sentences that were told so far in this process. */
int p2p_told(void);

#define CHECK(right) p2p_check(me, __FILE__, __LINE__, (right), #right)
#define OK(call) CHECK((call) == MPI_SUCCESS)

/* A byte of message `number` of `sender`. */
static inline unsigned char p2p_byte(int sender, int number, size_t i)
{
    return (unsigned char)(sender * 31 + number * 7 + (int)(i % 251));
}

static inline void p2p_fill(unsigned char *data, size_t bytes, int sender, int number)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = p2p_byte(sender, number, i);
}

static inline bool p2p_is(const unsigned char *data, size_t bytes, int sender, int number)
{
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != p2p_byte(sender, number, i))
            return false;
    return true;
}

static inline bool p2p_status_is(const MPI_Status *status, int source, int tag, int bytes)
{
    int count, cancelled;

    PMPI_Get_count(status, MPI_BYTE, &count);
    PMPI_Test_cancelled(status, &cancelled);
    return status->MPI_SOURCE == source && status->MPI_TAG == tag && count == bytes && !cancelled;
}

static inline bool p2p_status_is_empty(const MPI_Status *status)
{
    return p2p_status_is(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0) && status->MPI_ERROR == MPI_SUCCESS;
}

static inline bool p2p_is_cancelled(const MPI_Status *status)
{
    int cancelled;

    PMPI_Test_cancelled(status, &cancelled);
    return cancelled != 0;
}

p2p_case p2p_modes, p2p_order, p2p_communicators, p2p_random;     /* p2p_traffic.c */
p2p_case p2p_types, p2p_replace, p2p_freed_types, p2p_lost_types; /* p2p_types.c */
p2p_case p2p_cancels, p2p_truncation, p2p_nobody, p2p_errors;     /* p2p_faults.c */
p2p_case p2p_buffered;                                            /* p2p_buffer.c */
p2p_case p2p_probes, p2p_completion, p2p_persistent;              /* p2p_requests.c */

#endif
