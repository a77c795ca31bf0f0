/* Matching: which receive a message is for, and which message a receive takes, at the same cost at any depth.
 *
 * A header is found by its **key**: one or two words, of which a receive may leave bits **open** (as MPI_ANY_SOURCE
 * does). A receive and a message match if the words are equal in all bits that are not open, and the protocol's own
 * test, if it has one, says so too. Of several that match, the one that came first is taken, or the one that the
 * protocol's order puts before the others.
 *
 * There are two sides, each a struct wm_matching: receives that are *posted*, which a message asks, and messages that
 * have *arrived*, which a receive asks. Each set of open bits in use is a **form** with a hash table of its own; form 0
 * has none. A posted receive is filed in its form by its words without the open bits; a message asks in each form that
 * has entries, and takes the first of what it finds. An arrived message is filed in form 0, and by **twins** in each
 * other form that a receive has asked in while there were some; a receive asks in its own. What is searched through one
 * by one is only what has equal keys and is told apart by the protocol's own test.
 *
 * The entries of a bucket stand in the order in which they came, in a circle that the bucket is part of, so that filing
 * and taking out do not branch. There are many more buckets than entries: what a processor guesses wrong costs more
 * here than what it computes. Where entries of other keys stand before the one that is looked for, in a bucket that
 * they share by chance or by design, the hash is changed, as soon as passing them has cost as much.
 *
 * Source: tuple space search, V. Srinivasan, S. Suri, G. Varghese, Packet Classification Using Tuple Space Search,
 * SIGCOMM 1999.
 *
 * WM_MATCHING, at the end, makes typed functions, in which tests and orders are inlined: there is no call through a
 * pointer. Entries stay in the caller's memory, at their place while they are filed. One thread at a time. */
#ifndef WM_MATCHING_H
#define WM_MATCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define WM_MATCHING_API __attribute__((visibility("default")))
#define WM_MATCHING_INLINE static inline __attribute__((always_inline))

enum {
    WM_MATCHING_FORMS = 16,
    WM_MATCHING_LEAST = 16, /* buckets of form 0 before it grows */
    WM_MATCHING_CROWDED = 2 /* so many entries of other keys before the one that is looked for are seldom by chance */
};

struct wm_key {
    uint64_t word[2]; /* a key of one word leaves the other 0 */
    uint64_t open[2]; /* bits that may have any value; 0 in a message */
};

/* A circle of entries, and the bucket that they stand in. */
struct wm_match_link {
    struct wm_match_link *next, *previous;
};

/* An entry's place: its first member. With a header of 8 bytes behind it, an entry is a cache line. */
struct wm_match {
    struct wm_match_link link;
    uint64_t word[2];            /* without the open bits */
    uint64_t order;              /* when it came */
    struct wm_match_twin *twins; /* of an arrived message: its places in other forms */
    unsigned form;
};

struct wm_match_twin {
    struct wm_match match;
    struct wm_match *entry;
    struct wm_match_twin *more; /* of the same entry, or of the idle ones */
};

/* What can keep a header out. */
enum wm_matching_refusal {
    WM_MATCHING_FULL = -1,   /* there are as many entries as the limit permits */
    WM_MATCHING_MEMORY = -2, /* there is no memory */
    WM_MATCHING_FORM = -3,   /* its open bits would be one set more than WM_MATCHING_FORMS */
    WM_MATCHING_OPEN = -4    /* a message has open bits */
};

/* The table of a form. */
struct wm_match_table {
    struct wm_match_link *buckets;
    int shift;            /* what is left of a hash is the bucket's number */
    uint64_t seed[2];     /* of the hash; odd */
    uint64_t filed, room; /* entries, or twins; and for how many there is room before the table grows */
    uint64_t open[2];
    uint64_t vain;     /* entries of other keys that were passed since the hash was changed */
    uint64_t changed;  /* times that the hash was */
    uint64_t collided; /* times that so many keys were in a bucket that it was not by chance */
};

struct wm_matching {
    struct wm_match_table form[WM_MATCHING_FORMS];
    unsigned forms; /* that have a table: from 0 on */
    uint64_t entries, limit;
    uint64_t order; /* of the next entry */
    struct wm_match_twin *idle;
    uint64_t idle_twins;
    struct wm_match_slab *slabs; /* of twins */
    uint64_t passed;             /* entries of the right key that the protocol's own test refused */
    struct wm_match_link least[WM_MATCHING_LEAST];
};

/* Make it empty. It holds at most `limit` entries, and stays where it is. Takes no memory yet. */
WM_MATCHING_API void wm_matching_init(struct wm_matching *m, uint64_t limit);
/* Give its memory back; entries that are still filed are no longer. */
WM_MATCHING_API void wm_matching_release(struct wm_matching *m);

/* What the inlined functions call now and then.
 * Make a table larger; without memory it stays as it is. */
WM_MATCHING_API void wm_matching_grow(struct wm_matching *m, struct wm_match_table *table);
/* So many entries of other keys were passed in a bucket: change the hash if that has cost as much by now. */
WM_MATCHING_API void wm_matching_crowded(struct wm_match_table *table, const struct wm_match_link *bucket,
                                         uint64_t others);
/* The number of a new form, or WM_MATCHING_FORM, WM_MATCHING_MEMORY. */
WM_MATCHING_API int wm_matching_form_add(struct wm_matching *m, const uint64_t open[2]);
/* See to it that there are `count` idle twins. False: no memory. */
WM_MATCHING_API bool wm_matching_twins(struct wm_matching *m, uint64_t count);
/* The entries of form 0, in the order in which they came: to be freed. NULL: no memory. */
WM_MATCHING_API struct wm_match **wm_matching_list(const struct wm_matching *m);

/* The entry at `at` matches the header that asks. */
typedef bool wm_match_test(const struct wm_match *at, const void *asks);
/* `late` goes before `early`, which came before it. */
typedef bool wm_match_before(const struct wm_match *late, const struct wm_match *early);

/* ---- the table ---- */

/* What stands at a place: on the arrived side it may be a twin's. */
WM_MATCHING_INLINE struct wm_match *wm_match_entry(struct wm_match *at, bool arrived)
{
    return arrived && at->form != 0 ? ((struct wm_match_twin *)at)->entry : at;
}

WM_MATCHING_INLINE struct wm_match_link *wm_match_bucket(const struct wm_match_table *table, const uint64_t word[2])
{
    return &table->buckets[(word[0] * table->seed[0] + word[1] * table->seed[1]) >> table->shift];
}

WM_MATCHING_INLINE uint64_t wm_match_buckets(const struct wm_match_table *table)
{
    return UINT64_C(1) << (64 - table->shift);
}

WM_MATCHING_INLINE bool wm_match_is(const struct wm_match *at, const uint64_t word[2])
{
    return ((at->word[0] ^ word[0]) | (at->word[1] ^ word[1])) == 0;
}

/* The first entry of a key that the header matches; NULL: there is none. */
WM_MATCHING_INLINE struct wm_match *wm_matching_look(struct wm_matching *m, unsigned form, const uint64_t word[2],
                                                     const void *asks, bool arrived, wm_match_test *test)
{
    struct wm_match_link *bucket = wm_match_bucket(&m->form[form], word), *link = bucket->next;
    uint64_t others = 0;

    for (; link != bucket; link = link->next) {
        struct wm_match *at = (struct wm_match *)link;

        if (!wm_match_is(at, word))
            others++;
        else if (test(wm_match_entry(at, arrived), asks))
            break;
        else
            m->passed++;
    }
    if (__builtin_expect(others >= WM_MATCHING_CROWDED, 0))
        wm_matching_crowded(&m->form[form], bucket, others);
    return link != bucket ? (struct wm_match *)link : NULL;
}

/* What a new entry stands before in its bucket: the first of those of its key that it goes before. */
WM_MATCHING_INLINE struct wm_match_link *wm_match_behind(struct wm_match *at, struct wm_match_link *bucket,
                                                         bool arrived, wm_match_before *before)
{
    struct wm_match_link *place = bucket, *link = bucket->previous;

    if (__builtin_constant_p(before(at, at)))
        return place; /* none goes before another */
    for (; link != bucket; link = link->previous) {
        struct wm_match *early = (struct wm_match *)link;

        if (!wm_match_is(early, at->word))
            continue;
        if (!before(wm_match_entry(at, arrived), wm_match_entry(early, arrived)))
            break;
        place = link;
    }
    return place;
}

WM_MATCHING_INLINE void wm_match_insert(struct wm_match_link *link, struct wm_match_link *next)
{
    struct wm_match_link *previous = next->previous;

    link->next = next;
    link->previous = previous;
    previous->next = link;
    next->previous = link;
}

/* File it in a form, under these words. */
WM_MATCHING_INLINE void wm_matching_file(struct wm_matching *m, struct wm_match *at, const uint64_t word[2],
                                         unsigned form, bool arrived, wm_match_before *before)
{
    struct wm_match_table *table = &m->form[form];
    struct wm_match_link *bucket = wm_match_bucket(table, word);

    at->word[0] = word[0];
    at->word[1] = word[1];
    at->form = form;
    wm_match_insert(&at->link, wm_match_behind(at, bucket, arrived, before));
    if (__builtin_expect(++table->filed > table->room, 0))
        wm_matching_grow(m, table);
}

WM_MATCHING_INLINE void wm_matching_unfile(struct wm_matching *m, struct wm_match *at)
{
    struct wm_match_link *next = at->link.next, *previous = at->link.previous;

    previous->next = next;
    next->previous = previous;
    m->form[at->form].filed--;
}

/* The number of a key's form; -1: it is new. */
WM_MATCHING_INLINE int wm_matching_form(const struct wm_matching *m, const struct wm_key *key)
{
    if ((key->open[0] | key->open[1]) == 0)
        return 0;
    for (unsigned i = 1; i < m->forms; i++)
        if (m->form[i].open[0] == key->open[0] && m->form[i].open[1] == key->open[1])
            return (int)i;
    return -1;
}

/* The words of a key in a form. */
WM_MATCHING_INLINE void wm_matching_words(const struct wm_matching *m, const struct wm_key *key, unsigned form,
                                          uint64_t word[2])
{
    for (int i = 0; i < 2; i++)
        word[i] = key->word[i] & ~m->form[form].open[i];
}

/* ---- receives that are posted ---- */

/* File a receive, whose form is `form`. Returns 0 or WM_MATCHING_FULL, WM_MATCHING_MEMORY, WM_MATCHING_FORM. */
WM_MATCHING_INLINE int wm_posted_put(struct wm_matching *m, struct wm_match *receive, const struct wm_key *key,
                                     int form, wm_match_before *before)
{
    uint64_t word[2] = {key->word[0], key->word[1]};

    if (m->entries >= m->limit)
        return WM_MATCHING_FULL;
    if (__builtin_expect(form < 0, 0) && (form = wm_matching_form_add(m, key->open)) < 0)
        return form;
    if (form != 0)
        wm_matching_words(m, key, (unsigned)form, word);
    receive->order = m->order++;
    wm_matching_file(m, receive, word, (unsigned)form, false, before);
    m->entries++;
    return 0;
}

/* Of two receives that match, the one that is taken. */
WM_MATCHING_INLINE struct wm_match *wm_posted_better(struct wm_match *a, struct wm_match *b, wm_match_before *before)
{
    struct wm_match *early, *late;

    if (a == NULL || b == NULL)
        return a == NULL ? b : a;
    early = a->order < b->order ? a : b;
    late = early == a ? b : a;
    return before(late, early) ? late : early;
}

/* The receive that a message is for: one with open bits, or `best`, the best of those without; NULL: there is none. */
WM_MATCHING_INLINE struct wm_match *wm_posted_find_open(struct wm_matching *m, const struct wm_key *key,
                                                        const void *message, struct wm_match *best, wm_match_test *test,
                                                        wm_match_before *before)
{
    uint64_t word[2];

    for (unsigned form = 1; form < m->forms; form++) {
        if (m->form[form].filed == 0)
            continue;
        wm_matching_words(m, key, form, word);
        best = wm_posted_better(best, wm_matching_look(m, form, word, message, false, test), before);
    }
    return best;
}

WM_MATCHING_INLINE void wm_posted_remove(struct wm_matching *m, struct wm_match *receive)
{
    wm_matching_unfile(m, receive);
    m->entries--;
}

/* ---- messages that have arrived ---- */

/* File a message by a twin in another form, for which there is an idle one. */
WM_MATCHING_INLINE void wm_arrived_twin(struct wm_matching *m, struct wm_match *message, unsigned form,
                                        wm_match_before *before)
{
    struct wm_match_twin *twin = m->idle;
    uint64_t word[2] = {message->word[0] & ~m->form[form].open[0], message->word[1] & ~m->form[form].open[1]};

    m->idle = twin->more;
    m->idle_twins--;
    twin->entry = message;
    twin->more = message->twins;
    message->twins = twin;
    twin->match.order = message->order;
    wm_matching_file(m, &twin->match, word, form, true, before);
}

/* File a message. Returns 0 or WM_MATCHING_FULL, WM_MATCHING_MEMORY, WM_MATCHING_OPEN. */
WM_MATCHING_INLINE int wm_arrived_put(struct wm_matching *m, struct wm_match *message, const struct wm_key *key,
                                      wm_match_before *before)
{
    if (m->entries >= m->limit)
        return WM_MATCHING_FULL;
    if ((key->open[0] | key->open[1]) != 0)
        return WM_MATCHING_OPEN;
    if (m->idle_twins + 1 < m->forms && !wm_matching_twins(m, m->forms - 1))
        return WM_MATCHING_MEMORY;
    message->order = m->order++;
    message->twins = NULL;
    wm_matching_file(m, message, key->word, 0, true, before);
    m->entries++;
    for (unsigned form = 1; form < m->forms; form++)
        wm_arrived_twin(m, message, form, before);
    return 0;
}

WM_MATCHING_INLINE void wm_arrived_remove(struct wm_matching *m, struct wm_match *message)
{
    for (struct wm_match_twin *twin = message->twins, *more; twin != NULL; twin = more) {
        more = twin->more;
        wm_matching_unfile(m, &twin->match);
        twin->more = m->idle;
        m->idle = twin;
        m->idle_twins++;
    }
    wm_matching_unfile(m, message);
    m->entries--;
}

/* A receive asks in a form that is new: file all messages in it. Returns its number, or WM_MATCHING_MEMORY,
 * WM_MATCHING_FORM. */
WM_MATCHING_INLINE int wm_arrived_form(struct wm_matching *m, const uint64_t open[2], wm_match_before *before)
{
    struct wm_match **list = wm_matching_list(m);
    int form = list != NULL && wm_matching_twins(m, m->entries) ? wm_matching_form_add(m, open) : WM_MATCHING_MEMORY;

    for (uint64_t i = 0; form > 0 && i < m->entries; i++)
        wm_arrived_twin(m, list[i], (unsigned)form, before);
    free(list);
    return form;
}

/* The message that a receive takes, whose form is `form`; NULL: there is none. */
WM_MATCHING_INLINE struct wm_match *wm_arrived_find(struct wm_matching *m, const struct wm_key *key, unsigned form,
                                                    const void *receive, wm_match_test *test)
{
    struct wm_match *at;
    uint64_t word[2];

    if (form == 0)
        return wm_matching_look(m, 0, key->word, receive, true, test);
    wm_matching_words(m, key, form, word);
    at = wm_matching_look(m, form, word, receive, true, test);
    return at != NULL ? wm_match_entry(at, true) : NULL;
}

/* ---- typed ---- */

/* For WM_MATCHING: the key decides alone. */
#define WM_KEY_DECIDES(receive, message) true
/* Of several the one that came first is taken. */
#define WM_IN_ORDER(late, early) false

/* Make the functions NAME_… for entries of type `entry`, which begins with a member `match` (struct wm_match) and has a
 * member `header` of type `header_type`:
 *
 *   struct wm_key key(const header_type *header)
 *   bool test(const header_type *receive, const header_type *message)    which have equal keys: or WM_KEY_DECIDES
 *   bool before(const header_type *late, const header_type *early)       does `late` go before `early`, which came
 *                                                                        before it? or WM_IN_ORDER
 *
 * Those that take an entry in return 0 or a negative enum wm_matching_refusal, and then it is not in. Those that find
 * leave in what they find; what is taken out or cancelled is removed. */
#define WM_MATCHING(name, entry, header_type, key, test, before)                                                       \
    WM_MATCHING_TYPED bool wm_##name##_posted_test(const struct wm_match *at, const void *message)                     \
    {                                                                                                                  \
        (void)at, (void)message;                                                                                       \
        return test(&((const entry *)at)->header, (const header_type *)message);                                       \
    }                                                                                                                  \
    WM_MATCHING_TYPED bool wm_##name##_arrived_test(const struct wm_match *at, const void *receive)                    \
    {                                                                                                                  \
        (void)at, (void)receive;                                                                                       \
        return test((const header_type *)receive, &((const entry *)at)->header);                                       \
    }                                                                                                                  \
    WM_MATCHING_TYPED bool wm_##name##_before(const struct wm_match *late, const struct wm_match *early)               \
    {                                                                                                                  \
        (void)late, (void)early;                                                                                       \
        return before(&((const entry *)late)->header, &((const entry *)early)->header);                                \
    }                                                                                                                  \
    /* Post a receive with open bits. */                                                                               \
    static __attribute__((noinline, unused)) int wm_##name##_posted_put_open(struct wm_matching *m, entry *receive)    \
    {                                                                                                                  \
        struct wm_key k = key(&receive->header);                                                                       \
                                                                                                                       \
        return wm_posted_put(m, &receive->match, &k, wm_matching_form(m, &k), wm_##name##_before);                     \
    }                                                                                                                  \
    /* wm_posted_find_open. */                                                                                         \
    static __attribute__((noinline, unused)) struct wm_match *wm_##name##_posted_find_open(                            \
        struct wm_matching *m, const header_type *message, struct wm_match *best)                                      \
    {                                                                                                                  \
        struct wm_key k = key(message);                                                                                \
                                                                                                                       \
        return wm_posted_find_open(m, &k, message, best, wm_##name##_posted_test, wm_##name##_before);                 \
    }                                                                                                                  \
    /* Post a receive. */                                                                                              \
    WM_MATCHING_INLINED int name##_posted_put(struct wm_matching *m, entry *receive)                                   \
    {                                                                                                                  \
        struct wm_key k = key(&receive->header);                                                                       \
                                                                                                                       \
        if (__builtin_expect((k.open[0] | k.open[1]) != 0, 0))                                                         \
            return wm_##name##_posted_put_open(m, receive);                                                            \
        return wm_posted_put(m, &receive->match, &k, 0, wm_##name##_before);                                           \
    }                                                                                                                  \
    /* The posted receive that a message is for; NULL: there is none. */                                               \
    WM_MATCHING_INLINED entry *name##_posted_find(struct wm_matching *m, const header_type *message)                   \
    {                                                                                                                  \
        struct wm_key k = key(message);                                                                                \
        struct wm_match *best = wm_matching_look(m, 0, k.word, message, false, wm_##name##_posted_test);               \
                                                                                                                       \
        if (__builtin_expect(m->forms > 1, 0))                                                                         \
            best = wm_##name##_posted_find_open(m, message, best);                                                     \
        return (entry *)best;                                                                                          \
    }                                                                                                                  \
    WM_MATCHING_TYPED void name##_posted_remove(struct wm_matching *m, entry *receive)                                 \
    {                                                                                                                  \
        wm_posted_remove(m, &receive->match);                                                                          \
    }                                                                                                                  \
    /* A message arrives that no receive is there for. */                                                              \
    WM_MATCHING_INLINED int name##_arrived_put(struct wm_matching *m, entry *message)                                  \
    {                                                                                                                  \
        struct wm_key k = key(&message->header);                                                                       \
                                                                                                                       \
        return wm_arrived_put(m, &message->match, &k, wm_##name##_before);                                             \
    }                                                                                                                  \
    /* The message that a receive with open bits takes. */                                                             \
    static __attribute__((noinline, unused)) int wm_##name##_arrived_find_open(                                        \
        struct wm_matching *m, const header_type *receive, entry **message)                                            \
    {                                                                                                                  \
        struct wm_key k = key(receive);                                                                                \
        int form = wm_matching_form(m, &k);                                                                            \
                                                                                                                       \
        if (form < 0 && (form = wm_arrived_form(m, k.open, wm_##name##_before)) < 0)                                   \
            return form;                                                                                               \
        *message = (entry *)wm_arrived_find(m, &k, (unsigned)form, receive, wm_##name##_arrived_test);                 \
        return 0;                                                                                                      \
    }                                                                                                                  \
    /* The message that a receive takes. *message NULL: there is none. */                                              \
    WM_MATCHING_INLINED int name##_arrived_find(struct wm_matching *m, const header_type *receive, entry **message)    \
    {                                                                                                                  \
        struct wm_key k;                                                                                               \
                                                                                                                       \
        *message = NULL;                                                                                               \
        if (m->entries == 0)                                                                                           \
            return 0;                                                                                                  \
        k = key(receive);                                                                                              \
        if (__builtin_expect((k.open[0] | k.open[1]) != 0, 0))                                                         \
            return wm_##name##_arrived_find_open(m, receive, message);                                                 \
        *message = (entry *)wm_arrived_find(m, &k, 0, receive, wm_##name##_arrived_test);                              \
        return 0;                                                                                                      \
    }                                                                                                                  \
    WM_MATCHING_TYPED void name##_arrived_remove(struct wm_matching *m, entry *message)                                \
    {                                                                                                                  \
        wm_arrived_remove(m, &message->match);                                                                         \
    }                                                                                                                  \
    _Static_assert(offsetof(entry, match) == 0, "an entry begins with its struct wm_match")

#define WM_MATCHING_TYPED static inline __attribute__((unused))
#define WM_MATCHING_INLINED WM_MATCHING_TYPED __attribute__((always_inline))

#endif
