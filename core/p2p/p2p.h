/* MPI's point-to-point messages, on core/message.
 *
 * A **process** is an endpoint of a group, with all that MPI says a process has: communicators, requests, a buffer for
 * buffered sends. Several of them may live in one process of the operating system (siblings), by turns, one thread at a
 * time. A **communicator** says which endpoint each rank is; an intercommunicator's ranks are the remote group's.
 * A **request** is idle, inactive (persistent, not started), active, or an orphan: no longer the user's, but under way.
 * It is done when its envelope is complete; a buffered send also before that, unless it is to be cancelled. What
 * MPI_Mprobe finds is a request, too, that is to become a receive: a message.
 *
 * Arguments, buffers, datatypes and statuses are MPI's, and mean what MPI says; functions are called as MPI's, and do
 * what those do. Pointers to requests are MPI's handles; those to messages are NULL where MPI's are MPI_MESSAGE_NULL.
 * Returns MPI_SUCCESS or one of MPI's error classes; what another endpoint has to do with is told in a sentence, too
 * (struct wm_message_limits). Data that is contiguous and in order is sent from where it is, and received to where it
 * shall be; other data is packed and unpacked.
 *
 * All that is under way goes on in each function that waits, tests or probes. */
#ifndef WM_P2P_H
#define WM_P2P_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include "waymark/message.h"

struct wm_p2p_process;
struct wm_p2p_comm;
struct wm_p2p_request;

/* No request, as MPI's users have it. */
#define WM_P2P_REQUEST_NULL ((struct wm_p2p_request *)(void *)MPI_REQUEST_NULL)

/* What a process with siblings does that finds nothing to do; NULL: it has none, and a wait gives the processor away.
 * Siblings go on meanwhile. */
struct wm_p2p_rest {
    void (*rest)(void *with); /* it tests, and looks again when this returns */
    void *with;
    void (*sleep)(void *with); /* it waits: this returns when `wake` has been called, or before; NULL: `rest` does */
    void (*wake)(void *with);
};

/* ---- processes and communicators ---- */

/* Make endpoint `self` of the group a process. wm_geometry_start has been called. Returns MPI_SUCCESS, MPI_ERR_NO_MEM,
 * or MPI_ERR_RANK: there is no such endpoint here, or it is a process already. Nobody sends to it before. */
int wm_p2p_process_new(struct wm_p2p_process **process, struct wm_endpoints *group, int self,
                       const struct wm_p2p_rest *rest);
/* End the process: its communicators are freed, nobody sends to it. The sends of orphans are waited for, unless nobody
 * of the group receives any more: then what is left of them is dropped. */
void wm_p2p_process_free(struct wm_p2p_process *process, bool all_received);
/* Requests of a process that count until they are complete. When none is left, a process that waits for that wakes. */
struct wm_p2p_tally {
    int pending;
    int peer, tag; /* of the last complete one that counted in it: the other endpoint, -1: none; and its tag */
};
/* From now on the sends and the receives that the process starts count in these. NULL: no longer. */
void wm_p2p_count_started(struct wm_p2p_process *process, struct wm_p2p_tally *sends, struct wm_p2p_tally *receives);
/* A send that was counted has gone to an endpoint of another process of the operating system. */
bool wm_p2p_sends_away(const struct wm_p2p_process *process);
/* Wait until none is left in the tally. */
void wm_p2p_await(struct wm_p2p_process *process, const struct wm_p2p_tally *tally);

/* Let what is under way go on. True: something did. */
bool wm_p2p_progress(struct wm_p2p_process *process);
/* Wait until something wakes the process; may return before that, so that the caller has to look again. */
void wm_p2p_sleep(struct wm_p2p_process *process);

/* A number above those of all communicators that the process has had: the greatest of what its ranks say can be a new
 * communicator's. */
int32_t wm_p2p_next_context(const struct wm_p2p_process *process);
/* Make a communicator, or an intercommunicator: all its processes give it the same `context`, which no other of any of
 * them has. The process is rank `self`; `endpoints` of the `size` ranks that it sends to. NULL: no memory. Local. */
struct wm_p2p_comm *wm_p2p_comm_new(struct wm_p2p_process *process, int32_t context, int self, int size,
                                    const int endpoints[]);
/* What is under way goes on. */
void wm_p2p_comm_free(struct wm_p2p_comm *comm);

/* ---- sends and receives ---- */

/* MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend. */
enum wm_p2p_mode { WM_P2P_STANDARD, WM_P2P_SYNCHRONOUS, WM_P2P_BUFFERED, WM_P2P_READY };

int wm_p2p_send(enum wm_p2p_mode mode, const void *data, int count, MPI_Datatype type, int peer, int tag,
                struct wm_p2p_comm *comm);
int wm_p2p_isend(enum wm_p2p_mode mode, const void *data, int count, MPI_Datatype type, int peer, int tag,
                 struct wm_p2p_comm *comm, struct wm_p2p_request **request);
int wm_p2p_send_init(enum wm_p2p_mode mode, const void *data, int count, MPI_Datatype type, int peer, int tag,
                     struct wm_p2p_comm *comm, struct wm_p2p_request **request);

int wm_p2p_recv(void *data, int count, MPI_Datatype type, int peer, int tag, struct wm_p2p_comm *comm,
                MPI_Status *status);
int wm_p2p_irecv(void *data, int count, MPI_Datatype type, int peer, int tag, struct wm_p2p_comm *comm,
                 struct wm_p2p_request **request);
int wm_p2p_recv_init(void *data, int count, MPI_Datatype type, int peer, int tag, struct wm_p2p_comm *comm,
                     struct wm_p2p_request **request);

int wm_p2p_start(struct wm_p2p_request **request);
int wm_p2p_startall(int count, struct wm_p2p_request *requests[]);

int wm_p2p_sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *received, int room,
                    MPI_Datatype received_type, int from, int received_tag, struct wm_p2p_comm *comm,
                    MPI_Status *status);
int wm_p2p_sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int tag, int from, int received_tag,
                            struct wm_p2p_comm *comm, MPI_Status *status);

/* The buffer for WM_P2P_BUFFERED. A message takes its packed bytes of it, and nothing more. */
int wm_p2p_buffer_attach(struct wm_p2p_process *process, void *buffer, int bytes);
int wm_p2p_buffer_detach(struct wm_p2p_process *process, void *buffer, int *bytes);

/* ---- probes ---- */

int wm_p2p_probe(int peer, int tag, struct wm_p2p_comm *comm, MPI_Status *status);
int wm_p2p_iprobe(int peer, int tag, struct wm_p2p_comm *comm, int *flag, MPI_Status *status);
int wm_p2p_mprobe(int peer, int tag, struct wm_p2p_comm *comm, struct wm_p2p_request **message, MPI_Status *status);
int wm_p2p_improbe(int peer, int tag, struct wm_p2p_comm *comm, int *flag, struct wm_p2p_request **message,
                   MPI_Status *status);
int wm_p2p_mrecv(void *data, int count, MPI_Datatype type, struct wm_p2p_request **message, MPI_Status *status);
int wm_p2p_imrecv(void *data, int count, MPI_Datatype type, struct wm_p2p_request **message,
                  struct wm_p2p_request **request);
/* MPI_MESSAGE_NO_PROC. */
extern struct wm_p2p_request wm_p2p_message_no_proc;

/* ---- requests: all of one process ---- */

int wm_p2p_wait(struct wm_p2p_request **request, MPI_Status *status);
int wm_p2p_test(struct wm_p2p_request **request, int *flag, MPI_Status *status);
int wm_p2p_waitany(int count, struct wm_p2p_request *requests[], int *index, MPI_Status *status);
int wm_p2p_testany(int count, struct wm_p2p_request *requests[], int *index, int *flag, MPI_Status *status);
int wm_p2p_waitsome(int count, struct wm_p2p_request *requests[], int *done_count, int indices[],
                    MPI_Status statuses[]);
int wm_p2p_testsome(int count, struct wm_p2p_request *requests[], int *done_count, int indices[],
                    MPI_Status statuses[]);
int wm_p2p_waitall(int count, struct wm_p2p_request *requests[], MPI_Status statuses[]);
int wm_p2p_testall(int count, struct wm_p2p_request *requests[], int *flag, MPI_Status statuses[]);
int wm_p2p_request_get_status(struct wm_p2p_request *request, int *flag, MPI_Status *status);
int wm_p2p_request_free(struct wm_p2p_request **request);
int wm_p2p_cancel(struct wm_p2p_request **request);

/* ---- requests that something else completes: collectives, generalized requests ---- */

/* What is not there is not done. Return MPI_SUCCESS or an error's class. */
struct wm_p2p_other_class {
    int (*status)(void *with, MPI_Status *status); /* it is done: its status, which is empty until then */
    int (*cancel)(void *with, bool complete);
    int (*end)(void *with);   /* it is done, and waited for, tested or freed; the last that is called, but for `free` */
    int (*start)(void *with); /* of a persistent one */
    void (*free)(void *with);
};

/* Make such a request, active. Returns MPI_SUCCESS or MPI_ERR_NO_MEM. */
int wm_p2p_other_new(struct wm_p2p_process *process, const struct wm_p2p_other_class *class, void *with,
                     struct wm_p2p_request **request);
/* It is persistent, and not started so far. */
void wm_p2p_other_keep(struct wm_p2p_request *request);
/* It is done. */
void wm_p2p_other_complete(struct wm_p2p_request *request);

#endif
