/* One run of one conveyor at one rank: begun, pushed to, advanced, ended; every answer is checked. */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/convey_cases.h"

/* What convey_begin makes of its argument `align`. */
static size_t effective_align(size_t item_bytes, size_t align)
{
    size_t largest = CONVEY_MAX_ALIGN;

    while (item_bytes % largest != 0)
        largest /= 2;
    return align > 0 && (align & (align - 1)) == 0 && align <= largest ? align : largest;
}

bool stream_begin(struct stream *s, convey_t *c, const struct make *make, const struct stream_form *form)
{
    const struct place *place = place_of(make->place);
    size_t room = form->item_bytes > make->item_bound ? form->item_bytes : make->item_bound;
    int rc = convey_begin(c, form->item_bytes, form->align);

    *s = (struct stream){.c = c, .place = place, .form = *form, .rng = case_rng_of_rank(), .status = convey_OK};
    CHECK(rc == convey_OK, "convey_begin of %zu bytes says %d", form->item_bytes, rc);
    if (rc != convey_OK)
        return false;
    CHECK(convey_item_size(c) == form->item_bytes, "the item's size is %zu", convey_item_size(c));
    s->elastic = make_elastic(make);
    s->synchronous = make_synchronous(make);
    s->lockstep = make_lockstep(make);
    s->hops = make_hops(make);
    s->limit = make_limit(make);
    s->one_group = s->hops >= 2 && make->n_local == (size_t)place->ranks;
    s->align = effective_align(form->item_bytes, form->align);
    s->run_number = case_serial() << 16 | (uint64_t)form->run;
    s->key = hash_mix(hash_mix(case_key(), (uint64_t)form->run), (uint64_t)form->slot);
    s->fixed = !s->elastic || s->key % 4 == 0;
    s->bound = make->item_bound;
    s->rng.state += s->key;
    s->sent = calloc((size_t)place->ranks, sizeof *s->sent);
    s->got = calloc((size_t)place->ranks, sizeof *s->got);
    s->out = malloc(room + GUARD_BYTES);
    s->in = malloc(room + 2 * GUARD_BYTES);
    return true;
}

size_t stream_item_bytes(const struct stream *s, const struct item_name *name)
{
    return s->fixed ? s->form.item_bytes : item_bytes_of(name, s->bound);
}

static void count_pushed(struct stream *s, int pe, int64_t count)
{
    s->sent[pe] += count;
    s->pushes += count;
    s->fresh = false;
}

/* Elastic pushes, plain ones, and some urgent ones. */
static int push_somehow(struct stream *s, size_t bytes, const void *item, int pe)
{
    if (s->elastic && (!s->fixed || rng_one_in(&s->rng, 2)))
        return convey_epush(s->c, bytes, item, pe);
    if (rng_one_in(&s->rng, 40))
        return convey_push_urgent(s->c, item, pe);
    return convey_push(s->c, item, pe);
}

int stream_push(struct stream *s, int pe)
{
    struct item_name name = {s->key, s->place->rank, pe, s->sent[pe]};
    size_t bytes = stream_item_bytes(s, &name);
    char *item = s->out + s->pushes % GUARD_BYTES; /* of any alignment */
    int rc;

    item_fill(item, bytes, &name);
    rc = push_somehow(s, bytes, item, pe);
    CHECK(rc == convey_OK || rc == convey_FAIL, "a push to %d says %d", pe, rc);
    memset(item, 0xee, bytes);
    if (rc == convey_OK)
        count_pushed(s, pe, 1);
    else
        s->refused++;
    return rc == convey_OK ? convey_OK : convey_FAIL;
}

int64_t stream_push_span(struct stream *s, int count, int pe)
{
    size_t bytes = s->form.item_bytes;
    char *items = malloc(bytes * (size_t)count + 1);
    int64_t some;

    for (int i = 0; i < count; i++) {
        struct item_name name = {s->key, s->place->rank, pe, s->sent[pe] + i};

        item_fill(items + (size_t)i * bytes, bytes, &name);
    }
    some = convey_push_span(s->c, items, (size_t)count, pe);
    free(items);
    CHECK(some >= 0 && some <= count, "a push of a span of %d to %d says %lld", count, pe, (long long)some);
    if (some < 0 || some > count)
        return 0;
    count_pushed(s, pe, some);
    s->refused += some < count;
    return some;
}

/* What convey_live says agrees with what this rank has done. */
static void check_live(struct stream *s)
{
    struct convey_live live;
    int rc = convey_live(s->c, &live);

    CHECK(rc == convey_OK, "convey_live says %d", rc);
    CHECK(live.pushed == s->pushes, "convey_live: %lld pushed, not %lld", (long long)live.pushed, (long long)s->pushes);
    CHECK(live.pulled == s->pulls - s->unpulls || live.pulled == s->pulls, "convey_live: %lld pulled, not %lld",
          (long long)live.pulled, (long long)(s->pulls - s->unpulls));
    CHECK(live.refused == s->refused, "convey_live: %lld refused, not %lld", (long long)live.refused,
          (long long)s->refused);
    CHECK(live.hops >= 1 && live.hops <= 4, "convey_live: %d hops", live.hops);
    CHECK(s->hops == 0 || live.hops == s->hops, "convey_live: %d hops, not the constructor's %d", live.hops, s->hops);
    CHECK(s->limit < 1 << 20 || s->form.item_bytes > 256 || live.bytes_held <= s->limit,
          "convey_live: %zu bytes are held, not %zu at most", live.bytes_held, s->limit);
    CHECK(live.waiting >= 0 && live.bytes_held > 0, "convey_live: %lld waiting, %zu bytes held",
          (long long)live.waiting, live.bytes_held);
    if (s->status == convey_DONE)
        CHECK(live.state == convey_COMPLETE, "complete, but convey_live says %s", state_name((int)live.state));
    else if (s->status == convey_NEAR)
        CHECK(live.state == convey_CLEANUP, "convey_NEAR, but convey_live says %s", state_name((int)live.state));
    else
        CHECK(live.state == (s->done ? convey_ENDGAME : convey_WORKING), "%s, but convey_live says %s",
              s->done ? "done, convey_OK" : "working", state_name((int)live.state));
}

/* convey_OK, then convey_NEAR, then convey_DONE; none of the last two before all ranks are done. */
static void check_status(struct stream *s, int rc)
{
    CHECK(rc == convey_OK || rc == convey_NEAR || rc == convey_DONE, "convey_advance says %d", rc);
    CHECK(rc != convey_OK || s->status == convey_OK, "convey_advance says convey_OK after %d", s->status);
    CHECK(rc != convey_NEAR || s->status != convey_DONE, "convey_advance says convey_NEAR after convey_DONE");
    if (rc != convey_OK)
        CHECK(board_all_left(s->place, s->form.slot, s->run_number),
              "convey_advance says %d while another rank is WORKING", rc);
    if (rc == convey_OK || rc == convey_NEAR || rc == convey_DONE)
        s->status = rc;
    else
        s->status = convey_DONE;
}

int stream_advance(struct stream *s, bool done)
{
    if (done && !s->done)
        board_leave(s->form.slot, s->run_number);
    if (s->done && rng_one_in(&s->rng, 2))
        done = false; /* once true, it is taken as true */
    s->done = s->done || done;
    s->fresh = false;
    s->again = 0;
    check_status(s, convey_advance(s->c, done));
    s->advances++;
    if (rng_one_in(&s->rng, 16))
        check_live(s);
    return s->status;
}

static void check_statistic(struct stream *s, int which, int64_t right, const char *name)
{
    int64_t got = convey_statistic(s->c, which);

    CHECK(got == right, "%s: %lld, not %lld", name, (long long)got, (long long)right);
}

static void check_statistics(struct stream *s)
{
    check_statistic(s, convey_BEGINS, 1, "begins");
    check_statistic(s, convey_PUSHES, s->pushes, "pushes");
    check_statistic(s, convey_PULLS, s->pulls, "pulls");
    check_statistic(s, convey_UNPULLS, s->unpulls, "unpulls");
    check_statistic(s, convey_ADVANCES, s->advances, "advances");
    for (int which = convey_COMMS; which <= convey_BYTES; which++) {
        int64_t run = convey_statistic(s->c, which), life = convey_statistic(s->c, which + convey_CUMULATIVE);

        CHECK(run >= 0 && life >= run, "statistic %d: %lld, of the life %lld", which, (long long)run, (long long)life);
    }
    if (s->one_group)
        check_statistic(s, convey_COMMS, 0, "buffers between groups, of which there is one");
    check_statistic(s, 2 * convey_CUMULATIVE, -1, "no statistic");
    check_statistic(s, -1, -1, "no statistic");
}

/* Every pair's items have come. */
static void check_counts(struct stream *s)
{
    int64_t *right = calloc((size_t)s->place->ranks, sizeof *right);

    MPI_Alltoall(s->sent, 1, MPI_INT64_T, right, 1, MPI_INT64_T, s->place->comm);
    for (int from = 0; from < s->place->ranks; from++)
        CHECK(s->got[from] == right[from], "%lld items came from %d to %d, not %lld", (long long)s->got[from], from,
              s->place->rank, (long long)right[from]);
    free(right);
}

/* Ranks of a synchronous conveyor have been in convey_advance equally often. */
static void check_lockstep(struct stream *s)
{
    int64_t both[2] = {s->advances, -s->advances}, all[2];

    MPI_Allreduce(both, all, 2, MPI_INT64_T, MPI_MAX, s->place->comm);
    CHECK(all[0] == -all[1], "synchronous, but between %lld and %lld calls of convey_advance", (long long)-all[1],
          (long long)all[0]);
    CHECK(convey_statistic(s->c, convey_SYNCS) >= s->advances, "%lld exchanges in %lld calls of convey_advance",
          (long long)convey_statistic(s->c, convey_SYNCS), (long long)s->advances);
}

void stream_end(struct stream *s)
{
    int rc;

    stream_release(s);
    check_live(s);
    check_statistics(s);
    check_counts(s);
    if (s->lockstep)
        check_lockstep(s);
    rc = convey_reset(s->c);
    CHECK(rc == convey_OK, "convey_reset says %d", rc);
    CHECK(convey_item_size(s->c) == 0, "an item's size after the reset");
    free(s->sent);
    free(s->got);
    free(s->out);
    free(s->in);
    free(s->history);
}
