/* Checks: a call's fingerprint goes beside what the call sends, and is held against the receiver's own.
 *
 * A print of 0 says nothing: its rank does not know, or calls are not checked. */
#ifndef WM_GUARD_CHECK_H
#define WM_GUARD_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* Of the call that a rank is in. */
struct wm_check {
    uint64_t print;
    bool differs; /* another rank's was another one, since this was last cleared */
};

/* What a rank does whose call is not its peer's. True: the call is to fail. Set before any call is checked. */
extern bool (*wm_check_differs)(void);

/* Hold what came against one's own. True: they are of different calls, which has been told, and the call is to fail. */
static inline bool wm_check_fails(uint64_t own, uint64_t other)
{
    return __builtin_expect(own != other, 0) && own != 0 && other != 0 && wm_check_differs();
}

#endif
