/* Waits: ranks that stand still in a call, by classes, and those that wait for each other in a circle, as JSON. */
#ifndef WM_DOCTOR_WAITS_H
#define WM_DOCTOR_WAITS_H

#include <jansson.h>
#include "core/guard/judge.h"

/* So many circles are listed, and so many classes of one list told apart. */
enum { WM_WAITS_CIRCLES = 64, WM_WAITS_CLASSES = 1024 };

/* *waits: [{ranks, proven, mismatched, circle, behind, call, seconds?, missing, unseen, steps, inside}], ranks whose
 * calls are alike. circle, behind: they are part of one, or wait for one's ranks. missing, of the first of these ranks:
 * [{ranks, standing, process?, in?, after?}], who has not come; standing: "outside", "waits", "left" or "gone". inside:
 * [{ranks, process}], who is in the call and does not wait: is stopped, is held by a debugger, or waits for no step of
 * it. *circles:
 * [{ranks, waits: [{ranks, call}]}], each rank waits for the next one and the last for the first, in calls of which one
 * at least waits for messages. In the place of classes beyond WM_WAITS_CLASSES stands one of all their ranks, with
 * `classes`, how many they are, and no call. NULL where there is no memory. */
void wm_waits_list(const struct wm_judgement *judgement, json_t **waits, json_t **circles);

#endif
