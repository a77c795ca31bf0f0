/* Messages just above the eager limit: their senders wait until the receivers come, where smaller ones would not.
 *
 * Operations in which all wait for all are left out: there a sender that went on would wait in the next round. */
#include <stdio.h>
#include <string.h>
#include "core/parse.h"
#include "tools/findings/finding.h"
#include "tools/findings/map_text.h"
#include "tools/text/units.h"

enum {
    LEAST_PART = 5,                 /* of such messages' cost, waiting for receivers is at least a fifth */
    JUST_ABOVE = 4,                 /* times the limit: beyond that pieces would be many */
    SHM_EAGER_MOST_BYTES = 16 << 10 /* of (remote 'auto #:eager …), core/net/shm_ring.h */
};

/* How messages of a line go, and up to which size at once. */
struct carriage {
    bool near;   /* within a node */
    bool shared; /* and in its memory */
    uint64_t limit_bytes;
};

/* Messages above the limit, but not far above. */
struct excess {
    uint64_t messages, largest_bytes;
    int64_t late_receiver_ns, late_sender_ns, transfer_ns;
};

static bool crosses_hosts(const struct wm_inquiry *inquiry, uint16_t node)
{
    uint64_t near = 0, far = 0;

    for (size_t i = 0; i < inquiry->analysis->edge_count; i++) {
        const struct wm_edge_cost *edge = &inquiry->analysis->edges[i];
        const char *from = wm_inquiry_host(inquiry, edge->source), *to = wm_inquiry_host(inquiry, edge->destination);

        if (edge->node == node && from != NULL && to != NULL)
            *(strcmp(from, to) == 0 ? &near : &far) += edge->messages;
    }
    return far > near;
}

static struct carriage carriage_of(const struct wm_inquiry *inquiry, const struct wm_line *line)
{
    const struct wm_trace_rank *rank = &inquiry->trace->ranks[0];
    struct wm_map_form form, path, remote;
    bool says = wm_map_form_of_node(inquiry->trace, line->node, &form) &&
                wm_map_path_around(inquiry->trace, &form, &path) && wm_map_wrapper_in(&path, "remote", &remote);
    uint64_t bytes;
    char value[32];

    if (crosses_hosts(inquiry, line->node))
        return (struct carriage){false, false, rank->mpi_eager_far_bytes};
    if (says && wm_map_form_says(&remote, "'mpi"))
        return (struct carriage){true, false, rank->mpi_eager_bytes};
    if (says && wm_map_form_value(&remote, "#:eager", value, sizeof value) && wm_parse_bytes(value, &bytes))
        return (struct carriage){true, true, bytes};
    return (struct carriage){true, true, rank->shm_eager_bytes};
}

static struct excess excess_of(const struct wm_line *line, uint64_t limit_bytes)
{
    struct excess excess = {0};

    for (size_t i = 0; i < line->size_count; i++) {
        const struct wm_size_cost *size = &line->sizes[i];

        if (size->bytes <= limit_bytes || size->bytes > JUST_ABOVE * limit_bytes)
            continue;
        excess.messages += size->messages;
        excess.largest_bytes = size->bytes;
        excess.late_receiver_ns += size->late_receiver_ns;
        excess.late_sender_ns += size->late_sender_ns;
        excess.transfer_ns += size->transfer_ns;
    }
    return excess;
}

static uint64_t power_from(uint64_t bytes)
{
    uint64_t power = 1;

    while (power < bytes)
        power *= 2;
    return power;
}

/* "8KiB", as the map is written. */
static void write_bytes(uint64_t bytes, char *out, size_t out_bytes)
{
    if (bytes % 1024 == 0)
        snprintf(out, out_bytes, "%lluKiB", (unsigned long long)(bytes >> 10));
    else
        snprintf(out, out_bytes, "%llu", (unsigned long long)bytes);
}

static bool can_be_cut(enum wm_operation operation)
{
    return wm_operation_data(operation) == WM_DATA_WHOLE &&
           (wm_operation_rooted(operation) || wm_operation_scans(operation));
}

/* Put a wrapper before the path's first stage, or in the place of one of its kind that is there. */
static void edit_path(struct wm_finding *finding, const struct wm_inquiry *inquiry, const char *head,
                      const char *wrapper)
{
    struct wm_map_form form, path, there;
    char after[WM_EDIT_CHARS];

    if (!wm_map_form_of_node(inquiry->trace, finding->node, &form) || !wm_map_path_around(inquiry->trace, &form, &path))
        return;
    if (wm_map_wrapper_in(&path, head, &there)) {
        wm_edit_replace(&finding->edit, inquiry->trace, &there, wrapper);
    } else if (wm_map_stage_in(&path, &there)) {
        int length = snprintf(after, sizeof after, "%s %.*s", wrapper, (int)there.length, there.begin);

        if (length < (int)sizeof after)
            wm_edit_replace(&finding->edit, inquiry->trace, &there, after);
    }
}

/* In shared memory the limit can be raised; between nodes pieces can be made smaller than it. (Within a node they would
 * not help: Open MPI's own shared memory takes back what it sent only while the receiver is in MPI.) */
static void make_edit(struct wm_finding *finding, const struct wm_inquiry *inquiry, const struct carriage *carriage,
                      const struct excess *excess)
{
    uint64_t raised = power_from(excess->largest_bytes);
    char wrapper[64], bytes[32];

    if (carriage->near && raised <= SHM_EAGER_MOST_BYTES) {
        write_bytes(raised, bytes, sizeof bytes);
        snprintf(wrapper, sizeof wrapper, "(remote 'auto #:eager %s)", bytes);
        edit_path(finding, inquiry, "remote", wrapper);
    } else if (!carriage->near && can_be_cut(finding->operation)) {
        write_bytes(power_from(carriage->limit_bytes + 1) / 2, bytes, sizeof bytes);
        snprintf(wrapper, sizeof wrapper, "(segment %s)", bytes);
        edit_path(finding, inquiry, "segment", wrapper);
    }
}

static void look_at_line(struct wm_inquiry *inquiry, const struct wm_line *line)
{
    struct carriage carriage = carriage_of(inquiry, line);
    struct excess excess = carriage.limit_bytes > 0 ? excess_of(line, carriage.limit_bytes) : (struct excess){0};
    int64_t all_ns = excess.late_receiver_ns + excess.late_sender_ns + excess.transfer_ns;
    struct wm_claim claim = {line, excess.late_receiver_ns, excess.transfer_ns, wm_inquiry_caused_ns(inquiry, line)};
    struct wm_finding finding =
        wm_finding_of(WM_FINDING_EAGER, line, claim.inside_ns + claim.transfer_ns + claim.caused_ns);

    if (excess.late_receiver_ns <= excess.late_sender_ns || LEAST_PART * excess.late_receiver_ns < all_ns)
        return;
    finding.error_ns = line->error_ns;
    wm_finding_trust(&finding, (double)excess.late_receiver_ns / (double)all_ns,
                     "%s of what these %s cost was waiting for the receiver",
                     wm_share_text(excess.late_receiver_ns, all_ns).text,
                     wm_number_text(excess.messages, "message").text);
    make_edit(&finding, inquiry, &carriage, &excess);
    wm_finding_open(&finding, inquiry);
    wm_finding_say(&finding, "senders waiting for receivers, and agreeing with them, in %s",
                   wm_operation_name((enum wm_operation)line->operation));
    wm_finding_say_place(&finding, inquiry);
    wm_finding_say(&finding, ": messages of up to %s are just above the %s up to which %s sends at once.",
                   wm_bytes_text(excess.largest_bytes).text, wm_bytes_text(carriage.limit_bytes).text,
                   carriage.shared ? "the shared memory's net" : "the MPI library");
    wm_finding_say_edit(&finding);
    if (finding.edit.line == 0)
        wm_finding_say(&finding, carriage.shared ? " Raise it by #:eager, or send less."
                                                 : " Raise its eager limit, or send less.");
    wm_inquiry_claim(inquiry, &claim);
    wm_inquiry_offer(inquiry, &finding);
}

void wm_finding_look_eager(struct wm_inquiry *inquiry)
{
    for (size_t i = 0; i < inquiry->analysis->line_count; i++) {
        const struct wm_line *line = &inquiry->analysis->lines[i];
        enum wm_operation operation = (enum wm_operation)line->operation;

        if (!line->visited && line->size_count > 0 && (wm_operation_rooted(operation) || wm_operation_scans(operation)))
            look_at_line(inquiry, line);
    }
}
