/* Frames between a map's client and its server: a kind, a length, and JSON text.
 *
 *   client                                         server
 *                                              <-  HELLO, empty, by the process that will serve
 *                                              <-  READY {}, when its sandbox is entered
 *   OPEN    {"file", "text", "limit_ms",       ->
 *            "first_procedure"}
 *                                              <-  REPLY {"operations": ["bcast", …], "native":
 *                                                  ["barrier", …], "grid": …, "subranks": …}
 *                                                  or an error
 *   ASK     {"facts", "explain"}               ->
 *                                              <-  REPLY the answer (core/path/path.h), with an "explanation"
 *                                                  (core/map/explain.h) when asked for, or an error
 *   PARENTS {"procedure", "size"}              ->
 *                                              <-  REPLY {"parents": [-1, 0, …]} or an error
 *
 * "facts" is an object with a member for each row of WM_FACTS (core/path/facts.h).
 * An error is {"error": {"line", "column", "text"}}, with "code" where it is not the map's fault. One frame more may
 * come at any time: LAST, an error too, when the server is about to die (time, memory) and knows why.
 * Both ends live on one host and come from one build. */
#ifndef WM_MAP_PROTOCOL_H
#define WM_MAP_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wm_frame_kind {
    WM_FRAME_HELLO = 'H',
    WM_FRAME_READY = 'E',
    WM_FRAME_OPEN = 'O',
    WM_FRAME_ASK = 'A',
    WM_FRAME_PARENTS = 'P',
    WM_FRAME_REPLY = 'R',
    WM_FRAME_LAST = 'L'
};

/* What came of sending or receiving. */
enum wm_frame_state {
    WM_FRAME_DONE = 0,
    WM_FRAME_CLOSED, /* the other end is gone */
    WM_FRAME_LATE,   /* the deadline passed, and there is no later one */
    WM_FRAME_BROKEN  /* no memory, or not our protocol */
};

enum { WM_FRAME_BYTES_MAX = 64 << 20 };

/* The descriptor that the server finds its socket at. */
enum { WM_MAP_SERVER_FD = 3 };

/* Nanoseconds of the monotonic clock. */
int64_t wm_frame_now(void);

/* How long a transfer may take. When `deadline_ns`, a time of wm_frame_now, has passed, `late` is asked, if it is not
 * NULL: true when it has set a later deadline. */
struct wm_frame_wait {
    int64_t deadline_ns;
    bool (*late)(struct wm_frame_wait *wait);
};

/* Wait until something can be received, or the other end is gone: WM_FRAME_DONE. */
enum wm_frame_state wm_frame_await(int fd, struct wm_frame_wait *wait);

/* Send one frame. Raises no SIGPIPE, is not disturbed by signals, and may be called in a signal handler. */
enum wm_frame_state wm_frame_send(int fd, enum wm_frame_kind kind, const char *payload, size_t bytes,
                                  struct wm_frame_wait *wait);

/* Receive one frame. *payload is NUL-terminated and the caller's to free; NULL on failure. */
enum wm_frame_state wm_frame_receive(int fd, enum wm_frame_kind *kind, char **payload, size_t *bytes,
                                     struct wm_frame_wait *wait);

#endif
