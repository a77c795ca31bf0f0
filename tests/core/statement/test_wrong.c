/* Wrong statements: each kind, and exactly what is said of it. */
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/statement/items.h"
#include "tests/core/statement/names.h"
#include "tests/core/statement/wrong.h"

enum { RANKS = 4, TEXT_BYTES = 2000 };

/* ---- what is wrong with a text ---- */

static int compile(const char *text, const struct wm_bound bindings[], int count, struct wm_error *error)
{
    struct wm_statement *s;
    int rc = wm_statement_new(&s, text, bindings, count, error);

    wm_statement_free(s);
    return rc;
}

/* A part goes from its sender to its receiver. */
static int carry_part(struct wm_traffic traffics[], int me, size_t i, struct wm_error *error)
{
    const struct wm_statement_part *part = &traffics[me].sends.parts[i];
    size_t bytes = wm_items_bytes(&traffics[me], part, 1, WM_SENDS);
    char *head = malloc(bytes), *data = malloc(wm_part_bytes(&traffics[me], part) + 1);
    int rc = wm_part_pack(&traffics[me], part, names, data, error);

    wm_items_write(&traffics[me], part, 1, WM_SENDS, head);
    if (rc == 0)
        rc = wm_items_list(&traffics[part->peer], names, WM_SENDS, me, head, bytes, error);
    free(head);
    free(data);
    return rc;
}

/* The first fault of a rank, in the order of ranks. */
static int carry(const char *text, struct wm_error *error)
{
    struct wm_traffic traffics[RANKS] = {{0}};
    struct wm_statement *s;
    int rc = wm_statement_new(&s, text, names, NAMES, error);

    for (int me = 0; me < RANKS && rc == 0; me++)
        rc = wm_traffic_new(&traffics[me], s, names, me, RANKS, false, error);
    for (int me = 0; me < RANKS && rc == 0; me++)
        for (size_t i = 0; i < traffics[me].sends.count && rc == 0; i++)
            rc = carry_part(traffics, me, i, error);
    for (int me = 0; me < RANKS; me++)
        wm_traffic_release(&traffics[me]);
    wm_statement_free(s);
    return rc;
}

/* ---- what is said ---- */

static void check_said(const struct wm_error *error, const char *expected)
{
    char said[TEXT_BYTES];

    wm_error_format(error, said, sizeof said);
    CU_ASSERT_STRING_EQUAL(said, expected);
    if (strcmp(said, expected) != 0)
        printf("\nsaid:\n%sexpected:\n%s", said, expected);
}

static void check_texts(const struct wrong texts[], size_t count, bool carried)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = texts[i].text, *caret = strchr(texts[i].caret, '^');
        char expected[TEXT_BYTES];
        struct wm_error error = {0};
        int column = (int)(caret - texts[i].caret) + 1;

        CU_ASSERT_EQUAL(carried ? compile(text, names, NAMES, &error) : 0, 0);
        CU_ASSERT_EQUAL(carried ? carry(text, &error) : compile(text, names, NAMES, &error), -WM_EINVAL);
        snprintf(expected, sizeof expected, "statement:1:%d: %s\n    %s\n    %.*s\n", column, caret + 2, text, column,
                 texts[i].caret);
        check_said(&error, expected);
    }
}

#define CHECK_TEXTS(table, carried) check_texts(table, sizeof table / sizeof table[0], carried)

static void words__that_are_none(void)
{
    CHECK_TEXTS(wrong_words, false);
}

static void pieces__that_are_missing_or_too_many(void)
{
    CHECK_TEXTS(wrong_grammar, false);
}

static void names__that_stand_for_nothing_or_something_else(void)
{
    CHECK_TEXTS(wrong_names, false);
}

static void types__that_do_not_fit(void)
{
    CHECK_TEXTS(wrong_types, false);
}

static void values__that_a_rank_cannot_use(void)
{
    CHECK_TEXTS(wrong_values, true);
}

static void texts__that_are_nearly_wrong_are_right(void)
{
    static const char *const texts[] = {
        "x@0 <<= 1ull + 2LLu + 3l + 4U + 0x1fUL + 010 + 9223372036854775808u@0",
        "x@0 <<= 1.f + .5 + 1e3f + 2.e-1 + 1.7976931348623157e308@0",
        "A[0...n]@0 <<= A[4...8]@0 where i in {0...4}",
        "x@0<<=x@0;n@0<<min<<n@0\twhere\r\ni=1<<2,i<1<<n",
        "x@0 <<= x@0, global",
        "x@0 <<= x@0 sender",
        "x@0 <<= x@0 where n, corresponding",
        "x@0 <<= x@0 where n receiver",
        "where_ : x@0 <<= (n << 1) + A[n >> 1]@0",
    };
    struct wm_error error = {0};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CU_ASSERT_EQUAL(compile(texts[i], names, NAMES, &error), 0);
        CU_ASSERT_STRING_EQUAL(error.text, "");
    }
}

static void places__are_those_of_the_line(void)
{
    char text[600] = "", expected[TEXT_BYTES];
    struct wm_error error;

    CU_ASSERT_EQUAL(compile("A[i]@i\n\t<<= B[j]@0\n where i in world", names, NAMES, &error), -WM_EINVAL);
    check_said(&error, "statement:2:8: nothing is bound to 'j'; name it in the call, or bind it in a clause: "
                       "'where … in …'\n    \t<<= B[j]@0\n    \t      ^\n");
    CU_ASSERT_EQUAL(compile("\001", names, NAMES, &error), -WM_EINVAL);
    check_said(&error, "statement:1:1: the byte 0x01 has no meaning in a statement\n     \n    ^\n");
    CU_ASSERT_EQUAL(compile("", names, NAMES, &error), -WM_EINVAL);
    check_said(&error, "statement:1:1: the name of what is stored into is missing before the end\n");
    /* Of a long line what is around the place. */
    strcat(text, "A[0]@0 <<= n");
    for (int i = 0; i < 80; i++)
        strcat(text, " + n");
    strcat(text, " + k@0 where n > 1");
    CU_ASSERT_EQUAL(compile(text, names, NAMES, &error), -WM_EINVAL);
    snprintf(expected, sizeof expected,
             "statement:1:336: nothing is bound to 'k'; name it in the call, or bind it in a clause: "
             "'where … in …'\n    %s\n    %99s^\n",
             text + 336 - 100, "");
    check_said(&error, expected);
}

/* ---- bindings ---- */

static void check_binding(const char *text, const struct wm_bound *bound, const char *expected)
{
    struct wm_bound bindings[2] = {names[0], *bound};
    struct wm_error error;

    CU_ASSERT_EQUAL(compile(text, bindings, 2, &error), -WM_EINVAL);
    check_said(&error, expected);
}

static void bindings__that_are_refused(void)
{
    check_binding("n@0 <<= p@0", &(struct wm_bound){.name = "p", .kind = WM_BOUND_POINTER},
                  "statement:1:9: 'p' is a pointer: say how far it reaches by WM_SPAN, its elements behind it\n"
                  "    n@0 <<= p@0\n            ^\n");
    check_binding("n@0 <<= n@1", &(struct wm_bound){.name = "p", .kind = WM_BOUND_POINTER},
                  "statement:1:1: 'p' is a pointer: say how far it reaches by WM_SPAN, its elements behind it\n"
                  "    n@0 <<= n@1\n    ^\n");
    check_binding("n@0 <<= p@0", &(struct wm_bound){.name = "p", .kind = WM_BOUND_UNKNOWN},
                  "statement:1:9: 'p' is neither a number nor an array of numbers: bind a struct by WM_TYPED, an array "
                  "of three dimensions by WM_GRID3, a function by WM_FUNCTION\n"
                  "    n@0 <<= p@0\n            ^\n");
    check_binding("n@0 <<= p@0", &(struct wm_bound){.name = "p", .kind = WM_BOUND_UNKNOWN, .stride = 2},
                  "statement:1:9: 'p' is a member that is no number, or of a packed struct: bind the structs by "
                  "WM_TYPED_SPAN\n"
                  "    n@0 <<= p@0\n            ^\n");
    check_binding("v@0 <<= n@0", &(struct wm_bound){.name = "v", .number = WM_INT32, .promises = WM_IS_VALUE},
                  "statement:1:1: 'v' is a value, and nothing can be stored into it\n"
                  "    v@0 <<= n@0\n    ^\n");
    check_binding("n@0 <<= f(n)@0",
                  &(struct wm_bound){.name = "f", .kind = WM_BOUND_FUNCTION, .signature = WM_SIGNATURE_OTHER},
                  "statement:1:9: 'f' is a function whose arguments or result are of a type that a statement cannot "
                  "call (docs/communicate.md lists them)\n    n@0 <<= f(n)@0\n            ^\n");
    check_binding("n@0 <<= s@0", &(struct wm_bound){.name = "s", .number = WM_BYTES},
                  "statement:1:9: 's' is a struct of no bytes\n    n@0 <<= s@0\n            ^\n");
    check_binding("n@0 << c << n@0", &(struct wm_bound){.name = "c", .kind = WM_BOUND_COMBINE},
                  "statement:1:8: 'c' is an operator of structs of no bytes\n    n@0 << c << n@0\n           ^\n");
    check_binding("n@0 <<= pair@1", &(struct wm_bound){.name = "pair.rank", .number = WM_INT32},
                  "statement:1:1: 'pair.rank' is no name that a text can use: give it one by WM_NAMED\n"
                  "    n@0 <<= pair@1\n    ^\n");
    check_binding("n@0 <<= n@1", &names[0],
                  "statement:1:1: 'n' is bound twice by the program\n    n@0 <<= n@1\n    ^\n");
    check_binding("n@0 <<= n@me", &(struct wm_bound){.name = "me", .number = WM_INT32},
                  "statement:1:11: 'me' has a meaning of its own: the program binds it under another name\n"
                  "    n@0 <<= n@me\n              ^\n");
}

static void a_binding__that_no_word_of_the_text_means_is_let_be(void)
{
    struct wm_bound bindings[2] = {names[0], {.name = "me", .number = WM_INT32}};

    CU_ASSERT_EQUAL(compile("n@0 <<= n@1", bindings, 2, NULL), 0);
}

/* ---- limits ---- */

/* BEFORE, so many times PART, in which '#' is a number that counts, BEHIND. */
static char *repeat(const char *before, int times, const char *part, const char *behind)
{
    size_t room = strlen(before) + (size_t)times * (strlen(part) + 8) + strlen(behind) + 1;
    char *text = malloc(room), *at = text + sprintf(text, "%s", before);

    for (int i = 0; i < times; i++)
        for (const char *p = part; *p != '\0'; p++)
            at += *p == '#' ? sprintf(at, "%d", i) : sprintf(at, "%c", *p);
    strcpy(at, behind);
    return text;
}

/* So many are taken, and one more is refused, at that column. */
static void check_limit(int most, const char *before, const char *part, const char *behind, int column,
                        const char *sentence)
{
    char *text = repeat(before, most, part, behind), *longer = repeat(before, most + 1, part, behind);
    struct wm_error error = {0};

    CU_ASSERT_EQUAL(carry(text, &error), 0);
    CU_ASSERT_EQUAL(compile(longer, names, NAMES, &error), -WM_EINVAL);
    CU_ASSERT_STRING_EQUAL(error.text, sentence);
    CU_ASSERT_EQUAL(error.column, column);
    free(text);
    free(longer);
}

static void limits__are_told(void)
{
    check_limit(199, "n@0 <<= ", "-", "n@0", 208, "this is nested deeper than 200");
    check_limit(199, "n@0 <<= ", "n?n:", "n@0", 807, "this is nested deeper than 200");
    check_limit(15, "n@0 <<= n@0", ", n@0 <<= n@0", "", 209, "a statement has at most 16 reductions");
    check_limit(31, "n@0 <<= n@0 where n", ", n", "", 115, "a statement has at most 32 clauses");
    check_limit(16, "n@0 <<= n@0 where n", ", i# = n", "", 156, "a statement has at most 16 variables");
    check_limit(1021, "n@0 <<= n", " + n", "@0", 3,
                "a statement has at most 2048 terms: names, numbers, operators and conversions");
    check_limit(WM_STATEMENT_TEXT_MAX - 11, "n@0 <<= n@1", " ", "", WM_STATEMENT_TEXT_MAX + 1,
                "a statement has at most 65536 bytes");
}

static void bindings__are_64_at_most(void)
{
    struct wm_bound bindings[WM_BINDINGS_MAX + 1];
    char texts[WM_BINDINGS_MAX + 1][8];
    struct wm_error error;

    for (int i = 0; i <= WM_BINDINGS_MAX; i++) {
        sprintf(texts[i], "n%d", i);
        bindings[i] = (struct wm_bound){.name = texts[i], .number = WM_INT32};
    }
    CU_ASSERT_EQUAL(compile("n0@0 <<= n63@0", bindings, WM_BINDINGS_MAX, &error), 0);
    CU_ASSERT_EQUAL(compile("n0@0 <<= n63@0", bindings, WM_BINDINGS_MAX + 1, &error), -WM_EINVAL);
    check_said(&error, "statement:1:1: a statement has at most 64 bindings, and the program gives 65\n"
                       "    n0@0 <<= n63@0\n    ^\n");
}

static const struct check_case cases[] = {
    CASE(words__that_are_none),
    CASE(pieces__that_are_missing_or_too_many),
    CASE(names__that_stand_for_nothing_or_something_else),
    CASE(types__that_do_not_fit),
    CASE(values__that_a_rank_cannot_use),
    CASE(texts__that_are_nearly_wrong_are_right),
    CASE(places__are_those_of_the_line),
    CASE(bindings__that_are_refused),
    CASE(a_binding__that_no_word_of_the_text_means_is_let_be),
    CASE(limits__are_told),
    CASE(bindings__are_64_at_most),
};

CHECK_MAIN("wrong statements", cases)
