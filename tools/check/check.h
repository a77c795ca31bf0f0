/* What `waymark check` goes through: machines, operations, sizes, roots and kinds of call, and what came of it.
 *
 * A site is a machine that one need not have, laid out as the map's grid says. For each operation with a rule, the map
 * server is asked at both ends of every range of bytes for which one answer holds; each path is proven
 * (tools/proof/prove.h) for calls of all kinds that the operation has: roots, in place, even and uneven blocks,
 * commutative or not. The routes of conveyors are proven instead (tools/routes/prove.h). Rows gather the calls of one
 * rule; their figures are those of the largest call. Calls of large machines are proven by symmetry, and it is said. A
 * rule of messages is right when its net reaches the peers. */
#ifndef WM_TOOLS_CHECK_H
#define WM_TOOLS_CHECK_H

#include "tools/routes/prove.h"
#include "tools/proof/prove.h"
#include "tools/site/site.h"
#include "tools/text/sizes.h"

enum { WM_CHECK_MACHINES_MAX = 1200, WM_CHECK_MACHINE_CHARS = 1024 };

/* What to go through. */
struct wm_check_plan {
    char (*machines)[WM_CHECK_MACHINE_CHARS]; /* wm_grid_parse_machine */
    int machine_count;
    bool machines_named;                   /* by the user: each must fit the map */
    uint32_t operations;                   /* bits */
    struct wm_size_list sizes;             /* none: the ends of every range */
    int root;                              /* -1: the first and the last */
    char communicator[WM_FACT_TEXT_CHARS]; /* its name */
    char protocol[WM_FACT_TEXT_CHARS];     /* of messages */
    char statement[WM_FACT_TEXT_CHARS];    /* its name */
    int orders;                            /* random ones, beside two fixed */
};

enum wm_check_outcome { WM_CHECK_PROVEN, WM_CHECK_REFUTED, WM_CHECK_REFUSED, WM_CHECK_TOO_LARGE };

/* What a proof found: of plans, or of a conveyor's routes. */
struct wm_check_figures {
    struct wm_error error; /* of what is not proven */
    struct wm_proof plans;
    struct wm_convey_proof routes;
};

/* A call that was not proven. */
struct wm_check_failure {
    enum wm_check_outcome outcome; /* PROVEN: there is none */
    char machine[WM_CHECK_MACHINE_CHARS];
    uint64_t load;               /* of a conveyor */
    struct wm_scenario scenario; /* without its topology, which is: */
    int topology;                /* of the site's, -1: none */
    struct wm_error error;
};

struct wm_check_row {
    enum wm_operation operation;
    int rule_line; /* 0: no rule, the library does it; so it does where the path is native */
    uint64_t bytes_low, bytes_high;
    char path[160];
    size_t calls, failures;
    struct wm_check_failure first;
    int ranks;         /* of the largest call */
    size_t unit_bytes; /* and its unit */
    struct wm_check_figures figures;
    size_t symmetric; /* calls that are proven by symmetry, */
    bool apart;       /* some of them with that of messages alone, */
    char symmetric_machine[WM_CHECK_MACHINE_CHARS];
    struct wm_proof symmetry; /* and the last one of them */
    size_t repeating;         /* calls in which sizes of blocks repeat, */
    int period;               /* after so many ranks on the last machine */
    char repeating_machine[WM_CHECK_MACHINE_CHARS];
};

/* A rule of the map that was looked at. */
struct wm_check_rule {
    enum wm_operation operation;
    int line;
    bool held; /* for some call */
};

struct wm_check_result {
    struct wm_check_row *rows;
    int row_count, row_room, machines; /* that the map fits */
    size_t calls, failures, symmetric;
    size_t rule_count, rule_room;
    struct wm_check_rule *rules;
    int untried[WM_OPERATION_COUNT]; /* rules at the operation's end that no call came to */
};

/* The facts of a call at the site; `load` is looked at for conveyors, `root` where the operation has one. */
struct wm_facts wm_check_facts(const struct wm_site *site, enum wm_operation operation, uint64_t bytes, uint64_t load,
                               int root, bool commutative);

/* Prove one call of the scenario, in `bytes_max` of memory unless that is 0, and the routes of a conveyor's path
 * (tools/check/conveyor.c). */
enum wm_check_outcome wm_check_call(struct wm_check_figures *figures, const struct wm_site *site,
                                    const struct wm_path *path, const struct wm_scenario *scenario, int orders,
                                    size_t bytes_max);
enum wm_check_outcome wm_check_conveyor(struct wm_check_figures *figures, const struct wm_site *site,
                                        const struct wm_path *path);
/* A call that is proven, and what came of it. */
struct wm_check_trial {
    struct wm_scenario scenario;
    enum wm_check_outcome outcome;
    struct wm_check_figures figures;
};

/* wm_check_call of each, several at once where they are large and there are cores and memory (tools/check/at_once.c).
 */
void wm_check_calls(struct wm_check_trial *trials, int count, const struct wm_site *site, const struct wm_path *path,
                    int orders);
/* Go through everything. `progress` is called before the calls of each path. Returns 0, or -WM_E… where nothing could
 * be asked. */
int wm_check_sweep(struct wm_check_result *result, const struct wm_check_plan *plan, const struct wm_site_map *map,
                   void (*progress)(const struct wm_site *site, enum wm_operation operation, size_t calls),
                   struct wm_error *error);
void wm_check_result_release(struct wm_check_result *result);

/* Look for a smaller call that fails in the same way, on a smaller machine or of fewer bytes; put it into *failure. */
void wm_check_shrink(struct wm_check_failure *failure, const struct wm_site_map *map, const struct wm_check_row *row);

#endif
