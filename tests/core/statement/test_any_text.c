/* Whatever a text is, it is compiled, or refused with a place and a sentence; and what is compiled is evaluated, or a
 * fault told. `test_any_text COUNT SEED` tries so many. */
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/statement/items.h"
#include "tests/core/statement/names.h"
#include "tests/fuzz/random.h"

enum { TEXT_BYTES = 400, RANKS = 3 };

static size_t texts = 10000;
static struct fuzz_random dice = {.state = 16};

static const char *const words[] = {"A",
                                    "B",
                                    "M",
                                    "n",
                                    "x",
                                    "best",
                                    "pairs",
                                    "item",
                                    "real",
                                    "tiny",
                                    "huge",
                                    "owner",
                                    "add",
                                    "half",
                                    "least",
                                    "i",
                                    "j",
                                    "me",
                                    "ranks",
                                    "world",
                                    "where",
                                    "in",
                                    "global",
                                    "corresponding",
                                    "sender",
                                    "receiver",
                                    "@",
                                    "@",
                                    "<<=",
                                    "<<",
                                    ">>",
                                    "...",
                                    ",",
                                    ",",
                                    ";",
                                    ":",
                                    "?",
                                    "(",
                                    ")",
                                    "[",
                                    "]",
                                    "[0]",
                                    "[i]",
                                    "{",
                                    "}",
                                    "+",
                                    "-",
                                    "*",
                                    "/",
                                    "%",
                                    "&",
                                    "|",
                                    "^",
                                    "~",
                                    "!",
                                    "<",
                                    ">",
                                    "=",
                                    "==",
                                    "!=",
                                    "<=",
                                    ">=",
                                    "&&",
                                    "||",
                                    "min",
                                    "max",
                                    "0",
                                    "1",
                                    "2",
                                    "7",
                                    "0x7fffffff",
                                    "9223372036854775807",
                                    "18446744073709551615u",
                                    "1.5",
                                    "1e30f",
                                    "0.0",
                                    "where i in world",
                                    "i in {0 ... 3}",
                                    "A[0]@0 <<= n@0",
                                    "\n"};

/* Statements whose words are put in, taken away and changed. */
static const char *const statements[] = {
    "A[j]@i <<= B[i]@j where i, j in world, i % 2 == 0",
    "halo: A[0 ... n]@(me + 1) % ranks <<= A[n ... 2 * n]@i where i in world, x > 1 ? i : 0 sender",
    "best@0 << least << pairs[i]@i where i in world, j = owner(i) + 1 << 2, j < 100",
    "M[i][0 ... 2]@i << + << A[j ... j + 2]@j, x@0 << max << half(x)@i where i in {0 ... ranks}, j in A[1 ... 3]",
};

static void append(char *text, const char *word)
{
    if (strlen(text) + strlen(word) + 2 < TEXT_BYTES) {
        strcat(text, word);
        if (fuzz_chance(&dice, 90))
            strcat(text, " ");
    }
}

static void write_bytes(char *text)
{
    size_t length = fuzz_below(&dice, 60);

    for (size_t i = 0; i < length; i++)
        text[i] = (char)(fuzz_chance(&dice, 70) ? ' ' + fuzz_below(&dice, 95) : 1 + fuzz_below(&dice, 255));
    text[length] = '\0';
}

static void write_words(char *text)
{
    text[0] = '\0';
    for (size_t i = fuzz_below(&dice, 40); i > 0; i--)
        append(text, FUZZ_PICK(&dice, words));
}

static void write_almost(char *text)
{
    const char *from = FUZZ_PICK(&dice, statements);

    text[0] = '\0';
    while (*from != '\0') {
        char word[64];
        size_t length = strcspn(from, " ");

        snprintf(word, sizeof word, "%.*s", (int)length, from);
        from += length + (from[length] == ' ');
        if (fuzz_chance(&dice, 2))
            append(text, FUZZ_PICK(&dice, words));
        if (fuzz_chance(&dice, 98))
            append(text, fuzz_chance(&dice, 2) ? FUZZ_PICK(&dice, words) : word);
    }
    if (fuzz_chance(&dice, 8) && text[0] != '\0')
        text[fuzz_below(&dice, strlen(text))] = (char)(1 + fuzz_below(&dice, 255));
}

static bool is_told(const struct wm_error *error)
{
    char out[2000];

    return error->code == -WM_EINVAL && error->text[0] != '\0' && error->line > 0 && error->column > 0 &&
           wm_error_format(error, out, sizeof out) < sizeof out;
}

/* All parts of a rank are read as they are sent, and find their place. */
static bool carry(struct wm_traffic *x, struct wm_error *error)
{
    for (size_t i = 0; i < x->sends.count; i++) {
        const struct wm_statement_part *part = &x->sends.parts[i];
        size_t bytes = wm_items_bytes(x, part, 1, WM_SENDS);
        char *head = malloc(bytes), *data = malloc(wm_part_bytes(x, part) + 1);
        int rc = wm_part_pack(x, part, names, data, error);

        wm_items_write(x, part, 1, WM_SENDS, head);
        if (rc == 0)
            rc = wm_items_list(x, names, WM_SENDS, x->me, head, bytes, error);
        free(head);
        free(data);
        if (rc < 0)
            return is_told(error);
    }
    return true;
}

static bool evaluate(const struct wm_statement *s)
{
    struct wm_error error = {0};
    struct wm_traffic x;
    bool told = true;

    for (int me = 0; me < RANKS && told; me++) {
        if (wm_traffic_new(&x, s, names, me, RANKS, true, &error) < 0)
            return is_told(&error);
        told = carry(&x, &error);
        wm_traffic_release(&x);
    }
    return told;
}

static void any_text__is_compiled_or_told_of(void)
{
    static void (*const writers[])(char *text) = {write_bytes, write_words, write_almost, write_almost};
    size_t compiled = 0;

    for (size_t i = 0; i < texts; i++) {
        struct wm_error error = {0};
        struct wm_statement *s;
        char text[TEXT_BYTES];
        bool told;

        FUZZ_PICK(&dice, writers)(text);
        compiled += wm_statement_new(&s, text, names, NAMES, &error) == 0;
        told = s != NULL ? evaluate(s) : is_told(&error);
        if (!told)
            printf("\n%s\n", text);
        CU_ASSERT(told);
        wm_statement_free(s);
    }
    CU_ASSERT(compiled > texts / 20);
    printf("%zu of %zu compiled ", compiled, texts);
}

static const struct check_case cases[] = {
    CASE(any_text__is_compiled_or_told_of),
};

int main(int count, char **arguments)
{
    if (count == 3) {
        texts = strtoul(arguments[1], NULL, 10);
        dice.state = strtoull(arguments[2], NULL, 10);
    }
    return check_main("any text", cases, 1);
}
