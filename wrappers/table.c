/* The table of wrappers, and look-ups in it. */
#include <string.h>
#include "wrappers/parameters.h"

#define WM_WRAPPER(class) extern const struct wm_wrapper_class class;
#include "wrappers/wrappers.def"
#undef WM_WRAPPER

static const struct wm_wrapper_class *const classes[] = {
#define WM_WRAPPER(class) &class,
#include "wrappers/wrappers.def"
#undef WM_WRAPPER
    NULL,
};

const char *const wm_order_words[] = {"arrival", "rank", NULL};

const struct wm_wrapper_class *const *wm_wrapper_classes(void)
{
    return classes;
}

const struct wm_wrapper_class *wm_wrapper_find(const char *name)
{
    for (int i = 0; classes[i] != NULL; i++)
        if (strcmp(classes[i]->name, name) == 0)
            return classes[i];
    return NULL;
}
