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

/* Has the deadline passed for good? Else *left_ms is the time until it does. */
static bool is_over(struct wm_frame_wait *wait, int *left_ms)
{
    int64_t left_ns;

    while ((left_ns = wait->deadline_ns - wm_frame_now()) <= 0)
        if (wait->late == NULL || !wait->late(wait))
            return true;
    *left_ms = left_ns > 3600000000000 ? 3600000 : (int)((left_ns + 999999) / 1000000);
    return false;
}

static enum wm_frame_state wait_ready(int fd, short events, struct wm_frame_wait *wait)
{
    struct pollfd entry = {.fd = fd, .events = events};

    for (;;) {
        int left_ms, ready;

        if (is_over(wait, &left_ms))
            return WM_FRAME_LATE;
        ready = poll(&entry, 1, left_ms);
        if (ready > 0)
            return WM_FRAME_DONE;
        if (ready < 0 && errno != EINTR && errno != EAGAIN)
            return WM_FRAME_CLOSED;
    }
}

enum wm_frame_state wm_frame_await(int fd, struct wm_frame_wait *wait)
{
    return wait_ready(fd, POLLIN, wait);
}

/* Move all of `bytes` in the direction that `receiving` says. */
static enum wm_frame_state transfer(int fd, int receiving, void *data, size_t bytes, struct wm_frame_wait *wait)
{
    char *at = data;

    while (bytes > 0) {
        ssize_t moved =
            receiving ? recv(fd, at, bytes, MSG_DONTWAIT) : send(fd, at, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (moved > 0) {
            at += moved;
            bytes -= (size_t)moved;
        } else if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            enum wm_frame_state state = wait_ready(fd, receiving ? POLLIN : POLLOUT, wait);
            if (state != WM_FRAME_DONE)
                return state;
        } else if (moved == 0 || errno != EINTR) {
            return WM_FRAME_CLOSED;
        }
    }
    return WM_FRAME_DONE;
}

enum wm_frame_state wm_frame_send(int fd, enum wm_frame_kind kind, const char *payload, size_t bytes,
                                  struct wm_frame_wait *wait)
{
    struct header header = {.kind = kind, .bytes = (uint32_t)bytes};
    enum wm_frame_state state;

    if (bytes > WM_FRAME_BYTES_MAX)
        return WM_FRAME_BROKEN;
    state = transfer(fd, 0, &header, sizeof header, wait);
    if (state == WM_FRAME_DONE)
        state = transfer(fd, 0, (void *)payload, bytes, wait);
    return state;
}

enum wm_frame_state wm_frame_receive(int fd, enum wm_frame_kind *kind, char **payload, size_t *bytes,
                                     struct wm_frame_wait *wait)
{
    struct header header;
    enum wm_frame_state state;

    *payload = NULL;
    state = transfer(fd, 1, &header, sizeof header, wait);
    if (state != WM_FRAME_DONE)
        return state;
    if (header.bytes > WM_FRAME_BYTES_MAX || (*payload = malloc((size_t)header.bytes + 1)) == NULL)
        return WM_FRAME_BROKEN;
    state = transfer(fd, 1, *payload, header.bytes, wait);
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
