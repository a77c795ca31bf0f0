# The manual pages, written by the program itself from the texts that its --help prints: its own, and one for each
# command of tools/cli/commands.def. They are built with it, and so are not distributed.
man_pages = docs/waymark.1 $(command_pages)
man1_MANS += $(man_pages)
CLEANFILES += $(man_pages)

$(man_pages): waymark$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) docs && page=`echo $@ | $(SED) 's,^docs/waymark-*,,; s,\.1$$,,'` && \
	./waymark$(EXEEXT) man $$page >$@.tmp && mv $@.tmp $@

# Which path is which algorithm; tests/docs/algorithms.sh proves each.
dist_doc_DATA += docs/algorithms.md
# Two runs compared, one watched: what the numbers mean.
dist_doc_DATA += docs/diff-and-top.md
# What the guard finds, and how it is asked.
dist_doc_DATA += docs/guard.md
dist_doc_DATA += docs/retune.md
# Conveyors; tests/docs/conveyors.sh compiles and runs what stands there.
dist_doc_DATA += docs/conveyors.md
# Ports; tests/docs/ports.sh compiles and runs what stands there.
dist_doc_DATA += docs/ports.md
# Statements; tests/docs/statements.c carries out what stands there.
dist_doc_DATA += docs/communicate.md
# Several ranks in a process.
dist_doc_DATA += docs/subranks.md
# How to read a report, and its JSON; tests/docs/report.sh compares keys.
dist_doc_DATA += docs/report.md
# Predictions, and how to believe them.
dist_doc_DATA += docs/foresight.md
# What is recorded.
dist_doc_DATA += docs/tracing.md
# What waymark convert writes, and how to open it.
dist_doc_DATA += docs/convert.md
# The report's page.
dist_doc_DATA += docs/page.md
# The definitions that the report's figures follow.
dist_doc_DATA += docs/definitions.md
# The map language; tests/docs/maps.sh proves its maps and runs its commands.
dist_doc_DATA += docs/maps.md
# Batch systems and containers.
dist_doc_DATA += docs/clusters.md
# What is said when something is wrong.
dist_doc_DATA += docs/messages.md
EXTRA_DIST += docs/refresh.sh docs/scheme.scm docs/messages.scm docs/cures

# Parts of these pages are printed from the sources; tests/docs/pages.sh compares.
made_pages = docs/maps.md docs/messages.md
.PHONY: pages
pages: all
	for page in $(made_pages); do \
	    (cd $(srcdir) && GUILE="$(GUILE) --no-auto-compile -L specs" $(abs_builddir)/pre-inst-env docs/refresh.sh $$page) \
	        >$$page.tmp && mv $$page.tmp $(srcdir)/$$page || exit; \
	done
