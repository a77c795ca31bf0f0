/* Times of superblocks, and what they say of the number of subranks, by the model max(c, L + c/V): c of computation an
 * iteration and process, in V subranks, and messages that take L. Pure. */
#ifndef WM_SUBRANK_ADVICE_H
#define WM_SUBRANK_ADVICE_H

#include <stddef.h>
#include <stdint.h>

/* Of superblocks of one name, of a rank or of several. Times but idle_ns overlap with those of siblings. */
struct wm_superblock_times {
    uint64_t pairs;      /* of receiving and computing */
    uint64_t compute_ns; /* in them, without waits */
    uint64_t idle_ns;    /* before them: a process had nothing to run, and the rank was the first that could go on */
    /* The longest such time at once, of which rank, and what it got last: from which other rank of the world, a message
     * with which tag; from -1: it was a collective. */
    uint64_t late_ns;
    int late_rank, late_peer, late_tag;
};

void wm_superblock_times_add(struct wm_superblock_times *sum, const struct wm_superblock_times *more);

enum wm_advice_reason {
    WM_ADVICE_HIDDEN, /* all is */
    WM_ADVICE_LATE,   /* most of it was a wait for one message */
    WM_ADVICE_SHORT,  /* messages take longer than all there is to compute */
    WM_ADVICE_TOO_FEW /* nothing else was ready: more subranks hide more */
};

struct wm_advice {
    double compute_ns, idle_ns; /* of an iteration and process */
    double latency_ns;          /* L; where nothing is idle, the most it can be */
    enum wm_advice_reason reason;
    int subranks; /* the fewest, a power of two, within 5 % of what any number reaches */
};

/* Of an iteration, means of all processes: `compute_ns` is c, `idle_ns` what the process had nothing to run. `late_ns`:
 * the part of that for one message. */
struct wm_advice wm_advice_of(double compute_ns, double idle_ns, double late_ns, int subranks);
/* The same of the times of so many processes with so many subranks each; there are pairs. */
struct wm_advice wm_advice_of_times(const struct wm_superblock_times *times, int processes, int subranks);
/* "all messages are hidden; fewer subranks may do": why not more is hidden, and what to do. */
void wm_advice_say(const struct wm_advice *advice, const struct wm_superblock_times *times, char *out,
                   size_t out_bytes);
/* "hidden", "late", "short", "too-few". */
const char *wm_advice_word(enum wm_advice_reason reason);

#endif
