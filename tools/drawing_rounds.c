/* Drawings as text: who talks to whom in which round, and the sums. */
#include <stdlib.h>
#include <string.h>
#include "tools/arrows.h"
#include "tools/drawing.h"
#include "tools/units.h"

enum { ROUNDS_SHOWN = 24, ARROWS_SHOWN = 48 };

static int compare(const void *left, const void *right)
{
    const struct wm_message *a = left, *b = right;

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
static size_t count_alike(const struct wm_message *messages, size_t count, size_t first)
{
    size_t end = first + 1;

    while (end < count && messages[end].round == messages[first].round && messages[end].node == messages[first].node &&
           messages[end].combined == messages[first].combined && messages[end].units == messages[first].units)
        end++;
    return end - first;
}

static int print_kind(const struct wm_page *page, const struct wm_scene *s, const struct wm_message *messages,
                      size_t count, bool first_of_round, bool all)
{
    const struct wm_wrapper *w = wm_scene_wrapper(s, messages->node);
    char name[WM_DRAWING_NAME_BYTES], round[16] = "", prefix[160];
    char *arrows = wm_arrows_text(messages, count, all ? 0 : ARROWS_SHOWN);

    if (arrows == NULL)
        return -WM_ENOMEM;
    wm_drawing_name(s, w, name);
    if (first_of_round)
        snprintf(round, sizeof round, "%d", messages->round);
    snprintf(prefix, sizeof prefix, "%5s  %4d %-20s %-8s%9s  ", round, w != NULL ? w->line : 0, name,
             messages->combined ? "combine" : "deliver", wm_bytes_text(wm_scene_bytes(s, messages->units)).text);
    wm_page_wrap(page, prefix, arrows);
    free(arrows);
    return 0;
}

/* Of very many rounds the first and the last few tell enough. */
static bool is_shown(const struct wm_rounds *rounds, int round, bool all)
{
    return all || rounds->round_count <= ROUNDS_SHOWN || round <= ROUNDS_SHOWN - 6 || round > rounds->round_count - 4;
}

int wm_drawing_rounds(const struct wm_page *page, const struct wm_scene *s, const struct wm_rounds *rounds, bool all)
{
    size_t count = rounds->message_count, alike;
    struct wm_message *messages = calloc(count + 1, sizeof *messages);
    bool hidden = false;
    int rc = 0;

    if (messages == NULL)
        return -WM_ENOMEM;
    memcpy(messages, rounds->messages, count * sizeof *messages);
    qsort(messages, count, sizeof *messages, compare);
    fprintf(page->file, "\n%srounds: each message as early as its ends allow%s\n%5s  %4s\n", wm_page_bold(page),
            wm_page_plain(page), "round", "line");
    for (size_t i = 0; rc == 0 && i < count; i += alike) {
        alike = count_alike(messages, count, i);
        if (is_shown(rounds, messages[i].round, all))
            rc = print_kind(page, s, &messages[i], alike, i == 0 || messages[i - 1].round != messages[i].round, all);
        else if (!hidden && (hidden = true))
            fprintf(page->file, "    …  rounds %d to %d are left out; --all shows them\n", ROUNDS_SHOWN - 5,
                    rounds->round_count - 4);
    }
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

int wm_drawing_sums(const struct wm_page *page, const struct wm_scene *s, const struct wm_rounds *rounds)
{
    struct traffic *traffic = calloc((size_t)s->ranks, sizeof *traffic), *busy;
    uint64_t bytes = 0, outside_bytes = 0;
    size_t outside = 0;

    if (traffic == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < rounds->message_count; i++) {
        const struct wm_message *m = &rounds->messages[i];
        uint64_t size = wm_scene_bytes(s, m->units);
        bool leaves = s->places[m->source].node != s->places[m->target].node;

        bytes += size;
        outside += leaves;
        outside_bytes += leaves ? size : 0;
        traffic[m->source].sent++;
        traffic[m->source].sent_bytes += size;
        traffic[m->target].received++;
        traffic[m->target].received_bytes += size;
    }
    busy = &traffic[find_busiest(traffic, s->ranks)];
    fprintf(page->file, "\n%ssums%s\n", wm_page_bold(page), wm_page_plain(page));
    fprintf(page->file, "  rounds         %d\n", rounds->round_count);
    fprintf(page->file, "  messages       %s, %s\n", wm_count_text(rounds->message_count).text,
            wm_bytes_text(bytes).text);
    fprintf(page->file, "  between nodes  %s, %s\n", wm_count_text(outside).text, wm_bytes_text(outside_bytes).text);
    if (rounds->message_count > 0)
        fprintf(page->file, "  busiest        rank %d: sends %zu message%s (%s), receives %zu (%s)\n",
                (int)(busy - traffic), busy->sent, plural(busy->sent), wm_bytes_text(busy->sent_bytes).text,
                busy->received, wm_bytes_text(busy->received_bytes).text);
    free(traffic);
    return 0;
}
