/* Waits: classes of ranks by a hash of their calls, who is missing, and circles along the witnesses. */
#include "tools/doctor/waits.h"

#include <stdlib.h>
#include <string.h>
#include "core/guard/held.h"
#include "tools/doctor/patient.h"
#include "tools/doctor/where.h"

/* So many classes of missing ranks are told apart by where they are. */
enum { PLACES = 32 };

/* So far a circle is looked for behind a rank. */
enum { STEPS = 4096 };

/* So many ranks of a class are said to wait in which step. */
enum { STEPS_LISTED = 16 };

static const char *const standings[] = {
    [WM_STANDS_OUTSIDE] = "outside", [WM_STANDS_IN] = "waits", [WM_STANDS_LEFT] = "left", [WM_STANDS_GONE] = "gone"};

/* --- Those who are waited for --- */

static bool is_halted(char state)
{
    return state == 'T' || state == 't';
}

static const char *word_of(char state)
{
    switch (state) {
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

static json_t *missing_object(const struct wm_judgement *j, int i, bool placed)
{
    const struct wm_stand *stand = &j->stands[i];
    json_t *object = json_pack("{s[i], ss}", "ranks", j->stands[i].rank, "standing", standings[stand->standing]);
    char state = placed && stand->standing <= WM_STANDS_IN ? wm_patient_process(wm_pages_at(j->pages, i)) : 0;
    const char *word = stand->standing == WM_STANDS_OUTSIDE || is_halted(state) ? word_of(state) : NULL;

    if (word != NULL)
        json_object_set_new(object, "process", json_string(word));
    if (placed && stand->standing != WM_STANDS_LEFT)
        wm_where_add(object, j, i);
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

static void put_missing(const struct wm_judgement *j, json_t *list, int i)
{
    json_t *object = missing_object(j, i, json_array_size(list) < PLACES);

    if (!joins(list, object))
        json_array_append(list, object);
    json_decref(object);
}

static void put_members(const struct wm_judgement *j, json_t *list, int first, int end, int but)
{
    for (int m = first; m < end; m++)
        if (j->members.list[m].page != but)
            put_missing(j, list, j->members.list[m].page);
}

/* A rank that several messages wait for is missing once. */
static void put_peer(const struct wm_judgement *j, json_t *list, int *seen, int *count, int page)
{
    for (int i = 0; i < *count; i++)
        if (seen[i] == page)
            return;
    seen[(*count)++] = page;
    put_missing(j, list, page);
}

/* Of a receive from any rank, all of them. */
static void put_peers(const struct wm_judgement *j, json_t *list, int i)
{
    const struct wm_page_now *now = &j->stands[i].now;
    int seen[WM_PAGE_HANDLES], count = 0;

    for (uint32_t k = 0; k < wm_held_messages(now); k++) {
        const struct wm_page_message *m = wm_held_message(wm_pages_at(j->pages, i), now, k);
        const struct wm_page_comm *comm =
            m != NULL && m->comm < WM_PAGE_COMMS ? &wm_pages_at(j->pages, i)->comms[m->comm] : NULL;
        int own = comm != NULL ? wm_held_find_member(j, comm->id, comm->rank) : -1, peer, first;

        if (own < 0)
            continue;
        first = j->members.list[own].first;
        if (m->kind == WM_POST_COLLECTIVE)
            put_members(j, list, first, wm_members_before(&j->members, own, m->sequence), i);
        else if (m->peer == WM_PAGE_ANY)
            put_members(j, list, first, wm_members_end(&j->members, first), i);
        else if ((peer = wm_held_find_rank(j, comm->id, m->peer)) >= 0)
            put_peer(j, list, seen, &count, peer);
    }
}

/* --- Classes --- */

static uint64_t add_message(uint64_t hash, const struct wm_page *page, const struct wm_page_message *m)
{
    const struct wm_page_comm *comm;
    char name[WM_PAGE_NAME_CHARS + 1] = "";

    if (m == NULL || m->comm >= WM_PAGE_COMMS)
        return wm_hash_add(hash, 0);
    comm = &page->comms[m->comm];
    memcpy(name, comm->name, WM_PAGE_NAME_CHARS);
    hash = wm_hash_add(wm_hash_add_text(hash, name), m->kind);
    if (m->kind == WM_POST_COLLECTIVE)
        return wm_hash_add(hash, m->sequence);
    hash = wm_hash_add(wm_hash_add(hash, (uint64_t)(uint32_t)m->tag), m->bytes);
    return wm_hash_add(hash, m->peer < 0 || comm->ranks < 1
                                 ? UINT64_MAX
                                 : (uint64_t)(uint32_t)((m->peer - comm->rank + comm->ranks) % comm->ranks));
}

/* Equal numbers: the calls are alike. */
static uint64_t class_of(const struct wm_judgement *j, int i)
{
    const struct wm_stand *s = &j->stands[i];
    uint64_t hash = wm_hash_add(WM_HASH_BEGIN, (uint64_t)s->now.function * 2 + s->held);

    if (s->known) {
        hash = wm_hash_add(wm_hash_add(hash, s->call.id), s->entry.sequence);
        hash = wm_hash_add(wm_hash_add(hash, s->call.print), s->call.types);
        return wm_hash_add(wm_hash_add(hash, (uint64_t)s->call.root), s->place);
    }
    hash = wm_hash_add(hash, s->place);
    for (uint32_t k = 0; k < wm_held_messages(&s->now); k++)
        hash = add_message(hash, wm_pages_at(j->pages, i), wm_held_message(wm_pages_at(j->pages, i), &s->now, k));
    return hash;
}

struct kind {
    uint64_t hash;
    int page, first; /* of its class */
};

static int compare_kinds(const void *left, const void *right)
{
    const struct kind *a = left, *b = right;

    return a->hash != b->hash ? (a->hash < b->hash ? -1 : 1) : a->page - b->page;
}

static int compare_firsts(const void *left, const void *right)
{
    const struct kind *a = left, *b = right;

    return a->first != b->first ? a->first - b->first : a->page - b->page;
}

/* Bring together those of a class, the classes in the order of their first ranks. */
static void sort_kinds(struct kind *kinds, int count)
{
    qsort(kinds, (size_t)count, sizeof *kinds, compare_kinds);
    for (int i = 0; i < count; i++)
        kinds[i].first = i > 0 && kinds[i].hash == kinds[i - 1].hash ? kinds[i - 1].first : kinds[i].page;
    qsort(kinds, (size_t)count, sizeof *kinds, compare_firsts);
}

/* {ranks, call} of each class; of those that are too many {ranks, classes}. */
static json_t *list_classes(const struct wm_judgement *j, const struct kind *kinds, int count)
{
    json_t *list = json_array(), *ranks = NULL, *others = NULL;
    json_int_t classes = 0;

    for (int i = 0; i < count; i++) {
        bool begins = i == 0 || kinds[i].first != kinds[i - 1].first;

        classes += begins;
        if (begins && classes <= WM_WAITS_CLASSES) {
            ranks = json_array();
            json_array_append_new(list, json_pack("{so, so*}", "ranks", ranks, "call", wm_where_now(j, kinds[i].page)));
        } else if (begins && others == NULL) {
            ranks = json_array();
            others = json_pack("{so}", "ranks", ranks);
            json_array_append_new(list, others);
        }
        json_array_append_new(ranks, json_integer(j->stands[kinds[i].page].rank));
    }
    if (others != NULL)
        json_object_set_new(others, "classes", json_integer(classes - WM_WAITS_CLASSES));
    return list;
}

static bool is_mismatched(const struct wm_judgement *j, const struct wm_stand *stand)
{
    for (int i = 0; i < j->mismatch_count; i++)
        if (stand->known && j->mismatches[i].id == stand->call.id)
            return true;
    return false;
}

/* --- Inside of a planned call --- */

/* The step that a rank waits for in the call that it is in; false: none was told. */
static bool read_step(const struct wm_judgement *j, int i, struct wm_page_step *step)
{
    *step = j->stands[i].step;
    return j->stands[i].known && step->doing == j->stands[i].doing && step->direction != WM_PAGE_NO_STEP &&
           step->direction <= WM_PAGE_SHARES;
}

/* The page of the rank at the other end, or -1. */
static int other_end(const struct wm_judgement *j, int i, const struct wm_page_step *step)
{
    return step->peer >= 0 ? wm_held_find_rank(j, j->stands[i].call.id, step->peer) : -1;
}

/* Its peer waits in the same call for another: what it misses is a consequence. */
static bool follows(const struct wm_judgement *j, int i, const struct wm_page_step *step)
{
    int peer = other_end(j, i, step);
    struct wm_page_step other;

    return peer >= 0 && read_step(j, peer, &other) && j->stands[peer].entry.sequence == j->stands[i].entry.sequence &&
           j->stands[peer].call.id == j->stands[i].call.id && other_end(j, peer, &other) != i;
}

static json_t *step_object(const struct wm_judgement *j, int i, const struct wm_page_step *step)
{
    const struct wm_page_wrapper *w = &wm_pages_at(j->pages, i)->wrappers[step->node % WM_PAGE_WRAPPERS];
    int peer = other_end(j, i, step);
    json_t *object = json_pack("{si, ss, sI}", "rank", j->stands[i].rank, "direction",
                               step->direction == WM_PAGE_SENDS      ? "to"
                               : step->direction == WM_PAGE_RECEIVES ? "from"
                                                                     : "shared",
                               "bytes", (json_int_t)step->bytes);

    if (peer >= 0) {
        json_object_set_new(object, "peer", json_integer(j->stands[peer].rank));
        json_object_set_new(object, "message", json_integer(step->message));
    }
    if (w->node != 0 && w->node == step->node)
        json_object_set_new(object, "wrapper", wm_where_text(w->text, sizeof w->text));
    return object;
}

/* Of the ranks of a class, who are `count`: first those whose step follows from no other's. */
static json_t *list_steps(const struct wm_judgement *j, const struct kind *kinds, int count)
{
    json_t *list = json_array();
    struct wm_page_step step;

    for (int round = 0; round < 2 && json_array_size(list) == 0; round++)
        for (int k = 0; k < count && json_array_size(list) < STEPS_LISTED; k++)
            if (read_step(j, kinds[k].page, &step) && (round == 1 || !follows(j, kinds[k].page, &step)))
                json_array_append_new(list, step_object(j, kinds[k].page, &step));
    return list;
}

/* Of the ranks of a class those that do not wait, as far as the system tells it: they are halted; or they wait for no
 * step where another one does. */
static json_t *list_inside(const struct wm_judgement *j, const struct kind *kinds, int count)
{
    json_t *list = json_array();
    struct wm_page_step step;
    bool stepped = false;

    for (int k = 0; k < count && !stepped; k++)
        stepped = read_step(j, kinds[k].page, &step);
    for (int k = 0; k < count && json_array_size(list) < STEPS_LISTED; k++) {
        char state = wm_patient_process(wm_pages_at(j->pages, kinds[k].page));

        if (word_of(state) != NULL && (is_halted(state) || (stepped && !read_step(j, kinds[k].page, &step))))
            json_array_append_new(
                list, json_pack("{s[i], ss}", "ranks", j->stands[kinds[k].page].rank, "process", word_of(state)));
    }
    return list;
}

/* Somewhere behind those that it waits for there is a circle. */
static bool is_behind(const struct wm_judgement *j, int i, const bool *in_circle)
{
    for (int step = 0; step < STEPS && i >= 0 && j->stands[i].held; step++, i = j->stands[i].witness)
        if (in_circle[i])
            return step > 0;
    return false;
}

static void describe_wait(const struct wm_judgement *j, json_t *wait, int i, const bool *in_circle)
{
    const struct wm_stand *stand = &j->stands[i];
    const struct wm_page *page = wm_pages_at(j->pages, i);
    json_t *missing = json_array();
    int unseen = 0;

    if (stand->member >= 0) {
        unseen = page->comms[stand->entry.comm].ranks - (wm_members_end(&j->members, stand->first) - stand->first);
        put_members(j, missing, stand->first, stand->missing_end, -1);
    }
    if (!stand->known)
        put_peers(j, missing, i);
    json_object_set_new(wait, "proven", json_boolean(stand->held));
    json_object_set_new(wait, "mismatched", json_boolean(is_mismatched(j, stand)));
    json_object_set_new(wait, "circle", json_boolean(in_circle[i]));
    json_object_set_new(wait, "behind", json_boolean(is_behind(j, i, in_circle)));
    json_object_set_new(wait, "missing", missing);
    json_object_set_new(wait, "unseen", json_integer(unseen > 0 ? unseen : 0));
    if (page->tick > 0 && stand->now.tick > 0 && page->tick >= stand->now.tick)
        json_object_set_new(wait, "seconds", json_integer((json_int_t)(page->tick - stand->now.tick) / 10));
}

/* What is so of all of them. */
static void describe_others(const struct wm_judgement *j, json_t *wait, const struct kind *kinds, int count,
                            const bool *in_circle)
{
    bool held = true, circle = true;

    for (int k = 0; k < count; k++) {
        held = held && j->stands[kinds[k].page].held;
        circle = circle && in_circle[kinds[k].page];
    }
    json_object_set_new(wait, "proven", json_boolean(held));
    json_object_set_new(wait, "circle", json_boolean(circle));
}

static bool waits(const struct wm_stand *stand)
{
    return stand->still && stand->standing == WM_STANDS_IN;
}

static json_t *list_waits(const struct wm_judgement *j, const uint64_t *classes, const bool *in_circle,
                          struct kind *kinds)
{
    json_t *list;
    int count = 0, at = 0;

    for (int i = 0; i < j->count; i++)
        if (waits(&j->stands[i]))
            kinds[count++] = (struct kind){.hash = wm_hash_add(classes[i], in_circle[i]), .page = i};
    sort_kinds(kinds, count);
    list = list_classes(j, kinds, count);
    for (int i = 0, end; i < count; i = end) {
        json_t *wait = json_array_get(list, (size_t)at);

        if (at++ == WM_WAITS_CLASSES) {
            describe_others(j, wait, kinds + i, count - i, in_circle);
            break;
        }
        for (end = i + 1; end < count && kinds[end].first == kinds[i].first; end++)
            ;
        describe_wait(j, wait, kinds[i].page, in_circle);
        json_object_set_new(wait, "steps", list_steps(j, kinds + i, end - i));
        json_object_set_new(wait, "inside", list_inside(j, kinds + i, end - i));
    }
    return list;
}

/* --- Circles --- */

/* The circle that has the page, if one of its calls waits for messages. */
static json_t *circle_at(const struct wm_judgement *j, const uint64_t *classes, int first, bool *in_circle,
                         struct kind *kinds)
{
    json_t *ranks = json_array();
    bool messages = false;
    int i = first, count = 0;

    do {
        kinds[count++] = (struct kind){.hash = classes[i], .page = i};
        json_array_append_new(ranks, json_integer(j->stands[i].rank));
        messages = messages || !j->stands[i].known;
    } while ((i = j->stands[i].witness) != first);
    if (!messages) {
        json_decref(ranks);
        return NULL;
    }
    for (int k = 0; k < count; k++)
        in_circle[kinds[k].page] = true;
    sort_kinds(kinds, count);
    return json_pack("{so, so}", "ranks", ranks, "waits", list_classes(j, kinds, count));
}

/* Each rank is walked through once; `walks`: the first rank of the walk that came by, + 1. */
static json_t *list_circles(const struct wm_judgement *j, const uint64_t *classes, int *walks, bool *in_circle,
                            struct kind *kinds)
{
    json_t *list = json_array(), *circle;

    for (int i = 0; i < j->count; i++) {
        int at = i;

        while (at >= 0 && j->stands[at].held && walks[at] == 0) {
            walks[at] = i + 1;
            at = j->stands[at].witness;
        }
        if (at >= 0 && j->stands[at].held && walks[at] == i + 1 && json_array_size(list) < WM_WAITS_CIRCLES &&
            (circle = circle_at(j, classes, at, in_circle, kinds)) != NULL)
            json_array_append_new(list, circle);
    }
    return list;
}

void wm_waits_list(const struct wm_judgement *j, json_t **list, json_t **circles)
{
    size_t count = (size_t)j->count + 1;
    uint64_t *classes = calloc(count, sizeof *classes);
    bool *in_circle = calloc(count, sizeof *in_circle);
    int *walks = calloc(count, sizeof *walks);
    struct kind *kinds = calloc(count, sizeof *kinds);

    *list = *circles = NULL;
    if (classes != NULL && in_circle != NULL && walks != NULL && kinds != NULL) {
        for (int i = 0; i < j->count; i++)
            classes[i] = waits(&j->stands[i]) ? class_of(j, i) : 0;
        *circles = list_circles(j, classes, walks, in_circle, kinds);
        *list = list_waits(j, classes, in_circle, kinds);
    }
    free(classes);
    free(in_circle);
    free(walks);
    free(kinds);
}
