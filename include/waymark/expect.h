/* A program that includes this has conveyors, messages or ports: the runtime wakes in MPI_Init, map or no map. */
#ifndef WM_EXPECT_H
#define WM_EXPECT_H

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((visibility("default"))) void wm_runtime_expect(void);

#ifndef WM_RUNTIME_LIBRARY
__attribute__((constructor)) static void wm_runtime_expected(void)
{
    wm_runtime_expect();
}
#endif

#ifdef __cplusplus
}
#endif

#endif
