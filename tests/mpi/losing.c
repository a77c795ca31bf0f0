/* Loses one item of each rank that is pushed the long way, to be preloaded: do the examples' checks see it? */
#include <dlfcn.h>
#define WM_RUNTIME_LIBRARY /* and no program that uses conveyors */
#include "waymark/convey.h"

/* Some calls later than the first, so that buffers are in use. */
enum { LOST_CALL = 5 };

int wm_convey_push(convey_t *c, const void *item, int64_t pe)
{
    static int calls;
    int (*push)(convey_t *, const void *, int64_t) =
        (int (*)(convey_t *, const void *, int64_t))(uintptr_t)dlsym(RTLD_NEXT, "wm_convey_push");

    return ++calls == LOST_CALL ? convey_OK : push(c, item, pe);
}
