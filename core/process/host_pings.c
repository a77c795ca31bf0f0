/* Pings of hosts: leaders that ping and answer, until all that was asked is known. */
#include "core/process/host_pings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include "core/node/progress_library.h"

enum { TAG_LIST, TAG_PING, TAG_PONG, TAG_TIMES, TAG_END };

/* The first ping of a pair opens its connection and does not count. Further ones until there are so many, or, from the
 * least number on, until they have taken so long. So many pairs are under way at once. */
enum { PINGS_MAX = 7, PINGS_MIN = 3, UNDER_WAY = 8, LONG_NS = 4000000 };

/* A pair that is under way. */
struct pair {
    int item, pings;
    int64_t begin_ns, sent_ns;
};

/* What this leader has to ping. */
struct list {
    int count, next, done;
    int *targets;
    int64_t *ns;
    struct pair pairs[UNDER_WAY];
};

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int ping(const struct wm_host_pings *p, struct list *list, int slot)
{
    struct pair *pair = &list->pairs[slot];

    pair->sent_ns = now_ns();
    return PMPI_Send(&slot, 1, MPI_INT, list->targets[pair->item], TAG_PING, p->comm);
}

/* The next of the list takes the slot. */
static int begin_pair(const struct wm_host_pings *p, struct list *list, int slot)
{
    struct pair *pair = &list->pairs[slot];

    if (list->next == list->count)
        return MPI_SUCCESS;
    *pair = (struct pair){.item = list->next++};
    list->ns[pair->item] = INT64_MAX;
    return ping(p, list, slot);
}

static int begin_list(const struct wm_host_pings *p, struct list *list)
{
    int rc = MPI_SUCCESS;

    for (int slot = 0; rc == MPI_SUCCESS && slot < UNDER_WAY; slot++)
        rc = begin_pair(p, list, slot);
    return rc;
}

static int take_pong(const struct wm_host_pings *p, struct list *list, int slot)
{
    struct pair *pair = &list->pairs[slot];
    int64_t now = now_ns(), ns = now - pair->sent_ns;

    if (++pair->pings == 1)
        pair->begin_ns = now;
    else if (ns < list->ns[pair->item])
        list->ns[pair->item] = ns;
    if (pair->pings < PINGS_MIN || (pair->pings < PINGS_MAX && now - pair->begin_ns < LONG_NS))
        return ping(p, list, slot);
    list->done++;
    return begin_pair(p, list, slot);
}

static void clear(struct list *list)
{
    free(list->targets);
    free(list->ns);
    *list = (struct list){0};
}

static int take_list(const struct wm_host_pings *p, struct list *list, const MPI_Status *status)
{
    int rc;

    PMPI_Get_count(status, MPI_INT, &list->count);
    list->targets = malloc(sizeof *list->targets * (size_t)list->count);
    list->ns = malloc(sizeof *list->ns * (size_t)list->count);
    if (list->targets == NULL || list->ns == NULL)
        return MPI_ERR_NO_MEM;
    rc = PMPI_Recv(list->targets, list->count, MPI_INT, status->MPI_SOURCE, TAG_LIST, p->comm, MPI_STATUS_IGNORE);
    return rc == MPI_SUCCESS ? begin_list(p, list) : rc;
}

static int send_times(const struct wm_host_pings *p, struct list *list)
{
    int rc = PMPI_Send(list->ns, list->count, MPI_INT64_T, p->leaders[0], TAG_TIMES, p->comm);

    clear(list);
    return rc;
}

/* A ping or a pong has come. */
static int take(const struct wm_host_pings *p, struct list *list, const MPI_Status *status)
{
    int slot, rc = PMPI_Recv(&slot, 1, MPI_INT, status->MPI_SOURCE, status->MPI_TAG, p->comm, MPI_STATUS_IGNORE);

    if (rc != MPI_SUCCESS)
        return rc;
    if (status->MPI_TAG == TAG_PING)
        return PMPI_Send(&slot, 1, MPI_INT, status->MPI_SOURCE, TAG_PONG, p->comm);
    return take_pong(p, list, slot);
}

/* Wait for the next message. */
static int await(const struct wm_host_pings *p, MPI_Status *status)
{
    int flag = 0, rc = MPI_SUCCESS;

    while (rc == MPI_SUCCESS && !flag) {
        rc = PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, p->comm, &flag, status);
        if (!flag)
            wm_progress_idle();
    }
    return rc;
}

int wm_host_pings_serve(const struct wm_host_pings *p)
{
    struct list list = {0};
    MPI_Status status;
    int rc;

    while ((rc = await(p, &status)) == MPI_SUCCESS && status.MPI_TAG != TAG_END) {
        rc = status.MPI_TAG == TAG_LIST ? take_list(p, &list, &status) : take(p, &list, &status);
        if (rc == MPI_SUCCESS && list.count > 0 && list.done == list.count)
            rc = send_times(p, &list);
        if (rc != MPI_SUCCESS)
            break;
    }
    if (rc == MPI_SUCCESS)
        rc = PMPI_Recv(NULL, 0, MPI_INT, p->leaders[0], TAG_END, p->comm, MPI_STATUS_IGNORE);
    clear(&list);
    if (rc == MPI_ERR_NO_MEM)
        return -WM_ENOMEM;
    return rc == MPI_SUCCESS ? 0 : -WM_EMPI;
}

void wm_host_pings_end(const struct wm_host_pings *p)
{
    for (int h = 1; h < p->hosts; h++)
        PMPI_Send(NULL, 0, MPI_INT, p->leaders[h], TAG_END, p->comm);
}

/* The asker's own part of what it asks, and what the others are to tell. */
struct asking {
    struct list own;
    int *targets, *items; /* [count] */
    int64_t *ns;          /* [count] */
    int awaited;          /* leaders that have not answered yet */
};

/* Which trips begin at a host, in their order. */
static int list_from(const struct wm_round_trip *trips, int count, int from, int *items)
{
    int found = 0;

    for (int i = 0; i < count; i++)
        if (trips[i].from == from)
            items[found++] = i;
    return found;
}

static bool begins_any(const struct wm_round_trip *trips, int count, int from)
{
    for (int i = 0; i < count; i++)
        if (trips[i].from == from)
            return true;
    return false;
}

/* The asker's own at last: `targets` stays its list. */
static int send_lists(const struct wm_host_pings *p, struct asking *a, const struct wm_round_trip *trips, int count)
{
    int rc = MPI_SUCCESS;

    for (int h = p->hosts - 1; rc == MPI_SUCCESS && h >= 0; h--) {
        int listed = begins_any(trips, count, h) ? list_from(trips, count, h, a->items) : 0;

        for (int i = 0; i < listed; i++)
            a->targets[i] = p->leaders[trips[a->items[i]].to];
        if (h == 0) {
            a->own.count = listed;
            a->own.targets = a->targets;
        } else if (listed > 0) {
            a->awaited++;
            rc = PMPI_Send(a->targets, listed, MPI_INT, p->leaders[h], TAG_LIST, p->comm);
        }
    }
    return rc == MPI_SUCCESS ? begin_list(p, &a->own) : rc;
}

static int host_of(const struct wm_host_pings *p, int rank)
{
    int low = 0, high = p->hosts - 1;

    while (low < high) {
        int middle = (low + high) / 2;

        if (p->leaders[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int take_times(const struct wm_host_pings *p, struct asking *a, struct wm_round_trip *trips, int count,
                      const MPI_Status *status)
{
    int listed = list_from(trips, count, host_of(p, status->MPI_SOURCE), a->items);
    int rc = PMPI_Recv(a->ns, listed, MPI_INT64_T, status->MPI_SOURCE, TAG_TIMES, p->comm, MPI_STATUS_IGNORE);

    for (int i = 0; rc == MPI_SUCCESS && i < listed; i++)
        trips[a->items[i]].ns = a->ns[i];
    a->awaited--;
    return rc;
}

static int measure(const struct wm_host_pings *p, struct asking *a, struct wm_round_trip *trips, int count)
{
    int rc = send_lists(p, a, trips, count), listed;

    while (rc == MPI_SUCCESS && (a->awaited > 0 || a->own.done < a->own.count)) {
        MPI_Status status;

        if ((rc = await(p, &status)) != MPI_SUCCESS)
            break;
        rc = status.MPI_TAG == TAG_TIMES ? take_times(p, a, trips, count, &status) : take(p, &a->own, &status);
    }
    listed = list_from(trips, count, 0, a->items);
    for (int i = 0; rc == MPI_SUCCESS && i < listed; i++)
        trips[a->items[i]].ns = a->own.ns[i];
    return rc;
}

int wm_host_pings_ask(void *pings, struct wm_round_trip *trips, int count)
{
    size_t room = (size_t)count;
    struct asking a = {.targets = malloc(sizeof *a.targets * room), .items = malloc(sizeof *a.items * room)};
    int rc = -WM_ENOMEM;

    a.ns = malloc(sizeof *a.ns * room);
    a.own.ns = malloc(sizeof *a.own.ns * room);
    if (a.targets != NULL && a.items != NULL && a.ns != NULL && a.own.ns != NULL)
        rc = measure(pings, &a, trips, count) == MPI_SUCCESS ? 0 : -WM_EMPI;
    free(a.targets);
    free(a.items);
    free(a.ns);
    free(a.own.ns);
    return rc;
}
