/* A machine's profile as JSON, written and read by the tables. */
#include "tools/profile/machine.h"

#include <inttypes.h>
#include <string.h>
#include "core/path/transport.h"
#include "tools/text/output.h"

static const char format[] = "waymark-profile-1";
static const char *const net_names[] = {[WM_NET_MPI] = "mpi", [WM_NET_SHM] = "shm"};

static json_t *write_value(const struct wm_profile_value *v, enum wm_profile_unit unit)
{
    json_t *json = json_pack("{s:I, s:s, s:I, s:I, s:i, s:s}", "value", (json_int_t)v->value, "unit",
                             wm_profile_unit_name(unit), "low", (json_int_t)v->low, "high", (json_int_t)v->high, "n",
                             v->n, "origin", wm_profile_origin_name(v->origin));

    if (v->probe[0] != '\0')
        json_object_set_new(json, "probe", json_string(v->probe));
    return json;
}

static json_t *write_row(const struct wm_profile_row *row)
{
    enum wm_profile_section section = row->section;
    unsigned keys = wm_profile_section_keys(section);
    json_t *json = json_object();

    if (keys & WM_KEY_LEVEL)
        json_object_set_new(json, "level", json_string(row->name));
    if (keys & WM_KEY_KIND)
        json_object_set_new(json, "kind", json_string(row->name));
    if (keys & WM_KEY_NET)
        json_object_set_new(json, "net", json_string(net_names[row->net]));
    if (keys & WM_KEY_MEMBERS)
        json_object_set_new(json, "members", json_integer(row->members));
    if (keys & WM_KEY_UP_TO)
        json_object_set_new(json, "up_to", json_integer((json_int_t)row->up_to));
    for (int i = 0; i < wm_profile_parameter_count(section); i++) {
        const struct wm_profile_parameter *p = wm_profile_parameter(section, i);

        json_object_set_new(json, p->key, write_value(&row->values[i], p->unit));
    }
    return json;
}

json_t *wm_profile_write(const struct wm_profile *profile)
{
    json_t *json = json_pack("{s:s}", "format", format), *fingerprint = json_object();

#define X(field) json_object_set_new(fingerprint, #field, json_string(profile->fingerprint.field));
    WM_FINGERPRINT(X)
#undef X
    json_object_set_new(json, "fingerprint", fingerprint);
    for (int s = 0; s < WM_PROFILE_SECTION_COUNT; s++) {
        json_t *rows = json_array();

        for (size_t i = 0; i < profile->row_count; i++)
            if (profile->rows[i].section == s)
                json_array_append_new(rows, write_row(&profile->rows[i]));
        json_object_set_new(json, wm_profile_section_key((enum wm_profile_section)s), rows);
    }
    return json;
}

int wm_profile_save(const struct wm_profile *profile, const char *file, struct wm_error *error)
{
    return wm_output_save_json(wm_profile_write(profile), file, error);
}

/* Where the reader is, for its sentences. */
struct reading {
    const char *file, *section;
    size_t row;
    struct wm_error *error;
};

static int refuse(const struct reading *r, const char *key, const char *wanted)
{
    return wm_error_set(r->error, -WM_EINVAL,
                        "'%s' in row %zu of '%s' in '%s' is no %s; write the profile anew by 'waymark profile'", key,
                        r->row + 1, r->section, r->file, wanted);
}

static int read_text(const struct reading *r, const char *key, const json_t *json, char *out, size_t out_bytes)
{
    if (!json_is_string(json) || json_string_length(json) >= out_bytes)
        return refuse(r, key, "short text");
    strcpy(out, json_string_value(json));
    return 0;
}

static int read_origin(const struct reading *r, const json_t *json, uint8_t *origin)
{
    for (int i = WM_ASSUMED; i <= WM_MEASURED; i++)
        if (json_is_string(json) &&
            strcmp(json_string_value(json), wm_profile_origin_name((enum wm_profile_origin)i)) == 0) {
            *origin = (uint8_t)i;
            return 0;
        }
    return refuse(r, "origin", "'measured', 'derived' or 'assumed'");
}

/* A value is a number, or an object with one. */
static int read_value(const struct reading *r, const struct wm_profile_parameter *p, const json_t *json,
                      struct wm_profile_value *v)
{
    const json_t *value = json_is_object(json) ? json_object_get(json, "value") : json,
                 *low = json_object_get(json, "low"), *high = json_object_get(json, "high"),
                 *unit = json_object_get(json, "unit"), *probe = json_object_get(json, "probe"),
                 *origin = json_object_get(json, "origin");

    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return refuse(r, p->key, "whole number from 0 on");
    if (unit != NULL && (!json_is_string(unit) || strcmp(json_string_value(unit), wm_profile_unit_name(p->unit)) != 0))
        return refuse(r, p->key, "number in the unit that is wanted");
    v->value = json_integer_value(value);
    v->low = json_is_integer(low) ? json_integer_value(low) : v->value;
    v->high = json_is_integer(high) ? json_integer_value(high) : v->value;
    v->n = (int)json_integer_value(json_object_get(json, "n"));
    if (probe != NULL && read_text(r, "probe", probe, v->probe, sizeof v->probe) < 0)
        return r->error->code;
    return origin != NULL ? read_origin(r, origin, &v->origin) : 0;
}

static int read_net(const struct reading *r, const json_t *json, uint8_t *net)
{
    for (int i = 0; i < WM_NET_COUNT; i++)
        if (json_is_string(json) && strcmp(json_string_value(json), net_names[i]) == 0) {
            *net = (uint8_t)i;
            return 0;
        }
    return refuse(r, "net", "'mpi' or 'shm'");
}

static int read_number(const struct reading *r, const char *key, const json_t *json, uint64_t most, uint64_t *number)
{
    if (!json_is_integer(json) || json_integer_value(json) < 0 || (uint64_t)json_integer_value(json) > most)
        return refuse(r, key, "whole number from 0 on");
    *number = (uint64_t)json_integer_value(json);
    return 0;
}

static int read_member(const struct reading *r, struct wm_profile_row *row, const char *key, const json_t *json)
{
    enum wm_profile_section section = row->section;
    unsigned keys = wm_profile_section_keys(section);
    uint64_t number;
    int rc;

    if (((keys & WM_KEY_LEVEL) && strcmp(key, "level") == 0) || ((keys & WM_KEY_KIND) && strcmp(key, "kind") == 0))
        return read_text(r, key, json, row->name, sizeof row->name);
    if ((keys & WM_KEY_NET) && strcmp(key, "net") == 0)
        return read_net(r, json, &row->net);
    if ((keys & WM_KEY_UP_TO) && strcmp(key, "up_to") == 0)
        return read_number(r, key, json, INT64_MAX, &row->up_to);
    if ((keys & WM_KEY_MEMBERS) && strcmp(key, "members") == 0) {
        rc = read_number(r, key, json, INT32_MAX, &number);
        row->members = rc == 0 ? (int)number : 0;
        return rc;
    }
    for (int i = 0; i < wm_profile_parameter_count(section); i++)
        if (strcmp(key, wm_profile_parameter(section, i)->key) == 0)
            return read_value(r, wm_profile_parameter(section, i), json, &row->values[i]);
    return refuse(r, key, "parameter of that section");
}

static int read_section(struct wm_profile *profile, enum wm_profile_section section, const json_t *rows,
                        struct reading *r)
{
    const json_t *json, *member;
    const char *key;
    int rc = 0;

    r->section = wm_profile_section_key(section);
    if (rows != NULL && !json_is_array(rows))
        return wm_error_set(r->error, -WM_EINVAL,
                            "'%s' in '%s' is no list; write the profile anew by 'waymark profile'", r->section,
                            r->file);
    json_array_foreach (rows, r->row, json) {
        struct wm_profile_row *row = wm_profile_add(profile, section, NULL, 0, 0, 0);

        if (row == NULL)
            return wm_error_set(r->error, -WM_ENOMEM, "no memory for the profile '%s'", r->file);
        if (!json_is_object(json))
            return refuse(r, "it", "object");
        json_object_foreach ((json_t *)json, key, member)
            if (rc == 0)
                rc = read_member(r, row, key, member);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int read_fingerprint(struct wm_profile *profile, const json_t *json, struct reading *r)
{
    const json_t *text;
    int rc = 0;

    r->section = "fingerprint";
    r->row = 0;
#define X(field)                                                                                                       \
    if (rc == 0 && (text = json_object_get(json, #field)) != NULL)                                                     \
        rc = read_text(r, #field, text, profile->fingerprint.field, sizeof profile->fingerprint.field);
    WM_FINGERPRINT(X)
#undef X
    return rc;
}

int wm_profile_read(struct wm_profile *profile, const json_t *json, const char *file, struct wm_error *error)
{
    struct reading r = {.file = file, .error = error};
    const json_t *word = json_object_get(json, "format");
    int rc;

    *profile = (struct wm_profile){0};
    if (!json_is_string(word) || strcmp(json_string_value(word), format) != 0)
        return wm_error_set(error, -WM_EINVAL, "'%s' is no machine's profile; write one by 'waymark profile -o FILE'",
                            file);
    rc = read_fingerprint(profile, json_object_get(json, "fingerprint"), &r);
    for (int s = 0; rc == 0 && s < WM_PROFILE_SECTION_COUNT; s++)
        rc = read_section(profile, (enum wm_profile_section)s,
                          json_object_get(json, wm_profile_section_key((enum wm_profile_section)s)), &r);
    return rc;
}

int wm_profile_load(struct wm_profile *profile, const char *file, struct wm_error *error)
{
    json_error_t fault;
    json_t *json = json_load_file(file, 0, &fault);
    int rc;

    *profile = (struct wm_profile){0};
    if (json == NULL) {
        rc = wm_error_set(error, -WM_EINVAL, "cannot read the profile '%s': %s", file, fault.text);
        if (fault.line > 0)
            wm_error_place(error, file, fault.line, fault.column > 0 ? fault.column : 1);
        return rc;
    }
    rc = wm_profile_read(profile, json, file, error);
    json_decref(json);
    return rc;
}
