/* News: what rank 0 finds out by a process of its own, while the others have nothing to do. */
#ifndef WM_NEWS_H
#define WM_NEWS_H

#include <mpi.h>
#include <stdbool.h>

/* A broadcast from rank 0. Ranks that rest sleep until it comes, so that who works for rank 0 has the processors.
 * Returns MPI_SUCCESS or an MPI error. */
int wm_news_share(void *data, int count, MPI_Datatype type, MPI_Comm comm, bool rests);

#endif
