/* Hazards: what each access must wait for, range by range. */
#include <malloc.h>
#include <string.h>
#include "core/plan/hazard.h"
#include "tests/check.h"

/* A set of the steps that were named, as text in the order of their numbers. */
struct waits {
    bool on[64];
    char text[256];
};

static void note(void *data, int earlier)
{
    struct waits *waits = data;

    waits->on[earlier] = true;
}

static const char *touch(struct wm_hazards *hazards, int step, enum wm_access access, size_t offset, size_t count)
{
    static struct waits waits;

    memset(&waits, 0, sizeof waits);
    CU_ASSERT_EQUAL(wm_hazards_access(hazards, step, access, (struct wm_ref){3, offset}, count, note, &waits), 0);
    for (int i = 0; i < 64; i++)
        if (waits.on[i])
            snprintf(waits.text + strlen(waits.text), sizeof waits.text - strlen(waits.text), "%s%d",
                     waits.text[0] != '\0' ? " " : "", i);
    return waits.text;
}

static void hazard__a_read_waits_for_the_writer_alone(void)
{
    struct wm_hazards *h = wm_hazards_new();

    CU_ASSERT_STRING_EQUAL(touch(h, 0, WM_WRITE, 0, 10), "");
    CU_ASSERT_STRING_EQUAL(touch(h, 1, WM_READ, 0, 10), "0");
    CU_ASSERT_STRING_EQUAL(touch(h, 2, WM_READ, 2, 3), "0");
    wm_hazards_free(h);
}

static void hazard__a_write_waits_for_writers_and_readers(void)
{
    struct wm_hazards *h = wm_hazards_new();

    touch(h, 0, WM_WRITE, 0, 10);
    touch(h, 1, WM_READ, 0, 4);
    touch(h, 2, WM_READ, 4, 4);
    CU_ASSERT_STRING_EQUAL(touch(h, 3, WM_WRITE, 0, 5), "0 1 2");
    CU_ASSERT_STRING_EQUAL(touch(h, 4, WM_WRITE, 8, 2), "0");
    CU_ASSERT_STRING_EQUAL(touch(h, 5, WM_READ, 0, 10), "0 3 4");
    wm_hazards_free(h);
}

static void hazard__ranges_that_do_not_meet_are_free(void)
{
    struct wm_hazards *h = wm_hazards_new();

    touch(h, 0, WM_WRITE, 5, 5);
    CU_ASSERT_STRING_EQUAL(touch(h, 1, WM_WRITE, 0, 5), "");
    CU_ASSERT_STRING_EQUAL(touch(h, 2, WM_WRITE, 10, 5), "");
    CU_ASSERT_STRING_EQUAL(touch(h, 3, WM_WRITE, 4, 7), "0 1 2");
    CU_ASSERT_STRING_EQUAL(touch(h, 4, WM_READ, 20, 5), "");
    wm_hazards_free(h);
}

static void hazard__buffers_are_apart(void)
{
    struct wm_hazards *h = wm_hazards_new();
    struct waits waits = {0};

    touch(h, 0, WM_WRITE, 0, 5);
    CU_ASSERT_EQUAL(wm_hazards_access(h, 1, WM_WRITE, (struct wm_ref){9, 0}, 5, note, &waits), 0);
    CU_ASSERT_FALSE(waits.on[0]);
    wm_hazards_free(h);
}

static void hazard__updates_of_a_generation_do_not_wait_for_each_other(void)
{
    struct wm_hazards *h = wm_hazards_new();

    touch(h, 0, WM_WRITE, 0, 8);
    CU_ASSERT_STRING_EQUAL(touch(h, 1, WM_UPDATE, 0, 8), "0");
    CU_ASSERT_STRING_EQUAL(touch(h, 2, WM_UPDATE, 0, 8), "0");
    CU_ASSERT_STRING_EQUAL(touch(h, 3, WM_UPDATE, 2, 3), "0");
    CU_ASSERT_STRING_EQUAL(touch(h, 4, WM_READ, 0, 2), "1 2");
    CU_ASSERT_STRING_EQUAL(touch(h, 5, WM_READ, 3, 1), "1 2 3");
    wm_hazards_free(h);
}

static void hazard__a_read_between_updates_begins_a_new_generation(void)
{
    struct wm_hazards *h = wm_hazards_new();

    touch(h, 0, WM_WRITE, 0, 8);
    touch(h, 1, WM_UPDATE, 0, 8);
    touch(h, 2, WM_READ, 0, 8);
    CU_ASSERT_STRING_EQUAL(touch(h, 3, WM_UPDATE, 0, 8), "1 2");
    CU_ASSERT_STRING_EQUAL(touch(h, 4, WM_UPDATE, 0, 8), "1 2");
    CU_ASSERT_STRING_EQUAL(touch(h, 5, WM_WRITE, 0, 8), "3 4");
    wm_hazards_free(h);
}

/* A range may be cut anywhere, and each piece keeps the whole history. */
static void hazard__a_cut_range_keeps_its_history(void)
{
    struct wm_hazards *h = wm_hazards_new();

    touch(h, 0, WM_WRITE, 0, 100);
    touch(h, 1, WM_READ, 0, 100);
    for (int i = 2; i < 20; i++)
        CU_ASSERT_STRING_EQUAL(touch(h, i, WM_WRITE, (size_t)(5 * i), 2), "0 1");
    CU_ASSERT_STRING_EQUAL(touch(h, 20, WM_READ, 12, 4), "0 3");
    wm_hazards_free(h);
}

/* Against the definition, unit by unit: a dependence is found exactly where one is due, directly or through another. */
static void hazard__agrees_with_its_definition_on_random_accesses(void)
{
    enum { STEPS = 40, UNITS = 12 };
    unsigned random = 12345;

    for (int round = 0; round < 200; round++) {
        struct wm_hazards *h = wm_hazards_new();
        enum wm_access kinds[STEPS];
        size_t from[STEPS], count[STEPS];
        bool before[STEPS][STEPS] = {{false}};

        for (int s = 0; s < STEPS; s++) {
            struct waits waits = {0};

            random = random * 1103515245 + 12345;
            kinds[s] = (enum wm_access)(random >> 16) % 3;
            from[s] = (random >> 20) % UNITS;
            count[s] = 1 + (random >> 24) % (UNITS - from[s]);
            wm_hazards_access(h, s, kinds[s], (struct wm_ref){2, from[s]}, count[s], note, &waits);
            for (int e = 0; e < s; e++)
                for (int x = 0; waits.on[e] && x <= e; x++)
                    before[x][s] |= x == e || before[x][e];
            for (int e = 0; e < s; e++) {
                bool meet = from[e] < from[s] + count[s] && from[s] < from[e] + count[e];

                if (meet && (kinds[e] != WM_READ || kinds[s] != WM_READ) &&
                    (kinds[e] != WM_UPDATE || kinds[s] != WM_UPDATE))
                    CU_ASSERT(before[e][s]);
                if (waits.on[e])
                    CU_ASSERT(meet && (kinds[e] != WM_READ || kinds[s] != WM_READ));
            }
        }
        wm_hazards_free(h);
    }
}

/* Accesses that split ranges and gather readers and updates, so that there is much to free. */
static void use_and_free(void)
{
    static const enum wm_access accesses[] = {WM_WRITE, WM_READ, WM_UPDATE};
    struct wm_hazards *h = wm_hazards_new();

    for (int step = 0; step < 60; step++)
        touch(h, step, accesses[step % 3], (size_t)(7 * step % 50), 9);
    wm_hazards_free(h);
}

/* The allocator keeps some of what is freed; a block lost each turn would be more. */
static void hazard__all_memory_is_given_back(void)
{
    enum { TURNS = 200, SMALLEST_BLOCK = 32 };
    size_t before;

    use_and_free();
    before = mallinfo2().uordblks;
    for (int turn = 0; turn < TURNS; turn++)
        use_and_free();
    CU_ASSERT_TRUE(mallinfo2().uordblks < before + TURNS * SMALLEST_BLOCK);
    wm_hazards_free(NULL);
}

static const struct check_case cases[] = {
    CASE(hazard__a_read_waits_for_the_writer_alone),
    CASE(hazard__a_write_waits_for_writers_and_readers),
    CASE(hazard__ranges_that_do_not_meet_are_free),
    CASE(hazard__buffers_are_apart),
    CASE(hazard__updates_of_a_generation_do_not_wait_for_each_other),
    CASE(hazard__a_read_between_updates_begins_a_new_generation),
    CASE(hazard__a_cut_range_keeps_its_history),
    CASE(hazard__agrees_with_its_definition_on_random_accesses),
    CASE(hazard__all_memory_is_given_back),
};

CHECK_MAIN("hazard", cases)
