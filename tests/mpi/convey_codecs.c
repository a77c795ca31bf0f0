/* Part codec: codecs of the user's own; one that leaves out zeros, ones that refuse, never pay, or break their
 * contract.
 *
 * Codecs serve hops between nodes: only maps that have such hops make the calls that are counted here. */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/convey_cases.h"

enum fault { SOUND, LINKLESS, REFUSES, NEVER_PAYS, BAD_LAYOUT, TOO_LONG, FAULTS };
static const char *const fault_names[FAULTS] = {
    "sound", "without link data", "refuses", "never pays", "asks for an impossible layout", "writes too much"};

/* What one rank's codec has seen. */
static struct {
    enum fault fault;
    int links, unlinks, compressions, decompressions, refusals;
} seen;
static int argument;

static bool plan(const convey_cargo_t *cargo, convey_layout_t *layout)
{
    CHECK(cargo->arg == &argument, "plan gets another argument than convey_set_codec");
    CHECK(cargo->packet_size >= cargo->tag_size + cargo->item_size && cargo->max_items > 0,
          "packets of %zu bytes for tags of %zu and items of %zu, %zu of them", cargo->packet_size, cargo->tag_size,
          cargo->item_size, cargo->max_items);
    *layout = (convey_layout_t){.align = 8, .stride = cargo->packet_size};
    if (seen.fault == BAD_LAYOUT)
        layout->align = 3;
    return seen.fault != REFUSES;
}

static void *link_new(const convey_cargo_t *cargo, bool decompress)
{
    int *data;

    CHECK(cargo->arg == &argument, "link gets another argument than convey_set_codec");
    if (seen.fault == LINKLESS)
        return NULL;
    data = malloc(sizeof *data);
    *data = decompress;
    seen.links++;
    return data;
}

static void check_link(const convey_cargo_t *cargo, const int *data, size_t items, bool decompress)
{
    CHECK(cargo->arg == &argument, "a codec gets another argument than convey_set_codec");
    CHECK(seen.fault == LINKLESS ? data == NULL : data != NULL && *data == decompress, "another link's data");
    CHECK(items > 0 && items <= cargo->max_items, "%zu items, at most %zu were told", items, cargo->max_items);
}

/* A bitmap of the bytes that are not zero, and those. */
static size_t compress(const convey_cargo_t *cargo, void *data, size_t items, void *in, size_t limit, void *out)
{
    size_t bytes = items * cargo->packet_size, at = (bytes + 7) / 8;
    unsigned char *from = in, *to = out;

    check_link(cargo, data, items, false);
    seen.compressions++;
    if (seen.fault == TOO_LONG)
        return limit + 1;
    seen.refusals += seen.fault == NEVER_PAYS;
    if (seen.fault == NEVER_PAYS || at > limit)
        return 0;
    memset(to, 0, at);
    for (size_t i = 0; i < bytes; i++) {
        if (from[i] == 0)
            continue;
        if (at == limit)
            return 0;
        to[i / 8] |= (unsigned char)(1 << i % 8);
        to[at++] = from[i];
    }
    memset(from, 0xaa, bytes); /* it may be spoilt */
    return at;
}

static void decompress(const convey_cargo_t *cargo, void *data, size_t items, size_t bytes_in, void *in, void *out)
{
    size_t bytes = items * cargo->packet_size, at = (bytes + 7) / 8;
    unsigned char *from = in, *to = out;

    check_link(cargo, data, items, true);
    seen.decompressions++;
    for (size_t i = 0; i < bytes; i++)
        to[i] = from[i / 8] >> i % 8 & 1 ? from[at++] : 0;
    CHECK(at == bytes_in, "%zu bytes came to be decompressed, not %zu", bytes_in, at);
}

static void link_free(const convey_cargo_t *cargo, void *data)
{
    CHECK(cargo->arg == &argument, "unlink gets another argument than convey_set_codec");
    seen.unlinks += data != NULL;
    free(data);
}

static const convey_codec_t zeros = {"zeros", plan, link_new, compress, decompress, link_free};

/* ---- items with many zeros ---- */

struct sparse {
    int64_t number;
    int32_t source, zero[29];
    int32_t sum;
};

struct sparse_run {
    convey_t *c;
    const struct place *place;
    int64_t *sent, *got;
    int64_t next, total;
};

static int sparse_push(struct sparse_run *r)
{
    int pe = (int)(hash_mix((uint64_t)r->next, (uint64_t)r->place->rank) % (uint64_t)r->place->ranks), rc;
    struct sparse item = {.number = r->sent[pe], .source = r->place->rank};

    item.sum = (int32_t)item.number + item.source;
    rc = convey_push(r->c, &item, pe);
    r->sent[pe] += rc == convey_OK;
    r->next += rc == convey_OK;
    return rc;
}

static void sparse_pull(struct sparse_run *r)
{
    const struct sparse *item;
    int64_t from;

    while ((item = convey_apull(r->c, &from)) != NULL) {
        CHECK(item->source == from && item->number == r->got[from] && item->zero[28] == 0 &&
                  item->sum == (int32_t)item->number + item->source,
              "item %lld of %d is pulled, not item %lld of %lld", (long long)item->number, item->source,
              (long long)r->got[from], (long long)from);
        r->got[from]++;
    }
}

static void sparse_check(struct sparse_run *r)
{
    int64_t *right = calloc((size_t)r->place->ranks, sizeof *right);

    MPI_Alltoall(r->sent, 1, MPI_INT64_T, right, 1, MPI_INT64_T, r->place->comm);
    for (int from = 0; from < r->place->ranks; from++)
        CHECK(r->got[from] == right[from], "%lld items from %d, not %lld", (long long)r->got[from], from,
              (long long)right[from]);
    free(right);
}

/* To the end, or until some rank's codec is found out. False: it was. */
static bool sparse_walk(struct sparse_run *r)
{
    int rc = convey_OK;

    for (int64_t turn = 0; rc > 0; turn++) {
        rc = convey_advance(r->c, r->next == r->total);
        while (rc == convey_OK && r->next < r->total && sparse_push(r) == convey_OK) {
        }
        if (rc > 0)
            sparse_pull(r);
        if (seen.fault == TOO_LONG && turn == 20000)
            return false; /* another rank may have been stopped */
    }
    CHECK(rc == convey_DONE || (rc == convey_error_CODEC && seen.fault == TOO_LONG), "convey_advance says %d", rc);
    return rc == convey_DONE;
}

/* A conveyor whose run failed is not freed, and what it has sent comes to no later one. */
static void check_kept(convey_t *c)
{
    struct convey_live live;

    CHECK(convey_live(c, &live) == convey_OK, "convey_live fails");
    if (live.state != convey_COMPLETE)
        CHECK(convey_free(c) == convey_error_STATE, "a conveyor is freed though its run is not over");
    exchange_one();
}

static void sparse_run(convey_t *c, const struct make *make, int64_t total)
{
    struct sparse_run r = {.c = c, .place = place_of(make->place), .total = total};
    int ended, all, rc = convey_begin(c, sizeof(struct sparse), 8), worst;

    MPI_Allreduce(&rc, &worst, 1, MPI_INT, MPI_MIN, r.place->comm);
    CHECK(rc == worst, "convey_begin says %d here and %d elsewhere", rc, worst);
    CHECK(rc == convey_OK || (rc == convey_error_CODEC && (seen.fault == BAD_LAYOUT || seen.fault == REFUSES)),
          "convey_begin says %d with a codec that is %s", rc, fault_names[seen.fault]);
    if (worst != convey_OK) {
        CHECK(convey_free(c) == convey_OK, "convey_free fails");
        return;
    }
    r.sent = calloc((size_t)r.place->ranks, sizeof *r.sent);
    r.got = calloc((size_t)r.place->ranks, sizeof *r.got);
    ended = sparse_walk(&r);
    MPI_Allreduce(&ended, &all, 1, MPI_INT, MPI_MIN, r.place->comm);
    if (all) {
        sparse_check(&r);
        CHECK(convey_reset(c) == convey_OK && convey_free(c) == convey_OK, "convey_reset or convey_free fails");
        CHECK(seen.links == seen.unlinks, "%d links, %d unlinks", seen.links, seen.unlinks);
    } else {
        CHECK(seen.fault == TOO_LONG, "a run does not end");
        check_kept(c);
    }
    free(r.sent);
    free(r.got);
}

/* CONVEY_TEST_BETWEEN: the map has hops between nodes for every conveyor. */
static void check_used(const struct make *make, int64_t total)
{
    int all, compressions = seen.compressions;

    MPI_Allreduce(&compressions, &all, 1, MPI_INT, MPI_SUM, place_of(make->place)->comm);
    if (getenv("CONVEY_TEST_BETWEEN") != NULL && make->place == PLACE_WORLD && total >= 4000 &&
        (seen.fault == SOUND || seen.fault == LINKLESS))
        CHECK(all > 0, "a codec was set, and never called");
}

/* What is set cannot be used. */
static void useless(convey_t *c)
{
    convey_codec_t lacking[] = {zeros, zeros, zeros};
    convey_t *plain = wm_convey_new_with(MPI_COMM_WORLD, NULL, 0, SIZE_MAX, NULL, 0);

    lacking[0].plan = NULL;
    lacking[1].compress = NULL;
    lacking[2].decompress = NULL;
    for (int i = 0; i < 3; i++)
        CHECK(convey_set_codec(c, &lacking[i], NULL) == convey_error_ARGUMENT, "a codec that lacks a function is set");
    CHECK(convey_set_codec(plain, &zeros, &argument) == convey_FAIL && !(convey_features(plain) & convey_THRIFTY),
          "a conveyor made without convey_opt_COMPRESS compresses");
    CHECK(convey_free(plain) == convey_OK, "convey_free fails");
}

/* The case 5 of each 6 spoils its conveyor for good: it has to be asked for. */
static void codec(int number, struct rng *rng)
{
    struct make make = {
        .kind = KIND_COMM_WITH, .max_bytes = SIZE_MAX, .options = convey_opt_QUIET | convey_opt_COMPRESS};
    int64_t total = 1 + rng_below(rng, 2) * 4000;
    convey_t *c;
    int rc;

    memset(&seen, 0, sizeof seen);
    seen.fault = (enum fault)(number % FAULTS);
    if (seen.fault == TOO_LONG && getenv("CONVEY_TEST_SPOIL") == NULL)
        return;
    make.place = seen.fault == TOO_LONG ? PLACE_WORLD : rng_below(rng, PLACES);
    case_is("a codec that is %s, %lld items a rank: %s", fault_names[seen.fault], (long long)total, make_words(&make));
    if (place_of(make.place)->comm == MPI_COMM_NULL || (c = make_conveyor(&make)) == NULL)
        return;
    if (make.place == PLACE_WORLD)
        useless(c);
    rc = convey_set_codec(c, &zeros, &argument);
    CHECK(rc == convey_OK || rc == convey_FAIL || (rc == convey_error_CODEC && seen.fault != SOUND),
          "convey_set_codec says %d", rc);
    sparse_run(c, &make, total);
    if (rc == convey_OK)
        check_used(&make, total);
}

const struct part part_codec = {"codec", 18, codec};
