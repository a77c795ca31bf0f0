/* A node's memory: a memfd, found by the others through /proc or handed over, and pieces of it by powers of two. */
#include "core/node/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>
#include "core/node/pause.h"

struct wm_memory *wm_memory;

#define MEBI ((uint64_t)1 << 20)

static const uint64_t base_bytes = 4096 * MEBI, rank_bytes = 4096 * MEBI, most_bytes = 262144 * MEBI,
                      least_bytes = 16 * MEBI;

static uint64_t limit_of(int resource)
{
    struct rlimit limit;

    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : UINT64_MAX;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool is_address_space(uint64_t bytes)
{
    void *trial = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return trial != MAP_FAILED && munmap(trial, bytes) == 0;
}

/* A file that grows beyond its limit ends the process by a signal. Of the address space the program needs the most. */
uint64_t wm_memory_affordable(int ranks)
{
    uint64_t bytes = smaller(base_bytes + (uint64_t)ranks * rank_bytes, most_bytes);

    bytes = smaller(bytes, limit_of(RLIMIT_FSIZE));
    bytes = smaller(bytes, limit_of(RLIMIT_AS) / 4);
    bytes -= bytes % MEBI;
    while (bytes >= least_bytes && !is_address_space(bytes))
        bytes = bytes / 2 / MEBI * MEBI;
    return bytes;
}

static struct wm_memory_failure failure(enum wm_memory_fault fault)
{
    return (struct wm_memory_failure){fault, errno};
}

/* Not for children: one that outlives the job would keep the memory. */
static bool map(int file, uint64_t bytes)
{
    void *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);

    if (address == MAP_FAILED)
        return false;
    madvise(address, bytes, MADV_DONTFORK);
    madvise(address, bytes, MADV_DONTDUMP);
    wm_memory = address;
    return true;
}

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + WM_MEMORY_PIECE_BYTES - 1) / WM_MEMORY_PIECE_BYTES * WM_MEMORY_PIECE_BYTES;
}

static struct wm_memory_failure fill_file(int file, uint64_t bytes, int processes, uint64_t token)
{
    if (ftruncate(file, (off_t)bytes) < 0)
        return failure(WM_MEMORY_FAULT_SIZE);
    if (!map(file, bytes))
        return failure(WM_MEMORY_FAULT_MAP);
    wm_memory->bytes = bytes;
    wm_memory->token = token;
    wm_memory->processes = processes;
    wm_memory->next = round_up(sizeof *wm_memory + (uint64_t)processes * sizeof wm_memory->process[0]);
    return (struct wm_memory_failure){0, 0};
}

struct wm_memory_failure wm_memory_make(uint64_t bytes, int processes, struct wm_memory_invitation *invitation)
{
    struct wm_memory_failure failed;
    uint64_t token;

    *invitation = (struct wm_memory_invitation){getpid(), -1, 0, bytes};
    if (bytes < least_bytes)
        return (struct wm_memory_failure){WM_MEMORY_FAULT_SPACE, 0};
    if (getrandom(&token, sizeof token, GRND_NONBLOCK) != sizeof token)
        token = (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)&token;
    if ((invitation->file = memfd_create("waymark", MFD_CLOEXEC)) < 0)
        return failure(WM_MEMORY_FAULT_FILE);
    invitation->token = token;
    failed = fill_file(invitation->file, bytes, processes, token);
    if (failed.fault != 0)
        wm_memory_open_no_more(invitation);
    return failed;
}

struct wm_memory_failure wm_memory_join(const struct wm_memory_invitation *invitation)
{
    char name[64];
    int file;

    snprintf(name, sizeof name, "/proc/%lld/fd/%d", (long long)invitation->process, invitation->file);
    if ((file = open(name, O_RDWR | O_CLOEXEC)) < 0)
        return failure(WM_MEMORY_FAULT_OPEN);
    return wm_memory_join_file(invitation, file);
}

struct wm_memory_failure wm_memory_join_file(const struct wm_memory_invitation *invitation, int file)
{
    bool mapped;

    /* In another PID namespace the name may be some other file's, of another size: a look into it could be our end. */
    if (lseek(file, 0, SEEK_END) != (off_t)invitation->bytes) {
        close(file);
        return (struct wm_memory_failure){WM_MEMORY_FAULT_OTHER, 0};
    }
    mapped = map(file, invitation->bytes);
    if (!mapped) {
        struct wm_memory_failure failed = failure(WM_MEMORY_FAULT_MAP);

        close(file);
        return failed;
    }
    close(file);
    if (wm_memory->token == invitation->token)
        return (struct wm_memory_failure){0, 0};
    wm_memory_leave();
    return (struct wm_memory_failure){WM_MEMORY_FAULT_OTHER, 0};
}

void wm_memory_open_no_more(const struct wm_memory_invitation *invitation)
{
    if (invitation->file >= 0)
        close(invitation->file);
}

void wm_memory_sign(int number)
{
    wm_memory->process[number] = (struct wm_memory_process){getpid(), (uintptr_t)wm_memory};
}

void wm_memory_leave(void)
{
    if (wm_memory != NULL)
        munmap(wm_memory, wm_memory->bytes);
    wm_memory = NULL;
}

/* It is held for less than a yield takes. */
void wm_memory_lock(_Atomic uint32_t *lock)
{
    enum { PAUSES = 16 };
    int pauses = wm_memory->crowded ? 0 : PAUSES;

    while (atomic_exchange_explicit(lock, 1, memory_order_acquire) != 0)
        if (pauses-- > 0)
            wm_pause();
        else
            sched_yield();
}

void wm_memory_unlock(_Atomic uint32_t *lock)
{
    atomic_store_explicit(lock, 0, memory_order_release);
}

static int order_of(size_t bytes)
{
    int order = 0;

    while (order < WM_MEMORY_CLASSES && (uint64_t)WM_MEMORY_PIECE_BYTES << order < bytes)
        order++;
    return order;
}

static uint64_t bytes_of(int order)
{
    return (uint64_t)WM_MEMORY_PIECE_BYTES << order;
}

uint64_t wm_memory_piece_bytes(size_t bytes)
{
    return bytes_of(order_of(bytes));
}

/* A piece that was given back, or 0. */
static uint64_t take_again(int order)
{
    uint64_t offset = wm_memory->free[order], *first;

    if (offset == 0)
        return 0;
    first = wm_memory_at(offset);
    wm_memory->free[order] = *first;
    *first = 0;
    return offset;
}

/* One half of a larger piece that was given back; the other half is for the next. */
static uint64_t take_half(int order)
{
    int larger = order + 1;
    uint64_t offset = 0, *half;

    while (larger < WM_MEMORY_CLASSES && (offset = take_again(larger)) == 0)
        larger++;
    while (offset != 0 && --larger >= order) {
        half = wm_memory_at(offset + bytes_of(larger));
        *half = wm_memory->free[larger];
        wm_memory->free[larger] = offset + bytes_of(larger);
    }
    return offset;
}

/* Hold the lock. */
static uint64_t take(int order)
{
    uint64_t offset = take_again(order);

    if (offset == 0 && bytes_of(order) <= wm_memory->bytes - wm_memory->next) {
        offset = wm_memory->next;
        wm_memory->next += bytes_of(order);
    }
    return offset != 0 ? offset : take_half(order);
}

/* Hold the lock. */
static uint64_t take_accounted(int order, uint64_t *reserved)
{
    uint64_t bytes = bytes_of(order), offset;
    uint64_t free_bytes = wm_memory->bytes - wm_memory->taken - wm_memory->reserved;

    if (*reserved < bytes && free_bytes < bytes)
        return 0;
    if ((offset = take(order)) == 0)
        return 0;
    wm_memory->taken += bytes;
    if (*reserved >= bytes) {
        wm_memory->reserved -= bytes;
        *reserved -= bytes;
    }
    return offset;
}

uint64_t wm_memory_take(size_t bytes, uint64_t *reserved)
{
    int order = order_of(bytes);
    uint64_t offset;

    if (order == WM_MEMORY_CLASSES || wm_memory == NULL)
        return 0;
    wm_memory_lock(&wm_memory->lock);
    offset = take_accounted(order, reserved);
    wm_memory_unlock(&wm_memory->lock);
    return offset;
}

void wm_memory_give(uint64_t offset, size_t bytes)
{
    int order = order_of(bytes);
    uint64_t whole = bytes_of(order);
    char *piece = wm_memory_at(offset);

    if (whole > WM_MEMORY_PIECE_BYTES &&
        madvise(piece + WM_MEMORY_PIECE_BYTES, whole - WM_MEMORY_PIECE_BYTES, MADV_REMOVE) < 0)
        memset(piece + WM_MEMORY_PIECE_BYTES, 0, whole - WM_MEMORY_PIECE_BYTES);
    memset(piece, 0, WM_MEMORY_PIECE_BYTES);
    wm_memory_lock(&wm_memory->lock);
    *(uint64_t *)piece = wm_memory->free[order];
    wm_memory->free[order] = offset;
    wm_memory->taken -= whole;
    wm_memory_unlock(&wm_memory->lock);
}

bool wm_memory_reserve(uint64_t bytes)
{
    bool fits;

    if (wm_memory == NULL)
        return false;
    wm_memory_lock(&wm_memory->lock);
    fits = bytes <= wm_memory->bytes / 2 && wm_memory->taken + wm_memory->reserved <= wm_memory->bytes / 2 - bytes;
    if (fits)
        wm_memory->reserved += bytes;
    wm_memory_unlock(&wm_memory->lock);
    return fits;
}

void wm_memory_unreserve(uint64_t bytes)
{
    wm_memory_lock(&wm_memory->lock);
    wm_memory->reserved -= bytes;
    wm_memory_unlock(&wm_memory->lock);
}

bool wm_memory_is_roomy(void)
{
    bool roomy;

    if (wm_memory == NULL)
        return true;
    wm_memory_lock(&wm_memory->lock);
    roomy = wm_memory->taken + wm_memory->reserved <= wm_memory->bytes / 4;
    wm_memory_unlock(&wm_memory->lock);
    return roomy;
}
