/* A random statement as its generator knows it, and the memories of the ranks that call it. */
#ifndef WM_TESTS_STATEMENT_TREE_H
#define WM_TESTS_STATEMENT_TREE_H

#include "tests/core/statement/value.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/text.h"
#include "waymark/binding.h"

enum { RANKS_MAX = 8, THINGS_MAX = 32, NODES_MAX = 4000, CLAUSES_MAX = 8, VARIABLES_MAX = 8, REDUCTIONS_MAX = 3 };

#define ALL_RANKS (~0u)

enum node_kind {
    NODE_CONSTANT,
    NODE_VARIABLE, /* `index`: which */
    NODE_ME,
    NODE_RANKS,
    NODE_PLACE, /* of thing `index`; kids 2d and 2d + 1: index, or slice, of dimension d */
    NODE_CALL,  /* of thing `index` */
    NODE_UNARY,
    NODE_BINARY,
    NODE_CHOICE
};

struct node {
    enum node_kind kind;
    enum wm_number type; /* WM_BYTES: a struct */
    int op, index;
    struct value value;
    struct node *kids[6];
};

enum clause_kind { CLAUSE_WORLD, CLAUSE_RANGE, CLAUSE_ARRAY, CLAUSE_VALUE, CLAUSE_FILTER };

struct clause {
    enum clause_kind kind;
    int variable; /* -1: a filter */
    bool joined;  /* with the next one: "i, j in S" */
    struct node *from, *to;
};

struct variable {
    char name[8];
    enum wm_number type;
    bool ranged; /* its values are known to be low to high */
    long low, high;
};

/* How a reduction combines: `text`, or the thing `bound` if that is not -1. */
struct reduction {
    struct node *storage, *receiver, *data, *sender;
    const char *text;
    int bound;
};

/* What a name is bound to, at all ranks. */
struct thing {
    char name[16];
    enum wm_bound_kind kind;
    enum wm_number type;
    size_t element_bytes;
    const void *struct_type;
    int function; /* of the table in functions.h */
    int promises; /* enum wm_promise */
    bool uniform, permutation, ranged;
    long low, high;
    int dimensions;
    size_t extents[RANKS_MAX][WM_DIMENSIONS];
    size_t gap; /* elements between those of the first dimension that are none of it */
};

struct statement {
    struct fuzz_random random;
    int ranks, thing_count, variable_count, clause_count, reduction_count, node_count;
    struct thing things[THINGS_MAX];
    struct variable variables[VARIABLES_MAX];
    struct clause clauses[CLAUSES_MAX];
    struct reduction reductions[REDUCTIONS_MAX];
    struct node nodes[NODES_MAX];
    const char *name, *hint; /* "": none */
};

/* Memories of all ranks: of places, by rank and thing. */
struct memory {
    void *at[RANKS_MAX][THINGS_MAX];
};

/* Make a statement from a seed, for so many ranks; 0: of any number. Of a hundred, so many are collective operations,
 * or nearly so. */
void statement_generate(struct statement *s, uint64_t seed, int ranks, unsigned collective);
/* Write it as a program would. */
void statement_print(struct statement *s, struct fuzz_text *text);

/* Elements, with gaps; from one of the first dimension to the next; where in memory element number `element` stands. */
size_t thing_count(const struct thing *t, int rank);
size_t thing_stride(const struct thing *t, int rank);
size_t thing_offset(const struct thing *t, int rank, size_t element);
size_t thing_bytes(const struct thing *t, int rank);
/* Make the memories; fill a thing with values such as it has, at these ranks (a bit each). */
void memory_new(struct memory *m, const struct statement *s);
void memory_fill(struct memory *m, struct statement *s, int thing, unsigned ranks);
void memory_copy(struct memory *to, const struct memory *from, const struct statement *s);
void memory_free(struct memory *m, const struct statement *s);
/* What the names are bound to at a rank, whose places are in the memory. */
void memory_bind(const struct memory *m, const struct statement *s, int rank, struct wm_bound bindings[]);

#endif
