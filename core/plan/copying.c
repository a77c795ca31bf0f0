/* Copyings: see the header. */
#include "core/plan/copying.h"

static struct wm_ref behind(struct wm_ref ref, size_t units)
{
    return (struct wm_ref){ref.buffer, ref.offset + units};
}

static bool is_at(struct wm_ref a, struct wm_ref b)
{
    return a.buffer == b.buffer && a.offset == b.offset;
}

/* Where the block begins that is not whole yet. */
static struct wm_ref next_block(const struct wm_copying *c)
{
    return behind(c->from, c->blocks * c->stride.distance);
}

/* Let the range go on what there is. Ranges within one buffer may overlap: they stay apart. */
static bool extend(struct wm_copying *c, struct wm_ref from, struct wm_ref to, size_t units)
{
    bool one = c->stride.distance == 0;

    if (c->count == 0 || c->from.buffer == to.buffer || !is_at(to, behind(c->to, c->count + c->part)))
        return false;
    if (one && is_at(from, behind(c->from, c->count))) {
        c->count = c->stride.block += units;
        return true;
    }
    if (one && from.buffer == c->from.buffer && from.offset > c->from.offset + c->count)
        c->stride.distance = from.offset - c->from.offset;
    else if (one || !is_at(from, behind(next_block(c), c->part)))
        return false;
    if (c->part + units > c->stride.block) {
        c->stride.distance = one ? 0 : c->stride.distance;
        return false;
    }
    c->part += units;
    if (c->part == c->stride.block) {
        c->count += c->part;
        c->part = 0;
        c->blocks++;
    }
    return true;
}

static void begin(struct wm_copying *c, struct wm_ref from, struct wm_ref to, size_t units)
{
    *c = (struct wm_copying){from, to, {units, 0, 0}, units, 0, 1};
}

/* Copy the whole blocks. What is left is the part. */
static void copy_blocks(struct wm_planner *p, struct wm_copying *c)
{
    if (c->count > c->stride.block)
        wm_planner_copy_blocks(p, c->from, c->stride, c->to, c->count);
    else
        wm_planner_copy(p, c->from, c->to, c->count);
    if (c->part > 0)
        begin(c, next_block(c), behind(c->to, c->count), c->part);
    else
        *c = (struct wm_copying){0};
}

void wm_copying_add(struct wm_planner *p, struct wm_copying *c, struct wm_ref from, struct wm_ref to, size_t units)
{
    if (units == 0)
        return;
    while (c->count > 0 && !extend(c, from, to, units))
        copy_blocks(p, c);
    if (c->count == 0)
        begin(c, from, to, units);
}

void wm_copying_add_blocks(struct wm_planner *p, struct wm_copying *c, struct wm_ref from, struct wm_stride stride,
                           struct wm_ref to, size_t blocks)
{
    for (; blocks > 0 && stride.block > 0; blocks--) {
        if (c->count > 0 && c->part == 0 && c->stride.block == stride.block && c->stride.distance == stride.distance &&
            is_at(from, next_block(c)) && is_at(to, behind(c->to, c->count))) {
            c->count += blocks * stride.block;
            c->blocks += blocks;
            return;
        }
        wm_copying_add(p, c, from, to, stride.block);
        from.offset += stride.distance;
        to.offset += stride.block;
    }
}

void wm_copying_end(struct wm_planner *p, struct wm_copying *c)
{
    while (c->count > 0)
        copy_blocks(p, c);
}
