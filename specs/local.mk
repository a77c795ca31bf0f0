# The maps that come with Waymark, and the Scheme module behind them, compiled at build.
dist_specs_DATA += \
	specs/binomial.scm specs/fast.scm specs/flat.scm specs/hierarchy.scm specs/native.scm specs/rabenseifner.scm \
	specs/recursive-doubling.scm specs/ring.scm specs/subranks.scm

# Bjørndalen and Sampson, "Process-Oriented Collective Operations", 2008: a map a variant.
pycspdir = $(specsdir)/pycsp
dist_pycsp_DATA = \
	specs/pycsp/allreduce-merged.scm specs/pycsp/allreduce-two-phase.scm specs/pycsp/alltoall-parallel.scm \
	specs/pycsp/barrier-binomial.scm specs/pycsp/barrier-parallel.scm specs/pycsp/barrier-sequential.scm \
	specs/pycsp/bcast-binomial.scm specs/pycsp/bcast-linear.scm \
	specs/pycsp/gather-parallel.scm specs/pycsp/gather-sequential.scm \
	specs/pycsp/reduce-arrival.scm specs/pycsp/reduce-chain.scm specs/pycsp/reduce-parallel.scm \
	specs/pycsp/reduce-rank-order.scm \
	specs/pycsp/scatter-parallel.scm specs/pycsp/scatter-sequential.scm

# Maps that stand for what others do: asked by `waymark predict`, not to be run.
modelsdir = $(specsdir)/models
dist_models_DATA = specs/models/open-mpi.scm

guilesitedir = $(datadir)/guile/site/3.0
guilesubsitedir = $(guilesitedir)/waymark
guileccachedir = $(libdir)/guile/3.0/site-ccache
guilesubccachedir = $(guileccachedir)/waymark

dist_guilesite_DATA = specs/waymark.scm
dist_guilesubsite_DATA = \
	specs/waymark/checker.scm specs/waymark/facts.scm specs/waymark/fault.scm specs/waymark/grid.scm \
	specs/waymark/habits.scm \
	specs/waymark/json.scm specs/waymark/language.scm specs/waymark/reader.scm specs/waymark/sandbox.scm \
	specs/waymark/source.scm specs/waymark/subranks.scm

guileccache_DATA = $(dist_guilesite_DATA:.scm=.go)
guilesubccache_DATA = $(dist_guilesubsite_DATA:.scm=.go)
CLEANFILES += $(guileccache_DATA) $(guilesubccache_DATA)

# Records and macros are compiled into the modules that use them.
$(guileccache_DATA) $(guilesubccache_DATA): $(dist_guilesite_DATA) $(dist_guilesubsite_DATA)

SUFFIXES = .scm .go
.scm.go:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && GUILE_AUTO_COMPILE=0 $(GUILD) compile -L $(srcdir)/specs \
		-Wunbound-variable -Warity-mismatch -Wunused-variable -o $@ $< >/dev/null

# Guile takes a compiled file that is older than its source for stale.
# (The names stand in variables so that automake does not take these for its own rules.)
install_go = install-guileccacheDATA
install_sub_go = install-guilesubccacheDATA
$(install_go): install-dist_guilesiteDATA
$(install_sub_go): install-dist_guilesubsiteDATA
