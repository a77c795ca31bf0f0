/* A single copy between processes: is it allowed, and from which size on does it pay? */
#include "core/node/node.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "core/node/memory.h"

/* What is read of the other process is its mapping of the node's memory: it needs no part in the measurement. */
enum { SMALLEST = 16 << 10, LARGEST = 1 << 20, RUNS = 5 };

static bool read_other(void *target, uint64_t offset, size_t bytes)
{
    struct wm_memory_process *other = &wm_memory->process[wm_memory->process[0].id == getpid() ? 1 : 0];
    struct iovec to = {target, bytes}, from = {(void *)(uintptr_t)(other->address + offset), bytes};

    return process_vm_readv((pid_t)other->id, &to, 1, &from, 1, 0) == (ssize_t)bytes;
}

bool wm_node_single_copy_allowed(const char **why)
{
    uint64_t token = 0;

    *why = "the rank shares its memory with no other";
    if (wm_memory == NULL)
        return false;
    errno = 0;
    if (read_other(&token, 0, sizeof token) && token == wm_memory->token)
        return true;
    *why = errno != 0 ? strerror(errno) : "it reads another process's memory";
    return false;
}

void wm_node_tell_single_copy(int error)
{
    char host[WM_HOST_CHARS] = "";

    if (wm_memory == NULL || atomic_exchange(&wm_memory->told, true))
        return;
    gethostname(host, sizeof host - 1);
    fprintf(stderr, "waymark: %s: #:copy 'single is not possible (process_vm_readv: %s); messages go in chunks\n", host,
            strerror(error));
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Is the median of single copies the faster one? Two copies of a message go in parts that stay in a cache. */
static bool single_wins(uint64_t offset, char *source, char *target, size_t bytes)
{
    enum { PART = 32 << 10 };
    uint64_t single_ns[RUNS], double_ns[RUNS];

    for (int run = 0; run < RUNS; run++) {
        uint64_t start_ns = now_ns(), middle_ns;

        if (!read_other(target, offset, bytes))
            return false;
        middle_ns = now_ns();
        for (size_t at = 0; at < bytes; at += PART) {
            memcpy(wm_memory_at(offset), source + at, bytes - at < PART ? bytes - at : PART);
            memcpy(target + at, wm_memory_at(offset), bytes - at < PART ? bytes - at : PART);
        }
        double_ns[run] = now_ns() - middle_ns;
        single_ns[run] = middle_ns - start_ns;
    }
    qsort(single_ns, RUNS, sizeof single_ns[0], compare);
    qsort(double_ns, RUNS, sizeof double_ns[0], compare);
    return single_ns[RUNS / 2] < double_ns[RUNS / 2];
}

/* The smallest size from which on it wins at all that are tried. */
static size_t measure(void)
{
    uint64_t offset = wm_memory_take(LARGEST, &(uint64_t){0});
    char *buffers = malloc(2 * (size_t)LARGEST);
    size_t bytes = LARGEST, best = SIZE_MAX;

    if (offset != 0 && buffers != NULL) {
        memset(buffers, 1, 2 * (size_t)LARGEST);
        memset(wm_memory_at(offset), 1, LARGEST);
        for (; bytes >= SMALLEST && single_wins(offset, buffers, buffers + LARGEST, bytes); bytes /= 2)
            best = bytes;
    }
    if (offset != 0)
        wm_memory_give(offset, LARGEST);
    free(buffers);
    return best;
}

/* Where processes share processors, two copies cost above all the waiting for one another, which cannot be measured
 * alone: no message that is to be asked for is copied twice. */
static size_t choose(void)
{
    const char *why;

    if (!wm_node_single_copy_allowed(&why))
        return SIZE_MAX;
    return wm_memory->crowded ? 1 : measure();
}

/* Whoever asks first measures; who does at the same time takes what the first found. */
size_t wm_node_single_copy_bytes(void)
{
    uint64_t known = 0, found;

    if (wm_memory == NULL)
        return SIZE_MAX;
    if ((known = atomic_load_explicit(&wm_memory->single_copy, memory_order_relaxed)) != 0)
        return (size_t)known;
    found = choose();
    if (atomic_compare_exchange_strong(&wm_memory->single_copy, &known, found))
        return (size_t)found;
    return (size_t)known;
}
