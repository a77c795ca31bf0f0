/* What a statement means, found without the code under test: a serial interpreter of the generator's tree.
 *
 * Clauses and the sender's rank are evaluated by all ranks; the receiver's rank and the data by the sender, with its
 * own values; the storage by the receiver, with the sender's values of the variables. Filters come before references,
 * all reads and all places before all writes. At a receiver messages are stored in the order of their senders, of a
 * sender in that of the reductions, of a reduction in that of the enumeration. */
#ifndef WM_TESTS_STATEMENT_ORACLE_H
#define WM_TESTS_STATEMENT_ORACLE_H

#include "tests/core/statement/tree.h"
#include "waymark/operation.h"

/* A message, as one of its ends knows it. */
struct message {
    int from, to, reduction;
    size_t count;
    bool unreadable; /* the data cannot be read, or is none that the storage's type has */
    bool homeless;   /* the storage cannot be found, or has another count */
    struct value variables[VARIABLES_MAX];
    size_t data_begin, place_begin; /* in the pools: bytes as they are stored; offsets of elements */
};

struct messages {
    size_t count, capacity;
    struct message *list;
};

enum { STEPS_MAX = 20000 };

struct oracle {
    struct statement *s;
    const struct memory *memory;
    bool murky;                                           /* it depends on how much a rank evaluates */
    bool faulty[RANKS_MAX], believes[RANKS_MAX];          /* it cannot list what it sends; what it receives */
    struct messages sends[RANKS_MAX], beliefs[RANKS_MAX]; /* by peer, reduction and enumeration */
    bool alike;                                           /* all ranks enumerate the same: variables and ranks */
    char *data;
    size_t data_count, data_room;
    size_t *places;
    size_t place_count, place_room;
    struct message *assigned; /* of one rank, reused: all values of the variables */
    size_t assigned_count, assigned_room;
    long steps;                /* of an enumeration: one that has too many is murky */
    struct value *first_ranks; /* what rank 0 enumerates */
    size_t first_count, first_room;
};

/* List all messages and beliefs; what the oracle held before is reused. */
void oracle_list(struct oracle *o, struct statement *s, const struct memory *memory);
/* The same where receivers alone know of messages: those of a receiver are listed as its sends, by sender. Where a rank
 * is faulty, a statement may be without a fault that looks at less. */
void oracle_list_requests(struct oracle *o, struct statement *s, const struct memory *memory);
/* Both ends of each message know it: its turn among those of the pair, count, and the variables of its storage. */
bool oracle_agrees(const struct oracle *o);
/* A message cannot be sent or stored. */
bool oracle_fails(const struct oracle *o);
/* The rank's messages are its own of the operation, made by these ranks, of which it is one, or by none, if they are
 * none.
 */
bool oracle_is_collective(const struct oracle *o, enum wm_operation operation, int rank, const int ranks[], int count,
                          int root);
/* They are those of a scan: one of each sender to itself, if `inclusive`, and to all behind it, of the same data. */
bool oracle_is_scan(const struct oracle *o, bool inclusive);
/* Store all messages. */
void oracle_run(const struct oracle *o, struct memory *out);
void oracle_release(struct oracle *o);

#endif
