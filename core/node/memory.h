/* The memory that the processes of a node share: one mapping, and its allocator.
 *
 * An anonymous file (memfd) without a name anywhere: the kernel frees it with the last process that maps it. Its head
 * tells the processes of one another; behind it pieces are given out, of a power of two bytes, at least 4096, zeroed.
 * Who takes a piece first touches it first. Addresses differ between processes, so what stands in the memory speaks of
 * offsets; 0 is none. The pieces that are given back lose their pages but for the first, and are handed out again by
 * size. Locks in the memory are held for moments, and who waits for one yields. */
#ifndef WM_NODE_MEMORY_H
#define WM_NODE_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WM_MEMORY_PIECE_BYTES = 4096, WM_MEMORY_CLASSES = 48 };

/* One of the processes that map it. */
struct wm_memory_process {
    int64_t id;       /* pid */
    uint64_t address; /* of the mapping there */
};

/* At the memory's start. */
struct wm_memory {
    uint64_t token; /* random: it is the memory that was meant */
    uint64_t bytes;
    _Atomic uint32_t lock;
    uint64_t next;                    /* never given out from here on */
    uint64_t taken, reserved;         /* bytes, but for the head */
    uint64_t free[WM_MEMORY_CLASSES]; /* first piece of so many × WM_MEMORY_PIECE_BYTES; its first word is the next */
    _Atomic uint64_t single_copy;     /* core/node/copy.c: a size in bytes, 0: not measured yet */
    _Atomic bool told;                /* that single copies fail */
    _Atomic bool told_used_up;        /* that there is no room for a communicator */
    bool crowded;                     /* more processes than processors */
    int processes;
    struct wm_memory_process process[]; /* by rank in the node */
};

/* Where the one that made it lets the others find it. */
struct wm_memory_invitation {
    int64_t process;
    int file;
    uint64_t token, bytes;
};

/* clang-format off */
#define WM_MEMORY_FAULTS(X)                                   \
    X(NONE,   "")                                             \
    X(SPACE,  "limits of the process's address space or of file sizes") \
    X(FILE,   "memfd_create")                                 \
    X(SIZE,   "ftruncate")                                    \
    X(OPEN,   "/proc/PID/fd")                                 \
    X(MAP,    "mmap")                                         \
    X(OTHER,  "it is not the memory of this job")
/* clang-format on */

enum wm_memory_fault {
#define X(id, text) WM_MEMORY_FAULT_##id,
    WM_MEMORY_FAULTS(X)
#undef X
};

/* What went wrong, and errno, 0: none. */
struct wm_memory_failure {
    int fault, error;
};

/* This process's mapping, or NULL. */
extern struct wm_memory *wm_memory;

static inline void *wm_memory_at(uint64_t offset)
{
    return (char *)wm_memory + offset;
}

/* Bytes that this process could map for a node of so many ranks; less than it needs: none. */
uint64_t wm_memory_affordable(int ranks);

/* Make it and map it; `invitation` is for the others, who have until wm_memory_open_no_more to join. On failure nothing
 * is mapped. */
struct wm_memory_failure wm_memory_make(uint64_t bytes, int processes, struct wm_memory_invitation *invitation);
struct wm_memory_failure wm_memory_join(const struct wm_memory_invitation *invitation);
/* The same with a file that is believed to be it, which is closed. */
struct wm_memory_failure wm_memory_join_file(const struct wm_memory_invitation *invitation, int file);
void wm_memory_open_no_more(const struct wm_memory_invitation *invitation);
/* Say that this process is `number` of the node's. */
void wm_memory_sign(int number);
void wm_memory_leave(void);

/* Take a zeroed piece; its offset, 0: there is no more memory. *reserved, which this caller has reserved, is used for
 * it first. Give it back, with the bytes asked for. Any thread. */
uint64_t wm_memory_take(size_t bytes, uint64_t *reserved);
void wm_memory_give(uint64_t offset, size_t bytes);

/* What a piece of so many bytes takes. */
uint64_t wm_memory_piece_bytes(size_t bytes);

/* Reserve bytes for pieces, so that these can be taken later. At most half of the memory is reserved: pieces are not
 * joined again. False: that is used up. */
bool wm_memory_reserve(uint64_t bytes);
void wm_memory_unreserve(uint64_t bytes);
/* At most half of what can be reserved is in use; also where there is no memory. */
bool wm_memory_is_roomy(void);

/* Locks that stand in the memory, 0 when free. Nothing that may wait is done while one is held. */
void wm_memory_lock(_Atomic uint32_t *lock);
void wm_memory_unlock(_Atomic uint32_t *lock);

#endif
