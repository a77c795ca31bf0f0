/* What calls of statements were: how they travelled, and what of an earlier call was kept. */
#ifndef WM_TESTS_COMMUNICATE_KINDS_H
#define WM_TESTS_COMMUNICATE_KINDS_H

#include "core/communicate/deal.h"

/* X(name, text): kinds of calls, and of messages in them; a call is of several. */
#define KINDS(X)                                                                                                       \
    X(GLOBAL, "global")                                                                                                \
    X(CORRESPONDING, "corresponding")                                                                                  \
    X(SENDER, "sender")                                                                                                \
    X(RECEIVER, "receiver")                                                                                            \
    X(FIRST, "first")                                                                                                  \
    X(KEPT, "kept")                                                                                                    \
    X(ASKED, "asked")                                                                                                  \
    X(EXTENTS, "other extents")                                                                                        \
    X(SIZES, "other sizes")                                                                                            \
    X(CHOICE, "another choice")                                                                                        \
    X(LEARNED, "learned")                                                                                              \
    X(FITTED, "learned, other extents")                                                                                \
    X(BEGUN, "nonblocking")                                                                                            \
    X(AS_MESSAGES, "operation as messages")                                                                            \
    X(TEAM, "operation of a team")                                                                                     \
    X(OUTSIDE, "outside of teams")                                                                                     \
    X(SENT, "sent directly")                                                                                           \
    X(RECEIVED, "received directly")                                                                                   \
    X(PACKED, "packed")                                                                                                \
    X(STORED, "stored")                                                                                                \
    X(LARGE, "large")

enum kind {
#define X(name, text) KIND_##name,
    KINDS(X)
#undef X
        KIND_COUNT
};

struct kinds {
    long of[KIND_COUNT], operations[WM_OPERATION_COUNT];
};

/* Before a call, and when it is over. `learned`: as the former returned it. */
bool kinds_before(struct kinds *k, MPI_Comm comm, const struct wm_statement_site *site,
                  const struct wm_bound bindings[]);
void kinds_after(struct kinds *k, MPI_Comm comm, const struct wm_statement_site *site, bool learned, bool blocking);
/* The deal of the site; NULL: there is none. */
const struct wm_deal *kinds_deal(MPI_Comm comm, const struct wm_statement_site *site);
/* Sum up over all ranks, print them at rank 0. False: there is a kind of which there was none. */
bool kinds_print(struct kinds *k);

#endif
