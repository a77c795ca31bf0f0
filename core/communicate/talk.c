/* Talks: made by the first statement on a communicator, ended with it. */
#include "core/communicate/talk.h"

#include <stdlib.h>
#include <string.h>
#include "core/communicate/agree.h"
#include "core/communicate/fly.h"
#include "core/communicate/rule.h"
#include "core/data/allocate.h"
#include "core/data/own_comm.h"
#include "core/process/process.h"

static int keyval = MPI_KEYVAL_INVALID;
static struct wm_talk *talks;
struct wm_talk *wm_talk_recent;

struct wm_talk *wm_talks(void)
{
    return talks;
}

static void talk_free(struct wm_talk *t)
{
    struct wm_talk **link = &talks;

    wm_turns_finish(t);
    while (*link != t)
        link = &(*link)->next;
    *link = t->next;
    wm_talk_recent = NULL;
    for (int slot = 0; slot < WM_DEAL_SLOTS; slot++)
        wm_deals_free(t->deals[slot]);
    wm_conduits_free(t);
    wm_talk_mail_close(&t->mail);
    PMPI_Comm_free(&t->own);
    wm_endpoints_free(t->group);
    free(t);
}

/* The communicator goes, at all its ranks. */
static int leave(MPI_Comm comm, int key, void *talk, void *extra)
{
    (void)comm, (void)key, (void)extra;
    talk_free(talk);
    return MPI_SUCCESS;
}

static _Noreturn void refuse(const char *sentence)
{
    struct wm_error error = {0};

    wm_error_set(&error, -WM_EMPI, "%s", sentence);
    wm_process_abort(&error);
}

static struct wm_talk *talk_new(MPI_Comm comm)
{
    struct wm_talk *t = wm_allocate_zeroed(sizeof *t, "a statement");
    struct wm_message_limits limits = {0};
    int inter;

    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        refuse("a statement is made on an intercommunicator: statements are between the ranks of one group");
    if (keyval == MPI_KEYVAL_INVALID)
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave, &keyval, NULL);
    t->comm = comm;
    PMPI_Comm_rank(comm, &t->rank);
    PMPI_Comm_size(comm, &t->ranks);
    t->record = wm_rules_record(comm);
    limits.mpi_near = t->record != NULL;
    if (wm_own_comm_make(comm, &t->own) != MPI_SUCCESS || (t->group = wm_endpoints_over(comm, &limits)) == NULL)
        refuse("the MPI library gives no communicator for the messages of statements");
    if (wm_talk_mail_open(&t->mail, t->group, t->rank, "statements") != 0)
        wm_out_of_memory("a statement");
    memcpy(t->ways, t->mail.common.ways, sizeof t->ways);
    PMPI_Comm_set_attr(comm, keyval, t);
    PMPI_Barrier(t->own); /* nobody is sent to before it has opened the protocol */
    t->next = talks;
    return talks = t;
}

struct wm_talk *wm_talk_on(MPI_Comm comm)
{
    struct wm_talk *t;
    int known = 0;

    if (wm_talk_recent != NULL && wm_talk_recent->comm == comm)
        return wm_talk_recent;
    if (keyval != MPI_KEYVAL_INVALID)
        PMPI_Comm_get_attr(comm, keyval, &t, &known);
    return wm_talk_recent = known ? t : talk_new(comm);
}

void wm_talks_stop(void)
{
    while (talks != NULL)
        PMPI_Comm_delete_attr(talks->comm, keyval);
    if (keyval != MPI_KEYVAL_INVALID)
        PMPI_Comm_free_keyval(&keyval);
    wm_forms_forget();
    wm_touches_forget();
    wm_agree_stop();
    wm_turns_stop();
}
