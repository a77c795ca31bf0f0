/* Kernels for what every processor of its kind has: SSE2 on x86-64, NEON on AArch64. */
#define WM_KERNEL_SET wm_kernel_baseline
#define WM_KERNEL_TARGET
#if defined(__ARM_NEON)
#define WM_KERNEL_INSTRUCTIONS "neon"
#else
#define WM_KERNEL_INSTRUCTIONS "baseline"
#endif
#include "core/data/kernel_body.inc.h"
