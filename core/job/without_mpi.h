/* A program that ends without MPI_Init: its job looks like one that the map served, but no call came here. It is built
 * without MPI, or with an MPI library of its own, and its ranks may have written over each other's files.
 *
 * `waymark run` sets the variable to the number of the process that becomes the program: at rank 0, if the job has
 * several ranks, or a trace or a summary was asked for. The preloaded library speaks when that process exits with
 * status 0, and has waited for no child: a script's child may have called MPI_Init in its place. */
#ifndef WM_WITHOUT_MPI_H
#define WM_WITHOUT_MPI_H

#define WM_PROGRAM_PID "WAYMARK_PROGRAM_PID"

#endif
