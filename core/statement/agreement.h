/* Agreement: who knows of a statement's messages, and whether they are a collective operation, as all ranks find it
 * out.
 *
 * Each rank tells **words** of itself. Those of all ranks, joined in any order, are the same for all of them, and
 * decide: the runtime joins them by an allreduce, a tool in a loop over the ranks that it plays. */
#ifndef WM_STATEMENT_AGREEMENT_H
#define WM_STATEMENT_AGREEMENT_H

#include "core/statement/collective.h"

/* BALANCE and SETS are summed up, UNSURE and RULED_OUT united, the others are minima; of what has to be alike at all
 * ranks there is the complement, too. SETS, RULED_OUT and LEADER are of the rank's role. */
enum wm_word {
    WM_WORD_BALANCE,
    WM_WORD_SETS,
    WM_WORD_UNSURE,
    WM_WORD_RULED_OUT,
    WM_WORD_CHOICE,
    WM_WORD_NOT_CHOICE,
    WM_WORD_PROMISED,
    WM_WORD_NOT_PROMISED,
    WM_WORD_BLOCK,
    WM_WORD_NOT_BLOCK,
    WM_WORD_LEADER,
    WM_WORD_NOT_LEADER,
    WM_WORDS
};

struct wm_agreement {
    bool promises_hold;          /* what is promised to be uniform is so */
    enum wm_knowledge knowledge; /* global, corresponding or sender, whatever the hint says */
    struct wm_collective collective;
};

/* What the rank of the traffic, which lists both what it sends and what it believes to receive, tells of itself. */
void wm_agreement_tell(uint64_t words[WM_WORDS], const struct wm_traffic *x, const struct wm_bound bindings[]);
/* Join a rank's words to those of others. */
void wm_agreement_join(uint64_t all[WM_WORDS], const uint64_t words[WM_WORDS]);
/* What all ranks' words decide; the traffic and the bindings are those of any rank. */
struct wm_agreement wm_agreement_of(const uint64_t all[WM_WORDS], const struct wm_traffic *x,
                                    const struct wm_bound bindings[]);

/* `me` decides who sends what to whom. */
bool wm_statement_chooses_by_me(const struct wm_statement *s);

#endif
