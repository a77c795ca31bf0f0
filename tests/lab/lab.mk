# Several hosts on one machine: the lab, and the collectives in it.
check_PROGRAMS += tests/lab/wanlink
tests_lab_wanlink_LDADD =
MPI_TESTS += tests/lab/lab.sh
EXTRA_DIST += tests/lab/lab tests/lab/lab.inc.sh tests/lab/lab.sh tests/lab/clusters.scm
# Clusters of hosts, found.
TESTS += tests/lab/found.sh
EXTRA_DIST += tests/lab/found.sh
# Messages.
TESTS += tests/lab/messages.sh
EXTRA_DIST += tests/lab/messages.sh
# Guards.
TESTS += tests/lab/guards.sh
EXTRA_DIST += tests/lab/guards.sh
# A job of Slurm, if it is installed.
TESTS += tests/lab/slurm.sh
EXTRA_DIST += tests/lab/slurm tests/lab/slurm.sh examples/slurm/waymark.sbatch
# Faults drawn by a seed, and whether their causes are named; the test is a sample of it.
MPI_TESTS += tests/lab/injure.sh
EXTRA_DIST += tests/lab/injure tests/lab/injure.sh
check_PROGRAMS += tests/mpi/injured
tests_mpi_injured_SOURCES = tests/mpi/injured.c
tests_mpi_injured_LDADD = $(MPI_LIBS)
