/* Frames over the socket between a map's client and its server. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "core/map/protocol.h"

struct header {
    uint32_t kind;
    uint32_t bytes;
};

int64_t wm_frame_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Wait until the socket is ready for `events`, or for ever. */
static enum wm_frame_state wait_ready(int fd, short events, int64_t deadline_ns)
{
    struct pollfd entry = {.fd = fd, .events = events};

    for (;;) {
        int wait_ms = -1;
        if (deadline_ns >= 0) {
            int64_t left_ns = deadline_ns - wm_frame_now();
            if (left_ns <= 0)
                return WM_FRAME_LATE;
            wait_ms = left_ns > 3600000000000 ? 3600000 : (int)((left_ns + 999999) / 1000000);
        }
        int ready = poll(&entry, 1, wait_ms);
        if (ready > 0)
            return WM_FRAME_DONE;
        if (ready < 0 && errno != EINTR && errno != EAGAIN)
            return WM_FRAME_CLOSED;
    }
}

/* Move all of `bytes` in the direction that `receiving` says. */
static enum wm_frame_state transfer(int fd, int receiving, void *data, size_t bytes, int64_t deadline_ns)
{
    char *at = data;

    while (bytes > 0) {
        ssize_t moved =
            receiving ? recv(fd, at, bytes, MSG_DONTWAIT) : send(fd, at, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (moved > 0) {
            at += moved;
            bytes -= (size_t)moved;
        } else if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            enum wm_frame_state state = wait_ready(fd, receiving ? POLLIN : POLLOUT, deadline_ns);
            if (state != WM_FRAME_DONE)
                return state;
        } else if (moved == 0 || errno != EINTR) {
            return WM_FRAME_CLOSED;
        }
    }
    return WM_FRAME_DONE;
}

enum wm_frame_state wm_frame_send(int fd, enum wm_frame_kind kind, const char *payload, size_t bytes,
                                  int64_t deadline_ns)
{
    struct header header = {.kind = kind, .bytes = (uint32_t)bytes};
    enum wm_frame_state state;

    if (bytes > WM_FRAME_BYTES_MAX)
        return WM_FRAME_BROKEN;
    state = transfer(fd, 0, &header, sizeof header, deadline_ns);
    if (state == WM_FRAME_DONE)
        state = transfer(fd, 0, (void *)payload, bytes, deadline_ns);
    return state;
}

enum wm_frame_state wm_frame_receive(int fd, enum wm_frame_kind *kind, char **payload, size_t *bytes,
                                     int64_t deadline_ns)
{
    struct header header;
    enum wm_frame_state state;

    *payload = NULL;
    state = transfer(fd, 1, &header, sizeof header, deadline_ns);
    if (state != WM_FRAME_DONE)
        return state;
    if (header.bytes > WM_FRAME_BYTES_MAX || (*payload = malloc((size_t)header.bytes + 1)) == NULL)
        return WM_FRAME_BROKEN;
    state = transfer(fd, 1, *payload, header.bytes, deadline_ns);
    if (state != WM_FRAME_DONE) {
        free(*payload);
        *payload = NULL;
        return state;
    }
    (*payload)[header.bytes] = '\0';
    *kind = (enum wm_frame_kind)header.kind;
    *bytes = header.bytes;
    return WM_FRAME_DONE;
}
