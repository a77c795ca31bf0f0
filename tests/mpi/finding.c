/* Reads a report in JSON, for tests: a value of its first finding, its edit applied.
 *
 *   finding value REPORT KEY             what the first finding says, - if nothing
 *   finding confidence REPORT KIND       the greatest of the findings of that kind, 0 without one
 *   finding edit REPORT MAP              the map's text, changed as the first finding says */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_BYTES = 1 << 20 };

static int fail(const char *what, const char *subject)
{
    fprintf(stderr, "finding: %s: '%s'\n", what, subject);
    return 1;
}

static json_t *first(json_t *report)
{
    return json_array_get(json_object_get(report, "findings"), 0);
}

static int print_value(json_t *report, int count, char **words)
{
    const json_t *value = count == 1 ? json_object_get(first(report), words[0]) : NULL;

    if (json_is_string(value))
        puts(json_string_value(value));
    else if (json_is_integer(value))
        printf("%lld\n", (long long)json_integer_value(value));
    else
        puts("-");
    return 0;
}

static int print_confidence(json_t *report, int count, char **words)
{
    json_int_t greatest = 0;
    json_t *finding;
    size_t i;

    if (count != 1)
        return fail("no kind", "");
    json_array_foreach (json_object_get(report, "findings"), i, finding) {
        json_int_t confidence = json_integer_value(json_object_get(finding, "confidence"));

        if (strcmp(json_string_value(json_object_get(finding, "kind")), words[0]) == 0 && confidence > greatest)
            greatest = confidence;
    }
    printf("%lld\n", (long long)greatest);
    return 0;
}

static int print_edited(json_t *report, int count, char **words)
{
    static char text[MAP_BYTES];
    json_t *edit = json_object_get(first(report), "edit");
    const char *before = json_string_value(json_object_get(edit, "before"));
    const char *after = json_string_value(json_object_get(edit, "after"));
    json_int_t line = json_integer_value(json_object_get(edit, "line"));
    json_int_t column = json_integer_value(json_object_get(edit, "column"));
    FILE *file = count == 1 ? fopen(words[0], "r") : NULL;
    char *at = text;

    if (file == NULL || before == NULL || after == NULL)
        return fail("no map, or no edit", count == 1 ? words[0] : "");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    for (json_int_t i = 1; i < line && at != NULL; i++)
        at = (at = strchr(at, '\n')) != NULL ? at + 1 : NULL;
    if (at == NULL || column < 1 || (size_t)column > strcspn(at, "\n") + 1 ||
        strncmp(at + column - 1, before, strlen(before)) != 0)
        return fail("not at the place that the edit names", before);
    at += column - 1;
    printf("%.*s%s%s", (int)(at - text), text, after, at + strlen(before));
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *verb;
        int (*run)(json_t *report, int count, char **words);
    } verbs[] = {{"value", print_value}, {"confidence", print_confidence}, {"edit", print_edited}};
    json_error_t error;
    json_t *report = argc > 2 ? json_load_file(argv[2], 0, &error) : NULL;
    int status = 2;

    if (report == NULL)
        return fail("no report", argc > 2 ? argv[2] : "");
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(verbs[i].verb, argv[1]) == 0)
            status = verbs[i].run(report, argc - 3, argv + 3);
    json_decref(report);
    return status;
}
