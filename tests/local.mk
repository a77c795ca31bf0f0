# Each room's tests list themselves; scripts run in the freshly built tree.
# A program of one source of its name lists no sources; headers of such programs:
EXTRA_DIST += tests/check.h tests/fixture.h tests/tools/proof/symmetric_paths.h tests/core/map/maps.h tests/core/message/model.h tests/core/message/protocols.h \
	tests/core/statement/names.h tests/core/statement/wrong.h tests/fuzz/random.h tests/mpi/communicate_check.h \
	tests/mpi/places.h tests/tools/analysis/analysed.h tests/tools/convert/conversions.h \
	tests/tools/convert/sample_trace.h tests/tracer/traces.h
# What a program is linked with that does not say it.
LDADD = libwm-proof.la libwm-report.la libwm-tracer.la libwm-pure.la $(CUNIT_LIBS) $(JANSSON_LIBS) -lm
# What a program has from inside of the runtime, as it was compiled.
runtime_parts = libwm-runtime.la $(NO_LTO_FLAGS)
check_SCRIPTS =
# Tests whose MPI jobs need the processors; all others, and those whose jobs mostly wait or are mostly launched, are TESTS themselves.
MPI_TESTS =
AM_TESTS_ENVIRONMENT += srcdir=$(srcdir) top_srcdir=$(abs_top_srcdir) top_builddir=$(abs_top_builddir); \
	export srcdir top_srcdir top_builddir;
# Where Open MPI looks for nets, Debian's PSM times the processor for 0.2 s a launch; and jobs that fail wait a second for SIGTERM.
# A job that has as many ranks as there are processors does not know of the other queue's: it, too, is to yield when it waits.
AM_TESTS_ENVIRONMENT += OMPI_MCA_pml=$${OMPI_MCA_pml-ob1} OMPI_MCA_odls_base_sigkill_timeout=0 \
	OMPI_MCA_mpi_yield_when_idle=$${OMPI_MCA_mpi_yield_when_idle-1}; \
	export OMPI_MCA_pml OMPI_MCA_odls_base_sigkill_timeout OMPI_MCA_mpi_yield_when_idle;
AM_TESTS_ENVIRONMENT += LIBCLANG_CFLAGS='$(LIBCLANG_CFLAGS)'; export LIBCLANG_CFLAGS;
LOG_COMPILER = $(top_builddir)/pre-inst-env
include tests/mpi/doors.mk
include tests/mpi/collectives.mk
include tests/mpi/communicators.mk
include tests/mpi/agreement.mk
include tests/mpi/without_mpi.mk
include tests/mpi/delay.mk
include tests/mpi/made_faults.mk
include tests/mpi/ways.mk
include tests/mpi/communicate.mk
include tests/mpi/wire.mk
include tests/mpi/p2p.mk
include tests/mpi/subrank.mk
include tests/mpi/nodes.mk
include tests/mpi/carriers.mk
include tests/mpi/clock.mk
include tests/mpi/convey_memory.mk
include tests/mpi/guarded.mk
include tests/mpi/retune.mk
include tests/mpi/reasons.mk
include tests/mpi/worlds.mk
include tests/mpi/convey.mk
include tests/mpi/convey_trace.mk
include tests/mpi/control.mk
include tests/mpi/planted.mk
include tests/mpi/port.mk
include tests/tools/tools.mk
include tests/tools/translate/translate.mk
include tests/tools/report/page.mk
include tests/docs/docs.mk
include tests/specs/pycsp.mk
include tests/lab/lab.mk
include tests/lab/convey.mk
include tests/fuzz/fuzz.mk
if HAVE_CUNIT
include tests/tracer/tracer.mk
include tests/tools/findings/findings.mk
include tests/core/core.mk
include tests/core/map/map.mk
include tests/wrappers/wrappers.mk
endif

TESTS += $(MPI_TESTS) tests/rooms.sh tests/rooms_test.sh tests/style.sh

# GNU make's own, which automake hands on.
-include $(top_srcdir)/tests/queues.mk
EXTRA_DIST += tests/install.sh tests/queues.mk tests/rooms.sh tests/rooms_test.sh tests/style.sh .clang-format
installcheck-local:
	MPICC='$(MPICC)' MPIRUN='$(MPIRUN)' $(srcdir)/tests/install.sh $(DESTDIR)$(bindir)
