/* What the library writes to stderr, kept and counted. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/mpi/convey_cases.h"

static int file = -1, stderr_before = -1;

void capture_begin(void)
{
    fflush(stderr);
    if (file < 0)
        file = memfd_create("stderr", 0);
    if (file < 0 || ftruncate(file, 0) < 0 || lseek(file, 0, SEEK_SET) != 0)
        abort();
    stderr_before = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
}

const char *capture_end(int *lines)
{
    static char text[4096];
    ssize_t bytes;

    fflush(stderr);
    dup2(stderr_before, STDERR_FILENO);
    close(stderr_before);
    bytes = pread(file, text, sizeof text - 1, 0);
    text[bytes < 0 ? 0 : bytes] = '\0';
    *lines = 0;
    for (const char *at = text; *at != '\0'; at++)
        *lines += *at == '\n';
    return text;
}
