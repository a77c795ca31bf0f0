/* Settings out of the environment. */
#include "core/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/parse.h"

enum { WANTED_CHARS = 128, DEADLINE_MOST_S = 300 };

/* A value under way. */
struct reading {
    const char *name, *value; /* without WAYMARK_ */
    struct wm_error *error;
};

static int wrong(const struct reading *r, const char *wanted)
{
    return wm_error_set(r->error, -WM_EINVAL, "WAYMARK_%s is '%s', but must be %s", r->name, r->value, wanted);
}

static int read_text(char (*out)[WM_SETTING_CHARS], const struct reading *r)
{
    if (strlen(r->value) >= sizeof *out)
        return wm_error_set(r->error, -WM_EINVAL, "WAYMARK_%s has more than %d characters", r->name,
                            WM_SETTING_CHARS - 1);
    strcpy(*out, r->value);
    return 0;
}

/* One of `count` words: *out is its index. */
static int read_word(int *out, const struct reading *r, const char *const *words, int count)
{
    char wanted[WANTED_CHARS] = "";

    for (*out = 0; *out < count; ++*out)
        if (strcmp(r->value, words[*out]) == 0)
            return 0;
    for (int i = 0; i < count; i++)
        snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s'%s'",
                 i == 0           ? ""
                 : i == count - 1 ? " or "
                                  : ", ",
                 words[i]);
    return wrong(r, wanted);
}

static int read_mode(enum wm_trace_mode *out, const struct reading *r)
{
    static const char *const words[] = {[WM_TRACE_FLIGHT] = "flight", [WM_TRACE_FULL] = "full"};
    int word, rc = read_word(&word, r, words, 2);

    *out = (enum wm_trace_mode)word;
    return rc;
}

static int read_level(enum wm_trace_level *out, const struct reading *r)
{
    static const char *const words[] = {
        [WM_TRACE_OFF] = "off", [WM_TRACE_CALLS] = "calls", [WM_TRACE_DETAIL] = "detail"};
    int word, rc = read_word(&word, r, words, 3);

    *out = (enum wm_trace_level)word;
    return rc;
}

static int read_clock(enum wm_trace_clock *out, const struct reading *r)
{
    static const char *const words[] = {[WM_CLOCK_TSC] = "tsc", [WM_CLOCK_MONOTONIC] = "monotonic"};
    int word, rc = read_word(&word, r, words, 2);

    *out = (enum wm_trace_clock)word;
    return rc;
}

static int read_remedy(enum wm_remedy *remedy, const struct reading *r)
{
    static const char *const words[] = {"start", "abort", "native"};
    int word, rc = read_word(&word, r, words, 3);

    *remedy = (enum wm_remedy)word;
    return rc;
}

static int read_guard(enum wm_guard_wish *wish, const struct reading *r)
{
    static const char *const words[] = {[WM_GUARD_OFF] = "off", [WM_GUARD_ON] = "on", [WM_GUARD_WATCH] = "watch"};
    int word, rc = read_word(&word, r, words, 3);

    *wish = (enum wm_guard_wish)word;
    return rc;
}

static int read_verify(enum wm_verify_wish *wish, const struct reading *r)
{
    static const char *const words[] = {[WM_VERIFY_OFF] = "off",
                                        [WM_VERIFY_WATCH] = "watch",
                                        [WM_VERIFY_EACH] = "each",
                                        [WM_VERIFY_RESULTS] = "results",
                                        [WM_VERIFY_FULL] = "full"};
    int word, rc = read_word(&word, r, words, 5);

    *wish = (enum wm_verify_wish)word;
    return rc;
}

static int read_mismatch(enum wm_mismatch_remedy *remedy, const struct reading *r)
{
    static const char *const words[] = {
        [WM_MISMATCH_REPORT] = "report", [WM_MISMATCH_ERROR] = "error", [WM_MISMATCH_ABORT] = "abort"};
    int word, rc = read_word(&word, r, words, 3);

    *remedy = (enum wm_mismatch_remedy)word;
    return rc;
}

static int read_verbosity(int *out, const struct reading *r)
{
    uint64_t number;

    if (!wm_parse_number(r->value, 0, 2, &number))
        return wrong(r, "0, 1 or 2");
    *out = (int)number;
    return 0;
}

static int read_flag(bool *out, const struct reading *r)
{
    uint64_t number;

    if (!wm_parse_number(r->value, 0, 1, &number))
        return wrong(r, "0 or 1");
    *out = number != 0;
    return 0;
}

static int read_power(int *out, const struct reading *r)
{
    uint64_t number;

    if (!wm_parse_number(r->value, 0, 62, &number))
        return wrong(r, "a power of two, from 0 to 62");
    *out = (int)number;
    return 0;
}

static int read_bytes(size_t *out, const struct reading *r)
{
    uint64_t bytes;

    if (!wm_parse_bytes(r->value, &bytes) || bytes == 0)
        return wrong(r, "a size such as 8MiB");
    *out = bytes;
    return 0;
}

static bool read_real(double *out, const struct reading *r)
{
    char *end;

    *out = strtod(r->value, &end);
    return end != r->value && *end == '\0';
}

static int read_seconds(double *out, const struct reading *r)
{
    return read_real(out, r) && *out >= 0 && *out <= 1e9 ? 0 : wrong(r, "a number of seconds, or 0");
}

/* Seconds, in milliseconds. Beyond the most of them the server would die of its sandbox, without a word. */
static int read_deadline(unsigned *out_ms, const struct reading *r)
{
    double seconds;

    if (!read_real(&seconds, r) || !(seconds >= 0.001 && seconds <= DEADLINE_MOST_S))
        return wrong(r, "a number of seconds from 0.001 to 300");
    *out_ms = (unsigned)(seconds * 1000);
    return 0;
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

static int read_calls(struct wm_call_window *out, const struct reading *r)
{
    double first = 0, last = UINT32_MAX;

    if (!read_range(&first, &last, r->value, "0123456789") || first > UINT32_MAX || last > UINT32_MAX)
        return wrong(r, "numbers of calls such as 100-199, 100- or -199");
    *out = (struct wm_call_window){(uint32_t)first, (uint32_t)last};
    return 0;
}

static int read_time(struct wm_time_window *out, const struct reading *r)
{
    *out = (struct wm_time_window){0, INFINITY};
    if (!read_range(&out->begin_s, &out->end_s, r->value, "0123456789."))
        return wrong(r, "seconds since MPI_Init such as 1.5-20, 60- or -60");
    return 0;
}

const char *wm_environment_or(const char *variable, const char *fallback)
{
    const char *value = getenv(variable);

    return value != NULL && value[0] != '\0' ? value : fallback;
}

int wm_setting_read(struct wm_settings *settings, enum wm_setting which, struct wm_error *error)
{
    switch (which) {
#define X(name, field, type, fallback, help)                                                                           \
    case WM_SETTING_##name:                                                                                            \
        return read_##type(&settings->field,                                                                           \
                           &(struct reading){#name, wm_environment_or("WAYMARK_" #name, fallback), error});
        WM_SETTINGS(X)
#undef X
    case WM_SETTING_COUNT:
        break;
    }
    return -WM_EINVAL;
}

int wm_settings_read(struct wm_settings *settings, struct wm_error *error)
{
    int rc = 0;

    memset(settings, 0, sizeof *settings);
    for (int i = 0; rc == 0 && i < WM_SETTING_COUNT; i++)
        rc = wm_setting_read(settings, (enum wm_setting)i, error);
    return rc;
}
