/* Matching against a model: plain lists, searched linearly. Four protocols at once; receives, messages, wildcards,
 * cancelled receives, probes. */
#include <string.h>
#include "tests/check.h"
#include "tests/core/message/protocols.h"

enum { ITEMS = 700, STEPS = 400000, PHASE_STEPS = 3000 };

#define ENTRY(kind)                                                                                                    \
    struct kind##_entry {                                                                                              \
        struct wm_match match;                                                                                         \
        struct kind##_header header;                                                                                   \
    }

ENTRY(number);
ENTRY(envelope);
ENTRY(range);
ENTRY(urgent);
WM_MATCHING(number, struct number_entry, struct number_header, number_key, WM_KEY_DECIDES, WM_IN_ORDER);
WM_MATCHING(envelope, struct envelope_entry, struct envelope_header, envelope_key, WM_KEY_DECIDES, WM_IN_ORDER);
WM_MATCHING(range, struct range_entry, struct range_header, range_key, range_test, WM_IN_ORDER);
WM_MATCHING(urgent, struct urgent_entry, struct urgent_header, urgent_key, WM_KEY_DECIDES, urgent_before);

union item {
    struct wm_match match;
    struct number_entry number;
    struct envelope_entry envelope;
    struct range_entry range;
    struct urgent_entry urgent;
};

/* One side of the model: a list in the order in which the items came. */
struct list {
    union item *items[ITEMS];
    int count;
};

static union any_header *header_of(union item *item)
{
    return (union any_header *)&item->number.header;
}

_Static_assert(offsetof(struct number_entry, header) == offsetof(struct envelope_entry, header) &&
                   offsetof(struct number_entry, header) == offsetof(struct range_entry, header) &&
                   offsetof(struct number_entry, header) == offsetof(struct urgent_entry, header),
               "the headers of all items stand at one place");

/* What the table does with a kind of header. */
struct kind {
    int (*posted_put)(struct wm_matching *m, union item *receive);
    union item *(*posted_find)(struct wm_matching *m, const union item *message);
    void (*posted_remove)(struct wm_matching *m, union item *receive);
    int (*arrived_put)(struct wm_matching *m, union item *message);
    int (*arrived_find)(struct wm_matching *m, const union item *receive, union item **message);
    void (*arrived_remove)(struct wm_matching *m, union item *message);
};

#define TABLE_OF(kind)                                                                                                 \
    static int kind##_post(struct wm_matching *m, union item *receive)                                                 \
    {                                                                                                                  \
        return kind##_posted_put(m, &receive->kind);                                                                   \
    }                                                                                                                  \
    static union item *kind##_receive_of(struct wm_matching *m, const union item *message)                             \
    {                                                                                                                  \
        return (union item *)kind##_posted_find(m, &message->kind.header);                                             \
    }                                                                                                                  \
    static void kind##_cancel(struct wm_matching *m, union item *receive)                                              \
    {                                                                                                                  \
        kind##_posted_remove(m, &receive->kind);                                                                       \
    }                                                                                                                  \
    static int kind##_arrive(struct wm_matching *m, union item *message)                                               \
    {                                                                                                                  \
        return kind##_arrived_put(m, &message->kind);                                                                  \
    }                                                                                                                  \
    static int kind##_message_of(struct wm_matching *m, const union item *receive, union item **message)               \
    {                                                                                                                  \
        struct kind##_entry *found;                                                                                    \
        int rc = kind##_arrived_find(m, &receive->kind.header, &found);                                                \
                                                                                                                       \
        *message = (union item *)found;                                                                                \
        return rc;                                                                                                     \
    }                                                                                                                  \
    static void kind##_take(struct wm_matching *m, union item *message)                                                \
    {                                                                                                                  \
        kind##_arrived_remove(m, &message->kind);                                                                      \
    }
#define KIND_OF(kind)                                                                                                  \
    {                                                                                                                  \
        .posted_put = kind##_post, .posted_find = kind##_receive_of, .posted_remove = kind##_cancel,                   \
        .arrived_put = kind##_arrive, .arrived_find = kind##_message_of, .arrived_remove = kind##_take                 \
    }

TABLE_OF(number)
TABLE_OF(envelope)
TABLE_OF(range)
TABLE_OF(urgent)

static const struct kind kinds[MODELS] = {
    KIND_OF(number),
    KIND_OF(envelope),
    KIND_OF(range),
    KIND_OF(urgent),
};

/* A protocol under test: tables and lists of the same items. */
struct pair {
    const struct model *model;
    const struct kind *kind;
    struct wm_matching posted, arrived;
    struct list receives, messages;
};

static void list_remove(struct list *list, const union item *item)
{
    int i = 0;

    while (list->items[i] != item)
        i++;
    list->count--;
    memmove(&list->items[i], &list->items[i + 1], sizeof list->items[0] * (size_t)(list->count - i));
}

/* The one that matches, of highest priority, that came first. */
static union item *list_find(const struct model *model, const struct list *list, union item *other, bool receives)
{
    union item *best = NULL;

    for (int i = 0; i < list->count; i++) {
        union item *item = list->items[i];

        if (!model->fits(header_of(receives ? item : other), header_of(receives ? other : item)))
            continue;
        if (best == NULL || model->priority(header_of(item)) > model->priority(header_of(best)))
            best = item;
    }
    return best;
}

static bool send(struct pair *p, union item *message)
{
    union item *expected = list_find(p->model, &p->receives, message, true);
    union item *found = p->kind->posted_find(&p->posted, message);

    if (found != expected)
        return false;
    if (found != NULL) {
        p->kind->posted_remove(&p->posted, found);
        list_remove(&p->receives, found);
        free(found);
        free(message);
        return true;
    }
    p->messages.items[p->messages.count++] = message;
    return p->kind->arrived_put(&p->arrived, message) == 0;
}

static bool receive(struct pair *p, union item *receive)
{
    union item *expected = list_find(p->model, &p->messages, receive, false), *found;

    if (p->kind->arrived_find(&p->arrived, receive, &found) != 0 || found != expected)
        return false;
    if (found != NULL) {
        p->kind->arrived_remove(&p->arrived, found);
        list_remove(&p->messages, found);
        free(found);
        free(receive);
        return true;
    }
    p->receives.items[p->receives.count++] = receive;
    return p->kind->posted_put(&p->posted, receive) == 0;
}

static bool probe(struct pair *p, union item *receive)
{
    union item *found;

    return p->kind->arrived_find(&p->arrived, receive, &found) == 0 &&
           found == list_find(p->model, &p->messages, receive, false);
}

static void cancel(struct pair *p)
{
    union item *item;

    if (p->receives.count == 0)
        return;
    item = p->receives.items[next((uint32_t)p->receives.count)];
    p->kind->posted_remove(&p->posted, item);
    list_remove(&p->receives, item);
    free(item);
}

static union item *draw(const struct pair *p, bool receive, uint32_t range)
{
    union item *item = calloc(1, sizeof *item);

    p->model->draw(header_of(item), receive, range);
    return item;
}

/* `sends` of 100 steps are sends, as far as there is room. */
static bool step(struct pair *p, uint32_t sends, uint32_t range)
{
    uint32_t what = next(100);
    union item probed;

    if (what < 3 || (p->messages.count == ITEMS && p->receives.count == ITEMS)) {
        cancel(p);
        return true;
    }
    if (what < 10) {
        p->model->draw(header_of(&probed), true, range);
        return probe(p, &probed);
    }
    if (p->messages.count == ITEMS || (next(100) >= sends && p->receives.count < ITEMS))
        return receive(p, draw(p, true, range));
    return send(p, draw(p, false, range));
}

static bool is_empty(const struct wm_matching *m)
{
    uint64_t entries = m->entries;

    for (unsigned form = 0; form < m->forms; form++)
        entries += m->form[form].filed;
    return entries == 0;
}

/* Take all out, in a random order. */
static void empty(struct pair *p)
{
    while (p->receives.count > 0)
        cancel(p);
    while (p->messages.count > 0) {
        union item *item = p->messages.items[next((uint32_t)p->messages.count)];

        p->kind->arrived_remove(&p->arrived, item);
        list_remove(&p->messages, item);
        free(item);
    }
    CU_ASSERT(is_empty(&p->posted));
    CU_ASSERT(is_empty(&p->arrived));
    wm_matching_release(&p->posted);
    wm_matching_release(&p->arrived);
}

static void matching__takes_what_a_linear_search_takes(void)
{
    static struct pair pairs[MODELS];
    static const uint32_t sends[] = {50, 80, 20}, ranges[] = {3, 20, 500};
    uint64_t steps = fuzz_steps(STEPS);
    bool same = true;

    for (int i = 0; i < MODELS; i++) {
        pairs[i] = (struct pair){.model = &models[i], .kind = &kinds[i]};
        wm_matching_init(&pairs[i].posted, ITEMS);
        wm_matching_init(&pairs[i].arrived, ITEMS);
    }
    for (uint64_t i = 0; same && i < steps; i++)
        same = step(&pairs[next(MODELS)], sends[i / PHASE_STEPS % 3], ranges[i / PHASE_STEPS / 3 % 3]);
    CU_ASSERT(same);
    if (same)
        for (int i = 0; i < MODELS; i++)
            empty(&pairs[i]);
}

/* Equal keys, and what wildcards say of them. */
static void receives__are_taken_in_order_also_across_wildcards(void)
{
    static const struct envelope_header posted[] = {{1, ANY, 7}, {1, 3, 7}, {1, 3, ANY}, {1, 3, 7}, {1, ANY, ANY}};
    static const struct envelope_header message = {1, 3, 7}, other = {2, 3, 7};
    struct envelope_entry receives[5];
    struct wm_matching m;

    wm_matching_init(&m, 5);
    for (int i = 0; i < 5; i++) {
        receives[i].header = posted[i];
        CU_ASSERT_EQUAL(envelope_posted_put(&m, &receives[i]), 0);
    }
    CU_ASSERT_PTR_NULL(envelope_posted_find(&m, &other));
    for (int i = 0; i < 5; i++) {
        CU_ASSERT_PTR_EQUAL(envelope_posted_find(&m, &message), &receives[i]);
        envelope_posted_remove(&m, &receives[i]);
    }
    CU_ASSERT_PTR_NULL(envelope_posted_find(&m, &message));
    wm_matching_release(&m);
}

/* The first receive with these wildcards comes late. */
static void messages__are_taken_in_order_also_by_a_form_that_is_new(void)
{
    enum { MANY = 100 };
    static const struct envelope_header any = {1, ANY, 7};
    struct envelope_entry messages[MANY], *found;
    struct wm_matching m;

    wm_matching_init(&m, MANY);
    for (int i = 0; i < MANY; i++) {
        messages[i].header = (struct envelope_header){1, i % 10, 7};
        envelope_arrived_put(&m, &messages[i]);
    }
    for (int i = 0; i < MANY; i++) {
        CU_ASSERT_EQUAL(envelope_arrived_find(&m, &any, &found), 0);
        CU_ASSERT_PTR_EQUAL(found, &messages[i]);
        envelope_arrived_remove(&m, &messages[i]);
    }
    wm_matching_release(&m);
}

static void entries__are_as_many_as_the_limit_permits(void)
{
    struct number_entry entries[3] = {{.header = {1}}, {.header = {2}}, {.header = {3}}};
    struct wm_matching m;

    wm_matching_init(&m, 2);
    CU_ASSERT_EQUAL(number_posted_put(&m, &entries[0]), 0);
    CU_ASSERT_EQUAL(number_posted_put(&m, &entries[1]), 0);
    CU_ASSERT_EQUAL(number_posted_put(&m, &entries[2]), WM_MATCHING_FULL);
    CU_ASSERT_PTR_NULL(number_posted_find(&m, &entries[2].header));
    number_posted_remove(&m, &entries[0]);
    CU_ASSERT_EQUAL(number_posted_put(&m, &entries[2]), 0);
    wm_matching_release(&m);
    CU_ASSERT_EQUAL(number_arrived_put(&m, &entries[0]), 0);
    CU_ASSERT_EQUAL(number_arrived_put(&m, &entries[1]), 0);
    CU_ASSERT_EQUAL(number_arrived_put(&m, &entries[2]), WM_MATCHING_FULL);
    wm_matching_release(&m);
}

static void a_message__has_no_wildcard(void)
{
    struct envelope_entry message = {.header = {1, ANY, 2}};
    struct wm_matching m;

    wm_matching_init(&m, 2);
    CU_ASSERT_EQUAL(envelope_arrived_put(&m, &message), WM_MATCHING_OPEN);
    CU_ASSERT_EQUAL(m.entries, 0);
    wm_matching_release(&m);
}

/* A header of 16 bits, each of which may be open. */
struct bits_header {
    uint16_t bits, open;
};

static inline struct wm_key bits_key(const struct bits_header *h)
{
    return (struct wm_key){{h->bits, 0}, {h->open, 0}};
}

ENTRY(bits);
WM_MATCHING(bits, struct bits_entry, struct bits_header, bits_key, WM_KEY_DECIDES, WM_IN_ORDER);

static void forms__are_refused_when_there_are_too_many(void)
{
    struct bits_entry receives[WM_MATCHING_FORMS], message = {.header = {0, 0}}, *found;
    struct wm_matching posted, arrived;

    wm_matching_init(&posted, 100);
    wm_matching_init(&arrived, 100);
    CU_ASSERT_EQUAL(bits_arrived_put(&arrived, &message), 0);
    for (int i = 1; i <= WM_MATCHING_FORMS; i++) {
        struct bits_entry *receive = &receives[i - 1];
        int refusal = i < WM_MATCHING_FORMS ? 0 : WM_MATCHING_FORM;

        receive->header = (struct bits_header){(uint16_t)i, (uint16_t)i};
        CU_ASSERT_EQUAL(bits_posted_put(&posted, receive), refusal);
        CU_ASSERT_EQUAL(bits_arrived_find(&arrived, &receive->header, &found), refusal);
        CU_ASSERT_PTR_EQUAL(found, refusal == 0 ? &message : NULL);
    }
    CU_ASSERT_PTR_EQUAL(bits_posted_find(&posted, &message.header), &receives[0]);
    CU_ASSERT_EQUAL(posted.entries, WM_MATCHING_FORMS - 1);
    wm_matching_release(&posted);
    wm_matching_release(&arrived);
}

/* Entries of the fullest bucket. */
static uint64_t fullest(const struct wm_match_table *table)
{
    uint64_t most = 0;

    for (uint64_t i = 0; i < wm_match_buckets(table); i++) {
        uint64_t count = 0;

        for (const struct wm_match_link *link = table->buckets[i].next; link != &table->buckets[i]; link = link->next)
            count++;
        most = count > most ? count : most;
    }
    return most;
}

static struct wm_match_link *bucket_of(const struct wm_matching *m, int32_t number)
{
    return wm_match_bucket(&m->form[0], (const uint64_t[2]){(uint32_t)number, 0});
}

/* Numbers that one hash puts into one bucket are spread by another, once they have cost something. */
static void keys__that_collide_are_spread(void)
{
    enum { MANY = 900, CROWD = 100 };
    static struct number_entry entries[MANY + CROWD];
    struct wm_matching m;
    int32_t number = MANY;

    wm_matching_init(&m, MANY + CROWD);
    for (int i = 0; i < MANY + CROWD; i++) {
        entries[i].header.number = i < MANY ? i : ++number;
        while (i > MANY && bucket_of(&m, number) != bucket_of(&m, entries[MANY].header.number))
            entries[i].header.number = ++number;
        number_posted_put(&m, &entries[i]);
    }
    CU_ASSERT(fullest(&m.form[0]) >= CROWD);
    for (int i = 0; i < MANY + CROWD; i++)
        CU_ASSERT_PTR_EQUAL(number_posted_find(&m, &entries[i].header), &entries[i]);
    CU_ASSERT_EQUAL(m.form[0].changed, 1);
    CU_ASSERT(m.form[0].collided > 0);
    CU_ASSERT(fullest(&m.form[0]) <= 4);
    for (int i = 0; i < MANY + CROWD; i++)
        CU_ASSERT_PTR_EQUAL(number_posted_find(&m, &entries[i].header), &entries[i]);
    wm_matching_release(&m);
}

/* Entries that stand behind another in their bucket. */
static uint64_t behind(const struct wm_match_table *table)
{
    uint64_t count = table->filed;

    for (uint64_t i = 0; i < wm_match_buckets(table); i++)
        count -= table->buckets[i].next != &table->buckets[i];
    return count;
}

/* Tags that collide lie regularly, and some hashes pair them. */
static void keys__that_collided_are_seldom_paired(void)
{
    enum { MANY = 128 };
    static struct envelope_entry entries[MANY];
    struct wm_matching m;
    uint64_t tag = 0;

    wm_matching_init(&m, MANY);
    for (int i = 0; i < MANY; i++) {
        entries[i].header.tag = i;
        envelope_posted_put(&m, &entries[i]);
    }
    for (int i = 0; i < MANY; i++)
        envelope_posted_remove(&m, &entries[i]);
    for (int i = 0; i < MANY; i++, tag++) {
        while (wm_match_bucket(&m.form[0], (uint64_t[2]){0, tag}) != wm_match_bucket(&m.form[0], (uint64_t[2]){0, 0}))
            tag++;
        entries[i].header.tag = (int32_t)tag;
        envelope_posted_put(&m, &entries[i]);
    }
    CU_ASSERT_EQUAL(behind(&m.form[0]), MANY - 1);
    for (int i = 0; i < MANY; i++)
        CU_ASSERT_PTR_EQUAL(envelope_posted_find(&m, &entries[i].header), &entries[i]);
    CU_ASSERT(behind(&m.form[0]) <= MANY * MANY / (2 * wm_match_buckets(&m.form[0])));
    wm_matching_release(&m);
}

/* Equal keys fill a bucket, and no hash helps; one that they stand before is found elsewhere soon. */
static void a_key__is_not_behind_many_equal_ones_for_long(void)
{
    enum { MANY = 1000 };
    static struct number_entry entries[MANY], other;
    struct wm_matching m;

    wm_matching_init(&m, MANY + 1);
    for (int i = 0; i < MANY; i++)
        number_posted_put(&m, &entries[i]);
    do
        other.header.number++;
    while (bucket_of(&m, other.header.number) != bucket_of(&m, 0));
    number_posted_put(&m, &other);
    for (int i = 0; i < 2; i++)
        CU_ASSERT_PTR_EQUAL(number_posted_find(&m, &other.header), &other);
    CU_ASSERT(bucket_of(&m, other.header.number) != bucket_of(&m, 0));
    CU_ASSERT_EQUAL(m.form[0].collided, 0);
    for (int i = 0; i < MANY; i++) {
        CU_ASSERT_PTR_EQUAL(number_posted_find(&m, &entries[0].header), &entries[i]);
        number_posted_remove(&m, &entries[i]);
    }
    wm_matching_release(&m);
}

/* Between the two of equal keys stands another, of the same bucket. */
static void the_urgent__goes_first_whatever_is_between(void)
{
    struct urgent_entry messages[3] = {{.header = {0, 1}}, {.header = {1, 0}}, {.header = {0, 2}}}, *found;
    struct wm_matching m;

    wm_matching_init(&m, 3);
    while (bucket_of(&m, messages[1].header.tag) != bucket_of(&m, 0))
        messages[1].header.tag++;
    for (int i = 0; i < 3; i++)
        urgent_arrived_put(&m, &messages[i]);
    CU_ASSERT_EQUAL(urgent_arrived_find(&m, &messages[0].header, &found), 0);
    CU_ASSERT_PTR_EQUAL(found, &messages[2]);
    wm_matching_release(&m);
}

static bool in_order(const struct wm_match *late, const struct wm_match *early)
{
    (void)late;
    (void)early;
    return false;
}

/* Multiples of powers of two, which a poor hash puts into few buckets. */
static void strides__are_spread(void)
{
    enum { MANY = 4096 };
    static struct stride_entry {
        struct wm_match match;
        struct wm_key key;
    } entries[MANY];
    struct wm_matching m;

    for (int shift = 0; shift <= 52; shift += 4)
        for (int word = 0; word < 2; word++) {
            wm_matching_init(&m, MANY);
            for (int i = 0; i < MANY; i++) {
                entries[i].key = (struct wm_key){.word = {5, 5}};
                entries[i].key.word[word] = (uint64_t)i << shift;
                wm_posted_put(&m, &entries[i].match, &entries[i].key, 0, in_order);
            }
            CU_ASSERT(fullest(&m.form[0]) <= 8);
            wm_matching_release(&m);
        }
}

static const struct check_case cases[] = {
    CASE(matching__takes_what_a_linear_search_takes),
    CASE(receives__are_taken_in_order_also_across_wildcards),
    CASE(messages__are_taken_in_order_also_by_a_form_that_is_new),
    CASE(entries__are_as_many_as_the_limit_permits),
    CASE(a_message__has_no_wildcard),
    CASE(forms__are_refused_when_there_are_too_many),
    CASE(the_urgent__goes_first_whatever_is_between),
    CASE(keys__that_collide_are_spread),
    CASE(keys__that_collided_are_seldom_paired),
    CASE(a_key__is_not_behind_many_equal_ones_for_long),
    CASE(strides__are_spread),
};

CHECK_MAIN("matching", cases)
