/* Traffic: what one rank sends and receives for one call of a statement.
 *
 * A **part** is one message of the statement, seen from one of its ends: the values of its variables, and the place
 * that is read or stored into. Parts stand in the order of their peers, those of a peer in the order in which both ends
 * come to them, and travel together. A rank lists what it sends always, and what it believes to receive where both ends
 * can know; of what only a sender knows the parts are made from what has arrived.
 *
 * All data is read before anything is stored, all places are found before anything is stored, and parts are stored in
 * the order of their senders. */
#ifndef WM_TRAFFIC_H
#define WM_TRAFFIC_H

#include "core/statement/enumerate.h"

struct wm_statement_part {
    int peer;
    int reduction;
    size_t turn;               /* its number among those of the two ranks */
    size_t count;              /* elements */
    struct wm_section section; /* of what is sent, unless it is computed; of the storage */
    size_t variables;          /* where their values stand in the traffic's */
};

struct wm_parts {
    size_t count, capacity;
    struct wm_statement_part *parts;
    size_t value_count, value_capacity;
    union wm_scalar *values; /* of the variables of all parts */
};

struct wm_traffic {
    const struct wm_statement *s;
    int me, ranks;
    struct wm_parts sends, receives;
    bool believes; /* receives are listed; else they come with the messages */
    /* Of the lists: the sum of the hashes of what is sent less that of what is received. Over all ranks it is 0 if and,
     * but for chance, only if each message is known at both ends. */
    uint64_t balance;
};

/* List what rank `me` sends and, if `believes`, receives. 0, -WM_ENOMEM, -WM_EINVAL: a fault of an expression. A
 * receiver that cannot evaluate what it would receive does not know of it, and x->believes is false. */
int wm_traffic_new(struct wm_traffic *x, const struct wm_statement *s, const struct wm_bound bindings[], int me,
                   int ranks, bool believes, struct wm_error *error);
/* List what rank `me` alone knows that it receives. Returns as wm_traffic_new. */
int wm_traffic_new_requests(struct wm_traffic *x, const struct wm_statement *s, const struct wm_bound bindings[],
                            int me, int ranks, struct wm_error *error);
void wm_traffic_release(struct wm_traffic *x);

/* A hash of what is the same at both ends: which message of its pair it is, how much, and what its storage needs. */
uint64_t wm_part_hash(const struct wm_traffic *x, const struct wm_statement_part *part, bool received);
/* Say which one it is: "2 elements by reduction 1, where i = 3". */
void wm_part_describe(const struct wm_traffic *x, const struct wm_statement_part *part, bool received, char *out,
                      size_t out_bytes);

/* Join parts of one peer that follow each other, where their elements make one section: then the list says how data is
 * copied, and no more which messages there are. */
void wm_parts_fold(const struct wm_traffic *x, struct wm_parts *list, const struct wm_bound bindings[], bool received);

/* A rank before it evaluates. */
struct wm_frame wm_traffic_frame(const struct wm_traffic *x, const struct wm_bound bindings[], struct wm_error *error);
/* Give the frame the variables of a listed part. */
void wm_frame_take_variables(struct wm_frame *f, const struct wm_parts *list, const struct wm_statement_part *part);
/* Add a part with the variables of a lane. NULL: no memory, which is the frame's fault. */
struct wm_statement_part *wm_parts_add(struct wm_parts *list, struct wm_frame *f, int lane, int reduction, int peer);

/* The ranks that receive, of which there is a fault if they are none. */
struct wm_values wm_evaluate_receivers(struct wm_frame *f, const struct wm_reduction *r,
                                       union wm_scalar room[WM_VALUE_LANES]);

/* Bytes of a part's data, as it travels; and of all parts of a list. */
size_t wm_part_bytes(const struct wm_traffic *x, const struct wm_statement_part *part);
size_t wm_parts_bytes(const struct wm_traffic *x, const struct wm_parts *list);
/* Put the data of a part that is sent at `to`, as it will be stored. 0 or -WM_EINVAL: a number that the storage's type
 * has not, or a fault of its expression. */
int wm_part_pack(const struct wm_traffic *x, const struct wm_statement_part *part, const struct wm_bound bindings[],
                 void *to, struct wm_error *error);
/* Store the data of a part that is received, or combine it with what stands there. */
void wm_part_store(const struct wm_traffic *x, const struct wm_statement_part *part, const struct wm_bound bindings[],
                   const void *from);

/* The part's data stands in one piece, and travels as it is. */
bool wm_part_is_whole(const struct wm_traffic *x, const struct wm_statement_part *part,
                      const struct wm_bound bindings[], bool received);
/* Where that is; NULL: it is not whole. */
void *wm_part_place(const struct wm_traffic *x, const struct wm_statement_part *part, const struct wm_bound bindings[],
                    bool received);

#endif
