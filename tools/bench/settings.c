/* The settings of a benchmark, as JSON and back. */
#include "tools/bench/settings.h"

#include <stdio.h>
#include <string.h>
#include "core/error.h"

static const char module_letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

static bool has_module(const struct wm_bench_settings *s, const char *name)
{
    for (int i = 0; i < s->module_count; i++)
        if (strcmp(s->modules[i], name) == 0)
            return true;
    return false;
}

/* What is wrong with the next member of a list, NULL when it is taken. */
static const char *add_module(struct wm_bench_settings *s, const char *member, size_t length)
{
    char name[WM_BENCH_MODULE_CHARS];

    if (length == 0 || length >= sizeof name || strspn(member, module_letters) < length)
        return "is no name of a module; write one such as 'tuned', or 'default'";
    snprintf(name, sizeof name, "%.*s", (int)length, member);
    if (strcmp(name, "none") == 0)
        return "stands beside modules; leave it or them out";
    if (has_module(s, name))
        return "is named twice";
    if (s->module_count == WM_BENCH_MODULES_MAX)
        return "is one module too many; measure it in another run";
    memcpy(s->modules[s->module_count++], name, sizeof name);
    return NULL;
}

int wm_bench_modules_read(struct wm_bench_settings *s, const char *list, char *wrong)
{
    s->module_count = 0;
    for (const char *at = strcmp(list, "none") != 0 ? list : NULL; at != NULL;) {
        size_t length = strcspn(at, ",");
        const char *fault = add_module(s, at, length);

        if (fault != NULL) {
            snprintf(wrong, WM_BENCH_WRONG_CHARS, "'%.*s' %s", length < 64 ? (int)length : 64, at, fault);
            return -WM_EINVAL;
        }
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return 0;
}

static json_t *pack_words(const char *const *words, int count)
{
    json_t *array = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(array, words[i] != NULL ? json_string(words[i]) : json_null());
    return array;
}

static json_t *pack_sizes(const struct wm_size_list *sizes)
{
    json_t *array = json_array();

    for (int i = 0; i < sizes->count; i++)
        json_array_append_new(array, json_integer((json_int_t)sizes->bytes[i]));
    return array;
}

static bool unpack_sizes(const json_t *array, struct wm_size_list *sizes)
{
    const json_t *bytes;
    size_t i;

    if (json_array_size(array) > WM_SIZES_MAX)
        return false;
    json_array_foreach (array, i, bytes)
        sizes->bytes[i] = (uint64_t)json_integer_value(bytes);
    sizes->count = (int)json_array_size(array);
    return true;
}

static json_t *pack_modules(const struct wm_bench_settings *s)
{
    json_t *array = json_array();

    for (int i = 0; i < s->module_count; i++)
        json_array_append_new(array, json_string(s->modules[i]));
    return array;
}

static bool unpack_modules(const json_t *array, struct wm_bench_settings *s)
{
    const json_t *word;
    size_t i;

    json_array_foreach (array, i, word) {
        const char *name = json_string_value(word);

        if (name == NULL || add_module(s, name, strlen(name)) != NULL)
            return false;
    }
    return true;
}

json_t *wm_bench_settings_pack(const struct wm_bench_settings *s)
{
    return json_pack("{so, so, so, sI, so, si, so, ss, ss?, ss?}", "maps", pack_words(s->maps, s->map_count), "files",
                     pack_words(s->files, s->map_count), "against", pack_modules(s), "operations",
                     (json_int_t)s->operations, "sizes", pack_sizes(&s->sizes), "rounds", s->rounds, "rotate_bytes",
                     pack_sizes(&s->rotations), "format", s->format, "output", s->output, "plot", s->plot);
}

static bool unpack_words(const json_t *array, const char **words, int *count)
{
    const json_t *word;
    size_t i;

    *count = (int)json_array_size(array);
    if (*count > WM_BENCH_MAPS_MAX)
        return false;
    json_array_foreach (array, i, word)
        words[i] = json_string_value(word);
    return true;
}

bool wm_bench_settings_unpack(struct wm_bench_settings *s, const json_t *json)
{
    json_t *maps, *files, *against, *sizes, *rotations;
    json_int_t operations;
    int file_count;

    *s = (struct wm_bench_settings){0};
    if (json_unpack((json_t *)json, "{so, so, so, sI, so, si, so, ss}", "maps", &maps, "files", &files, "against",
                    &against, "operations", &operations, "sizes", &sizes, "rounds", &s->rounds, "rotate_bytes",
                    &rotations, "format", &s->format) < 0)
        return false;
    s->operations = (uint32_t)operations;
    s->output = json_string_value(json_object_get(json, "output"));
    s->plot = json_string_value(json_object_get(json, "plot"));
    return unpack_words(maps, s->maps, &s->map_count) && unpack_words(files, s->files, &file_count) &&
           file_count == s->map_count && unpack_modules(against, s) && unpack_sizes(sizes, &s->sizes) &&
           unpack_sizes(rotations, &s->rotations);
}
