/* The data that a rank sends, proven: every place in it is there, and every number is one of the storage's type. */
#include <stdlib.h>
#include <string.h>
#include "tools/statement/proof.h"

struct looking {
    struct wm_frame *f;
    struct wm_places *read;
    uint64_t known;
    int rc;
};

static void look(struct looking *l, int term);

/* Of what && || ?: leave out nothing is read; where the first operand is not known, nothing is said of the others. */
static void look_at_choice(struct looking *l, const struct wm_term *n)
{
    const struct wm_term *first = &l->f->s->terms[n->operands[0]];
    bool truth;

    look(l, n->operands[0]);
    if (l->rc != 0 || l->f->rc != 0 || (first->bindings & ~l->known) != 0)
        return;
    truth = wm_evaluate_truth(l->f, n->operands[0]);
    if (n->kind == WM_TERM_CHOICE)
        look(l, n->operands[truth ? 1 : 2]);
    else if (truth == (n->operation == WM_TOKEN_AND))
        look(l, n->operands[1]);
}

static void look(struct looking *l, int term)
{
    const struct wm_term *n = &l->f->s->terms[term];
    struct wm_section section;

    if (l->rc != 0 || l->f->rc != 0)
        return;
    if (n->kind == WM_TERM_PLACE) {
        section = wm_evaluate_place(l->f, term);
        if (l->f->rc == 0)
            l->rc = wm_places_add(l->read, &section, 0);
    } else if (n->kind == WM_TERM_CHOICE || n->operation == WM_TOKEN_AND || n->operation == WM_TOKEN_OR) {
        look_at_choice(l, n);
    } else {
        for (int i = 0; i < WM_OPERANDS && n->operands[i] >= 0; i++)
            look(l, n->operands[i]);
    }
}

/* Read data whose values are known, as it will be stored. */
static int pack(const struct wm_statement_proof *p, const struct wm_traffic *x, const struct wm_statement_part *part,
                struct wm_error *refuted)
{
    void *buffer = malloc(wm_part_bytes(x, part) + 1);
    int rc = buffer == NULL ? -WM_ENOMEM : wm_part_pack(x, part, wm_names_bindings(p->names, x->me), buffer, refuted);

    free(buffer);
    return rc;
}

int wm_proof_data(struct wm_statement_proof *p, int rank)
{
    const struct wm_traffic *x = p->teller == WM_SENDS ? &p->ranks[rank].lists : &p->ranks[rank].arrivals;
    struct wm_error *refuted = &p->verdict->refuted[WM_CLAIM_EVALUATION];
    struct wm_frame f = wm_traffic_frame(x, wm_names_bindings(p->names, rank), refuted);
    struct looking l = {.f = &f, .read = &p->ranks[rank].read, .known = wm_names_known(p->names)};

    for (size_t i = 0; i < x->sends.count && l.rc == 0 && f.rc == 0; i++) {
        const struct wm_statement_part *part = &x->sends.parts[i];
        int data = p->s->reductions[part->reduction].data;

        wm_frame_take_variables(&f, &x->sends, part);
        look(&l, data);
        if (l.rc == 0 && f.rc == 0 && (p->s->terms[data].bindings & ~l.known) == 0)
            f.rc = pack(p, x, part, refuted);
    }
    if (f.rc == -WM_ENOMEM)
        return f.rc;
    if (f.rc != 0)
        wm_names_fault(refuted, rank, x->ranks);
    return l.rc;
}
