/* Facts: what a rule of the map may look at. All ranks of a communicator share them, so that they choose alike.
 *
 * One table: the field of struct wm_facts, its type, the word that a rule writes for it, which is also its name on the
 * way to the map server, and the option by which `waymark explain` and `waymark show` are given it. The field, the
 * question (core/map/client.c), the word (specs/waymark/facts.scm) and the option (tools/site/question.c) are made from
 * it. Who fills a fact in: wm_comm_facts for those of a communicator, core/call/describe.c for those of a call; those
 * that a grid tells are members of struct wm_comm, and functions of tools/site/site.c, of the same names.
 *
 *   bytes       of the signature (core/call/describe.h), of a block, of an item; 0 for barrier
 *   root        -1 where the operation has none
 *   commutative true where there is no operator
 *   load        0 before a conveyor's first run
 *   protocol    "" where there is none; near: false
 *   statement   "" where it has no name; knowledge: "" where it is not known
 *   items       the most that a rank sends, one by one; 0 where there are none
 *
 * Those that differ between calls of an operation on a communicator are listed in core/path/validity.h. */
#ifndef WM_FACTS_H
#define WM_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "waymark/operation.h"

/* X(field, type, word, option, letter, argument, help): those that a tool is told. */
/* clang-format off */
#define WM_TOLD_FACTS(X)                                                                                                \
    X(operation, OPERATION, "operation", "op", 'o', "OPERATION",                                                        \
      "The operation, as in a map: allreduce, bcast, conveyor, messages, statement, …")                                                      \
    X(bytes, SIZE, "bytes", "bytes", 'b', "SIZE",                                                                       \
      "Bytes of the data, of each block, of an item, of a message, or that a rank sends in a statement: 8 (the default), 64KiB, 1MiB, …") \
    X(root, RANK, "root", "root", 0, "RANK", "The root, where the operation has one; 0 unless given.")                  \
    X(commutative, TRUTH, "commutative?", "commutative", 0, "yes|no",                                                   \
      "Whether the operator of a reduction commutes; yes unless given.")                                                \
    X(communicator, TEXT, "communicator", "communicator", 0, "NAME",                                                    \
      "The name of the communicator, or of the conveyor, which a rule may look at; MPI_COMM_WORLD unless given.")       \
    X(load, SIZE, "load", "load", 0, "SIZE",                                                                            \
      "The most bytes that a rank pushed in the conveyor's run before; 0 unless given.")                                \
    X(crowded, TRUTH, "crowded?", "crowded", 0, "yes|no",                                                               \
      "Whether some node of the job has more ranks than processors for them; no unless given.")                         \
    X(protocol, TEXT, "protocol", "protocol", 0, "NAME", "The name of the messages' protocol; none unless given.")      \
    X(near, TRUTH, "near?", "near", 0, "yes|no",                                                                        \
      "Whether messages go to a peer of the same node; no unless given.")                                               \
    X(statement, TEXT, "statement", "statement", 0, "NAME", "The name of the statement; none unless given.")            \
    X(knowledge, TEXT, "knowledge", "knowledge", 0, "WORD",                                                             \
      "Who knows of a statement's messages: global, corresponding, sender or receiver; not known unless given.")        \
    X(items, COUNT, "items", "items", 0, "NUMBER", "The most items that a rank sends in the statement; 0 unless given.")

/* Those that a tool finds out from a grid. */
#define WM_GRID_FACTS(X)                                                                                                \
    X(ranks, COUNT, "ranks", NULL, 0, NULL, "The size of the communicator.")                                            \
    X(nodes, COUNT, "nodes", NULL, 0, NULL, "The nodes that the communicator touches.")                                 \
    X(clusters, COUNT, "clusters", NULL, 0, NULL, "The clusters of nodes that the communicator touches; 1 where none are known.") \
    X(uniform, TRUTH, "uniform?", NULL, 0, NULL, "Whether on each required axis of the grid, and on cluster, all groups have as many ranks.")           \
    X(consecutive, TRUTH, "consecutive?", NULL, 0, NULL,                                                                \
      "Whether ranks stand in the order of their coordinates on the grid.")
/* clang-format on */

#define WM_FACTS(X) WM_TOLD_FACTS(X) WM_GRID_FACTS(X)

enum { WM_FACT_TEXT_CHARS = 64 };

enum wm_fact_type { WM_FACT_OPERATION, WM_FACT_SIZE, WM_FACT_COUNT, WM_FACT_RANK, WM_FACT_TRUTH, WM_FACT_TEXT };

#define WM_FACT_FIELD_OPERATION(name) enum wm_operation name;
#define WM_FACT_FIELD_SIZE(name) uint64_t name;
#define WM_FACT_FIELD_COUNT(name) int name;
#define WM_FACT_FIELD_RANK(name) int name;
#define WM_FACT_FIELD_TRUTH(name) bool name;
#define WM_FACT_FIELD_TEXT(name) char name[WM_FACT_TEXT_CHARS];

struct wm_facts {
#define X(field, type, word, option, letter, argument, help) WM_FACT_FIELD_##type(field)
    WM_FACTS(X)
#undef X
};

#define X(...) +1
enum { WM_TOLD_FACT_ROWS = WM_TOLD_FACTS(X) };
#undef X
#define X(field, ...) WM_FACT_ROW_##field,
enum { WM_FACTS(X) WM_FACT_ROWS };
#undef X

/* A row of the table. */
struct wm_fact {
    const char *word;
    enum wm_fact_type type;
    size_t offset; /* in struct wm_facts */
    const char *option;
    char letter;
    const char *argument, *help;
};

/* All of them; the first WM_TOLD_FACT_ROWS are those that a tool is told. */
extern const struct wm_fact wm_fact_rows[WM_FACT_ROWS];

/* Facts as an object with a member for each, by its word; a name of a communicator that is not UTF-8 is "".
 * The caller's; NULL without memory. */
json_t *wm_facts_write(const struct wm_facts *facts);

/* Facts out of such an object. False: one is missing, of another type, or out of its range. */
bool wm_facts_read(struct wm_facts *facts, const json_t *object);

#endif
