/* remote: which net carries the messages of the stages inside it, both ways, and the parameters of shared memory. The
 * innermost remote around a stage holds for it. In a conveyor's path: which net carries the buffers within a node, and
 * which those between nodes; one word alone holds for both. In a path of messages: these nets, and which messages wait
 * for their receives. */
#include "core/path/design.h"
#include "core/path/message_design.h"
#include "core/plan/planner.h"
#include "wrappers/parameters.h"

enum { NET, BETWEEN, EAGER, CHUNK, COPY, RENDEZVOUS };
enum { LARGE, ALL };

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    const struct wm_transport transport = {
        .copy = (uint8_t)self->values[COPY].choice,
        .eager_bytes = self->values[EAGER].bytes,
        .chunk_bytes = self->values[CHUNK].bytes,
    };
    struct wm_carriage former = wm_planner_carry(p, (enum wm_net_choice)self->values[NET].choice, &transport);

    wm_planner_next(p);
    wm_planner_carry_back(p, former);
    return 0;
}

static enum wm_net_choice between(const struct wm_wrapper *self)
{
    return (enum wm_net_choice)self->values[self->values[BETWEEN].given ? BETWEEN : NET].choice;
}

static int convey(const struct wm_wrapper *self, struct wm_convey_design *design, struct wm_error *error)
{
    design->remote = self;
    design->inside = (enum wm_net_choice)self->values[NET].choice;
    design->between = between(self);
    if (self->values[BETWEEN].given && design->between == WM_CHOOSE_SHM)
        return wm_error_set(error, -WM_EMAP,
                            "shared memory does not reach the ranks of other nodes; write (remote 'shm 'mpi)");
    return 0;
}

static void message(const struct wm_wrapper *self, struct wm_message_design *design)
{
    design->remote = self;
    design->inside = (enum wm_net_choice)self->values[NET].choice;
    design->between = between(self);
    design->eager_bytes = self->values[EAGER].bytes;
    design->copy = (uint8_t)self->values[COPY].choice;
    design->rendezvous = self->values[RENDEZVOUS].choice == ALL;
}

static const char *const nets[] = {[WM_CHOOSE_AUTO] = "auto", [WM_CHOOSE_MPI] = "mpi", [WM_CHOOSE_SHM] = "shm", NULL};
static const char *const copies[] = {
    [WM_COPY_AUTO] = "auto", [WM_COPY_DOUBLE] = "double", [WM_COPY_SINGLE] = "single", NULL};
static const char *const rendezvous[] = {[LARGE] = "large", [ALL] = "all", NULL};

static const struct wm_param params[] = {
    [NET] = {.name = "net",
             .type = WM_PARAM_CHOICE,
             .positional = true,
             .fallback = "auto",
             .choices = nets,
             .help = "auto: the fastest that reaches the peer; mpi: point-to-point messages of the MPI library; shm: "
                     "memory that the ranks of a node share"},
    [BETWEEN] = {.name = "between",
                 .type = WM_PARAM_CHOICE,
                 .positional = true,
                 .choices = nets,
                 .operations = WM_OPERATION_BIT(WM_CONVEYOR) | WM_MESSAGE_BITS,
                 .help = "conveyor, messages: the net between nodes, where the first is the one within them; not "
                         "given: the same"},
    [EAGER] = {.name = "eager",
               .type = WM_PARAM_BYTES,
               .least = 1,
               .most = 1 << 20,
               .operations = WM_EVERY_COLLECTIVE | WM_MESSAGE_BITS,
               .help =
                   "shm, and messages on any net: messages up to here are sent without waiting for the receiver, "
                   "at most 1MiB; not given: of messages 4KiB to near peers and 512KiB to others, else the net's own"},
    [CHUNK] = {.name = "chunk",
               .type = WM_PARAM_BYTES,
               .least = 64,
               .most = 16 << 20,
               .operations = WM_EVERY_COLLECTIVE,
               .help = "shm: pieces of a larger message, 64 to 16MiB; not given: the net's own"},
    [COPY] = {.name = "copy",
              .type = WM_PARAM_CHOICE,
              .fallback = "auto",
              .choices = copies,
              .operations = WM_EVERY_COLLECTIVE | WM_MESSAGE_BITS,
              .help = "shm: double, by way of shared memory; single, straight out of the sender's memory; auto: what "
                      "was measured to be faster"},
    [RENDEZVOUS] = {.name = "rendezvous",
                    .type = WM_PARAM_CHOICE,
                    .fallback = "large",
                    .choices = rendezvous,
                    .operations = WM_MESSAGE_BITS,
                    .help = "messages: large, those that are not eager wait with their sender for a receive; all, "
                            "every message does"},
};

const struct wm_wrapper_class wm_wrapper_remote = {
    .name = "remote",
    .summary = "choose the net that carries the messages of the stages inside",
    .source = "PATHS: remote operation wrappers",
    .services = {{.operations = WM_EVERY_COLLECTIVE, .plan = plan},
                 {.operations = WM_OPERATION_BIT(WM_CONVEYOR), .convey = convey},
                 {.operations = WM_MESSAGE_BITS, .message = message}},
    .role = WM_ROLE_NET,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
