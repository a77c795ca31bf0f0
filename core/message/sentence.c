/* What is wrong with an envelope, in a sentence that names both ends. */
#include <stdio.h>
#include "core/message/endpoints.h"

static const char *const errors[] = {
#define X(name, what) what,
    WM_MESSAGE_ERRORS(X)
#undef X
};

void wm_endpoint_list(const struct wm_endpoints *group, int endpoint, char *out, size_t bytes)
{
    size_t used = 0;

    snprintf(out, bytes, "none");
    for (const struct wm_context *context = group->contexts; context != NULL && used < bytes; context = context->next)
        if (context->opened[endpoint] != NULL)
            used += (size_t)snprintf(out + used, bytes - used, "%s'%s'", used > 0 ? ", " : "", context->name);
}

static void say_unknown(const struct wm_protocol *p, const struct wm_envelope *e, char *out, size_t bytes)
{
    char opened[256];

    if (!wm_endpoint_is_here(p->group, e->peer))
        snprintf(opened, sizeof opened, "%s", p->context->elsewhere);
    else
        wm_endpoint_list(p->group, e->peer, opened, sizeof opened);
    snprintf(out, bytes,
             "endpoint %d sends by the protocol '%s', which endpoint %d does not "
             "know (it knows: %s)",
             p->self, p->context->name, e->peer, opened);
}

static void say_closed(const struct wm_protocol *p, char *out, size_t bytes)
{
    const char *name = p->context != NULL ? p->context->name : "a protocol";

    if (p->error == WM_MESSAGE_HEADER)
        snprintf(out, bytes,
                 "endpoint %d opens '%s' with headers of %zu bytes, but others "
                 "have them of %zu",
                 p->self, name, p->header_bytes, p->context->header_bytes);
    else if (p->error == WM_MESSAGE_RANGE)
        snprintf(out, bytes, "endpoint %d opens '%s', but there are %d endpoints, from 0 on%s", p->self, name,
                 p->group->count, (unsigned)p->self < (unsigned)p->group->count ? ", and this one is elsewhere" : "");
    else
        snprintf(out, bytes, "endpoint %d opens '%s': %s", p->self, name, errors[p->error]);
}

const char *wm_message_sentence(const struct wm_protocol *p, const struct wm_envelope *e, char *out, size_t out_bytes)
{
    const char *name = p->context != NULL ? p->context->name : "";

    if (e == NULL) {
        say_closed(p, out, out_bytes);
        return out;
    }
    switch ((enum wm_message_error)e->error) {
    case WM_MESSAGE_TRUNCATED:
        snprintf(out, out_bytes,
                 "'%s': the message of %zu bytes from endpoint %d is longer than "
                 "the receive of %zu at endpoint %d",
                 name, e->whole, e->peer, e->bytes, p->self);
        break;
    case WM_MESSAGE_INEXACT:
        snprintf(out, out_bytes,
                 "'%s': number %zu of the %s from endpoint %d is no %s, which the receive at endpoint %d wants", name,
                 e->bytes / wm_number_bytes(e->number), wm_number_name(e->sent), e->peer, wm_number_name(e->number),
                 p->self);
        break;
    case WM_MESSAGE_CLOSED:
        snprintf(out, out_bytes,
                 "'%s': endpoint %d has closed it without receiving what endpoint "
                 "%d sent",
                 name, e->peer, p->self);
        break;
    case WM_MESSAGE_UNKNOWN:
        say_unknown(p, e, out, out_bytes);
        break;
    case WM_MESSAGE_HEADER:
        snprintf(out, out_bytes, "endpoint %d sends by '%s' with headers of %zu bytes, but endpoint %d has them of %zu",
                 p->self, name, p->header_bytes, e->peer, p->context->elsewhere_bytes);
        break;
    case WM_MESSAGE_RANGE:
        snprintf(out, out_bytes, "'%s': endpoint %d sends to endpoint %d, but there are %d, from 0 on", name, p->self,
                 e->peer, p->group->count);
        break;
    case WM_MESSAGE_FULL:
        snprintf(out, out_bytes, "'%s': at endpoint %d %llu receives wait, and no more may", name, p->self,
                 (unsigned long long)p->expected.limit);
        break;
    default:
        snprintf(out, out_bytes, "'%s': endpoint %d: %s", name, p->self, errors[e->error]);
    }
    return out;
}
