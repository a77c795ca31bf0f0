# Two queues under `make -j2 check`: the tests of each run one after another, beside those of the other. So one MPI job runs at
# a time, and single-process tests use the second processor. Left to itself make starts whatever is ready, first to last, and
# comes back to MPI jobs that wait for each other when all else is over.
previous_log =
define after_the_previous
$(if $(previous_log),$(1): | $(previous_log))
previous_log := $(1)
endef
queue = $(eval previous_log =)$(foreach log,$(1),$(eval $(call after_the_previous,$(log))))

$(call queue,$(filter $(MPI_TESTS:=.log),$(TEST_LOGS)))
$(call queue,$(filter-out $(MPI_TESTS:=.log),$(TEST_LOGS)))
