/* Finding: what those who look for one kind of fault share.
 *
 * An inquiry goes to each of them in turn (tools/findings/findings.c has the table). Each looks at the analysis and
 * offers what it sees; the inquiry keeps the dearest. Who knows the particular cause of a cost looks first and claims
 * that cost, so that those who would only say "it is spent there" leave it out. */
#ifndef WM_FINDING_H
#define WM_FINDING_H

#include "tools/findings/findings.h"

enum { WM_CLAIMS_MAX = 64, WM_BLAMES_MAX = 400 };

struct wm_claim {
    const struct wm_line *line;
    int64_t inside_ns, transfer_ns, caused_ns;
};

/* What is made of one of the dearest delays. */
struct wm_blame {
    const struct wm_delay *delay;
    const struct wm_line *cause; /* the calls in which the rank was too long; NULL: none */
    const char *path;            /* their path in the map's text; NULL: not known */
    int64_t passed_on_ns;        /* of the cost, what is not the late rank's own doing: it was too long in another call,
                                  * which was not itself spent waiting for late ranks; or it had not computed so much
                                  * longer as the others waited */
};

struct wm_inquiry {
    const struct wm_trace *trace;
    const struct wm_analysis *analysis;
    int64_t in_calls_ns; /* all outermost calls */
    int count;           /* the best first */
    struct wm_finding best[WM_FINDINGS_MAX];
    int claim_count;
    struct wm_claim claims[WM_CLAIMS_MAX];
    int blame_count; /* the dearest first */
    struct wm_blame blames[WM_BLAMES_MAX];
};

/* Ready to look: nothing is offered, all delays are judged. Both live as long. */
void wm_inquiry_begin(struct wm_inquiry *inquiry, const struct wm_trace *trace, const struct wm_analysis *analysis);

/* A finding of no confidence that names nothing but its line (NULL: none). */
struct wm_finding wm_finding_of(enum wm_finding_kind kind, const struct wm_line *line, int64_t lost_ns);
/* Begin the sentence with the share of the run, "26 % of the run's rank time (363 ms ± 2 µs) goes into ". */
void wm_finding_open(struct wm_finding *finding, const struct wm_inquiry *inquiry);
/* Go on with the sentence; what does not fit is left out. */
__attribute__((format(printf, 2, 3))) void wm_finding_say(struct wm_finding *finding, const char *format, ...);
/* " at cluster.scm:5 (trace 'small)", or nothing for a native call. */
void wm_finding_say_place(struct wm_finding *finding, const struct wm_inquiry *inquiry);
/* How sure, and of what. */
__attribute__((format(printf, 3, 4))) void wm_finding_trust(struct wm_finding *finding, double share,
                                                            const char *format, ...);
/* Put "Write X there." into the sentence, for its edit. */
void wm_finding_say_edit(struct wm_finding *finding);

/* Keep it if it is among the dearest. What the clocks cannot resolve loses its confidence, and comes after all others.
 */
void wm_inquiry_offer(struct wm_inquiry *inquiry, struct wm_finding *finding);
/* Explain part of a line's cost. */
void wm_inquiry_claim(struct wm_inquiry *inquiry, const struct wm_claim *claim);
/* How much of a line's waiting is not yet explained. */
int64_t wm_inquiry_inside_ns(const struct wm_inquiry *inquiry, const struct wm_line *line);
/* How much of its moving is not. */
int64_t wm_inquiry_transfer_ns(const struct wm_inquiry *inquiry, const struct wm_line *line);

/* Of all delays, what was passed on by calls through the stage `line`: its part of their time. */
int64_t wm_inquiry_caused_ns(const struct wm_inquiry *inquiry, const struct wm_line *line);

/* Where the path around a node begins in the map's text, or NULL. */
const char *wm_inquiry_path(const struct wm_trace *trace, uint16_t node);
/* The host of a world rank, or NULL. */
const char *wm_inquiry_host(const struct wm_inquiry *inquiry, int rank);

/* Who looks for what. */
void wm_finding_look_late(struct wm_inquiry *inquiry);
void wm_finding_look_eager(struct wm_inquiry *inquiry);
void wm_finding_look_far(struct wm_inquiry *inquiry);
void wm_finding_look_stages(struct wm_inquiry *inquiry);
void wm_finding_look_calls(struct wm_inquiry *inquiry);

/* What is said instead of all others. False: there is no cause to. */
bool wm_finding_of_mismatch(const struct wm_inquiry *inquiry, struct wm_finding *finding);
bool wm_finding_of_death(const struct wm_inquiry *inquiry, struct wm_finding *finding);
bool wm_finding_of_conveyors(const struct wm_inquiry *inquiry, struct wm_finding *finding); /* they prevail */
bool wm_finding_of_little(const struct wm_inquiry *inquiry, struct wm_finding *finding);    /* calls took little */
/* What is said behind all others: messages came before their receives. False: they did not. */
bool wm_finding_of_protocols(const struct wm_inquiry *inquiry, struct wm_finding *finding);
/* Nothing is worth a change. */
void wm_finding_of_nothing(const struct wm_inquiry *inquiry, struct wm_finding *finding);

#endif
