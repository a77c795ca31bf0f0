# Two queues under `make -j2 check`: the tests of each run one after another, beside those of the other. One holds MPI jobs that
# need the processors; the other, single-process tests and MPI jobs that mostly wait or are mostly launched. Both last about as long.
previous_log =
define after_the_previous
$(if $(previous_log),$(1): | $(previous_log))
previous_log := $(1)
endef
queue = $(eval previous_log =)$(foreach log,$(1),$(eval $(call after_the_previous,$(log))))

$(call queue,$(filter $(MPI_TESTS:=.log),$(TEST_LOGS)))
$(call queue,$(filter-out $(MPI_TESTS:=.log),$(TEST_LOGS)))
