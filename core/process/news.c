/* News: what rank 0 finds out by a process of its own, while the others have nothing to do. */
#include "core/process/news.h"

#include <time.h>

enum { NAP_NS = 100000 };

int wm_news_share(void *data, int count, MPI_Datatype type, MPI_Comm comm, bool rests)
{
    MPI_Request told;
    int rc = PMPI_Ibcast(data, count, type, 0, comm, &told), done = 0;

    while (rc == MPI_SUCCESS && rests && !done) {
        rc = PMPI_Test(&told, &done, MPI_STATUS_IGNORE);
        if (!done)
            nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    }
    return rc == MPI_SUCCESS ? PMPI_Wait(&told, MPI_STATUS_IGNORE) : rc;
}
