/* The proof of a statement: every message brought to its receiver. */
#include "tools/statement/prove.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "tools/statement/proof.h"
#include "tools/statement/survey.h"
#include "core/vector.h"

const char *wm_claim_word(enum wm_claim claim)
{
    static const char *const words[] = {
#define X(name, word, text) word,
        WM_CLAIMS(X)
#undef X
    };

    return words[claim];
}

const char *wm_claim_text(enum wm_claim claim)
{
    static const char *const texts[] = {
#define X(name, word, text) text,
        WM_CLAIMS(X)
#undef X
    };

    return texts[claim];
}

void wm_proof_refute(struct wm_statement_proof *p, enum wm_claim claim, const char *format, ...)
{
    char sentence[WM_ERROR_TEXT_CHARS];
    va_list arguments;

    if (p->verdict->refuted[claim].code != 0)
        return;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    wm_error_set(&p->verdict->refuted[claim], -WM_EINVAL, "%s", sentence);
}

/* ---- messages ---- */

static int list(struct wm_statement_proof *p, int rank)
{
    struct wm_proof_rank *r = &p->ranks[rank];
    struct wm_error *refuted = &p->verdict->refuted[WM_CLAIM_EVALUATION];
    int rc = wm_tell(&r->lists, p->names, p->s, rank, true, refuted);

    r->arrivals = (struct wm_traffic){.s = p->s, .me = rank, .ranks = p->names->ranks};
    if (rc < 0)
        wm_names_fault(refuted, rank, p->names->ranks);
    p->verdict->messages += wm_told(&r->lists)->count;
    if (p->verdict->messages > WM_PROVEN_MESSAGES_MAX)
        rc = wm_error_set(p->error, -WM_EINVAL,
                          "with %d ranks these are more than %d messages: too many to prove; take fewer ranks",
                          p->names->ranks, WM_PROVEN_MESSAGES_MAX);
    else if (rc == -WM_EINVAL)
        return 0;
    return rc;
}

/* Tell a message's other end of it. */
static int deliver(struct wm_statement_proof *p, int source, size_t i)
{
    const struct wm_traffic *x = &p->ranks[source].lists;
    struct wm_proof_rank *to = &p->ranks[wm_told(x)->parts[i].peer];
    size_t comes = to->arrivals.receives.count;

    if (p->teller == WM_SENDS) {
        if (wm_vector_reserve(&to->origins, &to->origin_capacity, comes + 1, sizeof *to->origins) < 0)
            return -WM_ENOMEM;
        to->origins[comes] = (struct wm_proof_arrival){source, i};
    }
    return wm_tell_other(&to->arrivals, p->names, x, i, &p->verdict->refuted[WM_CLAIM_EVALUATION]);
}

static int deliver_all(struct wm_statement_proof *p, int source)
{
    int rc = 0;

    for (size_t i = 0; i < wm_told(&p->ranks[source].lists)->count && rc == 0; i++)
        rc = deliver(p, source, i);
    return rc == -WM_EINVAL ? 0 : rc;
}

/* All messages, and then their data; a fault ends the proof. */
static int communicate(struct wm_statement_proof *p)
{
    static int (*const steps[])(struct wm_statement_proof *, int) = {list, deliver_all, wm_proof_data};
    int rc = 0;

    for (size_t step = 0; step < sizeof steps / sizeof steps[0]; step++)
        for (int rank = 0; rank < p->names->ranks && rc == 0; rank++)
            if (p->verdict->refuted[WM_CLAIM_EVALUATION].code == 0)
                rc = steps[step](p, rank);
    return rc;
}

/* ---- places ---- */

static void element_text(const struct wm_statement_proof *p, int rank, int binding, size_t element, char *out,
                         size_t out_bytes)
{
    const struct wm_bound *b = &wm_names_bindings(p->names, rank)[binding];
    struct wm_section section = {.binding = binding, .dimensions = b->dimensions, .offset = element, .count = 1};
    size_t stride = 1;

    for (int d = b->dimensions - 1; d >= 0; stride *= b->extents[d--]) {
        section.counts[d] = 1;
        section.strides[d] = stride;
    }
    out[0] = '\0';
    wm_survey_place(b, &section, out, out_bytes);
}

/* Describe message `i` of those that a rank receives, by what is told of it. Returns its sender. */
static int describe(const struct wm_statement_proof *p, int rank, size_t i, char *out, size_t out_bytes)
{
    const struct wm_proof_rank *r = &p->ranks[rank];
    const struct wm_proof_arrival *a = p->teller == WM_SENDS ? &r->origins[i] : &(struct wm_proof_arrival){rank, i};
    const struct wm_traffic *x = &p->ranks[a->source].lists;
    const struct wm_statement_part *part = &wm_told(x)->parts[a->part];

    wm_part_describe(x, part, p->teller == WM_RECEIVES, out, out_bytes);
    return p->teller == WM_SENDS ? a->source : part->peer;
}

static void refute_once(struct wm_statement_proof *p, int rank, const struct wm_place_range *first,
                        const struct wm_place_range *second, size_t element)
{
    char place[96], one[192], other[192];
    int sender = describe(p, rank, first->message, one, sizeof one);
    int other_sender = describe(p, rank, second->message, other, sizeof other);

    element_text(p, rank, first->binding, element, place, sizeof place);
    wm_proof_refute(p, WM_CLAIM_ONCE,
                    "'%s' of rank %d is stored into twice: rank %d sends it %s; and rank %d sends it %s", place, rank,
                    sender, one, other_sender, other);
}

static void note_copies(struct wm_statement_proof *p, int rank, const struct wm_places *written)
{
    struct wm_places *read = &p->ranks[rank].read;
    size_t element;

    wm_places_sort(read);
    for (int b = 0; wm_places_meet(read, written, &b, &element); b++)
        if (p->verdict->copied[b].ranks++ == 0) {
            p->verdict->copied[b].rank = rank;
            element_text(p, rank, b, element, p->verdict->copied[b].place, sizeof p->verdict->copied[b].place);
        }
}

static int look_at_places(struct wm_statement_proof *p, int rank)
{
    const struct wm_proof_rank *r = &p->ranks[rank];
    const struct wm_traffic *x = p->teller == WM_SENDS ? &r->arrivals : &r->lists;
    struct wm_places stored = {0}, written = {0};
    struct wm_place_range first, second;
    size_t element;
    int rc = wm_places_of(&stored, x, WM_USE_ASSIGNED, UINT64_MAX);

    if (rc == 0)
        rc = wm_places_of(&written, x, WM_USE_WRITTEN, UINT64_MAX);
    if (rc == 0 && wm_places_twice(&stored, &first, &second, &element))
        refute_once(p, rank, &first, &second, element);
    if (rc == 0)
        note_copies(p, rank, &written);
    wm_places_release(&stored);
    wm_places_release(&written);
    return rc;
}

/* ---- all ---- */

static void release(struct wm_statement_proof *p)
{
    for (int rank = 0; p->ranks != NULL && rank < p->names->ranks; rank++) {
        wm_traffic_release(&p->ranks[rank].lists);
        wm_traffic_release(&p->ranks[rank].arrivals);
        wm_places_release(&p->ranks[rank].read);
        free(p->ranks[rank].origins);
    }
    free(p->ranks);
}

int wm_statement_prove(struct wm_statement_verdict *verdict, const struct wm_bound_names *names,
                       const struct wm_statement *statement, struct wm_error *error)
{
    struct wm_statement_proof p = {.names = names,
                                   .s = statement,
                                   .teller = wm_teller(statement),
                                   .ranks = calloc((size_t)names->ranks, sizeof *p.ranks),
                                   .verdict = verdict,
                                   .error = error};
    int rc = p.ranks != NULL ? 0 : -WM_ENOMEM;

    *verdict = (struct wm_statement_verdict){.messages = 0};
    if (rc == 0)
        rc = communicate(&p);
    if (rc == 0 && verdict->refuted[WM_CLAIM_EVALUATION].code == 0) {
        for (int rank = 0; rank < names->ranks && rc == 0; rank++)
            rc = look_at_places(&p, rank);
        if (rc == 0)
            rc = wm_proof_hint(&p);
    }
    release(&p);
    if (rc == -WM_EINVAL && error->code == 0)
        return wm_error_set(
            error, rc, "with %d ranks a rank has more than %d ranges of elements: too many to prove; take fewer ranks",
            names->ranks, WM_PLACES_MAX);
    return rc == -WM_ENOMEM ? wm_error_set(error, rc, "out of memory") : rc;
}
