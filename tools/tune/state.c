/* The state as JSON. */
#include "tools/tune/state.h"

#include <string.h>
#include "tools/text/output.h"

static const char format[] = "waymark-tune-1";

/* The texts of a state that the file has. */
#define WM_TUNE_TEXTS(X) X(output) X(profile) X(trace) X(machine) X(library) X(launcher)

static json_t *write_path(const struct wm_tune_path *p)
{
    return json_pack("{ss, si, sI, sb, sb}", "path", p->text, "effort", p->effort, "least_bytes",
                     (json_int_t)p->least_bytes, "uniform", p->uniform, "near", p->near);
}

static json_t *write_point(const struct wm_tune_point *p)
{
    json_t *seen = json_array();

    for (int i = 0; i < p->seen_count; i++) {
        const struct wm_tune_seen *s = &p->seen[i];

        json_array_append_new(seen,
                              json_pack("{si, si, sI, sf, sf, sf}", "path", s->path, "races", s->races, "launches",
                                        (json_int_t)s->launches, "low", s->low, "gain", s->gain, "ns", s->ns));
    }
    return json_pack("{sI, sb, si, si, si, si, sf, so}", "bytes", (json_int_t)p->bytes, "held_out", p->held_out,
                     "races", p->races, "rounds", p->rounds, "takes", p->path, "fast", p->fast, "native_ns",
                     p->native_ns, "seen", seen);
}

static json_t *write_field(const struct wm_tune_field *f)
{
    json_t *sizes = json_array(), *paths = json_array(), *points = json_array();

    for (int i = 0; i < f->sizes.count; i++)
        json_array_append_new(sizes, json_integer((json_int_t)f->sizes.bytes[i]));
    for (int i = 0; i < f->list.count; i++)
        json_array_append_new(paths, write_path(&f->list.paths[i]));
    for (int i = 0; i < f->count; i++)
        json_array_append_new(points, write_point(&f->points[i]));
    return json_pack("{ss, ss, sI, sf, sb, so, so, so}", "operation", wm_operation_name(f->operation), "name", f->name,
                     "load_bytes", (json_int_t)f->load_bytes, "weight", f->weight, "raced", f->raced, "sizes", sizes,
                     "paths", paths, "points", points);
}

static json_t *write_state(const struct wm_tune_state *s)
{
    json_t *json = json_pack("{ss, sf, sI}", "format", format, "budget_s", s->budget_s, "seed", (json_int_t)s->seed);
    json_t *launches = json_array(), *fields = json_array();

#define X(field) json_object_set_new(json, #field, json_string(s->field));
    WM_TUNE_TEXTS(X)
#undef X
    for (int i = 0; i < s->launch_count; i++) {
        const struct wm_tune_launch *l = &s->launches[i];

        json_array_append_new(launches, json_pack("{sb, sf, sI, sf, sf}", "whole", l->whole, "seconds", l->seconds,
                                                  "batches", (json_int_t)l->batches, "barrier_low_ns",
                                                  l->barrier_low_ns, "barrier_high_ns", l->barrier_high_ns));
    }
    for (int i = 0; i < s->count; i++)
        json_array_append_new(fields, write_field(&s->fields[i]));
    json_object_set_new(json, "launches", launches);
    json_object_set_new(json, "fields", fields);
    return json;
}

int wm_tune_state_save(const struct wm_tune_state *state, const char *file, struct wm_error *error)
{
    return wm_output_save_json(write_state(state), file, error);
}

static bool read_text(const json_t *json, const char *key, char *text, size_t text_bytes)
{
    const char *found = json_string_value(json_object_get(json, key));

    if (found == NULL || strlen(found) >= text_bytes)
        return false;
    strcpy(text, found);
    return true;
}

static bool read_path(const json_t *json, struct wm_tune_path *p)
{
    int uniform, near;
    json_int_t least;

    if (!read_text(json, "path", p->text, sizeof p->text) ||
        json_unpack((json_t *)json, "{si, sI, sb, sb}", "effort", &p->effort, "least_bytes", &least, "uniform",
                    &uniform, "near", &near) < 0)
        return false;
    p->least_bytes = (uint64_t)least;
    p->uniform = uniform != 0;
    p->near = near != 0;
    return true;
}

static bool read_seen(const json_t *json, struct wm_tune_seen *s, int paths)
{
    json_int_t launches;

    if (json_unpack((json_t *)json, "{si, si, sI, sF, sF, sF}", "path", &s->path, "races", &s->races, "launches",
                    &launches, "low", &s->low, "gain", &s->gain, "ns", &s->ns) < 0)
        return false;
    s->launches = (uint32_t)launches;
    return s->path >= 0 && s->path < paths && s->races > 0;
}

static bool read_point(const json_t *json, struct wm_tune_point *p, int paths)
{
    const json_t *seen = json_object_get(json, "seen"), *one;
    json_int_t bytes;
    int held_out;
    size_t i;

    if (json_unpack((json_t *)json, "{sI, sb, si, si, si, si, sF}", "bytes", &bytes, "held_out", &held_out, "races",
                    &p->races, "rounds", &p->rounds, "takes", &p->path, "fast", &p->fast, "native_ns",
                    &p->native_ns) < 0 ||
        json_array_size(seen) > WM_TUNE_SEEN_MAX)
        return false;
    p->bytes = (uint64_t)bytes;
    p->held_out = held_out != 0;
    json_array_foreach (seen, i, one)
        if (!read_seen(one, &p->seen[p->seen_count++], paths))
            return false;
    return p->path >= 0 && p->path < paths && p->fast >= 0 && p->fast < paths;
}

static int operation_of(const char *name)
{
    for (int op = 0; op < WM_OPERATION_COUNT; op++)
        if (name != NULL && strcmp(name, wm_operation_name((enum wm_operation)op)) == 0)
            return op;
    return -1;
}

/* Is no size beyond what is tuned? */
static bool fits(const struct wm_tune_field *f)
{
    const struct wm_tune_kind *kind = wm_tune_kind(f->operation);
    bool good = kind->load_bytes == 0 || (int64_t)f->load_bytes > 0;

    for (int i = 0; i < f->sizes.count; i++)
        good = good && f->sizes.bytes[i] >= kind->least_bytes && f->sizes.bytes[i] <= kind->most_bytes;
    for (int i = 0; i < f->count; i++)
        good = good && f->points[i].bytes >= kind->least_bytes && f->points[i].bytes <= kind->most_bytes;
    return good;
}

static bool read_field(const json_t *json, struct wm_tune_field *f)
{
    const json_t *sizes = json_object_get(json, "sizes"), *paths = json_object_get(json, "paths");
    const json_t *points = json_object_get(json, "points"), *one;
    int operation = operation_of(json_string_value(json_object_get(json, "operation"))), raced;
    size_t i;

    if (operation < 0 || json_unpack((json_t *)json, "{sF, sb}", "weight", &f->weight, "raced", &raced) < 0 ||
        json_array_size(sizes) == 0 || json_array_size(sizes) > WM_SIZES_MAX ||
        json_array_size(paths) > WM_TUNE_PATHS_MAX || json_array_size(points) > WM_TUNE_POINTS_MAX)
        return false;
    if (json_object_get(json, "name") != NULL && !read_text(json, "name", f->name, sizeof f->name))
        return false;
    f->load_bytes = (uint64_t)json_integer_value(json_object_get(json, "load_bytes"));
    f->operation = (enum wm_operation)operation;
    f->raced = raced != 0;
    json_array_foreach (sizes, i, one)
        f->sizes.bytes[f->sizes.count++] = (uint64_t)json_integer_value(one);
    json_array_foreach (paths, i, one)
        if (!read_path(one, &f->list.paths[f->list.count++]))
            return false;
    json_array_foreach (points, i, one)
        if (!read_point(one, &f->points[f->count++], f->list.count))
            return false;
    return fits(f);
}

static bool read_launch(const json_t *json, struct wm_tune_launch *l)
{
    json_int_t batches;
    int whole;

    if (json_unpack((json_t *)json, "{sb, sF, sI, sF, sF}", "whole", &whole, "seconds", &l->seconds, "batches",
                    &batches, "barrier_low_ns", &l->barrier_low_ns, "barrier_high_ns", &l->barrier_high_ns) < 0)
        return false;
    l->batches = batches;
    l->whole = whole != 0;
    return true;
}

static bool read_state(const json_t *json, struct wm_tune_state *s)
{
    const json_t *launches = json_object_get(json, "launches"), *fields = json_object_get(json, "fields"), *one;
    const char *found = json_string_value(json_object_get(json, "format"));
    json_int_t seed;
    size_t i;

    if (found == NULL || strcmp(found, format) != 0 ||
        json_unpack((json_t *)json, "{sF, sI}", "budget_s", &s->budget_s, "seed", &seed) < 0 ||
        json_array_size(launches) > WM_TUNE_LAUNCHES_MAX || json_array_size(fields) > WM_TUNE_FIELDS_MAX ||
        json_array_size(fields) == 0)
        return false;
    s->seed = (uint64_t)seed;
#define X(field)                                                                                                       \
    if (!read_text(json, #field, s->field, sizeof s->field))                                                           \
        return false;
    WM_TUNE_TEXTS(X)
#undef X
    json_array_foreach (launches, i, one)
        if (!read_launch(one, &s->launches[s->launch_count++]))
            return false;
    json_array_foreach (fields, i, one)
        if (!read_field(one, &s->fields[s->count++]))
            return false;
    return true;
}

int wm_tune_state_load(struct wm_tune_state *s, const char *file, struct wm_error *error)
{
    json_error_t fault;
    json_t *json = json_load_file(file, 0, &fault);
    int rc = 0;

    memset(s, 0, sizeof *s);
    if (json == NULL)
        rc = wm_error_set(error, -WM_EINVAL, "cannot read the state '%s': %s; name one that 'waymark tune' has written",
                          file, fault.text);
    else if (!read_state(json, s))
        rc = wm_error_set(error, -WM_EINVAL,
                          "'%s' is no state of this version of 'waymark tune'; tune without --resume", file);
    json_decref(json);
    return rc;
}

static int whole_launches(const struct wm_tune_state *s)
{
    int count = 0;

    for (int i = 0; i < s->launch_count; i++)
        count += s->launches[i].whole;
    return count;
}

int wm_tune_state_needed(const struct wm_tune_state *s)
{
    int whole = whole_launches(s);

    return whole < WM_TUNE_LAUNCHES ? whole : WM_TUNE_LAUNCHES;
}

bool wm_tune_state_done(const struct wm_tune_state *s)
{
    bool all = true;

    for (int i = 0; i < s->count; i++) {
        struct wm_tune_rule rules[WM_TUNE_RULES_MAX];
        int count = wm_tune_field_rules(&s->fields[i], rules);

        if (!s->fields[i].raced)
            return false;
        for (int k = 0; k < count; k++)
            all = all && (rules[k].path == 0 || __builtin_popcount(rules[k].launches) >= WM_TUNE_LAUNCHES);
    }
    return whole_launches(s) >= WM_TUNE_LAUNCHES + (all ? 0 : 2);
}
