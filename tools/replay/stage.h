/* A map on the machine of a trace: where the ranks of each communicator stand, and the shapes of all calls there. */
#ifndef WM_REPLAY_STAGE_H
#define WM_REPLAY_STAGE_H

#include "tools/replay/shape.h"

enum { WM_REPLAY_NO_SHAPE = -1 };

struct wm_replay_shape_key {
    uint32_t communicator; /* the first one like it; behind them, messages within a node and between nodes */
    int root;
    enum wm_operation operation;
    bool posted;
    uint64_t bytes;
};

struct wm_replay_stage {
    const struct wm_replay_calls *calls;
    const struct wm_profile *profile;
    struct wm_site_map map;
    bool crowded;
    struct wm_replay_budget budget;
    struct wm_site *sites; /* by communicator, and the two of messages; ranks 0: not laid out */
    uint32_t *like;        /* by communicator: the first one that looks the same, + 1; 0: not looked */
    size_t shape_count, shape_room, slot_count;
    struct wm_replay_shape **shapes;
    struct wm_replay_shape_key *keys;
    size_t key_room;
    int *slots; /* hash table: shape + 1 */
};

/* `map` is taken over. 0 or -WM_E…; release it in any case. */
int wm_replay_stage_init(struct wm_replay_stage *stage, const struct wm_replay_calls *calls,
                         const struct wm_profile *profile, struct wm_site_map *map, struct wm_error *error);
void wm_replay_stage_release(struct wm_replay_stage *stage);

/* All shapes are made: each has an equal part of the budget. */
void wm_replay_stage_share(struct wm_replay_stage *stage);

/* The shape of an instance, made if it is the first of its kind. 0 or -WM_E…. */
int wm_replay_stage_find(struct wm_replay_stage *stage, const struct wm_replay_instance *instance, int *shape,
                         struct wm_error *error);

#endif
