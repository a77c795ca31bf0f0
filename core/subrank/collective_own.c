/* Collectives of our own: what communicators are made with. */
#include "core/subrank/collective.h"
#include "core/subrank/crossing.h"

int wm_rank_barrier(struct wm_rank_comm *c)
{
    return wm_rank_collective_own(c, &(struct wm_call){.operation = WM_BARRIER});
}

static int largest_of_both(struct wm_rank_comm *c, int32_t *number)
{
    struct wm_rank_numbers n = {.own = {*number}};
    int error = wm_rank_numbers(c, &n);

    *number = n.own[0] > n.remote[0] ? n.own[0] : n.remote[0];
    return error;
}

int wm_rank_largest(struct wm_rank_comm *c, int32_t *number)
{
    if (c->inter != NULL)
        return largest_of_both(c, number);
    return wm_rank_collective_own(c, &(struct wm_call){.operation = WM_ALLREDUCE,
                                                       .send = MPI_IN_PLACE,
                                                       .receive = number,
                                                       .receive_count = 1,
                                                       .receive_type = MPI_INT32_T,
                                                       .op = MPI_MAX});
}

int wm_rank_tell(struct wm_rank_comm *c, void *data, size_t bytes, int root)
{
    return wm_rank_collective_own(c, &(struct wm_call){.operation = WM_BCAST,
                                                       .receive = data,
                                                       .receive_count = (int)bytes,
                                                       .receive_type = MPI_BYTE,
                                                       .root = root});
}

int wm_rank_exchange(struct wm_rank_comm *c, const void *mine, void *all, size_t bytes)
{
    if (c->inter != NULL)
        return MPI_ERR_COMM;
    return wm_rank_collective_own(c, &(struct wm_call){.operation = WM_ALLGATHER,
                                                       .send = mine,
                                                       .receive = all,
                                                       .send_count = (int)bytes,
                                                       .receive_count = (int)bytes,
                                                       .send_type = MPI_BYTE,
                                                       .receive_type = MPI_BYTE});
}

int wm_rank_exchange_each(struct wm_rank_comm *c, const void *mine, void *all, const int bytes[], const int places[])
{
    return wm_rank_collective_own(c, &(struct wm_call){.operation = WM_ALLGATHERV,
                                                       .send = mine,
                                                       .receive = all,
                                                       .send_count = bytes[c->self],
                                                       .receive_counts = bytes,
                                                       .receive_displs = places,
                                                       .send_type = MPI_BYTE,
                                                       .receive_type = MPI_BYTE});
}
