/* A rank that waits long in a statement says so. */
#include "core/communicate/patience.h"

#include <math.h>
#include <stdio.h>
#include "core/communicate/load.h"
#include "core/process/process.h"

/* "rank 1, 3": the peers of what is not complete; "": there are none. */
static void list_peers(const struct wm_loads *loads, char *out, size_t out_bytes)
{
    for (int i = 0; i < loads->count; i++)
        if (i != loads->self && !loads->loads[i].e.message.complete)
            wm_text_append(out, out_bytes, "%s%d", out[0] == '\0' ? "rank " : ", ", loads->loads[i].peer);
}

static void tell(const struct wm_turn *turn)
{
    const struct wm_deal *d = turn->deal;
    struct wm_error error = {0};
    char whom[256] = "";

    if (turn->state == WM_TURN_TRAVELS && d->knowledge != WM_KNOWLEDGE_SENDER)
        list_peers(&d->receives, whom, sizeof whom);
    if (turn->state == WM_TURN_TRAVELS && whom[0] == '\0')
        list_peers(&d->sends, whom, sizeof whom);
    wm_error_set(&error, -WM_EINVAL, "rank %d has waited for %s for %g s: do all ranks make this statement?",
                 turn->talk->rank, whom[0] != '\0' ? whom : "other ranks", wm_process.settings.patience_s);
    wm_deal_warn(d, &error);
}

void wm_patience_look(struct wm_patience *p, const struct wm_turn *turn)
{
    double now_s = PMPI_Wtime();

    if (p->since_s == 0)
        p->since_s = now_s;
    if (wm_process.settings.patience_s == 0 || now_s - p->since_s < wm_process.settings.patience_s)
        return;
    p->since_s = INFINITY;
    tell(turn);
}
