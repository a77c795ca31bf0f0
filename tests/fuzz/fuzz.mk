# Fuzzers of maps, of the map server's protocol and of the guards': tests/fuzz/README.md.
fuzzers = tests/fuzz/fuzz_maps tests/fuzz/fuzz_answers tests/fuzz/fuzz_questions tests/fuzz/fuzz_guards
check_PROGRAMS += $(fuzzers)
tests_fuzz_fuzz_maps_SOURCES = tests/fuzz/fuzz_maps.c tests/fuzz/child.c tests/fuzz/child.h tests/fuzz/judge.c tests/fuzz/judge.h \
	tests/fuzz/map_generate.c tests/fuzz/map_mutate.c tests/fuzz/map_text.h tests/fuzz/random.h tests/fuzz/text.c tests/fuzz/text.h
protocol_fuzz_sources = tests/fuzz/cases.c tests/fuzz/cases.h tests/fuzz/json_mutate.c tests/fuzz/json_mutate.h tests/fuzz/random.h \
	tests/fuzz/talk.c tests/fuzz/talk.h tests/fuzz/text.c tests/fuzz/text.h
tests_fuzz_fuzz_answers_SOURCES = tests/fuzz/fuzz_answers.c $(protocol_fuzz_sources)
tests_fuzz_fuzz_answers_LDADD = libwm-map.la libwm-pure.la $(JANSSON_LIBS) -lm
tests_fuzz_fuzz_questions_SOURCES = tests/fuzz/fuzz_questions.c $(protocol_fuzz_sources)
tests_fuzz_fuzz_questions_LDADD = libwm-map.la libwm-pure.la $(JANSSON_LIBS) -lm

tests_fuzz_fuzz_guards_SOURCES = tests/fuzz/fuzz_guards.c tests/fuzz/cases.c tests/fuzz/cases.h tests/fuzz/random.h \
	tests/fuzz/text.c tests/fuzz/text.h tools/doctor/voice.c tools/doctor/voice.h tools/doctor/wards.c tools/doctor/wards.h $(talk_sources)
tests_fuzz_fuzz_guards_LDADD = libwm-guard.la libwm-pure.la $(JANSSON_LIBS) -lm

TESTS += tests/fuzz/smoke.sh
EXTRA_DIST += tests/fuzz/README.md tests/fuzz/job.sh tests/fuzz/protocol.scm tests/fuzz/smoke.sh

SECONDS = 60
SEED = 1
fuzz-maps: all $(fuzzers) tests/mpi/collectives
	$(MKDIR_P) fuzz_kept
	@at() { srcdir=$(abs_srcdir) top_builddir=$(abs_top_builddir) ./pre-inst-env "$$@"; }; status=0; \
	at tests/fuzz/fuzz_maps --seed $(SEED) --seconds $$(($(SECONDS) / 2)) --keep fuzz_kept --job $(abs_srcdir)/tests/fuzz/job.sh \
		$(srcdir)/specs $(srcdir)/tests/mpi $(srcdir)/tests/specs $(srcdir)/tests/lab $(srcdir)/tests/tools || status=1; \
	at tests/fuzz/fuzz_answers --seed $(SEED) --seconds $$(($(SECONDS) / 4)) --keep fuzz_kept || status=1; \
	at tests/fuzz/fuzz_questions --seed $(SEED) --seconds $$(($(SECONDS) / 4)) --keep fuzz_kept || status=1; \
	at tests/fuzz/fuzz_guards --seed $(SEED) --seconds $$(($(SECONDS) / 4)) --keep fuzz_kept || status=1; \
	exit $$status
clean-local: clean-fuzz
clean-fuzz:
	rm -rf fuzz_kept
.PHONY: fuzz-maps clean-fuzz
