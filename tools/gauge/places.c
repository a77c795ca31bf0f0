/* Where the ranks of the job are. */
#include "tools/gauge/places.h"

#include <dlfcn.h>
#include <stdlib.h>

struct wm_place *wm_gauge_places(int ranks, char *machine, size_t machine_bytes)
{
    bool (*tell)(char *text, size_t text_bytes);
    struct wm_place *places;
    struct wm_error ignored;
    int count;

    *(void **)&tell = dlsym(RTLD_DEFAULT, "wm_runtime_machine");
    if (tell != NULL && tell(machine, machine_bytes) &&
        wm_grid_parse_machine(machine, &places, &count, &ignored) == 0) {
        if (count == ranks)
            return places;
        free(places);
    }
    machine[0] = '\0';
    return NULL;
}
