/* The parts of the generator of random statements. */
#ifndef WM_TESTS_STATEMENT_GENERATE_H
#define WM_TESTS_STATEMENT_GENERATE_H

#include "tests/core/statement/tree.h"

struct node *node_new(struct statement *s, enum node_kind kind, enum wm_number type);
struct node *node_constant(struct statement *s, enum wm_number type, double value);
struct node *node_variable(struct statement *s, int variable);
struct node *node_binary(struct statement *s, int op, struct node *a, struct node *b);

/* Make what the names of a statement are bound to; the memories' values follow from it. */
void generate_things(struct statement *s);
/* The least extent at any rank. */
size_t least_extent(const struct statement *s, const struct thing *t, int dimension);
/* A thing of a random order that serves; -1: none does. */
int pick_thing(struct statement *s, bool (*serves)(const struct thing *t, const void *with), const void *with);

/* An integer expression whose value is 0 to limit - 1 at every rank. */
struct node *generate_bounded(struct statement *s, long limit, int depth);
/* Any expression, of a number; one of an integer; one that a type can hold, nearly always. */
struct node *generate_any(struct statement *s, int depth);
struct node *generate_integer(struct statement *s, int depth);
struct node *generate_data(struct statement *s, enum wm_number type);
/* A place of one element. */
struct node *generate_element(struct statement *s, int thing, int depth);
/* A place of more elements, or of any number: by indices, slices and whole dimensions; *count: how many. */
struct node *generate_section(struct statement *s, int thing, size_t *count);

struct clause *clause_new(struct statement *s, enum clause_kind kind);
int variable_new(struct statement *s, enum wm_number type, bool ranged, long low, long high);
void generate_clauses(struct statement *s);

/* The storage and the data of a reduction: one element, or as many at both ends. Its operator, which serves them. */
void generate_ends(struct statement *s, struct reduction *r);
void generate_operator(struct statement *s, struct reduction *r);
void generate_reduction(struct statement *s);

#endif
