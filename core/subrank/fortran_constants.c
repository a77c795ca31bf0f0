/* Constants that Fortran knows by their addresses: each copy of a program may have variables of its own for them. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/error.h"
#include "core/pmpi/fortran.h"
#include "core/subrank/schedule.h"
#include "core/subrank/world.h"

struct wm_fortran_addresses {
    const void *of[WM_FORTRAN_CONSTANT_COUNT]; /* NULL: it has none */
};

static struct wm_fortran_addresses libraries, *copies; /* libraries: of those that the host needs, which come first */
static int copy_count;

/* As the compiler spells them with which the MPI library was built. */
static const void *find(void *where, const char *name, const char *upper_name)
{
    static const char *const spellings[] = {"mpi_fortran_%s_", "mpi_fortran_%s", "mpi_fortran_%s__"};
    const void *found = NULL;
    char spelled[64];

    for (size_t i = 0; found == NULL && i < sizeof spellings / sizeof *spellings; i++) {
        snprintf(spelled, sizeof spelled, spellings[i], name);
        found = dlsym(where, spelled);
    }
    if (found != NULL)
        return found;
    snprintf(spelled, sizeof spelled, "MPI_FORTRAN_%s", upper_name);
    return dlsym(where, spelled);
}

static void find_all(void *where, struct wm_fortran_addresses *found)
{
#define FIND(name, NAME) found->of[WM_FORTRAN_##NAME] = find(where, #name, #NAME);
    WM_FORTRAN_CONSTANTS(FIND)
}

int wm_world_know_copy(void *copy)
{
    struct wm_fortran_addresses *more = realloc(copies, (size_t)(copy_count + 1) * sizeof *more);

    if (more == NULL)
        return -WM_ENOMEM;
    copies = more;
    find_all(copy, &copies[copy_count++]);
    find_all(RTLD_DEFAULT, &libraries);
    return 0;
}

/* A copy that has none of its own, and libraries with it, are bound to those of the host's libraries, else to the first
 * copy's. */
bool wm_fortran_is(const void *address, enum wm_fortran_constant constant)
{
    int self = wm_subrank_self();

    if (address == NULL || self < 0 || self >= copy_count)
        return false;
    return address == copies[self].of[constant] || address == libraries.of[constant] ||
           address == copies[0].of[constant];
}
