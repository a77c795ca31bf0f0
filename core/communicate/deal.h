/* Deals: what a call of a statement found out, kept for the next one: who sends what to whom, in which pieces.
 *
 * A deal is a site's on a communicator. It holds the values that it depends on as they were (what it `saw`); a call
 * whose values are the same makes the same messages again, from and to the places of its own bindings. Messages of one
 * peer travel together, in a **load**. */
#ifndef WM_DEAL_H
#define WM_DEAL_H

#include "core/call/repeat.h"
#include "core/communicate/talk.h"
#include "core/data/kernel.h"
#include "core/statement/collective.h"
#include "core/statement/items.h"
#include "waymark/communicate.h"

/* The parts of one peer. Its data is packed at `staging`, unless it is sent from, or received to, where it stands. */
struct wm_load {
    struct wm_talk_mail_envelope e;
    int peer;
    size_t first, count; /* parts */
    size_t bytes;
    char *staging; /* NULL: none was needed so far */
    bool direct;   /* it is one part, in one piece, and what is received meets nothing else */
    void *place;   /* of that, where it is sent from, or received to; NULL: it is packed */
};

struct wm_loads {
    int count;
    struct wm_load *loads; /* by peer */
    int self;              /* the one to this rank; -1: there is none */
};

/* A text, compiled; shared by all sites with this text and bindings alike. */
struct wm_form {
    struct wm_form *next;
    struct wm_statement *s;
    uint64_t hash; /* of text and bindings */
    bool asks;     /* who sends what to whom depends on values of which nothing is promised */
    bool steady; /* … and how much does not, either: what one call was sent the next one will be, until a change that
                    all ranks see */
    int count;
    char *names[]; /* [count] of the bindings */
};

/* Bytes of a binding, its extents or its values, that are to be as they were. */
struct wm_dependency {
    int binding;
    bool extents;
    size_t bytes; /* 0: they are elsewhere than in one piece */
    const char *saw;
};

/* The blocks of a deal that is a collective operation. */
struct wm_deal_blocks {
    size_t sends, receives; /* how many */
    char *sent, *received;  /* where they are packed; NULL: none were so far */
    bool packs;             /* what is sent has to be packed */
    bool joins;             /* what is there is combined with what others send, and the result replaces it */
    bool stores;            /* what is received has to be stored, or combined with what is there */
    struct wm_call call;    /* from and to where they stand one behind the other, as they travel, or are packed */
    struct wm_repeat repeat;
    wm_kernel *kernel; /* which combines what is received with what is there; NULL: part by part */
    char *combined;    /* … there */
};

/* As much of the values that are to be as they were as a processor compares at once, and where they stand. */
struct wm_deal_guard {
    const void *at;
    uint64_t saw;
};

/* A team gets its communicator when the deal has been made so often. */
enum { WM_TEAM_CALLS = 8 };

struct wm_rule;

struct wm_deal {
    struct wm_deal *next;
    const struct wm_statement_site *site;
    const struct wm_form *form;
    const struct wm_statement *s; /* the form's */
    enum wm_knowledge knowledge;
    bool made;    /* there is traffic */
    bool learned; /* receives are known from an earlier call */
    struct wm_traffic traffic;
    struct wm_loads sends, receives; /* receives: where both ends know */
    struct wm_items items;           /* packed by a sender that alone knows of them */
    struct wm_collective collective; /* that it is; where it is none, there are loads */
    struct wm_deal_blocks blocks;    /* … of it */
    int team_calls;                  /* blocking ones, as messages, before there is: */
    MPI_Comm team;                   /* a communicator of this rank's team; NULL: there is none, or it is outside */
    struct wm_dependency
        *dependencies; /* what it depends on, as it was: first that which chooses who sends what to whom */
    int dependency_count, choosing_count, sizing_count; /* sizing_count: with those before them */
    char *saw;
    unsigned long guarded;        /* the site's changes at the last call, if a call may repeat it; else 0 */
    struct wm_deal_guard *guards; /* of 8 bytes, then of 4 */
    int guard_count, wide_count;
    uint64_t touched;     /* wm_touches at the last call */
    void **at;            /* [form->count] where the bindings were at the last call: places are of these */
    uint64_t met;         /* bindings of which elements are both read and stored into */
    bool disjoint;        /* no place that is read is stored into, and none by two names */
    struct wm_rule *rule; /* of the map; NULL: none so far */
    bool traced;          /* by the rule */
    bool conveyed;        /* … by a conveyor */
    uint32_t number;      /* of its last definition in the trace … */
    const char *defined;  /* … as carried out so; NULL: there is none */
};

/* The site's deal on the talk; made, and the text compiled, at its first call: a fault ends the job. */
struct wm_deal *wm_deal_of(struct wm_talk *t, const struct wm_statement_site *site, struct wm_bound bindings[],
                           int count);
/* Where it is, or one that has it behind it. */
static inline struct wm_deal **wm_deal_slot(struct wm_talk *t, const struct wm_statement_site *site)
{
    return &t->deals[(uintptr_t)site / sizeof *site % WM_DEAL_SLOTS];
}
/* Give the bindings their names, which sentences need. */
void wm_deal_name(const struct wm_deal *d, struct wm_bound bindings[]);
void wm_deals_free(struct wm_deal *deals);
/* Forget those of a site, on all talks: its text is compiled again. None of its turns is under way. */
void wm_deals_forget(const struct wm_statement_site *site);
/* The form of the text for these bindings, which get their names; compiled, if it is new: a fault ends the job. */
const struct wm_form *wm_form_of(const struct wm_talk *t, const struct wm_statement_site *site,
                                 struct wm_bound bindings[], int count);
/* Give the bindings their names, which are allocated: their own, or the site's. */
void wm_bindings_name(const struct wm_statement_site *site, struct wm_bound bindings[], int count, char *names[]);
/* Copy a binding; if it is a value, that goes to `value`. */
struct wm_bound wm_binding_keep(const struct wm_bound *b, union wm_scalar *value);
/* No deal is left. */
void wm_forms_forget(void);

/* How often something was touched; and whether what the deal is promised to be stable was, since its last call. What
 * counts is when a statement is called: ranks call alike, but they begin a nonblocking one when those before it are
 * over. */
uint64_t wm_touches(void);
bool wm_deal_is_touched(const struct wm_deal *d, const struct wm_bound bindings[]);
void wm_touches_forget(void);
/* What the deal depends on has changed since it was made; says what: extents, of which each rank has its own, values
 * and extents on which depends how much is sent, or who sends what to whom. */
enum wm_change { WM_UNCHANGED, WM_EXTENTS_CHANGED, WM_SIZES_CHANGED, WM_CHOICE_CHANGED };
enum wm_change wm_deal_changed(const struct wm_deal *d, const struct wm_bound bindings[], bool touched);
/* Of that, something has changed that is promised to be uniform, and so at all ranks: the sizes of an operation's
 * blocks may be others, which a rank that has none cannot tell. */
bool wm_deal_uniform_changed(const struct wm_deal *d, const struct wm_bound bindings[]);
/* Nothing was touched: end the job if extents have changed that are promised to be stable: other ranks may not see it.
 */
void wm_deal_check_stable(const struct wm_deal *d, const struct wm_bound bindings[]);
/* Guard what a repeated call needs unchanged, beside bindings that are kept: the values that the deal depends on,
 * unless they are many. */
void wm_deal_set_guards(struct wm_deal *d, const struct wm_bound bindings[]);
/* All that is guarded is as it was, and nothing was touched: a call may repeat the last one. */
bool wm_deal_is_unchanged(const struct wm_deal *d);
/* Note what it depends on, as it is. */
void wm_deal_see(struct wm_deal *d, const struct wm_bound bindings[]);
/* Take its traffic as that of these bindings: what it depends on is seen, loads are made. Where a sender alone knows,
 * and will in the next calls, nothing is kept: each call evaluates anew. */
void wm_deal_settle(struct wm_deal *d, const struct wm_bound bindings[]);
/* Put the parts of each peer together. */
void wm_deal_make_loads(struct wm_deal *d, const struct wm_bound bindings[]);
/* They have elements in the same memory. */
bool wm_bindings_overlap(const struct wm_bound *a, const struct wm_bound *b);
/* The places of these bindings are those of the last call. */
bool wm_deal_is_bound(const struct wm_deal *d, const struct wm_bound bindings[]);
/* Find the places of these bindings, if they are others than at the last call; and make loads, if there are none, where
 * a call does not make its operation as such. Guard what a blocking call may repeat. */
void wm_deal_bind(const struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[], bool blocking);
/* A call by senders is over: where the next ones will be sent the same, its receivers know that now. */
void wm_deal_learn(struct wm_deal *d, const struct wm_bound bindings[]);
/* What is sent is listed as receivers asked for it: both ends know of it in this call, and in the next ones where they
 * will ask for the same. */
void wm_deal_take_requests(struct wm_deal *d);
/* The extents have changed of a deal that was learned: end the job if what it knows of does not fit into them. */
void wm_deal_check_fit(struct wm_deal *d, const struct wm_bound bindings[]);
/* A blocking call makes it as its operation. */
static inline bool wm_deal_is_operation(const struct wm_deal *d)
{
    return d->collective.operation != WM_OPERATION_COUNT && (!d->collective.team || d->team_calls == WM_TEAM_CALLS);
}
/* Forget its traffic. */
void wm_deal_clear(struct wm_deal *d);

/* All ranks know of it: rank 0 speaks, the others wait for the end. */
_Noreturn void wm_deal_fail_at(const struct wm_talk *t, const struct wm_statement_site *site, struct wm_error *error);
/* The site itself is wrong: end the job. */
_Noreturn void wm_deal_refuse(const struct wm_statement_site *site, const char *sentence);
/* Say what does not end the job, with the place in the program. */
void wm_deal_warn(const struct wm_deal *d, struct wm_error *error);
/* A rank alone found a fault: it ends the job, with the place in the program. */
_Noreturn void wm_deal_abort(const struct wm_deal *d, struct wm_error *error);
/* All ranks know of it: rank 0 speaks. */
_Noreturn void wm_deal_fail(const struct wm_talk *t, const struct wm_deal *d, struct wm_error *error);

#endif
