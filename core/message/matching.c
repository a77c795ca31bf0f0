/* Matching: tables that are filled anew, forms and twins. */
#include "waymark/matching.h"

#include "core/hash.h"

/* Buckets an entry: many, as long as the table fits into a cache. */
enum { SPARSE = 8, SPARSE_BITS = 15, DENSE = 2, LEAST_SHARE = 4 };
enum { WORD_BITS = 64, FIRST_BITS = 6, SLAB_TWINS = 64, MANY_KEYS = 8, SEEDS_TRIED = 8 };

struct wm_match_slab {
    struct wm_match_slab *next;
    struct wm_match_twin twins[SLAB_TWINS];
};

/* The first hash keeps the points of small grids apart. Source: M. Roberts, The Unreasonable Effectiveness of
 * Quasirandom Sequences, 2018 (R2: powers of the plastic number). */
static const uint64_t first_seed[2] = {UINT64_C(0x91e10da5c79e7b1d), UINT64_C(0xc13fa9a902a6328f)};

static void set_seed(struct wm_match_table *table)
{
    for (unsigned i = 0; i < 2; i++)
        table->seed[i] = table->changed == 0 ? first_seed[i] : wm_hash_scatter(2 * table->changed + i) | 1;
}

/* Take 2^bits buckets, empty. */
static void set_buckets(struct wm_match_table *table, struct wm_match_link *buckets, int bits, int share)
{
    table->buckets = buckets;
    table->shift = WORD_BITS - bits;
    table->room = wm_match_buckets(table) / (unsigned)share;
    for (uint64_t i = 0; i < wm_match_buckets(table); i++)
        buckets[i].next = buckets[i].previous = &buckets[i];
}

void wm_matching_init(struct wm_matching *m, uint64_t limit)
{
    *m = (struct wm_matching){.limit = limit, .forms = 1};
    set_seed(&m->form[0]);
    set_buckets(&m->form[0], m->least, __builtin_ctz(WM_MATCHING_LEAST), LEAST_SHARE);
}

void wm_matching_release(struct wm_matching *m)
{
    for (struct wm_match_slab *slab = m->slabs, *next; slab != NULL; slab = next) {
        next = slab->next;
        free(slab);
    }
    for (unsigned i = 0; i < m->forms; i++)
        if (m->form[i].buckets != m->least)
            free(m->form[i].buckets);
    wm_matching_init(m, m->limit);
}

/* Move the entries of a circle to their buckets: those of equal keys stay in their order. Returns how many come to
 * stand behind another key. */
static uint64_t spread(struct wm_match_table *table, struct wm_match_link *circle)
{
    uint64_t behind = 0;

    for (struct wm_match_link *link = circle->next, *next; link != circle; link = next) {
        const uint64_t *word = ((struct wm_match *)link)->word;
        struct wm_match_link *bucket = wm_match_bucket(table, word);

        next = link->next;
        behind += bucket->previous != bucket && !wm_match_is((struct wm_match *)bucket->previous, word);
        wm_match_insert(link, bucket);
    }
    return behind;
}

static bool allocate(struct wm_match_table *table, int bits)
{
    struct wm_match_link *buckets = malloc(sizeof *buckets << bits);

    if (buckets != NULL)
        set_buckets(table, buckets, bits, bits <= SPARSE_BITS ? SPARSE : DENSE);
    return buckets != NULL;
}

void wm_matching_grow(struct wm_matching *m, struct wm_match_table *table)
{
    uint64_t old_count = wm_match_buckets(table);
    int bits = WORD_BITS - table->shift + 1;
    struct wm_match_link *old = table->buckets;

    table->room *= 2;
    if (!allocate(table, bits > FIRST_BITS ? bits : FIRST_BITS))
        return;
    for (uint64_t i = 0; i < old_count; i++)
        spread(table, &old[i]);
    if (old != m->least)
        free(old);
}

/* All entries in one circle, those of a bucket together. */
static void gather(struct wm_match_table *table, struct wm_match_link *all)
{
    all->next = all->previous = all;
    for (uint64_t i = 0; i < wm_match_buckets(table); i++) {
        struct wm_match_link *bucket = &table->buckets[i];

        if (bucket->next == bucket)
            continue;
        bucket->next->previous = all->previous;
        all->previous->next = bucket->next;
        bucket->previous->next = all;
        all->previous = bucket->previous;
        bucket->next = bucket->previous = bucket;
    }
}

/* Equal keys that have come one behind the other count once. */
static bool has_many_keys(const struct wm_match_link *bucket)
{
    const struct wm_match *last = NULL;
    int keys = 0;

    for (const struct wm_match_link *link = bucket->next; link != bucket && keys < MANY_KEYS; link = link->next) {
        const struct wm_match *at = (const struct wm_match *)link;

        keys += last == NULL || !wm_match_is(at, last->word);
        last = at;
    }
    return keys == MANY_KEYS;
}

static uint64_t behind_by_chance(const struct wm_match_table *table)
{
    return table->filed * table->filed / (2 * wm_match_buckets(table));
}

/* Keys that lie regularly are spread better than by chance by some seeds, and worse by others. */
void wm_matching_crowded(struct wm_match_table *table, const struct wm_match_link *bucket, uint64_t others)
{
    struct wm_match_link all;

    table->collided += others >= MANY_KEYS && has_many_keys(bucket);
    table->vain += others;
    if (table->vain < table->filed)
        return;
    table->vain = 0;
    for (int tries = 0; tries < SEEDS_TRIED; tries++) {
        table->changed++;
        gather(table, &all);
        set_seed(table);
        if (spread(table, &all) <= behind_by_chance(table))
            break;
    }
}

int wm_matching_form_add(struct wm_matching *m, const uint64_t open[2])
{
    struct wm_match_table table = {.open = {open[0], open[1]}};

    if (m->forms == WM_MATCHING_FORMS)
        return WM_MATCHING_FORM;
    set_seed(&table);
    if (!allocate(&table, FIRST_BITS))
        return WM_MATCHING_MEMORY;
    m->form[m->forms] = table;
    return (int)m->forms++;
}

bool wm_matching_twins(struct wm_matching *m, uint64_t count)
{
    while (m->idle_twins < count) {
        struct wm_match_slab *slab = malloc(sizeof *slab);

        if (slab == NULL)
            return false;
        slab->next = m->slabs;
        m->slabs = slab;
        for (int i = 0; i < SLAB_TWINS; i++) {
            slab->twins[i].more = m->idle;
            m->idle = &slab->twins[i];
        }
        m->idle_twins += SLAB_TWINS;
    }
    return true;
}

static int by_order(const void *a, const void *b)
{
    const struct wm_match *x = *(struct wm_match *const *)a, *y = *(struct wm_match *const *)b;

    return (x->order > y->order) - (x->order < y->order);
}

struct wm_match **wm_matching_list(const struct wm_matching *m)
{
    const struct wm_match_table *table = &m->form[0];
    struct wm_match **list = malloc((table->filed + 1) * sizeof *list);
    uint64_t count = 0;

    if (list == NULL)
        return NULL;
    for (uint64_t i = 0; i < wm_match_buckets(table); i++)
        for (struct wm_match_link *link = table->buckets[i].next; link != &table->buckets[i]; link = link->next)
            list[count++] = (struct wm_match *)link;
    qsort(list, count, sizeof *list, by_order);
    return list;
}
