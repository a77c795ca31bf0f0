/* The proof of a statement for one number of ranks: all ranks' messages listed, brought to their receivers, and
 * compared.
 *
 * What is proven: every expression has a value at every rank, every receiver is a rank, and what is sent has as many
 * elements as the place in which it is stored, and numbers that its type has (`evaluation`); no element is stored into
 * twice by `<<=` (`once`); what a hint says is so (`hint`). Beside it is found out which places are both read and
 * stored into at one rank: their data is copied before anything is stored. */
#ifndef WM_TOOLS_STATEMENT_PROVE_H
#define WM_TOOLS_STATEMENT_PROVE_H

#include "tools/statement/names.h"

#define WM_CLAIMS(X)                                                                                                   \
    X(EVALUATION, "evaluation", "every expression has a value, every receiver is a rank, and sizes agree")             \
    X(ONCE, "once", "no place is stored into twice")                                                                   \
    X(HINT, "hint", "the hint holds")

enum wm_claim {
#define X(name, word, text) WM_CLAIM_##name,
    WM_CLAIMS(X)
#undef X
        WM_CLAIM_COUNT
};

const char *wm_claim_word(enum wm_claim claim);
const char *wm_claim_text(enum wm_claim claim);

enum { WM_PROVEN_MESSAGES_MAX = 1 << 22 };

struct wm_statement_verdict {
    struct wm_error refuted[WM_CLAIM_COUNT]; /* code 0: it is proven, or was not looked at after a fault */
    uint64_t messages;
    /* Of each binding: at how many ranks it is both read and stored into, the first of them, and where. */
    struct {
        int ranks, rank;
        char place[96];
    } copied[WM_BINDINGS_MAX];
};

/* 0, -WM_ENOMEM, -WM_EINVAL: it is too large. */
int wm_statement_prove(struct wm_statement_verdict *verdict, const struct wm_bound_names *names,
                       const struct wm_statement *statement, struct wm_error *error);

#endif
