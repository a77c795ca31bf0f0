/* Settings: what each variable may say, and what is said of one that may not. */
#include "core/settings.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/check.h"

static const char *const names[WM_SETTING_COUNT] = {
#define X(name, field, type, fallback, help) "WAYMARK_" #name,
    WM_SETTINGS(X)
#undef X
};

static void clear(void)
{
    for (int i = 0; i < WM_SETTING_COUNT; i++)
        unsetenv(names[i]);
}

/* Read with one variable set. */
static int read_with(enum wm_setting which, const char *value, struct wm_settings *settings, struct wm_error *error)
{
    clear();
    setenv(names[which], value, 1);
    return wm_settings_read(settings, error);
}

static void settings__have_defaults(void)
{
    struct wm_settings s;
    struct wm_error error;

    clear();
    CU_ASSERT_EQUAL_FATAL(wm_settings_read(&s, &error), 0);
    CU_ASSERT_STRING_EQUAL(s.map, "");
    CU_ASSERT_EQUAL(s.trace_mode, WM_TRACE_FLIGHT);
    CU_ASSERT_EQUAL(s.trace_bytes, 32 << 20);
    CU_ASSERT_EQUAL(s.trace_level, WM_TRACE_DETAIL);
    CU_ASSERT_EQUAL(s.trace_calls.first, 0);
    CU_ASSERT_EQUAL(s.trace_calls.last, UINT32_MAX);
    CU_ASSERT_EQUAL(s.trace_time.end_s, INFINITY);
    CU_ASSERT_EQUAL(s.trace_clock, WM_CLOCK_TSC);
    CU_ASSERT_EQUAL(s.trace_sample, 10);
    CU_ASSERT_EQUAL(s.on_error, WM_REMEDY_START);
    CU_ASSERT_EQUAL(s.verbose, 0);
    CU_ASSERT_EQUAL(s.map_deadline_ms, 10000);
    CU_ASSERT_EQUAL(s.start_deadline_s, 30);
    CU_ASSERT_EQUAL(s.patience_s, 60);
}

static void settings__that_are_empty_are_unset(void)
{
    struct wm_settings s;
    struct wm_error error;

    for (int i = 0; i < WM_SETTING_COUNT; i++)
        CU_ASSERT_EQUAL(read_with((enum wm_setting)i, "", &s, &error), 0);
    CU_ASSERT_EQUAL(s.trace_sample, 10);
}

static void settings__take_what_they_may_be(void)
{
    struct wm_settings s;
    struct wm_error error;

    CU_ASSERT_EQUAL(read_with(WM_SETTING_MAP, "ring", &s, &error), 0);
    CU_ASSERT_STRING_EQUAL(s.map, "ring");
    CU_ASSERT_EQUAL(read_with(WM_SETTING_TRACE_MODE, "full", &s, &error), 0);
    CU_ASSERT_EQUAL(s.trace_mode, WM_TRACE_FULL);
    CU_ASSERT_EQUAL(read_with(WM_SETTING_TRACE_BYTES, "64KiB", &s, &error), 0);
    CU_ASSERT_EQUAL(s.trace_bytes, 65536);
    CU_ASSERT_EQUAL(read_with(WM_SETTING_TRACE_LEVEL, "off", &s, &error), 0);
    CU_ASSERT_EQUAL(s.trace_level, WM_TRACE_OFF);
    CU_ASSERT_EQUAL(read_with(WM_SETTING_TRACE_CALLS, "100-199", &s, &error), 0);
    CU_ASSERT_EQUAL(s.trace_calls.first, 100);
    CU_ASSERT_EQUAL(s.trace_calls.last, 199);
    CU_ASSERT_EQUAL(read_with(WM_SETTING_TRACE_TIME, "1.5-", &s, &error), 0);
    CU_ASSERT_EQUAL(s.trace_time.begin_s, 1.5);
    CU_ASSERT_EQUAL(read_with(WM_SETTING_TRACE_CLOCK, "monotonic", &s, &error), 0);
    CU_ASSERT_EQUAL(s.trace_clock, WM_CLOCK_MONOTONIC);
    CU_ASSERT_EQUAL(read_with(WM_SETTING_ON_ERROR, "native", &s, &error), 0);
    CU_ASSERT_EQUAL(s.on_error, WM_REMEDY_NATIVE);
    CU_ASSERT_EQUAL(read_with(WM_SETTING_ON_ERROR, "abort", &s, &error), 0);
    CU_ASSERT_EQUAL(s.on_error, WM_REMEDY_ABORT);
    CU_ASSERT_EQUAL(read_with(WM_SETTING_MAP_DEADLINE, "0.5", &s, &error), 0);
    CU_ASSERT_EQUAL(s.map_deadline_ms, 500);
    CU_ASSERT_EQUAL(read_with(WM_SETTING_GUARD, "on", &s, &error), 0);
    CU_ASSERT_EQUAL(s.guard, WM_GUARD_ON);
    CU_ASSERT_EQUAL(read_with(WM_SETTING_GUARD, "watch", &s, &error), 0);
    CU_ASSERT_EQUAL(s.guard, WM_GUARD_WATCH);
    CU_ASSERT_EQUAL(read_with(WM_SETTING_VERIFY, "each", &s, &error), 0);
    CU_ASSERT_EQUAL(s.verify, WM_VERIFY_EACH);
    CU_ASSERT_EQUAL(read_with(WM_SETTING_MISMATCH, "report", &s, &error), 0);
    CU_ASSERT_EQUAL(s.mismatch, WM_MISMATCH_REPORT);
    CU_ASSERT_EQUAL(read_with(WM_SETTING_RETUNE, "0.5", &s, &error), 0);
    CU_ASSERT_EQUAL(s.retune_s, 0.5);
    CU_ASSERT_EQUAL(read_with(WM_SETTING_START_DEADLINE, "0", &s, &error), 0);
    CU_ASSERT_EQUAL(s.start_deadline_s, 0);
    CU_ASSERT_EQUAL(read_with(WM_SETTING_UNEXPECTED, "2KiB", &s, &error), 0);
    CU_ASSERT_EQUAL(s.unexpected_bytes, 2048);
}

static void settings__that_are_none_are_refused(void)
{
    static const struct {
        enum wm_setting which;
        const char *value, *wanted;
    } cases[] = {
        {WM_SETTING_TRACE_MODE, "sideways", "'flight' or 'full'"},
        {WM_SETTING_TRACE_BYTES, "8MB", "a size such as 8MiB"},
        {WM_SETTING_TRACE_BYTES, "-1", "a size such as 8MiB"},
        {WM_SETTING_TRACE_BYTES, "1e30GiB", "a size such as 8MiB"},
        {WM_SETTING_TRACE_BYTES, "9000000000000000", "a size such as 8MiB"},
        {WM_SETTING_TRACE_LEVEL, "all", "'off', 'calls' or 'detail'"},
        {WM_SETTING_TRACE_CALLS, "9-5", "numbers of calls such as 100-199, 100- or -199"},
        {WM_SETTING_TRACE_TIME, "now", "seconds since MPI_Init such as 1.5-20, 60- or -60"},
        {WM_SETTING_TRACE_CLOCK, "sun", "'tsc' or 'monotonic'"},
        {WM_SETTING_TRACE_SAMPLE, "63", "a power of two, from 0 to 62"},
        {WM_SETTING_ON_ERROR, "panic", "'start', 'abort' or 'native'"},
        {WM_SETTING_GUARD, "yes", "'off', 'on' or 'watch'"},
        {WM_SETTING_VERIFY, "all", "'off', 'watch', 'each', 'results' or 'full'"},
        {WM_SETTING_MISMATCH, "panic", "'report', 'error' or 'abort'"},
        {WM_SETTING_RETUNE, "often", "a number of seconds, or 0"},
        {WM_SETTING_VERBOSE, "9", "0, 1 or 2"},
        {WM_SETTING_START_DEADLINE, "-1", "a number of seconds, or 0"},
    };
    struct wm_settings s;
    struct wm_error error;
    char sentence[256];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(sentence, sizeof sentence, "%s is '%s', but must be %s", names[cases[i].which], cases[i].value,
                 cases[i].wanted);
        CU_ASSERT_EQUAL(read_with(cases[i].which, cases[i].value, &s, &error), -WM_EINVAL);
        CU_ASSERT_STRING_EQUAL(error.text, sentence);
    }
}

static void settings__deadline_is_a_number_within_bounds(void)
{
    static const char *const none[] = {"abc", "0", "-5", "nan", "inf", "1e30", "301", "1e-9", "5s", "1,5", " ", "0x"};
    static const char *const good[] = {"", "0.001", "2", "1.5", "300", "1e2"};
    struct wm_settings s;
    struct wm_error error;
    char sentence[128];

    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        snprintf(sentence, sizeof sentence,
                 "WAYMARK_MAP_DEADLINE is '%s', but must be a number of seconds from 0.001 to 300", none[i]);
        CU_ASSERT_EQUAL(read_with(WM_SETTING_MAP_DEADLINE, none[i], &s, &error), -WM_EINVAL);
        CU_ASSERT_STRING_EQUAL(error.text, sentence);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        CU_ASSERT_EQUAL(read_with(WM_SETTING_MAP_DEADLINE, good[i], &s, &error), 0);
}

static void setting__is_read_alone(void)
{
    struct wm_settings s;
    struct wm_error error;

    clear();
    setenv("WAYMARK_VERBOSE", "9", 1);
    setenv("WAYMARK_MAP_DEADLINE", "2", 1);
    CU_ASSERT_EQUAL(wm_setting_read(&s, WM_SETTING_MAP_DEADLINE, &error), 0);
    CU_ASSERT_EQUAL(s.map_deadline_ms, 2000);
}

static const struct check_case cases[] = {
    CASE(settings__have_defaults),
    CASE(settings__that_are_empty_are_unset),
    CASE(settings__take_what_they_may_be),
    CASE(settings__that_are_none_are_refused),
    CASE(settings__deadline_is_a_number_within_bounds),
    CASE(setting__is_read_alone),
};

CHECK_MAIN("settings", cases)
