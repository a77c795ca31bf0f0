/* verify: calls are compared among the ranks before their data is used, and what they give with what the ranks gave. */
#include "core/path/path.h"
#include "core/plan/planner.h"
#include "wrappers/parameters.h"

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    (void)self;
    wm_planner_next(p);
    return 0;
}

static const char *const levels[] = {[WM_PATH_VERIFIES_EACH] = "each", [WM_PATH_VERIFIES_RESULTS] = "results", NULL};

static const struct wm_param params[] = {
    {.name = "level",
     .type = WM_PARAM_CHOICE,
     .positional = true,
     .required = true,
     .choices = levels,
     .help = "each: all calls of the job, and nothing more; results: what the calls of this path give, as well"},
};

const struct wm_wrapper_class wm_wrapper_verify = {
    .name = "verify",
    .summary = "find calls that do not match among the ranks, and results that are wrong; errors are raised",
    .source = "Falzone, Chan, Lusk, Gropp, \"A portable method for finding user errors in the usage of MPI collective "
              "operations\", 2007",
    .services = {{.operations = WM_EVERY_COLLECTIVE, .plan = plan}},
    .role = WM_ROLE_VERIFY,
    .once = true,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
