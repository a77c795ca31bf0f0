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
;;;   maker        PMPI, then wm_comm_made on the new communicator, and wm_comm_kept
;;;   duplicator   PMPI, then wm_comm_duplicated on both communicators and the info, if there is one; wm_comm_kept
;;;   foreteller   PMPI, then wm_comm_coming on the new communicator, and wm_comm_kept
;;;   namer        PMPI, then wm_comm_named on the communicator
;;;   leaver       wm_comm_going on the communicator, then PMPI
;;;   starter      wm_request_start; PMPI if the request is none of the runtime's
;;;   starters     the same for an array of requests
;;;   freer        wm_request_free; PMPI if the request is none of the runtime's
;;;   waiter       PMPI; where the trace or the guard follows one of the requests, between door_follows and door_waited
;;;   messenger    PMPI; where the guard is told of messages, between wm_watch_begin and wm_watch_end
;;;   poster       the same, between wm_watch_post and wm_watch_posted, which has the request
;;;   canceller    door_cancel, then PMPI
;;;   controller   wm_control_set, then PMPI; variadic in C, without ierror in Fortran
;;;   subrank      no door, but among subranks (core/subrank): there those of C are its own, and those of Fortran call them
;;;   given        the same, but those of Fortran call wm_fortran_NAME (core/subrank/fortran.h)
;;;
;;; An argument is (KIND NAME) and, in a collective, (KIND NAME FIELD): FIELD is its place in struct wm_call. The kinds
;;; are described in generate.scm. Some kinds go on with what they depend on: `types` with the buffer that makes them
;;; meaningless when it is MPI_IN_PLACE and with whom there is one for (peers, sources or targets); `commands`, `argvs`,
;;; `infos`, `requests` and `indices` with the count of their elements.
;;;
;;; MPI_Wait, MPI_Test and their kin have doors for trace and guard alone: the runtime's requests are the library's own.

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
(waiter Waitany (int count) (requests array_of_requests count) (index index) (status status))
(waiter Waitsome
  (int incount) (requests array_of_requests incount) (int-out outcount) (indices array_of_indices outcount)
  (statuses array_of_statuses))
(waiter Test (old-request request) (flag flag) (status status))
(waiter Testall (int count) (requests array_of_requests count) (flag flag) (statuses array_of_statuses))
(waiter Testany (int count) (requests array_of_requests count) (index index) (flag flag) (status status))
(waiter Testsome
  (int incount) (requests array_of_requests incount) (int-out outcount) (indices array_of_indices outcount)
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

;;; Messages: their doors tell the guard. (Among subranks they are its own.)

(messenger Send (in buf) (int count) (type datatype) (int dest) (int tag) (comm comm))
(messenger Ssend (in buf) (int count) (type datatype) (int dest) (int tag) (comm comm))
(messenger Bsend (in buf) (int count) (type datatype) (int dest) (int tag) (comm comm))
(messenger Rsend (in buf) (int count) (type datatype) (int dest) (int tag) (comm comm))
(poster Isend (in buf) (int count) (type datatype) (int dest) (int tag) (comm comm) (request request))
(poster Issend (in buf) (int count) (type datatype) (int dest) (int tag) (comm comm) (request request))
(poster Ibsend (in buf) (int count) (type datatype) (int dest) (int tag) (comm comm) (request request))
(poster Irsend (in buf) (int count) (type datatype) (int dest) (int tag) (comm comm) (request request))
(poster Send_init (in buf) (int count) (type datatype) (int dest) (int tag) (comm comm) (request request))
(poster Ssend_init (in buf) (int count) (type datatype) (int dest) (int tag) (comm comm) (request request))
(poster Bsend_init (in buf) (int count) (type datatype) (int dest) (int tag) (comm comm) (request request))
(poster Rsend_init (in buf) (int count) (type datatype) (int dest) (int tag) (comm comm) (request request))
(messenger Recv (out buf) (int count) (type datatype) (int source) (int tag) (comm comm) (status status))
(poster Irecv (out buf) (int count) (type datatype) (int source) (int tag) (comm comm) (request request))
(poster Recv_init (out buf) (int count) (type datatype) (int source) (int tag) (comm comm) (request request))
(messenger Sendrecv
  (in sendbuf) (int sendcount) (type sendtype) (int dest) (int sendtag)
  (out recvbuf) (int recvcount) (type recvtype) (int source) (int recvtag) (comm comm) (status status))
(messenger Sendrecv_replace
  (out buf) (int count) (type datatype) (int dest) (int sendtag) (int source) (int recvtag) (comm comm) (status status))
(messenger Probe (int source) (int tag) (comm comm) (status status))
(subrank Iprobe (int source) (int tag) (comm comm) (flag flag) (status status))
(messenger Mprobe (int source) (int tag) (comm comm) (new-message message) (status status))
(messenger Improbe (int source) (int tag) (comm comm) (flag flag) (new-message message) (status status))
(subrank Mrecv (out buf) (int count) (type datatype) (old-message message) (status status))
(poster Imrecv (out buf) (int count) (type datatype) (old-message message) (request request))
(canceller Cancel (old-request request))
(subrank Request_get_status (named-request request) (flag flag) (status status))
(subrank Grequest_complete (named-request request))
(given Grequest_start
  (function query_fn) (function free_fn) (function cancel_fn) (aint extra_state) (request request))
(subrank Buffer_attach (out buffer) (int size))
(given Buffer_detach (out buffer) (int-out size))
(subrank Pack
  (in inbuf) (int incount) (type datatype) (out outbuf) (int outsize) (int-out position) (comm comm))
(subrank Unpack
  (in inbuf) (int insize) (int-out position) (out outbuf) (int outcount) (type datatype) (comm comm))
(subrank Pack_size (int incount) (type datatype) (comm comm) (int-out size))

;;; The process, communicators, their attributes and error handlers.

(subrank Abort (comm comm) (int errorcode))
(subrank Initialized (flag flag))
(subrank Finalized (flag flag))
(subrank Is_thread_main (flag flag))
(subrank Query_thread (int-out provided))
(subrank Comm_size (comm comm) (int-out size))
(subrank Comm_rank (comm comm) (int-out rank))
(subrank Comm_compare (comm comm1) (comm comm2) (int-out result))
(subrank Comm_group (comm comm) (new-group group))
(subrank Comm_test_inter (comm comm) (flag flag))
(subrank Comm_remote_size (comm comm) (int-out size))
(subrank Comm_remote_group (comm comm) (new-group group))
(subrank Comm_get_parent (new-comm parent))
(subrank Comm_set_info (comm comm) (info info))
(subrank Comm_get_info (comm comm) (new-info info_used))
(given Comm_get_name (comm comm) (text comm_name) (int-out resultlen))
(given Comm_create_keyval (function copy_fn) (function delete_fn) (int-out keyval) (aint extra_state))
(subrank Comm_free_keyval (int-out keyval))
(given Comm_set_attr (comm comm) (int keyval) (aint value))
(given Comm_get_attr (comm comm) (int keyval) (aint-out value) (flag flag))
(subrank Comm_delete_attr (comm comm) (int keyval))
(given Keyval_create (function copy_fn) (function delete_fn) (int-out keyval) (int extra_state))
(subrank Keyval_free (int-out keyval))
(given Attr_put (comm comm) (int keyval) (int value))
(given Attr_get (comm comm) (int keyval) (int-out value) (flag flag))
(subrank Attr_delete (comm comm) (int keyval))
(given Comm_create_errhandler (function comm_errhandler_fn) (new-errhandler errhandler))
(subrank Comm_set_errhandler (comm comm) (errhandler errhandler))
(subrank Comm_get_errhandler (comm comm) (new-errhandler errhandler))
(subrank Comm_call_errhandler (comm comm) (int errorcode))
(given Errhandler_create (function function) (new-errhandler errhandler))
(given Errhandler_set (comm comm) (errhandler errhandler))
(given Errhandler_get (comm comm) (new-errhandler errhandler))
(subrank Errhandler_free (old-errhandler errhandler))

;;; Groups.

(subrank Group_size (group group) (int-out size))
(subrank Group_rank (group group) (int-out rank))
(subrank Group_compare (group group1) (group group2) (int-out result))
(subrank Group_translate_ranks (group group1) (int n) (ints ranks1) (group group2) (int-out ranks2))
(subrank Group_union (group group1) (group group2) (new-group newgroup))
(subrank Group_intersection (group group1) (group group2) (new-group newgroup))
(subrank Group_difference (group group1) (group group2) (new-group newgroup))
(subrank Group_incl (group group) (int n) (ints ranks) (new-group newgroup))
(subrank Group_excl (group group) (int n) (ints ranks) (new-group newgroup))
(subrank Group_range_incl (group group) (int n) (ranges ranges) (new-group newgroup))
(subrank Group_range_excl (group group) (int n) (ranges ranges) (new-group newgroup))
(subrank Group_free (old-group group))

;;; Topologies.

(subrank Topo_test (comm comm) (int-out status))
(subrank Cartdim_get (comm comm) (int-out ndims))
(subrank Cart_get (comm comm) (int maxdims) (int-out dims) (int-out periods) (int-out coords))
(subrank Cart_rank (comm comm) (ints coords) (int-out rank))
(subrank Cart_coords (comm comm) (int rank) (int maxdims) (int-out coords))
(subrank Cart_shift (comm comm) (int direction) (int disp) (int-out rank_source) (int-out rank_dest))
(subrank Cart_map (comm comm) (int ndims) (ints dims) (logicals periods) (int-out newrank))
(subrank Graphdims_get (comm comm) (int-out nnodes) (int-out nedges))
(subrank Graph_get (comm comm) (int maxindex) (int maxedges) (int-out index) (int-out edges))
(subrank Graph_neighbors_count (comm comm) (int rank) (int-out nneighbors))
(subrank Graph_neighbors (comm comm) (int rank) (int maxneighbors) (int-out neighbors))
(subrank Graph_map (comm comm) (int nnodes) (ints index) (ints edges) (int-out newrank))
(subrank Dist_graph_neighbors_count (comm comm) (int-out indegree) (int-out outdegree) (flag weighted))
(subrank Dist_graph_neighbors
  (comm comm) (int maxindegree) (int-out sources) (weights-out sourceweights)
  (int maxoutdegree) (int-out destinations) (weights-out destweights))
