/* Loads: who pushes how much to whom, and what stands in an item. */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/convey_cases.h"

const char *load_name(const struct load *load)
{
    static const char *const names[PATTERNS] = {
        "silent", "uniform",    "to itself", "all to one", "one to all",
        "skewed", "one to one", "ring",      "bursts",     "lower half to upper half",
    };

    return names[load->pattern];
}

/* CONVEY_LOAD: percent of the usual items, where every step is slow. */
static int64_t percent(void)
{
    return getenv("CONVEY_LOAD") != NULL ? atoll(getenv("CONVEY_LOAD")) : 100;
}

struct load load_random(struct rng *rng, size_t item_bytes, size_t bytes_max)
{
    static const int64_t counts[] = {1, 2, 5, 30, 30, 200, 200, 1000, 4000};
    struct load load = {.pattern = (enum pattern)rng_below(rng, PATTERNS), .count = counts[rng_below(rng, 9)]};

    if (rng_one_in(rng, 3))
        load.pattern = UNIFORM;
    if ((size_t)load.count * item_bytes > bytes_max)
        load.count = (int64_t)(bytes_max / item_bytes) + 1;
    load.count = load.count * percent() / 100 + (percent() < 100);
    load.seed = rng_next(rng);
    load.root = rng_below(rng, 64);
    return load;
}

int64_t load_count(const struct load *load, int source, int ranks)
{
    int root = load->root % ranks;

    switch (load->pattern) {
    case SILENT:
        return 0;
    case FROM_ONE:
    case ONE_SIDED:
        return source == root ? load->count : 0;
    case TO_UPPER_HALF:
        return source < ranks / 2 ? load->count : 0;
    default:
        return load->count / 2 + (int64_t)(hash_mix(load->seed, (uint64_t)source + 99) % ((uint64_t)load->count + 1));
    }
}

int load_destination(const struct load *load, int source, int64_t i, int ranks)
{
    uint64_t h = hash_mix(load->seed, (uint64_t)source << 40 | (uint64_t)i);
    int root = load->root % ranks, any = (int)((h >> 8) % (uint64_t)ranks);

    switch (load->pattern) {
    case SELF:
        return source;
    case TO_ONE:
        return root;
    case SKEWED:
        return h % 16 == 0 ? any : root;
    case ONE_SIDED:
    case RING:
        return (source + 1) % ranks;
    case BURSTS:
        return (int)(hash_mix(load->seed, (uint64_t)source << 40 | (uint64_t)(i / 37)) % (uint64_t)ranks);
    case TO_UPPER_HALF:
        return ranks / 2 + any % (ranks - ranks / 2);
    default:
        return any;
    }
}

/* ---- items ---- */

static uint64_t name_hash(const struct item_name *name)
{
    return hash_mix(hash_mix(name->key, (uint64_t)name->source << 20 | (uint64_t)name->destination),
                    (uint64_t)name->number);
}

/* Mostly small, sometimes up to the bound, and exactly that. */
size_t item_bytes_of(const struct item_name *name, size_t bytes_max)
{
    uint64_t h = name_hash(name);
    size_t limit = h % 7 == 0 ? bytes_max : bytes_max < 40 ? bytes_max : 40;

    if (h % 61 == 0)
        return bytes_max;
    return (size_t)((h >> 16) % (limit + 1));
}

/* The first word names the item, the others follow from its name. */
static uint64_t word_of(const struct item_name *name, uint64_t hash, size_t bytes, size_t index)
{
    if (index == 0 && bytes >= ITEM_NAMED_BYTES)
        return (uint64_t)name->source << 48 | (uint64_t)name->destination << 32 | (uint32_t)name->number;
    return hash + index * 0x9e3779b97f4a7c15u;
}

void item_fill(void *item, size_t bytes, const struct item_name *name)
{
    uint64_t hash = name_hash(name), word;
    char *at = item;

    for (size_t done = 0; done < bytes; done += 8) {
        word = word_of(name, hash, bytes, done / 8);
        memcpy(at + done, &word, bytes - done < 8 ? bytes - done : 8);
    }
}

bool item_right(const void *item, size_t bytes, const struct item_name *name)
{
    uint64_t hash = name_hash(name), word;
    const char *at = item;

    for (size_t done = 0; done < bytes; done += 8) {
        word = word_of(name, hash, bytes, done / 8);
        if (memcmp(at + done, &word, bytes - done < 8 ? bytes - done : 8) != 0)
            return false;
    }
    return true;
}

struct item_name item_name_in(const void *item)
{
    uint64_t word;

    memcpy(&word, item, sizeof word);
    return (struct item_name){
        .source = (int)(word >> 48), .destination = (int)(word >> 32 & 0xffff), .number = (int64_t)(uint32_t)word};
}
