/* The plan of a statement, as the run time would make it, and what it costs: counts, and no times.
 *
 * What ranks agree on decides it (core/statement/agreement.h). All messages of two ranks travel as one. A call that is
 * the first finds out more than one that comes again, and may go another way. */
#ifndef WM_TOOLS_STATEMENT_PLAN_H
#define WM_TOOLS_STATEMENT_PLAN_H

#include <jansson.h>
#include "tools/statement/survey.h"
#include "tools/text/table.h"

/* X(NAME, word, text): how a call goes. */
#define WM_STATEMENT_WAYS(X)                                                                                           \
    X(COLLECTIVE, "collective", "a collective operation")                                                              \
    X(POSTED, "posted", "messages of which both ends know: receives are posted")                                       \
    X(NBX, "nbx", "messages of which senders know: receivers take what comes, and a barrier ends it (NBX)")            \
    X(REQUESTS, "requests", "requests, until a barrier ends them (NBX); then messages of which both ends know")

enum wm_statement_way {
#define X(name, word, text) WM_STATEMENT_##name,
    WM_STATEMENT_WAYS(X)
#undef X
};

/* Figures of every rank. X(NAME, key, text, is it bytes?) */
#define WM_STATEMENT_FIGURES(X)                                                                                        \
    X(MESSAGES, "messages", "messages to others", false)                                                               \
    X(BYTES, "bytes", "bytes in them", true)                                                                           \
    X(DEGREE, "degree", "degree: sends, receives", false)                                                              \
    X(IN_PLACE, "in_place", "of these in place", false)                                                                \
    X(COPIED, "copied_bytes", "bytes copied", true)

enum wm_statement_figure {
#define X(name, key, text, bytes) WM_STATEMENT_FIGURE_##name,
    WM_STATEMENT_FIGURES(X)
#undef X
        WM_STATEMENT_FIGURE_COUNT
};

enum { WM_STATEMENT_RANKS_MAX = 1 << 14, WM_STATEMENT_MESSAGES_MAX = 1 << 22 };

struct wm_statement_call {
    enum wm_statement_way way;
    int allreduces, barriers;
    struct wm_spread
        figures[WM_STATEMENT_FIGURE_COUNT]; /* of a collective operation its path has the messages: COPIED alone */
};

/* All that a rank sends to a peer, or receives of it, in a call that comes again, as the run time does it: what it
 * sends first, each in the order of the peers. Of a collective operation, what it copies before and behind. */
struct wm_statement_load {
    int peer; /* or the rank itself */
    bool received;
    bool copies; /* it is packed before it is sent, or stored behind what has come; else it travels in place */
    bool combines;
    int64_t bytes; /* as they are sent; as they are stored */
};

struct wm_statement_loads {
    size_t count, capacity;
    struct wm_statement_load *list; /* to be freed */
};

struct wm_statement_plan {
    bool refused; /* the hint does not hold: the run time ends with a sentence */
    bool counted; /* there are figures: not of more than WM_STATEMENT_MESSAGES_MAX messages of one end */
    bool learns;  /* what the first call was sent, both ends know later */
    struct wm_collective
        collective;      /* of WM_STATEMENT_COLLECTIVE: of calls that come again, where it is one of teams */
    uint64_t unpromised; /* bindings by whose promise calls that come again would cost less */
    struct wm_statement_call first, again;
};

/* `loads`: by rank, zeroed; filled where the plan is counted; NULL: they are not wanted. 0, -WM_ENOMEM, -WM_EINVAL: a
 * fault at some rank, which the sentence names. Release in any case. */
int wm_statement_plan_init(struct wm_statement_plan *plan, const struct wm_bound_names *names,
                           const struct wm_statement *statement, const struct wm_statement_survey *survey,
                           struct wm_statement_loads *loads, struct wm_error *error);
void wm_statement_plan_release(struct wm_statement_plan *plan);

/* How a call goes: "bcast from rank 2, in blocks of 8 B, …", appended; and of messages. */
void wm_statement_collective_text(const struct wm_statement *statement, const struct wm_collective *collective,
                                  char *out, size_t out_bytes);
const char *wm_statement_way_text(enum wm_statement_way way);

void wm_statement_plan_print(const struct wm_terminal *terminal, const struct wm_bound_names *names,
                             const struct wm_statement *statement, struct wm_statement_plan *plan);
json_t *wm_statement_plan_json(const struct wm_bound_names *names, const struct wm_statement *statement,
                               struct wm_statement_plan *plan);

#endif
