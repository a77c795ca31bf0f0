# The program waymark, its libraries, and the program that measures. Each room lists its files in its own local.mk.
# waymark report, diff and top: the analysis and what is said of it, linked into waymark and into the tests.
noinst_LTLIBRARIES += libwm-report.la
libwm_report_la_LIBADD = libwm-tracer.la -lm
libwm_report_la_SOURCES =

# The proof that waymark check and the tests make.
noinst_LTLIBRARIES += libwm-proof.la
libwm_proof_la_SOURCES =

# Machines' profiles: read by waymark, written by what measures.
noinst_LTLIBRARIES += libwm-profile.la
libwm_profile_la_SOURCES =

# waymark predict: plans timed on a model.
noinst_LTLIBRARIES += libwm-predict.la
libwm_predict_la_SOURCES =

# waymark convert: the converters.
noinst_LTLIBRARIES += libwm-convert.la
libwm_convert_la_CFLAGS = $(AM_CFLAGS) $(OTF2_CFLAGS)
libwm_convert_la_LIBADD = libwm-report.la $(OTF2_LIBS)
libwm_convert_la_SOURCES =

# waymark bench: what the command and the program that measures share, and that program, which is linked with MPI alone.
noinst_LTLIBRARIES += libwm-bench.la
libwm_bench_la_LIBADD = libwm-report.la libwm-pure.la $(JANSSON_LIBS) -lm
libwm_bench_la_SOURCES =

pkglibexec_PROGRAMS += waymark-bench
waymark_bench_LDADD = libwm-bench.la $(JANSSON_LIBS) $(MPI_LIBS) -ldl
waymark_bench_SOURCES =

bin_PROGRAMS += waymark
waymark_LDADD = libwm-tune.la libwm-gauge.la libwm-guard.la libwm-predict.la libwm-profile.la libwm-bench.la libwm-convert.la libwm-report.la libwm-map.la libwm-proof.la libwm-pure.la
waymark_SOURCES =

include tools/cli/local.mk
include tools/text/local.mk
include tools/run/local.mk
include tools/cc/local.mk
include tools/translate/local.mk
include tools/complete/local.mk
include tools/site/local.mk
include tools/proof/local.mk
include tools/routes/local.mk
include tools/draw/local.mk
include tools/check/local.mk
include tools/statement/local.mk
include tools/analysis/local.mk
include tools/findings/local.mk
include tools/init/local.mk
include tools/report/local.mk
include tools/diff/local.mk
include tools/top/local.mk
include tools/doctor/local.mk
include tools/retune/local.mk
include tools/bench/local.mk
include tools/convert/local.mk
include tools/profile/local.mk
include tools/predict/local.mk
include tools/replay/local.mk
include tools/gauge/local.mk
include tools/tune/local.mk
