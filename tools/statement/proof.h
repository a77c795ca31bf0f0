/* The state of a proof: what all ranks tell of, believe to receive, and are told of (tell.h). */
#ifndef WM_TOOLS_STATEMENT_PROOF_H
#define WM_TOOLS_STATEMENT_PROOF_H

#include "core/statement/places.h"
#include "tools/statement/prove.h"
#include "tools/statement/tell.h"

/* The message of an arrival: a part that `source` sends. */
struct wm_proof_arrival {
    int source;
    size_t part;
};

struct wm_proof_rank {
    struct wm_traffic lists;          /* what it sends, and believes to receive; what it asks for */
    struct wm_traffic arrivals;       /* what comes; what it is asked for */
    struct wm_proof_arrival *origins; /* of what comes */
    size_t origin_capacity;
    struct wm_places read;
};

struct wm_statement_proof {
    const struct wm_bound_names *names;
    const struct wm_statement *s;
    enum wm_side teller;
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
