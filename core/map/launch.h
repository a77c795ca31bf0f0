/* The map server's process, seen by its client: started, watched while it is asked, ended.
 *
 * A server is started by a first process that forks it and ends at once, so that the application never has a child or a
 * zombie of ours. Its socket is the only tie: it ends when that is closed, or when the client's process has ended. */
#ifndef WM_MAP_LAUNCH_H
#define WM_MAP_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "core/error.h"
#include "core/map/protocol.h"

struct wm_map_server {
    int fd;       /* -1: there is none */
    ino_t socket; /* what `fd` stands for: an application may close files that are not its own */
    pid_t pid;    /* as the kernel says; until HELLO has come, of the first process */
};

/* A wait for the server: begun with a request, judged whenever its patience is over. */
struct wm_map_vigil {
    struct wm_frame_wait wait; /* stands first */
    const struct wm_map_server *server;
    int64_t limit_ns;    /* of processor time: what the request may cost the server */
    int64_t grace_ns;    /* beyond it the server has used up its time, and should have said so */
    int64_t before_ns;   /* processor time that the server had had when the wait began */
    int64_t begin_ns;    /* a time of wm_frame_now */
    int64_t patience_ns; /* from one judgement to the next */
    int64_t slept_ns;    /* processor time at a judgement that found it asleep; -1: it was not */
    bool asleep;         /* given up: the server is stopped, or sleeps, and another may do better */
};

/* Wait for the server's work of at most `limit_ms` of processor time. When it has not answered in as much real time and
 * `grace_ms` more, it is judged, and from then on in doubling steps: one that is ready to run, but gets no processor,
 * or waits for its memory, is waited for, with a word on stderr. The wait is over (WM_FRAME_LATE) for one that has used
 * up its time without saying so, for one that is stopped, and for one that sleeps from one judgement to the next. */
void wm_map_vigil_begin(struct wm_map_vigil *vigil, const struct wm_map_server *server, unsigned limit_ms,
                        unsigned grace_ms);

/* Start the program `file`, and wait until it says HELLO. Returns 0; -WM_ESYSTEM when it cannot be started;
 * -WM_ESERVER when it is no map server, or ended. There is no server then, and no process of it. */
int wm_map_server_start(struct wm_map_server *server, const char *file, struct wm_map_vigil *vigil,
                        struct wm_error *error);

/* False when there is none, or the application has closed its file; the number may stand for one of its own by now. */
bool wm_map_server_there(const struct wm_map_server *server);

/* Close the socket: the server ends when it looks at it next. Also where there is none. */
void wm_map_server_drop(struct wm_map_server *server);

/* The same for one that does not look: it is killed. */
void wm_map_server_kill(struct wm_map_server *server);

#endif
