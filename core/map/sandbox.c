/* The walls around the map server: resource limits, no new privileges, a seccomp filter. */
#include <errno.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/map/sandbox.h"

/* Calls that Guile, its collector and the C library make of themselves once everything is loaded. */
static const int plain_calls[] = {
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(futex),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(sched_yield),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(times),
    SCMP_SYS(getrusage),
    SCMP_SYS(setitimer),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(poll),
    SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
};

static int allow_plain(scmp_filter_ctx filter)
{
    int rc = 0;

    for (size_t i = 0; i < sizeof plain_calls / sizeof plain_calls[0] && rc == 0; i++)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, plain_calls[i], 0);
    return rc;
}

/* Memory that can be written but not executed; messages on one socket; signals to this process alone. */
static int allow_bounded(scmp_filter_ctx filter, int fd)
{
    scmp_datum_t self = (scmp_datum_t)getpid(), socket = (scmp_datum_t)fd;
    int rc;

    rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(recvfrom), 1, SCMP_A0(SCMP_CMP_EQ, socket));
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(sendto), 1, SCMP_A0(SCMP_CMP_EQ, socket));
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1, SCMP_A0(SCMP_CMP_EQ, STDERR_FILENO));
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_EQ, self));
    return rc;
}

static int load_filter(int fd, struct wm_error *error)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int rc = filter == NULL ? -ENOMEM : 0;

    if (rc == 0)
        rc = allow_plain(filter);
    if (rc == 0)
        rc = allow_bounded(filter, fd);
    if (rc == 0)
        rc = seccomp_load(filter);
    seccomp_release(filter);
    if (rc < 0)
        return wm_error_set(error, -WM_ESYSTEM, "the kernel refuses the map server's seccomp filter: %s",
                            strerror(-rc));
    return 0;
}

/* Bytes of address space that the process has. */
static rlim_t address_space_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    if (file == NULL)
        return 0;
    if (fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static int limit(int resource, rlim_t value)
{
    struct rlimit limits;

    if (getrlimit(resource, &limits) == 0 && limits.rlim_max != RLIM_INFINITY && limits.rlim_max < value)
        value = limits.rlim_max;
    limits.rlim_cur = limits.rlim_max = value;
    return setrlimit(resource, &limits);
}

/* Nothing that a superuser may do, whoever started the server. */
static int drop_capabilities(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

    return (int)syscall(SYS_capset, &head, none);
}

int wm_sandbox_enter(int fd, struct wm_error *error)
{
    rlim_t memory = address_space_bytes() + ((rlim_t)WM_SANDBOX_MEMORY_MIB << 20);

    if (limit(RLIMIT_AS, memory) < 0 || limit(RLIMIT_CPU, WM_SANDBOX_CPU_SECONDS) < 0 || limit(RLIMIT_CORE, 0) < 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || drop_capabilities() < 0)
        return wm_error_set(error, -WM_ESYSTEM, "the map server cannot limit itself: %s", strerror(errno));
    return load_filter(fd, error);
}
