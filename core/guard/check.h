/* Checks: a call's fingerprint goes beside what the call sends, and is held against the receiver's own.
 *
 * A print of 0 says nothing: its rank does not know, or calls are not checked.
 *
 * A call whose steps all go by its lanes may be published late: when what it sends is on its way and the rank has
 * nothing to do but to wait. Then its page costs the ranks that wait for it no time, and says no less: who would wait
 * says so first. */
#ifndef WM_GUARD_CHECK_H
#define WM_GUARD_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the call that a rank is in. */
struct wm_check {
    uint64_t print;
    bool differs;                /* another rank's was another one, since this was last cleared */
    void (*publish)(void *call); /* NULL: it is published */
    void *call;
    int stopped; /* not 0: an error, for a rank of the communicator is dead, and nobody waits any more */
};

/* Asked by who waits, out of whose waiting it is told. */
static inline bool wm_check_is_stopped(const struct wm_check *check)
{
    return __atomic_load_n(&check->stopped, __ATOMIC_RELAXED) != 0;
}

/* Before it waits. */
static inline void wm_check_publish(struct wm_check *check)
{
    void (*publish)(void *call) = check->publish;

    if (publish == NULL)
        return;
    check->publish = NULL;
    publish(check->call);
}

/* What a rank does whose call is not its peer's. True: the call is to fail. Set before any call is checked. */
extern bool (*wm_check_differs)(void);

/* Hold what came against one's own. True: they are of different calls, which has been told, and the call is to fail. */
static inline bool wm_check_fails(uint64_t own, uint64_t other)
{
    return __builtin_expect(own != other, 0) && own != 0 && other != 0 && wm_check_differs();
}

#endif
