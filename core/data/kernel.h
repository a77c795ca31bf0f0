/* Kernels: reductions of MPI's built-in types by its built-in operators, as fast as the processor's vectors allow.
 *
 * out[i] = a[i] op b[i] for elements of a contiguous built-in type. `out` may be `a` or `b`, exactly; other overlap is
 * not allowed; no alignment beyond the element's own is needed. The results are those of the scalar operation on each
 * element, bit by bit: no reassociation, no contraction, integers wrap around; core/data/kernel_table.h says what each
 * operator yields. `a` is the left operand: MPI's inout = in op inout is kernel(in, inout, inout, count). Which
 * instructions serve (baseline, AVX2, AVX-512, NEON) is found out once, when a kernel is first asked for. Any thread.
 */
#ifndef WM_KERNEL_H
#define WM_KERNEL_H

#include <mpi.h>
#include <stddef.h>

typedef void wm_kernel(const void *a, const void *b, void *out, size_t count);

/* The kernel for a type and operator, of C or Fortran; NULL: there is none (long double, MINLOC, a derived type, the
 * user's own operator, or an operator that MPI does not define for the type), and wm_geometry_reduce has to serve. MPI
 * is initialised. The pointer holds for good. */
wm_kernel *wm_kernel_find(MPI_Datatype type, MPI_Op op);

#endif
