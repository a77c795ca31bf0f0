/* Cases: the judgement put into words and numbers. */
#include "tools/doctor/case.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/doctor/process.h"
#include "tools/doctor/site.h"
#include "waymark/operation.h"

/* What a page says may be no text. */
static json_t *text(const char *chars, size_t room)
{
    char copy[256];

    snprintf(copy, sizeof copy, "%.*s", (int)(room < sizeof copy ? room : sizeof copy - 1), chars);
    wm_plain_text(copy, false);
    return json_string(copy);
}

/* MPI_Bcast, MPI_Ibcast, MPIX_Bcast_init. */
static json_t *function_of(const struct wm_page_call *call)
{
    const char *name =
        call->operation < WM_COLLECTIVE_COUNT ? wm_operation_function((enum wm_operation)call->operation) : "MPI_?";

    if (call->form == WM_FORM_NONBLOCKING)
        return json_sprintf("MPI_I%c%s", tolower((unsigned char)name[4]), name + 5);
    return call->form == WM_FORM_PERSISTENT ? json_sprintf("MPIX_%s_init", name + 4) : json_string(name);
}

static void add_site(json_t *object, const struct wm_page *page, uint64_t address)
{
    const struct wm_call_site *site = wm_call_site_find(page, address);

    if (site->text[0] != '\0')
        json_object_set_new(object, "site", text(site->text, sizeof site->text));
    if (site->line > 0) {
        json_object_set_new(object, "file", text(site->file, sizeof site->file));
        json_object_set_new(object, "line", json_integer(site->line));
    }
    if (site->function[0] != '\0')
        json_object_set_new(object, "in", text(site->function, sizeof site->function));
}

static json_t *call_object(const struct wm_page *page, const struct wm_page_call *call)
{
    json_t *object = json_object();
    bool known = call->operation < WM_COLLECTIVE_COUNT;

    json_object_set_new(object, "function", function_of(call));
    if (known && wm_operation_rooted((enum wm_operation)call->operation))
        json_object_set_new(object, "root", json_integer(call->root));
    if (call->reduction_name[0] != '\0')
        json_object_set_new(object, "operator", text(call->reduction_name, sizeof call->reduction_name));
    if (call->type[0] != '\0' || call->bytes > 0) {
        json_object_set_new(object, "count", json_integer((json_int_t)call->count));
        json_object_set_new(object, "type", text(call->type, sizeof call->type));
        json_object_set_new(object, "bytes", json_integer((json_int_t)call->bytes));
    }
    add_site(object, page, call->site);
    return object;
}

/* Its number and its communicator, too. */
static json_t *numbered_call(const struct wm_page *page, const struct wm_page_call *call, uint32_t comm,
                             uint64_t sequence)
{
    json_t *object = call_object(page, call);

    json_object_set_new(object, "call", json_integer((json_int_t)sequence));
    if (comm < WM_PAGE_COMMS)
        json_object_set_new(object, "communicator", text(page->comms[comm].name, sizeof page->comms[comm].name));
    return object;
}

static json_t *rank_list(const struct wm_page *const *pages, const int *places, int count)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_integer(pages[places[i]]->rank));
    return list;
}

/* --- Mismatches --- */

static json_t *party_object(const struct wm_judgement *j, const struct wm_party *party)
{
    json_t *object =
        json_pack("{so, sb}", "ranks", rank_list(j->pages, party->pages, party->count), "came", (int)party->came);

    if (party->known)
        json_object_set_new(object, "call", call_object(j->pages[party->pages[0]], &party->call));
    return object;
}

static json_t *mismatch_object(const struct wm_judgement *j, const struct wm_disagreement *m)
{
    json_t *parties = json_array();

    for (int i = 0; i < m->count; i++)
        json_array_append_new(parties, party_object(j, &m->parties[i]));
    return json_pack("{so, si, sI, sb, sb, so}", "communicator", text(m->name, sizeof m->name), "size", m->ranks,
                     "call", (json_int_t)m->sequence, "exact", (int)m->exact, "same_bytes", (int)m->types_only,
                     "parties", parties);
}

/* --- Ranks --- */

/* The newest call of all communicators, or NULL. */
static json_t *last_call(const struct wm_page *page)
{
    const struct wm_page_entry *entry = &page->ring[(page->ring_next + WM_PAGE_RING - 1) % WM_PAGE_RING];

    if (entry->sequence == 0 || entry->call >= WM_PAGE_CALLS)
        return NULL;
    return numbered_call(page, &page->calls[entry->call], entry->comm, entry->sequence);
}

/* "in" the call that it is in, or "after" the one that it made last. */
static void add_place(json_t *object, const struct wm_page *page, const struct wm_stand *stand)
{
    json_t *last;

    if (stand->known)
        json_object_set_new(object, "in", numbered_call(page, &stand->call, stand->now.comm, stand->now.sequence));
    else if ((last = last_call(page)) != NULL)
        json_object_set_new(object, "after", last);
}

static json_t *gone_object(const struct wm_judgement *j, int i)
{
    const struct wm_page *page = j->pages[i];
    json_t *object =
        json_pack("{si, so, si}", "rank", page->rank, "host", text(page->host, sizeof page->host), "pid", page->pid);

    add_place(object, page, &j->stands[i]);
    return object;
}

/* --- Waits --- */

static const char *const standings[] = {
    [WM_STANDS_OUTSIDE] = "outside", [WM_STANDS_IN] = "waits", [WM_STANDS_LEFT] = "left", [WM_STANDS_GONE] = "gone"};

static const char *process_word(const struct wm_page *page)
{
    switch (wm_patient_is_here(page) ? wm_process_state(page->pid) : 0) {
    case 'R':
        return "computes";
    case 'S':
        return "sleeps";
    case 'D':
        return "waits for the system";
    case 'T':
        return "is stopped";
    case 't':
        return "is held by a debugger";
    default:
        return NULL;
    }
}

static json_t *missing_object(const struct wm_judgement *j, int i)
{
    const struct wm_stand *stand = &j->stands[i];
    json_t *object = json_pack("{s[i], ss}", "ranks", j->pages[i]->rank, "standing", standings[stand->standing]);
    const char *word = stand->standing == WM_STANDS_OUTSIDE ? process_word(j->pages[i]) : NULL;

    if (word != NULL)
        json_object_set_new(object, "process", json_string(word));
    if (stand->standing != WM_STANDS_LEFT)
        add_place(object, j->pages[i], stand);
    return object;
}

/* As an earlier one, but for the rank: that one takes it. */
static bool joins(json_t *list, json_t *object)
{
    json_t *ranks = json_incref(json_object_get(object, "ranks"));
    bool joined = false;
    size_t index;
    json_t *other;

    json_object_del(object, "ranks");
    json_array_foreach (list, index, other) {
        json_t *others = json_incref(json_object_get(other, "ranks"));

        json_object_del(other, "ranks");
        joined = json_equal(other, object);
        json_object_set_new(other, "ranks", others);
        if (!joined)
            continue;
        json_array_extend(others, ranks);
        break;
    }
    json_object_set_new(object, "ranks", ranks);
    return joined;
}

static void put(json_t *list, json_t *object)
{
    if (!joins(list, object))
        json_array_append(list, object);
    json_decref(object);
}

static bool is_mismatched(const struct wm_judgement *j, uint64_t id)
{
    for (int i = 0; i < j->mismatch_count; i++)
        if (j->mismatches[i].id == id)
            return true;
    return false;
}

static json_t *wait_object(const struct wm_judgement *j, int i)
{
    const struct wm_stand *stand = &j->stands[i];
    const struct wm_page *page = j->pages[i];
    json_t *missing = json_array();
    int members = stand->member >= 0 ? wm_members_end(&j->members, stand->first) - stand->first : 0;
    int size = page->comms[stand->now.comm].ranks;

    for (int m = stand->first; m < stand->missing_end; m++)
        put(missing, missing_object(j, j->members.list[m].page));
    return json_pack("{s[i], sb, sb, so, so, si}", "ranks", page->rank, "proven", (int)stand->held, "mismatched",
                     (int)is_mismatched(j, stand->call.id), "call",
                     numbered_call(page, &stand->call, stand->now.comm, stand->now.sequence), "missing", missing,
                     "unseen", size > members ? size - members : 0);
}

static void add_seconds(json_t *wait, const struct wm_page *page, const struct wm_stand *stand)
{
    if (page->tick > 0 && stand->now.tick > 0 && page->tick >= stand->now.tick)
        json_object_set_new(wait, "seconds", json_integer((json_int_t)(page->tick - stand->now.tick) / 10));
}

static json_t *list_waits(const struct wm_judgement *j)
{
    json_t *list = json_array();

    for (int i = 0; i < j->count; i++)
        if (j->stands[i].still && j->stands[i].standing == WM_STANDS_IN)
            put(list, wait_object(j, i));
    for (size_t w = 0; w < json_array_size(list); w++) {
        json_t *wait = json_array_get(list, w);
        json_int_t rank = json_integer_value(json_array_get(json_object_get(wait, "ranks"), 0));

        for (int i = 0; i < j->count; i++)
            if (j->pages[i]->rank == rank)
                add_seconds(wait, j->pages[i], &j->stands[i]);
    }
    return list;
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

static bool someone_is_outside(const json_t *waits)
{
    size_t w, m;
    json_t *wait, *missing;

    json_array_foreach (waits, w, wait) {
        json_array_foreach (json_object_get(wait, "missing"), m, missing) {
            if (strcmp(json_string_value(json_object_get(missing, "standing")), "outside") == 0)
                return true;
        }
    }
    return false;
}

static const char *verdict_of(const struct wm_judgement *j, const json_t *waits, enum wm_case_status *status)
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
    *status = WM_CASE_EXPLAINED;
    if (j->waiting_count > 0)
        return someone_is_outside(waits) ? "explained" : "unknown";
    *status = WM_CASE_WELL;
    return "well";
}

json_t *wm_case_make(const struct wm_patient *patient, const struct wm_judgement *j, enum wm_case_status *status)
{
    json_t *mismatches = json_array(), *gone = json_array(), *waits = list_waits(j);

    for (int i = 0; i < j->mismatch_count; i++)
        json_array_append_new(mismatches, mismatch_object(j, &j->mismatches[i]));
    for (int i = 0; i < j->count; i++)
        if (j->stands[i].standing == WM_STANDS_GONE)
            json_array_append_new(gone, gone_object(j, i));
    return json_pack("{ss, si, si, sb, so, so, so}", "verdict", verdict_of(j, waits, status), "ranks",
                     (int)patient->pages[0]->ranks, "seen", j->count, "over", (int)patient->over, "mismatches",
                     mismatches, "gone", gone, "waits", waits);
}
