/* Every function of MPI, and what a subrank that calls it gets. A function that stands nowhere here goes by unseen:
 * tests/mpi/subrank_functions.sh compares the table with the library's mpi.h.
 *
 *   ours         is implemented by this room
 *   collectives  are planned (collective.h); their doors are generated from core/pmpi/functions.scm
 *   library      knows no rank: it has no door, and the MPI library's own serves
 *   refused      ends the job at its first call, with its name (refuse.c) */
#ifndef WM_SUBRANK_FUNCTIONS_H
#define WM_SUBRANK_FUNCTIONS_H

/* clang-format off */
#define WM_RANK_OURS(X)                                                                                         \
    X(Abort) X(Attr_delete) X(Attr_get) X(Attr_put) X(Bsend) X(Bsend_init) X(Buffer_attach) X(Buffer_detach)    \
    X(Cancel) X(Cart_coords) X(Cart_create) X(Cart_get) X(Cart_map) X(Cart_rank) X(Cart_shift) X(Cart_sub)      \
    X(Cartdim_get) X(Comm_c2f) X(Comm_call_errhandler) X(Comm_compare) X(Comm_create)                           \
    X(Comm_create_errhandler) X(Comm_create_group) X(Comm_create_keyval) X(Comm_delete_attr)                    \
    X(Comm_disconnect) X(Comm_dup) X(Comm_dup_with_info) X(Comm_f2c) X(Comm_free) X(Comm_free_keyval)           \
    X(Comm_get_attr) X(Comm_get_errhandler) X(Comm_get_info) X(Comm_get_name) X(Comm_get_parent) X(Comm_group)  \
    X(Comm_idup) X(Comm_rank) X(Comm_remote_group) X(Comm_remote_size) X(Comm_set_attr) X(Comm_set_errhandler)  \
    X(Comm_set_info) X(Comm_set_name) X(Comm_size) X(Comm_split) X(Comm_split_type) X(Comm_test_inter)          \
    X(Dist_graph_create) X(Dist_graph_create_adjacent) X(Dist_graph_neighbors) X(Dist_graph_neighbors_count)    \
    X(Errhandler_c2f) X(Errhandler_create) X(Errhandler_f2c) X(Errhandler_free) X(Errhandler_get)               \
    X(Errhandler_set) X(Finalize) X(Finalized) X(Graph_create) X(Graph_get) X(Graph_map) X(Graph_neighbors)     \
    X(Graph_neighbors_count) X(Graphdims_get) X(Grequest_complete) X(Grequest_start) X(Group_c2f)               \
    X(Group_compare) X(Group_difference) X(Group_excl) X(Group_f2c) X(Group_free) X(Group_incl)                 \
    X(Group_intersection) X(Group_range_excl) X(Group_range_incl) X(Group_rank) X(Group_size)                   \
    X(Group_translate_ranks) X(Group_union) X(Ibsend) X(Improbe) X(Imrecv) X(Init) X(Init_thread)               \
    X(Initialized) X(Intercomm_create) X(Intercomm_merge) X(Iprobe) X(Irecv) X(Irsend) X(Is_thread_main)        \
    X(Isend) X(Issend) X(Keyval_create) X(Keyval_free) X(Message_c2f) X(Message_f2c) X(Mprobe) X(Mrecv)         \
    X(Op_free) X(Pack) X(Pack_size) X(Pcontrol) X(Probe) X(Query_thread) X(Recv) X(Recv_init) X(Request_c2f)    \
    X(Request_f2c) X(Request_free) X(Request_get_status) X(Rsend) X(Rsend_init) X(Send) X(Send_init)            \
    X(Sendrecv) X(Sendrecv_replace) X(Ssend) X(Ssend_init) X(Start) X(Startall) X(Test) X(Testall) X(Testany)   \
    X(Testsome) X(Topo_test) X(Unpack) X(Wait) X(Waitall) X(Waitany) X(Waitsome)

#define WM_RANK_COLLECTIVES(X)                                                                                  \
    X(Allgather) X(Allgatherv) X(Allreduce) X(Alltoall) X(Alltoallv) X(Alltoallw) X(Barrier) X(Bcast)           \
    X(Exscan) X(Gather) X(Gatherv) X(Iallgather) X(Iallgatherv) X(Iallreduce) X(Ialltoall) X(Ialltoallv)        \
    X(Ialltoallw) X(Ibarrier) X(Ibcast) X(Iexscan) X(Igather) X(Igatherv) X(Ineighbor_allgather)                \
    X(Ineighbor_allgatherv) X(Ineighbor_alltoall) X(Ineighbor_alltoallv) X(Ineighbor_alltoallw) X(Ireduce)      \
    X(Ireduce_scatter) X(Ireduce_scatter_block) X(Iscan) X(Iscatter) X(Iscatterv) X(Neighbor_allgather)         \
    X(Neighbor_allgatherv) X(Neighbor_alltoall) X(Neighbor_alltoallv) X(Neighbor_alltoallw) X(Reduce)           \
    X(Reduce_scatter) X(Reduce_scatter_block) X(Scan) X(Scatter) X(Scatterv)

#define WM_RANK_LIBRARY(X)                                                                                      \
    X(Add_error_class) X(Add_error_code) X(Add_error_string) X(Address) X(Aint_add) X(Aint_diff) X(Alloc_mem)   \
    X(Dims_create) X(Error_class) X(Error_string) X(Free_mem) X(Get_address) X(Get_count) X(Get_elements)       \
    X(Get_elements_x) X(Get_library_version) X(Get_processor_name) X(Get_version) X(Info_c2f) X(Info_create)    \
    X(Info_delete) X(Info_dup) X(Info_f2c) X(Info_free) X(Info_get) X(Info_get_nkeys) X(Info_get_nthkey)        \
    X(Info_get_valuelen) X(Info_set) X(Op_c2f) X(Op_commutative) X(Op_create) X(Op_f2c)                         \
    X(Pack_external) X(Pack_external_size) X(Reduce_local) X(Status_c2f) X(Status_f2c)              \
    X(Status_set_cancelled) X(Status_set_elements) X(Status_set_elements_x) X(T_category_changed)               \
    X(T_category_get_categories) X(T_category_get_cvars) X(T_category_get_index) X(T_category_get_info)         \
    X(T_category_get_num) X(T_category_get_pvars) X(T_cvar_get_index) X(T_cvar_get_info) X(T_cvar_get_num)      \
    X(T_cvar_handle_alloc) X(T_cvar_handle_free) X(T_cvar_read) X(T_cvar_write) X(T_enum_get_info)              \
    X(T_enum_get_item) X(T_finalize) X(T_init_thread) X(T_pvar_get_index) X(T_pvar_get_info) X(T_pvar_get_num)  \
    X(T_pvar_handle_alloc) X(T_pvar_handle_free) X(T_pvar_read) X(T_pvar_readreset) X(T_pvar_reset)             \
    X(T_pvar_session_create) X(T_pvar_session_free) X(T_pvar_start) X(T_pvar_stop) X(T_pvar_write)              \
    X(Test_cancelled) X(Type_c2f) X(Type_commit) X(Type_contiguous) X(Type_create_darray)                       \
    X(Type_create_f90_complex) X(Type_create_f90_integer) X(Type_create_f90_real) X(Type_create_hindexed)       \
    X(Type_create_hindexed_block) X(Type_create_hvector) X(Type_create_indexed_block) X(Type_create_keyval)     \
    X(Type_create_resized) X(Type_create_struct) X(Type_create_subarray) X(Type_delete_attr) X(Type_dup)        \
    X(Type_extent) X(Type_f2c) X(Type_free) X(Type_free_keyval) X(Type_get_attr) X(Type_get_contents)           \
    X(Type_get_envelope) X(Type_get_extent) X(Type_get_extent_x) X(Type_get_name) X(Type_get_true_extent)       \
    X(Type_get_true_extent_x) X(Type_hindexed) X(Type_hvector) X(Type_indexed) X(Type_lb) X(Type_match_size)    \
    X(Type_set_attr) X(Type_set_name) X(Type_size) X(Type_size_x) X(Type_struct) X(Type_ub) X(Type_vector)      \
    X(Unpack_external) X(Wtick) X(Wtime)

#define WM_RANK_REFUSED(X)                                                                                      \
    X(Accumulate) X(Close_port) X(Comm_accept) X(Comm_connect) X(Comm_join) X(Comm_spawn)                       \
    X(Comm_spawn_multiple) X(Compare_and_swap) X(Fetch_and_op) X(File_c2f) X(File_call_errhandler)              \
    X(File_close) X(File_create_errhandler) X(File_delete) X(File_f2c) X(File_get_amode) X(File_get_atomicity)  \
    X(File_get_byte_offset) X(File_get_errhandler) X(File_get_group) X(File_get_info) X(File_get_position)      \
    X(File_get_position_shared) X(File_get_size) X(File_get_type_extent) X(File_get_view) X(File_iread)         \
    X(File_iread_all) X(File_iread_at) X(File_iread_at_all) X(File_iread_shared) X(File_iwrite)                 \
    X(File_iwrite_all) X(File_iwrite_at) X(File_iwrite_at_all) X(File_iwrite_shared) X(File_open)               \
    X(File_preallocate) X(File_read) X(File_read_all) X(File_read_all_begin) X(File_read_all_end)               \
    X(File_read_at) X(File_read_at_all) X(File_read_at_all_begin) X(File_read_at_all_end) X(File_read_ordered)  \
    X(File_read_ordered_begin) X(File_read_ordered_end) X(File_read_shared) X(File_seek) X(File_seek_shared)    \
    X(File_set_atomicity) X(File_set_errhandler) X(File_set_info) X(File_set_size) X(File_set_view)             \
    X(File_sync) X(File_write) X(File_write_all) X(File_write_all_begin) X(File_write_all_end)                  \
    X(File_write_at) X(File_write_at_all) X(File_write_at_all_begin) X(File_write_at_all_end)                   \
    X(File_write_ordered) X(File_write_ordered_begin) X(File_write_ordered_end) X(File_write_shared) X(Get)     \
    X(Get_accumulate) X(Lookup_name) X(Open_port) X(Publish_name) X(Put) X(Raccumulate) X(Register_datarep)     \
    X(Rget) X(Rget_accumulate) X(Rput) X(Unpublish_name) X(Win_allocate) X(Win_allocate_shared) X(Win_attach)   \
    X(Win_c2f) X(Win_call_errhandler) X(Win_complete) X(Win_create) X(Win_create_dynamic)                       \
    X(Win_create_errhandler) X(Win_create_keyval) X(Win_delete_attr) X(Win_detach) X(Win_f2c) X(Win_fence)      \
    X(Win_flush) X(Win_flush_all) X(Win_flush_local) X(Win_flush_local_all) X(Win_free) X(Win_free_keyval)      \
    X(Win_get_attr) X(Win_get_errhandler) X(Win_get_group) X(Win_get_info) X(Win_get_name) X(Win_lock)          \
    X(Win_lock_all) X(Win_post) X(Win_set_attr) X(Win_set_errhandler) X(Win_set_info) X(Win_set_name)           \
    X(Win_shared_query) X(Win_start) X(Win_sync) X(Win_test) X(Win_unlock) X(Win_unlock_all) X(Win_wait)

/* Planned, too, where the library has them: its persistent collectives, MPIX_…. */
#define WM_RANK_PERSISTENT(X)                                                                                   \
    X(Allgather_init) X(Allgatherv_init) X(Allreduce_init) X(Alltoall_init) X(Alltoallv_init)                   \
    X(Alltoallw_init) X(Barrier_init) X(Bcast_init) X(Exscan_init) X(Gather_init) X(Gatherv_init)               \
    X(Neighbor_allgather_init) X(Neighbor_allgatherv_init) X(Neighbor_alltoall_init)                            \
    X(Neighbor_alltoallv_init) X(Neighbor_alltoallw_init) X(Reduce_init) X(Reduce_scatter_init)                 \
    X(Reduce_scatter_block_init) X(Scan_init) X(Scatter_init) X(Scatterv_init)
/* clang-format on */

struct wm_rank_function {
    const char *name; /* "MPI_Send"; NULL behind the last one */
    void (*door)(void);
};
/* Those that are ours or planned, and those that are refused. */
extern const struct wm_rank_function wm_rank_doors[], wm_rank_refused[];

#endif
