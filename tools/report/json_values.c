/* Values of the JSON report: numbers, text and spreads put under a key. */
#include <stdio.h>
#include <string.h>
#include "tools/report/json.h"

void wm_json_put(struct wm_json_writer *writer, json_t *object, const char *key, json_t *value)
{
    if (value == NULL || json_object_set_new(object, key, value) < 0)
        writer->failed = true;
}

void wm_json_append(struct wm_json_writer *writer, json_t *array, json_t *value)
{
    if (value == NULL || json_array_append_new(array, value) < 0)
        writer->failed = true;
}

void wm_json_put_numbers(struct wm_json_writer *writer, json_t *object, const struct wm_json_number *numbers)
{
    for (; numbers->key != NULL; numbers++)
        wm_json_put(writer, object, numbers->key, json_integer(numbers->value));
}

void wm_json_put_text(struct wm_json_writer *writer, json_t *object, const char *key, const char *text)
{
    size_t length = text != NULL ? strlen(text) : 0;
    json_t *value = text != NULL ? json_stringn(text, length) : NULL;

    for (int cut = 0; text != NULL && value == NULL && length > 0 && cut < 3; cut++)
        value = json_stringn(text, --length);
    if (value != NULL)
        wm_json_put(writer, object, key, value);
}

void wm_json_put_spread(struct wm_json_writer *writer, json_t *object, const char *key, struct wm_spread *spread,
                        const char *unit)
{
    static const struct {
        const char *name;
        int percent;
    } figures[] = {{"median", 50}, {"p95", 95}, {"max", 100}};
    json_t *value;
    char name[32];

    if (spread->count == 0)
        return;
    value = json_object();
    wm_json_put(writer, value, "n", json_integer((json_int_t)spread->count));
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        snprintf(name, sizeof name, "%s%s", figures[i].name, unit);
        wm_json_put(writer, value, name, json_integer(wm_spread_at(spread, figures[i].percent)));
    }
    wm_json_put(writer, object, key, value);
}
