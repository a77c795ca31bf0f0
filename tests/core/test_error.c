/* Errors: the table, sentences with places, excerpts, and the nearest name. */
#include <string.h>
#include "core/error.h"
#include "tests/check.h"

static void error__every_code_has_its_sentence(void)
{
    CU_ASSERT_STRING_EQUAL(wm_error_sentence(-WM_ENOMEM), "out of memory");
    CU_ASSERT_STRING_EQUAL(wm_error_sentence(WM_EPATH), "the path does not serve this call");
    CU_ASSERT_STRING_EQUAL(wm_error_sentence(-WM_ESYSTEM), "the operating system refused");
    CU_ASSERT_STRING_EQUAL(wm_error_sentence(0), "unknown error");
    CU_ASSERT_STRING_EQUAL(wm_error_sentence(-99), "unknown error");
}

static void error__set_returns_the_code_and_forgets_the_old_place(void)
{
    struct wm_error error = {.line = 7, .column = 3, .file = "old.scm", .excerpt = "(old)"};

    CU_ASSERT_EQUAL(wm_error_set(&error, -WM_EMAP, "no '%s', but %d", "axis", 4), -WM_EMAP);
    CU_ASSERT_EQUAL(error.code, -WM_EMAP);
    CU_ASSERT_STRING_EQUAL(error.text, "no 'axis', but 4");
    CU_ASSERT_EQUAL(error.line, 0);
    CU_ASSERT_STRING_EQUAL(error.file, "");
    CU_ASSERT_STRING_EQUAL(error.excerpt, "");
}

static void error__nobody_need_want_the_sentence(void)
{
    CU_ASSERT_EQUAL(wm_error_set(NULL, -WM_EINVAL, "x"), -WM_EINVAL);
    wm_error_place(NULL, "a.scm", 1, 1);
    wm_error_quote(NULL, "x", 1);
}

static void error__a_long_sentence_is_cut(void)
{
    struct wm_error error;
    char long_text[2 * WM_ERROR_TEXT_CHARS];

    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    wm_error_set(&error, -WM_EMAP, "%s", long_text);
    CU_ASSERT_EQUAL(strlen(error.text), WM_ERROR_TEXT_CHARS - 1);
}

static void error__a_place_keeps_the_file_where_none_is_given(void)
{
    struct wm_error error = {0};

    wm_error_place(&error, "map.scm", 2, 5);
    wm_error_place(&error, NULL, 3, 1);
    CU_ASSERT_STRING_EQUAL(error.file, "map.scm");
    CU_ASSERT_EQUAL(error.line, 3);
    CU_ASSERT_EQUAL(error.column, 1);
}

static void error__quotes_its_line(void)
{
    static const char text[] = "(path-map\n\t(on bcats\nlast";
    struct wm_error error = {0};

    error.line = 2;
    wm_error_quote(&error, text, strlen(text));
    CU_ASSERT_STRING_EQUAL(error.excerpt, "\t(on bcats");
    error.line = 3;
    wm_error_quote(&error, text, strlen(text));
    CU_ASSERT_STRING_EQUAL(error.excerpt, "last");
    error.line = 4;
    wm_error_quote(&error, text, strlen(text));
    CU_ASSERT_STRING_EQUAL(error.excerpt, "last");
}

static void error__quotes_of_a_long_line_what_is_around_the_column(void)
{
    struct wm_error error = {.line = 1, .column = 401};
    char text[600], out[700];

    memset(text, '.', sizeof text);
    for (int i = 0; i < 200; i++)
        memcpy(text + 2 * i, "\xc3\xa9", 2); /* 200 characters in 400 bytes, then 200 */
    text[600 - 1] = '!';
    wm_error_quote(&error, text, sizeof text);
    CU_ASSERT_EQUAL(error.skipped, 301);
    wm_error_format(&error, out, sizeof out);
    CU_ASSERT_EQUAL(strcspn(strchr(strchr(out, '\n') + 1, '\n') + 1, "^"), 4 + 99);
    error.column = 180;
    wm_error_quote(&error, text, sizeof text);
    CU_ASSERT_EQUAL(error.skipped, 0);
    CU_ASSERT_EQUAL(memcmp(error.excerpt, text, 254), 0);
}

static void plain_text__keeps_whole_characters_alone(void)
{
    static const char *const cases[][2] = {
        {"caf\xc3\xa9 \xe2\x80\xa6 \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x80\xa6 \xf0\x9f\x98\x80"},
        {"caf\xe9", "caf?"},
        {"\xc0\x80", "??"},           /* longer than need be */
        {"\xe0\x80\x80", "???"},      /* likewise */
        {"\xed\xa0\x80", "???"},      /* half a pair of UTF-16 */
        {"\xf4\x90\x80\x80", "????"}, /* beyond U+10FFFF */
        {"\xe2\x80", "??"},           /* cut */
        {"a\x1b[2J\x7f\xc2\x9b", "a [2J   "},
    };
    char text[32];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        strcpy(text, cases[i][0]);
        wm_plain_text(text, false);
        CU_ASSERT_STRING_EQUAL(text, cases[i][1]);
    }
}

static void error__formats_what_is_known(void)
{
    struct wm_error error = {.text = "unknown operation 'bcats'"};
    char out[512];

    CU_ASSERT_EQUAL(wm_error_format(&error, out, sizeof out), strlen("unknown operation 'bcats'\n"));
    CU_ASSERT_STRING_EQUAL(out, "unknown operation 'bcats'\n");
    wm_error_place(&error, "map.scm", 0, 0);
    wm_error_format(&error, out, sizeof out);
    CU_ASSERT_STRING_EQUAL(out, "map.scm: unknown operation 'bcats'\n");
    wm_error_place(&error, NULL, 2, 6);
    strcpy(error.excerpt, "\t(on bcats");
    CU_ASSERT_EQUAL(wm_error_format(&error, out, sizeof out), strlen(out));
    CU_ASSERT_STRING_EQUAL(out, "map.scm:2:6: unknown operation 'bcats'\n    \t(on bcats\n    \t    ^\n");
}

static void error__formats_into_little_room(void)
{
    struct wm_error error = {.text = "too long for this", .excerpt = "(x)", .line = 1, .column = 1, .file = "f"};
    char out[8] = "", whole[128];

    CU_ASSERT_EQUAL(wm_error_format(&error, out, sizeof out), wm_error_format(&error, whole, sizeof whole));
    CU_ASSERT_EQUAL(strlen(out), sizeof out - 1);
    CU_ASSERT_EQUAL(strncmp(out, whole, sizeof out - 1), 0);
}

static void error__finds_the_nearest_name(void)
{
    static const char *const names[] = {"reduce", "bcast", "allreduce", "reduce-scatter"};

    CU_ASSERT_STRING_EQUAL(wm_error_nearest("bcats", names, 4), "bcast");
    CU_ASSERT_STRING_EQUAL(wm_error_nearest("alreduce", names, 4), "allreduce");
    CU_ASSERT_STRING_EQUAL(wm_error_nearest("bcas", names, 4), "bcast");
    CU_ASSERT_STRING_EQUAL(wm_error_nearest("reduce-scater", names, 4), "reduce-scatter");
    CU_ASSERT_PTR_NULL(wm_error_nearest("barrier", names, 4));
    CU_ASSERT_PTR_NULL(wm_error_nearest("bcast", names, 0));
}

static void error__a_third_of_the_word_may_differ_and_at_least_one_letter(void)
{
    static const char *const names[] = {"ab", "abcdef"};

    CU_ASSERT_STRING_EQUAL(wm_error_nearest("a", names, 2), "ab");
    CU_ASSERT_STRING_EQUAL(wm_error_nearest("abxxef", names, 2), "abcdef");
    CU_ASSERT_PTR_NULL(wm_error_nearest("axxxef", names, 2));
}

static void error__a_very_long_word_is_near_to_nothing(void)
{
    static const char *const names[] = {"node"};
    char word[200];

    memset(word, 'n', sizeof word);
    word[sizeof word - 1] = '\0';
    CU_ASSERT_PTR_NULL(wm_error_nearest(word, names, 1));
}

static void error__suggests_a_name_or_says_what_else(void)
{
    static const char *const names[] = {"grid", "root"};

    CU_ASSERT_STRING_EQUAL(wm_error_suggest("grd", names, 2, "--", NULL).text, "; did you mean '--grid'?");
    CU_ASSERT_STRING_EQUAL(wm_error_suggest("xyzzy", names, 2, "--", "see the help").text, "; see the help");
    CU_ASSERT_STRING_EQUAL(wm_error_suggest("xyzzy", names, 2, "--", NULL).text, "");
}

static const struct check_case cases[] = {
    CASE(error__every_code_has_its_sentence),
    CASE(error__set_returns_the_code_and_forgets_the_old_place),
    CASE(error__nobody_need_want_the_sentence),
    CASE(error__a_long_sentence_is_cut),
    CASE(error__a_place_keeps_the_file_where_none_is_given),
    CASE(error__quotes_its_line),
    CASE(error__quotes_of_a_long_line_what_is_around_the_column),
    CASE(plain_text__keeps_whole_characters_alone),
    CASE(error__formats_what_is_known),
    CASE(error__formats_into_little_room),
    CASE(error__finds_the_nearest_name),
    CASE(error__a_third_of_the_word_may_differ_and_at_least_one_letter),
    CASE(error__suggests_a_name_or_says_what_else),
    CASE(error__a_very_long_word_is_near_to_nothing),
};

CHECK_MAIN("error", cases)
