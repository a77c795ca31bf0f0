/* What the names of a random statement are bound to. */
#include <stdio.h>
#include "core/error.h"
#include "tests/core/statement/functions.h"
#include "tests/core/statement/generate.h"

static const enum wm_number integer_types[] = {WM_INT8,  WM_INT16,  WM_INT32,  WM_INT32, WM_INT64,
                                               WM_UINT8, WM_UINT16, WM_UINT32, WM_UINT64};
static const enum wm_number number_types[] = {WM_INT8,   WM_INT16,  WM_INT32, WM_INT32, WM_INT64,  WM_UINT8, WM_UINT16,
                                              WM_UINT32, WM_UINT64, WM_FLOAT, WM_FLOAT, WM_DOUBLE, WM_DOUBLE};

size_t least_extent(const struct statement *s, const struct thing *t, int dimension)
{
    size_t least = t->extents[0][dimension];

    for (int r = 1; r < s->ranks; r++)
        if (t->extents[r][dimension] < least)
            least = t->extents[r][dimension];
    return least;
}

int pick_thing(struct statement *s, bool (*serves)(const struct thing *t, const void *with), const void *with)
{
    int first = (int)fuzz_below(&s->random, (size_t)s->thing_count);

    for (int i = 0; i < s->thing_count; i++)
        if (serves(&s->things[(first + i) % s->thing_count], with))
            return (first + i) % s->thing_count;
    return -1;
}

static struct thing *thing_new(struct statement *s, const char *name, enum wm_number type, bool uniform)
{
    struct thing *t = &s->things[s->thing_count++];

    *t = (struct thing){.kind = WM_BOUND_PLACE, .type = type, .uniform = uniform, .function = -1};
    snprintf(t->name, sizeof t->name, "%s", name);
    t->promises = uniform && fuzz_chance(&s->random, 80) ? WM_IS_UNIFORM : 0;
    t->element_bytes = wm_number_bytes(type);
    return t;
}

static void range(struct thing *t, long low, long high)
{
    t->ranged = true;
    t->low = low;
    t->high = high;
}

/* Extents that are often alike, so that arrays can be sent whole; not always those of other ranks. */
static void extend(struct statement *s, struct thing *t, int dimensions, size_t fixed)
{
    static const size_t usual[] = {3, 4, 4, 5};
    bool ragged = !t->uniform && fixed == 0 && fuzz_chance(&s->random, 15);

    t->dimensions = dimensions;
    for (int d = 0; d < dimensions; d++) {
        size_t extent = fixed > 0                     ? fixed
                        : fuzz_chance(&s->random, 30) ? (size_t)s->ranks
                        : fuzz_chance(&s->random, 10) ? fuzz_chance(&s->random, 80)
                                                      : FUZZ_PICK(&s->random, usual);

        for (int r = 0; r < s->ranks; r++)
            t->extents[r][d] = extent + (ragged ? fuzz_below(&s->random, 3) : 0);
    }
}

static void generate_functions(struct statement *s)
{
    int first = (int)fuzz_below(&s->random, FUNCTION_COUNT);

    for (int i = 0; i < 6; i++) {
        int function = i == 0 ? FUNCTION_owner : (first + 3 * i) % FUNCTION_COUNT;
        const struct function_row *row = &functions[function];
        bool given = false;
        struct thing *t;

        for (int k = 0; k < s->thing_count; k++)
            given |= s->things[k].function == function;
        if (given)
            continue;
        t = thing_new(s, row->name, row->result, true);
        t->kind = WM_BOUND_FUNCTION;
        t->function = function;
    }
}

static void generate_struct(struct statement *s, const char *name, int dimensions, bool pair, bool uniform)
{
    struct thing *t = thing_new(s, name, WM_BYTES, uniform);

    t->element_bytes = pair ? sizeof(struct pair) : sizeof(struct crumb);
    t->struct_type = pair ? &pair_type : &crumb_type;
    extend(s, t, dimensions, 0);
}

static void generate_structs(struct statement *s, unsigned differ)
{
    bool pair = fuzz_chance(&s->random, 50);
    struct thing *combine;

    generate_struct(s, "P", 1, pair, !fuzz_chance(&s->random, differ));
    generate_struct(s, "Q", 1 + (int)fuzz_below(&s->random, 2), pair, !fuzz_chance(&s->random, differ));
    combine = thing_new(s, "both", WM_BYTES, true);
    combine->kind = WM_BOUND_COMBINE;
    combine->element_bytes = pair ? sizeof(struct pair) : sizeof(struct crumb);
    combine->struct_type = pair ? &pair_type : &crumb_type;
}

/* Arrays to send and to store, of any numbers. */
static void generate_arrays(struct statement *s, unsigned differ)
{
    static const char *const names[] = {"A", "B", "C", "D", "E"};
    size_t types = 2 + fuzz_below(&s->random, 2);
    enum wm_number picked[3];

    for (size_t i = 0; i < types; i++)
        picked[i] = FUZZ_PICK(&s->random, number_types);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct thing *t = thing_new(s, names[i], picked[i % types], !fuzz_chance(&s->random, differ / 2 + 40));
        long low = type_is_signed(t->type) ? -20 : 0;

        extend(s, t, fuzz_chance(&s->random, 50) ? 1 : 2 + fuzz_chance(&s->random, 40), 0);
        t->gap = fuzz_chance(&s->random, 10) ? 1 + fuzz_below(&s->random, 2) : 0;
        if (!type_is_real(t->type) && fuzz_chance(&s->random, 50))
            range(t, low, 50);
    }
}

void generate_things(struct statement *s)
{
    static const unsigned differences[] = {0, 0, 10, 60};
    unsigned differ = FUZZ_PICK(&s->random, differences);
    struct thing *t;

#define NEW(name, type) thing_new(s, name, type, !fuzz_chance(&s->random, differ))
    t = NEW("n", FUZZ_PICK(&s->random, integer_types));
    range(t, 1, 4);
    t = NEW("shift", FUZZ_PICK(&s->random, integer_types));
    range(t, 0, s->ranks - 1);
    NEW("u", FUZZ_PICK(&s->random, number_types));
    NEW("v", FUZZ_PICK(&s->random, number_types));
    t = NEW("perm", FUZZ_PICK(&s->random, integer_types));
    t->permutation = true;
    range(t, 0, s->ranks - 1);
    extend(s, t, 1, (size_t)s->ranks);
    t = NEW("dest", FUZZ_PICK(&s->random, integer_types));
    range(t, 0, s->ranks - 1);
    extend(s, t, 1 + fuzz_chance(&s->random, 30), 0);
    t->gap = fuzz_chance(&s->random, 30);
    t = NEW("idx", FUZZ_PICK(&s->random, integer_types));
    range(t, 0, 3);
    extend(s, t, 1 + fuzz_chance(&s->random, 30), 0);
    t = NEW("sparse", WM_INT32);
    range(t, -2, s->ranks - 1);
    extend(s, t, 1, 0);
    t->gap = fuzz_chance(&s->random, 30);
    t = NEW("real", fuzz_chance(&s->random, 50) ? WM_FLOAT : WM_DOUBLE);
    extend(s, t, 1, 3);
#undef NEW
    generate_arrays(s, differ);
    if (fuzz_chance(&s->random, 30))
        generate_structs(s, differ);
    generate_functions(s);
}
