/* Single copies: another process's memory read and written in place (process_vm_readv, process_vm_writev). */
#ifndef WM_SINGLE_COPY_H
#define WM_SINGLE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Move `bytes` between this process's memory at `own` and those at `address` of the process with the id `process`,
 * which need not take part. False: not all were moved, errno says why. Linux, process_vm_readv(2). */
bool wm_single_copy_read(long process, uint64_t address, void *own, size_t bytes);
bool wm_single_copy_write(long process, uint64_t address, const void *own, size_t bytes);

#endif
