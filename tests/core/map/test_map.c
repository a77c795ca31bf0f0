/* The map language: rules, procedures, facts, and for which calls an answer holds. */
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/core/map/maps.h"

static void expect_json(const json_t *value, const char *expected)
{
    char *text = maps_text(value);

    CU_ASSERT_STRING_EQUAL(text, expected);
    if (strcmp(text, expected) != 0)
        printf("\n  expected %s\n  got      %s\n", expected, text);
    free(text);
}

/* For which values of a fact the answer holds; one that is not there may be any. */
static void expect_holds(const json_t *answer, const char *fact, const char *range)
{
    const json_t *value = json_object_get(answer, fact);

    if (value != NULL)
        expect_json(value, range);
    else
        CU_ASSERT_STRING_EQUAL(range, "[0,null]");
}

/* Ask a map that consists of `on allreduce` with one rule, and compare the range of bytes. */
static void expect_range(const char *predicate, uint64_t bytes, const char *range)
{
    struct wm_facts facts = maps_facts(WM_ALLREDUCE, bytes);
    char text[1024];
    struct wm_map *map;
    json_t *answer;

    snprintf(text, sizeof text, "(path-map (on allreduce (%s (path (native)))))", predicate);
    map = maps_open(text);
    answer = maps_ask(map, &facts);
    expect_holds(answer, "bytes", range);
    json_decref(answer);
    wm_map_close(map);
}

/* Ask for an 8-byte allreduce by a map, and compare the first wrapper's member `key`. */
static void expect_first(const char *text, const char *key, const char *expected)
{
    struct wm_facts facts = maps_facts(WM_ALLREDUCE, 8);
    struct wm_map *map = maps_open(text);
    json_t *answer = maps_ask(map, &facts);

    expect_json(json_object_get(json_array_get(json_object_get(answer, "path"), 0), key), expected);
    json_decref(answer);
    wm_map_close(map);
}

static void expect_argument(const char *expression, const char *expected)
{
    char text[1024], list[1024];

    snprintf(text, sizeof text, "(path-map (on allreduce (else (path (trace %s) (native)))))", expression);
    snprintf(list, sizeof list, "[%s]", expected);
    expect_first(text, "arguments", list);
}

static void map__head_tells_operations_and_grid(void)
{
    struct wm_map *map =
        maps_open("(path-map #:grid '((cluster (\"h1\" \"h2\") (\"h3*\")) node (core 4) (half (0 1) (2 3)))\n"
                  "  (on (bcast reduce) (path (native)))\n"
                  "  (on barrier (path (native))))");
    const struct wm_map_head *head = wm_map_get_head(map);
    json_t *grid = json_loads(head->grid_json, 0, NULL);

    CU_ASSERT_EQUAL(head->operations,
                    WM_OPERATION_BIT(WM_BCAST) | WM_OPERATION_BIT(WM_REDUCE) | WM_OPERATION_BIT(WM_BARRIER));
    expect_json(grid, "[{\"axis\":\"cluster\",\"column\":20,\"hosts\":[[\"h1\",\"h2\"],[\"h3*\"]],\"line\":1},"
                      "{\"axis\":\"node\",\"column\":50,\"line\":1},"
                      "{\"axis\":\"core\",\"column\":55,\"count\":4,\"line\":1},"
                      "{\"axis\":\"half\",\"column\":64,\"line\":1,\"ranks\":[[0,1],[2,3]]}]");
    json_decref(grid);
    wm_map_close(map);
}

static void map__head_tells_what_is_native_whatever_the_call(void)
{
    struct wm_map *map = maps_open("(define (always) #t)\n"
                                   "(path-map\n"
                                   "  (on bcast (path (trace 'library) (native)))\n"
                                   "  (on reduce (#f (path (reduce all))) ((always) (native)))\n"
                                   "  (on allreduce ((= nodes 1) (native)) (else (native)))\n"
                                   "  (on gather (path (trace (if uniform? 'even 'odd)) (native)))\n"
                                   "  (on scan ((> bytes 8) (path (scan all))) (else (native)))\n"
                                   "  (on exscan (#f (native)))\n"
                                   "  (on scatter (else (car '())))\n"
                                   "  (on barrier (path (barrier all))))");

    CU_ASSERT_EQUAL(wm_map_get_head(map)->native, WM_OPERATION_BIT(WM_BCAST) | WM_OPERATION_BIT(WM_REDUCE));
    wm_map_close(map);
}

static void map__without_a_grid_says_null(void)
{
    struct wm_map *map = maps_open("(path-map)");

    CU_ASSERT_STRING_EQUAL(wm_map_get_head(map)->grid_json, "null");
    CU_ASSERT_EQUAL(wm_map_get_head(map)->operations, 0);
    wm_map_close(map);
}

static void path__is_written_with_wrappers_and_places(void)
{
    struct wm_facts facts = maps_facts(WM_ALLREDUCE, 8);
    struct wm_map *map = maps_open("(path-map\n"
                                   "  (on allreduce\n"
                                   "    (path (reduce core #:shape 'binomial)\n"
                                   "          (segment 1.5KiB))))\n");
    json_t *answer = maps_ask(map, &facts);

    expect_json(answer,
                "{\"path\":["
                "{\"arguments\":[{\"axis\":\"core\"}],\"column\":11,\"keywords\":{\"shape\":{\"symbol\":\"binomial\"}},"
                "\"line\":3,\"node\":1,\"places\":{\"0\":[3,19],\"shape\":[3,24,3,32]},\"wrapper\":\"reduce\"},"
                "{\"arguments\":[1536],\"column\":11,\"keywords\":{},\"line\":4,\"node\":2,\"places\":{\"0\":[4,20]},"
                "\"wrapper\":\"segment\"}],\"rule\":{\"column\":5,\"line\":3}}");
    json_decref(answer);
    wm_map_close(map);
}

static void path__splices_lists_and_paths_of_procedures(void)
{
    struct wm_facts facts = maps_facts(WM_ALLREDUCE, 8);
    struct wm_map *map = maps_open("(define (stages . axes) (map reduce axes))\n"
                                   "(define inner (path (trace 'inner) (stages core socket)))\n"
                                   "(define-syntax-rule (outer axis) (allreduce axis))\n"
                                   "(path-map (on allreduce (else (path (list inner (segment 8)) '() (outer node)))))");
    json_t *answer = maps_ask(map, &facts), *wrapper;
    const char *names[] = {"trace", "reduce", "reduce", "segment", "allreduce"};
    const int nodes[] = {2, 1, 1, 3, 4}; /* a macro stands where it is used */
    size_t i;

    CU_ASSERT_EQUAL(json_array_size(json_object_get(answer, "path")), 5);
    json_array_foreach (json_object_get(answer, "path"), i, wrapper) {
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(wrapper, "wrapper")), names[i]);
        CU_ASSERT_EQUAL(json_integer_value(json_object_get(wrapper, "node")), nodes[i]);
    }
    json_decref(answer);
    wm_map_close(map);
}

static void rule__gives_a_wrapper_or_a_list_too(void)
{
    expect_first("(path-map (on allreduce (else (native))))", "wrapper", "\"native\"");
    expect_first("(path-map (on allreduce (native)))", "wrapper", "\"native\"");
    expect_first("(path-map (on allreduce (else (list (trace 'a) (native)))))", "wrapper", "\"trace\"");
}

static void rule__is_the_first_that_holds(void)
{
    const char *text =
        "(path-map (on allreduce ((> ranks 100) (trace 'a)) ((= nodes 4) (trace 'b)) (else (trace 'c))))";

    expect_first(text, "arguments", "[{\"symbol\":\"b\"}]");
}

static void rule__that_does_not_hold_leaves_the_call_native(void)
{
    struct wm_facts facts = maps_facts(WM_ALLREDUCE, 8);
    struct wm_map *map = maps_open("(path-map (on allreduce ((> bytes 100) (native))))");
    json_t *answer = maps_ask(map, &facts);

    expect_json(answer, "{\"bytes\":[0,100],\"path\":null,\"rule\":null}");
    json_decref(answer);
    facts.operation = WM_BCAST;
    answer = maps_ask(map, &facts);
    expect_json(answer, "{\"path\":null,\"rule\":null}");
    json_decref(answer);
    wm_map_close(map);
}

static void argument__keeps_its_kind(void)
{
    expect_argument("'word", "{\"symbol\":\"word\"}");
    expect_argument("\"a \\\"text\\\"\"", "\"a \\\"text\\\"\"");
    expect_argument("3MiB", "3145728");
    expect_argument("64B", "64");
    expect_argument("1GiB", "1073741824");
    expect_argument("-0.5", "-0.5");
    expect_argument("#t", "true");
    expect_argument("'(k-nomial 4)", "[{\"symbol\":\"k-nomial\"},4]");
    expect_argument("(k-nomial 4)", "[{\"symbol\":\"k-nomial\"},4]");
    expect_argument("'(tree 0 (1 (3)) (2))", "{\"tree\":[0,[1,[3]],[2]]}");
    expect_argument("(tree 0 (1 (3)) (2))", "{\"tree\":[0,[1,[3]],[2]]}");
    expect_argument("(tree 0 1 2)", "{\"tree\":[0,[1],[2]]}");
    expect_argument("all", "{\"axis\":\"all\"}");
}

static void facts__are_read_in_rules_and_procedures(void)
{
    expect_first("(define (label) (list operation communicator root bytes ranks nodes commutative? uniform?"
                 " consecutive?))\n"
                 "(path-map (on allreduce (else (path (trace (label))))))",
                 "arguments", "[[{\"symbol\":\"allreduce\"},\"MPI_COMM_WORLD\",-1,8,16,4,true,true,true]]");
}

static void language__has_the_usual_forms(void)
{
    expect_argument("(let loop ((i 0) (sum 0)) (if (= i 5) sum (loop (+ i 1) (+ sum i))))", "10");
    expect_argument("(cond ((assq 'b '((a 1) (b 2))) => cadr) (else 0))", "2");
    expect_argument("(case operation ((bcast) 1) ((allreduce reduce) 2) (else 3))", "2");
    expect_argument("(let* ((a 1) (b (+ a 1))) (when (< a b) (* b 2.5)))", "5.0");
    expect_argument("(string-append \"r\" (number->string (quotient 17 4)))", "\"r4\"");
    expect_argument("(fold + 0 (map (lambda (x) (* x x)) (iota 4)))", "14");
    expect_argument("(apply max (filter odd? (list 4 3 9 2)))", "9");
    expect_argument("(let-syntax ((twice (syntax-rules () ((_ x) (* 2 x))))) (twice 21))", "42");
    expect_argument("(do ((i 0 (+ i 1))) ((> i 3) i))", "4");
    expect_argument("`(,(+ 1 2) ,@(list 4 5))", "[3,4,5]");
    expect_argument("(and (or #f 7) (not #f) (expt 2 10))", "1024");
    expect_argument("(sort (list 3 1 2) <)", "[1,2,3]");
}

static void definitions__may_stand_in_any_order_and_anywhere(void)
{
    expect_first("(path-map (on allreduce ((later? 1) (shape-it core))))\n"
                 "(define (later? x) (even? (+ x one)))\n"
                 "(define (shape-it axis) (define s 'chain) (path (reduce axis #:shape s)))\n"
                 "(define one 1)\n",
                 "keywords", "{\"shape\":{\"symbol\":\"chain\"}}");
}

static void axes__of_the_grid_are_known_in_procedures_before_it(void)
{
    expect_first("(define (stage) (reduce rack))\n(path-map #:grid '((rack 2) core) (on allreduce (else (stage))))",
                 "arguments", "[{\"axis\":\"rack\"}]");
}

static void range__is_narrowed_by_each_comparison_that_was_made(void)
{
    expect_range("(<= bytes 2KiB)", 8, "[0,2048]");
    expect_range("(<= bytes 2KiB)", 2048, "[0,2048]");
    expect_range("(<= bytes 2KiB)", 2049, "[2049,null]");
    expect_range("(< bytes 2KiB)", 2047, "[0,2047]");
    expect_range("(< bytes 2KiB)", 2048, "[2048,null]");
    expect_range("(> 100 bytes)", 8, "[0,99]");
    expect_range("(>= bytes 100)", 8, "[0,99]");
    expect_range("(> bytes 100)", 101, "[101,null]");
    expect_range("(= bytes 100)", 100, "[100,100]");
    expect_range("(= bytes 100)", 99, "[0,99]");
    expect_range("(= bytes 100)", 101, "[101,null]");
    expect_range("(and (>= bytes 64) (< bytes 4KiB))", 100, "[64,4095]");
    expect_range("(or (< bytes 64) (> bytes 4KiB))", 100, "[64,4096]");
    expect_range("(not (< bytes 64))", 100, "[64,null]");
}

static void range__of_a_chain_of_comparisons(void)
{
    expect_range("(< 10 bytes 100)", 50, "[11,99]");
    expect_range("(< 10 bytes 100)", 5, "[0,10]");
    expect_range("(< 10 bytes 100)", 500, "[100,null]");
    expect_range("(<= 10 20 bytes)", 5, "[0,19]");
    expect_range("(< 20 10 bytes)", 5, "[0,null]");
    expect_range("(< bytes bytes)", 5, "[0,null]");
    expect_range("(<= 1 bytes bytes 9)", 5, "[1,9]");
    expect_range("(= 5 bytes 6)", 5, "[0,null]");
}

static void range__of_odd_constants(void)
{
    expect_range("(< bytes 2.5)", 2, "[0,2]");
    expect_range("(> bytes 5/2)", 2, "[0,2]");
    expect_range("(= bytes 2.5)", 2, "[0,null]");
    expect_range("(< bytes -1)", 2, "[0,null]");
    expect_range("(>= bytes 0)", 2, "[0,null]");
    expect_range("(< bytes (/ 1. 0.))", 2, "[0,null]");
    expect_range("(< bytes (* 2 ranks))", 8, "[0,31]");
}

static void range__is_one_size_when_bytes_is_used_otherwise(void)
{
    expect_range("(odd? bytes)", 9, "[9,9]");
    expect_range("(let ((b bytes)) (< b 100))", 9, "[9,9]");
    expect_range("(< (* 2 bytes) 100)", 9, "[9,9]");
    expect_range("(case bytes ((8) #t) (else #f))", 8, "[8,8]");
    expect_range("(apply < (list bytes 100))", 8, "[8,8]");
}

static void range__goes_through_macros_and_not_through_other_names(void)
{
    expect_range("(let-syntax ((small? (syntax-rules () ((_ n) (<= bytes n))))) (small? 64))", 8, "[0,64]");
    expect_range("(let ((bytes 5)) (< bytes 3))", 8, "[0,null]");
    expect_range("(let ((< (lambda (a b) (odd? a)))) (< bytes 3))", 8, "[8,8]");
    expect_range("(or (> ranks 2) (odd? bytes))", 8, "[0,null]");
}

static void range__depends_on_the_path_too(void)
{
    struct wm_facts facts = maps_facts(WM_ALLREDUCE, 9000);
    struct wm_map *map =
        maps_open("(path-map (on allreduce ((> bytes 100) (segment (if (< bytes 1MiB) 8KiB (quotient bytes 4))))))");
    json_t *answer = maps_ask(map, &facts);

    expect_holds(answer, "bytes", "[101,1048575]");
    json_decref(answer);
    facts.bytes = 2 << 20;
    answer = maps_ask(map, &facts);
    expect_holds(answer, "bytes", "[2097152,2097152]");
    json_decref(answer);
    wm_map_close(map);
}

/* Whatever the answer says it holds for gives the same path again: asked at both ends and outside. */
static void range__is_sound_at_its_ends(void)
{
    struct wm_map *map = maps_open("(path-map (on allreduce ((< bytes 10) (trace 'a)) ((<= 10 bytes 20) (trace 'b))\n"
                                   "  ((or (= bytes 25) (> bytes 40)) (trace 'c)) (else (trace 'd))))");

    for (uint64_t bytes = 0; bytes < 50; bytes++) {
        const char *expected = bytes < 10 ? "a" : bytes <= 20 ? "b" : bytes == 25 || bytes > 40 ? "c" : "d";
        struct wm_facts facts = maps_facts(WM_ALLREDUCE, bytes);
        json_t *answer = maps_ask(map, &facts), *range = json_object_get(answer, "bytes");
        const char *low_label = expected;
        json_int_t low = json_integer_value(json_array_get(range, 0));
        json_int_t high = json_is_null(json_array_get(range, 1)) ? 49 : json_integer_value(json_array_get(range, 1));
        json_t *label = json_object_get(
            json_array_get(json_object_get(json_array_get(json_object_get(answer, "path"), 0), "arguments"), 0),
            "symbol");

        CU_ASSERT_STRING_EQUAL(json_string_value(label), low_label);
        CU_ASSERT(low <= (json_int_t)bytes && (json_int_t)bytes <= high);
        for (json_int_t other = low; other <= high && other < 50; other++) {
            const char *there = other < 10 ? "a" : other <= 20 ? "b" : other == 25 || other > 40 ? "c" : "d";
            CU_ASSERT_STRING_EQUAL(there, expected);
        }
        json_decref(answer);
    }
    wm_map_close(map);
}

static void answer__holds_for_the_root_and_operator_that_were_looked_at(void)
{
    struct wm_facts facts = maps_facts(WM_REDUCE, 8);
    struct wm_map *map = maps_open("(path-map (on reduce ((and commutative? (< bytes 10)) (trace 'a))\n"
                                   "                     ((= root 3) (trace 'b)) (else (trace 'c))))");
    json_t *answer;

    facts.root = 3;
    answer = maps_ask(map, &facts);
    expect_holds(answer, "root", "[0,null]");
    expect_holds(answer, "commutative?", "[1,1]");
    json_decref(answer);
    facts.commutative = false;
    answer = maps_ask(map, &facts);
    expect_holds(answer, "root", "[3,3]");
    expect_holds(answer, "commutative?", "[0,0]");
    expect_holds(answer, "bytes", "[0,null]");
    json_decref(answer);
    wm_map_close(map);
}

/* Of a load, as of bytes, a comparison narrows and any other use pins. */
static void answer__holds_for_loads_that_compare_alike(void)
{
    static const struct {
        uint64_t bytes, load;
        const char *bytes_range, *load_range;
    } cases[] = {
        {8, 0, "[0,64]", "[0,1048576]"},   {8, 2000000, "[0,64]", "[1048577,null]"}, {100, 7, "[65,null]", "[7,7]"},
        {100, 50, "[65,null]", "[50,50]"}, {70, 100, "[65,99]", "[100,100]"},
    };
    struct wm_map *map =
        maps_open("(define (heavy?) (> load 1MiB))\n"
                  "(path-map (on conveyor ((and (<= bytes 64) (heavy?)) (path (trace) (aggregate 32KiB)))\n"
                  "                       ((<= bytes 64) (path (aggregate 1KiB)))\n"
                  "                       ((< bytes load) (path (route core node core)))\n"
                  "                       ((even? load) (path (aggregate)))\n"
                  "                       (else (path (route all)))))");

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_facts facts = maps_facts(WM_CONVEYOR, cases[i].bytes);
        json_t *answer;

        facts.load = cases[i].load;
        answer = maps_ask(map, &facts);
        expect_holds(answer, "bytes", cases[i].bytes_range);
        expect_holds(answer, "load", cases[i].load_range);
        json_decref(answer);
    }
    wm_map_close(map);
}

static int procedure_of(const json_t *answer)
{
    const json_t *keywords = json_object_get(json_array_get(json_object_get(answer, "path"), 0), "keywords");
    const json_t *number = json_object_get(json_object_get(keywords, "shape"), "procedure");

    CU_ASSERT_FATAL(json_is_integer(number));
    return (int)json_integer_value(number);
}

static void procedure__makes_a_tree(void)
{
    struct wm_facts facts = maps_facts(WM_BCAST, 8);
    struct wm_map *map = maps_open(
        "(define (up m) (if (= m 0) #f (quotient (- m 1) 2)))\n"
        "(path-map (on bcast ((> bytes 10) (bcast all #:shape (lambda (m size) (if (= m (- size 1)) -1 (+ m 1)))))\n"
        "                    (else (bcast all #:shape up))))");
    json_t *answer = maps_ask(map, &facts);
    const int tree[] = {-1, 0, 0, 1, 1, 2}, chain[] = {1, 2, -1};
    int first = procedure_of(answer), parents[6];

    json_decref(answer);
    facts.bytes = 11;
    answer = maps_ask(map, &facts);
    CU_ASSERT_NOT_EQUAL(procedure_of(answer), first);
    CU_ASSERT_EQUAL(wm_map_parents(map, first, 6, parents, NULL), 0);
    CU_ASSERT_EQUAL(memcmp(parents, tree, sizeof tree), 0);
    CU_ASSERT_EQUAL(wm_map_parents(map, procedure_of(answer), 3, parents, NULL), 0);
    CU_ASSERT_EQUAL(memcmp(parents, chain, sizeof chain), 0);
    json_decref(answer);
    wm_map_close(map);
}

static void procedure__sees_the_facts_of_its_answer(void)
{
    struct wm_facts facts = maps_facts(WM_BCAST, 8);
    struct wm_map *map =
        maps_open("(path-map (on bcast (else (let ((b bytes)) (bcast all #:shape (lambda (m) (+ b nodes)))))))");
    json_t *answer = maps_ask(map, &facts);
    int number = procedure_of(answer), parent;

    json_decref(answer);
    facts.nodes = 100;
    json_decref(maps_ask(map, &facts));
    CU_ASSERT_EQUAL(wm_map_parents(map, number, 1, &parent, NULL), 0);
    CU_ASSERT_EQUAL(parent, 12);
    wm_map_close(map);
}

static void procedure__unknown_is_an_error(void)
{
    struct wm_map *map = maps_open("(path-map)");
    struct wm_error error;
    int parent;

    CU_ASSERT_EQUAL(wm_map_parents(map, 77, 1, &parent, &error), -WM_EMAP);
    CU_ASSERT_STRING_EQUAL(error.text, "shape procedure 77 is no longer known: ask for the path again");
    wm_map_close(map);
}

static void text__may_hold_any_letters(void)
{
    expect_argument("\"\xc3\xa6\xc3\xb8\xc3\xa5\"", "\"\xc3\xa6\xc3\xb8\xc3\xa5\"");
    expect_first("(define (l\xc3\xb8p) 3)\n(path-map (on allreduce (else (segment (l\xc3\xb8p)))))", "arguments",
                 "[3]");
}

static void place__counts_a_tab_as_one_column(void)
{
    expect_first("(path-map (on allreduce\n\t\t(else\t(native))))", "column", "9");
}

/* What cannot be read for want of memory has the place where the form begins. */
static void place__of_a_form_that_is_nested_too_deeply(void)
{
    static char text[400 << 10];
    struct wm_error error = {0};
    struct wm_map *map;

    memset(text, ',', sizeof text);
    memcpy(text, "(define (f x) x)\n\n  ", 20);
    text[sizeof text - 1] = 'x';
    CU_ASSERT_EQUAL(wm_map_open(&map, "map.scm", text, sizeof text, NULL, &error), -WM_EMAP);
    CU_ASSERT_PTR_NULL(map);
    CU_ASSERT_EQUAL(error.line, 3);
    CU_ASSERT_EQUAL(error.column, 3);
}

static void cost__counts_questions(void)
{
    struct wm_facts facts = maps_facts(WM_BCAST, 8);
    struct wm_map *map = maps_open("(path-map (on bcast (native)))");
    unsigned questions;
    uint64_t cost_ns;

    wm_map_cost(map, &questions, &cost_ns);
    CU_ASSERT_EQUAL(questions, 0);
    CU_ASSERT_EQUAL(cost_ns, 0);
    json_decref(maps_ask(map, &facts));
    json_decref(maps_ask(map, &facts));
    wm_map_cost(map, &questions, &cost_ns);
    CU_ASSERT_EQUAL(questions, 2);
    CU_ASSERT(cost_ns > 0);
    wm_map_close(map);
}

static void file__is_found_by_path_and_by_name(void)
{
    struct wm_error error;
    char *file, *text, path[4096];
    size_t bytes;

    CU_ASSERT_EQUAL_FATAL(wm_map_read("native", &file, &text, &bytes, &error), 0);
    snprintf(path, sizeof path, "%s/native.scm", getenv("WAYMARK_SPECS"));
    CU_ASSERT_STRING_EQUAL(file, path);
    CU_ASSERT_EQUAL(strlen(text), bytes);
    free(file);
    free(text);
    CU_ASSERT_EQUAL_FATAL(wm_map_read(path, &file, &text, &bytes, &error), 0);
    CU_ASSERT_STRING_EQUAL(file, path);
    free(file);
    free(text);
    CU_ASSERT_EQUAL(wm_map_read("./nowhere.scm", &file, &text, &bytes, &error), -WM_EMAP);
    CU_ASSERT_STRING_EQUAL(error.text, "cannot read the map './nowhere.scm': No such file or directory");
    CU_ASSERT_EQUAL(wm_map_read("nowhere", &file, &text, &bytes, &error), -WM_EMAP);
    CU_ASSERT_EQUAL(wm_map_read("/", &file, &text, &bytes, &error), -WM_EMAP);
    CU_ASSERT_PTR_NULL(text);
}

/* Writes a map into the pipe that it is given, and ends. */
static void write_pipe(int end)
{
    static const char text[] = "(path-map (on bcast (path (native))))";

    if (fork() == 0)
        _exit(write(end, text, sizeof text - 1) < 0);
}

static void file__may_be_a_pipe_that_somebody_writes(void)
{
    char name[32], *file, *text;
    struct wm_error error;
    size_t bytes;
    int ends[2];

    CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    write_pipe(ends[1]);
    close(ends[1]);
    CU_ASSERT_EQUAL_FATAL(wm_map_read(name, &file, &text, &bytes, &error), 0);
    CU_ASSERT_STRING_EQUAL(text, "(path-map (on bcast (path (native))))");
    free(file);
    free(text);
    close(ends[0]);
    wait(NULL);
}

static void file__that_nobody_writes_is_no_map(void)
{
    char directory[] = "/tmp/waymark-test-XXXXXX", name[64], *file, *text;
    struct wm_error error;
    size_t bytes;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(directory));
    snprintf(name, sizeof name, "%s/map", directory);
    CU_ASSERT_EQUAL_FATAL(mkfifo(name, 0600), 0);
    CU_ASSERT_EQUAL(wm_map_read(name, &file, &text, &bytes, &error), -WM_EMAP);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "is a pipe that brings nothing"));
    CU_ASSERT_EQUAL(wm_map_read("/dev/zero", &file, &text, &bytes, &error), -WM_EMAP);
    CU_ASSERT_STRING_EQUAL(error.text, "the map '/dev/zero' is neither a plain file nor a pipe");
    unlink(name);
    rmdir(directory);
}

/* Ends of a range that no call reaches are none: an honest "no limit". */
static void bounds__beyond_any_size_are_no_bounds(void)
{
    static const char *const predicates[] = {"(<= bytes 99999999999999999999)", "(< bytes 1e30)",
                                             "(not (> bytes (expt 2 64)))", "(< bytes 9223372036854775807)"};
    struct wm_facts facts = maps_facts(WM_BCAST, 4096);
    char map_text[256];

    for (size_t i = 0; i < sizeof predicates / sizeof predicates[0]; i++) {
        struct wm_map *map;
        json_t *answer;

        snprintf(map_text, sizeof map_text, "(path-map (on bcast (%s (path (bcast all)))))", predicates[i]);
        map = maps_open(map_text);
        answer = maps_ask(map, &facts);
        expect_holds(answer, "bytes", i < 3 ? "[0,null]" : "[0,9223372036854775806]");
        CU_ASSERT_EQUAL(json_array_size(json_object_get(answer, "path")), 1);
        json_decref(answer);
        wm_map_close(map);
    }
}

int main(void)
{
    static const struct check_case cases[] = {
        CASE(bounds__beyond_any_size_are_no_bounds),
        CASE(file__may_be_a_pipe_that_somebody_writes),
        CASE(file__that_nobody_writes_is_no_map),
        CASE(map__head_tells_operations_and_grid),
        CASE(map__head_tells_what_is_native_whatever_the_call),
        CASE(map__without_a_grid_says_null),
        CASE(path__is_written_with_wrappers_and_places),
        CASE(path__splices_lists_and_paths_of_procedures),
        CASE(rule__gives_a_wrapper_or_a_list_too),
        CASE(rule__is_the_first_that_holds),
        CASE(rule__that_does_not_hold_leaves_the_call_native),
        CASE(argument__keeps_its_kind),
        CASE(facts__are_read_in_rules_and_procedures),
        CASE(language__has_the_usual_forms),
        CASE(definitions__may_stand_in_any_order_and_anywhere),
        CASE(axes__of_the_grid_are_known_in_procedures_before_it),
        CASE(range__is_narrowed_by_each_comparison_that_was_made),
        CASE(range__of_a_chain_of_comparisons),
        CASE(range__of_odd_constants),
        CASE(range__is_one_size_when_bytes_is_used_otherwise),
        CASE(range__goes_through_macros_and_not_through_other_names),
        CASE(range__depends_on_the_path_too),
        CASE(range__is_sound_at_its_ends),
        CASE(answer__holds_for_the_root_and_operator_that_were_looked_at),
        CASE(answer__holds_for_loads_that_compare_alike),
        CASE(procedure__makes_a_tree),
        CASE(procedure__sees_the_facts_of_its_answer),
        CASE(procedure__unknown_is_an_error),
        CASE(text__may_hold_any_letters),
        CASE(place__counts_a_tab_as_one_column),
        CASE(place__of_a_form_that_is_nested_too_deeply),
        CASE(cost__counts_questions),
        CASE(file__is_found_by_path_and_by_name),
    };

    maps_use_build_tree();
    return check_main("map", cases, sizeof cases / sizeof cases[0]);
}
