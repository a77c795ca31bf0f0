/* Plan calls: their blocks, and the calls as keys of a cache. */
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "core/hash.h"
#include "core/plan/planner.h"

size_t wm_blocks_count(const struct wm_blocks *b, int block)
{
    return b->counts != NULL ? b->counts[block] : b->each;
}

size_t wm_blocks_offset(const struct wm_blocks *b, int block)
{
    size_t offset = 0;

    if (b->offsets != NULL)
        return b->offsets[block];
    if (b->counts == NULL)
        return (size_t)block * b->each;
    for (int i = 0; i < block; i++)
        offset += b->counts[i];
    return offset;
}

size_t wm_blocks_total(const struct wm_blocks *b)
{
    size_t total = 0;

    for (int i = 0; b->counts != NULL && i < b->count; i++)
        total += b->counts[i];
    return b->counts != NULL ? total : (size_t)b->count * b->each;
}

static bool same_vector(const size_t *a, const size_t *b, int count)
{
    return a == b || (a != NULL && b != NULL && memcmp(a, b, sizeof *a * (size_t)count) == 0);
}

static bool same_blocks(const struct wm_blocks *a, const struct wm_blocks *b)
{
    return a->count == b->count && a->each == b->each && same_vector(a->counts, b->counts, a->count) &&
           same_vector(a->offsets, b->offsets, a->count);
}

static bool same_pairs(const struct wm_pair_sizes *a, const struct wm_pair_sizes *b)
{
    if (a == b || a == NULL || b == NULL || a->count != b->count || a->each != b->each)
        return a == b;
    for (size_t i = 0; i < a->count; i++)
        if (a->sizes[i].origin != b->sizes[i].origin || a->sizes[i].destination != b->sizes[i].destination ||
            a->sizes[i].count != b->sizes[i].count)
            return false;
    return true;
}

bool wm_plan_call_equal(const struct wm_plan_call *a, const struct wm_plan_call *b)
{
    return a->operation == b->operation && a->count == b->count && a->unit_bytes == b->unit_bytes &&
           a->root == b->root && a->in_place == b->in_place && a->commutative == b->commutative &&
           a->traced == b->traced && a->noted == b->noted && a->shared == b->shared && a->rounds_max == b->rounds_max &&
           a->steps_max == b->steps_max && a->neighbours == b->neighbours && same_blocks(&a->send, &b->send) &&
           same_blocks(&a->receive, &b->receive) && same_blocks(&a->data, &b->data) && same_pairs(a->pairs, b->pairs);
}

static uint64_t mix_blocks(uint64_t hash, const struct wm_blocks *b)
{
    hash = wm_hash_add(hash, (uint64_t)b->count ^ b->each << 20);
    for (int i = 0; b->counts != NULL && i < b->count; i++)
        hash = wm_hash_add(hash, b->counts[i]);
    for (int i = 0; b->offsets != NULL && i < b->count; i++)
        hash = wm_hash_add(hash, b->offsets[i]);
    return hash;
}

uint64_t wm_plan_call_hash(const struct wm_plan_call *c)
{
    uint64_t hash = wm_hash_add(c->count, c->unit_bytes + (uint64_t)c->operation * 131);

    hash = wm_hash_add(hash, (uint64_t)(c->root + 1) << 4 |
                                 (uint64_t)(c->shared << 3 | c->in_place << 2 | c->commutative << 1 | c->traced));
    hash = mix_blocks(hash, &c->send);
    hash = mix_blocks(hash, &c->receive);
    hash = mix_blocks(hash, &c->data);
    return wm_hash_add(hash, c->pairs != NULL ? c->pairs->count : 0);
}

static int copy_vector(const size_t **to, const size_t *from, int count)
{
    size_t *copy = from != NULL ? malloc(sizeof *copy * (size_t)(count > 0 ? count : 1)) : NULL;

    *to = copy;
    if (copy != NULL)
        memcpy(copy, from, sizeof *copy * (size_t)count);
    return copy == NULL && from != NULL ? -WM_ENOMEM : 0;
}

static int copy_blocks(struct wm_blocks *to, const struct wm_blocks *from)
{
    int rc = copy_vector(&to->counts, from->counts, from->count);

    return copy_vector(&to->offsets, from->offsets, from->count) < 0 ? -WM_ENOMEM : rc;
}

static int copy_pairs(const struct wm_pair_sizes **to, const struct wm_pair_sizes *from)
{
    struct wm_pair_sizes *copy;

    *to = NULL;
    if (from == NULL)
        return 0;
    copy = malloc(sizeof *copy + sizeof *copy->sizes * from->count);
    if (copy == NULL)
        return -WM_ENOMEM;
    copy->count = from->count;
    copy->each = from->each;
    copy->sizes = (struct wm_pair_size *)(copy + 1);
    if (from->count > 0)
        memcpy(copy->sizes, from->sizes, sizeof *copy->sizes * from->count);
    *to = copy;
    return 0;
}

int wm_plan_call_copy(struct wm_plan_call *to, const struct wm_plan_call *from)
{
    int rc = 0;

    *to = *from;
    to->data.offsets = NULL;
    rc = copy_blocks(&to->send, &from->send);
    rc = copy_blocks(&to->receive, &from->receive) < 0 ? -WM_ENOMEM : rc;
    rc = copy_vector(&to->data.counts, from->data.counts, from->data.count) < 0 ? -WM_ENOMEM : rc;
    rc = copy_pairs(&to->pairs, from->pairs) < 0 ? -WM_ENOMEM : rc;
    if (rc < 0)
        wm_plan_call_release(to);
    return rc;
}

static void blocks_release(struct wm_blocks *b)
{
    free((void *)b->counts);
    free((void *)b->offsets);
    *b = (struct wm_blocks){0};
}

void wm_plan_call_release(struct wm_plan_call *c)
{
    blocks_release(&c->send);
    blocks_release(&c->receive);
    blocks_release(&c->data);
    free((void *)c->pairs);
    c->pairs = NULL;
}
