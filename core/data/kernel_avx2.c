/* Kernels for processors with AVX2. */
#include "core/data/kernel_table.h"

#if defined(__x86_64__)
#define WM_KERNEL_SET wm_kernel_avx2
#define WM_KERNEL_INSTRUCTIONS "avx2"
#define WM_KERNEL_TARGET __attribute__((target("avx2")))
#include "core/data/kernel_body.inc.h"
#endif
