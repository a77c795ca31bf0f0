/* MPI_Comm_set_name: the trace is told. */
#include "core/call/comm.h"
#include "core/process/utf8.h"
#include "waymark/runtime.h"

static struct wm_comm *find(MPI_Comm comm)
{
    struct wm_comm *c;

    pthread_mutex_lock(&wm_process.comms_lock);
    for (c = wm_process.comms; c != NULL && c->user != comm; c = c->next)
        ;
    pthread_mutex_unlock(&wm_process.comms_lock);
    return c;
}

void wm_comm_named(MPI_Comm comm)
{
    bool traced = atomic_load(&wm_process.awake) && wm_process.recorder != NULL && comm != MPI_COMM_NULL;
    char name[MPI_MAX_OBJECT_NAME] = "", text[MPI_MAX_OBJECT_NAME];
    struct wm_comm *c = traced ? find(comm) : NULL;
    int length;

    if (c == NULL || wm_comm_is_apart(c))
        return;
    PMPI_Comm_get_name(comm, name, &length);
    wm_utf8_copy(text, sizeof text, name);
    wm_process_define(json_pack("{ss, sI, ss}", "define", "name", "communicator", (json_int_t)c->id, "name", text));
}
