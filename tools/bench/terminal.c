/* Terminals behind a launcher, found by looking at the launcher's descriptors. */
#include "tools/bench/terminal.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Linux's numbers: consoles and serial lines, and the 8 majors of pseudo-terminals. */
enum { TTY_MAJOR = 4, PSEUDO_FIRST = 136, PSEUDO_LAST = 143 };

bool wm_bench_on_terminal(int fd)
{
    char path[64];
    struct stat status;
    unsigned number;

    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getppid(), fd);
    if (stat(path, &status) < 0 || !S_ISCHR(status.st_mode))
        return false;
    number = major(status.st_rdev);
    return number == TTY_MAJOR || (number >= PSEUDO_FIRST && number <= PSEUDO_LAST);
}
