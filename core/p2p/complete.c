/* Waits and tests. */
#include "core/p2p/process.h"

static bool is_active(const struct wm_p2p_request *r)
{
    return r != WM_P2P_REQUEST_NULL && r->active;
}

/* Finish one that is done. */
static int finish(struct wm_p2p_request **request, MPI_Status *status)
{
    struct wm_p2p_request *r = *request;

    if (!r->persistent)
        *request = WM_P2P_REQUEST_NULL;
    return wm_p2p_request_finish(r, status);
}

/* ---- one ---- */

int wm_p2p_wait(struct wm_p2p_request **request, MPI_Status *status)
{
    struct wm_p2p_request *r;

    if (request == NULL)
        return MPI_ERR_REQUEST;
    r = *request;
    if (!is_active(r)) {
        wm_p2p_status_clear(status);
        return MPI_SUCCESS;
    }
    if (!r->persistent)
        *request = WM_P2P_REQUEST_NULL;
    return wm_p2p_request_wait(r, status);
}

/* Look, and if it is not done let what is under way go on, and look again. */
static bool is_done(const struct wm_p2p_request *r)
{
    return wm_p2p_request_is_done(r) || (wm_p2p_poll(r->process) && wm_p2p_request_is_done(r));
}

int wm_p2p_test(struct wm_p2p_request **request, int *flag, MPI_Status *status)
{
    if (request == NULL)
        return MPI_ERR_REQUEST;
    *flag = !is_active(*request) || is_done(*request);
    if (!*flag)
        return MPI_SUCCESS;
    if (is_active(*request))
        return finish(request, status);
    wm_p2p_status_clear(status);
    return MPI_SUCCESS;
}

int wm_p2p_request_get_status(struct wm_p2p_request *request, int *flag, MPI_Status *status)
{
    *flag = !is_active(request) || is_done(request);
    if (is_active(request) && *flag)
        wm_p2p_request_status(request, status);
    else if (*flag)
        wm_p2p_status_clear(status);
    return MPI_SUCCESS;
}

/* ---- several ---- */

static int check_several(int count, struct wm_p2p_request *requests[])
{
    if (count < 0)
        return MPI_ERR_COUNT;
    return count > 0 && requests == NULL ? MPI_ERR_REQUEST : MPI_SUCCESS;
}

/* The first that is done, or else that is active; -1: none is active. */
static int look(int count, struct wm_p2p_request *requests[])
{
    int active = -1;

    for (int i = 0; i < count; i++) {
        if (!is_active(requests[i]))
            continue;
        if (wm_p2p_request_is_done(requests[i]))
            return i;
        active = active < 0 ? i : active;
    }
    return active;
}

/* Returns the process that has them; NULL: all are done. */
static struct wm_p2p_process *count_undone(int count, struct wm_p2p_request *requests[], struct wm_p2p_tally *tally)
{
    struct wm_p2p_process *process = NULL;

    for (int i = 0; i < count; i++)
        if (is_active(requests[i]) && !wm_p2p_request_is_done(requests[i])) {
            wm_p2p_count(requests[i], WM_P2P_AWAITED, tally);
            process = requests[i]->process;
        }
    return process;
}

/* None is done. */
static void wait_for_one(int count, struct wm_p2p_request *requests[], struct wm_p2p_process *process)
{
    struct wm_p2p_tally one = {0};

    count_undone(count, requests, &one);
    one.pending = 1;
    wm_p2p_await(process, &one);
    for (int i = 0; i < count; i++)
        if (is_active(requests[i]))
            wm_p2p_uncount(requests[i], WM_P2P_AWAITED);
}

/* What look() says; where none is done what is under way goes on before, and if `waits` until one is. */
static int look_again(int count, struct wm_p2p_request *requests[], bool waits)
{
    int i = look(count, requests);

    if (i < 0 || wm_p2p_request_is_done(requests[i]))
        return i;
    if (waits)
        wait_for_one(count, requests, requests[i]->process);
    else if (!wm_p2p_poll(requests[i]->process))
        return i;
    return look(count, requests);
}

static int any(int count, struct wm_p2p_request *requests[], bool waits, int *index, int *flag, MPI_Status *status)
{
    int i, error = check_several(count, requests);

    if (error != MPI_SUCCESS)
        return error;
    i = look_again(count, requests, waits);
    *flag = i < 0 || wm_p2p_request_is_done(requests[i]);
    *index = i >= 0 && *flag ? i : MPI_UNDEFINED;
    if (i >= 0)
        return *flag ? finish(&requests[i], status) : MPI_SUCCESS;
    wm_p2p_status_clear(status);
    return MPI_SUCCESS;
}

int wm_p2p_waitany(int count, struct wm_p2p_request *requests[], int *index, MPI_Status *status)
{
    int flag;

    return any(count, requests, true, index, &flag, status);
}

int wm_p2p_testany(int count, struct wm_p2p_request *requests[], int *index, int *flag, MPI_Status *status)
{
    return any(count, requests, false, index, flag, status);
}

static MPI_Status *status_of(MPI_Status statuses[], int i)
{
    return statuses != MPI_STATUSES_IGNORE ? &statuses[i] : MPI_STATUS_IGNORE;
}

/* Finish one of several: its error stands in its status. */
static int finish_of(struct wm_p2p_request **request, MPI_Status *status)
{
    int error = finish(request, status);

    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = error;
    return error != MPI_SUCCESS ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

static int some(int count, struct wm_p2p_request *requests[], bool waits, int *done_count, int indices[],
                MPI_Status statuses[])
{
    int i, error = check_several(count, requests);

    if (error != MPI_SUCCESS)
        return error;
    i = look_again(count, requests, waits);
    *done_count = i < 0 ? MPI_UNDEFINED : 0;
    for (; i >= 0 && i < count; i++) {
        if (!is_active(requests[i]) || !wm_p2p_request_is_done(requests[i]))
            continue;
        indices[*done_count] = i;
        if (finish_of(&requests[i], status_of(statuses, (*done_count)++)) != MPI_SUCCESS)
            error = MPI_ERR_IN_STATUS;
    }
    return error;
}

int wm_p2p_waitsome(int count, struct wm_p2p_request *requests[], int *done_count, int indices[], MPI_Status statuses[])
{
    return some(count, requests, true, done_count, indices, statuses);
}

int wm_p2p_testsome(int count, struct wm_p2p_request *requests[], int *done_count, int indices[], MPI_Status statuses[])
{
    return some(count, requests, false, done_count, indices, statuses);
}

/* The first that is active and not done; `count`: there is none. */
static inline int first_undone(int count, struct wm_p2p_request *requests[])
{
    int i = 0;

    while (i < count && (!is_active(requests[i]) || wm_p2p_request_is_done(requests[i])))
        i++;
    return i;
}

/* All that are active are done. */
static int finish_all(int count, struct wm_p2p_request *requests[], MPI_Status statuses[])
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < count; i++)
        if (!is_active(requests[i]))
            wm_p2p_status_clear(status_of(statuses, i));
        else if (finish_of(&requests[i], status_of(statuses, i)) != MPI_SUCCESS)
            error = MPI_ERR_IN_STATUS;
    return error;
}

int wm_p2p_waitall(int count, struct wm_p2p_request *requests[], MPI_Status statuses[])
{
    struct wm_p2p_tally all = {0};
    struct wm_p2p_process *process;
    int error = check_several(count, requests);

    if (error != MPI_SUCCESS)
        return error;
    process = count_undone(count, requests, &all);
    if (process != NULL)
        wm_p2p_await(process, &all);
    return finish_all(count, requests, statuses);
}

int wm_p2p_testall(int count, struct wm_p2p_request *requests[], int *flag, MPI_Status statuses[])
{
    int undone, error = check_several(count, requests);

    if (error != MPI_SUCCESS)
        return error;
    undone = first_undone(count, requests);
    if (undone < count && wm_p2p_poll(requests[undone]->process))
        undone = first_undone(count, requests);
    *flag = undone == count;
    return *flag ? finish_all(count, requests, statuses) : MPI_SUCCESS;
}
