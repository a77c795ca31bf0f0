/* Part state: every call that a state does not allow has no effect, and the first of its kind says so; what a program
 * may do late or twice; NULL; the sentences of errors. */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/convey_cases.h"

enum {
    D = 1 << convey_DORMANT,
    W = 1 << convey_WORKING,
    E = 1 << convey_ENDGAME,
    C = 1 << convey_CLEANUP,
    X = 1 << convey_COMPLETE,
    ALL = D | W | E | C | X
};
enum { FOR_RIGID = 1, FOR_ELASTIC = 2, FOR_BOTH = 3 };

static char item[1 << 17]; /* of any size that is pushed here */
static size_t bound;
static int64_t there; /* the first rank that there is not */
static uint64_t told; /* bit -code: this conveyor has said it */

static int push(convey_t *c)
{
    return convey_push(c, item, 0);
}
static int push_before(convey_t *c)
{
    return convey_push(c, item, -1);
}
static int push_behind(convey_t *c)
{
    return convey_push(c, item, there);
}
static int push_far(convey_t *c)
{
    return convey_push(c, item, INT64_MAX);
}
static int push_wrapped(convey_t *c)
{
    return convey_push(c, item, INT64_MIN);
}
static int epush(convey_t *c)
{
    return convey_epush(c, 0, item, 0);
}
static int epush_before(convey_t *c)
{
    return convey_epush(c, 0, item, -1);
}
static int epush_behind(convey_t *c)
{
    return convey_epush(c, 0, item, there);
}
static int epush_larger(convey_t *c)
{
    return convey_epush(c, bound + 1, item, 0);
}
static int epush_huge(convey_t *c)
{
    return convey_epush(c, SIZE_MAX, item, 0);
}
static int epush_nothing(convey_t *c)
{
    return convey_epush(c, 1, NULL, 0);
}
static int push_span(convey_t *c)
{
    return (int)convey_push_span(c, item, 1, 0);
}
static int push_span_behind(convey_t *c)
{
    return (int)convey_push_span(c, item, 1, there);
}
static int push_urgent(convey_t *c)
{
    return convey_push_urgent(c, item, 0);
}
static int push_urgent_before(convey_t *c)
{
    return convey_push_urgent(c, item, -1);
}
static int pull(convey_t *c)
{
    return convey_pull(c, item, NULL);
}
static int unpull(convey_t *c)
{
    return convey_unpull(c);
}
static int epull_nowhere(convey_t *c)
{
    return convey_epull(c, NULL);
}
static int pull_span_nowhere(convey_t *c)
{
    return (int)convey_pull_span(c, NULL, NULL);
}
static int advance(convey_t *c)
{
    return convey_advance(c, false);
}
static int begin(convey_t *c)
{
    return convey_begin(c, 8, 0);
}
static int set_codec(convey_t *c)
{
    return convey_set_codec(c, NULL, NULL);
}
static int set_handler(convey_t *c)
{
    return convey_set_handler(c, NULL, NULL, false);
}
static int live_nowhere(convey_t *c)
{
    return convey_live(c, NULL);
}

static int epull(convey_t *c)
{
    convey_item_t result;

    return convey_epull(c, &result);
}

static int pull_span(convey_t *c)
{
    const void *items;

    return (int)convey_pull_span(c, &items, NULL);
}

static int apull(convey_t *c)
{
    return convey_apull(c, NULL) == NULL ? c == NULL ? convey_error_NULL : convey_error_STATE : convey_OK;
}

static const struct misuse {
    const char *function;
    int (*call)(convey_t *);
    int states, kinds, code; /* states 0: legal, but for a conveyor that is NULL */
} misuses[] = {
    {"convey_push", push, D | E | C | X, FOR_BOTH, convey_error_STATE},
    {"convey_push", push_before, W, FOR_BOTH, convey_error_RANGE},
    {"convey_push", push_behind, W, FOR_BOTH, convey_error_RANGE},
    {"convey_push", push_far, W, FOR_BOTH, convey_error_RANGE},
    {"convey_push", push_wrapped, W, FOR_BOTH, convey_error_RANGE},
    {"convey_epush", epush, W, FOR_RIGID, convey_error_RIGID},
    {"convey_epush", epush, D | E | C | X, FOR_ELASTIC, convey_error_STATE},
    {"convey_epush", epush_before, W, FOR_ELASTIC, convey_error_RANGE},
    {"convey_epush", epush_behind, W, FOR_ELASTIC, convey_error_RANGE},
    {"convey_epush", epush_larger, W, FOR_ELASTIC, convey_error_SIZE},
    {"convey_epush", epush_huge, W, FOR_ELASTIC, convey_error_SIZE},
    {"convey_epush", epush_nothing, W, FOR_ELASTIC, 0},
    {"convey_push_span", push_span, D | E | C | X, FOR_RIGID, convey_error_STATE},
    {"convey_push_span", push_span_behind, W, FOR_RIGID, convey_error_RANGE},
    {"convey_push_urgent", push_urgent, D | E | C | X, FOR_BOTH, convey_error_STATE},
    {"convey_push_urgent", push_urgent_before, W, FOR_BOTH, convey_error_RANGE},
    {"convey_pull", pull, D, FOR_BOTH, convey_error_STATE},
    {"convey_apull", apull, D, FOR_BOTH, convey_error_STATE},
    {"convey_unpull", unpull, D, FOR_BOTH, convey_error_STATE},
    {"convey_epull", epull, W, FOR_RIGID, convey_error_RIGID},
    {"convey_epull", epull, D, FOR_ELASTIC, convey_error_STATE},
    {"convey_epull", epull_nowhere, W | E | C, FOR_ELASTIC, convey_error_ARGUMENT},
    {"convey_pull_span", pull_span, D, FOR_RIGID, convey_error_STATE},
    {"convey_pull_span", pull_span_nowhere, W | E | C, FOR_RIGID, convey_error_ARGUMENT},
    {"convey_advance", advance, D, FOR_BOTH, convey_error_STATE},
    {"convey_begin", begin, W | E | C | X, FOR_BOTH, convey_error_STATE},
    {"convey_reset", convey_reset, W | E | C, FOR_BOTH, convey_error_STATE},
    {"convey_free", convey_free, W | E | C, FOR_BOTH, convey_error_STATE},
    {"convey_set_codec", set_codec, W | E | C | X, FOR_BOTH, convey_error_STATE},
    {"convey_set_handler", set_handler, W | E | C | X, FOR_BOTH, convey_error_STATE},
    {"convey_live", live_nowhere, ALL, FOR_BOTH, convey_error_ARGUMENT},
};
enum { MISUSES = sizeof misuses / sizeof misuses[0] };

/* What a misuse must leave alone. */
struct picture {
    int64_t statistics[convey_CUMULATIVE];
    struct convey_live live;
};

static struct picture picture_of(convey_t *c)
{
    struct picture p = {0};

    for (int which = 0; which < convey_CUMULATIVE; which++)
        p.statistics[which] = convey_statistic(c, which);
    convey_live(c, &p.live);
    return p;
}

static void check_untouched(convey_t *c, const struct picture *before, const struct misuse *m)
{
    struct picture after = picture_of(c);

    for (int which = 0; which < convey_CUMULATIVE; which++)
        CHECK(after.statistics[which] == before->statistics[which], "%s is refused, but changes statistic %d",
              m->function, which);
    CHECK(after.live.state == before->live.state && after.live.pushed == before->live.pushed &&
              after.live.pulled == before->live.pulled && after.live.waiting == before->live.waiting &&
              after.live.refused == before->live.refused,
          "%s is refused, but has an effect", m->function);
}

/* The first of its kind: one line that names the function and says what is wrong; none when quiet. */
static void check_said(const char *function, int code, bool quiet, const char *text, int lines)
{
    uint64_t bit = UINT64_C(1) << -code % 64;
    bool silent = quiet || (told & bit) != 0;

    told |= bit;
    if (silent) {
        CHECK(lines == 0, "%s, but %s says: %s", quiet ? "quiet" : "not the first", function, text);
        return;
    }
    CHECK(lines == 1, "%s says %d lines, not one: %s", function, lines, text);
    CHECK(strncmp(text, "waymark: ", 9) == 0 && strstr(text, function) != NULL &&
              strstr(text, convey_error_string(NULL, code)) != NULL,
          "%s, code %d, says: %s", function, code, text);
}

static void misuse(convey_t *c, const struct misuse *m, bool quiet)
{
    struct picture before = picture_of(c);
    const char *text;
    int rc, lines;

    capture_begin();
    rc = m->call(c);
    text = capture_end(&lines);
    CHECK(rc < 0 && (m->code == 0 || rc == m->code), "%s in %s says %d, not %d", m->function,
          state_name((int)before.live.state), rc, m->code);
    check_said(m->function, rc, quiet, text, lines);
    check_untouched(c, &before, m);
}

/* All that this state forbids. */
static void misuse_all(convey_t *c, const struct make *make)
{
    bool quiet = make->options & convey_opt_QUIET;
    struct convey_live live;
    int kind = make_elastic(make) ? FOR_ELASTIC : FOR_RIGID;

    CHECK(convey_live(c, &live) == convey_OK, "convey_live fails");
    for (int m = 0; m < MISUSES; m++)
        if ((misuses[m].states & 1 << live.state) && (misuses[m].kinds & kind))
            misuse(c, &misuses[m], quiet);
}

/* ENDGAME: this rank is done, the first one is not. */
static void reach_endgame(struct stream *s)
{
    stream_advance(s, s->place->rank != 0);
}

/* CLEANUP: nothing is pulled; not reached where what is not pulled hides the end. Calls are few if they are collective.
 */
static void reach_cleanup(struct stream *s)
{
    for (int i = 0; i < 40 || (!s->synchronous && i < 2000); i++)
        if (stream_advance(s, true) != convey_OK && !s->synchronous)
            break;
}

static void states_of(convey_t *c, const struct make *make, size_t item_bytes)
{
    struct stream_form form = {.run = 1, .item_bytes = item_bytes};
    struct stream s;

    misuse_all(c, make);
    CHECK(convey_reset(c) == convey_OK, "convey_reset of a dormant conveyor fails");
    if (!stream_begin(&s, c, make, &form))
        return;
    misuse_all(c, make);
    stream_push(&s, 0);
    stream_push(&s, s.place->ranks - 1);
    misuse_all(c, make);
    reach_endgame(&s);
    misuse_all(c, make);
    reach_cleanup(&s);
    misuse_all(c, make);
    while (stream_advance(&s, true) != convey_DONE) {
        stream_take_one(&s);
        if (rng_one_in(&s.rng, 2))
            stream_unpull(&s);
        if (s.pulls % 3 == 1)
            misuse_all(c, make);
    }
    misuse_all(c, make);
    CHECK(convey_pull(c, item, NULL) != convey_OK && convey_apull(c, NULL) == NULL, "an item of a complete conveyor");
    stream_end(&s);
    misuse_all(c, make);
}

static void null_conveyor(void)
{
    convey_item_t result;

    told = 0;
    for (int m = 0; m < MISUSES; m++) {
        const char *text;
        int rc, lines;

        if (misuses[m].call == convey_free)
            continue;
        capture_begin();
        rc = misuses[m].call(NULL);
        text = capture_end(&lines);
        CHECK(rc == convey_error_NULL, "%s of NULL says %d", misuses[m].function, rc);
        check_said(misuses[m].function, convey_error_NULL, false, text, lines);
    }
    CHECK(convey_free(NULL) >= 0, "convey_free of NULL fails");
    capture_begin();
    CHECK(convey_epull(NULL, &result) == convey_error_NULL, "convey_epull of NULL");
    CHECK(convey_item_size(NULL) == 0 && convey_features(NULL) == 0, "size or features of NULL");
    for (int which = 0; which < 2 * convey_CUMULATIVE; which++)
        CHECK(convey_statistic(NULL, which) == -1, "a statistic of NULL");
    capture_end(&(int){0});
}

/* Every code has a sentence of its own. */
static void error_strings(convey_t *c)
{
#define X(id, code, sentence) code,
    static const int codes[] = {WM_CONVEY_ERRORS(X)};
#undef X
    enum { CODES = sizeof codes / sizeof codes[0] };

    for (int i = 0; i < CODES; i++) {
        const char *text = convey_error_string(c, codes[i]);

        CHECK(codes[i] < 0 && text != NULL && strlen(text) > 8, "no sentence for %d", codes[i]);
        CHECK(strcmp(text, convey_error_string(c, 0)) != 0 && strcmp(text, convey_error_string(c, 1)) != 0,
              "what is no error has the sentence of %d", codes[i]);
        for (int j = 0; j < i && text != NULL; j++)
            CHECK(strcmp(text, convey_error_string(c, codes[j])) != 0, "the same sentence for %d and %d", codes[i],
                  codes[j]);
    }
    for (int code = -200; code < 300; code++)
        CHECK(convey_error_string(c, code) != NULL, "NULL for code %d", code);
    CHECK(convey_error_string(c, INT32_MIN) != NULL && convey_error_string(NULL, -12345) != NULL, "NULL for a code");
}

/* An elastic conveyor's next item has another size than convey_pull's: that is an error, and convey_epull has it. */
static void misfit(convey_t *c)
{
    char bytes[8];
    convey_item_t result;
    int rc = convey_begin(c, 8, 0), lines, got = 0;

    CHECK(rc == convey_OK && convey_epush(c, 3, item, world_rank) == convey_OK,
          "an elastic conveyor that serves nobody");
    while ((rc = convey_advance(c, true)) > 0) {
        int pulled;

        capture_begin();
        pulled = convey_pull(c, bytes, NULL);
        CHECK(convey_apull(c, NULL) == NULL, "an item of 3 bytes where 8 were asked for");
        capture_end(&lines);
        CHECK(pulled == convey_FAIL || pulled == convey_error_MISFIT, "convey_pull of an item of 3 bytes says %d",
              pulled);
        CHECK(lines <= 1, "%d lines, not one", lines);
        if (pulled == convey_error_MISFIT)
            got += convey_epull(c, &result) == convey_OK && result.bytes == 3;
    }
    CHECK(rc == convey_DONE && got == 1, "%d items of 3 bytes, then %d", got, rc);
    CHECK(convey_reset(c) == convey_OK && convey_free(c) == convey_OK, "convey_reset or convey_free fails");
}

void exchange_one(void)
{
    convey_t *c = convey_new(SIZE_MAX, 0, NULL, 0);
    int64_t ranks = place_of(0)->ranks, pushed = 0, got = 0, sum = 0, value, from;

    CHECK(c != NULL && convey_begin(c, sizeof value, 0) == convey_OK, "a conveyor after others does not begin");
    while (convey_advance(c, pushed == ranks) > convey_DONE) {
        while (pushed < ranks && convey_push(c, &pushed, pushed) == convey_OK)
            pushed++;
        for (; convey_pull(c, &value, &from) == convey_OK; got++)
            sum += from;
    }
    CHECK(got == ranks && sum == ranks * (ranks - 1) / 2, "%lld items from %lld ranks", (long long)got,
          (long long)ranks);
    CHECK(convey_free(c) == convey_OK, "convey_free fails");
}

/* Which communicator the next conveyor has does not depend on the order in which a rank frees. */
static void freed_in_two_orders(void)
{
    convey_t *first = convey_new(SIZE_MAX, 0, NULL, 0), *second = convey_new(SIZE_MAX, 0, NULL, 0);
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(convey_free(rank % 2 == 0 ? first : second) == convey_OK, "convey_free fails");
    CHECK(convey_free(rank % 2 == 0 ? second : first) == convey_OK, "convey_free fails");
    exchange_one();
    exchange_one();
}

static void state(int number, struct rng *rng)
{
    struct make make = make_random(rng, number % 2 ? RIGID : ELASTIC);
    convey_t *c;

    make.item_bound = make.item_bound > 0 && make.item_bound < 8 ? 8 : make.item_bound;
    make.options |= number % 3 == 2 && make.kind != KIND_COMM && make.kind != KIND_COMM_ELASTIC ? convey_opt_QUIET : 0;
    case_is("misuse of %s", make_words(&make));
    if (number == 0) {
        null_conveyor();
        error_strings(NULL);
        misfit(convey_new_elastic(100, SIZE_MAX, 0, NULL, 0));
        freed_in_two_orders();
    }
    if (place_of(make.place)->comm == MPI_COMM_NULL || (c = make_conveyor(&make)) == NULL)
        return;
    told = 0;
    bound = make.item_bound;
    there = place_of(make.place)->ranks;
    error_strings(c);
    states_of(c, &make, make_elastic(&make) && make.item_bound < 8 ? make.item_bound : 8);
    CHECK(convey_free(c) == convey_OK, "convey_free fails");
}

const struct part part_state = {"state", 12, state};
