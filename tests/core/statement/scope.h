/* A rank that evaluates a random statement, under values of its variables: the oracle's expressions and clauses. */
#ifndef WM_TESTS_STATEMENT_SCOPE_H
#define WM_TESTS_STATEMENT_SCOPE_H

#include "tests/core/statement/oracle.h"

struct scope {
    struct oracle *o;
    int rank;
    struct value variables[VARIABLES_MAX];
    bool fault; /* then all further values are 0 */
};

/* A list with room for `count` elements. */
void *scope_grown(void *list, size_t *room, size_t count, size_t bytes);

struct value scope_evaluate(struct scope *c, const struct node *n);
/* A rank; one that int64 has not is a fault, not a negative one. */
__int128 scope_rank(struct scope *c, const struct node *n);
/* Add the offsets of a place's elements to the oracle's pool, the last dimension first to vary. Returns how many. */
size_t scope_find_place(struct scope *c, const struct node *n, int d, size_t offset);
/* Dimensions behind one that has no elements are wrong, too, if they are. */
void scope_check_place(struct scope *c, const struct node *n);
/* Put all values under which the clauses from this one on hold into the oracle's list. */
void scope_enumerate(struct scope *c, int clause);

#endif
