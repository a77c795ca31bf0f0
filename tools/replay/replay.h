/* A replay: the run of a trace once more, under the map that ran and under another one.
 *
 * A rank's time between calls is kept, instance by instance; what it then waits for follows from when the others come.
 * A call's service is what its ranks take behind the last arrival that they depend on; the rest is waiting. */
#ifndef WM_REPLAY_H
#define WM_REPLAY_H

#include "tools/replay/stage.h"

/* What the library would choose. */
#define WM_REPLAY_LIBRARY "models/open-mpi"

/* A message between two ranks, whatever the map. */
#define WM_REPLAY_MESSAGE "(path-map (on bcast (else (path (remote 'mpi) (bcast all #:shape 'flat)))))"

enum wm_replay_cast { WM_REPLAY_THEN, WM_REPLAY_NOW, WM_REPLAY_CASTS };

/* Calls of a line of the map that ran: or, node 0, of the library. Times are summed over ranks. */
struct wm_replay_row {
    enum wm_operation operation; /* WM_MESSAGES: the program's own */
    int line;                    /* 0: the library */
    int now;                     /* of the other map; 0: the library, -1: several */
    uint64_t calls;
    int64_t service_ns[WM_REPLAY_CASTS], wait_ns[WM_REPLAY_CASTS]; /* then: in the trace */
    int64_t again_ns, waited_ns;                                   /* service and waiting in the replay of what ran */
    double factor;                                                 /* the trace over the model; 0: all are kept */
};

struct wm_replay_worst {
    enum wm_operation operation;
    uint64_t bytes;
    int ranks, line;
    uint64_t calls;
    int64_t service_ns, again_ns; /* in the trace, and replayed */
};

enum { WM_REPLAY_WORST_MAX = 3 };

struct wm_replay {
    struct wm_replay_calls *calls;
    const struct wm_profile *profile;
    struct wm_replay_stage then, now, library, messages;
    bool has_library;
    int *shapes[WM_REPLAY_CASTS]; /* by instance; in the stage; WM_REPLAY_NO_SHAPE: it is kept */
    bool *modelled;               /* by instance: the shape of now is in `library` */
    bool *unserved;               /* by instance: a rule fits, and yet the library did it */
    uint32_t *row_of;             /* by instance */
    size_t row_count, row_room;
    struct wm_replay_row *rows;

    int64_t run_ns;     /* in the trace: the first start to the last end */
    int64_t raw_ns;     /* replayed under what ran, by the profile alone */
    int64_t again_ns;   /* … with the factors */
    int64_t now_ns;     /* under the other map */
    int64_t error_ns;   /* ± of that; -1: unknown */
    int64_t inside_ns;  /* in calls of the trace, summed over ranks */
    int64_t ranks_ns;   /* the life of all ranks */
    int64_t service_ns; /* … behind the last arrival that they depend on */
    int64_t kept_ns;    /* of that, of calls that are kept */
    uint64_t unserved_calls, modelled_calls, averaged;
    uint64_t taken; /* calls, pass by pass */
    double general; /* the factor of paths that did not run */
    enum wm_stamp stamp;
    int worst_count;
    struct wm_replay_worst worst[WM_REPLAY_WORST_MAX];
};

/* Replay what ran. `then` and `now` are taken over. 0 or -WM_E…; release it in any case. */
int wm_replay_init(struct wm_replay *replay, struct wm_replay_calls *calls, const struct wm_profile *profile,
                   struct wm_site_map *then, struct wm_site_map *now, struct wm_error *error);
/* Why nothing is said of another map. */
enum wm_replay_refusal {
    WM_REPLAY_ANSWERS,
    WM_REPLAY_OFF,      /* the run so replayed is off by more than 5 % */
    WM_REPLAY_UNTRACED, /* the trace does not have the messages that the program may send itself */
    WM_REPLAY_APART     /* … nor enough of them: waiting for others is more than a tenth of the time between calls */
};
enum wm_replay_refusal wm_replay_judge(const struct wm_replay *replay);
/* By how much that differs from the run: 0.05 is five percent more. */
double wm_replay_identity(const struct wm_replay *replay);
/* Replay under the other map. */
int wm_replay_other(struct wm_replay *replay, struct wm_error *error);
void wm_replay_release(struct wm_replay *replay);

#endif
