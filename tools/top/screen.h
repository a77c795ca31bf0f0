/* A snapshot as text: a title, what is stuck, and a row for each rank or, where there are more ranks than lines, for
 * each group of ranks that do the same. */
#ifndef WM_TOP_SCREEN_H
#define WM_TOP_SCREEN_H

#include <stdio.h>
#include "tools/text/table.h"
#include "tools/top/snapshot.h"

#define WM_TOP_ORDERS(X)                                                                                               \
    X(RANK, "rank")                                                                                                    \
    X(TIME, "time")                                                                                                    \
    X(SHARE, "share in MPI")

enum wm_top_order {
#define X(id, name) WM_TOP_BY_##id,
    WM_TOP_ORDERS(X)
#undef X
        WM_TOP_ORDER_COUNT
};

struct wm_top_view {
    int lines, columns; /* of the window; lines 0: as many as there are */
    bool color, keys;   /* keys: the last line says what they do */
    bool whole;         /* rows are printed whole, though wider than `columns` */
    bool paused;
    enum wm_top_order order;
    int scroll; /* rows passed over; made to fit by wm_top_print */
};

/* Print the snapshot, at most view->lines lines, none wider than view->columns but for rows with view->whole. 0 or
 * -WM_ENOMEM. */
int wm_top_print(FILE *file, const struct wm_snapshot *snapshot, struct wm_top_view *view);

/* "MPI_Allreduce at cluster.scm:5, call #12 on MPI_COMM_WORLD,". */
void wm_top_call_text(const struct wm_snapshot *snapshot, const struct wm_top_row *row, char *out, size_t out_bytes);
/* The same for a row, "MPI_Allreduce cluster.scm:5 #12"; the communicator is named where it is not the world. */
void wm_top_short_text(const struct wm_snapshot *snapshot, const struct wm_top_row *row, char *out, size_t out_bytes);
/* The sentence of ranks that are stuck in the call of `row`, one of them: what it misses, and what the rank does that
 * it waits for in the end. */
void wm_top_stuck_text(const struct wm_snapshot *snapshot, const struct wm_top_row *row, const int *ranks, int count,
                       char *out, size_t out_bytes);
/* Where in a superblock it is: "asleep until 'jacobi' can compute". */
void wm_top_region_text(const struct wm_top_row *row, char *out, size_t out_bytes);
/* What it waits for, short: "rank 3 (message 0, 64 B)". "" when it waits for nobody. */
void wm_top_await_text(const struct wm_snapshot *snapshot, const struct wm_top_row *row, char *out, size_t out_bytes);

#endif
