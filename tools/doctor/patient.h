/* The patient: the pages of a job that runs here, or that left them in a trace's directory. */
#ifndef WM_DOCTOR_PATIENT_H
#define WM_DOCTOR_PATIENT_H

#include "core/guard/pages.h"

struct wm_patient {
    struct wm_pages pages; /* by rank, once they are admitted */
    bool *gone;            /* whose process is no more, or was found so by the guard first */
    int room;
    int *ranks;                /* of the pages, until then */
    struct wm_page_map *files; /* that the pages are in */
    int file_count;
    bool over; /* all processes are gone: nothing moves any more */
};

/* Map the pages. `name`: a trace's directory, or the id of a process: a rank, its guard, its launcher or any other that
 * they come from. 0 or -WM_E… with a sentence. */
int wm_patient_open(struct wm_patient *patient, const char *name, struct wm_error *error);
void wm_patient_release(struct wm_patient *patient);

/* Take the pages of a file, of the job of this number or, 0, of any, into a patient that is zeroed or has some. False:
 * there are none, or no memory; the file stays the caller's. All are taken: list them by rank, one of each, of whom
 * none is gone. False: no memory. */
bool wm_patient_take(struct wm_patient *patient, const struct wm_page_map *file, uint64_t job);
bool wm_patient_admit(struct wm_patient *patient);

/* Find out whose processes are gone; and, unless NULL, where each is: doing[i], of its page. */
void wm_patient_look(struct wm_patient *patient, uint64_t *doing);

/* What its process does: 'R', 'S', 'T', …; 0: this is not known. */
char wm_patient_process(const struct wm_page *page);

#endif
