/* What stands on a command line: sizes, numbers, times, lists. */
#include "tests/check.h"

#include <stdio.h>
#include <string.h>
#include "core/parse.h"
#include "tools/text/sizes.h"

static void bytes__have_units_of_1024(void)
{
    uint64_t bytes = 1;

    CU_ASSERT(wm_parse_bytes("0", &bytes) && bytes == 0);
    CU_ASSERT(wm_parse_bytes("8B", &bytes) && bytes == 8);
    CU_ASSERT(wm_parse_bytes("64KiB", &bytes) && bytes == 65536);
    CU_ASSERT(wm_parse_bytes("1048576GiB", &bytes) && bytes == UINT64_C(1) << 50);
}

static void bytes__that_are_none_change_nothing(void)
{
    static const char *const words[] = {
        "", "-8", " 8", "8kb", "8 KiB", "0x8", "1.5KiB", "1048577GiB", "18446744073709551616"};
    uint64_t bytes = 7;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        CU_ASSERT_FALSE(wm_parse_bytes(words[i], &bytes));
    CU_ASSERT_EQUAL(bytes, 7);
}

static void numbers__are_whole_and_within_their_ends(void)
{
    uint64_t number = 7;

    CU_ASSERT_FALSE(wm_parse_number("0", 1, 9, &number));
    CU_ASSERT_FALSE(wm_parse_number("10", 1, 9, &number));
    CU_ASSERT_FALSE(wm_parse_number("5x", 1, 9, &number));
    CU_ASSERT_FALSE(wm_parse_number("+5", 1, 9, &number));
    CU_ASSERT_EQUAL(number, 7);
    CU_ASSERT(wm_parse_number("9", 1, 9, &number) && number == 9);
    CU_ASSERT_FALSE(wm_parse_count("1073741824", &number));
}

static void times__are_seconds_unless_they_have_a_unit(void)
{
    int64_t ns = 0;

    CU_ASSERT(wm_parse_time("1.5", &ns) && ns == 1500000000);
    CU_ASSERT(wm_parse_time("2s", &ns) && ns == 2000000000);
    CU_ASSERT(wm_parse_time("200ms", &ns) && ns == 200000000);
    CU_ASSERT(wm_parse_time("1.5us", &ns) && ns == 1500);
    CU_ASSERT(wm_parse_time("80ns", &ns) && ns == 80);
    CU_ASSERT(wm_parse_time("2min", &ns) && ns == 120000000000);
    CU_ASSERT_FALSE(wm_parse_time("soon", &ns));
    CU_ASSERT_FALSE(wm_parse_time("-1", &ns));
    CU_ASSERT_FALSE(wm_parse_time("nan", &ns));
    CU_ASSERT_FALSE(wm_parse_time("1e3", &ns));
    CU_ASSERT_FALSE(wm_parse_time("1.5h", &ns));
    CU_ASSERT_FALSE(wm_parse_time("100000000", &ns));
    CU_ASSERT_EQUAL(ns, 120000000000);
}

static void ranges__are_taken_one_by_one(void)
{
    const char *list = "0-3,8";
    uint64_t first, last;

    CU_ASSERT(wm_parse_range(&list, wm_parse_count, &first, &last) && first == 0 && last == 3);
    CU_ASSERT_STRING_EQUAL(list, "8");
    CU_ASSERT(wm_parse_range(&list, wm_parse_count, &first, &last) && first == 8 && last == 8);
    CU_ASSERT_PTR_NULL(list);
}

static void ranges__that_are_none_stay(void)
{
    static const char *const lists[] = {"", "0-", "-3", "1-2-3", "a", ",1"};
    uint64_t first, last;

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const char *list = lists[i];

        CU_ASSERT_FALSE(wm_parse_range(&list, wm_parse_count, &first, &last));
        CU_ASSERT_PTR_EQUAL(list, lists[i]);
    }
}

static void expect_sizes(const char *text, const uint64_t *bytes, int count)
{
    struct wm_size_list sizes = {0};
    char wrong[WM_SIZES_WRONG_CHARS];

    CU_ASSERT_EQUAL_FATAL(wm_sizes_read(&sizes, text, wrong), 0);
    CU_ASSERT_EQUAL_FATAL(sizes.count, count);
    CU_ASSERT_EQUAL(memcmp(sizes.bytes, bytes, (size_t)count * sizeof *bytes), 0);
}

static void sizes__of_a_range_are_its_ends_and_powers_of_two(void)
{
    expect_sizes("8-64", (const uint64_t[]){8, 16, 32, 64}, 4);
    expect_sizes("3-20", (const uint64_t[]){3, 4, 8, 16, 20}, 5);
    expect_sizes("1KiB-1KiB", (const uint64_t[]){1024}, 1);
}

static void sizes__of_a_list_are_sorted_and_stand_once(void)
{
    expect_sizes("1KiB,8,2-8,8", (const uint64_t[]){2, 4, 8, 1024}, 4);
}

static void sizes__that_are_too_many_are_refused(void)
{
    struct wm_size_list sizes = {0};
    char wrong[WM_SIZES_WRONG_CHARS], text[4096] = "1";

    for (int i = 2; i <= WM_SIZES_MAX + 1; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ",%d", i);
    CU_ASSERT(wm_sizes_read(&sizes, text, wrong) < 0);
    CU_ASSERT_STRING_EQUAL(wrong, "'257' makes too many sizes; name fewer, in several runs");
}

static void names__are_read_with_either_dash(void)
{
    static const char *const names[] = {"bcast", "reduce-scatter", "scan"};
    uint64_t bits = 8;
    char wrong[4];

    CU_ASSERT(wm_parse_names("reduce_scatter,bcast", names, 3, &bits, wrong, sizeof wrong) && bits == 3);
    CU_ASSERT(wm_parse_names("all", names, 3, &bits, wrong, sizeof wrong) && bits == 7);
}

static void names__that_are_wrong_are_told(void)
{
    static const char *const names[] = {"bcast", "scan"};
    uint64_t bits = 8;
    char wrong[4] = "?";

    CU_ASSERT_FALSE(wm_parse_names("bcast,scan,", names, 2, &bits, wrong, sizeof wrong));
    CU_ASSERT_STRING_EQUAL(wrong, "");
    CU_ASSERT_FALSE(wm_parse_names("bcast,bcaster,scan", names, 2, &bits, wrong, sizeof wrong));
    CU_ASSERT_STRING_EQUAL(wrong, "bca");
    CU_ASSERT_EQUAL(bits, 8);
}

static const struct check_case cases[] = {
    CASE(bytes__have_units_of_1024),
    CASE(bytes__that_are_none_change_nothing),
    CASE(numbers__are_whole_and_within_their_ends),
    CASE(times__are_seconds_unless_they_have_a_unit),
    CASE(ranges__are_taken_one_by_one),
    CASE(ranges__that_are_none_stay),
    CASE(sizes__of_a_range_are_its_ends_and_powers_of_two),
    CASE(sizes__of_a_list_are_sorted_and_stand_once),
    CASE(sizes__that_are_too_many_are_refused),
    CASE(names__are_read_with_either_dash),
    CASE(names__that_are_wrong_are_told),
};

CHECK_MAIN("parse", cases)
