;;; The MPI functions that have a door. generate.scm makes the C doors, the Fortran doors and the list of symbols from
;;; this table.
;;;
;;; An entry is (CLASS NAME ARGUMENT ...), its arguments in MPI's order. The class says what the door does:
;;;
;;;   collective   asks wm_comm_enter, and passes through the runtime or goes straight to PMPI. Three doors, whose
;;;                arguments differ at the end alone: MPI_X through wm_call_run, MPI_Ix through wm_call_begin,
;;;                MPIX_X_init, where the library has it, through wm_call_init
;;;   start        PMPI, then wm_runtime_start
;;;   stop         wm_runtime_stop, then PMPI
;;;   maker        PMPI, then wm_comm_made on the new communicator
;;;   duplicator   PMPI, then wm_comm_duplicated on both communicators and the info, if there is one
;;;   foreteller   PMPI, then wm_comm_coming on the new communicator
;;;   namer        PMPI, then wm_comm_named on the communicator
;;;   leaver       wm_comm_going on the communicator, then PMPI
;;;   starter      wm_request_start; PMPI if the request is none of the runtime's
;;;   starters     the same for an array of requests
;;;   freer        wm_request_free; PMPI if the request is none of the runtime's
;;;   waiter       PMPI; where the trace follows one of the requests, between wm_waiting_begin and wm_waiting_end
;;;   controller   wm_control_set, then PMPI; variadic in C, without ierror in Fortran
;;;
;;; An argument is (KIND NAME) and, in a collective, (KIND NAME FIELD): FIELD is its place in struct wm_call. The kinds
;;; are described in generate.scm. Some kinds go on with what they depend on: `types` with the buffer that makes them
;;; meaningless when it is MPI_IN_PLACE and with whom there is one for (peers, sources or targets); `commands`, `argvs`,
;;; `infos` and `requests` with the count of their elements.
;;;
;;; MPI_Wait, MPI_Test and their kin have doors for the trace alone: the runtime's requests are the library's own.

(collective Barrier
  (comm comm comm))

(collective Bcast
  (out buffer receive) (int count receive_count) (type datatype receive_type)
  (int root root) (comm comm comm))

(collective Reduce
  (in sendbuf send) (out recvbuf receive) (int count receive_count) (type datatype receive_type)
  (op op op) (int root root) (comm comm comm))

(collective Allreduce
  (in sendbuf send) (out recvbuf receive) (int count receive_count) (type datatype receive_type)
  (op op op) (comm comm comm))

(collective Gather
  (in sendbuf send) (int sendcount send_count) (type sendtype send_type)
  (out recvbuf receive) (int recvcount receive_count) (type recvtype receive_type)
  (int root root) (comm comm comm))

(collective Gatherv
  (in sendbuf send) (int sendcount send_count) (type sendtype send_type)
  (out recvbuf receive) (ints recvcounts receive_counts) (ints displs receive_displs)
  (type recvtype receive_type)
  (int root root) (comm comm comm))

(collective Scatter
  (in sendbuf send) (int sendcount send_count) (type sendtype send_type)
  (out recvbuf receive) (int recvcount receive_count) (type recvtype receive_type)
  (int root root) (comm comm comm))

(collective Scatterv
  (in sendbuf send) (ints sendcounts send_counts) (ints displs send_displs) (type sendtype send_type)
  (out recvbuf receive) (int recvcount receive_count) (type recvtype receive_type)
  (int root root) (comm comm comm))

(collective Allgather
  (in sendbuf send) (int sendcount send_count) (type sendtype send_type)
  (out recvbuf receive) (int recvcount receive_count) (type recvtype receive_type)
  (comm comm comm))

(collective Allgatherv
  (in sendbuf send) (int sendcount send_count) (type sendtype send_type)
  (out recvbuf receive) (ints recvcounts receive_counts) (ints displs receive_displs)
  (type recvtype receive_type)
  (comm comm comm))

(collective Alltoall
  (in sendbuf send) (int sendcount send_count) (type sendtype send_type)
  (out recvbuf receive) (int recvcount receive_count) (type recvtype receive_type)
  (comm comm comm))

(collective Alltoallv
  (in sendbuf send) (ints sendcounts send_counts) (ints sdispls send_displs) (type sendtype send_type)
  (out recvbuf receive) (ints recvcounts receive_counts) (ints rdispls receive_displs)
  (type recvtype receive_type)
  (comm comm comm))

(collective Alltoallw
  (in sendbuf send) (ints sendcounts send_counts) (ints sdispls send_displs)
  (types sendtypes send_types sendbuf peers)
  (out recvbuf receive) (ints recvcounts receive_counts) (ints rdispls receive_displs)
  (types recvtypes receive_types recvbuf peers)
  (comm comm comm))

(collective Reduce_scatter
  (in sendbuf send) (out recvbuf receive) (ints recvcounts receive_counts) (type datatype receive_type)
  (op op op) (comm comm comm))

(collective Reduce_scatter_block
  (in sendbuf send) (out recvbuf receive) (int recvcount receive_count) (type datatype receive_type)
  (op op op) (comm comm comm))

(collective Scan
  (in sendbuf send) (out recvbuf receive) (int count receive_count) (type datatype receive_type)
  (op op op) (comm comm comm))

(collective Exscan
  (in sendbuf send) (out recvbuf receive) (int count receive_count) (type datatype receive_type)
  (op op op) (comm comm comm))

(collective Neighbor_allgather
  (in sendbuf send) (int sendcount send_count) (type sendtype send_type)
  (out recvbuf receive) (int recvcount receive_count) (type recvtype receive_type)
  (comm comm comm))

(collective Neighbor_allgatherv
  (in sendbuf send) (int sendcount send_count) (type sendtype send_type)
  (out recvbuf receive) (ints recvcounts receive_counts) (ints displs receive_displs)
  (type recvtype receive_type)
  (comm comm comm))

(collective Neighbor_alltoall
  (in sendbuf send) (int sendcount send_count) (type sendtype send_type)
  (out recvbuf receive) (int recvcount receive_count) (type recvtype receive_type)
  (comm comm comm))

(collective Neighbor_alltoallv
  (in sendbuf send) (ints sendcounts send_counts) (ints sdispls send_displs) (type sendtype send_type)
  (out recvbuf receive) (ints recvcounts receive_counts) (ints rdispls receive_displs)
  (type recvtype receive_type)
  (comm comm comm))

(collective Neighbor_alltoallw
  (in sendbuf send) (ints sendcounts send_counts) (aints sdispls send_places)
  (types sendtypes send_types sendbuf targets)
  (out recvbuf receive) (ints recvcounts receive_counts) (aints rdispls receive_places)
  (types recvtypes receive_types recvbuf sources)
  (comm comm comm))

(starter Start (old-request request))
(starters Startall (int count) (requests array_of_requests count))
(freer Request_free (old-request request))
(op-freer Op_free (old-op op))

(waiter Wait (old-request request) (status status))
(waiter Waitall (int count) (requests array_of_requests count) (statuses array_of_statuses))
(waiter Waitany (int count) (requests array_of_requests count) (int-out index) (status status))
(waiter Waitsome
  (int incount) (requests array_of_requests incount) (int-out outcount) (indices array_of_indices)
  (statuses array_of_statuses))
(waiter Test (old-request request) (flag flag) (status status))
(waiter Testall (int count) (requests array_of_requests count) (flag flag) (statuses array_of_statuses))
(waiter Testany (int count) (requests array_of_requests count) (int-out index) (flag flag) (status status))
(waiter Testsome
  (int incount) (requests array_of_requests incount) (int-out outcount) (indices array_of_indices)
  (statuses array_of_statuses))

(controller Pcontrol (level level))

(start Init (program-count argc) (program-arguments argv))
(start Init_thread (program-count argc) (program-arguments argv) (int required) (int-out provided))
(stop Finalize)

(duplicator Comm_dup (comm comm) (new-comm newcomm))
(duplicator Comm_dup_with_info (comm comm) (info info) (new-comm newcomm))
(maker Comm_split (comm comm) (int color) (int key) (new-comm newcomm))
(maker Comm_split_type (comm comm) (int split_type) (int key) (info info) (new-comm newcomm))
(maker Comm_create (comm comm) (group group) (new-comm newcomm))
(maker Comm_create_group (comm comm) (group group) (int tag) (new-comm newcomm))
(maker Cart_create
  (comm old_comm) (int ndims) (ints dims) (logicals periods) (logical reorder) (new-comm comm_cart))
(maker Cart_sub (comm comm) (logicals remain_dims) (new-comm new_comm))
(maker Graph_create
  (comm comm_old) (int nnodes) (ints index) (ints edges) (logical reorder) (new-comm comm_graph))
(maker Dist_graph_create
  (comm comm_old) (int n) (ints sources) (ints degrees) (ints destinations) (weights weights)
  (info info) (logical reorder) (new-comm comm_dist_graph))
(maker Dist_graph_create_adjacent
  (comm comm_old) (int indegree) (ints sources) (weights sourceweights)
  (int outdegree) (ints destinations) (weights destweights)
  (info info) (logical reorder) (new-comm comm_dist_graph))
(maker Intercomm_create
  (comm local_comm) (int local_leader) (comm bridge_comm) (int remote_leader) (int tag)
  (new-comm newintercomm))
(maker Intercomm_merge (comm intercomm) (logical high) (new-comm newintracomm))
(maker Comm_spawn
  (string command) (argv argv) (int maxprocs) (info info) (int root) (comm comm)
  (new-comm intercomm) (errcodes array_of_errcodes))
(maker Comm_spawn_multiple
  (int count) (commands array_of_commands count) (argvs array_of_argv count) (ints array_of_maxprocs)
  (infos array_of_info count) (int root) (comm comm)
  (new-comm intercomm) (errcodes array_of_errcodes))
(maker Comm_accept (string port_name) (info info) (int root) (comm comm) (new-comm newcomm))
(maker Comm_connect (string port_name) (info info) (int root) (comm comm) (new-comm newcomm))
(maker Comm_join (int fd) (new-comm intercomm))

(foreteller Comm_idup (comm comm) (new-comm newcomm) (request request))

(namer Comm_set_name (comm comm) (string comm_name))
(leaver Comm_free (old-comm comm))
(leaver Comm_disconnect (old-comm comm))
