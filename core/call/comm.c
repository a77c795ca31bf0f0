/* Communicators: what can be said of one. */
#include "core/call/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/hash.h"

void wm_comm_free(struct wm_comm *c)
{
    free(c->world);
    free(c->tuning);
    free(c->places);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

uint64_t wm_comm_name_hash(const char *name)
{
    return wm_hash_add_text(WM_HASH_BEGIN, name) | 1;
}

void wm_comm_name(const struct wm_comm *c, char *name)
{
    int length;

    name[0] = '\0';
    if (c->title != NULL)
        strcpy(name, c->title);
    else if (c->user != MPI_COMM_NULL)
        PMPI_Comm_get_name(c->user, name, &length);
}

void wm_comm_facts(const struct wm_comm *c, struct wm_facts *facts)
{
    char name[MPI_MAX_OBJECT_NAME];

    wm_comm_name(c, name);
#define X(field, ...) facts->field = c->field;
    WM_GRID_FACTS(X)
#undef X
    facts->crowded = wm_node_job_crowded();
    snprintf(facts->communicator, sizeof facts->communicator, "%s", name);
}

bool wm_comm_errors_are_fatal(const struct wm_comm *c)
{
    MPI_Errhandler handler;
    bool fatal;

    if (c->user == MPI_COMM_NULL) /* freed, and a persistent request is left */
        return false;
    PMPI_Comm_get_errhandler(c->user, &handler);
    fatal = handler == MPI_ERRORS_ARE_FATAL;
    PMPI_Errhandler_free(&handler);
    return fatal;
}
