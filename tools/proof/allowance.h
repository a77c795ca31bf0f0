/* How much memory this process may take: that of the host, or less where a control group that it is in, of version 1 or
 * 2, or its own address space is limited. */
#ifndef WM_PROOF_ALLOWANCE_H
#define WM_PROOF_ALLOWANCE_H

#include <stddef.h>

/* In bytes. */
size_t wm_allowance(void);
/* The least limit of the control groups that `groups` names, a file as /proc/self/cgroup, below `root`, a folder as
 * /sys/fs/cgroup; SIZE_MAX: there is none. For wm_allowance, and tests. */
size_t wm_allowance_of_groups(const char *groups, const char *root);

#endif
