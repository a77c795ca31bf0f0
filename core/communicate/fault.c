/* What is wrong with a statement, told with its place in the program, ends the job. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/communicate/deal.h"
#include "core/process/process.h"

static void place(const struct wm_statement_site *site, struct wm_error *error)
{
    char where[WM_ERROR_FILE_CHARS];

    snprintf(where, sizeof where, "%s:%d: statement", site->file, site->line);
    wm_error_place(error, where, error->line > 0 ? error->line : 1, error->line > 0 ? error->column : 1);
    wm_error_quote(error, site->text, strlen(site->text));
}

void wm_deal_abort(const struct wm_deal *d, struct wm_error *error)
{
    place(d->site, error);
    wm_process_abort(error);
}

void wm_deal_warn(const struct wm_deal *d, struct wm_error *error)
{
    char text[2048];

    place(d->site, error);
    wm_error_format(error, text, sizeof text);
    fprintf(stderr, "waymark: %s", text);
}

void wm_deal_refuse(const struct wm_statement_site *site, const char *sentence)
{
    struct wm_error error = {0};

    wm_error_set(&error, -WM_EINVAL, "%s", sentence);
    place(site, &error);
    wm_process_abort(&error);
}

/* The others wait for the end in a barrier. */
void wm_deal_fail_at(const struct wm_talk *t, const struct wm_statement_site *site, struct wm_error *error)
{
    place(site, error);
    if (t->rank == 0)
        wm_process_abort(error);
    PMPI_Barrier(t->comm);
    PMPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void wm_deal_fail(const struct wm_talk *t, const struct wm_deal *d, struct wm_error *error)
{
    wm_deal_fail_at(t, d->site, error);
}
