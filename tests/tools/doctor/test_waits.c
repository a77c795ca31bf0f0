/* Waits: of ranks whose calls are all different so many are told apart, and the rest are counted. */
#include "tools/doctor/waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "tests/check.h"
#include "tools/doctor/words.h"

/* A prime number of ranks, of whom rank 0 is outside of MPI; powers of ROOT go through all others. */
enum { RANKS = 1103, ROOT = 5, OTHERS = RANKS - 1 - WM_WAITS_CLASSES, ID = 77 };

static struct wm_page *pages;

/* Rank r waits for rank r * factor, so that no two do so at one offset. */
static void begin(int factor)
{
    pages = mmap(NULL, RANKS * sizeof *pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CU_ASSERT_FATAL(pages != MAP_FAILED);
    for (int r = 0; r < RANKS; r++) {
        pages[r].rank = r;
        pages[r].ranks = RANKS;
        pages[r].bytes = sizeof *pages;
        wm_page_begin(&pages[r], 1);
        pages[r].comm_count = 1;
        pages[r].comms[0] = (struct wm_page_comm){.id = ID, .rank = r, .ranks = RANKS, .chain = WM_HASH_BEGIN};
        pages[r].post.with[0] =
            (struct wm_page_message){.kind = WM_POST_RECEIVED, .peer = r * factor % RANKS, .tag = 3};
        if (r > 0)
            wm_page_enter_message(&pages[r], WM_POST_RECV, 0, 1);
    }
}

static void list(json_t **waits, json_t **circles)
{
    static bool gone[RANKS];
    const struct wm_page *all[RANKS];
    const struct wm_pages given = {all, RANKS, NULL};
    struct wm_judgement j;

    for (int r = 0; r < RANKS; r++)
        all[r] = &pages[r];
    CU_ASSERT_EQUAL_FATAL(wm_judge(&j, &given, gone, NULL), 0);
    wm_waits_list(&j, waits, circles);
    CU_ASSERT_PTR_NOT_NULL_FATAL(*waits);
    wm_judgement_release(&j);
    munmap(pages, RANKS * sizeof *pages);
}

static size_t ranks_of(const json_t *wait)
{
    return json_array_size(json_object_get(wait, "ranks"));
}

static void check_last(const json_t *classes)
{
    const json_t *last = json_array_get(classes, WM_WAITS_CLASSES);

    CU_ASSERT_EQUAL(json_array_size(classes), WM_WAITS_CLASSES + 1);
    CU_ASSERT_EQUAL(ranks_of(json_array_get(classes, 0)), 1);
    CU_ASSERT_PTR_NOT_NULL(json_object_get(json_array_get(classes, WM_WAITS_CLASSES - 1), "call"));
    CU_ASSERT_EQUAL(ranks_of(last), OTHERS);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(last, "classes")), OTHERS);
    CU_ASSERT_PTR_NULL(json_object_get(last, "call"));
}

static void waits__counts_the_classes_that_are_too_many(void)
{
    json_t *waits, *circles;

    begin(0);
    list(&waits, &circles);
    check_last(waits);
    CU_ASSERT_TRUE(json_is_false(json_object_get(json_array_get(waits, WM_WAITS_CLASSES), "proven")));
    CU_ASSERT_EQUAL(json_array_size(circles), 0);
    json_decref(waits);
    json_decref(circles);
}

static void waits__counts_those_of_a_circle(void)
{
    json_t *waits, *circles, *circle, *last;

    begin(ROOT);
    list(&waits, &circles);
    check_last(waits);
    last = json_array_get(waits, WM_WAITS_CLASSES);
    CU_ASSERT_TRUE(json_is_true(json_object_get(last, "proven")) && json_is_true(json_object_get(last, "circle")));
    CU_ASSERT_EQUAL(json_array_size(circles), 1);
    circle = json_array_get(circles, 0);
    CU_ASSERT_EQUAL(ranks_of(circle), RANKS - 1);
    check_last(json_object_get(circle, "waits"));
    json_decref(waits);
    json_decref(circles);
}

static void words__say_how_many_are_not_told_apart(void)
{
    json_t *wait = json_pack("{s[i, i], sb, s[], sb, si}", "ranks", 7, 8, "proven", 1, "missing", "circle", 0,
                             "classes", 2),
           *object = json_pack("{ss, si, si, s[o]}", "verdict", "deadlock", "ranks", 9, "seen", 9, "waits", wait);
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    wm_words_print(out, object);
    fclose(out);
    CU_ASSERT_STRING_EQUAL(text, "deadlock: ranks 7-8 wait in 2 other calls: proven\n");
    free(text);
    json_decref(object);
}

static const struct check_case cases[] = {
    CASE(waits__counts_the_classes_that_are_too_many),
    CASE(waits__counts_those_of_a_circle),
    CASE(words__say_how_many_are_not_told_apart),
};

CHECK_MAIN("waits", cases)
