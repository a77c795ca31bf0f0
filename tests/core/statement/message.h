/* Messages of a random statement, as the oracle makes them. */
#ifndef WM_TESTS_STATEMENT_MESSAGE_H
#define WM_TESTS_STATEMENT_MESSAGE_H

#include "tests/core/statement/scope.h"

/* Begin to list a statement's messages. */
void oracle_begin(struct oracle *o, struct statement *s, const struct memory *memory);
/* List the values of the variables that a rank comes to, and none of its messages. False: it is murky how many. */
bool oracle_assign(struct oracle *o, int rank);

/* Add one that has the variables of another. */
struct message *message_add(struct messages *list, const struct message *like, int from, int to, int reduction);
/* Read its data at the scope's rank, as it will be stored. */
void message_read(struct scope *c, struct message *m, const struct reduction *r);
/* Find where its receiver stores it. */
void message_place(struct oracle *o, struct message *m);
/* By peer: senders, or receivers. */
void messages_sort(struct messages *list, bool received);

#endif
