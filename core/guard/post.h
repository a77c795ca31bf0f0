/* Messages in a rank's page: how many went to each peer and came from it, what is begun and not known to be over, and
 * which of these a blocking call waits for.
 *
 * A send counts before the library has it, a receive when it is over: equal counts at both ends say that nothing is
 * underway between them. A message that nobody could count (a full table, a receive that was cancelled) leaves the sums
 * unequal, or says so: then nothing is proven. Requests are found by their handles in a table that loses: `pending`
 * says how many receives there are, whatever the table has. */
#ifndef WM_GUARD_POST_H
#define WM_GUARD_POST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WM_PAGE_PAIRS = 1024, WM_PAGE_MESSAGES = 1024, WM_PAGE_WITH = 2, WM_PAGE_HANDLES = 32 };
enum { WM_PAGE_PROBES = 8 };

/* MPI_ANY_SOURCE and MPI_ANY_TAG. */
enum { WM_PAGE_ANY = -1 };

/* The functions whose waits are known: identifier, MPI's name, whether its request (or message) is for later. */
#define WM_POST_FUNCTIONS(X)                                                                                           \
    X(SEND, "MPI_Send")                                                                                                \
    X(SSEND, "MPI_Ssend")                                                                                              \
    X(BSEND, "MPI_Bsend")                                                                                              \
    X(RSEND, "MPI_Rsend")                                                                                              \
    X(RECV, "MPI_Recv")                                                                                                \
    X(SENDRECV, "MPI_Sendrecv")                                                                                        \
    X(SENDRECV_REPLACE, "MPI_Sendrecv_replace")                                                                        \
    X(PROBE, "MPI_Probe")                                                                                              \
    X(MPROBE, "MPI_Mprobe")                                                                                            \
    X(IMPROBE, "MPI_Improbe")                                                                                          \
    X(ISEND, "MPI_Isend")                                                                                              \
    X(ISSEND, "MPI_Issend")                                                                                            \
    X(IBSEND, "MPI_Ibsend")                                                                                            \
    X(IRSEND, "MPI_Irsend")                                                                                            \
    X(IRECV, "MPI_Irecv")                                                                                              \
    X(IMRECV, "MPI_Imrecv")                                                                                            \
    X(SEND_INIT, "MPI_Send_init")                                                                                      \
    X(SSEND_INIT, "MPI_Ssend_init")                                                                                    \
    X(BSEND_INIT, "MPI_Bsend_init")                                                                                    \
    X(RSEND_INIT, "MPI_Rsend_init")                                                                                    \
    X(RECV_INIT, "MPI_Recv_init")                                                                                      \
    X(WAIT, "MPI_Wait")                                                                                                \
    X(WAITALL, "MPI_Waitall")                                                                                          \
    X(WAITANY, "MPI_Waitany")                                                                                          \
    X(WAITSOME, "MPI_Waitsome")                                                                                        \
    X(TEST, "MPI_Test")                                                                                                \
    X(TESTALL, "MPI_Testall")                                                                                          \
    X(TESTANY, "MPI_Testany")                                                                                          \
    X(TESTSOME, "MPI_Testsome")
enum wm_post_function {
    WM_POST_NONE, /* a collective call */
#define FUNCTION(NAME, name) WM_POST_##NAME,
    WM_POST_FUNCTIONS(FUNCTION)
#undef FUNCTION
        WM_POST_FUNCTION_COUNT
};

/* Its request is made once, and begins a message as often as it is started. */
static inline bool wm_post_is_persistent(int function)
{
    return function >= WM_POST_SEND_INIT && function <= WM_POST_RECV_INIT;
}

enum wm_post_kind { WM_POST_SENT, WM_POST_RECEIVED, WM_POST_COLLECTIVE };

/* A send that its receive must come for; it is under way; its handle lasts; it may never come. */
enum { WM_POST_SYNCHRONOUS = 1, WM_POST_ACTIVE = 2, WM_POST_PERSISTENT = 4, WM_POST_CANCELLED = 8 };

/* A message, or a nonblocking collective call. */
struct wm_page_message {
    uint64_t request; /* the handle; 0: none, or no entry */
    uint64_t site;
    union {
        struct {
            int32_t peer, tag; /* the peer's rank in the communicator */
        };
        uint64_t sequence; /* the collective call's number */
    };
    uint32_t bytes; /* of a send, at most UINT32_MAX; the collective call's index */
    uint8_t function, kind, flags;
    uint8_t comm; /* index; WM_PAGE_NO_COMM: unknown, and it may match any send */
};
enum { WM_PAGE_NO_COMM = 255 };

/* What went to a rank of a communicator, and came from it. Sums of tags tell the tag of the one that is underway. */
struct wm_page_pair {
    uint32_t comm; /* index + 1; 0: no entry */
    int32_t peer;
    uint32_t sent, received;
    int64_t sent_tags, received_tags;
    uint32_t blurred; /* tags of some that were received are not known */
};

struct wm_page_post {
    struct wm_page_message with[WM_PAGE_WITH]; /* what a blocking call that is no MPI_Wait… waits for: all of it */
    uint64_t handles[WM_PAGE_HANDLES];         /* the requests of an MPI_Wait… */
    uint32_t pending;                          /* receives that have been begun and were not seen to end */
    uint32_t lost;                             /* some sends were not counted, to pairs that have no entry */
    uint64_t used[WM_PAGE_PAIRS / 64];         /* which pairs are entries */
    struct wm_page_pair pairs[WM_PAGE_PAIRS];
    struct wm_page_message messages[WM_PAGE_MESSAGES];
};

static inline uint32_t wm_post_place(uint64_t key, uint32_t places)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & (places - 1);
}

/* The entry, or NULL. Any process. */
static inline const struct wm_page_pair *wm_post_find_pair(const struct wm_page_post *post, uint32_t comm, int peer)
{
    uint32_t place = wm_post_place((uint64_t)comm << 32 ^ (uint32_t)peer, WM_PAGE_PAIRS);

    for (uint32_t i = 0; i < WM_PAGE_PROBES; i++) {
        const struct wm_page_pair *pair = &post->pairs[(place + i) % WM_PAGE_PAIRS];

        if (pair->peer == peer && pair->comm == comm + 1)
            return pair;
    }
    return NULL;
}

static inline const struct wm_page_message *wm_post_find(const struct wm_page_post *post, uint64_t request)
{
    uint32_t place = wm_post_place(request, WM_PAGE_MESSAGES);

    for (uint32_t i = 0; i < WM_PAGE_PROBES; i++)
        if (post->messages[(place + i) % WM_PAGE_MESSAGES].request == request)
            return &post->messages[(place + i) % WM_PAGE_MESSAGES];
    return NULL;
}

/* --- The rank's own side --- */

/* Make an entry; NULL: there is no room, and none will be: what was lost once stays uncounted for good. */
struct wm_page_pair *wm_post_add_pair(struct wm_page_post *post, uint32_t comm, int peer);

static inline struct wm_page_pair *wm_post_take_pair(struct wm_page_post *post, uint32_t comm, int peer)
{
    struct wm_page_pair *pair = (struct wm_page_pair *)wm_post_find_pair(post, comm, peer);

    return __builtin_expect(pair != NULL, 1) ? pair : wm_post_add_pair(post, comm, peer);
}

/* Count a message to a peer, or from it; `tag` WM_PAGE_ANY: not known. */
static inline void wm_post_count_sent(struct wm_page_post *post, uint32_t comm, int peer, int tag)
{
    struct wm_page_pair *pair = wm_post_take_pair(post, comm, peer);

    if (pair == NULL)
        return;
    pair->sent++;
    pair->sent_tags += tag;
}

static inline void wm_post_count_received(struct wm_page_post *post, uint32_t comm, int peer, int tag)
{
    struct wm_page_pair *pair = wm_post_take_pair(post, comm, peer);

    if (pair == NULL)
        return;
    pair->received++;
    if (tag == WM_PAGE_ANY)
        pair->blurred = 1;
    else
        pair->received_tags += tag;
}

/* A communicator is gone: its place may be another's. */
void wm_post_forget_comm(struct wm_page_post *post, uint32_t comm);

/* The entry for what has this request from now on, to be written: that of what had the handle before, or of what is
 * over, or, where there is none, another's, which is lost. */
struct wm_page_message *wm_post_place_for(struct wm_page_post *post, uint64_t request);

static inline void wm_post_add(struct wm_page_post *post, const struct wm_page_message *message)
{
    *wm_post_place_for(post, message->request) = *message;
}

/* The rank's own entry, to be changed; NULL: it is lost, or was none. */
static inline struct wm_page_message *wm_post_own(struct wm_page_post *post, uint64_t request)
{
    return (struct wm_page_message *)wm_post_find(post, request);
}

/* "MPI_Recv". */
const char *wm_post_function_name(unsigned function);

#endif
