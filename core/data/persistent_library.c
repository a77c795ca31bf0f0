/* Persistent requests of the MPI library, freed with all that they hold. */
#include "core/data/persistent_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* What Open MPI's module of nonblocking collectives exports; NULL: not there. */
static struct {
    void (*give_back)(MPI_Request request);
    const void *class; /* of its requests: an object of Open MPI begins with the address of its class */
} module;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_module(void)
{
    *(void **)&module.give_back = dlsym(RTLD_DEFAULT, "NBC_Return_handle");
    module.class = dlsym(RTLD_DEFAULT, "ompi_coll_libnbc_request_t_class");
}

static bool is_of_module(MPI_Request request)
{
    pthread_once(&once, find_module);
    return module.give_back != NULL && module.class != NULL && *(const void *const *)(uintptr_t)request == module.class;
}

static bool is_in_place_without_data(const struct wm_call *call)
{
    bool own_types = call->operation == WM_ALLTOALLW;
    int ranks, bytes;

    if (call->send != MPI_IN_PLACE || (call->operation != WM_ALLTOALLV && !own_types))
        return false;
    PMPI_Comm_size(call->comm, &ranks);
    for (int r = 0; r < ranks; r++) {
        if (call->receive_counts[r] == 0)
            continue;
        PMPI_Type_size(own_types ? call->receive_types[r] : call->receive_type, &bytes);
        if (bytes > 0)
            return false;
    }
    return true;
}

bool wm_persistent_library_has_place(const struct wm_call *call, MPI_Request request)
{
    return is_of_module(request) || module.class == NULL || !is_in_place_without_data(call);
}

void wm_persistent_library_free(MPI_Request *request)
{
    if (!is_of_module(*request)) {
        PMPI_Request_free(request);
        return;
    }
    module.give_back(*request);
    *request = MPI_REQUEST_NULL;
}
