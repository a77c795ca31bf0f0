/* Explanations: which rules were tried, with their text and what they looked at, and the sentences made of it. */
#include "core/map/explain.h"
#include "tests/core/map/maps.h"

/* A map whose predicates are written in every manner. */
static const char *const manners =
    "(define (small? limit) (<= bytes limit))\n"
    "(define never #f)\n"
    "(path-map\n"
    "  (on allreduce\n"
    "    (never (native))\n"
    "    ('() (native))\n"
    "  )\n"
    "  (on bcast\n"
    "    ((and (small? 2KiB) ; a comment with ) in it\n"
    "          (string=? communicator \"a ) b\\\"\")\n"
    "          (char=? #\\( #\\)))\n"
    "     (native))\n"
    "    (commutative?(native))\n"
    "    (else (native)))\n"
    "  (on reduce\n"
    "    ((begin root nodes #f) (native))\n"
    "    ((eq? operation 'reduce) (path (trace (if consecutive? 'block 'dealt)) (native)))\n"
    "    ((> ranks 4) (native))\n"
    "    (else (native)))\n"
    "  (on barrier (path (native))))\n";

static json_t *explained(const char *map_text, const struct wm_facts *facts)
{
    struct wm_map *map = maps_open(map_text);
    struct wm_error error = {0};
    char *text = NULL;
    json_t *answer;

    if (wm_map_explain(map, facts, &text, &error) < 0)
        maps_print(&error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    answer = json_loads(text, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(answer);
    free(text);
    wm_map_close(map);
    return answer;
}

static void expect_explanation(enum wm_operation operation, const char *expected)
{
    struct wm_facts facts = maps_facts(operation, 8);
    json_t *answer = explained(manners, &facts);
    char *text = maps_text(json_object_get(answer, "explanation"));

    CU_ASSERT_STRING_EQUAL(text, expected);
    if (strcmp(text, expected) != 0)
        printf("\n  expected %s\n  got      %s\n", expected, text);
    free(text);
    json_decref(answer);
}

static void expect_text(const char *map_text, const struct wm_facts *facts, const char *expected)
{
    json_t *answer = explained(map_text, facts);
    char *text = wm_explain_text(answer, facts, "map.scm", "> ");

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CU_ASSERT_STRING_EQUAL(text, expected);
    if (strcmp(text, expected) != 0)
        printf("\n== expected\n%s== got\n%s", expected, text);
    free(text);
    json_decref(answer);
}

static void explanation__quotes_predicates_as_they_are_written(void)
{
    expect_explanation(WM_BCAST,
                       "{\"facts\":{},\"line\":8,\"rules\":["
                       "{\"column\":6,\"facts\":{\"bytes\":8,\"communicator\":\"MPI_COMM_WORLD\"},\"holds\":false,"
                       "\"line\":9,\"text\":\"(and (small? 2KiB) (string=? communicator \\\"a ) b\\\\\\\"\\\") (char=? "
                       "#\\\\( #\\\\)))\"},"
                       "{\"column\":6,\"facts\":{\"commutative?\":true},\"holds\":true,\"line\":13,\"text\":"
                       "\"commutative?\"}],\"untried\":1}");
}

static void explanation__of_an_atom_and_a_datum(void)
{
    expect_explanation(WM_ALLREDUCE,
                       "{\"facts\":{},\"line\":4,\"rules\":["
                       "{\"column\":6,\"facts\":{},\"holds\":false,\"line\":5,\"text\":\"never\"},"
                       "{\"column\":6,\"facts\":{},\"holds\":true,\"line\":6,\"text\":\"'()\"}],\"untried\":0}");
}

static void explanation__keeps_the_facts_of_each_rule_and_of_the_path_apart(void)
{
    expect_explanation(WM_REDUCE,
                       "{\"facts\":{\"consecutive?\":true},\"line\":15,\"rules\":["
                       "{\"column\":6,\"facts\":{\"nodes\":4,\"root\":0},\"holds\":false,\"line\":16,\"text\":"
                       "\"(begin root nodes #f)\"},"
                       "{\"column\":6,\"facts\":{\"operation\":\"reduce\"},\"holds\":true,\"line\":17,\"text\":"
                       "\"(eq? operation 'reduce)\"}],\"untried\":2}");
}

static void explanation__of_a_path_alone_has_no_predicate(void)
{
    expect_explanation(WM_BARRIER, "{\"facts\":{},\"line\":20,\"rules\":[{\"column\":15,\"facts\":{},\"holds\":true,"
                                   "\"line\":20,\"text\":null}],\"untried\":0}");
}

static void explanation__of_an_operation_without_rules_has_no_line(void)
{
    expect_explanation(WM_SCAN, "{\"facts\":{},\"line\":null,\"rules\":[],\"untried\":0}");
}

static void answer__holds_no_explanation_unless_asked(void)
{
    struct wm_facts facts = maps_facts(WM_REDUCE, 8);
    struct wm_map *map = maps_open(manners);
    json_t *answer = maps_ask(map, &facts);

    CU_ASSERT_PTR_NULL(json_object_get(answer, "explanation"));
    json_decref(answer);
    wm_map_close(map);
}

static void explanation__cuts_a_long_predicate(void)
{
    struct wm_facts facts = maps_facts(WM_BCAST, 8);
    char map[4096], *at = map;
    const char *text;
    json_t *answer;

    at += sprintf(at, "(path-map (on bcast ((member ranks '(");
    for (int i = 1; i < 200; i++)
        at += sprintf(at, "%d\n", i);
    sprintf(at, ")) (native))))");
    answer = explained(map, &facts);
    text = json_string_value(
        json_object_get(json_array_get(json_object_get(json_object_get(answer, "explanation"), "rules"), 0), "text"));
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CU_ASSERT_EQUAL(strncmp(text, "(member ranks '(1 2 3 4 5 ", 26), 0);
    CU_ASSERT_EQUAL(strlen(text), 159 + strlen("…"));
    json_decref(answer);
}

static void text__says_why_each_rule_was_passed(void)
{
    struct wm_facts facts = maps_facts(WM_REDUCE, 4096);

    facts.root = 3;
    expect_text(manners, &facts,
                "> reduce of 4096 bytes, root 3, on MPI_COMM_WORLD: 16 ranks on 4 nodes\n"
                ">   the rules of reduce at map.scm:15, in order\n"
                ">     line 16: (begin root nodes #f) did not hold: root is 3, nodes is 4\n"
                ">     line 17: (eq? operation 'reduce) holds: operation is 'reduce\n"
                ">       its path looked at more: consecutive? is #t\n"
                ">       2 rules behind it were not looked at\n"
                ">   its path ends in (native) at line 17, so the call stays native: the MPI library's own MPI_Reduce "
                "carries it out\n"
                ">   the answer holds for any size, this root alone\n"
                ">   path, outermost first, by lines: 17 trace, 17 native\n");
}

static void text__tells_of_a_conveyor(void)
{
    struct wm_facts facts = maps_facts(WM_CONVEYOR, 8);

    facts.load = 4096;
    expect_text(
        "(path-map (on conveyor\n"
        "  ((> load 1MiB) (path (route all)))\n"
        "  ((< load 100) (path (route all)))))\n",
        &facts,
        "> conveyor of 8 bytes, 4096 pushed in the run before, on MPI_COMM_WORLD: 16 ranks on 4 nodes\n"
        ">   the rules of conveyor at map.scm:1, in order\n"
        ">     line 2: (> load 1MiB) did not hold: load is 4096\n"
        ">     line 3: (< load 100) did not hold: load is 4096\n"
        ">   no rule holds, so the conveyor is what its constructor asks for; an (else (path …)) at the end would "
        "take it\n"
        ">   the answer holds for any size, loads of 100 to 1048576 bytes\n");
}

static void text__names_stages_with_their_axes(void)
{
    struct wm_facts facts = maps_facts(WM_ALLREDUCE, 100);

    facts.communicator[0] = '\0';
    facts.commutative = false;
    facts.nodes = 1;
    expect_text("(path-map (on allreduce\n"
                "  ((and (<= bytes 64B) commutative?) (native))\n"
                "  ((and (> bytes 8) (not commutative?))\n"
                "   (path (reduce core)\n"
                "         (allreduce node)))))\n",
                &facts,
                "> allreduce of 100 bytes, operator not commutative, on a communicator without a name: 16 ranks on 1 "
                "node\n"
                ">   the rules of allreduce at map.scm:1, in order\n"
                ">     line 2: (and (<= bytes 64B) commutative?) did not hold: bytes is 100\n"
                ">     line 3: (and (> bytes 8) (not commutative?)) holds: bytes is 100, commutative? is #f\n"
                ">   the answer holds for 65 bytes and more, operators that do not commute\n"
                ">   path, outermost first, by lines: 4 reduce core, 5 allreduce node\n");
}

static void text__says_what_stays_native_for_want_of_a_rule(void)
{
    struct wm_facts facts = maps_facts(WM_SCAN, 8);

    expect_text(manners, &facts,
                "> scan of 8 bytes, on MPI_COMM_WORLD: 16 ranks on 4 nodes\n"
                ">   map.scm has no rules for scan, so it stays native: the MPI library's own MPI_Scan carries it out; "
                "(on scan (else (path …))) would be one\n"
                ">   the answer holds for any size\n");
    facts = maps_facts(WM_BCAST, 512);
    expect_text("(path-map (on bcast ((< bytes 100) (native)) ((= bytes 512.5) (native))))", &facts,
                "> bcast of 512 bytes, root 0, on MPI_COMM_WORLD: 16 ranks on 4 nodes\n"
                ">   the rules of bcast at map.scm:1, in order\n"
                ">     line 1: (< bytes 100) did not hold: bytes is 512\n"
                ">     line 1: (= bytes 512.5) did not hold: bytes is 512\n"
                ">   no rule holds, so the call stays native: the MPI library's own MPI_Bcast carries it out; an (else "
                "(path …)) at the end would take it\n"
                ">   the answer holds for 100 bytes and more\n");
}

static void text__of_an_operation_whose_sizes_are_not_shared_names_none(void)
{
    struct wm_facts facts = maps_facts(WM_ALLTOALLV, 8);

    expect_text(
        "(path-map (on alltoallv ((> ranks 4) (native))))", &facts,
        "> alltoallv, on MPI_COMM_WORLD: 16 ranks on 4 nodes\n"
        ">   the rules of alltoallv at map.scm:1, in order\n"
        ">     line 1: (> ranks 4) holds: ranks is 16\n"
        ">   its path ends in (native) at line 1, so the call stays native: the MPI library's own MPI_Alltoallv "
        "carries it out\n"
        ">   the answer holds for any size\n"
        ">   path, outermost first, by lines: 1 native\n");
}

static void text__is_new_once(void)
{
    CU_ASSERT(wm_explain_is_new("allreduce of 8 bytes\n"));
    CU_ASSERT(wm_explain_is_new("allreduce of 9 bytes\n"));
    CU_ASSERT_FALSE(wm_explain_is_new("allreduce of 8 bytes\n"));
    CU_ASSERT_FALSE(wm_explain_is_new("allreduce of 9 bytes\n"));
}

int main(void)
{
    static const struct check_case cases[] = {
        CASE(explanation__quotes_predicates_as_they_are_written),
        CASE(explanation__of_an_atom_and_a_datum),
        CASE(explanation__keeps_the_facts_of_each_rule_and_of_the_path_apart),
        CASE(explanation__of_a_path_alone_has_no_predicate),
        CASE(explanation__of_an_operation_without_rules_has_no_line),
        CASE(answer__holds_no_explanation_unless_asked),
        CASE(explanation__cuts_a_long_predicate),
        CASE(text__says_why_each_rule_was_passed),
        CASE(text__tells_of_a_conveyor),
        CASE(text__names_stages_with_their_axes),
        CASE(text__says_what_stays_native_for_want_of_a_rule),
        CASE(text__of_an_operation_whose_sizes_are_not_shared_names_none),
        CASE(text__is_new_once),
    };

    maps_use_build_tree();
    return check_main("explain", cases, sizeof cases / sizeof cases[0]);
}
