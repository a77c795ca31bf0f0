/* Sides of a call: counts, displacements and types turned into bytes. */
#include "core/data/side.h"

#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/data/geometry.h"

static MPI_Datatype type_of(const struct wm_side *s, int block)
{
    return s->own_types != NULL ? s->own_types[block] : s->types != NULL ? s->types[block] : s->type;
}

static int elements_of(const struct wm_side *s, int block)
{
    return s->counts != NULL ? s->counts[block] : s->each;
}

/* Where a block begins, in bytes from the buffer. */
static ptrdiff_t place_of(const struct wm_side *s, int block, const struct wm_geometry *g)
{
    if (s->places != NULL)
        return s->places[block];
    if (s->displs == NULL)
        return (ptrdiff_t)block * s->each * g->extent;
    return s->types != NULL || s->own_types != NULL ? s->displs[block] : (ptrdiff_t)s->displs[block] * g->extent;
}

static int read_geometry(const struct wm_side *s, int block, struct wm_geometry *g)
{
    return elements_of(s, block) < 0 || wm_geometry_read(g, type_of(s, block)) != MPI_SUCCESS ? -1 : 0;
}

/* Blocks of one type and one size. */
static int even_blocks(const struct wm_side *s, struct wm_blocks *blocks, bool *plain)
{
    struct wm_geometry g;

    if (read_geometry(s, 0, &g) < 0)
        return -1;
    *plain = g.packed;
    *blocks = (struct wm_blocks){.count = s->count, .each = (size_t)s->each * g.size};
    return 0;
}

struct extent {
    size_t low, high;
};

static int compare_extents(const void *left, const void *right)
{
    const struct extent *a = left, *b = right;

    return (a->low > b->low) - (a->low < b->low);
}

/* Blocks mostly come one behind the other; otherwise they are sorted to see. */
static bool overlap(const size_t *counts, const size_t *offsets, int count)
{
    struct extent *sorted;
    int filled = 0;
    bool ascending = true, found = false;
    size_t end = 0;

    for (int i = 0; i < count; i++) {
        ascending = ascending && (counts[i] == 0 || offsets[i] >= end);
        end = counts[i] > 0 ? offsets[i] + counts[i] : end;
    }
    if (ascending || (sorted = malloc(sizeof *sorted * (size_t)count)) == NULL)
        return !ascending;
    for (int i = 0; i < count; i++)
        if (counts[i] > 0)
            sorted[filled++] = (struct extent){offsets[i], offsets[i] + counts[i]};
    qsort(sorted, (size_t)filled, sizeof *sorted, compare_extents);
    for (int i = 1; i < filled; i++)
        found = found || sorted[i].low < sorted[i - 1].high;
    free(sorted);
    return found;
}

static int fill_blocks(const struct wm_side *s, size_t *counts, size_t *offsets, bool *plain)
{
    struct wm_geometry g;

    *plain = true;
    for (int i = 0; i < s->count; i++) {
        ptrdiff_t place;

        if ((i == 0 || s->types != NULL) && wm_geometry_read(&g, type_of(s, i)) != MPI_SUCCESS)
            return -1;
        if (elements_of(s, i) < 0)
            return -1;
        place = place_of(s, i, &g);
        counts[i] = (size_t)elements_of(s, i) * g.size;
        offsets[i] = (size_t)place;
        *plain = *plain && (g.packed || counts[i] == 0) && (place >= 0 || counts[i] == 0);
        if (counts[i] == 0)
            offsets[i] = 0;
    }
    *plain = *plain && !(s->receives && overlap(counts, offsets, s->count));
    return 0;
}

static void keep_types(struct wm_side *s)
{
    if (s->types == NULL)
        return;
    s->own_types = wm_allocate(sizeof *s->own_types * (size_t)s->count, "the datatypes of a collective");
    memcpy(s->own_types, s->types, sizeof *s->own_types * (size_t)s->count);
}

int wm_side_blocks(struct wm_side *s, struct wm_blocks *blocks, bool *plain)
{
    size_t *counts, *offsets;

    *blocks = (struct wm_blocks){0};
    *plain = true;
    if (s->count == 0)
        return 0;
    if (s->counts == NULL && s->types == NULL && s->displs == NULL && s->places == NULL)
        return even_blocks(s, blocks, plain);
    counts = wm_allocate(sizeof *counts * (size_t)s->count, "the counts of a collective");
    offsets = wm_allocate(sizeof *offsets * (size_t)s->count, "the counts of a collective");
    if (fill_blocks(s, counts, offsets, plain) < 0) {
        free(counts);
        free(offsets);
        return -1;
    }
    if (!*plain)
        keep_types(s);
    for (int i = 0; !*plain && i < s->count; i++)
        offsets[i] = i > 0 ? offsets[i - 1] + counts[i - 1] : 0;
    *blocks = (struct wm_blocks){.count = s->count, .counts = counts, .offsets = offsets};
    return 0;
}

/* The bytes of a block in the user's buffer. By integers: it may be MPI_BOTTOM. */
static void *user_block(const struct wm_side *s, int block, const struct wm_geometry *g)
{
    return (void *)((uintptr_t)s->buffer + (uintptr_t)place_of(s, block, g));
}

int wm_side_block(const struct wm_side *s, int block, struct wm_side_block *found)
{
    struct wm_geometry g;

    if (elements_of(s, block) < 0)
        return MPI_ERR_COUNT;
    if (wm_geometry_read(&g, type_of(s, block)) != MPI_SUCCESS)
        return MPI_ERR_TYPE;
    *found = (struct wm_side_block){user_block(s, block, &g), elements_of(s, block), type_of(s, block)};
    return MPI_SUCCESS;
}

int wm_side_pack(const struct wm_side *s, const struct wm_blocks *blocks, int first, int last, char *packed)
{
    size_t offset = wm_blocks_offset(blocks, first);

    for (int i = first; i < last; i++) {
        struct wm_geometry g;
        int rc = wm_geometry_read(&g, type_of(s, i));

        if (rc == MPI_SUCCESS)
            rc = wm_geometry_pack(&g, user_block(s, i, &g), (size_t)elements_of(s, i), packed + offset);
        if (rc != MPI_SUCCESS)
            return rc;
        offset += wm_blocks_count(blocks, i);
    }
    return MPI_SUCCESS;
}

int wm_side_unpack(const struct wm_side *s, const struct wm_blocks *blocks, int first, int last, const char *packed)
{
    size_t offset = wm_blocks_offset(blocks, first);

    for (int i = first; i < last; i++) {
        struct wm_geometry g;
        int rc = wm_geometry_read(&g, type_of(s, i));

        if (rc == MPI_SUCCESS)
            rc = wm_geometry_unpack(&g, packed + offset, user_block(s, i, &g), (size_t)elements_of(s, i));
        if (rc != MPI_SUCCESS)
            return rc;
        offset += wm_blocks_count(blocks, i);
    }
    return MPI_SUCCESS;
}

void wm_side_release(struct wm_side *s)
{
    free(s->own_types);
    s->own_types = NULL;
}
