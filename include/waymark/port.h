/* Ports: bounded channels between ranks that are found by name, and the choice between all that a rank can wait for.
 *
 * A rank opens a port under a name and is its **host**; other ranks, or the same one, find it by that name. A port has
 * **ends**: an end writes messages or reads them, and its rank alone uses it. There are any number of both. A message
 * is read once, by one of the readers; what one end writes is read in that order.
 *
 *     struct wm_ports *ports = wm_ports_begin(MPI_COMM_WORLD);
 *     struct wm_port *results;
 *
 *     wm_port_open(ports, "results", WM_PORT_READ, &(struct wm_port_form){.number = WM_DOUBLE}, &results);     rank 0
 *     wm_port_find(ports, "results", WM_PORT_WRITE, &(struct wm_port_form){.number = WM_DOUBLE}, 10, &results); others
 *
 * A port is **bounded**: the messages that wait in it stand at the host, at most `capacity` and one more of each
 * writer. A writer that is ahead by so many waits until the readers catch up; nothing is lost.
 *
 * The directory of names is spread over the ranks by a hash: opening and finding a port asks the rank that keeps its
 * name, and nobody keeps all. A port is gone, and its name is free some time later, when all ends have closed it and as
 * many have come as it was opened for.
 *
 * States of a port: it flows; **ended**: all writers have closed it, what waits is still read, then reads say so;
 * **closed**: all readers have closed it, and writes say so; **poisoned**: an end has poisoned it, what waits is
 * dropped, and every end hears of it at once.
 *
 * All goes on in whatever a rank waits for: a port, a collective, a conveyor, any call of MPI that waits. A host that
 * computes for long serves nobody meanwhile. One thread at a time. Functions that return an int return an enum
 * wm_port_error. */
#ifndef WM_PORT_H
#define WM_PORT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "waymark/expect.h"
#include "waymark/number.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WM_PORT_API __attribute__((visibility("default")))

enum { WM_PORT_NAME_BYTES = 255, WM_PORT_CAPACITY_MAX = 65000 }; /* at most */

/* X(name, what): wm_port_sentence says it whole. */
/* clang-format off */
#define WM_PORT_ERRORS(X)                                                                                              \
    X(DONE,     "nothing is wrong")                                                                                    \
    X(ENDED,    "all its writers have closed it, and what they wrote is read")                                         \
    X(CLOSED,   "all its readers have closed it")                                                                      \
    X(POISONED, "it is poisoned")                                                                                      \
    X(TWICE,    "the name is another port's")                                                                          \
    X(NEVER,    "nobody has opened it by the deadline")                                                                \
    X(TYPE,     "its messages are of another type")                                                                    \
    X(SIZE,     "the message has a size that does not fit")                                                            \
    X(USE,      "the end is for the other direction")                                                                  \
    X(NAME,     "a name has 1 to 255 bytes")                                                                           \
    X(FORM,     "what is said of the port is out of range")
/* clang-format on */

enum wm_port_error {
#define X(name, what) WM_PORT_##name,
    WM_PORT_ERRORS(X)
#undef X
};

enum wm_port_use { WM_PORT_READ, WM_PORT_WRITE };

/* What a port is opened for. Who finds it says number and element_bytes, which have to be the same. */
struct wm_port_form {
    enum wm_number number; /* what a message consists of; WM_BYTES: of elements of `element_bytes` */
    size_t element_bytes;  /* 0: of any number of bytes */
    int capacity;          /* 0: 16 */
    int writers, readers;  /* it does not end before so many have come and gone; 0: one */
};

struct wm_ports;
struct wm_port;

/* The ports between the ranks of a communicator. Collective. NULL: the MPI library gives no communicator. */
WM_PORT_API struct wm_ports *wm_ports_begin(MPI_Comm comm);
/* Close what is open, and wait for all ranks. Collective. */
WM_PORT_API void wm_ports_end(struct wm_ports *ports);

/* Open a port, with an end for this rank. NULL as `form`: messages of any bytes, and what else is the default. Returns
 * WM_PORT_DONE, _TWICE, _NAME, _FORM; but for DONE *port is NULL. */
WM_PORT_API int wm_port_open(struct wm_ports *ports, const char *name, enum wm_port_use use,
                             const struct wm_port_form *form, struct wm_port **port);
/* Find a port, and wait for so many seconds until somebody has opened it; below 0: for ever. Returns WM_PORT_DONE,
 * _NEVER, _TYPE, _NAME, _FORM; but for DONE *port is NULL. */
WM_PORT_API int wm_port_find(struct wm_ports *ports, const char *name, enum wm_port_use use,
                             const struct wm_port_form *form, double seconds, struct wm_port **port);

/* Write a message: it is copied; a large one (4 KiB) when the host has taken it. Waits while this end is too far ahead.
 * Returns WM_PORT_DONE, _ENDED (this end came after the others had closed it), _CLOSED, _POISONED, _SIZE, _USE. */
WM_PORT_API int wm_port_write(struct wm_port *port, const void *data, size_t bytes);
/* Read a message into *bytes of memory; *bytes becomes the message's. Waits for one. Returns WM_PORT_DONE, _ENDED,
 * _POISONED, _USE; _SIZE: the message is longer, and stays the next one. */
WM_PORT_API int wm_port_read(struct wm_port *port, void *data, size_t *bytes);

/* This end is no longer the caller's; NULL is allowed. Never waits. */
WM_PORT_API void wm_port_close(struct wm_port *port);
/* The same, and it is the end of the port for all. */
WM_PORT_API void wm_port_poison(struct wm_port *port);

/* What went wrong last, naming both ends; valid until the next call. */
WM_PORT_API const char *wm_port_sentence(const struct wm_ports *ports);

/* ---- choice ---- */

struct conveyor;

/* One of what is waited for: the pointer that is not NULL; if all are, it is never ready. */
struct wm_alternative {
    struct wm_port *port;      /* a read, or a write, of one message does not wait; or the port is over */
    MPI_Request *request;      /* is complete; MPI_REQUEST_NULL never is */
    struct conveyor *conveyor; /* has something to pull, or is over; it is advanced meanwhile */
    bool done;                 /* what convey_advance is told */
    int advanced;              /* what convey_advance said last: that it is over by convey_DONE, or a negative code */
};

/* Wait until one of the alternatives is ready, for so many seconds; below 0: for ever; 0: look once. Everything that is
 * under way in the process goes on meanwhile. Nothing is taken: a read, MPI_Wait or convey_pull, which then does not
 * wait, does that. But a reader has asked for a message that is its own from then on: close an end that reads no more.
 * Several are ready: `turn` NULL: the first is taken; else they take turns: the first behind the last one, which
 * *turn, at first 0, says.
 * Returns its index; -1: none was ready by then. */
WM_PORT_API int wm_select(struct wm_alternative *list, int count, int *turn, double seconds);

#ifdef __cplusplus
}
#endif

#endif
