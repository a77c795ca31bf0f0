/* Part refusal: constructors and convey_begin with arguments that cannot be; all ranks are told, one says it. Case 6,
 * by itself: rings that exceed the memory of the node. */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/convey_cases.h"

static uint64_t options;
static size_t odd; /* does not divide the ranks */

static convey_t *tensor_none(void)
{
    return convey_new_tensor(1000, 0, 1, 2, NULL, options);
}
static convey_t *tensor_four(void)
{
    return convey_new_tensor(1000, 4, 1, 2, NULL, options);
}
static convey_t *tensor_negative(void)
{
    return convey_new_tensor(1000, -1, 1, 2, NULL, options);
}
static convey_t *tensor_bufferless(void)
{
    return convey_new_tensor(1000, 2, 1, 0, NULL, options);
}
static convey_t *tensor_buffers(void)
{
    return convey_new_tensor(1000, 1, 1, 65, NULL, options);
}
static convey_t *tensor_odd(void)
{
    return convey_new_tensor(1000, 2, odd, 2, NULL, options);
}
static convey_t *tensor_three_odd(void)
{
    return convey_new_tensor(1000, 3, odd, 2, NULL, options);
}
static convey_t *etensor_four(void)
{
    return convey_new_etensor(1000, 100, 4, 1, 2, NULL, options);
}
static convey_t *etensor_buffers(void)
{
    return convey_new_etensor(1000, 100, 1, 1, 1000, NULL, options);
}
static convey_t *etensor_bound(void)
{
    return convey_new_etensor(1000, (size_t)1 << 40, 1, 1, 2, NULL, options);
}
static convey_t *elastic_bound(void)
{
    return convey_new_elastic((size_t)1 << 40, SIZE_MAX, 0, NULL, options);
}
static convey_t *elastic_endless(void)
{
    return convey_new_elastic(SIZE_MAX, SIZE_MAX, 0, NULL, options);
}
static convey_t *twohop_none(void)
{
    return convey_new_twohop(1000, 0, NULL, options);
}
static convey_t *twohop_odd(void)
{
    return convey_new_twohop(1000, odd, NULL, options);
}
static convey_t *no_comm(void)
{
    return wm_convey_new_with(MPI_COMM_NULL, NULL, 0, SIZE_MAX, NULL, options);
}

static convey_t *long_name(void)
{
    char name[100];

    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    return wm_convey_new_with(MPI_COMM_WORLD, name, 0, SIZE_MAX, NULL, options);
}

static const struct {
    const char *name;
    convey_t *(*make)(void);
    bool everywhere_said; /* there is no communicator by which to agree on who says it */
} refused[] = {
    {"a tensor of order 0", tensor_none, false},
    {"a tensor of order 4", tensor_four, false},
    {"a tensor of order -1", tensor_negative, false},
    {"a tensor without buffers", tensor_bufferless, false},
    {"a tensor of 65 buffers", tensor_buffers, false},
    {"a tensor whose n_local does not divide the ranks", tensor_odd, false},
    {"a tensor of order 3 whose n_local does not divide the ranks", tensor_three_odd, false},
    {"an elastic tensor of order 4", etensor_four, false},
    {"an elastic tensor of 1000 buffers", etensor_buffers, false},
    {"an elastic tensor of items of 2^40 bytes", etensor_bound, false},
    {"elastic items of 2^40 bytes", elastic_bound, false},
    {"elastic items of any size", elastic_endless, false},
    {"two hops in rows of none", twohop_none, false},
    {"two hops in rows that do not divide the ranks", twohop_odd, false},
    {"a name of 99 characters", long_name, false},
    {"no communicator", no_comm, true},
};
enum { REFUSED = sizeof refused / sizeof refused[0] };

static void refuse_one(int which)
{
    int lines, all;
    const char *text;
    convey_t *c;

    capture_begin();
    c = refused[which].make();
    text = capture_end(&lines);
    CHECK(c == NULL, "%s is made", refused[which].name);
    CHECK(lines == 0 || strncmp(text, "waymark: ", 9) == 0, "%s: %s", refused[which].name, text);
    MPI_Allreduce(&lines, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (options & convey_opt_QUIET)
        CHECK(all == 0, "%s: quiet, but it is said: %s", refused[which].name, text);
    else if (refused[which].everywhere_said)
        CHECK(lines == 1, "%s: %d lines: %s", refused[which].name, lines, text);
    else
        CHECK(all == 1, "%s: said by %d lines of all ranks, not one: %s", refused[which].name, all, text);
    if (c != NULL)
        convey_free(c);
}

/* A begin that all ranks are refused, and after which the conveyor is as it was. */
static void refuse_begin(convey_t *c, size_t item_bytes, int code, const char *what)
{
    struct convey_live live;
    int lines, rc;

    capture_begin();
    rc = convey_begin(c, item_bytes, 0);
    capture_end(&lines);
    CHECK(rc < 0 && (code == 0 || rc == code), "a begin with %s says %d", what, rc);
    CHECK(convey_live(c, &live) == convey_OK && live.state == convey_DORMANT, "not dormant after a begin that failed");
    CHECK(convey_item_size(c) == 0, "an item's size after a begin that failed");
}

static void begins(struct rng *rng)
{
    struct make make = make_random(rng, EITHER);
    struct stream_form form = {.run = 1, .item_bytes = 8};
    struct stream s;
    convey_t *c;
    int odd_one;

    make.item_bound = make_elastic(&make) ? 1000 : 0;
    case_is("begins that fail: %s", make_words(&make));
    if (place_of(make.place)->comm == MPI_COMM_NULL || (c = make_conveyor(&make)) == NULL)
        return;
    odd_one = rng_below(rng, place_of(make.place)->ranks);
    if (place_of(make.place)->ranks > 1) {
        refuse_begin(c, place_of(make.place)->rank == odd_one ? 16 : 8, convey_error_SIZE, "sizes that differ");
        refuse_begin(c, place_of(make.place)->rank == odd_one ? 2000 : 8, convey_error_SIZE,
                     "one size that is too large");
    }
    if (make_elastic(&make))
        refuse_begin(c, 1001, convey_error_SIZE, "items above the bound");
    else {
        refuse_begin(c, SIZE_MAX, 0, "items of SIZE_MAX bytes");
        refuse_begin(c, (size_t)1 << 62, 0, "items of 2^62 bytes");
    }
    if (stream_begin(&s, c, &make, &form)) {
        stream_push(&s, s.place->ranks - 1);
        while (stream_advance(&s, true) != convey_DONE)
            stream_take(&s);
        stream_end(&s);
    }
    CHECK(convey_free(c) == convey_OK, "convey_free fails");
}

enum { FULL_CASE = 6, LARGE_BYTES = 1 << 24, LARGE_MOST = 64 };

/* Returns how many ranks say that it goes by MPI. */
static int make_large(convey_t **c)
{
    const char *text;
    int lines, said, all;

    capture_begin();
    *c = convey_new_tensor(LARGE_BYTES, 1, 1, 4, NULL, 0);
    CHECK(*c != NULL && convey_begin(*c, 8, 0) == convey_OK, "there is no conveyor beyond the node's memory");
    text = capture_end(&lines);
    CHECK(lines == 0 || strstr(text, "used up") != NULL, "of the node's memory: %s", text);
    said = strstr(text, "items of this conveyor go by MPI") != NULL;
    MPI_Allreduce(&said, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* The first conveyor without rings says so, and why; all carry items. */
static void fill_node(void)
{
    convey_t *made[LARGE_MOST + 1];
    int count = 0, said = 0;
    int64_t item = world_rank;

    while (count < LARGE_MOST && said == 0)
        said = make_large(&made[count++]);
    CHECK(said == 1, "said by %d ranks after %d conveyors of large buffers", said, count);
    CHECK(make_large(&made[count++]) == 0, "it is said again");
    for (int i = 0; i < count; i++) {
        int pulled = 0;

        CHECK(convey_push(made[i], &item, (world_rank + 1) % world_ranks) == convey_OK, "the first push fails");
        while (convey_advance(made[i], true) > 0)
            pulled += convey_pull(made[i], &item, NULL) == convey_OK;
        CHECK(pulled == 1 && convey_free(made[i]) == convey_OK, "%d items of one arrive", pulled);
    }
}

static void refusal(int number, struct rng *rng)
{
    if (number == FULL_CASE) {
        case_is("more rings than memory");
        fill_node();
        return;
    }
    if (number % 3 != 0) {
        begins(rng);
        return;
    }
    options = number % 2 ? convey_opt_QUIET : 0;
    odd = (size_t)world_ranks + 1;
    for (int which = 0; which < REFUSED; which++) {
        case_is("%s%s", refused[which].name, options ? ", quiet" : "");
        refuse_one(which);
    }
}

const struct part part_refusal = {"refusal", 6, refusal};
