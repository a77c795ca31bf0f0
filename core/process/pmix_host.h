/* Hosts by PMIx: where a rank runs that has never been heard of. */
#ifndef WM_PMIX_HOST_H
#define WM_PMIX_HOST_H

/* The host of a rank of MPI_COMM_WORLD as the launcher knows it; NULL when there is no PMIx in this process or it does
 * not say. Asks the local server at most. The text lives until the next call. */
const char *wm_pmix_host(int rank);

#endif
