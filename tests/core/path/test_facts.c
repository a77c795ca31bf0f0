/* Facts: what is written is read again, and the table's words are one each. */
#include "core/path/facts.h"

#include <string.h>
#include "tests/check.h"

static void facts__what_is_written_is_read_again(void)
{
    const struct wm_facts facts = {.operation = WM_REDUCE,
                                   .bytes = (uint64_t)1 << 40,
                                   .root = 3,
                                   .commutative = true,
                                   .communicator = "rows",
                                   .load = 7,
                                   .ranks = 12,
                                   .nodes = 4,
                                   .clusters = 2,
                                   .consecutive = true};
    struct wm_facts again;
    json_t *object = wm_facts_write(&facts);

    memset(&again, 0xff, sizeof again);
    CU_ASSERT_TRUE(wm_facts_read(&again, object));
    CU_ASSERT_EQUAL(again.operation, WM_REDUCE);
    CU_ASSERT_EQUAL(again.bytes, facts.bytes);
    CU_ASSERT_EQUAL(again.root, 3);
    CU_ASSERT_TRUE(again.commutative);
    CU_ASSERT_STRING_EQUAL(again.communicator, "rows");
    CU_ASSERT_EQUAL(again.load, 7);
    CU_ASSERT_FALSE(again.crowded);
    CU_ASSERT_EQUAL(again.ranks, 12);
    CU_ASSERT_EQUAL(again.nodes, 4);
    CU_ASSERT_EQUAL(again.clusters, 2);
    CU_ASSERT_FALSE(again.uniform);
    CU_ASSERT_TRUE(again.consecutive);
    json_decref(object);
}

static void facts__none_may_be_missing(void)
{
    const struct wm_facts facts = {.operation = WM_BCAST};

    for (int i = 0; i < WM_FACT_ROWS; i++) {
        json_t *object = wm_facts_write(&facts);
        struct wm_facts again;

        CU_ASSERT_EQUAL(json_object_size(object), WM_FACT_ROWS);
        CU_ASSERT_EQUAL(json_object_del(object, wm_fact_rows[i].word), 0);
        CU_ASSERT_FALSE(wm_facts_read(&again, object));
        json_decref(object);
    }
}

static void facts__numbers_keep_to_their_range(void)
{
    static const struct {
        const char *word;
        json_int_t number;
    } cases[] = {{"bytes", -1}, {"load", -9223372036854775807}, {"ranks", 4294967296}, {"root", -2147483649}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct wm_facts facts = {.operation = WM_BCAST, .communicator = "x"};
        json_t *object = wm_facts_write(&facts);
        struct wm_facts again;

        CU_ASSERT_TRUE(wm_facts_read(&again, object));
        json_object_set_new(object, cases[i].word, json_integer(cases[i].number));
        CU_ASSERT_FALSE(wm_facts_read(&again, object));
        json_decref(object);
    }
}

static void facts__a_name_that_is_not_utf8_is_empty(void)
{
    const struct wm_facts facts = {.operation = WM_BCAST, .communicator = "\xff"};
    json_t *object = wm_facts_write(&facts);

    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(object, "communicator")), "");
    json_decref(object);
}

static void facts__those_that_a_tool_is_told_have_an_option(void)
{
    for (int i = 0; i < WM_FACT_ROWS; i++)
        CU_ASSERT_EQUAL(wm_fact_rows[i].option != NULL, i < WM_TOLD_FACT_ROWS);
}

static const struct check_case cases[] = {
    CASE(facts__what_is_written_is_read_again),
    CASE(facts__none_may_be_missing),
    CASE(facts__numbers_keep_to_their_range),
    CASE(facts__a_name_that_is_not_utf8_is_empty),
    CASE(facts__those_that_a_tool_is_told_have_an_option),
};

CHECK_MAIN("facts", cases)
