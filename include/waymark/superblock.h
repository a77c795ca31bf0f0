/* Superblocks: the program marks the regions of its iterations, so that subranks can hide communication better.
 *
 *     #include <waymark/superblock.h>
 *
 *     WM_SUPERBLOCK_BEGIN("jacobi");
 *     for (int i = 0; i < iterations; i++) {
 *         WM_REGION(receive);
 *         MPI_Irecv(…);
 *         WM_REGION(send);
 *         MPI_Isend(…);
 *         WM_REGION(compute);
 *         MPI_Waitall(…);
 *         …
 *     }
 *     WM_SUPERBLOCK_END;
 *
 * A **superblock** encloses a loop whose iterations receive, send and compute. A `receive` region starts an iteration,
 * or a further pair of receiving and computing. A `compute` region starts when all messages have come whose receives
 * the regions since the last `compute` have started, and their sends are complete; until then the subrank's siblings
 * run, and in the region nobody else does. So waits for these receives and sends may stand in it, and cost nothing
 * there; a nonblocking collective that a `receive` region starts counts as a receive. `unpack` starts like `compute`;
 * `pack` is for what goes before `send`. Blocking calls and collectives of all kinds may stand in every region.
 *
 * Superblocks stack, also by recursion: the one that has begun last counts. Markers stand between MPI_Init and
 * MPI_Finalize; one that stands wrong ends the job with a sentence.
 *
 * pkg-config waymark says where this file is; the program need not be linked with Waymark. Where it does not run as
 * subranks (`waymark run --subranks`) a marker is a test and nothing else; with -DWM_OFF it is nothing. C and C++;
 * <waymark/superblock.f90> is for Fortran. */
#ifndef WM_SUPERBLOCK_H
#define WM_SUPERBLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

enum wm_region { WM_REGION_receive, WM_REGION_send, WM_REGION_compute, WM_REGION_pack, WM_REGION_unpack };

#ifdef WM_OFF

#define WM_SUPERBLOCK_BEGIN(name) ((void)0)
#define WM_SUPERBLOCK_END ((void)0)
#define WM_REGION(kind) ((void)0)

static inline void wm_poll(void)
{
}

#else

/* The host's of subranks, where it is there. */
extern void wm_superblock_begin(const char *name) __attribute__((weak));
extern void wm_superblock_end(void) __attribute__((weak));
extern void wm_superblock_region(enum wm_region region) __attribute__((weak));
extern void wm_superblock_poll(void) __attribute__((weak));

#define WM_SUPERBLOCK_BEGIN(name) (wm_superblock_begin ? wm_superblock_begin(name) : (void)0)
#define WM_SUPERBLOCK_END (wm_superblock_end ? wm_superblock_end() : (void)0)
/* `kind`: receive, send, compute, pack or unpack. */
#define WM_REGION(kind) (wm_superblock_region ? wm_superblock_region(WM_REGION_##kind) : (void)0)

/* In a long region: let messages that are under way go on. The subrank keeps the processor. */
static inline void wm_poll(void)
{
    if (wm_superblock_poll)
        wm_superblock_poll();
}

#endif

#ifdef __cplusplus
}
#endif

#endif
