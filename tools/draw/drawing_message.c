/* Drawings as text: how a message of a size goes to a peer, near or not; and how a statement is carried out. */
#include "tools/draw/drawing.h"
#include "tools/text/units.h"

enum { LINE_BYTES = 256 };

static size_t eager_bytes_of(const struct wm_scene *s)
{
    return wm_eager_bytes_held(s->message.eager_bytes, s->facts.near, s->facts.ranks);
}

static bool is_eager(const struct wm_scene *s)
{
    return !s->message.rendezvous && s->facts.bytes <= eager_bytes_of(s);
}

static void say_send(const struct wm_scene *s, char *out)
{
    const struct wm_message_design *d = &s->message;

    if (d->rendezvous)
        snprintf(out, LINE_BYTES, "over when a receive has it, as every one");
    else
        snprintf(out, LINE_BYTES, "over %s: %s is %s the eager limit, %s%s",
                 is_eager(s) ? "at once" : "when a receive has it", wm_bytes_text(s->facts.bytes).text,
                 is_eager(s) ? "within" : "above", wm_bytes_text(eager_bytes_of(s)).text,
                 d->eager_bytes > 0 ? "" : " unless the program has another");
}

static void say_gathering(const struct wm_scene *s, char *out)
{
    snprintf(out, LINE_BYTES, "small ones wait for others, %s in all, until the sender waits, checks or probes",
             wm_bytes_text(s->message.gather_bytes).text);
}

static const char *data_text(const struct wm_scene *s)
{
    static const char *const copies[] = {
        [WM_COPY_AUTO] = "read from the sender's memory, where that was measured to be faster, else in chunks",
        [WM_COPY_DOUBLE] = "in chunks, when a receive asks for it",
        [WM_COPY_SINGLE] = "read from the sender's memory, where that is allowed, else in chunks",
    };

    if (is_eager(s))
        return "goes with the header";
    return copies[wm_message_design_by_mpi(&s->message, s->facts.near) ? WM_COPY_DOUBLE : s->message.copy];
}

static const char *net_text(bool by_mpi)
{
    return by_mpi ? "messages of the MPI library" : "memory of the node";
}

static void draw_statement(const struct wm_terminal *terminal, const struct wm_scene *s)
{
    static const char *const ways[] = {
        [WM_VIA_AUTO] = "the collective operation that it is, on that one's path; else messages",
        [WM_VIA_COLLECTIVE] = "the collective operation that it is, on that one's path; if it is none, the job ends",
        [WM_VIA_MESSAGES] = "messages, one for each pair of ranks",
        [WM_VIA_CONVEYOR] = "a conveyor, on the path of the conveyor of its name",
    };
    char net[LINE_BYTES];

    snprintf(net, sizeof net, "%s%s%s", net_text(wm_message_design_by_mpi(&s->message, true)),
             s->facts.nodes > 1 ? " within a node; between nodes " : "", s->facts.nodes > 1 ? net_text(true) : "");
    wm_terminal_wrap(terminal, "  via    ", ways[s->message.via]);
    if (s->message.via < WM_VIA_CONVEYOR)
        wm_terminal_wrap(terminal, "  net    ", net);
    wm_terminal_wrap(terminal, "  trace  ", s->message.traced ? "each making of it" : "none");
}

static void draw_message(const struct wm_terminal *terminal, const struct wm_scene *s)
{
    bool by_mpi = wm_message_design_by_mpi(&s->message, s->facts.near);
    char send[LINE_BYTES], gathering[LINE_BYTES];

    say_send(s, send);
    say_gathering(s, gathering);
    wm_terminal_wrap(terminal, "  net    ", net_text(by_mpi));
    wm_terminal_wrap(terminal, "  send   ", send);
    wm_terminal_wrap(terminal, "  data   ", data_text(s));
    if (by_mpi && is_eager(s) && s->message.gather_bytes > 0)
        wm_terminal_wrap(terminal, "  gather ", gathering);
    wm_terminal_wrap(terminal, "  trace  ", s->message.traced ? "post, arrival, match and end of each" : "none");
}

void wm_drawing_message(const struct wm_terminal *terminal, const struct wm_scene *s)
{
    fprintf(terminal->file, "\n%show it goes%s\n", wm_terminal_bold(terminal), wm_terminal_plain(terminal));
    if (s->facts.operation == WM_STATEMENT)
        draw_statement(terminal, s);
    else
        draw_message(terminal, s);
}
