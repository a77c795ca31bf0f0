/* via: how a statement is carried out: as the collective operation that it is, by messages, or by a conveyor. */
#include "core/path/message_design.h"
#include "wrappers/parameters.h"

enum { HOW };

static void message(const struct wm_wrapper *self, struct wm_message_design *design)
{
    design->via = (enum wm_via)self->values[HOW].choice;
    design->via_wrapper = self;
}

static const char *const ways[] = {[WM_VIA_AUTO] = "auto",
                                   [WM_VIA_COLLECTIVE] = "collective",
                                   [WM_VIA_MESSAGES] = "messages",
                                   [WM_VIA_CONVEYOR] = "conveyor",
                                   NULL};

static const struct wm_param params[] = {
    [HOW] = {.name = "how",
             .type = WM_PARAM_CHOICE,
             .positional = true,
             .fallback = "auto",
             .choices = ways,
             .help = "auto: a collective operation where it is one, else messages; collective: that operation, or the "
                     "job ends; messages: one for each pair of ranks; conveyor: a stream of items, of which senders "
                     "alone know"},
};

const struct wm_wrapper_class wm_wrapper_via = {
    .name = "via",
    .summary = "choose how a statement is carried out",
    .source = "Holk et al., \"Kanor\", 2011, section 6",
    .services = {{.operations = WM_OPERATION_BIT(WM_STATEMENT), .message = message}},
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
