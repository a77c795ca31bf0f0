/* Biconveyors: queries to any rank, and their replies, in the order of the queries.
 *
 * Every rank pushes queries; the rank that gets one answers it by a function, within its biconvey_advance; the asking
 * rank pulls the replies in the order in which it pushed the queries. The interface is the published one; `answer` gets
 * pointers of any alignment, writes the whole reply, and must not call the biconveyor. States, contract and codes are a
 * conveyor's (waymark/convey.h); a push fails while too many replies are outstanding, so a rank that waits for room
 * must pull as well as advance. What was pushed is answered though nobody is done.
 *
 * Beyond two conveyors it takes, as they do, memory for the replies that are outstanding (`max_bytes` counts it) and
 * eight bytes a rank. */
#ifndef BICONVEY_H
#define BICONVEY_H

#include "waymark/convey.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct biconveyor biconvey_t;

/* As convey_new, convey_new_simple, convey_new_tensor. Collective over MPI_COMM_WORLD. */
WM_CONVEY_API biconvey_t *biconvey_new(size_t max_bytes, size_t n_local, const convey_alc8r_t *alloc, uint64_t options);
WM_CONVEY_API biconvey_t *biconvey_new_simple(size_t capacity, const convey_alc8r_t *alloc, const convey_mpp_a2a_t *a2a,
                                              uint64_t options);
WM_CONVEY_API biconvey_t *biconvey_new_tensor(size_t capacity, int order, size_t n_local, size_t n_buffers,
                                              const convey_alc8r_t *alloc, uint64_t options);

/* Start a run. `answer` writes the reply to `query`; `context` is handed to it. Only when DORMANT. Collective. */
WM_CONVEY_API int biconvey_begin(biconvey_t *b, size_t query_bytes, size_t reply_bytes,
                                 void (*answer)(const void *query, void *reply, void *context), void *context);
/* Make progress, and answer; `done`, as in convey_advance: this rank pushes no more. convey_OK; convey_NEAR: all
 * replies are here; convey_DONE: and have been pulled. */
WM_CONVEY_API int biconvey_advance(biconvey_t *b, bool done);
/* Only when COMPLETE; DORMANT: nothing happens. Collective. */
WM_CONVEY_API int biconvey_reset(biconvey_t *b);
/* Only when DORMANT or COMPLETE; NULL is allowed. Collective. */
WM_CONVEY_API int biconvey_free(biconvey_t *b);

/* ---- what is inlined ---- */

/* The head of a biconveyor; the rest is the library's own. Queries and replies are numbered from 0 on; number n has
 * place n & mask in the window. */
struct biconveyor {
    convey_t *queries;
    uint64_t room;          /* outstanding replies that an inlined push may make; 0: none may push */
    uint64_t pushed;        /* queries */
    uint64_t pulled, ready; /* replies that were pulled, and up to where they may be */
    uint64_t mask;
    char *replies; /* [mask + 1] of reply_bytes each */
    size_t reply_bytes;
    uint32_t *next; /* after a place, that of the next query to the same rank */
    uint32_t *last; /* [ranks] the last query's place, for `next` */
};

WM_CONVEY_API int wm_biconvey_push(biconvey_t *b, const void *query, int64_t pe);
WM_CONVEY_API int wm_biconvey_pull(biconvey_t *b, void *reply);

/* Note that a query to `pe` was pushed. */
static inline void wm_biconvey_note(struct biconveyor *b, int64_t pe)
{
    uint32_t place = (uint32_t)(b->pushed++ & b->mask);

    b->next[b->last[pe]] = place;
    b->last[pe] = place;
}

/* Push a query to rank `pe`. convey_OK: it was copied; convey_FAIL: there is no room now. */
static inline int biconvey_push(biconvey_t *b, const void *query, int64_t pe)
{
    if (__builtin_expect(b != NULL && b->pushed - b->pulled < b->room && (uint64_t)pe < b->queries->reach, 1)) {
        int rc = convey_push(b->queries, query, pe);

        if (__builtin_expect(rc == convey_OK, 1))
            wm_biconvey_note(b, pe);
        return rc;
    }
    return wm_biconvey_push(b, query, pe);
}

/* Pull the reply to the oldest query whose reply was not pulled. convey_FAIL: it is not there now. */
static inline int biconvey_pull(biconvey_t *b, void *reply)
{
    if (__builtin_expect(b != NULL && b->pulled != b->ready, 1)) {
        wm_convey_copy(reply, b->replies + (b->pulled++ & b->mask) * b->reply_bytes, b->reply_bytes);
        return convey_OK;
    }
    return wm_biconvey_pull(b, reply);
}

#ifdef __cplusplus
}
#endif

#endif
