/* Pulls in every way that there is, each item checked; and unpulls. */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/convey_cases.h"

/* ---- what was given in place stays: an item until the next pull or unpull that succeeds, a span until the next ----
 */

static uint64_t sum_of(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t sum = bytes;

    if (bytes > 4096) { /* its ends */
        sum = sum_of(at, 2048) * 31 + sum_of(at + bytes - 2048, 2048);
        return sum;
    }
    for (size_t i = 0; i < bytes; i++)
        sum = sum * 31 + at[i];
    return sum;
}

static void hold(struct stream *s, const void *data, size_t bytes, bool item)
{
    s->held = data;
    s->held_item = item;
    s->held_bytes = bytes;
    s->held_sum = sum_of(data, bytes);
}

void stream_release(struct stream *s)
{
    if (s->held != NULL)
        CHECK(sum_of(s->held, s->held_bytes) == s->held_sum,
              "what was pulled in place changed before the next pull that succeeds");
    s->held = NULL;
}

/* ---- arrivals ---- */

/* What was unpulled comes first. */
static void note_history(struct stream *s, int from)
{
    if (s->again > 0) {
        CHECK(s->history[s->history_count] == from, "an item of %d comes after the unpull of one of %d", from,
              s->history[s->history_count]);
        s->again--;
    }
    if (s->history_count == s->history_room) {
        s->history_room = s->history_room * 2 + 64;
        s->history = realloc(s->history, s->history_room * sizeof *s->history);
    }
    s->history[s->history_count++] = from;
}

static void tell_wrong_item(struct stream *s, const void *item, size_t bytes, const struct item_name *name)
{
    struct item_name in = {0};

    if (bytes >= ITEM_NAMED_BYTES)
        in = item_name_in(item);
    wrong("item %lld from %d of %zu bytes is not what was pushed; it says: item %lld from %d to %d%s",
          (long long)name->number, name->source, bytes, (long long)in.number, in.source, in.destination,
          item_right(item, bytes, &in) ? ", of this run" : "");
    s->got[name->source]++;
}

void stream_arrived(struct stream *s, const void *item, size_t bytes, int64_t from)
{
    struct item_name name = {s->key, (int)from, s->place->rank, 0};

    s->pulls++;
    s->fresh = true;
    CHECK(from >= 0 && from < s->place->ranks, "an item from rank %lld", (long long)from);
    if (from < 0 || from >= s->place->ranks)
        return;
    s->last_source = (int)from;
    name.number = s->got[from];
    note_history(s, (int)from);
    if (bytes != stream_item_bytes(s, &name) || !item_right(item, bytes, &name))
        tell_wrong_item(s, item, bytes, &name);
    else
        s->got[from]++;
}

/* ---- ways of pulling ---- */

/* May the source be left out? Then the item itself must tell, or there is one only. */
static bool nameless(struct stream *s)
{
    return (s->form.item_bytes >= ITEM_NAMED_BYTES || s->place->ranks == 1) && s->fixed && rng_one_in(&s->rng, 3);
}

static int64_t source_in(struct stream *s, const void *item)
{
    return s->form.item_bytes >= ITEM_NAMED_BYTES ? item_name_in(item).source : 0;
}

static void check_aligned(struct stream *s, const void *data, size_t bytes)
{
    CHECK(data != NULL && (bytes == 0 || (uintptr_t)data % s->align == 0), "%p is not aligned to %zu", data, s->align);
}

static int64_t take_copy(struct stream *s)
{
    size_t bytes = s->form.item_bytes;
    bool without = nameless(s);
    char *item = s->in + s->pulls % GUARD_BYTES, guard[GUARD_BYTES];
    int64_t from = -7;
    int rc;

    memset(guard, 0x5a, sizeof guard);
    memset(item + bytes, 0x5a, GUARD_BYTES);
    rc = convey_pull(s->c, item, without ? NULL : &from);
    CHECK(rc == convey_OK || rc == convey_FAIL, "convey_pull says %d", rc);
    CHECK(memcmp(item + bytes, guard, GUARD_BYTES) == 0, "convey_pull writes behind the item");
    if (rc != convey_OK)
        return 0;
    stream_arrived(s, item, bytes, without ? source_in(s, item) : from);
    return 1;
}

static int64_t take_in_place(struct stream *s)
{
    bool without = nameless(s);
    int64_t from = -7;
    const void *item = convey_apull(s->c, without ? NULL : &from);

    if (item == NULL)
        return 0;
    check_aligned(s, item, s->form.item_bytes);
    stream_arrived(s, item, s->form.item_bytes, without ? source_in(s, item) : from);
    hold(s, item, s->form.item_bytes, true);
    return 1;
}

static int64_t take_elastic(struct stream *s)
{
    convey_item_t item = {0, NULL, -7};
    int rc = convey_epull(s->c, &item);

    CHECK(rc == convey_OK || rc == convey_FAIL, "convey_epull says %d", rc);
    if (rc != convey_OK)
        return 0;
    check_aligned(s, item.data, item.bytes);
    stream_arrived(s, item.data, item.bytes, item.from);
    hold(s, item.data, item.bytes, true);
    return 1;
}

static int64_t take_span(struct stream *s)
{
    bool without = nameless(s);
    size_t bytes = s->form.item_bytes;
    const void *items = NULL;
    int64_t from = -7, count = convey_pull_span(s->c, &items, without ? NULL : &from);

    CHECK(count >= 0, "convey_pull_span says %lld", (long long)count);
    for (int64_t i = 0; i < count; i++) {
        const char *item = (const char *)items + (size_t)i * bytes;

        stream_arrived(s, item, bytes, without ? source_in(s, item) : from);
    }
    if (count <= 0)
        return 0;
    check_aligned(s, items, bytes);
    hold(s, items, bytes * (size_t)count, false);
    return count;
}

static int64_t take_one_way(struct stream *s, bool one)
{
    if (!s->fixed || (s->elastic && rng_one_in(&s->rng, 3)))
        return take_elastic(s);
    switch (rng_below(&s->rng, s->elastic || one ? 2 : 3)) {
    case 0:
        return take_copy(s);
    case 1:
        return take_in_place(s);
    default:
        return take_span(s);
    }
}

static int64_t take_somehow(struct stream *s, bool one)
{
    const void *held = s->held_item ? s->held : NULL;
    int64_t count;

    stream_release(s);
    s->fresh = false;
    count = take_one_way(s, one);
    if (count == 0)
        s->held = held; /* the same bytes of the same sum */
    return count;
}

int64_t stream_take(struct stream *s)
{
    return take_somehow(s, false);
}

bool stream_take_one(struct stream *s)
{
    return take_somehow(s, true) == 1;
}

/* ---- unpull ---- */

bool stream_unpull(struct stream *s)
{
    bool fresh = s->fresh;
    int rc;

    stream_release(s);
    rc = convey_unpull(s->c);
    s->fresh = false;
    CHECK(rc == convey_OK || rc == convey_FAIL, "convey_unpull says %d", rc);
    CHECK(rc == convey_OK || !fresh, "convey_unpull gives nothing back right after a pull");
    if (rc != convey_OK)
        return false;
    CHECK(s->history_count > 0, "convey_unpull gives back more than was pulled");
    if (s->history_count == 0)
        return true;
    s->got[s->history[--s->history_count]]--;
    s->again++;
    s->unpulls++;
    return true;
}
