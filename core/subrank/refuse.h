/* The end of a job whose program needs what subranks do not have. */
#ifndef WM_SUBRANK_REFUSE_H
#define WM_SUBRANK_REFUSE_H

/* End the job, with a sentence that names the function. */
_Noreturn void wm_rank_refuse(const char *function);

#endif
