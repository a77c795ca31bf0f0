/* What the parts of the conveyor tests share.
 *
 * A part is a list of numbered cases. A case draws all that it does from a generator which the seed, the part and the
 * number determine, alike at all ranks; what a rank does by itself comes from a generator of its own. So any case can
 * be run again alone (convey_main.c). Faults are told by `wrong`, with the case; a case that does not end is ended by a
 * watchdog, with the case. */
#ifndef WM_TESTS_CONVEY_CASES_H
#define WM_TESTS_CONVEY_CASES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "waymark/biconvey.h"
#include "waymark/convey.h"
#include "waymark/convey_comm.h"

struct rng {
    uint64_t state;
};

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint64_t rng_next(struct rng *rng)
{
    return hash_mix(rng->state++, 0);
}

/* 0 to limit - 1. */
static inline int rng_below(struct rng *rng, int limit)
{
    return (int)(rng_next(rng) % (uint64_t)limit);
}

static inline bool rng_one_in(struct rng *rng, int n)
{
    return rng_below(rng, n) == 0;
}

extern int world_rank, world_ranks;

/* ---- cases (convey_main.c) ---- */

struct part {
    const char *name;
    int cases; /* a round */
    void (*run)(int number, struct rng *rng);
};
extern const struct part part_flow, part_large, part_chain, part_many, part_handler, part_alone, part_state,
    part_refusal, part_memory, part_codec, part_bi, part_bistate;

/* What the present case is, in words: told with every fault. */
void case_is(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Counts the cases of this job: the same at all ranks. */
uint64_t case_serial(void);
/* Of the present case: follows from seed, part and number alone. */
uint64_t case_key(void);
/* A generator of this rank's own, of the present case. */
struct rng case_rng_of_rank(void);

void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            wrong(__VA_ARGS__);                                                                                        \
    } while (0)

/* ---- places: communicators (convey_places.c) ---- */

enum { PLACE_WORLD, PLACE_REVERSED, PLACE_HALVES, PLACE_SELF, PLACE_BUT_LAST, PLACES };
struct place {
    const char *name;
    MPI_Comm comm; /* MPI_COMM_NULL: this rank is no part of it */
    int rank, ranks;
    int *world; /* [ranks] its ranks in MPI_COMM_WORLD */
};
void places_make(void);
void places_free(void);
const struct place *place_of(int which);

/* Who has left the state WORKING: a board in memory that all ranks share. Without (several hosts) nothing is checked.
 */
enum { BOARD_SLOTS = 32 };
void board_leave(int slot, uint64_t run);
/* Has every rank of `place` left run `run`, or a later one? */
bool board_all_left(const struct place *place, int slot, uint64_t run);

/* ---- making conveyors (convey_kinds.c) ---- */

enum kind {
    KIND_NEW,
    KIND_ELASTIC,
    KIND_SIMPLE,
    KIND_TWOHOP,
    KIND_TENSOR,
    KIND_ETENSOR,
    KIND_COMM,
    KIND_COMM_ELASTIC,
    KIND_COMM_WITH,
    KINDS
};
/* What a constructor is told. */
struct make {
    enum kind kind;
    int place, order;
    size_t max_bytes, n_local, capacity, n_buffers, item_bound; /* item_bound: elastic ones */
    uint64_t options;
    const convey_alc8r_t *alloc;
};
enum elasticity { RIGID, ELASTIC, EITHER };
struct make make_random(struct rng *rng, enum elasticity wanted);
bool make_elastic(const struct make *make);
/* convey_advance may be a collective step: by kind, or because the map says so (CONVEY_TEST_SYNCHRONOUS). */
bool make_synchronous(const struct make *make);
/* It is one for sure: a map has the last word over kinds. */
bool make_lockstep(const struct make *make);
/* Its hops, 0: whatever; what its buffers take at most, if items are small. */
int make_hops(const struct make *make);
size_t make_limit(const struct make *make);
convey_t *make_conveyor(const struct make *make);
/* In words, valid until the eighth call from now. */
const char *make_words(const struct make *make);
/* A divisor of the number of ranks. */
size_t random_divisor(struct rng *rng);
const char *state_name(int state);

/* One item from each rank to each, over a conveyor of all ranks that is made and freed (convey_states.c). */
void exchange_one(void);

/* ---- loads: who pushes how much to whom (convey_loads.c) ---- */

enum pattern { SILENT, UNIFORM, SELF, TO_ONE, FROM_ONE, SKEWED, ONE_SIDED, RING, BURSTS, TO_UPPER_HALF, PATTERNS };
struct load {
    enum pattern pattern;
    int64_t count; /* about so many a rank that pushes */
    uint64_t seed;
    int root;
};
/* At most about `bytes_max` a rank of items of `item_bytes`. */
struct load load_random(struct rng *rng, size_t item_bytes, size_t bytes_max);
const char *load_name(const struct load *load);
int64_t load_count(const struct load *load, int source, int ranks);
int load_destination(const struct load *load, int source, int64_t i, int ranks);

/* Item number `number` of a pair of ranks. */
struct item_name {
    uint64_t key; /* of the run */
    int source, destination;
    int64_t number;
};
size_t item_bytes_of(const struct item_name *name, size_t bytes_max);
void item_fill(void *item, size_t bytes, const struct item_name *name);
bool item_right(const void *item, size_t bytes, const struct item_name *name);
/* What the first 8 bytes say. */
enum { ITEM_NAMED_BYTES = 8 };
struct item_name item_name_in(const void *item);

/* ---- streams: one run of one conveyor at one rank, checked (convey_stream.c, convey_take.c) ---- */

enum { GUARD_BYTES = 16 };

struct stream_form {
    int slot; /* of the board; differs between conveyors that live at the same time */
    int run;
    size_t item_bytes, align;
};

struct stream {
    convey_t *c;
    const struct place *place;
    bool elastic, synchronous, lockstep;
    bool fixed; /* all items have form.item_bytes; elastic ones may have less or more otherwise */
    int hops;   /* 0: whatever */
    bool one_group;
    size_t limit; /* of the memory that is held */
    size_t bound; /* of elastic items */
    struct stream_form form;
    size_t align; /* that pointers must have */
    uint64_t key, run_number;
    struct rng rng;      /* this rank's own */
    int64_t *sent, *got; /* [ranks] items so far, by destination and by source */
    int64_t pushes, pulls, unpulls, advances, refused;
    int status;      /* what convey_advance said last */
    bool done;       /* what it was told */
    char *out, *in;  /* an item to be pushed, and one pulled, with guards */
    int last_source; /* of the item taken last */

    /* The sources of all pulls that were not taken back; how many that were must come again. */
    int *history;
    size_t history_count, history_room, again;
    bool fresh; /* the last call was a pull that gave something */
    /* Items in place that must stay as they are until the next pull, a single one until the next that succeeds. */
    const void *held;
    bool held_item;
    size_t held_bytes;
    uint64_t held_sum;
};

/* convey_begin, checked. False: it failed, and was told. */
bool stream_begin(struct stream *s, convey_t *c, const struct make *make, const struct stream_form *form);
/* Push this rank's next item to `pe`: convey_OK or convey_FAIL. */
int stream_push(struct stream *s, int pe);
/* The same for up to `count` items, as a span. Returns how many. */
int64_t stream_push_span(struct stream *s, int count, int pe);
/* convey_OK, convey_NEAR, convey_DONE; what it must not say counts as DONE. */
int stream_advance(struct stream *s, bool done);
/* Pull in some way or other. Returns how many items, each of them checked. */
int64_t stream_take(struct stream *s);
/* The same, one item at most. */
bool stream_take_one(struct stream *s);
/* Give back what was taken last. */
bool stream_unpull(struct stream *s);
/* Look at what is held, and hold no more. */
void stream_release(struct stream *s);
/* Bytes of an item of this stream. */
size_t stream_item_bytes(const struct stream *s, const struct item_name *name);
/* An item has come: check it. */
void stream_arrived(struct stream *s, const void *item, size_t bytes, int64_t from);
/* Complete: check the counts of all pairs and the statistics; convey_reset. Collective. */
void stream_end(struct stream *s);

/* ---- what the library says (convey_capture.c) ---- */

/* From now on keep what this process writes to stderr. */
void capture_begin(void);
/* Returns that, valid until the next; *lines: how many. */
const char *capture_end(int *lines);

#endif
