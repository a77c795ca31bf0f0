/* The accounts: adds up what each instance cost, by line of the map, by edge, and by rank waited for; keeps the slowest
 * instances. Of one instance after another it asks tools/analysis/waits.c who waited for whom,
 * tools/analysis/messages.c for what arrived, tools/analysis/bill.c for where each visit's time went,
 * tools/analysis/paths.c for the critical path. */
#ifndef WM_ACCOUNTS_H
#define WM_ACCOUNTS_H

#include "tools/analysis/analysis.h"
#include "tools/analysis/floors.h"
#include "tools/analysis/history.h"
#include "tools/analysis/instance.h"
#include "tools/analysis/ledger.h"
#include "tools/analysis/observer.h"

struct wm_accounts {
    struct wm_trace *trace;
    struct wm_analysis *analysis;
    const struct wm_observer *observer; /* NULL: nobody */
    int observer_status;                /* the first failure it reported; else 0 */
    struct wm_ledger ledger;
    struct wm_history history;
    struct wm_floors floors;
    uint64_t group;               /* number of the instance, from 1 */
    int *index_of_rank;           /* world rank to rank index, -1: no trace */
    struct wm_charge_edge *edges; /* the rest is scratch: edges of one visit, … */
    size_t edge_capacity;
    int64_t *times; /* when a rank began to do something */
    size_t time_capacity;
    struct wm_trace_visit **visits; /* visits of one node */
    size_t visit_capacity;
    int *visit_of_member;
    size_t member_capacity;
};

/* 0 or -WM_ENOMEM; release in any case. What the accounts find is written into `analysis`; lines and edges
 * stay in the ledger until they are taken. */
int wm_accounts_init(struct wm_accounts *accounts, struct wm_trace *trace, struct wm_analysis *analysis,
                     const struct wm_observer *observer);
void wm_accounts_release(struct wm_accounts *accounts);

/* Add an instance that has all its runs. 0 or -WM_ENOMEM. */
int wm_accounts_add(struct wm_accounts *accounts, struct wm_instance *instance);

/* The sums that need all instances: floors, delays, efficiencies. The lines stay in the ledger. 0 or -WM_ENOMEM. */
int wm_accounts_finish(struct wm_accounts *accounts);

/* The line of `node`, as one of this instance's; NULL when there are too many. */
struct wm_line *wm_accounts_line(struct wm_accounts *accounts, uint16_t node, uint8_t operation);
/* How far times of two world ranks must differ to be told apart; 0 where one has no trace. */
int64_t wm_accounts_apart_ns(const struct wm_accounts *accounts, int rank, int other_rank, int64_t time_ns);

#endif
