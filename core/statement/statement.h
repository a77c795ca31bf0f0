/* A statement: what is communicated, compiled against what its names are bound to.
 *
 *     A[j]@i <<= B[i]@j where i, j in world, i % 2 == 0
 *
 * A statement has **reductions** (storage @ receiver << operator << data @ sender; `<<=` stores), **clauses**
 * (generators, filters, values of names) that bind **variables**, and at most one hint. All expressions are trees of
 * **terms**, typed as C types them. A compiled statement holds no address and no extent: it serves all calls whose
 * bindings have the same names and types. Immutable once made. Source: Holk et al., Kanor, PADL 2011;
 * docs/communicate.md has the grammar. */
#ifndef WM_STATEMENT_H
#define WM_STATEMENT_H

#include <stdbool.h>
#include <stdint.h>
#include "core/error.h"
#include "core/statement/token.h"
#include "waymark/binding.h"

enum { WM_REDUCTIONS_MAX = 16, WM_CLAUSES_MAX = 32, WM_VARIABLES_MAX = 16 };

enum wm_term_kind {
    WM_TERM_CONSTANT,
    WM_TERM_VARIABLE, /* `index`: of a clause */
    WM_TERM_ME,       /* the rank that evaluates */
    WM_TERM_RANKS,    /* how many there are */
    WM_TERM_PLACE,    /* of binding `index`; operands 2d and 2d + 1: index or slice in dimension d */
    WM_TERM_CALL,     /* of binding `index`; operands: its arguments */
    WM_TERM_CONVERT,
    WM_TERM_UNARY,
    WM_TERM_BINARY, /* && and ||, too */
    WM_TERM_CHOICE  /* ?: */
};

enum { WM_OPERANDS = 2 * WM_DIMENSIONS };

struct wm_term {
    unsigned char kind;   /* enum wm_term_kind */
    unsigned char number; /* enum wm_number of its value; WM_BYTES: a struct */
    bool single;          /* of a place: it is one element */
    bool local;           /* `me` is in it */
    bool exact;           /* of a conversion: a number that the type has not is a fault, and does not wrap around */
    int operation;        /* a token's kind */
    int index;
    int operands[WM_OPERANDS]; /* terms; -1: there is none. A slice has both of a dimension, an index the first; a
                                  dimension without any is whole */
    size_t place;              /* in the text */
    union wm_scalar value;
    uint32_t variables; /* that are in it */
    uint64_t bindings;
};

/* X(name, text): operators of reductions that need no binding. */
#define WM_OPERATORS(X)                                                                                                \
    X(STORE, "<<=")                                                                                                    \
    X(SUM, "+")                                                                                                        \
    X(PRODUCT, "*")                                                                                                    \
    X(MINIMUM, "min")                                                                                                  \
    X(MAXIMUM, "max")                                                                                                  \
    X(BIT_AND, "&")                                                                                                    \
    X(BIT_OR, "|")                                                                                                     \
    X(BIT_XOR, "^")                                                                                                    \
    X(ALL, "&&")                                                                                                       \
    X(ANY, "||")

enum wm_operator {
#define X(name, text) WM_OPERATOR_##name,
    WM_OPERATORS(X)
#undef X
        WM_OPERATOR_BOUND
};

const char *wm_operator_text(enum wm_operator combiner);

struct wm_reduction {
    size_t place;         /* of its operator, or `<<=` */
    int storage, data;    /* terms; `storage` is a place */
    int receiver, sender; /* terms, integers */
    enum wm_operator combiner;
    int bound;             /* the binding of WM_OPERATOR_BOUND */
    enum wm_number number; /* of the storage, in which data is sent; WM_BYTES: a struct */
    size_t element_bytes;
};

enum wm_clause_kind { WM_CLAUSE_WORLD, WM_CLAUSE_RANGE, WM_CLAUSE_ARRAY, WM_CLAUSE_VALUE, WM_CLAUSE_FILTER };

struct wm_clause {
    enum wm_clause_kind kind;
    int variable; /* that it binds; -1: a filter */
    int from, to; /* terms: of a range [from, to); in `from` an array's place, a value, a filter */
};

/* Who knows of a message: all ranks, its two ends, its sender alone, its receiver alone. */
#define WM_KNOWLEDGES(X)                                                                                               \
    X(UNSAID, "inferred")                                                                                              \
    X(GLOBAL, "global")                                                                                                \
    X(CORRESPONDING, "corresponding")                                                                                  \
    X(SENDER, "sender")                                                                                                \
    X(RECEIVER, "receiver")

enum wm_knowledge {
#define X(name, text) WM_KNOWLEDGE_##name,
    WM_KNOWLEDGES(X)
#undef X
};

const char *wm_knowledge_name(enum wm_knowledge knowledge);

struct wm_variable {
    const char *name; /* in the text, not terminated */
    size_t bytes;
    enum wm_number number;
};

struct wm_statement {
    char *text;
    char *name; /* "halo" of "halo: …"; "" */
    enum wm_knowledge hint;
    int reduction_count, clause_count, variable_count, binding_count, term_count;
    struct wm_reduction reductions[WM_REDUCTIONS_MAX];
    struct wm_clause clauses[WM_CLAUSES_MAX];
    struct wm_variable variables[WM_VARIABLES_MAX];
    struct wm_term *terms;
    uint64_t choosing;         /* bindings on whose values depends who sends what to whom, but not how much */
    uint64_t sizing;           /* … on whose values depends how much */
    uint64_t reading, writing; /* bindings that data is read from; … that are stored into */
    uint64_t placing;          /* … on whose values depends where something is stored */
};

/* Compile a text for `count` bindings. 0, -WM_ENOMEM, -WM_EINVAL with the place of what is wrong. The same text and
 * bindings alike give the same statement, or the same error. */
int wm_statement_new(struct wm_statement **statement, const char *text, const struct wm_bound bindings[], int count,
                     struct wm_error *error);
/* Compile an expression that stands alone: a statement that communicates nothing; its one clause has the expression's
 * term in `from`. */
int wm_expression_new(struct wm_statement **expression, const char *text, const struct wm_bound bindings[], int count,
                      struct wm_error *error);
void wm_statement_free(struct wm_statement *statement);

/* Bindings alike: the same names and types, in the same order, so that one statement serves both. */
uint64_t wm_bindings_hash(const struct wm_bound bindings[], int count);

/* The term's value, for equal values of its variables, is the same at all ranks, as far as promises say; -1 is. */
bool wm_term_is_uniform(const struct wm_statement *statement, const struct wm_bound bindings[], int term);

/* What all ranks hold alike decides who sends what to whom: all know all messages, and can tell so by themselves. */
bool wm_statement_is_global(const struct wm_statement *statement, const struct wm_bound bindings[]);

#endif
