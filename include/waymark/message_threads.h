/* Messages of many threads: the functions of a protocol (waymark/message.h), for any thread at any time.
 *
 *     WM_PROTOCOL(mail, struct mail_header, mail_key, WM_KEY_DECIDES, WM_IN_ORDER, tag);
 *     WM_PROTOCOL_THREADS(mail);
 *
 *     mail_shared_send(&mail, &letter);
 *     mail_shared_wait(&mail, &letter);
 *
 * They do what those without `shared` do, one at a time in a group: a thread that waits lets the others in. Threads may
 * share an endpoint, or have one each; an envelope is one thread's until it is complete. Between processes
 * MPI_THREAD_MULTIPLE is needed, and any thread that waits, for whatever it may be, serves all.
 *
 * From the first to the last of them nobody uses the functions without `shared` in the group, but for NAME_open and
 * NAME_close, which are one thread's, before and after. There is no probe, since what it finds another thread may
 * take: NAME_shared_take is that of many threads. */
#ifndef WM_MESSAGE_THREADS_H
#define WM_MESSAGE_THREADS_H

#include "waymark/message.h"

/* What the functions call: be alone in the group, let others in, wait a little while others may be in. */
WM_MESSAGE_API void wm_endpoints_lock(struct wm_endpoints *group);
WM_MESSAGE_API void wm_endpoints_unlock(struct wm_endpoints *group);
WM_MESSAGE_API void wm_endpoints_pause(struct wm_endpoints *group, unsigned *turn);

#define WM_PROTOCOL_ALONE(name, type, function, arguments, ...)                                                        \
    WM_MATCHING_TYPED type name##_shared_##function arguments                                                          \
    {                                                                                                                  \
        type what;                                                                                                     \
                                                                                                                       \
        wm_endpoints_lock(p->common.group);                                                                            \
        what = name##_##function(p, __VA_ARGS__);                                                                      \
        wm_endpoints_unlock(p->common.group);                                                                          \
        return what;                                                                                                   \
    }

#define WM_PROTOCOL_THREADS(name)                                                                                      \
    WM_PROTOCOL_ALONE(name, int, send, (struct name * p, struct name##_envelope * e), e)                               \
    WM_PROTOCOL_ALONE(name, int, receive, (struct name * p, struct name##_envelope * e), e)                            \
    WM_PROTOCOL_ALONE(name, bool, check, (struct name * p, const struct name##_envelope *e), e)                        \
    WM_PROTOCOL_ALONE(name, bool, cancel, (struct name * p, struct name##_envelope * e), e)                            \
    WM_PROTOCOL_ALONE(name, int, take,                                                                                 \
                      (struct name * p, const __typeof__(((struct name##_envelope *)0)->header) *header,               \
                       struct name##_envelope **taken),                                                                \
                      header, taken)                                                                                   \
    WM_PROTOCOL_ALONE(name, int, receive_taken,                                                                        \
                      (struct name * p, struct name##_envelope * e, struct name##_envelope * taken), e, taken)         \
    WM_MATCHING_TYPED void name##_shared_wait(struct name *p, const struct name##_envelope *e)                         \
    {                                                                                                                  \
        for (unsigned turn = 0; !name##_shared_check(p, e);)                                                           \
            wm_endpoints_pause(p->common.group, &turn);                                                                \
    }                                                                                                                  \
    _Static_assert(sizeof(struct name) > 0, "a protocol of WM_PROTOCOL")

#endif
