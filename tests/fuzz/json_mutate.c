/* Mutations of JSON: of values by their places, then of bytes. */
#include "tests/fuzz/json_mutate.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Values of every type, and numbers at which something may break. */
static json_t *odd_value(struct fuzz_random *random)
{
    static const char *const values[] = {"null",
                                         "true",
                                         "false",
                                         "0",
                                         "1",
                                         "-1",
                                         "2",
                                         "2147483647",
                                         "2147483648",
                                         "-2147483648",
                                         "-2147483649",
                                         "4294967296",
                                         "4095",
                                         "4096",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "1.5",
                                         "1e308",
                                         "-0.0",
                                         "\"\"",
                                         "\"x\"",
                                         "[]",
                                         "{}",
                                         "[null]",
                                         "[[]]",
                                         "[0,0]",
                                         "[-1,0]",
                                         "[1,0]",
                                         "[0,1]",
                                         "[5]",
                                         "{\"symbol\":\"flat\"}",
                                         "{\"axis\":\"all\"}",
                                         "{\"axis\":\"node\"}",
                                         "{\"symbol\":\"shared\"}",
                                         "{\"procedure\":0}",
                                         "{\"procedure\":-1}",
                                         "{\"parents\":{\"4\":[-1,0,0,1]},\"procedure\":2}",
                                         "{\"parents\":{\"4\":[1,0,3,2]}}",
                                         "{\"parents\":{\"-1\":[]}}",
                                         "{\"parents\":[]}",
                                         "{\"tree\":[0,[1,[2]],[3]]}",
                                         "{\"tree\":[0,[0]]}",
                                         "{\"tree\":9}",
                                         "[{\"symbol\":\"k-nomial\"},4]",
                                         "[{\"symbol\":\"flat\"},-1]",
                                         "[{\"symbol\":\"butterfly\"},1e9]",
                                         "{\"error\":{}}",
                                         "{\"error\":{\"text\":\"x\",\"code\":7}}",
                                         "\"\\u0000\"",
                                         "\"\\u001b[2J\\u009b\\n\"",
                                         "\"%s%n%d\"",
                                         "\"bcast\"",
                                         "\"alltoallw\"",
                                         "\"mpi\"",
                                         "\"scan\"",
                                         "\"native\"",
                                         "[[0,1],[2,3]]",
                                         "[[2147483647]]"};
    json_t *value = json_loads(FUZZ_PICK(random, values), JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);

    return value != NULL ? value : json_null();
}

/* An array, an object or a text that is longer than any that belongs there. */
static json_t *large_value(struct fuzz_random *random)
{
    static const int sizes[] = {33, 40, 300, 2100, 70000};
    int size = FUZZ_PICK(random, sizes);
    json_t *value = json_array();
    char *text;

    switch (fuzz_below(random, 3)) {
    case 0: /* nested */
        for (int i = 0; i < size && i < 2040; i++) {
            json_t *outer = json_array();
            json_array_append_new(outer, json_integer(i));
            json_array_append_new(outer, value);
            value = outer;
        }
        return value;
    case 1:
        for (int i = 0; i < size; i++)
            json_array_append_new(value, json_integer(i));
        return value;
    default:
        json_decref(value);
        text = malloc((size_t)size + 1);
        memset(text, 'y', (size_t)size);
        text[size] = '\0';
        value = json_string(text);
        free(text);
        return value;
    }
}

static json_t *new_value(struct fuzz_random *random)
{
    return fuzz_chance(random, 85) ? odd_value(random) : large_value(random);
}

static void mutate_array(json_t *array, struct fuzz_random *random)
{
    size_t at = fuzz_below(random, json_array_size(array));

    switch (fuzz_below(random, 4)) {
    case 0:
        json_array_remove(array, at);
        return;
    case 1:
        json_array_append(array, json_array_get(array, at));
        return;
    case 2:
        json_array_append_new(array, new_value(random));
        return;
    default:
        json_array_set_new(array, at, new_value(random));
    }
}

static const char *key_at(json_t *object, struct fuzz_random *random)
{
    size_t left = fuzz_below(random, json_object_size(object));
    void *at = json_object_iter(object);

    for (; left > 0; left--)
        at = json_object_iter_next(object, at);
    return at != NULL ? json_object_iter_key(at) : "";
}

static void mutate_object(json_t *object, struct fuzz_random *random)
{
    static const char *const keys[] = {"",     "shape", "error",  "procedure", "parents", "tree", "axis", "symbol",
                                       "path", "rule",  "window", "label",     "0",       "9",    "out",  "count"};
    char key[64];

    snprintf(key, sizeof key, "%s", key_at(object, random));
    switch (fuzz_below(random, 4)) {
    case 0:
        json_object_del(object, key);
        return;
    case 1:
        json_object_set_new(object, FUZZ_PICK(random, keys), new_value(random));
        return;
    default:
        json_object_set_new(object, key, new_value(random));
    }
}

/* Go down to some value and change what stands there. */
static void mutate_value(json_t *value, struct fuzz_random *random)
{
    json_t *inner = NULL;

    if (json_is_object(value) && json_object_size(value) > 0)
        inner = json_object_get(value, key_at(value, random));
    else if (json_is_array(value))
        inner = json_array_get(value, fuzz_below(random, json_array_size(value)));
    if ((json_is_object(inner) || json_is_array(inner)) && fuzz_chance(random, 75))
        mutate_value(inner, random);
    else if (json_is_object(value))
        mutate_object(value, random);
    else if (json_is_array(value))
        mutate_array(value, random);
}

static void mutate_bytes(struct fuzz_text *text, struct fuzz_random *random)
{
    static const char *const pieces[] = {
        "[",       "{",       "]", "}",  "\"", ",",    ":",        "\\",   "1e",   "999999",
        "\\ud83d", "\\u0000", "-", ".5", "\n", "\xff", "\xc2\x9b", "\x1b", "null", "1234567890123456789012",
        "\\n",     "\\x"};
    size_t at = fuzz_below(random, text->count + 1), left = text->count - at;
    const char *piece = FUZZ_PICK(random, pieces);

    switch (fuzz_below(random, 4)) {
    case 0:
        fuzz_text_splice(text, at, left, "", 0);
        return;
    case 1:
        fuzz_text_splice(text, at, left < 9 ? left : fuzz_below(random, 9), "", 0);
        return;
    case 2:
        fuzz_text_splice(text, at, 0, piece, strlen(piece));
        return;
    default:
        if (left > 0)
            text->bytes[at] = (char)fuzz_next(random);
    }
}

void fuzz_json_mutate(struct fuzz_text *text, struct fuzz_random *random)
{
    json_t *value = json_loadb(text->bytes, text->count, JSON_ALLOW_NUL, NULL);
    char *words;

    for (size_t count = 1 + fuzz_below(random, 4); value != NULL && count > 0; count--)
        mutate_value(value, random);
    words = value != NULL ? json_dumps(value, JSON_COMPACT) : NULL;
    if (words != NULL)
        fuzz_text_splice(text, 0, text->count, words, strlen(words));
    free(words);
    json_decref(value);
    if (fuzz_chance(random, 25))
        mutate_bytes(text, random);
}
