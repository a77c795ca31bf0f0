/* What goes wrong: error handlers, and the sentence with which a job ends. */
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0 /* the names of MPI 1 are declared */
#include <stdio.h>
#include <stdlib.h>
#include "core/subrank/fortran.h"
#include "core/subrank/rank.h"
#include "core/subrank/world.h"

_Noreturn void wm_rank_end(const struct wm_rank *rank, const char *function, const char *why)
{
    if (rank != NULL)
        fprintf(stderr, "waymark: subrank %d, %s: %s\n", wm_rank_of_world(rank), function, why);
    else
        fprintf(stderr, "waymark: %s: %s\n", function, why);
    wm_world_abort(EXIT_FAILURE);
}

static bool is_predefined(MPI_Errhandler handler)
{
    return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_RETURN;
}

static struct wm_rank_handler *handler_of(MPI_Errhandler handler)
{
    return wm_rank_object_of(handler, WM_RANK_HANDLER);
}

bool wm_rank_handler_use(MPI_Errhandler handler)
{
    struct wm_rank_handler *h = handler_of(handler);

    if (h != NULL)
        h->users++;
    return h != NULL || is_predefined(handler);
}

void wm_rank_handler_leave(MPI_Errhandler handler)
{
    struct wm_rank_handler *h = handler_of(handler);

    if (h == NULL || --h->users > 0)
        return;
    wm_rank_handle_take(&h->object);
    free(h);
}

static MPI_Comm handle_of(const struct wm_rank_comm *c)
{
    if (c == c->rank->world)
        return MPI_COMM_WORLD;
    return c == c->rank->alone ? MPI_COMM_SELF : (MPI_Comm)c->object.place;
}

typedef void fortran_handler(MPI_Fint *comm, MPI_Fint *error);

static void call_handler(const struct wm_rank_handler *h, MPI_Comm comm, int error)
{
    MPI_Fint number;

    if (h->language == WM_RANK_C) {
        h->call(&comm, &error);
    } else {
        number = MPI_Comm_c2f(comm);
        ((fortran_handler *)(wm_rank_function_given *)h->call)(&number, &error);
    }
}

int wm_rank_fail(struct wm_rank *rank, struct wm_rank_comm *comm, const char *function, int error)
{
    const struct wm_rank_comm *c = comm != NULL ? comm : rank->world;
    char text[MPI_MAX_ERROR_STRING] = "an error";
    const struct wm_rank_handler *h;
    int length;

    if (c->handler == MPI_ERRORS_RETURN)
        return error;
    if ((h = handler_of(c->handler)) != NULL) {
        call_handler(h, handle_of(c), error);
        return error;
    }
    PMPI_Error_string(error, text, &length);
    if (error == MPI_ERR_TRUNCATE && wm_world.told[0] != '\0')
        fprintf(stderr, "waymark: %s\n", wm_world.told);
    wm_rank_end(rank, function, text);
}

/* ---- doors ---- */

#define ENTER() WM_RANK_ENTER(__func__)
#define RETURN(comm, error) return wm_rank_return(rank, comm, __func__, error)

WM_RANK_DOOR int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler)
{
    ENTER();
    struct wm_rank_handler *h = malloc(sizeof *h);

    if (h == NULL || wm_rank_handle_give(&h->object, WM_RANK_HANDLER) < 0) {
        free(h);
        RETURN(NULL, MPI_ERR_NO_MEM);
    }
    h->users = 1;
    h->language = WM_RANK_C;
    h->call = function;
    *errhandler = (MPI_Errhandler)h->object.place;
    return MPI_SUCCESS;
}

int wm_fortran_comm_create_errhandler(wm_rank_function_given *function, MPI_Errhandler *errhandler)
{
    WM_RANK_ENTER("MPI_Comm_create_errhandler");
    int error = MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)function, errhandler);

    if (error == MPI_SUCCESS)
        handler_of(*errhandler)->language = WM_RANK_FORTRAN;
    return error;
}

WM_RANK_DOOR int MPI_Errhandler_free(MPI_Errhandler *errhandler)
{
    ENTER();

    if (handler_of(*errhandler) == NULL && !is_predefined(*errhandler))
        RETURN(NULL, MPI_ERR_ARG);
    wm_rank_handler_leave(*errhandler);
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
    ENTER();
    struct wm_rank_comm *c = wm_rank_comm_of(rank, comm);
    MPI_Errhandler old;

    if (c == NULL)
        RETURN(NULL, MPI_ERR_COMM);
    if (!wm_rank_handler_use(errhandler))
        RETURN(c, MPI_ERR_ARG);
    old = c->handler;
    c->handler = errhandler;
    wm_rank_handler_leave(old);
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    ENTER();
    struct wm_rank_comm *c = wm_rank_comm_of(rank, comm);

    if (c == NULL)
        RETURN(NULL, MPI_ERR_COMM);
    wm_rank_handler_use(c->handler);
    *errhandler = c->handler;
    return MPI_SUCCESS;
}

WM_RANK_DOOR int MPI_Comm_call_errhandler(MPI_Comm comm, int errorcode)
{
    ENTER();
    struct wm_rank_comm *c = wm_rank_comm_of(rank, comm);

    if (c == NULL)
        RETURN(NULL, MPI_ERR_COMM);
    wm_rank_return(rank, c, __func__, errorcode);
    return MPI_SUCCESS;
}

WM_RANK_DOOR MPI_Fint MPI_Errhandler_c2f(MPI_Errhandler errhandler)
{
    return handler_of(errhandler) != NULL ? WM_RANK_FIRST_NUMBER + (MPI_Fint)wm_rank_handle_index(errhandler)
                                          : PMPI_Errhandler_c2f(errhandler);
}

WM_RANK_DOOR MPI_Errhandler MPI_Errhandler_f2c(MPI_Fint errhandler)
{
    return errhandler >= WM_RANK_FIRST_NUMBER
               ? (MPI_Errhandler)&wm_rank_handles.places[errhandler - WM_RANK_FIRST_NUMBER]
               : PMPI_Errhandler_f2c(errhandler);
}

/* ---- the names of MPI 1, the same functions ---- */

WM_RANK_DOOR int MPI_Errhandler_create(MPI_Handler_function *function, MPI_Errhandler *errhandler)
{
    return MPI_Comm_create_errhandler(function, errhandler);
}

WM_RANK_DOOR int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    return MPI_Comm_get_errhandler(comm, errhandler);
}

WM_RANK_DOOR int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
{
    return MPI_Comm_set_errhandler(comm, errhandler);
}
