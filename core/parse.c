/* What people write on a command line or in a setting, read: sizes, whole numbers, times, lists of ranges and of names.
 */
#include "core/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_CHARS = 64 };

/* The digits at the word's beginning; *rest is what stands behind them. */
static bool read_digits(const char *word, uint64_t *number, char **rest)
{
    errno = 0;
    *number = strtoull(word, rest, 10);
    return word[0] >= '0' && word[0] <= '9' && errno == 0;
}

bool wm_parse_bytes(const char *word, uint64_t *bytes)
{
    static const struct {
        const char *name;
        int shift;
    } units[] = {{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
    char *unit;
    uint64_t number;

    if (!read_digits(word, &number, &unit))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].name) == 0 && number <= UINT64_C(1) << (50 - units[i].shift)) {
            *bytes = number << units[i].shift;
            return true;
        }
    return false;
}

bool wm_parse_number(const char *word, uint64_t least, uint64_t most, uint64_t *number)
{
    char *rest;
    uint64_t value;

    if (!read_digits(word, &value, &rest) || *rest != '\0' || value < least || value > most)
        return false;
    *number = value;
    return true;
}

bool wm_parse_count(const char *word, uint64_t *count)
{
    return wm_parse_number(word, 0, (1 << 30) - 1, count);
}

bool wm_parse_time(const char *word, int64_t *ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"min", 60e9}};
    size_t digits = strspn(word, "0123456789.");
    char *unit;
    double value = strtod(word, &unit);

    if (digits == 0 || unit != word + digits)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].name) == 0 && value * units[i].ns < 1e17) {
            *ns = (int64_t)(value * units[i].ns + 0.5);
            return true;
        }
    return false;
}

bool wm_parse_range(const char **list, bool (*read)(const char *, uint64_t *), uint64_t *first, uint64_t *last)
{
    size_t length = strcspn(*list, ",");
    char word[WORD_CHARS], *dash;
    uint64_t low, high;

    if (length >= sizeof word)
        return false;
    snprintf(word, sizeof word, "%.*s", (int)length, *list);
    if ((dash = strchr(word, '-')) != NULL)
        *dash++ = '\0';
    if (!read(word, &low) || !read(dash != NULL ? dash : word, &high))
        return false;
    *first = low;
    *last = high;
    *list = (*list)[length] == ',' ? *list + length + 1 : NULL;
    return true;
}

/* '_' and '-' are one. */
static bool same_name(const char *name, const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (name[i] != (word[i] == '_' ? '-' : word[i]))
            return false;
    return name[length] == '\0';
}

static uint64_t bits_of(const char *word, size_t length, const char *const *names, size_t count)
{
    if (same_name("all", word, length))
        return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
    for (size_t i = 0; i < count; i++)
        if (same_name(names[i], word, length))
            return UINT64_C(1) << i;
    return 0;
}

bool wm_parse_names(const char *list, const char *const *names, size_t count, uint64_t *bits, char *wrong,
                    size_t wrong_bytes)
{
    uint64_t sum = 0;

    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        uint64_t found = bits_of(at, length, names, count);

        if (found == 0) {
            snprintf(wrong, wrong_bytes, "%.*s", (int)length, at);
            return false;
        }
        sum |= found;
        at += length;
        if (*at == '\0')
            break;
    }
    *bits = sum;
    return true;
}
