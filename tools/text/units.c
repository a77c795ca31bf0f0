/* Numbers with their units. */
#include "tools/text/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Three figures: 1.23, 12.3, 123. */
static struct wm_text figures(double value, const char *unit)
{
    struct wm_text out;
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

    snprintf(out.text, sizeof out.text, "%.*f %s", decimals, value, unit);
    return out;
}

struct wm_text wm_time_text(int64_t ns)
{
    static const char *const units[] = {"ns", "µs", "ms", "s"};
    double value = (double)ns;
    struct wm_text out;
    int unit = 0;

    if (ns < 0) {
        struct wm_text positive = wm_time_text(ns == INT64_MIN ? INT64_MAX : -ns);

        snprintf(out.text, sizeof out.text, "-%.40s", positive.text);
        return out;
    }
    if (ns < 1000) {
        snprintf(out.text, sizeof out.text, "%d ns", (int)ns);
        return out;
    }
    if (value >= 119.5e9) {
        int64_t seconds = (ns + 500000000) / 1000000000;

        snprintf(out.text, sizeof out.text, "%" PRId64 " min %02d s", seconds / 60, (int)(seconds % 60));
        return out;
    }
    for (; value >= 999.5 && unit < 3; unit++)
        value /= 1000;
    return figures(value, units[unit]);
}

struct wm_text wm_bytes_text(uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    struct wm_text out;
    int unit = 0;

    for (; value >= 1023.5 && unit < 6; unit++)
        value /= 1024;
    snprintf(out.text, sizeof out.text, "%.*f %s", unit > 0 && value < 99.95 && value != (double)(int)value, value,
             units[unit]);
    return out;
}

struct wm_text wm_count_text(uint64_t count)
{
    struct wm_text out;

    if (count >= 10000000)
        return figures((double)count / 1e6, "M");
    if (count >= 1000000)
        snprintf(out.text, sizeof out.text, "%d,%03d,%03d", (int)(count / 1000000), (int)(count / 1000 % 1000),
                 (int)(count % 1000));
    else if (count >= 1000)
        snprintf(out.text, sizeof out.text, "%d,%03d", (int)(count / 1000), (int)(count % 1000));
    else
        snprintf(out.text, sizeof out.text, "%d", (int)count);
    return out;
}

struct wm_text wm_number_text(uint64_t count, const char *noun)
{
    struct wm_text out;

    snprintf(out.text, sizeof out.text, "%.20s %.24s%s", wm_count_text(count).text, noun, count == 1 ? "" : "s");
    return out;
}

struct wm_text wm_share_text(int64_t part, int64_t whole)
{
    struct wm_text out = {"-"};
    double percent = whole > 0 ? 100 * (double)part / (double)whole : 0;

    if (whole <= 0)
        return out;
    if (part > 0 && percent < 1)
        strcpy(out.text, "<1 %");
    else
        snprintf(out.text, sizeof out.text, "%.0f %%", percent);
    return out;
}

void wm_ranks_text(const int *ranks, int count, char *out, size_t out_bytes)
{
    size_t length = 0;

    out[0] = '\0';
    for (int i = 0, end; i < count; i = end) {
        char range[32];

        for (end = i + 1; end < count && ranks[end] == ranks[end - 1] + 1;)
            end++;
        if (end - i > 1)
            snprintf(range, sizeof range, "%s%d-%d", i ? ", " : "", ranks[i], ranks[end - 1]);
        else
            snprintf(range, sizeof range, "%s%d", i ? ", " : "", ranks[i]);
        if (length + strlen(range) + 8 > out_bytes) {
            strcpy(out + length, ", …");
            return;
        }
        strcpy(out + length, range);
        length += strlen(range);
    }
}

size_t wm_text_columns(const char *text)
{
    size_t columns = 0;

    for (; *text != '\0'; text++)
        columns += ((unsigned char)*text & 0xc0) != 0x80;
    return columns;
}
