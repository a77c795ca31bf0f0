/* What doors of Fortran call among subranks, where C's doors have other arguments. */
#include "core/subrank/fortran.h"
#include <string.h>

/* ---- indices ---- */

void wm_fortran_indices(MPI_Fint *indices, int count)
{
    for (int i = 0; i < count; i++)
        if (indices[i] != MPI_UNDEFINED)
            indices[i]++;
}

/* ---- functions for attributes; a LOGICAL is true that is not 0 ---- */

typedef void copy_function(MPI_Fint *comm, MPI_Fint *keyval, MPI_Aint *extra, MPI_Aint *value, MPI_Aint *copied,
                           MPI_Fint *flag, MPI_Fint *ierror);
typedef void delete_function(MPI_Fint *comm, MPI_Fint *keyval, MPI_Aint *value, MPI_Aint *extra, MPI_Fint *ierror);
typedef void copy_function_1(MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *extra, MPI_Fint *value, MPI_Fint *copied,
                             MPI_Fint *flag, MPI_Fint *ierror);
typedef void delete_function_1(MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *value, MPI_Fint *extra, MPI_Fint *ierror);

int wm_fortran_copy(enum wm_rank_language language, wm_rank_function_given *copy, MPI_Comm comm, int keyval,
                    void *extra, void *value, void **copied, int *flag)
{
    MPI_Fint number = MPI_Comm_c2f(comm), ierror = MPI_SUCCESS;
    MPI_Aint long_extra = (MPI_Aint)extra, long_value = (MPI_Aint)value, long_copied = 0;
    MPI_Fint short_extra = (MPI_Fint)long_extra, short_value = (MPI_Fint)long_value, short_copied = 0;

    if (language == WM_RANK_FORTRAN) {
        ((copy_function *)copy)(&number, &keyval, &long_extra, &long_value, &long_copied, flag, &ierror);
    } else {
        ((copy_function_1 *)copy)(&number, &keyval, &short_extra, &short_value, &short_copied, flag, &ierror);
        long_copied = short_copied;
    }
    *copied = (void *)long_copied;
    return ierror;
}

int wm_fortran_delete(enum wm_rank_language language, wm_rank_function_given *delete_attr, MPI_Comm comm, int keyval,
                      void *value, void *extra)
{
    MPI_Fint number = MPI_Comm_c2f(comm), ierror = MPI_SUCCESS;
    MPI_Aint long_extra = (MPI_Aint)extra, long_value = (MPI_Aint)value;
    MPI_Fint short_extra = (MPI_Fint)long_extra, short_value = (MPI_Fint)long_value;

    if (language == WM_RANK_FORTRAN)
        ((delete_function *)delete_attr)(&number, &keyval, &long_value, &long_extra, &ierror);
    else
        ((delete_function_1 *)delete_attr)(&number, &keyval, &short_value, &short_extra, &ierror);
    return ierror;
}

/* ---- MPI 1 ---- */

int wm_fortran_attr_put(MPI_Comm comm, int keyval, int value)
{
    return wm_fortran_comm_set_attr(comm, keyval, value);
}

int wm_fortran_attr_get(MPI_Comm comm, int keyval, int *value, int *flag)
{
    MPI_Aint found;
    int error = wm_fortran_comm_get_attr(comm, keyval, &found, flag);

    if (error == MPI_SUCCESS && *flag)
        *value = (int)found;
    return error;
}

int wm_fortran_errhandler_create(wm_rank_function_given *function, MPI_Errhandler *errhandler)
{
    return wm_fortran_comm_create_errhandler(function, errhandler);
}

int wm_fortran_errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
{
    return MPI_Comm_set_errhandler(comm, errhandler);
}

int wm_fortran_errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    return MPI_Comm_get_errhandler(comm, errhandler);
}

/* ---- texts, buffers ---- */

int wm_fortran_comm_get_name(MPI_Comm comm, char *name, int chars, int *length)
{
    char found[MPI_MAX_OBJECT_NAME];
    int error = MPI_Comm_get_name(comm, found, length);

    if (error != MPI_SUCCESS)
        return error;
    if (*length > chars)
        *length = chars;
    memset(name, ' ', (size_t)chars);
    memcpy(name, found, (size_t)*length);
    return MPI_SUCCESS;
}

int wm_fortran_buffer_detach(void *buffer, int *size)
{
    void *found;

    (void)buffer;
    return MPI_Buffer_detach(&found, size);
}

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* Fortran programs declare it themselves */

WM_RANK_DOOR void mpi_buffer_detach_f08_(void *buffer, MPI_Fint *size, MPI_Fint *ierror)
{
    wm_fortran_return(ierror, MPI_Buffer_detach(buffer, size));
}
