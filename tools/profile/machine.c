/* A machine's profile: its tables, its rows, and which row serves a size. */
#include "tools/profile/machine.h"

#include <stdlib.h>
#include <string.h>
#include "core/vector.h"

#define X(id, key, unit, what) {key, what, WM_UNIT_##unit},
#define SECTION(id, key, parameters, keys, what)                                                                       \
    static const struct wm_profile_parameter id##_parameters[] = {parameters(X)};
WM_PROFILE_SECTIONS(SECTION)
#undef SECTION
#undef X

static const struct {
    const char *key;
    unsigned keys;
    int count;
    const struct wm_profile_parameter *parameters;
} sections[] = {
#define X(id, key, parameters, keys, what) {key, keys, WM_##id##_COUNT, id##_parameters},
    WM_PROFILE_SECTIONS(X)
#undef X
};

const char *wm_profile_section_key(enum wm_profile_section section)
{
    return sections[section].key;
}

unsigned wm_profile_section_keys(enum wm_profile_section section)
{
    return sections[section].keys;
}

int wm_profile_parameter_count(enum wm_profile_section section)
{
    return sections[section].count;
}

const struct wm_profile_parameter *wm_profile_parameter(enum wm_profile_section section, int parameter)
{
    return &sections[section].parameters[parameter];
}

const char *wm_profile_unit_name(enum wm_profile_unit unit)
{
    static const char *const names[] = {[WM_UNIT_PS] = "ps",
                                        [WM_UNIT_FS_PER_BYTE] = "fs/B",
                                        [WM_UNIT_BYTES] = "B",
                                        [WM_UNIT_COUNT] = "",
                                        [WM_UNIT_PPM] = "ppm"};

    return names[unit];
}

const char *wm_profile_origin_name(enum wm_profile_origin origin)
{
    static const char *const names[] = {[WM_ASSUMED] = "assumed", [WM_DERIVED] = "derived", [WM_MEASURED] = "measured"};

    return names[origin];
}

struct wm_profile_row *wm_profile_add(struct wm_profile *profile, enum wm_profile_section section, const char *name,
                                      int net, int members, uint64_t up_to)
{
    struct wm_profile_row *row;

    if (wm_vector_reserve(&profile->rows, &profile->row_room, profile->row_count + 1, sizeof *profile->rows) < 0)
        return NULL;
    row = &profile->rows[profile->row_count++];
    *row =
        (struct wm_profile_row){.section = (uint8_t)section, .net = (uint8_t)net, .members = members, .up_to = up_to};
    if (name != NULL)
        strncpy(row->name, name, sizeof row->name - 1);
    return row;
}

/* How far a row is from what is asked for: less is nearer; by members, then by size. */
static bool is_nearer(const struct wm_profile_row *a, const struct wm_profile_row *b, int members, uint64_t bytes)
{
    int away = abs(a->members - members), other = abs(b->members - members);
    bool holds = a->up_to == 0 || a->up_to >= bytes, held = b->up_to == 0 || b->up_to >= bytes;

    if (away != other)
        return away < other;
    if (holds != held)
        return holds;
    return holds ? a->up_to - 1 < b->up_to - 1 : a->up_to > b->up_to; /* 0, any size, is the largest */
}

static const struct wm_profile_row *find_named(const struct wm_profile *profile, enum wm_profile_section section,
                                               const char *name, int net, int members, uint64_t bytes)
{
    const unsigned keys = sections[section].keys;
    const struct wm_profile_row *best = NULL;

    for (size_t i = 0; i < profile->row_count; i++) {
        const struct wm_profile_row *row = &profile->rows[i];

        if (row->section != section || ((keys & WM_KEY_NET) && row->net != net) ||
            ((keys & (WM_KEY_LEVEL | WM_KEY_KIND)) && strcmp(row->name, name) != 0))
            continue;
        if (best == NULL || is_nearer(row, best, members, bytes))
            best = row;
    }
    return best;
}

const struct wm_profile_row *wm_profile_find(const struct wm_profile *profile, enum wm_profile_section section,
                                             const char *name, int net, int members, uint64_t bytes)
{
    const struct wm_profile_row *row = find_named(profile, section, name, net, members, bytes);

    return row != NULL ? row : find_named(profile, section, "*", net, members, bytes);
}

void wm_profile_release(struct wm_profile *profile)
{
    free(profile->rows);
    *profile = (struct wm_profile){0};
}

const char *wm_profile_item_kind(uint64_t bytes)
{
    bool inlined = bytes == 4 || bytes == 8 || bytes == 16 || bytes == 32 || bytes == 64 || bytes == 128;

    return inlined ? "inlined" : "copied";
}
