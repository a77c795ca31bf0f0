/* What begins a state: the fields of what is named, or of what a trace has. */
#ifndef WM_TUNE_BEGIN_H
#define WM_TUNE_BEGIN_H

#include "tools/tune/state.h"

struct wm_tune_task {
    const char *output;
    const char *profile, *from; /* NULL: none */
    uint32_t operations;        /* by bit */
    struct wm_size_list sizes;  /* of none: each operation's own */
    uint64_t load_bytes;        /* that a rank pushes in a run of a conveyor; 0: each its own */
    int64_t budget_ns;
    int seed;
    char *const *launcher; /* its words */
    int words;
};

/* The sizes that are named, or what an operation has where none is. */
struct wm_size_list wm_tune_task_sizes(const struct wm_tune_task *task, enum wm_operation operation);

/* Has a state room for the names and the launcher's line? A blank in a word would end it where the line is read again.
 */
bool wm_tune_task_fits(const struct wm_tune_task *task);

/* Is there time for a race of what is named? Once a process. 0, or -WM_EINVAL with a sentence. */
int wm_tune_task_affords(const struct wm_tune_task *task, struct wm_error *error);

/* The same of a check at so many points, of the operations that are named. Once a process. */
int wm_tune_check_affords(const struct wm_tune_task *task, int points, struct wm_error *error);

/* Write the state of which nothing is found out yet; fits. Once a process. Returns 0 or -WM_E… with a sentence: the
 * trace cannot be read, a file not be written, or runs of it would take far longer than there is time for. */
int wm_tune_begin(const struct wm_tune_task *task, const char *file, struct wm_error *error);

#endif
