/* The settings of a benchmark, as JSON and back. */
#include "tools/bench/settings.h"

#include <string.h>

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

json_t *wm_bench_settings_pack(const struct wm_bench_settings *s)
{
    return json_pack("{so, so, sb, sI, so, si, sI, ss, ss?, ss?}", "maps", pack_words(s->maps, s->map_count), "files",
                     pack_words(s->files, s->map_count), "native", s->native, "operations", (json_int_t)s->operations,
                     "sizes", pack_sizes(&s->sizes), "rounds", s->rounds, "rotate_bytes", (json_int_t)s->rotate_bytes,
                     "format", s->format, "output", s->output, "plot", s->plot);
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
    json_t *maps, *files, *sizes;
    json_int_t operations, rotate;
    int native, file_count;

    *s = (struct wm_bench_settings){0};
    if (json_unpack((json_t *)json, "{so, so, sb, sI, so, si, sI, ss}", "maps", &maps, "files", &files, "native",
                    &native, "operations", &operations, "sizes", &sizes, "rounds", &s->rounds, "rotate_bytes", &rotate,
                    "format", &s->format) < 0)
        return false;
    s->native = native != 0;
    s->operations = (uint32_t)operations;
    s->rotate_bytes = (uint64_t)rotate;
    s->output = json_string_value(json_object_get(json, "output"));
    s->plot = json_string_value(json_object_get(json, "plot"));
    return unpack_words(maps, s->maps, &s->map_count) && unpack_words(files, s->files, &file_count) &&
           file_count == s->map_count && unpack_sizes(sizes, &s->sizes);
}
