/* Single copies between processes. */
#include "core/node/single_copy.h"

#include <errno.h>
#include <sys/uio.h>

typedef ssize_t copy_function(pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long,
                              unsigned long);

/* A call moves less than 2^31 bytes. */
static bool copy_all(copy_function *copy, long process, uint64_t address, char *own, size_t bytes)
{
    while (bytes > 0) {
        struct iovec here = {own, bytes}, there = {(void *)(uintptr_t)address, bytes};
        ssize_t moved = copy((pid_t)process, &here, 1, &there, 1, 0);

        if (moved <= 0) {
            errno = moved < 0 ? errno : EFAULT;
            return false;
        }
        own += moved;
        address += (uint64_t)moved;
        bytes -= (size_t)moved;
    }
    return true;
}

bool wm_single_copy_read(long process, uint64_t address, void *own, size_t bytes)
{
    return copy_all(process_vm_readv, process, address, own, bytes);
}

bool wm_single_copy_write(long process, uint64_t address, const void *own, size_t bytes)
{
    return copy_all(process_vm_writev, process, address, (void *)(uintptr_t)own, bytes);
}
