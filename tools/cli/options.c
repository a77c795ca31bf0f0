/* Readers of options' arguments. */
#include "tools/cli/options.h"

#include <string.h>
#include "core/parse.h"

enum { CHOICES_CHARS = 128 };

int wm_option_flag(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    (void)a, (void)option;
    *(bool *)place = true;
    return 0;
}

int wm_option_count(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    (void)a, (void)option;
    ++*(int *)place;
    return 0;
}

int wm_option_word(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    (void)option;
    *(const char **)place = a->value;
    return 0;
}

int wm_option_name(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    *(const char **)place = a->value;
    if (a->value[0] != '\0')
        return 0;
    return wm_arguments_misuse(a, "'--%s' needs its argument %s, and that is empty", option->name, option->argument);
}

/* "text|html|json" as "'text', 'html' or 'json'". */
static void list_choices(const char *choices, char *out)
{
    size_t used = 0;

    for (const char *at = choices; *at != '\0' && used < CHOICES_CHARS;) {
        size_t length = strcspn(at, "|");
        bool last = at[length] == '\0';

        used += (size_t)snprintf(out + used, CHOICES_CHARS - used, "%s'%.*s'",
                                 at == choices ? ""
                                 : last        ? " or "
                                               : ", ",
                                 (int)length, at);
        at += length + !last;
    }
}

/* The index of the word in option->argument, or -1. */
static int find_choice(const struct wm_arguments *a, const struct wm_option *option)
{
    const char *at = option->argument;

    for (int i = 0;; i++) {
        size_t length = strcspn(at, "|");

        if (strlen(a->value) == length && strncmp(at, a->value, length) == 0)
            return i;
        if (at[length] == '\0')
            return -1;
        at += length + 1;
    }
}

int wm_option_choice(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    int choice = find_choice(a, option);
    char choices[CHOICES_CHARS];

    if (choice >= 0) {
        *(int *)place = choice;
        return 0;
    }
    list_choices(option->argument, choices);
    return wm_arguments_misuse(a, "--%s is %s, not '%s'", option->name, choices, a->value);
}

int wm_option_one_of(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    int choice;

    *(const char **)place = a->value;
    return wm_option_choice(&choice, a, option);
}

int wm_option_yes(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    int choice, status = wm_option_choice(&choice, a, option);

    if (status == 0)
        *(bool *)place = strcmp(a->value, "yes") == 0;
    return status;
}

int wm_option_size(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    if (wm_parse_bytes(a->value, place) && *(uint64_t *)place >= option->least)
        return 0;
    return wm_arguments_misuse(a, "'%s' is no size; write a whole number, such as 8, 64KiB or 1MiB", a->value);
}

int wm_option_number(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    uint64_t number;

    if (!wm_parse_number(a->value, option->least, option->most, &number))
        return wm_arguments_misuse(a, "--%s is a whole number from %llu to %llu, not '%s'", option->name,
                                   (unsigned long long)option->least, (unsigned long long)option->most, a->value);
    *(int *)place = (int)number;
    return 0;
}

int wm_option_rank(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    uint64_t rank;

    (void)option;
    if (!wm_parse_count(a->value, &rank))
        return wm_arguments_misuse(a, "'%s' is no rank", a->value);
    *(int *)place = (int)rank;
    return 0;
}

int wm_option_time(void *place, const struct wm_arguments *a, const struct wm_option *option)
{
    int64_t ns;

    if (!wm_parse_time(a->value, &ns) || (uint64_t)ns < option->least ||
        (option->most > 0 && (uint64_t)ns > option->most))
        return wm_arguments_misuse(a, "--%s is a time like 200ms, 1.5s or 2min, not '%s'", option->name, a->value);
    *(int64_t *)place = ns;
    return 0;
}
