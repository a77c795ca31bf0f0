/* Drawings as text: who talks to whom in which round, and the sums. */
#include <stdlib.h>
#include <string.h>
#include "tools/draw/arrows.h"
#include "tools/draw/drawing.h"
#include "tools/draw/shared_steps.h"
#include "tools/text/units.h"

enum { ROUNDS_SHOWN = 24, ARROWS_SHOWN = 48 };

static int compare(const void *left, const void *right)
{
    const struct wm_round_message *a = left, *b = right;

    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->combined != b->combined)
        return a->combined ? -1 : 1;
    if (a->units != b->units)
        return a->units > b->units ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return (a->target > b->target) - (a->target < b->target);
}

/* How many messages from `first` on are of one kind: round, line, size, combined or not. */
static size_t count_alike(const struct wm_round_message *messages, size_t count, size_t first)
{
    size_t end = first + 1;

    while (end < count && messages[end].round == messages[first].round && messages[end].node == messages[first].node &&
           messages[end].combined == messages[first].combined && messages[end].units == messages[first].units)
        end++;
    return end - first;
}

/* Messages or shared steps of one kind. */
struct row {
    int round, node;
    const char *verb;
    size_t units;
    char *text; /* NULL: no memory; freed with the row */
};

static struct row row_of_messages(const struct wm_round_message *messages, size_t count, bool all)
{
    return (struct row){messages->round, messages->node, messages->combined ? "combine" : "deliver", messages->units,
                        wm_arrows_text(messages, count, all ? 0 : ARROWS_SHOWN)};
}

static struct row row_of_shared(const struct wm_round_shared *steps, size_t count, bool all)
{
    return (struct row){steps->round, steps->node, "shared", wm_shared_units(steps->shared),
                        wm_shared_steps_text(steps, count, all ? 0 : ARROWS_SHOWN)};
}

static void print_row(const struct wm_terminal *terminal, const struct wm_scene *s, const struct row *row,
                      bool first_of_round)
{
    const struct wm_wrapper *w = wm_scene_wrapper(s, row->node);
    char name[WM_DRAWING_NAME_BYTES], round[16] = "", prefix[160];

    wm_drawing_name(s, w, name);
    if (first_of_round)
        snprintf(round, sizeof round, "%d", row->round);
    snprintf(prefix, sizeof prefix, "%5s  %4d %-20s %-8s%9s  ", round, w != NULL ? w->line : 0, name, row->verb,
             wm_bytes_text(wm_scene_bytes(s, row->units)).text);
    wm_terminal_wrap(terminal, prefix, row->text);
}

/* Of very many rounds the first and the last few tell enough. */
static bool is_shown(const struct wm_rounds *rounds, int round, bool all)
{
    return all || rounds->round_count <= ROUNDS_SHOWN || round <= ROUNDS_SHOWN - 6 || round > rounds->round_count - 4;
}

/* Where the listing has come to: messages and shared steps that are still to come. */
struct listing {
    const struct wm_rounds *rounds;
    const struct wm_round_message *messages;
    const struct wm_round_shared *shared;
    size_t message_count, shared_count;
    int round; /* of the row before */
    bool hidden, all;
};

/* Within a round by the lines of the map. */
static bool is_shared_next(const struct listing *l)
{
    if (l->message_count == 0 || l->shared_count == 0)
        return l->shared_count > 0;
    if (l->shared->round != l->messages->round)
        return l->shared->round < l->messages->round;
    return l->shared->node <= l->messages->node;
}

static struct row next_row(struct listing *l)
{
    size_t alike;
    struct row row;

    if (is_shared_next(l)) {
        alike = wm_shared_steps_alike(l->shared, l->shared_count);
        row = row_of_shared(l->shared, alike, l->all);
        l->shared += alike;
        l->shared_count -= alike;
        return row;
    }
    alike = count_alike(l->messages, l->message_count, 0);
    row = row_of_messages(l->messages, alike, l->all);
    l->messages += alike;
    l->message_count -= alike;
    return row;
}

static int print_next(const struct wm_terminal *terminal, const struct wm_scene *s, struct listing *l)
{
    struct row row = next_row(l);

    if (row.text == NULL)
        return -WM_ENOMEM;
    if (is_shown(l->rounds, row.round, l->all))
        print_row(terminal, s, &row, row.round != l->round);
    else if (!l->hidden && (l->hidden = true))
        fprintf(terminal->file, "    …  rounds %d to %d are left out; --all shows them\n", ROUNDS_SHOWN - 5,
                l->rounds->round_count - 4);
    l->round = row.round;
    free(row.text);
    return 0;
}

int wm_drawing_rounds(const struct wm_terminal *terminal, const struct wm_scene *s, const struct wm_rounds *rounds,
                      bool all)
{
    size_t count = rounds->message_count;
    struct wm_round_message *messages = calloc(count + 1, sizeof *messages);
    struct listing listing = {rounds, messages, rounds->shared, count, rounds->shared_count, 0, false, all};
    int rc = 0;

    if (messages == NULL)
        return -WM_ENOMEM;
    if (count > 0)
        memcpy(messages, rounds->messages, count * sizeof *messages);
    qsort(messages, count, sizeof *messages, compare);
    fprintf(terminal->file, "\n%srounds: each message as early as its ends allow%s\n%5s  %4s\n",
            wm_terminal_bold(terminal), wm_terminal_plain(terminal), "round", "line");
    while (rc == 0 && listing.message_count + listing.shared_count > 0)
        rc = print_next(terminal, s, &listing);
    free(messages);
    return rc;
}

struct traffic {
    size_t sent, received;
    uint64_t sent_bytes, received_bytes;
};

/* By bytes, then by messages: the first of those that have most. */
static int find_busiest(const struct traffic *traffic, int ranks)
{
    int best = 0;

    for (int r = 1; r < ranks; r++) {
        uint64_t bytes = traffic[r].sent_bytes + traffic[r].received_bytes;
        uint64_t best_bytes = traffic[best].sent_bytes + traffic[best].received_bytes;
        size_t messages = traffic[r].sent + traffic[r].received,
               best_messages = traffic[best].sent + traffic[best].received;

        if (bytes > best_bytes || (bytes == best_bytes && messages > best_messages))
            best = r;
    }
    return best;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

int wm_drawing_sums(const struct wm_terminal *terminal, const struct wm_scene *s, const struct wm_rounds *rounds)
{
    struct traffic *traffic = calloc((size_t)s->site.ranks, sizeof *traffic), *busy;
    uint64_t bytes = 0, outside_bytes = 0, memory_bytes = 0;
    size_t outside = 0, memory = 0;

    if (traffic == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < rounds->message_count; i++) {
        const struct wm_round_message *m = &rounds->messages[i];
        uint64_t size = wm_scene_bytes(s, m->units);
        bool leaves = s->site.places[m->source].node != s->site.places[m->target].node;

        bytes += size;
        outside += leaves;
        outside_bytes += leaves ? size : 0;
        memory += m->net == WM_NET_SHM;
        memory_bytes += m->net == WM_NET_SHM ? size : 0;
        traffic[m->source].sent++;
        traffic[m->source].sent_bytes += size;
        traffic[m->target].received++;
        traffic[m->target].received_bytes += size;
    }
    busy = &traffic[find_busiest(traffic, s->site.ranks)];
    fprintf(terminal->file, "\n%ssums%s\n", wm_terminal_bold(terminal), wm_terminal_plain(terminal));
    fprintf(terminal->file, "  rounds         %d\n", rounds->round_count);
    fprintf(terminal->file, "  messages       %s, %s\n", wm_count_text(rounds->message_count).text,
            wm_bytes_text(bytes).text);
    if (memory > 0)
        fprintf(terminal->file, "  in memory      %s, %s\n", wm_count_text(memory).text,
                wm_bytes_text(memory_bytes).text);
    fprintf(terminal->file, "  between nodes  %s, %s\n", wm_count_text(outside).text,
            wm_bytes_text(outside_bytes).text);
    if (rounds->shared_count > 0)
        fprintf(terminal->file, "  shared steps   %s\n", wm_count_text(rounds->shared_count).text);
    if (rounds->message_count > 0)
        fprintf(terminal->file, "  busiest        rank %d: sends %zu message%s (%s), receives %zu (%s)\n",
                (int)(busy - traffic), busy->sent, plural(busy->sent), wm_bytes_text(busy->sent_bytes).text,
                busy->received, wm_bytes_text(busy->received_bytes).text);
    free(traffic);
    return 0;
}
