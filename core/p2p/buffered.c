/* The buffer for buffered sends: blocks of it, by address, for as long as their sends are under way. */
#include "core/p2p/process.h"

int wm_p2p_buffer_attach(struct wm_p2p_process *process, void *buffer, int bytes)
{
    if (bytes < 0)
        return MPI_ERR_ARG;
    if (process->has_buffer || (buffer == NULL && bytes > 0))
        return MPI_ERR_BUFFER;
    process->has_buffer = true;
    process->buffer = buffer;
    process->buffer_bytes = (size_t)bytes;
    return MPI_SUCCESS;
}

void wm_p2p_buffer_sweep(struct wm_p2p_process *process)
{
    struct wm_p2p_request **link = &process->buffered;

    while (*link != NULL)
        if ((*link)->e.message.complete)
            *link = (*link)->next_buffered;
        else
            link = &(*link)->next_buffered;
}

int wm_p2p_buffer_detach(struct wm_p2p_process *process, void *buffer, int *bytes)
{
    struct wm_p2p_tally all = {0};

    if (!process->has_buffer)
        return MPI_ERR_BUFFER;
    wm_p2p_buffer_sweep(process);
    for (struct wm_p2p_request *r = process->buffered; r != NULL; r = r->next_buffered)
        wm_p2p_count(r, WM_P2P_AWAITED, &all);
    wm_p2p_await(process, &all);
    wm_p2p_buffer_sweep(process);
    process->has_buffer = false;
    *(void **)buffer = process->buffer;
    *bytes = (int)process->buffer_bytes;
    return MPI_SUCCESS;
}

/* The first gap that is large enough; *link: what stands behind it. NULL: there is none. */
static char *find_gap(struct wm_p2p_process *process, size_t bytes, struct wm_p2p_request ***link)
{
    char *gap = process->buffer;

    for (*link = &process->buffered; **link != NULL; *link = &(**link)->next_buffered) {
        const struct wm_envelope *block = &(**link)->e.message;

        if ((size_t)((char *)block->buffer - gap) >= bytes)
            return gap;
        gap = (char *)block->buffer + block->bytes;
    }
    return process->buffer_bytes - (size_t)(gap - process->buffer) >= bytes ? gap : NULL;
}

int wm_p2p_buffer_put(struct wm_p2p_request *r, const struct wm_p2p_data *data)
{
    struct wm_p2p_process *process = r->process;
    struct wm_p2p_request **link;
    char *gap;
    int error;

    if (!process->has_buffer)
        return MPI_ERR_BUFFER;
    wm_p2p_progress(process);
    wm_p2p_buffer_sweep(process);
    if ((gap = find_gap(process, data->bytes, &link)) == NULL)
        return MPI_ERR_BUFFER;
    if ((error = wm_p2p_data_pack(data, gap)) != MPI_SUCCESS)
        return error;
    r->buffered = true;
    r->e.message.buffer = gap;
    r->next_buffered = *link;
    *link = r;
    return MPI_SUCCESS;
}
