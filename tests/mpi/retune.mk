# Maps that change while the job runs.
TESTS += tests/mpi/retune.sh
EXTRA_DIST += tests/mpi/retune.sh
check_PROGRAMS += tests/mpi/retuning
tests_mpi_retuning_LDADD = libwaymark.la libwm-guard.la libwm-pure.la $(JANSSON_LIBS) $(MPI_LIBS) -lm
