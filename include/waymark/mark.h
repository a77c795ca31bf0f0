/* Marks: the program says where it is, and the timeline of its trace shows it.
 *
 *     #include <waymark/mark.h>
 *     wm_trace_mark("assembly");
 *
 * pkg-config waymark says where this file is; the program need not be linked with Waymark. Where its library is in the
 * process, preloaded by `waymark run` or linked, the mark is recorded at the levels `calls` and `detail`; elsewhere,
 * and without a trace, nothing is done. C and C++; a Fortran program is linked with -lwaymark and calls wm_mark by an
 * interface of its own (docs/tracing.md).
 */
#ifndef WM_TRACE_H
#define WM_TRACE_H

#ifdef __cplusplus
extern "C" {
#endif

/* The library's, if it is there. */
extern int wm_mark(const char *name) __attribute__((weak));

/* Record that this rank is here now, under a name that stays valid during the call: from MPI_Init to MPI_Finalize, by
 * the thread that calls MPI, or, under MPI_THREAD_MULTIPLE, by any. Costs about what a record does when a name comes
 * again. Of a name the first 127 bytes count, and after 4,095 different names all others are one.
 * Returns the number of the name, from 1 on; 0 when nothing was recorded. */
static inline int wm_trace_mark(const char *name)
{
    return wm_mark ? wm_mark(name) : 0;
}

#ifdef __cplusplus
}
#endif

#endif
