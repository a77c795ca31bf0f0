/* The page of a rank: where it is, in memory that outlives it.
 *
 * The rank alone writes, by plain stores, and waits for nobody; whoever has the file reads: the guard of its node, and
 * `waymark doctor`. The pages of a node's ranks are one file, by rank: with a trace in its directory, else without a
 * name (memfd), and alive as long as a process has it. What is read may be torn or made up: strings may lack their
 * ends, numbers may be out of range.
 *
 * A rank's collective calls on a communicator are numbered from 1. Of each call the rank mixes a fingerprint into the
 * communicator's chain: equal chains at equal numbers say that all calls so far were the same. Types have a chain of
 * their own, as equal bytes of other types may be right (MPI_BYTE, MPI_PACKED): `wild` counts such calls. What a call
 * looked like stands once for all calls like it (struct wm_page_call); the ring has the newest calls, one by one.
 *
 * States of a page: running; leaving, from MPI_Finalize on; ending, when its rank ends the job. */
#ifndef WM_GUARD_PAGE_H
#define WM_GUARD_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/error.h"
#include "core/guard/post.h"
#include "core/hash.h"

#define WM_PAGE_MAGIC "WMPAGE06"
#define WM_PAGE_MEMORY "waymark-page" /* the memfd's name */

enum { WM_PAGE_CALLS = 256, WM_PAGE_RING = 512, WM_PAGE_COMMS = 128, WM_PAGE_MODULES = 64 };
enum { WM_PAGE_NAME_CHARS = 48, WM_PAGE_FILE_CHARS = 232, WM_PAGE_WRAPPERS = 64, WM_PAGE_WRAPPER_CHARS = 156 };

enum wm_page_state { WM_PAGE_RUNNING, WM_PAGE_LEAVING, WM_PAGE_ENDING };

enum wm_page_form { WM_FORM_BLOCKING, WM_FORM_NONBLOCKING, WM_FORM_PERSISTENT };

/* Calls that look alike. The first part is what the rank compares. */
struct wm_page_call {
    uint64_t site; /* where it returns to; 0: unknown */
    uint64_t send_type, receive_type, reduction;
    int32_t send_count, receive_count; /* receive_count: of all blocks, where each has one of its own */
    int32_t root;
    uint8_t operation, form;
    uint8_t comm;         /* index of its communicator, modulo 256 */
    uint8_t lasting;      /* its handles never come to mean anything else */
    uint64_t serial;      /* of the handles, where they may */
    uint64_t id;          /* of its communicator; 0: there is no such call */
    uint64_t offset;      /* of the site in its file: the same wherever that is loaded; 0: unknown */
    uint64_t print;       /* fingerprint, but for blocks of different sizes */
    uint64_t types;       /* of the type signature; 0: any */
    uint64_t bytes;       /* that all ranks must agree upon */
    uint64_t count;       /* elements that these are, of … */
    uint64_t first, last; /* numbers of the first and last one */
    char type[WM_PAGE_NAME_CHARS], reduction_name[WM_PAGE_NAME_CHARS];
};

struct wm_page_entry {
    uint64_t sequence;
    uint64_t chain, types;
    uint32_t comm, call; /* indices */
};

struct wm_page_comm {
    _Alignas(64) uint64_t id; /* the same at all its ranks, and no other's; 0: none */
    uint64_t begun;           /* number of the call of which chain and types are being written */
    uint64_t chain, types;
    uint64_t sequence; /* calls so far: chain and types hold if this is `begun` before and after */
    uint64_t wild;
    uint64_t received; /* messages, from whomever */
    int32_t rank, ranks;
    char name[WM_PAGE_NAME_CHARS];
    uint64_t dead; /* not 0: one of its ranks is, as the guard says */
};

/* Code that sites lie in. */
struct wm_page_module {
    uint64_t begin, end, base; /* addresses; `base` is that of the file's address 0 */
    char file[WM_PAGE_FILE_CHARS];
};

/* The blocking call that it is in: the collective one that is the ring's newest, or one that waits for messages. */
struct wm_page_now {
    uint64_t doing;    /* odd: in a call; each way in and out adds 1 */
    uint64_t tick;     /* the page's, at the way in */
    uint32_t function; /* WM_POST_NONE: a collective call */
    uint32_t count;    /* else: of post.with, or, of an MPI_Wait…, of its requests; */
    uint64_t site;     /* where it was called */
};

/* The step of a planned call that it waits for: told before it waits long, so the newest one is what it waits for. */
enum wm_page_direction { WM_PAGE_NO_STEP, WM_PAGE_SENDS, WM_PAGE_RECEIVES, WM_PAGE_SHARES };

struct wm_page_step {
    uint64_t doing; /* that of the call */
    uint64_t bytes;
    int32_t peer;     /* rank in the communicator; -1: none */
    uint32_t message; /* its number between the two */
    uint32_t node;    /* the wrapper's place in the map */
    uint32_t direction;
};

/* A wrapper's place in the map: what stands there, and file, line and column. */
struct wm_page_wrapper {
    uint32_t node; /* from 1; 0: none */
    char text[WM_PAGE_WRAPPER_CHARS];
};

/* What a rank has found to be wrong in a call of its own. In the text @0 stands for the ranks that have found the same,
 * @1 and @2 for its sites. */
enum { WM_PAGE_FLAWS = 16, WM_PAGE_FLAW_CHARS = 400 };
struct wm_page_flaw {
    uint64_t sites[2]; /* where these calls return to; 0: unknown */
    char text[WM_PAGE_FLAW_CHARS];
};

enum { WM_PAGE_ALIGNMENT = 4096 }; /* of a page in its file */

struct wm_page {
    _Alignas(WM_PAGE_ALIGNMENT) char magic[8];
    uint64_t bytes; /* of this struct */
    uint64_t job;   /* the same at all ranks of a job */
    uint64_t born;  /* its process's start, of /proc/PID/stat */
    int32_t rank, ranks, pid;
    uint32_t state;   /* enum wm_page_state */
    uint32_t threads; /* MPI_THREAD_MULTIPLE: `now` is not kept */
    uint32_t comm_count, module_count;
    char host[64], program[64];
    _Alignas(64) struct wm_page_now now;
    _Alignas(64) struct wm_page_step step;
    _Alignas(64) uint64_t ring_next; /* the entry that is written next, over the oldest one, modulo their number */
    _Alignas(64) uint64_t tick;      /* counted up by the guard alone, ten times a second; 0: there is no guard */
    uint64_t gone;                   /* the guard's tick when it found the process gone; 0: it has not */
    uint64_t verdict; /* the communicator, by id, of the newest mismatch, or of ranks that are held, that the guard has
                         named; 0: none so far */
    uint64_t deaths;  /* so many times some `dead` has been told, at all ranks of the node */
    uint64_t process; /* of a copy on another node: what the guard saw of the process, 'R', 'S', 'T', …; 0: nothing */
    _Alignas(64) struct wm_page_entry ring[WM_PAGE_RING];
    struct wm_page_comm comms[WM_PAGE_COMMS];
    _Alignas(64) struct wm_page_post post;
    struct wm_page_call calls[WM_PAGE_CALLS];
    struct wm_page_module modules[WM_PAGE_MODULES];
    struct wm_page_wrapper wrappers[WM_PAGE_WRAPPERS]; /* by node, modulo their number: the newest */
    uint32_t flaw_count;                               /* the flaws that are there */
    uint32_t flaws_told;                               /* of these the guard has named so many */
    struct wm_page_flaw flaws[WM_PAGE_FLAWS];
};

/* Make the file of so many pages: in `directory`, as rank-00000.page by the node's first rank, in place of an older
 * one; NULL: without a name. It closes on exec. -1 with a sentence: there is none. */
int wm_page_file_new(const char *directory, int rank, int pages, struct wm_error *error);

/* Where the guard's process has it. */
enum { WM_GUARD_FILE = 3 };

/* Open the file of so many pages of a job that another process has open; -1: it cannot be had, or is another. */
int wm_page_file_open(int pid, int file, int pages, uint64_t job);

/* Map the page of this process, which is the file's `index`-th. NULL with a sentence: it cannot be. The page is known
 * to readers from wm_page_begin on. */
struct wm_page *wm_page_new(int file, int index, int rank, struct wm_error *error);
void wm_page_begin(struct wm_page *page, uint64_t job);
void wm_page_free(struct wm_page *page);

/* Pages of a file, mapped. */
struct wm_page_map {
    struct wm_page *pages;
    int count;
    uint64_t device, inode; /* of the file */
};

/* Map all pages of a file that other processes write; count 0: it has none. */
struct wm_page_map wm_page_map(int file, bool writable);
void wm_page_unmap(const struct wm_page_map *map);

/* It has been begun, and is of this version. */
bool wm_page_is_begun(const struct wm_page *page);

/* List the code of this process. What is loaded later is listed when a site is found in no module. */
void wm_page_list_modules(struct wm_page *page);

/* The module that has the address; NULL: none that is listed. */
const struct wm_page_module *wm_page_find_module(const struct wm_page *page, uint64_t address);

/* When the process began, in the system's ticks; 0: it is not there. */
uint64_t wm_page_born(int pid);

/* A chain with one more fingerprint: these are mixed, so that one multiplication does; the next call waits for it. */
static inline uint64_t wm_page_chain(uint64_t chain, uint64_t print)
{
    return (chain ^ print) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Publish a call on a communicator: its number is the next one. */
static inline void wm_page_add(struct wm_page *page, struct wm_page_comm *comm, struct wm_page_call *call,
                               uint64_t print)
{
    uint64_t next = page->ring_next, sequence = comm->sequence + 1;
    uint64_t chain = wm_page_chain(comm->chain, print), types = wm_page_chain(comm->types, call->types);

    __atomic_store_n(&comm->begun, sequence, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    page->ring[next % WM_PAGE_RING] =
        (struct wm_page_entry){sequence, chain, types, (uint32_t)(comm - page->comms), (uint32_t)(call - page->calls)};
    comm->chain = chain;
    comm->types = types;
    call->last = sequence;
    __atomic_store_n(&page->ring_next, next + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&comm->sequence, sequence, __ATOMIC_RELEASE);
}

/* It is in the blocking call that it has published just now; and no longer. */
static inline void wm_page_enter(struct wm_page *page)
{
    if (__builtin_expect(page->now.tick != page->tick, 0)) /* a store costs more than a look */
        page->now.tick = page->tick;
    __atomic_store_n(&page->now.doing, page->now.doing + 1, __ATOMIC_RELEASE);
}

static inline void wm_page_leave(struct wm_page *page)
{
    __atomic_store_n(&page->now.doing, page->now.doing + 1, __ATOMIC_RELEASE);
}

/* The same of a call that waits for messages, which stand in the post. */
static inline void wm_page_enter_message(struct wm_page *page, enum wm_post_function function, uint64_t site,
                                         uint32_t count)
{
    page->now.function = function;
    page->now.count = count;
    page->now.site = site;
    wm_page_enter(page);
}

static inline void wm_page_leave_message(struct wm_page *page)
{
    wm_page_leave(page);
    page->now.function = WM_POST_NONE;
}

/* It is in a call: what a callback calls in there is no wait of its own. */
static inline bool wm_page_is_in(const struct wm_page *page)
{
    return (page->now.doing & 1) != 0;
}

#endif
