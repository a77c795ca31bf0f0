/* compress: a conveyor's buffers are compressed on hops between nodes, where that pays. */
#include "core/path/design.h"
#include "wrappers/parameters.h"

static const enum wm_codec_choice codecs[] = {WM_CODEC_SQUEEZE, WM_CODEC_LZ4};
static const char *const words[] = {"squeeze", "lz4", NULL};

static int convey(const struct wm_wrapper *self, struct wm_convey_design *design, struct wm_error *error)
{
    (void)error;
    design->codec = codecs[self->values[0].choice];
    return 0;
}

static const struct wm_param params[] = {
    {.name = "codec",
     .type = WM_PARAM_CHOICE,
     .positional = true,
     .fallback = "squeeze",
     .choices = words,
     .help = "squeeze: leave out bits and bytes that are the same in all items of a buffer; lz4: LZ4"},
};

const struct wm_wrapper_class wm_wrapper_compress = {
    .name = "compress",
    .summary = "compress a conveyor's buffers between nodes where that pays",
    .source = "Maley, DeVinney, \"Conveyors for streaming many-to-many communication\", 2019; LZ4 block format",
    .services = {{.operations = WM_OPERATION_BIT(WM_CONVEYOR), .convey = convey}},
    .once = true,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
