/* The mailbox: through it a tool gives rank 0 of a running job a new map.
 *
 * It is memory without a name (memfd) that rank 0 has open: whoever may read the process's /proc/PID/fd may write it,
 * the same user and nobody else. Nothing of it is left when the process ends. The rank looks at it when it likes, waits
 * for nobody, and trusts nothing in it: lengths may be out of range, texts may lack their ends.
 *
 * States: enum wm_mailbox_state. A writer takes an empty mailbox, writes, and asks; the rank takes what was asked and
 * answers; the writer reads the answer and leaves the mailbox empty. A mailbox whose writer is gone is the next one's.
 *
 * While two maps are tried the rank adds what each round of calls has shown, and the writer counts beats: where it
 * stops, the trial ends with the map before. */
#ifndef WM_GUARD_MAILBOX_H
#define WM_GUARD_MAILBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/error.h"

#define WM_MAILBOX_MAGIC "WMMAIL01"
#define WM_MAILBOX_MEMORY "waymark-mailbox" /* the memfd's name */

enum { WM_MAILBOX_FILE_CHARS = 4096, WM_MAILBOX_TEXT_BYTES = 1 << 20, WM_MAILBOX_SENTENCE_CHARS = 2048 };
enum { WM_MAILBOX_MACHINE_CHARS = 1024, WM_MAILBOX_ROUNDS_MAX = 4096 };

enum wm_mailbox_state {
    WM_MAILBOX_EMPTY,
    WM_MAILBOX_WRITING,  /* a writer has taken it */
    WM_MAILBOX_ASKED,    /* the rank has not looked yet */
    WM_MAILBOX_TAKEN,    /* the rank reads the map */
    WM_MAILBOX_ANSWERED, /* `status` and `sentence` hold */
    WM_MAILBOX_CLOSED    /* the job has ended MPI */
};

enum wm_mailbox_wish {
    WM_MAILBOX_MAP,
    WM_MAILBOX_BACK, /* the map before; in a trial as STOP */
    WM_MAILBOX_TRY,  /* a map, in turns with the one that holds */
    WM_MAILBOX_KEEP, /* the map that is tried */
    WM_MAILBOX_STOP  /* no trial: the map that holds */
};

/* Four blocks of calls of one operation and size class on a communicator: the old map, the new one twice, the old one.
 */
struct wm_mailbox_round {
    uint32_t operation;  /* enum wm_operation */
    uint32_t size_class; /* 0: no bytes that all ranks know; k: 2^(k-1) bytes and more, less than 2^k */
    uint32_t ranks;      /* of the communicator */
    uint32_t calls;      /* of each block */
    int64_t ns[4];       /* medians of its calls, from the last to come to the last to leave */
};

/* Which blocking calls a trial is about. */
struct wm_trial_scope {
    uint32_t every; /* one of so many calls of a kind, at most, has the tried map; 0: each second one */
    uint32_t one;   /* not 0: of this operation and size class alone */
    uint32_t operation, size_class;
};

struct wm_mailbox {
    char magic[8];
    uint64_t bytes; /* of this struct */
    int32_t pid, ranks;
    char machine[WM_MAILBOX_MACHINE_CHARS]; /* where the ranks are (wm_grid_parse_machine); "": no such text says it */
    char map_file[WM_MAILBOX_FILE_CHARS];   /* the map that holds */
    _Alignas(64) uint32_t state;            /* enum wm_mailbox_state */
    uint32_t epoch;                         /* maps so far, but for the first */
    int32_t writer;                         /* its process */
    uint32_t wish;                          /* enum wm_mailbox_wish */
    uint64_t text_bytes;                    /* without the NUL */
    struct wm_trial_scope scope;            /* of WM_MAILBOX_TRY */
    int32_t status;                         /* 0, or -WM_E… */
    char sentence[WM_MAILBOX_SENTENCE_CHARS]; /* what is wrong */
    char file[WM_MAILBOX_FILE_CHARS];         /* the map's name in messages */
    char text[WM_MAILBOX_TEXT_BYTES + 1];
    uint64_t beat;        /* the writer's */
    uint32_t round_count; /* of this trial; written after the round */
    struct wm_mailbox_round rounds[WM_MAILBOX_ROUNDS_MAX];
};

/* Make the mailbox of this process. NULL: there is none, with a sentence. */
struct wm_mailbox *wm_mailbox_new(int *fd, struct wm_error *error);
void wm_mailbox_free(struct wm_mailbox *mailbox, int fd);

/* Map the one that a process has open, for writing; NULL: it has none that one may open. */
struct wm_mailbox *wm_mailbox_of(int pid);

/* The rank's look: one load. */
static inline enum wm_mailbox_state wm_mailbox_state(const struct wm_mailbox *mailbox)
{
    return (enum wm_mailbox_state)__atomic_load_n(&mailbox->state, __ATOMIC_ACQUIRE);
}

/* Go from one state to another, if it is in the former. */
bool wm_mailbox_move(struct wm_mailbox *mailbox, enum wm_mailbox_state from, enum wm_mailbox_state to);

/* The writer: ask for something; `text`: of a map, NULL where the wish has none; `scope`: of a trial, NULL: all calls,
 * each second one. Returns 0; -WM_ESYSTEM where another
 * one asks, or the job has ended; -WM_EINVAL where the text is too long. */
int wm_mailbox_ask(struct wm_mailbox *mailbox, enum wm_mailbox_wish wish, const char *file, const char *text,
                   size_t text_bytes, const struct wm_trial_scope *scope, struct wm_error *error);

/* The rank: add a round; what there is no room for is left out. One thread at a time. */
void wm_mailbox_add_round(struct wm_mailbox *mailbox, const struct wm_mailbox_round *round);

/* The writer: how many rounds there are, at most WM_MAILBOX_ROUNDS_MAX. */
uint32_t wm_mailbox_rounds(const struct wm_mailbox *mailbox);

#endif
