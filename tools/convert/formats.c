/* The formats that a trace can be converted to: one line each; and the slots of those that need nothing there. */
#include <string.h>
#include "tools/convert/converter.h"

extern const struct wm_converter_class wm_converter_perfetto, wm_converter_chrome, wm_converter_otf2, wm_converter_csv,
    wm_converter_paje;

const struct wm_converter_class *const wm_converter_classes[] = {
    &wm_converter_perfetto, &wm_converter_chrome, &wm_converter_otf2, &wm_converter_csv, &wm_converter_paje, NULL,
};

const struct wm_converter_class *wm_converter_find(const char *name)
{
    for (int i = 0; wm_converter_classes[i] != NULL; i++)
        if (strcmp(wm_converter_classes[i]->name, name) == 0)
            return wm_converter_classes[i];
    return NULL;
}

int wm_converter_no_frame(struct wm_converter *converter)
{
    (void)converter;
    return 0;
}

int wm_converter_no_rank(struct wm_converter *converter, int rank_index)
{
    (void)converter;
    (void)rank_index;
    return 0;
}

void wm_converter_no_state(struct wm_converter *converter)
{
    (void)converter;
}
