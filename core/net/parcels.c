/* Parcels: pools, requests, and what becomes of those that are complete. */
#include "core/net/parcels.h"

#include <stdlib.h>
#include "core/error.h"

/* Messages are counted in lines, so that no size is too large for an int. */
enum { LINE_BYTES = WM_PARCEL_HEAD_BYTES };

struct wm_parcels {
    MPI_Comm comm;
    int tag, lines; /* of a whole parcel */
    MPI_Datatype line;
    int out, in, error, flying;
    struct wm_parcel *all; /* [out + in] */
    struct wm_parcel *free;
    int free_count,
        without; /* of the links that have one for sure, those that hold none: as many of the free are kept back */
    struct wm_parcel *arrived;

    int active;              /* requests under way, of either kind */
    MPI_Request *requests;   /* [out + in] */
    struct wm_parcel **with; /* [out + in] the request's parcel */
    int *indices;
    MPI_Status *statuses;
};

static void note(struct wm_parcels *p, int rc)
{
    if (rc != MPI_SUCCESS && p->error == MPI_SUCCESS)
        PMPI_Error_class(rc, &p->error);
}

static void push(struct wm_parcel **list, struct wm_parcel *parcel)
{
    parcel->next = *list;
    *list = parcel;
}

static struct wm_parcel *pop(struct wm_parcel **list)
{
    struct wm_parcel *parcel = *list;

    if (parcel != NULL)
        *list = parcel->next;
    return parcel;
}

struct wm_parcel *wm_parcels_get(struct wm_parcels *p, struct wm_parcel_share *share)
{
    struct wm_parcel *parcel;

    if (share->held > 0 && p->free_count <= p->without)
        return NULL;
    if ((parcel = pop(&p->free)) == NULL)
        return NULL;
    p->free_count--;
    if (share->held++ == 0)
        p->without--;
    parcel->share = share;
    return parcel;
}

int wm_parcels_left(const struct wm_parcels *p)
{
    return p->free_count;
}

void wm_parcels_put(struct wm_parcels *p, struct wm_parcel *parcel)
{
    if (--parcel->share->held == 0)
        p->without++;
    push(&p->free, parcel);
    p->free_count++;
}

static void landed(struct wm_parcels *p, struct wm_parcel *parcel)
{
    parcel->share->flying--;
    p->flying--;
    wm_parcels_put(p, parcel);
}

void wm_parcels_send(struct wm_parcels *p, struct wm_parcel *parcel, int peer, size_t bytes)
{
    int lines = 1 + (int)((bytes + LINE_BYTES - 1) / LINE_BYTES);
    int rc = PMPI_Issend(parcel->head, lines, p->line, peer, p->tag, p->comm, &p->requests[p->active]);

    parcel->share->flying++;
    p->flying++;
    note(p, rc);
    if (rc == MPI_SUCCESS)
        p->with[p->active++] = parcel;
    else
        landed(p, parcel);
}

struct wm_parcel *wm_parcels_arrived(struct wm_parcels *p)
{
    return pop(&p->arrived);
}

void wm_parcels_post(struct wm_parcels *p, struct wm_parcel *parcel)
{
    int rc = PMPI_Irecv(parcel->head, p->lines, p->line, MPI_ANY_SOURCE, p->tag, p->comm, &p->requests[p->active]);

    note(p, rc);
    if (rc == MPI_SUCCESS)
        p->with[p->active++] = parcel;
}

/* A parcel whose receive failed is left alone: the conveyor has an error, and to try again could fail for ever. */
static void complete(struct wm_parcels *p, struct wm_parcel *parcel, int rc)
{
    note(p, rc);
    if (parcel->share != NULL)
        landed(p, parcel);
    else if (rc == MPI_SUCCESS)
        push(&p->arrived, parcel);
}

static void drop_null_requests(struct wm_parcels *p)
{
    int kept = 0;

    for (int i = 0; i < p->active; i++)
        if (p->requests[i] != MPI_REQUEST_NULL) {
            p->requests[kept] = p->requests[i];
            p->with[kept++] = p->with[i];
        }
    p->active = kept;
}

bool wm_parcels_progress(struct wm_parcels *p)
{
    int count = 0, rc;

    if (p->active == 0)
        return false;
    rc = PMPI_Testsome(p->active, p->requests, &count, p->indices, p->statuses);
    if (rc != MPI_SUCCESS && rc != MPI_ERR_IN_STATUS) {
        note(p, rc);
        return false;
    }
    if (count == MPI_UNDEFINED || count == 0)
        return false;
    for (int i = 0; i < count; i++) {
        p->requests[p->indices[i]] = MPI_REQUEST_NULL; /* those that failed, too */
        complete(p, p->with[p->indices[i]], rc == MPI_ERR_IN_STATUS ? p->statuses[i].MPI_ERROR : MPI_SUCCESS);
    }
    drop_null_requests(p);
    return true;
}

bool wm_parcels_idle(const struct wm_parcels *p)
{
    return p->flying == 0;
}

int wm_parcels_error(const struct wm_parcels *p)
{
    return p->error;
}

/* Receives are taken back. Sends that fly after an error have no end that could be waited for: their memory must stay.
 */
void wm_parcels_free(struct wm_parcels *p)
{
    if (p == NULL)
        return;
    for (int i = 0; i < p->active; i++)
        if (p->with[i]->share == NULL) {
            PMPI_Cancel(&p->requests[i]);
            PMPI_Wait(&p->requests[i], MPI_STATUS_IGNORE);
        } else {
            PMPI_Request_free(&p->requests[i]);
        }
    if (p->line != MPI_DATATYPE_NULL)
        PMPI_Type_free(&p->line);
    free(p->all);
    free(p->requests);
    free(p->with);
    free(p->indices);
    free(p->statuses);
    free(p);
}

static bool make_tables(struct wm_parcels *p, const struct wm_parcels_form *form)
{
    size_t count = (size_t)(p->out + p->in), room = count > 0 ? count : 1;

    p->all = calloc(room, sizeof *p->all);
    p->requests = calloc(room, sizeof *p->requests);
    p->with = calloc(room, sizeof *p->with);
    p->indices = calloc(room, sizeof *p->indices);
    p->statuses = calloc(room, sizeof *p->statuses);
    if (p->all == NULL || p->requests == NULL || p->with == NULL || p->indices == NULL || p->statuses == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        p->all[i].head = form->memory + i * form->bytes;
    return true;
}

int wm_parcels_new(struct wm_parcels **parcels, const struct wm_parcels_form *form)
{
    struct wm_parcels *p = calloc(1, sizeof *p);

    *parcels = NULL;
    if (p == NULL)
        return -WM_ENOMEM;
    *p = (struct wm_parcels){.comm = form->comm,
                             .tag = form->tag,
                             .lines = (int)(form->bytes / LINE_BYTES),
                             .line = MPI_DATATYPE_NULL,
                             .out = form->out,
                             .in = form->in,
                             .error = MPI_SUCCESS,
                             .free_count = form->out,
                             .without = form->links};
    if (!make_tables(p, form)) {
        wm_parcels_free(p);
        return -WM_ENOMEM;
    }
    note(p, PMPI_Type_contiguous(LINE_BYTES, MPI_BYTE, &p->line));
    note(p, PMPI_Type_commit(&p->line));
    for (int i = p->out; i-- > 0;)
        push(&p->free, &p->all[i]);
    for (int i = p->out; i < p->out + p->in; i++)
        wm_parcels_post(p, &p->all[i]);
    *parcels = p;
    return 0;
}
