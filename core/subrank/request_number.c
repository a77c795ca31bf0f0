/* Requests and messages as Fortran has them: by numbers of their rank. A number stays with a request's memory, which
 * core/p2p uses again, so that a rank has no more of them than it ever had requests. */
#include <stdlib.h>
#include "core/p2p/process.h"
#include "core/subrank/rank.h"

/* There is room for a power of two. */
static bool reserve(struct wm_rank *rank)
{
    int count = rank->numbered_count;
    struct wm_p2p_request **more;

    if ((count & (count - 1)) != 0)
        return true;
    more = realloc(rank->numbered, (size_t)(count > 0 ? 2 * count : 1) * sizeof(struct wm_p2p_request *));
    if (more != NULL)
        rank->numbered = more;
    return more != NULL;
}

static MPI_Fint number_of(struct wm_p2p_request *r, const char *function)
{
    struct wm_rank *rank = wm_rank_running(function);

    if (r->process != rank->process)
        wm_rank_end(rank, function, "the request is not this subrank's");
    if (r->number == 0) {
        if (!reserve(rank))
            wm_rank_end(rank, function, "no memory for the number of a request");
        rank->numbered[rank->numbered_count] = r;
        r->number = WM_RANK_FIRST_NUMBER + rank->numbered_count++;
    }
    return r->number;
}

/* NULL: none of this rank's has it. */
static struct wm_p2p_request *numbered(MPI_Fint number, const char *function)
{
    const struct wm_rank *rank = wm_rank_running(function);
    int place = number - WM_RANK_FIRST_NUMBER;

    return place >= 0 && place < rank->numbered_count ? rank->numbered[place] : NULL;
}

WM_RANK_DOOR MPI_Fint MPI_Request_c2f(MPI_Request request)
{
    return request == MPI_REQUEST_NULL ? PMPI_Request_c2f(request)
                                       : number_of((struct wm_p2p_request *)request, __func__);
}

WM_RANK_DOOR MPI_Request MPI_Request_f2c(MPI_Fint request)
{
    struct wm_p2p_request *r = numbered(request, __func__);

    return r != NULL ? (MPI_Request)r : PMPI_Request_f2c(request);
}

WM_RANK_DOOR MPI_Fint MPI_Message_c2f(MPI_Message message)
{
    return message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC
               ? PMPI_Message_c2f(message)
               : number_of((struct wm_p2p_request *)message, __func__);
}

WM_RANK_DOOR MPI_Message MPI_Message_f2c(MPI_Fint message)
{
    struct wm_p2p_request *r = numbered(message, __func__);

    return r != NULL ? (MPI_Message)r : PMPI_Message_f2c(message);
}
