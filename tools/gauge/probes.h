/* Probes: the calls that a machine is measured by, and the map whose paths they take. A probe's communicator has its
 * family's name, by which the map's rules tell. Pure: no MPI. */
#ifndef WM_GAUGE_PROBES_H
#define WM_GAUGE_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "waymark/operation.h"

/* X(id, "name of the communicator", wrappers before the stage, shape or NULL, self-test) */
/* clang-format off */
#define WM_GAUGE_FAMILIES(X)                                                                                           \
    X(FENCE,      "fence",      "",                               NULL,        false)                                 \
    X(SHARED,     "shared",     "",                               "'shared",   false)                                 \
    X(SHM,        "shm",        "(remote 'shm) ",                 "'binomial", false)                                 \
    X(MPI,        "mpi",        "(remote 'mpi) ",                 "'binomial", false)                                 \
    X(SHM_PIECES, "shm-pieces", "(segment 64) (remote 'shm) ",    "'binomial", false)                                 \
    X(MPI_PIECES, "mpi-pieces", "(segment 64) (remote 'mpi) ",    "'binomial", false)                                 \
    X(SHM_BULK,   "shm-bulk",   "(segment 32KiB) (remote 'shm) ", "'binomial", false)                                 \
    X(MPI_BULK,   "mpi-bulk",   "(segment 32KiB) (remote 'mpi) ", "'binomial", false)                                 \
    X(TEST_SHM,   "test-shm",   "(remote 'shm) ",                 NULL,        true)                                  \
    X(TEST_MPI,   "test-mpi",   "(remote 'mpi) ",                 NULL,        true)                                  \
    X(TEST_CUT,   "test-cut",   "(segment 16KiB) (remote 'mpi) ", "'binomial", true)                                  \
    X(TEST_SHARED, "test-shared", "",                             "'shared",   true)
/* clang-format on */

enum wm_gauge_family {
#define X(id, name, before, shape, test) WM_GAUGE_##id,
    WM_GAUGE_FAMILIES(X)
#undef X
        WM_GAUGE_FAMILY_COUNT
};

struct wm_gauge_probe {
    enum wm_gauge_family family;
    enum wm_operation operation;
    uint64_t bytes;
};

enum { WM_GAUGE_PROBES_MAX = 640, WM_GAUGE_PIECES = 16, WM_GAUGE_PIECE_BYTES = 64, WM_GAUGE_BULK_BYTES = 32 << 10 };

struct wm_gauge_list {
    int count;
    struct wm_gauge_probe probes[WM_GAUGE_PROBES_MAX];
};

const char *wm_gauge_family_name(enum wm_gauge_family family);
/* -1: there is none. */
int wm_gauge_family_find(const char *name);
bool wm_gauge_family_tests(enum wm_gauge_family family);

/* Print the map, but for its end: rules of other kinds may follow. */
void wm_gauge_print_map(FILE *out);

/* Probes of a pair of ranks; `near`: they share memory. */
void wm_gauge_list_pair(struct wm_gauge_list *list, bool near, uint64_t bytes_max);
/* Of more ranks of a host: shared steps. */
void wm_gauge_list_host(struct wm_gauge_list *list, uint64_t bytes_max);
/* So many of the self-test, drawn by the seed; the same at all ranks. `near`: all ranks share memory. */
void wm_gauge_list_test(struct wm_gauge_list *list, bool near, uint64_t bytes_max, uint64_t seed, int count);

/* The sizes of a series: 8, 16, 24, 32, 48, 64, …; the one behind `bytes`. */
uint64_t wm_gauge_next_bytes(uint64_t bytes);

/* A number drawn; the state is changed. */
uint64_t wm_gauge_draw(uint64_t *state);

#endif
