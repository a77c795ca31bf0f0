/* Private copies of a program: each has globals and statics of its own, its functions are another's byte for byte.
 *
 * A program is a file, read and checked once. A copy is that file in memory without a name in any directory, loaded as
 * a library: what makes the loader refuse executables (DF_1_PIE) is cleared. It must have been linked so that it can be
 * loaded anywhere beside others: position-independent throughout, its main exported, no variables of other libraries
 * copied into it (R_*_COPY), no thread-local variables at offsets that hold for the first program alone. `waymark cc`
 * links so. The libraries that it needs are loaded once, for all copies. */
#ifndef WM_SUBRANK_PROGRAM_H
#define WM_SUBRANK_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include "core/error.h"

struct wm_program {
    char *name;  /* the file's, without its folders */
    char *image; /* what copies consist of */
    size_t image_bytes;
};

struct wm_program_copy {
    int (*main)(int argc, char **argv, char **environment);
    void *loaded;  /* as dlopen has it */
    int file;      /* its file's descriptor: open as long as it is loaded, for debuggers */
    char path[48]; /* the name by which the loader, and so a debugger, knows it */
};

/* Read a program. `moves`: its copies' subranks go from thread to thread. Returns 0, -WM_ESYSTEM (it cannot be read),
 * -WM_ENOMEM, or -WM_EINVAL: it cannot be loaded so; the sentence says why. */
int wm_program_open(struct wm_program *program, const char *file, bool moves, struct wm_error *error);
/* Copies stay. */
void wm_program_close(struct wm_program *program);

/* Load a copy, for the subrank of this number, and run its constructors; it stays until the process ends. copy->path is
 * there when they run. Returns 0, -WM_ESYSTEM, or -WM_EINVAL: it has no main that can be found. */
int wm_program_load(const struct wm_program *program, int number, struct wm_program_copy *copy, struct wm_error *error);

/* How many objects are loaded. */
int wm_program_objects(void);
/* Let the copies and their libraries, which have been loaded since there were so many objects, call MPI_X of the
 * process where they call PMPI_X. Constructors have run before. Returns 0 or -WM_ESYSTEM. */
int wm_program_bind(const struct wm_program_copy *first, int loaded_before, struct wm_error *error);

/* True: the first copy, or a library that was loaded with it, names a library as needed whose name begins so. */
bool wm_program_needs(const struct wm_program_copy *first, const char *prefix);

/* True: the address belongs to what was loaded as this copy. */
bool wm_program_has(const struct wm_program_copy *copy, const void *address);

#endif
