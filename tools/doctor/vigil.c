/* Vigil: judgements in a row, and what of them is news. */
#include "tools/doctor/vigil.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/guard/held.h"
#include "tools/doctor/case.h"
#include "tools/doctor/flaws.h"
#include "tools/doctor/words.h"

/* A wait is unusual that lasts so many times the longest one of its kind. */
enum { UNUSUAL = 20 };

/* A communicator with a mismatch, or on which ranks are held. */
struct wm_vigil_told {
    struct wm_vigil_told *next;
    uint64_t id;
    int looks;
    bool types_only; /* as many bytes: that may be meant */
    bool said, named;
};

int wm_vigil_init(struct wm_vigil *w, struct wm_patient *patient, double patience_s,
                  bool (*is_suspended)(const struct wm_patient *patient))
{
    size_t count = (size_t)patient->pages.count;

    *w = (struct wm_vigil){
        .patient = patient, .is_suspended = is_suspended, .patience_ticks = (uint64_t)(patience_s * 10)};
    if (patience_s > 0 && w->patience_ticks == 0)
        w->patience_ticks = 1;
    w->earlier = calloc(count, sizeof *w->earlier);
    w->gone_told = calloc(count, sizeof *w->gone_told);
    w->hung = calloc(count, sizeof *w->hung);
    w->held_told = calloc(count, sizeof *w->held_told);
    w->waits = calloc(count, sizeof *w->waits);
    w->calls = calloc(count, sizeof *w->calls);
    w->longest = calloc(count * WM_PAGE_CALLS, sizeof *w->longest);
    w->flaws_seen = calloc(count, sizeof *w->flaws_seen);
    w->flaws_told = calloc(count, sizeof *w->flaws_told);
    if (w->earlier != NULL && w->gone_told != NULL && w->hung != NULL && w->held_told != NULL && w->waits != NULL &&
        w->calls != NULL && w->longest != NULL && w->flaws_seen != NULL && w->flaws_told != NULL)
        return 0;
    wm_vigil_release(w);
    return -WM_ENOMEM;
}

void wm_vigil_release(struct wm_vigil *w)
{
    for (struct wm_vigil_told *m; (m = w->mismatches) != NULL;) {
        w->mismatches = m->next;
        free(m);
    }
    free(w->earlier);
    free(w->gone_told);
    free(w->hung);
    free(w->held_told);
    free(w->waits);
    free(w->calls);
    free(w->longest);
    free(w->flaws_seen);
    free(w->flaws_told);
    *w = (struct wm_vigil){0};
}

void wm_vigil_forget(struct wm_vigil *w)
{
    w->has_earlier = false;
    w->held = 0;
}

/* --- How long waits last --- */

static bool stands_still(const struct wm_judgement *j, int i)
{
    return j->stands[i].still && j->stands[i].standing == WM_STANDS_IN;
}

/* Calls that wait for messages are told apart by their sites. */
static uint32_t kind_of(const struct wm_stand *s)
{
    uint64_t kind = s->known ? s->entry.call : wm_hash_add(WM_HASH_BEGIN, s->now.site);

    return (uint32_t)(kind % WM_PAGE_CALLS);
}

static void measure(struct wm_vigil *w, const struct wm_judgement *j)
{
    for (int i = 0; i < j->count; i++) {
        const struct wm_stand *s = &j->stands[i];
        uint64_t *longest = &w->longest[(size_t)i * WM_PAGE_CALLS], tick = wm_pages_at(j->pages, i)->tick;
        uint64_t since = s->now.tick > w->forgiven ? s->now.tick : w->forgiven;

        if (!stands_still(j, i)) {
            if (w->waits[i] > longest[w->calls[i]])
                longest[w->calls[i]] = w->waits[i];
            w->waits[i] = 0;
            continue;
        }
        w->calls[i] = kind_of(s);
        w->waits[i] = tick > since ? tick - since : 0;
    }
}

static bool is_overdue(const struct wm_vigil *w, int i)
{
    uint64_t longest = w->longest[(size_t)i * WM_PAGE_CALLS + w->calls[i]];

    return w->patience_ticks > 0 && w->waits[i] >= w->patience_ticks && w->waits[i] >= UNUSUAL * longest;
}

/* --- What is new --- */

static struct wm_vigil_told *find_told(struct wm_vigil *w, uint64_t id)
{
    struct wm_vigil_told *m;

    for (m = w->mismatches; m != NULL && m->id != id; m = m->next)
        ;
    if (m != NULL || (m = calloc(1, sizeof *m)) == NULL)
        return m;
    m->id = id;
    m->next = w->mismatches;
    w->mismatches = m;
    return m;
}

static bool all_came(const struct wm_disagreement *m)
{
    int ranks = 0;

    for (int i = 0; i < m->count; i++)
        if (m->parties[i].came)
            ranks += m->parties[i].count;
    return ranks == m->ranks;
}

/* One that has just been seen may get more parties soon. *fresh[i]: it is to be told. */
static bool find_mismatches(struct wm_vigil *w, const struct wm_judgement *j, bool hurry, bool *fresh)
{
    bool any = false;

    for (int i = 0; i < j->mismatch_count; i++) {
        struct wm_vigil_told *m = find_told(w, j->mismatches[i].id);

        fresh[i] = m != NULL && !m->said && (++m->looks > 3 || hurry || all_came(&j->mismatches[i]));
        if (fresh[i])
            any = m->said = true;
        if (m != NULL)
            m->types_only = j->mismatches[i].types_only;
    }
    return any;
}

bool wm_vigil_next_named(struct wm_vigil *w, uint64_t *id)
{
    struct wm_vigil_told *m = w->mismatches;

    while (m != NULL && (!m->said || m->named || m->types_only))
        m = m->next;
    if (m == NULL)
        return false;
    m->named = true;
    *id = m->id;
    return true;
}

static bool find_gone(struct wm_vigil *w, const struct wm_judgement *j, bool *fresh)
{
    bool any = false;

    for (int i = 0; i < j->count; i++) {
        fresh[i] = j->stands[i].standing == WM_STANDS_GONE && !w->gone_told[i];
        if (fresh[i])
            any = w->gone_told[i] = true;
    }
    return any;
}

/* Who is held, and where, as a number; 0: nobody. */
static uint64_t held_hash(const struct wm_judgement *j)
{
    uint64_t hash = WM_HASH_BEGIN;

    if (j->held_count == 0)
        return 0;
    for (int i = 0; i < j->count; i++)
        if (j->stands[i].held)
            hash = wm_hash_add(wm_hash_add(hash, (uint64_t)i), j->stands[i].doing);
    return hash | 1;
}

static void tell_comm(struct wm_vigil *w, uint64_t id)
{
    struct wm_vigil_told *m = id != 0 ? find_told(w, id) : NULL;

    if (m != NULL)
        m->said = true;
}

/* The communicators of what a rank waits for. */
static void tell_waits(struct wm_vigil *w, const struct wm_page *page, const struct wm_stand *s)
{
    if (s->known)
        tell_comm(w, s->call.id);
    for (uint32_t k = 0; !s->known && k < wm_held_messages(&s->now); k++) {
        const struct wm_page_message *m = wm_held_message(page, &s->now, k);

        if (m != NULL && m->comm < WM_PAGE_COMMS)
            tell_comm(w, page->comms[m->comm].id);
    }
}

static void tell_held(struct wm_vigil *w, const struct wm_judgement *j)
{
    for (int i = 0; i < j->count; i++) {
        w->held_told[i] = j->stands[i].held ? j->stands[i].doing : 0;
        if (j->stands[i].held)
            tell_waits(w, wm_pages_at(j->pages, i), &j->stands[i]);
    }
}

static bool find_held(struct wm_vigil *w, const struct wm_judgement *j)
{
    uint64_t held = held_hash(j);
    bool new = held != 0 && held == w->held;

    for (int i = 0; i < j->count; i++)
        if (j->stands[i].held && w->held_told[i] == j->stands[i].doing)
            new = false;
    w->held = held;
    return new;
}

static bool find_hung(struct wm_vigil *w, const struct wm_judgement *j)
{
    bool any = false;

    for (int i = 0; i < j->count; i++)
        if (stands_still(j, i) && !j->stands[i].held && is_overdue(w, i) && w->hung[i] != j->stands[i].doing)
            any = true;
    if (any && w->is_suspended(w->patient)) {
        w->forgiven = wm_pages_at(j->pages, 0)->tick;
        any = false;
    }
    for (int i = 0; any && i < j->count; i++)
        if (stands_still(j, i))
            w->hung[i] = j->stands[i].doing;
    return any;
}

/* Of the waits that were told none is left. */
static bool find_relief(struct wm_vigil *w, const struct wm_judgement *j)
{
    bool any = false;

    for (int i = 0; i < j->count; i++) {
        if (w->hung[i] != 0 && stands_still(j, i) && w->hung[i] == j->stands[i].doing)
            return false;
        any = any || w->hung[i] != 0;
    }
    memset(w->hung, 0, sizeof *w->hung * (size_t)j->count);
    return any;
}

/* --- How it is said --- */

static void keep(json_t *list, const bool *fresh)
{
    for (size_t i = 0, at = 0, count = json_array_size(list); i < count; i++)
        if (fresh == NULL || !fresh[i])
            json_array_remove(list, at);
        else
            at++;
}

/* The case lists those who are gone, and no others. */
static void keep_gone(const struct wm_judgement *j, json_t *list, const bool *fresh)
{
    size_t at = 0;

    for (int i = 0; i < j->count; i++) {
        if (j->stands[i].standing != WM_STANDS_GONE)
            continue;
        if (!fresh[i])
            json_array_remove(list, at);
        else
            at++;
    }
}

/* The guard is not asked: a line of its own begins as all of ours on standard error do. */
static char *with_name(const char *text)
{
    char *out = NULL, *line = strdup(text);
    size_t bytes;
    FILE *stream = open_memstream(&out, &bytes);

    for (char *at = line, *next; stream != NULL && at != NULL && *at != '\0'; at = next) {
        if ((next = strchr(at, '\n')) != NULL)
            *next++ = '\0';
        fprintf(stream, "%s%s\n", at[0] == ' ' ? "" : "waymark: ", at);
    }
    if (stream != NULL)
        fclose(stream);
    free(line);
    return out;
}

static char *put_into_words(const json_t *object)
{
    char *plain = NULL, *text;
    size_t bytes;
    FILE *stream = open_memstream(&plain, &bytes);

    if (stream == NULL)
        return NULL;
    wm_words_print(stream, object);
    fclose(stream);
    text = plain[0] != '\0' ? with_name(plain) : NULL;
    free(plain);
    return text;
}

struct news {
    bool mismatch, gone, held, hung;
    bool *fresh_mismatches, *fresh_gone;
};

static char *tell(const struct wm_vigil *w, const struct wm_judgement *j, const struct news *news)
{
    enum wm_case_status status;
    json_t *object = wm_case_make(w->patient, j, &status);
    bool proven = news->mismatch || news->gone || news->held;
    char *text;

    json_array_clear(json_object_get(object, "flaws"));
    keep(json_object_get(object, "mismatches"), news->mismatch ? news->fresh_mismatches : NULL);
    keep_gone(j, json_object_get(object, "gone"), news->fresh_gone);
    if (proven && !news->held && !news->gone)
        json_array_clear(json_object_get(object, "waits"));
    if (!proven)
        json_object_set_new(object, "verdict", json_string("explained"));
    text = put_into_words(object);
    json_decref(object);
    return text;
}

static char *find_news(struct wm_vigil *w, const struct wm_judgement *j, bool hurry)
{
    struct news news = {.fresh_mismatches = calloc((size_t)j->mismatch_count + 1, sizeof(bool)),
                        .fresh_gone = calloc((size_t)j->count + 1, sizeof(bool))};
    char *text = NULL;

    if (news.fresh_mismatches != NULL && news.fresh_gone != NULL) {
        news.mismatch = find_mismatches(w, j, hurry, news.fresh_mismatches);
        news.gone = find_gone(w, j, news.fresh_gone);
        news.held = find_held(w, j);
        news.hung = find_hung(w, j);
        if (news.gone || news.held)
            tell_held(w, j);
        if (news.mismatch || news.gone || news.held || news.hung)
            text = tell(w, j, &news);
        else if (find_relief(w, j))
            text = strdup("waymark: the wait is over, and the job goes on\n");
    }
    free(news.fresh_mismatches);
    free(news.fresh_gone);
    return text;
}

/* Those that were there at the look before: other ranks' have come meanwhile. */
static char *find_flaws(struct wm_vigil *w)
{
    const struct wm_patient *p = w->patient;
    json_t *object = json_object(), *list = wm_flaws_list(&p->pages, w->flaws_told, w->flaws_seen);
    char *text =
        json_array_size(list) > 0 && json_object_set(object, "flaws", list) == 0 ? put_into_words(object) : NULL;

    json_decref(list);
    json_decref(object);
    for (int i = 0; i < p->pages.count; i++) {
        w->flaws_told[i] = w->flaws_seen[i];
        w->flaws_seen[i] = wm_flaws_count(wm_pages_at(&p->pages, i));
    }
    return text;
}

char *wm_vigil_look(struct wm_vigil *w, bool hurry)
{
    const struct wm_patient *p = w->patient;
    struct wm_judgement j;
    char *text = hurry ? NULL : find_flaws(w);

    if (text != NULL)
        return text;
    if (wm_judge(&j, &p->pages, p->gone, w->earlier) < 0)
        return NULL;
    if (w->has_earlier) {
        measure(w, &j);
        text = find_news(w, &j, hurry);
    }
    for (int i = 0; i < p->pages.count; i++)
        w->earlier[i] = j.stands[i].doing;
    w->has_earlier = true;
    wm_judgement_release(&j);
    return text;
}
