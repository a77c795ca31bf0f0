/* The hunt: what rank 0 does in the time that it has. In the first launch it has an operation's candidates sifted and
 * raced, and brackets halved; in this one and in later ones it holds the rules against native, and against what else
 * may serve, at sizes and roots that it draws. */
#ifndef WM_TUNE_HUNT_H
#define WM_TUNE_HUNT_H

#include "tools/profile/machine.h"
#include "tools/tune/field.h"
#include "tools/tune/session.h"

struct wm_tune_hunt {
    struct wm_tune_session *session;
    const struct wm_profile *profile; /* NULL: none is given */
    double begin_s, end_s;
    int launch; /* from 1 on */
    uint64_t seed;
    double barrier_low_ns, barrier_high_ns; /* of all rounds: which states the machine was in */
    bool shows;                             /* a progress line */
    bool interrupted;                       /* by the user */
    const char *fault;
};

/* A race to be held. */
struct wm_tune_heat {
    uint64_t bytes;
    int fast;
    const int *root; /* NULL: each round draws some, the same for all paths */
    enum wm_tune_manner manner;
    const bool *runs; /* by path */
    bool map;         /* path number 1 is the map that is open, instead of a candidate */
    double end_s;     /* rounds are enough then, if they are enough for statistics */
};

/* Ask for an end. May be called in a signal handler. */
void wm_tune_interrupt(void);
double wm_tune_now_s(void);
/* False: interrupted, or there is a fault. */
bool wm_tune_goes_on(struct wm_tune_hunt *hunt);
void wm_tune_show(const struct wm_tune_hunt *hunt, enum wm_operation operation, const char *doing, uint64_t bytes);

/* Race until it is settled, or its time is over. Rounds are of one state of the machine: when a barrier takes half as
 * long again as in those before, or less by as much, it begins anew. False: there were too few rounds before an end. */
bool wm_tune_hold_heat(struct wm_tune_hunt *hunt, struct wm_tune_race *race, const struct wm_tune_field *field,
                       const struct wm_tune_heat *heat);

/* Hold a race in each manner at a point, of those that `runs`; fresh: what was known of it before is forgotten. */
void wm_tune_race_point(struct wm_tune_hunt *hunt, struct wm_tune_field *field, struct wm_tune_heat heat, bool fresh);

/* Make the communicators of the field's candidates. */
bool wm_tune_open_field(struct wm_tune_hunt *hunt, const struct wm_tune_field *field);

/* Race the operation of a field until `end_s`; at points that are in the field already nothing is raced. Choose its
 * paths. Returns false when it could not go on: interrupted, or hunt->fault or *error says why; what was found out
 * until then is in the field. */
bool wm_tune_hunt_operation(struct wm_tune_hunt *hunt, struct wm_tune_field *field, double end_s,
                            struct wm_error *error);

/* Hold the field's rules against native at sizes and roots that are drawn, until `end_s`, and choose anew where one is
 * not safe. Returns false when it could not go on. */
bool wm_tune_confirm(struct wm_tune_hunt *hunt, struct wm_tune_field *field, double end_s);

/* A size from `low` to `high`, all orders of magnitude alike, which an odd number of elements makes if one does there.
 */
uint64_t wm_tune_draw_bytes(struct wm_tune_hunt *hunt, enum wm_operation operation, uint64_t low, uint64_t high);
/* Up to `most` roots, each another one; 0 alone where the operation has none. Returns how many. */
int wm_tune_draw_roots(struct wm_tune_hunt *hunt, enum wm_operation operation, int most, int *roots);

#endif
