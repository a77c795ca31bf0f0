/* The state of a proof: what all ranks send, believe to receive, and receive. */
#ifndef WM_TOOLS_STATEMENT_PROOF_H
#define WM_TOOLS_STATEMENT_PROOF_H

#include "tools/statement/places.h"
#include "tools/statement/prove.h"

/* The message of an arrival: a part that `source` sends. */
struct wm_proof_arrival {
    int source;
    size_t part;
};

struct wm_proof_rank {
    struct wm_traffic lists;          /* what it sends, and believes to receive */
    struct wm_traffic arrivals;       /* what comes */
    struct wm_proof_arrival *origins; /* of its parts */
    size_t origin_capacity;
    struct wm_places read;
};

struct wm_statement_proof {
    const struct wm_bound_names *names;
    const struct wm_statement *s;
    struct wm_proof_rank *ranks;
    struct wm_statement_verdict *verdict;
    struct wm_error *error;
};

/* A claim is refuted: say how; the first sentence stays. */
void wm_proof_refute(struct wm_statement_proof *p, enum wm_claim claim, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Look at all data that a rank sends. 0, -WM_ENOMEM, -WM_EINVAL: it is too large; a fault refutes. */
int wm_proof_data(struct wm_statement_proof *p, int rank);
/* Does what the statement's hint says hold? 0 or -WM_ENOMEM. */
int wm_proof_hint(struct wm_statement_proof *p);

#endif
