/* Attribution: every nanosecond of one rank's stay in a call goes to exactly one cause.
 *
 * Edges (a send or a receive, from its posting to its end) overlap each other and the rank's own work. Own
 * work is known exactly and comes first; the rest of the time goes, among the edges then open, to the one
 * that ends last (docs/definitions.md, 7); time outside of all of them is the caller's own: overhead. An
 * edge first waits for the other side, until `split`, and then transfers. */
#ifndef WM_ATTRIBUTION_H
#define WM_ATTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_attributed_edge {
    int64_t begin_ns, split_ns, end_ns; /* begin <= split <= end */
    uint16_t node;
    bool receive;
    int32_t peer; /* world rank of the other side */
    uint64_t bytes;
};

struct wm_attributed_work {
    int64_t begin_ns, end_ns;
    uint16_t node;
    bool shared; /* with others, for whom it may have waited */
};

enum wm_attributed_kind { WM_ATTRIBUTED_WAIT, WM_ATTRIBUTED_TRANSFER, WM_ATTRIBUTED_WORK, WM_ATTRIBUTED_OVERHEAD };

struct wm_attributed_piece {
    enum wm_attributed_kind kind;
    int64_t begin_ns, end_ns;
    const struct wm_attributed_edge *edge; /* WAIT, TRANSFER */
    const struct wm_attributed_work *work; /* WORK */
};

/* Cut [begin_ns, end_ns] into pieces and hand each to `take`, from the end backwards; they meet without gap
 * or overlap. Sorts both arrays. O(n log n). */
void wm_attribute(int64_t begin_ns, int64_t end_ns, struct wm_attributed_edge *edges, size_t edge_count,
                  struct wm_attributed_work *works, size_t work_count,
                  void (*take)(void *context, const struct wm_attributed_piece *piece), void *context);

#endif
