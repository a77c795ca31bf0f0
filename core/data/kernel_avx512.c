/* Kernels for processors with AVX-512: its foundation, and its parts for bytes, shorts and 64-bit products. */
#include "core/data/kernel_table.h"

#if defined(__x86_64__)
#define WM_KERNEL_SET wm_kernel_avx512
#define WM_KERNEL_INSTRUCTIONS "avx512"
#define WM_KERNEL_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#include "core/data/kernel_body.inc.h"
#endif
