/* Promises: what the program promises of a statement's names, and what later calls save by it. */
#ifndef WM_STATEMENT_PROMISES_H
#define WM_STATEMENT_PROMISES_H

#include "core/statement/statement.h"

/* Of these bindings those of which nothing is promised, so that one rank's may change alone: both as bits. */
uint64_t wm_bindings_unpromised(const struct wm_statement *s, const struct wm_bound bindings[], uint64_t which);
/* What one call is sent the next one will be, until a change that all ranks see. */
bool wm_statement_is_steady(const struct wm_statement *s, const struct wm_bound bindings[]);

#endif
