/* Constants that Fortran knows by their addresses. Each is a variable, named as the program's compiler spells names.
 * The MPI library defines the spelling of the compiler that it was built with, and a program's own copy comes first;
 * the other spellings stay undefined, hence weak.
 *
 * The table is filled by the dynamic linker, so that a lookup costs a few compares. */
#include "core/pmpi/fortran.h"

#define VARIABLES(name, NAME)                                                                                          \
    extern char __attribute__((weak, visibility("default"))) mpi_fortran_##name, mpi_fortran_##name##_,                \
        mpi_fortran_##name##__, MPI_FORTRAN_##NAME;
WM_FORTRAN_CONSTANTS(VARIABLES)

enum { SPELLINGS = 4 };

static const void *const addresses[][SPELLINGS] = {
#define ADDRESSES(name, NAME)                                                                                          \
    [WM_FORTRAN_##NAME] = {&mpi_fortran_##name##_, &mpi_fortran_##name, &mpi_fortran_##name##__, &MPI_FORTRAN_##NAME},
    WM_FORTRAN_CONSTANTS(ADDRESSES)};

/* An undefined spelling has the address NULL, and so may a buffer have. */
bool wm_fortran_is(const void *address, enum wm_fortran_constant constant)
{
    if (address == NULL)
        return false;
    for (int i = 0; i < SPELLINGS; i++)
        if (address == addresses[constant][i])
            return true;
    return false;
}
