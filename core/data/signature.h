/* Type signatures as numbers: equal signatures have equal ones, whatever the datatypes look like.
 *
 * A signature is the sequence of basic types that data consists of (MPI 4.1 §5.1). Its hash is a polynomial over them,
 * modulo the prime 2^61 - 1, so that the hash of a concatenation follows from those of its parts.
 * Source: W. Gropp, Runtime Checking of Datatype Signatures in MPI, 2000; J. Langou, G. Bosilca et al., Hash Functions
 * for Datatype Signatures in MPI, 2005.
 *
 * Basic types of one kind and size are one: C's int, Fortran's INTEGER and MPI_INT32_T. */
#ifndef WM_SIGNATURE_H
#define WM_SIGNATURE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct wm_signature {
    uint64_t hash;
    uint64_t length; /* basic types, modulo 2^61 - 2 */
    uint64_t bytes;
    bool wild; /* MPI_BYTE or MPI_PACKED are in it: it goes with any of as many bytes */
};

/* That of one element; of MPI_DATATYPE_NULL nothing. Local, any thread. */
struct wm_signature wm_signature_read(MPI_Datatype type);

/* What a basic type's elements are, for those who look at values: integers of at most 8 bytes, MPI_BYTE among them, and
 * real or complex numbers of C's float or double. */
enum wm_number { WM_NUMBER_OTHER, WM_NUMBER_INTEGER, WM_NUMBER_FLOAT, WM_NUMBER_DOUBLE };
enum wm_number wm_signature_number(MPI_Datatype type);

/* That of `count` times the same, and of one behind the other. */
struct wm_signature wm_signature_repeat(struct wm_signature signature, uint64_t count);
struct wm_signature wm_signature_join(struct wm_signature first, struct wm_signature second);

#endif
