/* The accounts: adds up what each instance cost, by line of the map, by edge, and by rank waited for; keeps
 * the slowest instances and those that never ended. */
#ifndef WM_ACCOUNTS_H
#define WM_ACCOUNTS_H

#include "tools/analysis.h"
#include "tools/instance.h"
#include "tools/ledger.h"
#include "tools/observer.h"

struct wm_accounts {
    struct wm_trace *trace;
    struct wm_analysis *analysis;
    const struct wm_observer *observer; /* NULL: nobody */
    int observer_status;                /* the first failure it reported; else 0 */
    struct wm_ledger ledger;
    uint64_t group;               /* number of the instance, from 1 */
    struct wm_charge_edge *edges; /* the rest is scratch: edges of one visit, … */
    size_t edge_capacity;
    struct wm_visit **visits; /* visits of one node */
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

#endif
