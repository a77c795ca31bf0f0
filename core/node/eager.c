/* Eager limits, out of Open MPI's variables: those of libopen-pal itself, for MPI's interface to them opens every
 * component there is, a quarter of a second in each job. */
#include "core/node/eager.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What Open MPI's transports put before an eager message's data, and count as part of it: measured with 4.1.4. */
enum { HEADER_BYTES = 56 };

/* What libopen-pal exports: a variable's index, negative where there is none, and where its value is stored. */
struct library {
    int (*find)(const char *project, const char *framework, const char *component, const char *variable);
    int (*get)(int index, const void *storage, int *source, const char **file);
};

static bool find_library(struct library *library)
{
    *(void **)&library->find = dlsym(RTLD_DEFAULT, "mca_base_var_find");
    *(void **)&library->get = dlsym(RTLD_DEFAULT, "mca_base_var_get_value");
    return library->find != NULL && library->get != NULL;
}

/* NULL: there is no such variable; a component that is not in use has none. */
static const void *storage_of(const struct library *library, const char *framework, const char *component,
                              const char *variable)
{
    int index = library->find(NULL, framework, component, variable);
    const void *storage = NULL;

    return index >= 0 && library->get(index, &storage, NULL, NULL) == 0 ? storage : NULL;
}

/* Which components of a framework were asked for; "" when nobody asked. */
static const char *list_of(const struct library *library, const char *framework)
{
    const char *const *list = storage_of(library, framework, NULL, NULL);

    return list != NULL && *list != NULL ? *list : "";
}

static uint64_t limit_of(const struct library *library, const char *component)
{
    const size_t *bytes = storage_of(library, "btl", component, "eager_limit");

    return bytes != NULL ? *bytes : 0;
}

/* A list chooses, or, behind ^, leaves out; none leaves everything to the library. */
static bool may_use(const char *list, const char *component)
{
    bool named = strstr(list, component) != NULL;

    return list[0] == '\0' || (list[0] == '^' ? !named : named);
}

static uint64_t payload(uint64_t limit_bytes)
{
    return limit_bytes > HEADER_BYTES ? limit_bytes - HEADER_BYTES : 0;
}

void wm_eager_read(struct wm_eager *eager)
{
    struct library library;
    const char *transports;

    *eager = (struct wm_eager){0};
    if (!find_library(&library) || !may_use(list_of(&library, "pml"), "ob1"))
        return;
    transports = list_of(&library, "btl");
    if (may_use(transports, "vader") || may_use(transports, "sm"))
        eager->near_bytes = payload(limit_of(&library, "vader") + limit_of(&library, "sm")); /* a release has one */
    if (may_use(transports, "tcp"))
        eager->far_bytes = payload(limit_of(&library, "tcp"));
}
