/* Rows of a profile, and the samples that they are made of. */
#include "tools/gauge/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double wm_gauge_number(const json_t *json, const char *key)
{
    return json_number_value(json_object_get(json, key));
}

int wm_gauge_samples(const json_t *group, enum wm_gauge_family family, enum wm_operation operation, uint64_t bytes,
                     double *ns, int room)
{
    const json_t *probe, *sample;
    size_t i, j;

    json_array_foreach (json_object_get(group, "probes"), i, probe) {
        const char *name = json_string_value(json_object_get(probe, "family"));

        if (name == NULL || strcmp(name, wm_gauge_family_name(family)) != 0 ||
            wm_gauge_number(probe, "operation") != operation || wm_gauge_number(probe, "bytes") != (double)bytes)
            continue;
        json_array_foreach (json_object_get(probe, "ns"), j, sample)
            if ((int)j < room)
                ns[j] = json_number_value(sample);
        return (int)j < room ? (int)j : room;
    }
    return 0;
}

struct wm_gauge_estimate wm_gauge_estimate_of(const json_t *group, enum wm_gauge_family family,
                                              enum wm_operation operation, uint64_t bytes)
{
    double ns[WM_GAUGE_SAMPLES_MAX];
    int n = wm_gauge_samples(group, family, operation, bytes, ns, WM_GAUGE_SAMPLES_MAX);

    return wm_gauge_estimate(ns, n);
}

void wm_gauge_set(const struct wm_gauge_filling *f, int parameter, double value, enum wm_profile_origin origin)
{
    struct wm_profile_value *v;

    if (f->row == NULL)
        return;
    v = &f->row->values[parameter];
    v->value = value > 0 ? llround(value) : 0;
    v->low = value > 0 && f->width < 1 ? llround(value * (1 - f->width)) : 0;
    v->high = value > 0 ? llround(value * (1 + f->width)) : 0;
    v->n = origin == WM_ASSUMED ? 0 : f->n;
    v->origin = (uint8_t)origin;
    if (origin == WM_ASSUMED)
        v->low = v->high = v->value;
    else
        snprintf(v->probe, sizeof v->probe, "%s", f->probe);
}

void wm_gauge_set_ns(const struct wm_gauge_filling *f, int parameter, double ns, enum wm_profile_origin origin)
{
    wm_gauge_set(f, parameter, ns * 1e3, origin);
}

void wm_gauge_set_slope(const struct wm_gauge_filling *f, int parameter, double ns_per_byte,
                        enum wm_profile_origin origin)
{
    wm_gauge_set(f, parameter, ns_per_byte * 1e6, origin);
}

struct wm_gauge_filling wm_gauge_add_row(struct wm_gauge_build *b, enum wm_profile_section section, const char *name,
                                         int net, int members, uint64_t up_to)
{
    struct wm_gauge_filling f = {.row = wm_profile_add(b->profile, section, name, net, members, up_to), .probe = ""};

    b->short_of_memory = b->short_of_memory || f.row == NULL;
    return f;
}

void wm_gauge_add_point(struct wm_gauge_series *s, uint64_t bytes, struct wm_gauge_estimate e)
{
    if (e.n == 0 || s->count == WM_GAUGE_POINTS_MAX)
        return;
    s->points[s->count++] = (struct wm_gauge_point){bytes, e.value > 0 ? e.value : 0};
    s->n = e.n;
    s->width = fmax(s->width, wm_gauge_width(&e, 1));
}

struct wm_gauge_series wm_gauge_list_series(const json_t *group, enum wm_gauge_family family,
                                            enum wm_operation operation, uint64_t low, uint64_t high)
{
    struct wm_gauge_series s = {0};

    for (uint64_t bytes = 8; bytes <= UINT64_C(1) << 30 && bytes <= high; bytes = wm_gauge_next_bytes(bytes))
        if (bytes > low)
            wm_gauge_add_point(&s, bytes, wm_gauge_estimate_of(group, family, operation, bytes));
    return s;
}
