/* Wrappers: the class record that describes one, and the instance that a path holds.
 *
 * A wrapper is one file under wrappers/ that defines one `const struct wm_wrapper_class`; wrappers/wrappers.def lists
 * them. The record says everything that the map's checker, `waymark wrappers` and the manual need: name, one-line
 * summary, source, typed keyword parameters with defaults and a line of help, the operations served. `plan` adds the
 * wrapper's steps to a plan under construction (core/plan/planner.h), around what the next wrapper adds. */
#ifndef WM_WRAPPER_H
#define WM_WRAPPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "waymark/operation.h"
#include "core/path/shape.h"

enum wm_param_type {
    WM_PARAM_AXIS,   /* an axis of the grid; of a stage always positional */
    WM_PARAM_SHAPE,  /* a shape that can do what it is for */
    WM_PARAM_BYTES,  /* a positive number of bytes */
    WM_PARAM_COUNT,  /* a positive integer */
    WM_PARAM_CHOICE, /* one of the class's words */
    WM_PARAM_LABEL,  /* a symbol or string of the user's */
    WM_PARAM_TIME,   /* 500us */
    WM_PARAM_PERCENT /* 10%, at most 100% */
};

struct wm_param {
    const char *name; /* keyword without "#:", or the name of the positional argument */
    enum wm_param_type type;
    bool positional;
    bool required;
    const char *fallback;       /* default, as one would write it in the map, a word without its quote; NULL: none */
    const char *const *choices; /* WM_PARAM_CHOICE: words; ends in NULL */
    uint32_t shapes;            /* WM_PARAM_SHAPE: those that can do one of these (enum wm_shape_ability) are allowed */
    int64_t least, most;        /* WM_PARAM_BYTES, WM_PARAM_COUNT: both included; most 0: from 1 on */
    uint32_t operations;        /* WM_OPERATION_BIT of those in whose paths it may be given; 0: all */
    const char *help;           /* one line */
};

/* What a stage does to its axis as data converges (core/path/layout.h): from stage to stage on the way in; but from
 * the last to the first where data flows down from a root, and there every rank goes on to the next wrapper. */
enum wm_stage_kind {
    WM_STAGE_NONE,     /* not a stage: trace, segment, remote, native */
    WM_STAGE_FOLD,     /* one member of the group goes on: reduce, bcast, gather */
    WM_STAGE_SHARD,    /* every member goes on with a shard of its own: reduce-scatter, scatter, alltoall */
    WM_STAGE_REPLICATE /* every member goes on with the same data: allreduce, barrier, allgather, scan */
};

enum { WM_PARAMS_MAX = 8, WM_LABEL_CHARS = 32, WM_SERVICES_MAX = 6 };

/* The value of one parameter. */
struct wm_param_value {
    bool given;       /* written in the map, not the default */
    int line, column; /* where, from 1; 0: not known */
    union {
        int axis; /* index in the grid, see wm_grid_axis_find */
        struct wm_shape *shape;
        uint64_t bytes;
        int64_t count;
        int choice; /* index into choices */
        uint64_t ns;
        uint32_t ppm;
        char label[WM_LABEL_CHARS];
    };
};

struct wm_grid;
struct wm_wrapper;
struct wm_planner;
struct wm_convey_design;
struct wm_message_design;
struct wm_error;

/* How a wrapper serves some operations: a `scatter` hands out shares of a bcast, and the blocks of an MPI_Scatter. One
 * of `plan`, `convey` and `message` is there, as the operations are collectives, conveyors or messages. */
struct wm_service {
    uint32_t operations; /* WM_OPERATION_BIT of each */
    enum wm_stage_kind stage;
    /* Add this rank's steps. 0 or -WM_E…, with the sentence in the planner's error. */
    int (*plan)(const struct wm_wrapper *self, struct wm_planner *planner);
    /* Say in the design (core/path/design.h) what it is for. 0, or -WM_EMAP with a sentence, placed at the
     * wrapper by the caller. */
    int (*convey)(const struct wm_wrapper *self, struct wm_convey_design *design, struct wm_error *error);
    /* The same of messages (core/path/message_design.h). Nothing that it reads can be wrong. */
    void (*message)(const struct wm_wrapper *self, struct wm_message_design *design);
};

/* What a wrapper is to the runtime, beside what its services do. */
enum wm_wrapper_role {
    WM_ROLE_NONE,
    WM_ROLE_NATIVE,  /* ends the path: the library carries the call out */
    WM_ROLE_TRACE,   /* marks its enter and leave */
    WM_ROLE_VERIFY,  /* its first parameter, in the order of enum wm_path_verifies, says how calls are verified */
    WM_ROLE_DELAY,   /* messages inside that cross an axis are held (core/path/lag.h) */
    WM_ROLE_SPOILS,  /* messages inside are lost or changed (core/path/fault.h) … */
    WM_ROLE_STRIKES, /* … or a rank is stopped or killed */
    WM_ROLE_NET      /* its first parameter, a choice in the order of enum wm_net_choice, holds for the stages inside */
};

struct wm_wrapper_class {
    const char *name;                            /* as in the map: "reduce-scatter" */
    const char *summary;                         /* one line */
    const char *source;                          /* paper, paragraph; none is without */
    struct wm_service services[WM_SERVICES_MAX]; /* ends with one that serves nothing, if there is room */
    enum wm_wrapper_role role;
    bool once; /* may stand only once in a path */
    /* What makes a mistake of it likely under a rule for calls of up to so many bytes: a sentence in `doubt`, which is
     * left alone where nothing does. NULL: nothing ever does. */
    void (*doubt)(const struct wm_wrapper *self, uint64_t bytes_high, struct wm_error *doubt);
    const struct wm_param *params;
    int param_count;
};

/* A wrapper in a path: a class, parameters, and where it stands in the map. */
struct wm_wrapper {
    const struct wm_wrapper_class *class;
    const struct wm_service *service; /* for the path's operation */
    int node;         /* number of this place in the map, from 1; the same on all ranks; a trace's node id */
    int stage;        /* ordinal among the path's stages, -1 if not a stage */
    int line, column; /* from 1 */
    int axis;         /* of a stage: the axis that it works over, see wm_grid_axis_find */
    const struct wm_shape *shape; /* of a stage: the first of its shapes, that of the way in; NULL: it has none */
    struct wm_param_value values[WM_PARAMS_MAX]; /* in the order of class->params */
};

/* Write the arguments as one writes them in a map, "core #:shape 'binomial": what the map gives, and the shapes that it
 * leaves to the default. Always ends in NUL. */
void wm_wrapper_describe(const struct wm_wrapper *wrapper, const struct wm_grid *grid, char *out, size_t out_bytes);

/* A number of bytes as one writes it in a map: 64KiB, or 1000. */
void wm_bytes_describe(uint64_t bytes, char *out, size_t out_bytes);
/* A time as one writes it in a map: 500us, 1500ns. */
void wm_time_describe(uint64_t ns, char *out, size_t out_bytes);

/* The operations that it may stand in; how it serves one of them, NULL: not at all; and whether it is a stage. */
uint32_t wm_wrapper_operations(const struct wm_wrapper_class *class);
const struct wm_service *wm_wrapper_service(const struct wm_wrapper_class *class, enum wm_operation operation);
bool wm_wrapper_is_stage(const struct wm_wrapper_class *class);

/* All classes, in the order of wrappers.def; ends in NULL. */
const struct wm_wrapper_class *const *wm_wrapper_classes(void);
/* The class called `name`, or NULL. */
const struct wm_wrapper_class *wm_wrapper_find(const char *name);

#endif
