/* The patient: the pages of a job that runs here, or that left them in a trace's directory. */
#ifndef WM_DOCTOR_PATIENT_H
#define WM_DOCTOR_PATIENT_H

#include "core/guard/page.h"

struct wm_patient {
    const struct wm_page **pages; /* by rank */
    bool *gone;                   /* whose process is no more, or was found so by the guard first */
    int count, room;
    bool over; /* all processes are gone: nothing moves any more */
};

/* Map the pages. `name`: a trace's directory, or the id of a process: a rank, its guard, its launcher or any other that
 * they come from. 0 or -WM_E… with a sentence. */
int wm_patient_open(struct wm_patient *patient, const char *name, struct wm_error *error);
void wm_patient_release(struct wm_patient *patient);

/* Take a page that is mapped into a patient that is zeroed or has some. False: its rank has one, or no memory; the page
 * stays the caller's. `gone` is for the caller to make. */
bool wm_patient_take(struct wm_patient *patient, const struct wm_page *page);

/* Find out whose processes are gone. */
void wm_patient_look(struct wm_patient *patient);

/* Its process runs on this host. */
bool wm_patient_is_here(const struct wm_page *page);

#endif
