! Compiled with -ffpe-trap: a floating-point exception anywhere in the process ends it. Nothing of ours may raise one.
program trapping
    use mpi
    implicit none
    integer :: ierr, rank, ranks, i
    double precision :: mine(5000), total(5000)

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    mine = dble(rank + 1)
    do i = 1, 5000, 777
        call MPI_Allreduce(mine, total, i, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
        if (any(total(1:i) /= dble(ranks * (ranks + 1) / 2))) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
        call MPI_Bcast(mine, i, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
        mine = dble(rank + 1)
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
    end do
    if (rank == 0) print '(a)', 'results right'
    call MPI_Finalize(ierr)
end program
