/* Cases: the judgement put into words and numbers. */
#include "tools/doctor/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/doctor/flaws.h"
#include "tools/doctor/where.h"
#include "tools/doctor/waits.h"

static json_t *rank_list(const struct wm_judgement *j, const int *places, int count)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_integer(j->stands[places[i]].rank));
    return list;
}

/* --- Mismatches --- */

static json_t *party_object(const struct wm_judgement *j, const struct wm_party *party)
{
    json_t *object = json_pack("{so, sb}", "ranks", rank_list(j, party->pages, party->count), "came", (int)party->came);

    if (party->known)
        json_object_set_new(object, "call", wm_where_call(wm_pages_at(j->pages, party->pages[0]), &party->call));
    return object;
}

static json_t *mismatch_object(const struct wm_judgement *j, const struct wm_disagreement *m)
{
    json_t *parties = json_array();

    for (int i = 0; i < m->count; i++)
        json_array_append_new(parties, party_object(j, &m->parties[i]));
    return json_pack("{so, si, sI, sb, sb, so}", "communicator", wm_where_text(m->name, sizeof m->name), "size",
                     m->ranks, "call", (json_int_t)m->sequence, "exact", (int)m->exact, "same_bytes",
                     (int)m->types_only, "parties", parties);
}

/* --- Ranks --- */

static json_t *gone_object(const struct wm_judgement *j, int i)
{
    const struct wm_page *page = wm_pages_at(j->pages, i);
    json_t *object = json_pack("{si, so, si}", "rank", page->rank, "host", wm_where_text(page->host, sizeof page->host),
                               "pid", page->pid);

    wm_where_add(object, j, i);
    return object;
}

/* --- The whole --- */

/* Some ranks are held since others have ended MPI without them. */
static bool is_left_alone(const json_t *waits)
{
    size_t w, m;
    json_t *wait, *missing;

    json_array_foreach (waits, w, wait) {
        json_array_foreach (json_object_get(wait, "missing"), m, missing) {
            if (json_is_true(json_object_get(wait, "proven")) &&
                strcmp(json_string_value(json_object_get(missing, "standing")), "left") == 0)
                return true;
        }
    }
    return false;
}

/* … of a call, or does not wait in it. */
static bool someone_is_outside(const json_t *waits)
{
    size_t w, m;
    json_t *wait, *missing;

    json_array_foreach (waits, w, wait) {
        if (json_array_size(json_object_get(wait, "inside")) > 0)
            return true;
        json_array_foreach (json_object_get(wait, "missing"), m, missing) {
            if (strcmp(json_string_value(json_object_get(missing, "standing")), "outside") == 0)
                return true;
        }
    }
    return false;
}

static const char *verdict_of(const struct wm_judgement *j, const json_t *waits, const json_t *flaws,
                              enum wm_case_status *status)
{
    *status = WM_CASE_MISMATCH;
    if (j->mismatch_count > 0)
        return "mismatch";
    *status = WM_CASE_DEAD;
    if (j->gone_count > 0)
        return "dead";
    *status = WM_CASE_MISMATCH;
    if (j->held_count > 0 && is_left_alone(waits))
        return "mismatch";
    *status = WM_CASE_DEADLOCK;
    if (j->held_count > 0)
        return "deadlock";
    *status = WM_CASE_MISMATCH;
    if (json_array_size(flaws) > 0)
        return "flaw";
    *status = WM_CASE_EXPLAINED;
    if (j->waiting_count > 0)
        return someone_is_outside(waits) ? "explained" : "unknown";
    *status = WM_CASE_WELL;
    return "well";
}

json_t *wm_case_make(const struct wm_patient *patient, const struct wm_judgement *j, enum wm_case_status *status)
{
    json_t *mismatches = json_array(), *gone = json_array(), *waits, *circles;
    json_t *flaws = wm_flaws_list(j->pages, NULL, NULL);

    wm_waits_list(j, &waits, &circles);

    for (int i = 0; i < j->mismatch_count; i++)
        json_array_append_new(mismatches, mismatch_object(j, &j->mismatches[i]));
    for (int i = 0; i < j->count; i++)
        if (j->stands[i].standing == WM_STANDS_GONE)
            json_array_append_new(gone, gone_object(j, i));
    return json_pack("{ss, si, si, sb, so, so, so, so, so*}", "verdict", verdict_of(j, waits, flaws, status), "ranks",
                     (int)wm_pages_at(j->pages, 0)->ranks, "seen", j->seen_count, "over", (int)patient->over,
                     "mismatches", mismatches, "flaws", flaws, "gone", gone, "waits", waits, "circles", circles);
}
