/* The world of subranks: all ranks of a process of the operating system, from before their first call of MPI until
 * after the last one. Between processes their messages go by core/message over the MPI library. */
#ifndef WM_SUBRANK_WORLD_H
#define WM_SUBRANK_WORLD_H

#include <stdbool.h>
#include "core/error.h"

/* Make the world of all processes of MPI_COMM_WORLD, with `each` subranks of the program each, which are numbered as
 * the job's map says. The library's MPI_Init has been called; no schedule runs. Collective. Returns 0, -WM_ENOMEM,
 * -WM_EMPI, -WM_EMAP, or -WM_ESYSTEM: programs would not find our functions. */
int wm_world_start(int each, const char *program, struct wm_error *error);
/* The next subrank's copy of the program, as dlopen has it: Fortran has constants there that are known by their
 * addresses. Before the world's start. Returns 0 or -WM_ENOMEM. */
int wm_world_know_copy(void *copy);
/* All subranks have ended. Collective. */
void wm_world_stop(void);
/* What the schedule of this world has as `rest`: messages between processes go on, and the processor is given away
 * where nothing does. `with` is not looked at. */
bool wm_world_rest(void *with);
/* End the job. The library ends this process by exit(), which then is not the end of a subrank alone. */
_Noreturn void wm_world_abort(int status);
/* True: this worker ends it. Another worker than that does not come back. */
bool wm_world_is_ending(void);
/* The processes of this one's node, and its place among them. */
void wm_world_find_neighbours(int *place, int *count);
/* The rank in the world of subrank `number` of this process. */
int wm_world_rank(int number);
/* Subrank `number` of this process has called MPI_Init, and not MPI_Finalize. */
bool wm_world_is_inside(int number);

#endif
