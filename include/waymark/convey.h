/* Conveyors: streams of many small items between all ranks.
 *
 * A conveyor is a collective object. Every rank pushes items, each to a rank of its choice, and pulls the items that
 * were pushed to it. On the way items are gathered into buffers, and pass one, two or three hops; which, the path map
 * says (`(on conveyor …)`), and where its paths do not, the constructor's arguments. Names, values and
 * contract are those of F. M. Maley and J. G. DeVinney, "Conveyors for streaming many-to-many communication" (2019),
 * and of their package's published headers; what goes beyond them says so.
 *
 * States of a conveyor at one rank: DORMANT (made, or reset), WORKING (convey_begin: push, pull), ENDGAME (this rank
 * has said that it is done: pull), CLEANUP (nothing more will arrive: pull), COMPLETE (nothing is left to pull).
 *
 * What the conveyor promises, if every rank keeps calling convey_advance and convey_pull until convey_DONE:
 *   each item whose push succeeded is delivered exactly once, before the reset; items of one source for one
 *   destination in the order of their pushes; a push that fails succeeds in the end, if convey_advance is called in
 *   between; an illegal call has no effect but a negative code; if any rank is in CLEANUP or COMPLETE, none is WORKING;
 *   either convey_advance never waits for other ranks, or (synchronous paths) all ranks finish in the same call of it.
 * What the caller promises: begin, reset, free and the constructors are called by all ranks of the communicator, with
 * the same arguments; after convey_advance(c, true) no push.
 *
 * One thread at a time per conveyor. MPI is initialised by the caller. Pushes and pulls of items of a fixed size are
 * inlined; the functions called wm_convey_… do the rest, and check. */
#ifndef CONVEY_H
#define CONVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "waymark/convey_alc8r.h"
#include "waymark/convey_codec.h"
#include "waymark/expect.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WM_CONVEY_INLINE static inline __attribute__((always_inline))

/* What calls return when nothing is wrong. Misuse and failures are negative: enum convey_error. */
enum convey_status {
    convey_DONE = 0, /* convey_advance: complete */
    convey_FAIL = 0, /* push, pull: not now */
    convey_OK = 1,
    convey_NEAR = 2 /* convey_advance: nothing more will arrive, there may be items to pull */
};

enum convey_feature {
    convey_ELASTIC = 0x01, /* items of various sizes: epush, epull */
    convey_STEADY = 0x02,  /* what was pushed arrives, though nobody is done */
    convey_THRIFTY = 0x04  /* buffers are compressed on hops between nodes */
};

/* Of the run since convey_begin; with convey_CUMULATIVE added, of the conveyor's life. */
enum convey_statistic {
    convey_BEGINS = 0,
    convey_PUSHES,
    convey_PULLS,
    convey_UNPULLS,
    convey_ADVANCES,
    convey_COMMS, /* buffers handed over to another rank, of several hops on those between groups of ranks */
    convey_SYNCS, /* collective calls */
    convey_BYTES, /* in those buffers */
    convey_CUMULATIVE
};

enum convey_option {
    convey_opt_RECKLESS = 0x01, /* accepted; the checks cost nothing here */
    convey_opt_DYNAMIC = 0x02,  /* buffers live from begin to reset, not from the constructor to free */
    convey_opt_QUIET = 0x04,    /* errors are returned, not printed */
    convey_opt_SCATTER = 0x08,  /* accepted */
    convey_opt_PROGRESS = 0x10, /* a steady conveyor is wanted */
    convey_opt_ALERT = 0x20,    /* say what may cost speed */
    convey_opt_COMPRESS = 0x40  /* compress between nodes, as the wrapper `compress` does */
};

enum convey_expert_option { convey_opt_STANDARD = 0x100000, convey_opt_BLOCKING = 0x200000 }; /* accepted */

#define CONVEY_MAX_ALIGN (UINT64_C(64))

/* clang-format off */
#define WM_CONVEY_ERRORS(X)                                                                                       \
    X(NULL,    -1,  "the conveyor is NULL")                                                                       \
    X(STATE,   -2,  "the conveyor is not in a state that allows this call")                                       \
    X(RANGE,   -3,  "the destination is no rank of the conveyor's communicator")                                  \
    X(SIZE,    -4,  "the item is larger than the conveyor's bound, or the size differs between ranks")            \
    X(RIGID,   -5,  "the conveyor is not elastic: make it by convey_new_elastic or convey_new_etensor")           \
    X(MISFIT,  -6,  "the next item has another size than convey_pull's: pull it by convey_epull")                 \
    X(ALLOC,   -7,  "there is no memory for the buffers, here or at another rank")                                \
    X(ARGUMENT,-8,  "an argument is NULL or out of its range")                                                    \
    X(CODEC,   -9,  "the codec broke its contract")                                                               \
    X(MPI,     -10, "the MPI library reported an error")                                                          \
    X(MAP,     -11, "the path map has a fault that concerns conveyors")                                           \
    X(UNKNOWN, -99, "there is no such error")
/* clang-format on */

enum convey_error {
#define X(id, code, sentence) convey_error_##id = code,
    WM_CONVEY_ERRORS(X)
#undef X
};

typedef struct conveyor convey_t;
typedef struct mpp_alltoall convey_mpp_a2a_t; /* accepted as an argument, and not looked at */

typedef struct {
    size_t bytes;
    void *data; /* aligned; valid until the next pull or unpull that succeeds */
    int64_t from;
} convey_item_t;

extern WM_CONVEY_API const char convey_version[];

/* ---- constructors: collective over MPI_COMM_WORLD ----
 * `alloc` may be NULL. `options`: an OR of enum convey_option. NULL is returned, at all ranks, after one message. Of
 * buffers and hops the path of a map's rule for conveyors decides what it names, within max_bytes.
 * waymark/convey_comm.h has the constructors for any
 * communicator and for a conveyor with a name. */

/* Chosen for speed, with about `max_bytes` of buffers a rank at most (SIZE_MAX: no limit; too few: as few as can be).
 * `n_local`: ranks of a node, 0: as the machine says, or CONVEY_NLOCAL. CONVEY_BUFFER_SIZE: bytes of a buffer. */
WM_CONVEY_API convey_t *convey_new(size_t max_bytes, size_t n_local, const convey_alc8r_t *alloc, uint64_t options);
/* The same for items of up to `item_bound` bytes each, below 2^40. */
WM_CONVEY_API convey_t *convey_new_elastic(size_t item_bound, size_t max_bytes, size_t n_local,
                                           const convey_alc8r_t *alloc, uint64_t options);
/* Synchronous: bulk exchanges of buffers of `capacity` bytes a destination. */
WM_CONVEY_API convey_t *convey_new_simple(size_t capacity, const convey_alc8r_t *alloc, const convey_mpp_a2a_t *a2a,
                                          uint64_t options);
/* Synchronous, along rows of `row_procs` ranks, which divides the ranks, then along columns. 0 is refused. */
WM_CONVEY_API convey_t *convey_new_twohop(size_t capacity, size_t row_procs, const convey_alc8r_t *alloc,
                                          uint64_t options);
/* Asynchronous, of `order` hops, 1 to 3; `n_local` consecutive ranks make a group (it divides the ranks; unused by one
 * hop); `n_buffers` a link, 1 to 64. */
WM_CONVEY_API convey_t *convey_new_tensor(size_t capacity, int order, size_t n_local, size_t n_buffers,
                                          const convey_alc8r_t *alloc, uint64_t options);
/* The same for items of up to `monster_bytes`; those that exceed a buffer go on a ticket. */
WM_CONVEY_API convey_t *convey_new_etensor(size_t buffer_bytes, size_t monster_bytes, int order, size_t n_local,
                                           size_t n_buffers, const convey_alc8r_t *alloc, uint64_t options);

/* ---- the life of a conveyor: begin, reset, free are collective ---- */

/* Start a run of items of `item_bytes` (0 is allowed). `align`: of pointers that apull and epull give, a power of two
 * that divides item_bytes, up to CONVEY_MAX_ALIGN; any other number: the largest such. Only when DORMANT. */
WM_CONVEY_API int convey_begin(convey_t *c, size_t item_bytes, size_t align);
/* Make progress; `done`: this rank pushes no more. Once true, it is taken as true. convey_OK, convey_NEAR, convey_DONE.
 */
WM_CONVEY_API int convey_advance(convey_t *c, bool done);
/* Only when COMPLETE; DORMANT: nothing happens. */
WM_CONVEY_API int convey_reset(convey_t *c);
/* Only when DORMANT or COMPLETE; NULL is allowed. */
WM_CONVEY_API int convey_free(convey_t *c);
/* Only when DORMANT. NULL: no compression. convey_FAIL: the conveyor does not compress, since it is synchronous or was
 * made without convey_opt_COMPRESS. Collective. */
WM_CONVEY_API int convey_set_codec(convey_t *c, const convey_codec_t *codec, void *arg);

WM_CONVEY_API size_t convey_item_size(convey_t *c); /* 0 when DORMANT */
WM_CONVEY_API uint64_t convey_features(convey_t *c);
/* -1: there is no such statistic, or no conveyor. */
WM_CONVEY_API int64_t convey_statistic(convey_t *c, int which);
WM_CONVEY_API const char *convey_error_string(convey_t *c, int error);

/* ---- items of various sizes ---- */

WM_CONVEY_API int convey_epush(convey_t *c, size_t bytes, const void *item, int64_t pe);
WM_CONVEY_API int convey_epull(convey_t *c, convey_item_t *result);

/* ---- beyond the published interface ---- */

/* Push up to `count` items that stand one behind the other, all to `pe`. Returns how many, from the first on: 0 to
 * count; or a negative code. */
WM_CONVEY_API int64_t convey_push_span(convey_t *c, const void *items, size_t count, int64_t pe);
/* Pull all the items that stand together: *items is valid until the next pull or unpull. With `from`, they are of one
 * source, *from; NULL: of any. Returns how many, 0: none now; or a negative code. An unpull gives back the last of
 * them. */
WM_CONVEY_API int64_t convey_pull_span(convey_t *c, const void **items, int64_t *from);
/* Push, and send on at once what is under way to `pe`, here and on all its hops. */
WM_CONVEY_API int convey_push_urgent(convey_t *c, const void *item, int64_t pe);

/* `items` of the conveyor's size one behind the other, valid during the call. `from`: their source; -1 for a handler
 * that did not ask for it. It may push to other conveyors, and to this one while that is WORKING. */
typedef void convey_handler_t(void *context, const void *items, size_t count, int64_t from);
/* Whatever arrives is given to `handler` within convey_advance; nothing is left to pull. `sources`: spans of one source
 * each. NULL: none. Only when DORMANT, and not for elastic conveyors; local. */
WM_CONVEY_API int convey_set_handler(convey_t *c, convey_handler_t *handler, void *context, bool sources);

enum convey_state { convey_DORMANT, convey_WORKING, convey_ENDGAME, convey_CLEANUP, convey_COMPLETE };

/* What a conveyor is doing, at any moment, without communication. */
struct convey_live {
    enum convey_state state;
    int hops;
    int64_t pushed, pulled; /* items of this run */
    int64_t waiting;        /* items in buffers of this rank that are not handed over yet */
    int64_t refused;        /* pushes that found no room */
    size_t bytes_held;      /* memory of this rank for buffers, links and tables; in shared memory what it reads from */
};
WM_CONVEY_API int convey_live(convey_t *c, struct convey_live *live);

/* ---- what is inlined ---- */

struct wm_convey_outlet {
    char *at;    /* where the next item goes */
    char *limit; /* equal: no room without the library's help */
    char *tag;   /* where its tag goes */
    void *link;  /* the library's */
};

enum { WM_CONVEY_AHEAD_BYTES = 512 };

/* The head of a conveyor; the rest is the library's own. */
struct conveyor {
    uint64_t reach;                   /* destinations that an inlined push serves: all of them, or 0 */
    const uint32_t *ways;             /* [reach] (number of the outlet << 16) | tag */
    struct wm_convey_outlet *outlets; /* by number */
    size_t item_bytes, stride;        /* stride: item_bytes, or 1 */
    uint32_t tag_bytes;               /* 0, 1, 2; 4 where pushes are not inlined */
    char *next, *end;                 /* items that are ready to be pulled */
    const char *next_tag;
    int64_t from;           /* their source, or what is added to: */
    const int64_t *origins; /* [tag] NULL without tags */
    bool lent;              /* the items up to `next` were given out as a span */
};

WM_CONVEY_API int wm_convey_push(convey_t *c, const void *item, int64_t pe);
WM_CONVEY_API int wm_convey_pull(convey_t *c, void *item, int64_t *from);
WM_CONVEY_API void *wm_convey_apull(convey_t *c, int64_t *from);
WM_CONVEY_API int wm_convey_unpull(convey_t *c);
WM_CONVEY_API int64_t wm_convey_far_source(const struct conveyor *head);

/* The compiler sees the branches of other sizes, too, and would warn of them. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif
WM_CONVEY_INLINE void wm_convey_copy(void *to, const void *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 16)
        memcpy(to, from, 16);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes == 32)
        memcpy(to, from, 32);
    else if (bytes == 64)
        memcpy(to, from, 64);
    else if (bytes == 128)
        memcpy(to, from, 128);
    else
        memcpy(to, from, bytes);
}

/* A line that will be written soon was the reader's: have it brought meanwhile. Any address is allowed. */
WM_CONVEY_INLINE void wm_convey_expect_write(const char *line)
{
#ifdef __x86_64__
    __asm__ volatile("prefetchw %0" : : "m"(*line));
#else
    __builtin_prefetch(line, 1);
#endif
}

WM_CONVEY_INLINE void wm_convey_put_word(void *to, const void *from, size_t word)
{
    uint64_t value;

    memcpy(&value, (const char *)from + 8 * word, 8);
    __asm__("" : "+r"(value)); /* or the compiler joins two of them */
    memcpy((char *)to + 8 * word, &value, 8);
}

/* The same of an item that was just written: by words, since a wider load has to wait until what was written by words
 * has reached the cache. */
WM_CONVEY_INLINE void wm_convey_put(void *to, const void *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 16 || bytes == 32) {
        wm_convey_put_word(to, from, 0);
        wm_convey_put_word(to, from, 1);
        if (bytes == 32) {
            wm_convey_put_word(to, from, 2);
            wm_convey_put_word(to, from, 3);
        }
    } else
        wm_convey_copy(to, from, bytes);
}
#pragma GCC diagnostic pop

/* Push `item` to rank `pe`. convey_OK: it was copied; convey_FAIL: there is no room now. */
WM_CONVEY_INLINE int convey_push(convey_t *c, const void *item, int64_t pe)
{
    struct conveyor *head = c;

    if (__builtin_expect(head != NULL && (uint64_t)pe < head->reach, 1)) {
        uint32_t way = head->ways[pe];
        struct wm_convey_outlet *out = &head->outlets[way >> 16];

        char *at = out->at;

        if (__builtin_expect(at != out->limit, 1)) {
            size_t bytes = head->item_bytes;
            uint32_t tag_bytes = head->tag_bytes;

            wm_convey_expect_write(at + WM_CONVEY_AHEAD_BYTES);
            out->at = at + head->stride; /* before the copy, which may write anywhere for all that the compiler knows */
            wm_convey_put(at, item, bytes);
            if (tag_bytes == 1)
                *out->tag++ = (char)way;
            else if (tag_bytes == 2) {
                uint16_t tag = (uint16_t)way;
                memcpy(out->tag, &tag, 2);
                out->tag += 2;
            }
            return convey_OK;
        }
    }
    return wm_convey_push(c, item, pe);
}

/* The source of the item at `next`. */
WM_CONVEY_INLINE int64_t wm_convey_source(const struct conveyor *head)
{
    uint16_t wide;

    if (head->tag_bytes == 0)
        return head->from;
    if (head->tag_bytes == 1)
        return head->from + head->origins[(unsigned char)*head->next_tag];
    if (head->tag_bytes > 2)
        return wm_convey_far_source(head);
    memcpy(&wide, head->next_tag, 2);
    return head->from + head->origins[wide];
}

WM_CONVEY_INLINE bool wm_convey_ready(const struct conveyor *head)
{
    return __builtin_expect(head != NULL && head->next != head->end, 1);
}

WM_CONVEY_INLINE void *wm_convey_take(struct conveyor *head)
{
    char *item = head->next;

    head->next += head->stride;
    if (head->tag_bytes > 0)
        head->next_tag += head->tag_bytes;
    return item;
}

/* Pull an item: copy it to *item, and its source to *from unless that is NULL. convey_FAIL: there is none now. */
WM_CONVEY_INLINE int convey_pull(convey_t *c, void *item, int64_t *from)
{
    char *at;

    if (!wm_convey_ready(c))
        return wm_convey_pull(c, item, from);
    if (from != NULL)
        *from = wm_convey_source(c);
    at = c->next;
    __builtin_prefetch(at + WM_CONVEY_AHEAD_BYTES); /* the writer's line; any address is allowed */
    wm_convey_copy(item, at, c->item_bytes);
    c->next = at + c->stride; /* the last store, so that the next pull need not load it again */
    if (c->tag_bytes > 0)
        c->next_tag += c->tag_bytes;
    return convey_OK;
}

/* The same in place: NULL, or a pointer that is valid until the next pull or unpull that succeeds. The last item of a
 * buffer is copied aside, so that the buffer can go. */
WM_CONVEY_INLINE void *convey_apull(convey_t *c, int64_t *from)
{
    if (!wm_convey_ready(c) || c->next + c->stride == c->end)
        return wm_convey_apull(c, from);
    if (from != NULL)
        *from = wm_convey_source(c);
    return wm_convey_take(c);
}

/* Give the item that was pulled last back, to be pulled again. convey_FAIL: that cannot be done any more. */
WM_CONVEY_INLINE int convey_unpull(convey_t *c)
{
    return wm_convey_unpull(c);
}

#ifdef __cplusplus
}
#endif

#endif
