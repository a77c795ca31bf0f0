/* What may stand for an argument, by what help calls it. */
#include "tools/complete/values.h"

#include <stdio.h>
#include <string.h>
#include "core/path/wrapper.h"
#include "tools/run/maps.h"

enum { WORD_BYTES = 1024 };

/* What is typed, and what stands before it in the same word. */
struct place {
    const char *typed, *before;
    int before_bytes;
};

static void print(const char *before, int before_bytes, const char *word, const char *meaning)
{
    printf("%.*s%s", before_bytes, before, word);
    if (meaning != NULL)
        printf("\t%.*s", (int)strcspn(meaning, ".;("), meaning);
    putchar('\n');
}

void wm_values_offer(const char *typed, const char *word, const char *meaning)
{
    if (strncmp(word, typed, strlen(typed)) == 0)
        print("", 0, word, meaning);
}

static void offer(const struct place *place, const char *word, const char *meaning)
{
    if (strncmp(word, place->typed, strlen(place->typed)) == 0)
        print(place->before, place->before_bytes, word, meaning);
}

static void offer_map(void *context, const char *name)
{
    offer(context, name, NULL);
}

static void offer_maps(struct place *place)
{
    wm_maps_each(offer_map, place);
    puts(":files");
}

static void offer_operations(struct place *place)
{
    for (int i = 0; i < WM_OPERATION_COUNT; i++)
        offer(place, wm_operation_name((enum wm_operation)i), wm_operation_function((enum wm_operation)i));
}

/* Those that Open MPI comes with and that are worth measuring; which it has, only a job can tell. */
static void offer_modules(struct place *place)
{
    static const char *const modules[] = {"default", "tuned", "sm", "adapt", "han", "none"};

    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++)
        offer(place, modules[i], NULL);
}

static void offer_wrappers(struct place *place)
{
    for (const struct wm_wrapper_class *const *class = wm_wrapper_classes(); *class != NULL; class ++)
        offer(place, (*class)->name, (*class)->summary);
}

static void offer_files(struct place *place)
{
    (void)place;
    puts(":files");
}

static void offer_directories(struct place *place)
{
    (void)place;
    puts(":directories");
}

/* "text|json" */
static void offer_choices(const struct place *place, const char *choices)
{
    for (size_t length; length = strcspn(choices, "|"), length > 0; choices += length + (choices[length] == '|')) {
        char word[WORD_BYTES];

        snprintf(word, sizeof word, "%.*s", (int)length, choices);
        offer(place, word, NULL);
    }
}

void wm_values_of(const char *what, const char *typed, const char *before)
{
    static const struct {
        const char *what;
        void (*offer)(struct place *place);
    } kinds[] = {
        {"MAP", offer_maps},
        {"map", offer_maps},
        {"OPERATION", offer_operations},
        {"OPERATION,...", offer_operations},
        {"MODULE,...", offer_modules},
        {"wrapper", offer_wrappers},
        {"DIR", offer_directories},
        {"trace directory", offer_directories},
        {"FILE", offer_files},
        {"source file", offer_files},
        {"FILE.json", offer_files},
        {"FILE.svg", offer_files},
        {"OUTPUT", offer_files},
    };
    const char *comma = strstr(what, ",...") != NULL ? strrchr(typed, ',') : NULL;
    char joined[WORD_BYTES];
    struct place place = {.typed = comma != NULL ? comma + 1 : typed, .before = joined};

    place.before_bytes =
        snprintf(joined, sizeof joined, "%s%.*s", before, comma != NULL ? (int)(comma + 1 - typed) : 0, typed);
    if (strchr(what, '|') != NULL)
        offer_choices(&place, what);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].what, what) == 0)
            kinds[i].offer(&place);
}
