/* Settings out of the environment. */
#include "core/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *value_of(const char *name, const char *fallback)
{
    char variable[64];
    const char *value;

    snprintf(variable, sizeof variable, "WAYMARK_%s", name);
    value = getenv(variable);
    return value != NULL && value[0] != '\0' ? value : fallback;
}

static int wrong(const char *name, const char *value, const char *wanted, struct wm_error *error)
{
    return wm_error_set(error, -WM_EINVAL, "WAYMARK_%s is '%s', but must be %s", name, value, wanted);
}

static int read_text(char *out, const char *name, const char *value, struct wm_error *error)
{
    if (strlen(value) >= WM_SETTING_CHARS)
        return wm_error_set(error, -WM_EINVAL, "WAYMARK_%s has more than %d characters", name, WM_SETTING_CHARS - 1);
    strcpy(out, value);
    return 0;
}

static int read_power(int *out, const char *name, const char *value, struct wm_error *error)
{
    char *end;
    long power = strtol(value, &end, 10);

    if (end == value || *end != '\0' || power < 0 || power > 62)
        return wrong(name, value, "a power of two, from 0 to 62", error);
    *out = (int)power;
    return 0;
}

/* "64", "64KiB", "32MiB", "1GiB". */
static int read_bytes(size_t *out, const char *name, const char *value, struct wm_error *error)
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB"};
    char *end;
    double number = strtod(value, &end);

    for (int i = 0; i < 4; i++)
        if (end != value && number > 0 && strcmp(end, units[i]) == 0) {
            *out = (size_t)(number * (double)(1u << (10 * i)));
            return 0;
        }
    return wrong(name, value, "a size such as 8MiB", error);
}

static int read_seconds(double *out, const char *name, const char *value, struct wm_error *error)
{
    char *end;

    *out = strtod(value, &end);
    if (end == value || *end != '\0' || !(*out >= 0) || *out > 1e9)
        return wrong(name, value, "a number of seconds, or 0", error);
    return 0;
}

static int read_choice(int *out, const char *name, const char *value, const char *zero, const char *one,
                       struct wm_error *error)
{
    char wanted[128];

    *out = strcmp(value, one) == 0;
    if (*out || strcmp(value, zero) == 0)
        return 0;
    snprintf(wanted, sizeof wanted, "'%s' or '%s'", zero, one);
    return wrong(name, value, wanted, error);
}

static int read_level(enum wm_trace_level *out, const char *name, const char *value, struct wm_error *error)
{
    static const char *const levels[] = {"off", "calls", "detail"};

    for (int i = 0; i < 3; i++)
        if (strcmp(value, levels[i]) == 0) {
            *out = (enum wm_trace_level)i;
            return 0;
        }
    return wrong(name, value, "'off', 'calls' or 'detail'", error);
}

/* A number of `digits` alone at *at, which goes behind it; false: there is none. */
static bool read_number(double *out, const char **at, const char *digits)
{
    char *end;

    if (**at == '\0' || strchr(digits, **at) == NULL)
        return false;
    *out = strtod(*at, &end);
    if (strspn(*at, digits) != (size_t)(end - *at))
        return false;
    *at = end;
    return true;
}

/* "5-9"; either end may be left out; "" is all. The ends stay as they were where they are not said. */
static bool read_range(double *first, double *last, const char *value, const char *digits)
{
    bool begun;

    if (value[0] == '\0')
        return true;
    begun = read_number(first, &value, digits);
    if (*value++ != '-')
        return false;
    return *value == '\0' ? begun : read_number(last, &value, digits) && *value == '\0' && *first <= *last;
}

static int read_calls(struct wm_settings *s, const char *name, const char *value, struct wm_error *error)
{
    double first = 0, last = UINT32_MAX;

    if (!read_range(&first, &last, value, "0123456789") || first > UINT32_MAX || last > UINT32_MAX)
        return wrong(name, value, "numbers of calls such as 100-199, 100- or -199", error);
    s->trace_first_call = (uint32_t)first;
    s->trace_last_call = (uint32_t)last;
    return 0;
}

static int read_time(struct wm_settings *s, const char *name, const char *value, struct wm_error *error)
{
    s->trace_begin_s = 0;
    s->trace_end_s = INFINITY;
    if (!read_range(&s->trace_begin_s, &s->trace_end_s, value, "0123456789."))
        return wrong(name, value, "seconds since MPI_Init such as 1.5-20, 60- or -60", error);
    return 0;
}

/* MAP_DEADLINE is read where a map is opened (core/map/client.c), by the tools as well. */
static int read_one(struct wm_settings *s, const char *name, const char *value, struct wm_error *error)
{
    int choice = 0, rc = 0;

    if (strcmp(name, "MAP") == 0)
        return read_text(s->map, name, value, error);
    if (strcmp(name, "TRACE") == 0)
        return read_text(s->trace, name, value, error);
    if (strcmp(name, "TRACE_BYTES") == 0)
        return read_bytes(&s->trace_bytes, name, value, error);
    if (strcmp(name, "TRACE_LEVEL") == 0)
        return read_level(&s->trace_level, name, value, error);
    if (strcmp(name, "TRACE_CALLS") == 0)
        return read_calls(s, name, value, error);
    if (strcmp(name, "TRACE_TIME") == 0)
        return read_time(s, name, value, error);
    if (strcmp(name, "TRACE_SAMPLE") == 0)
        return read_power(&s->trace_sample, name, value, error);
    if (strcmp(name, "TRACE_MODE") == 0) {
        rc = read_choice(&choice, name, value, "flight", "full", error);
        s->trace_mode = choice ? WM_TRACE_FULL : WM_TRACE_FLIGHT;
    } else if (strcmp(name, "ON_ERROR") == 0) {
        rc = read_choice(&choice, name, value, "abort", "native", error);
        s->native_on_error = choice;
    } else if (strcmp(name, "VERBOSE") == 0) {
        if (strlen(value) != 1 || value[0] < '0' || value[0] > '2')
            return wrong(name, value, "0, 1 or 2", error);
        s->verbose = value[0] - '0';
    } else if (strcmp(name, "START_DEADLINE") == 0) {
        return read_seconds(&s->start_deadline_s, name, value, error);
    }
    return rc;
}

int wm_settings_read(struct wm_settings *settings, struct wm_error *error)
{
    int rc = 0;

    memset(settings, 0, sizeof *settings);
#define X(name, fallback, help)                                                                                        \
    if (rc == 0)                                                                                                       \
        rc = read_one(settings, #name, value_of(#name, fallback), error);
    WM_SETTINGS(X)
#undef X
    return rc;
}
