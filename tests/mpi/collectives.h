/* What the parts of the collective tests share: random numbers, kinds of elements, images of buffers, communicators. */
#ifndef WM_TESTS_COLLECTIVES_H
#define WM_TESTS_COLLECTIVES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decisions come from a generator that all ranks of a communicator seed alike, data from a hash of where it stands. */
struct rng {
    uint64_t state;
};
uint64_t hash_mix(uint64_t a, uint64_t b);
uint64_t rng_next(struct rng *rng);
int rng_below(struct rng *rng, int limit);

/* What was wrong. Every rank counts; the first few are printed. */
void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern _Atomic int wrong_count;
extern _Atomic long checked_count;
#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        checked_count++;                                                                                               \
        if (!(condition))                                                                                              \
            wrong(__VA_ARGS__);                                                                                        \
    } while (0)

/* One run of significant bytes in an element, and how values are written there. Naturals have no sign bit: Open MPI
 * 4.1.4 compares MPI_UNSIGNED_LONG with a sign, and MPI_OFFSET without. */
enum content { CONTENT_INTEGER, CONTENT_NATURAL, CONTENT_FLOAT, CONTENT_LOGICAL, CONTENT_BYTES };
struct run {
    ptrdiff_t offset;
    int bytes;
    enum content content;
};

enum family { INTEGERS, FLOATS, COMPLEXES, LOGICALS, RAW, PAIRS, PLAIN, DERIVED, FAMILIES };

enum { RUNS_MAX = 12 };

/* A datatype, known without asking MPI. */
struct kind {
    const char *name;
    MPI_Datatype type;
    enum family family;
    int run_count;
    struct run runs[RUNS_MAX]; /* in the order of the type map */
    ptrdiff_t extent;
    int count_max; /* elements overlap beyond; 0: never */
    bool quartet;  /* its type map is four ints */
};

/* How values are made, so that an operator's result is exact in whatever order it is computed. */
enum manner { ANY_BITS, SMALL, TINY, TRUTH };

struct operator
{
    const char *name;
    MPI_Op op;
    unsigned families; /* bits of enum family */
    enum manner manner;
};

enum { KINDS_MAX = 96, OPERATORS_MAX = 16 };
extern struct kind kinds[KINDS_MAX];
extern int kind_count;
extern struct operator operators[OPERATORS_MAX];
extern int operator_count;

void kinds_init(void);
void kinds_release(void);
const struct kind *kind_named(const char *name);
const struct operator* operator_named(const char *name);
/* What the map carries out itself: "none", "reductions" (all of them) or "all" operations. */
void planned_set(const char *planned);
/* The map carries every reduction out. Open MPI 4.1.4 by itself reduces only types without
 * gaps that begin at 0: others make it ask for temporaries of negative size, write behind them, or, from MPI_BOTTOM,
 * give wrong results. */
bool all_reductions(void);
/* It carries every collective out, so that what the library has wrong can be asked for. */
bool all_operations(void);
/* Does the library combine these? */
bool operator_serves(const struct operator* operator, const struct kind * kind);
/* `left` op `right`, in `right`: the two user operators, exclusive or and the composition of affine maps (which does
 * not commute), as MPI calls them. */
MPI_User_function user_xor, user_affine;

/* A buffer with guards around it, all bytes filled. */
struct image {
    char *memory;
    size_t bytes;
    char *base; /* address of element 0 */
};
struct image image_new(const struct kind *kind, int count, uint64_t pattern);
struct image image_copy(const struct image *image);
void image_free(struct image *image);
/* Write the values of `rank` in the call `call`. */
void image_fill(struct image *image, const struct kind *kind, int count, enum manner manner, uint64_t call, int rank);
/* Copy values alone, not what stands in the gaps. Both hold the same quartets, or elements of the same kind. */
void image_take(struct image *to, const struct kind *to_kind, const struct image *from, const struct kind *from_kind,
                int runs);
/* Equal in every byte; in the padding of predefined types anything may stand. */
bool image_equal(const struct image *a, const struct image *b, const struct kind *kind, int count);

/* All ranks: MPI_COMM_WORLD, or its duplicate under the map whose turn it is. Only duplicates keep a map: any other
 * communicator made of it is to be put under the map, which frees the one given and returns its duplicate. */
extern MPI_Comm world_comm;
MPI_Comm under_map(MPI_Comm comm);
/* Make world_comm such a duplicate, and MPI_COMM_WORLD again. */
void world_begin(const char *map);
void world_end(void);

/* Communicators of all origins; MPI_COMM_NULL where this rank is none of it. All ranks call this together. */
int communicator_count(void);
MPI_Comm communicator_make(int which, const char **name);
void communicator_free(MPI_Comm *comm);

/* One random call of bcast, reduce or allreduce on `comm`, whose ranks all give the same `rng`. */
void random_call(MPI_Comm comm, const char *comm_name, struct rng *rng, int count_max);
/* The given call, checked against the serial answer. */
enum operation { OPERATION_BCAST, OPERATION_REDUCE, OPERATION_ALLREDUCE };
struct trial {
    enum operation operation;
    const struct kind *kind;
    const struct operator* operator;
    int count, root;
    bool in_place, bottom;
    uint64_t call;
    const char *comm_name;
};
void trial_run(MPI_Comm comm, const struct trial *trial);
/* bcast with another kind of the same signature at each rank. */
void mixed_bcast(MPI_Comm comm, int quartets, int root, uint64_t call);

/* A few random calls with blocks, in every form. */
void random_blocks(MPI_Comm comm, uint64_t seed);

/* How many random calls a part makes. */
extern int random_calls;

/* The special parts, one function each; `seed` is the same on all ranks. */
void part_barrier(uint64_t seed);
void part_intercommunicator(uint64_t seed);
void part_errors(uint64_t seed);
void part_remade_communicators(uint64_t seed);
void part_remade_types(uint64_t seed);
void part_remade_operators(uint64_t seed);
void part_wildcards(uint64_t seed);
void part_threads(uint64_t seed);
void part_alike(uint64_t seed);
void part_bits(uint64_t seed);
void part_truncated(uint64_t seed);
void part_uncommitted(uint64_t seed);
void part_large(uint64_t seed);
void part_blocks(uint64_t seed);
void part_neighbours(uint64_t seed);
void part_requests(uint64_t seed);

#endif
