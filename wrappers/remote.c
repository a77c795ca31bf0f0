/* remote: which net the stages inside it use. */
#include "wrappers/parameters.h"
#include "core/planner.h"

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    (void)self; /* both words mean MPI as long as there is one net */
    wm_planner_next(p);
    return 0;
}

static const char *const nets[] = {"auto", "mpi", NULL};

static const struct wm_param params[] = {
    {.name = "net",
     .type = WM_PARAM_CHOICE,
     .positional = true,
     .fallback = "auto",
     .choices = nets,
     .help = "auto: the fastest that reaches the peer; mpi: point-to-point messages of the MPI library"},
};

const struct wm_wrapper_class wm_wrapper_remote = {
    .name = "remote",
    .summary = "choose the net that carries the messages of the stages inside",
    .source = "PATHS: remote operation wrappers",
    .services = {{WM_EVERY_OPERATION, WM_STAGE_NONE, plan}},
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
