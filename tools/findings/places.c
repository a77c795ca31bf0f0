/* Places: how a node of the map is named to people, and what is written there. */
#include <stdio.h>
#include <string.h>
#include "tools/findings/findings.h"
#include "tools/findings/map_text.h"

void wm_source_text(const struct wm_trace *trace, uint16_t number, char *out, size_t out_bytes)
{
    const struct wm_trace_node *node = number < trace->node_count ? &trace->nodes[number] : NULL;
    struct wm_map_form form;

    if (node == NULL || node->wrapper == NULL)
        snprintf(out, out_bytes, "%s", number == 0 ? "(no rule: the MPI library's own)" : "(not defined)");
    else if (!wm_map_form_of_node(trace, number, &form))
        snprintf(out, out_bytes, "(%s%s%s)", node->wrapper, node->label[0] ? " " : "", node->label);
    else /* the first line of it */
        snprintf(out, out_bytes, "%.*s",
                 (int)(strcspn(form.begin, "\n") < form.length ? strcspn(form.begin, "\n") : form.length), form.begin);
}

const char *wm_communicator_text(const struct wm_trace_communicator *communicator)
{
    return communicator != NULL && communicator->name[0] != '\0' ? communicator->name : "a communicator without a name";
}

void wm_place_text(const struct wm_trace *trace, uint16_t number, char *out, size_t out_bytes)
{
    const struct wm_trace_node *node = number < trace->node_count ? &trace->nodes[number] : NULL;
    const char *file = node != NULL && node->map_file != NULL ? node->map_file
                       : trace->map_file != NULL              ? trace->map_file
                                                              : "map";
    const char *slash = strrchr(file, '/');

    if (node != NULL && node->line > 0)
        snprintf(out, out_bytes, "%s:%d", slash != NULL ? slash + 1 : file, node->line);
    else
        snprintf(out, out_bytes, "node %d", number);
}
