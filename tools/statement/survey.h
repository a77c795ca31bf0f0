/* What a statement communicates, rank by rank: who sends to whom and how much, and who knows of it.
 *
 * Ranks that send alike are one **group**: to the same peers, or to peers at the same distance (modulo the number of
 * ranks), as many messages and bytes to each. So a survey is small however many ranks there are. Where receivers alone
 * know of messages, groups are of ranks that receive alike. */
#ifndef WM_TOOLS_SURVEY_H
#define WM_TOOLS_SURVEY_H

#include "core/statement/collective.h"
#include "tools/statement/names.h"
#include "tools/text/spread.h"

/* All messages from one rank to another. */
struct wm_statement_flow {
    int peer; /* of a group by distance: how far the peer is, in (-ranks / 2, ranks / 2] */
    int64_t messages, bytes;
};

/* What a rank sends, or, where receivers alone know of it, receives: a flow for each peer, ascending. */
struct wm_statement_flows {
    size_t count, capacity;
    struct wm_statement_flow *list;
};

struct wm_flow_group {
    bool distances;
    int rank_count;
    int *ranks; /* ascending */
    struct wm_statement_flows flows;
};

/* A figure of every rank. X(name, key, text, is it bytes?) */
#define WM_SURVEY_FIGURES(X)                                                                                           \
    X(MESSAGES_SENT, "messages_sent", "messages sent", false)                                                          \
    X(BYTES_SENT, "bytes_sent", "bytes sent", true)                                                                    \
    X(MESSAGES_RECEIVED, "messages_received", "messages received", false)                                              \
    X(BYTES_RECEIVED, "bytes_received", "bytes received", true)                                                        \
    X(PEERS, "peers", "peers", false)

enum wm_survey_figure {
#define X(name, key, text, bytes) WM_SURVEY_##name,
    WM_SURVEY_FIGURES(X)
#undef X
        WM_SURVEY_FIGURE_COUNT
};

/* A message that the rank asked for sends or receives. */
struct wm_survey_message {
    int source, target, reduction;
    int64_t bytes;
    char variables[128];   /* "i = 0, j = 1" */
    char from[96], to[96]; /* places; "" of data that is computed */
};

struct wm_statement_survey {
    int ranks, rank;                 /* that is asked for; -1: none */
    enum wm_knowledge knowledge;     /* as the statement says, or as it is found */
    enum wm_knowledge found;         /* … without a hint; `receiver`: without it, it is another statement */
    struct wm_collective collective; /* that it is, where both ends know */
    struct wm_spread figures[WM_SURVEY_FIGURE_COUNT];
    struct wm_spread planning_ns; /* of each rank: listing what it sends and receives */
    int64_t rank_planning_ns;
    size_t group_count, group_capacity;
    struct wm_flow_group *groups; /* by their first rank */
    size_t message_count, message_capacity;
    struct wm_survey_message *messages; /* of the rank asked for: sent ones first */
};

/* 0, -WM_ENOMEM, -WM_EINVAL: a fault at some rank, which the sentence names. Release in any case. */
int wm_survey_init(struct wm_statement_survey *survey, const struct wm_bound_names *names,
                   const struct wm_statement *statement, int rank, struct wm_error *error);
void wm_survey_release(struct wm_statement_survey *survey);

/* A place as the language writes it: "A[3]", "A[0 ... 4][2]". */
void wm_survey_place(const struct wm_bound *binding, const struct wm_section *section, char *out, size_t out_bytes);

#endif
