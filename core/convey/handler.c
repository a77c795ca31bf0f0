/* Handlers: what arrives is handed over in spans. */
#include "core/convey/state.h"

int convey_set_handler(convey_t *self, convey_handler_t *handler, void *context, bool sources)
{
    struct wm_conveyor *c = wm_conveyor_of(self);
    int rc = c == NULL                    ? convey_error_NULL
             : c->state != convey_DORMANT ? convey_error_STATE
             : c->wish.elastic && handler ? convey_error_ARGUMENT
                                          : 0;

    if (rc < 0)
        return wm_convey_fail(c, "convey_set_handler", rc);
    c->handler = handler;
    c->handler_context = context;
    c->handler_sources = sources;
    return convey_OK;
}

size_t wm_convey_handle(struct wm_conveyor *c)
{
    size_t handled = 0;
    const void *items = NULL;
    int64_t from = -1, count;

    while ((count = convey_pull_span(&c->head, &items, c->handler_sources ? &from : NULL)) > 0) {
        c->handler(c->handler_context, items, (size_t)count, from);
        handled += (size_t)count;
        c->head.lent = false;
    }
    return handled;
}
