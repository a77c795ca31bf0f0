/* A machine that forbids what the variable FORBIDDEN names: preloaded, these calls fail as under a container's filter.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static bool is_forbidden(const char *call)
{
    const char *names = getenv("FORBIDDEN");

    errno = EPERM;
    return names != NULL && strstr(names, call) != NULL;
}

int memfd_create(const char *name, unsigned int flags)
{
    return is_forbidden("memfd_create") ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long to_count, const struct iovec *from,
                         unsigned long from_count, unsigned long flags)
{
    return is_forbidden("process_vm_readv")
               ? -1
               : (ssize_t)syscall(SYS_process_vm_readv, pid, to, to_count, from, from_count, flags);
}

/* Those that could hand a file over. */
int socket(int domain, int type, int protocol)
{
    bool hands = domain == AF_UNIX && (type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) == SOCK_DGRAM;

    return hands && is_forbidden("socket") ? -1 : (int)syscall(SYS_socket, domain, type, protocol);
}

/* Other processes' files. */
static int open_file(const char *path, int flags, mode_t mode)
{
    if (strncmp(path, "/proc/", 6) == 0 && path[6] != 's' && strstr(path, "/fd/") != NULL && is_forbidden("open"))
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static mode_t mode_of(int flags, va_list list)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? (mode_t)va_arg(list, int) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list list;
    int file;

    va_start(list, flags);
    file = open_file(path, flags, mode_of(flags, list));
    va_end(list);
    return file;
}
