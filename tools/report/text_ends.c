/* What was in flight when ranks stopped without a closing record, and where each of them was. */
#include "tools/report/text.h"

#include "waymark/operation.h"
#include "tools/text/units.h"

enum { DEATHS_SHOWN = 8, RANKS_MAX = 4096, RANKS_CHARS = 120 };

static void ranks_text(const json_t *ranks, char *out, size_t out_bytes)
{
    int numbers[RANKS_MAX], count = 0;
    const json_t *rank;
    size_t i;

    json_array_foreach (ranks, i, rank)
        if (count < RANKS_MAX)
            numbers[count++] = (int)json_integer_value(rank);
    wm_ranks_text(numbers, count, out, out_bytes);
}

static void print_pending(const struct wm_text_report *text, const json_t *stuck)
{
    const json_t *all = json_object_get(stuck, "pending"), *pending;
    int64_t more = wm_text_get(stuck, "pending_count") - (int64_t)json_array_size(all);
    size_t i;

    json_array_foreach (all, i, pending) {
        bool receive = json_is_true(json_object_get(pending, "receive"));
        int source = (int)wm_text_get(pending, "source"), destination = (int)wm_text_get(pending, "destination");

        fprintf(text->terminal->file, "    rank %d awaits %s rank %d: %s, since %s, line %lld: %s\n",
                receive ? destination : source, receive ? "a message from" : "the end of its send to",
                receive ? source : destination, wm_bytes_text((uint64_t)wm_text_get(pending, "bytes")).text,
                wm_time_text(wm_text_get(pending, "since_ns")).text,
                (long long)wm_text_get(wm_text_node(text, wm_text_get(pending, "node")), "line"),
                wm_text_node_source(text, wm_text_get(pending, "node")));
    }
    if (more > 0)
        fprintf(text->terminal->file, "    and %d more\n", (int)more);
}

static void print_stuck(const struct wm_text_report *text, const json_t *stuck)
{
    const json_t *away = json_object_get(stuck, "absent");
    char inside[RANKS_CHARS], absent[RANKS_CHARS], line[768];

    ranks_text(json_object_get(stuck, "inside"), inside, sizeof inside);
    ranks_text(away, absent, sizeof absent);
    snprintf(line, sizeof line, "%s #%lld on %.100s, %s, since %s: inside: %s; %s%s",
             wm_operation_function(wm_operation_find(wm_text_get_string(stuck, "operation"))),
             (long long)wm_text_get(stuck, "sequence"), wm_text_communicator(text, stuck),
             wm_bytes_text((uint64_t)wm_text_get(stuck, "bytes")).text,
             wm_time_text(wm_text_get(stuck, "since_ns")).text, inside,
             json_array_size(away) > 0 ? "never came: " : "all ranks had come", absent);
    wm_terminal_wrap(text->terminal, "  ", line);
    print_pending(text, stuck);
}

static bool is_inside(const json_t *death)
{
    return json_is_true(json_object_get(death, "inside"));
}

static void print_death(const struct wm_text_report *text, const json_t *death)
{
    const char *host = wm_text_get_string(death, "host");

    fprintf(text->terminal->file, "  rank %d (%s, process %lld): ", (int)wm_text_get(death, "rank"),
            *host != '\0' ? host : "?", (long long)wm_text_get(death, "pid"));
    if (json_is_true(json_object_get(death, "asks")))
        fprintf(text->terminal->file, "waiting for the path of its next call, which the map was asked for\n");
    else if (json_object_get(death, "last") == NULL)
        fprintf(text->terminal->file, "no call recorded\n");
    else
        fprintf(text->terminal->file, "last record at %s: %s in call #%lld, %s\n",
                wm_time_text(wm_text_get(death, "last_ns")).text, wm_text_get_string(death, "last"),
                (long long)wm_text_get(death, "sequence"),
                is_inside(death) ? "inside that call" : "outside of any traced call");
}

/* Ranks outside of all calls first: they are why the others wait. */
static void print_deaths(const struct wm_text_report *text, const json_t *deaths)
{
    const json_t *death;
    size_t i;

    for (int pass = 0, shown = 0; pass < 2; pass++)
        json_array_foreach (deaths, i, death)
            if (is_inside(death) == (pass == 1) && shown++ < DEATHS_SHOWN)
                print_death(text, death);
    if (json_array_size(deaths) > DEATHS_SHOWN)
        fprintf(text->terminal->file, "  and %d more ranks\n", (int)json_array_size(deaths) - DEATHS_SHOWN);
}

void wm_text_print_ends(const struct wm_text_report *text)
{
    const json_t *deaths = json_object_get(text->report, "deaths"), *stuck;
    int64_t more = wm_text_get(text->report, "stuck_more");
    size_t i;

    if (json_array_size(deaths) == 0)
        return;
    wm_text_print_title(text, "In flight at the end: these ranks never closed their trace");
    json_array_foreach (json_object_get(text->report, "stuck"), i, stuck)
        print_stuck(text, stuck);
    if (more > 0)
        fprintf(text->terminal->file, "  and %d more calls\n", (int)more);
    print_deaths(text, deaths);
}
