/* Drawings as text: the rule that answered, the path, and how each rank walks it. */
#include "tools/draw/drawing.h"

#include <stdlib.h>
#include <string.h>
#include "core/map/explain.h"
#include "tools/text/units.h"

enum { LIST_BYTES = 400, RANKS_BYTES = 40, WALK_BYTES = 1024, GROUPS_SHOWN = 16 };

static void append(char *out, size_t out_bytes, const char *separator, const char *word)
{
    size_t length = strlen(out);

    if (word[0] != '\0')
        snprintf(out + length, out_bytes - length, "%s%s", length > 0 ? separator : "", word);
}

static void heading(const struct wm_terminal *terminal, const char *title)
{
    fprintf(terminal->file, "\n%s%s%s\n", wm_terminal_bold(terminal), title, wm_terminal_plain(terminal));
}

void wm_drawing_name(const struct wm_scene *s, const struct wm_wrapper *w, char out[WM_DRAWING_NAME_BYTES])
{
    if (w == NULL)
        snprintf(out, WM_DRAWING_NAME_BYTES, "?");
    else if (w->stage >= 0)
        snprintf(out, WM_DRAWING_NAME_BYTES, "%s %s", w->class->name, wm_grid_axis_name(&s->site.grid, w->axis));
    else
        snprintf(out, WM_DRAWING_NAME_BYTES, "%s", w->class->name);
}

/* " of 8 B", where the ranks share it; in a gather " of 8 B a block", in a conveyor " of 8 B an item". */
static void append_bytes(const struct wm_facts *facts, char *out)
{
    enum wm_data_kind data = wm_operation_data(facts->operation);
    const char *each = data == WM_DATA_WHOLE              ? ""
                       : data == WM_DATA_ITEMS            ? "an item"
                       : facts->operation == WM_STATEMENT ? "a rank"
                       : data == WM_DATA_MESSAGES         ? "each"
                                                          : "a block";

    if (facts->operation == WM_BARRIER || !wm_operation_bytes_shared(facts->operation))
        return;
    append(out, WM_DRAWING_CALL_BYTES, " of ", wm_bytes_text(facts->bytes).text);
    append(out, WM_DRAWING_CALL_BYTES, " ", each);
}

void wm_drawing_call(const struct wm_facts *facts, char out[WM_DRAWING_CALL_BYTES])
{
    bool up = wm_operation_flow(facts->operation) == WM_FLOW_UP;
    char rank[16];

    snprintf(out, WM_DRAWING_CALL_BYTES, "%s", wm_operation_name(facts->operation));
    append_bytes(facts, out);
    if (facts->root >= 0) {
        snprintf(rank, sizeof rank, "%d", facts->root);
        append(out, WM_DRAWING_CALL_BYTES, up ? " to rank " : " from rank ", rank);
    }
    if (facts->operation == WM_MESSAGES) {
        append(out, WM_DRAWING_CALL_BYTES, " by ", facts->protocol);
        append(out, WM_DRAWING_CALL_BYTES, ", ", facts->near ? "to a peer of the node" : "to another node");
    }
    if (facts->operation == WM_STATEMENT && facts->statement[0] != '\0')
        append(out, WM_DRAWING_CALL_BYTES, " by ", facts->statement);
    if (facts->operation == WM_STATEMENT && facts->knowledge[0] != '\0')
        append(out, WM_DRAWING_CALL_BYTES, ", ", facts->knowledge);
    if (!facts->commutative)
        append(out, WM_DRAWING_CALL_BYTES, ", ", "operator not commutative");
}

/* The topology's second dimension: how far away the next row is. */
static int row_length(const struct wm_topology *topology)
{
    int next = topology->of[0].destinations[1];

    return next > 0 ? next : topology->ranks;
}

void wm_drawing_premise_text(const struct wm_scene *s, char out[WM_DRAWING_CALL_BYTES])
{
    const struct wm_topology *t = s->scenario.topology;
    struct wm_text bytes = wm_bytes_text(wm_scene_bytes(s, s->scenario.each));

    out[0] = '\0';
    if (s->answer.path->native || s->facts.operation == WM_BARRIER || wm_operation_bytes_shared(s->facts.operation))
        return;
    if (t == NULL)
        snprintf(out, WM_DRAWING_CALL_BYTES, "drawn with blocks of %s%s", bytes.text,
                 s->sizes_ahead ? ", without the messages ahead that tell their sizes" : "");
    else
        snprintf(out, WM_DRAWING_CALL_BYTES, "drawn on a periodic cartesian topology of %d × %d, with blocks of %s",
                 t->ranks / row_length(t), row_length(t), bytes.text);
}

void wm_drawing_premise(const struct wm_terminal *terminal, const struct wm_scene *s)
{
    char text[WM_DRAWING_CALL_BYTES];

    wm_drawing_premise_text(s, text);
    if (text[0] != '\0')
        wm_terminal_wrap(terminal, "", text);
}

void wm_drawing_head(const struct wm_terminal *terminal, const struct wm_map_question *question,
                     const struct wm_facts *facts)
{
    char text[WM_DRAWING_CALL_BYTES];

    wm_drawing_call(facts, text);
    fprintf(terminal->file, "%s%s%s: %d rank%s on %d node%s (%s)\n", wm_terminal_bold(terminal), text,
            wm_terminal_plain(terminal), facts->ranks, facts->ranks == 1 ? "" : "s", facts->nodes,
            facts->nodes == 1 ? "" : "s", question->machine);
}

/* The line of the map, cut at the terminal's edge. */
static void print_source_line(const struct wm_terminal *terminal, const struct wm_scene *s, int line)
{
    struct wm_error quote = {.line = line};
    const char *text = quote.excerpt;
    int columns = fprintf(terminal->file, "%5d | ", line);

    wm_error_quote(&quote, s->map.text, s->map.text_bytes);
    text += strspn(text, " \t");
    for (; *text != '\0' && columns < terminal->columns; text++) {
        fputc(*text == '\t' ? ' ' : *text, terminal->file);
        columns += ((unsigned char)text[1] & 0xc0) != 0x80;
    }
    fputc('\n', terminal->file);
}

static void print_rule(const struct wm_terminal *terminal, const struct wm_scene *s)
{
    const struct wm_path *path = s->answer.path;
    char validity[LIST_BYTES], sentence[LIST_BYTES + WM_ERROR_FILE_CHARS];

    wm_validity_describe(&path->validity, validity, sizeof validity);
    if (s->answer.has_rule)
        snprintf(sentence, sizeof sentence, "the rule at %s:%d answers; holds for %s", s->map.file,
                 s->answer.path->rule_line, validity);
    else
        snprintf(sentence, sizeof sentence, "no rule of %s fits; holds for %s", s->map.file, validity);
    wm_terminal_wrap(terminal, "", sentence);
    if (s->answer.has_rule)
        print_source_line(terminal, s, s->answer.path->rule_line);
}

/* Of a path that every rank walks to its end: neighbours meet in the first group that holds both. */
static bool all_go_on(const struct wm_scene *s)
{
    return wm_operation_data(s->facts.operation) == WM_DATA_EDGES;
}

/* The group that a rank counts with: its own, or the one of those who go on for it. */
static int meeting_group(const struct wm_scene *s, int stage, int rank)
{
    for (int i = 0; i < stage; i++) {
        const struct wm_stage_layout *before = &s->layout->stages[i];
        int group = before->group[rank];

        rank = before->members[before->first[group] + before->leader[group]];
    }
    return s->layout->stages[stage].group[rank];
}

static int list_group(const struct wm_scene *s, int stage, int group, int *ranks)
{
    const struct wm_stage_layout *layout = &s->layout->stages[stage];
    int count = 0;

    for (int i = layout->first[group]; !all_go_on(s) && i < layout->first[group + 1]; i++)
        ranks[count++] = layout->members[i];
    for (int r = 0; all_go_on(s) && r < s->site.ranks; r++)
        if (meeting_group(s, stage, r) == group)
            ranks[count++] = r;
    return count;
}

static void groups_text(const struct wm_scene *s, int stage, int *ranks, char *out, size_t out_bytes)
{
    int groups = s->layout->stages[stage].group_count;
    char list[RANKS_BYTES];

    for (int g = 0; g < groups && g < GROUPS_SHOWN; g++) {
        wm_ranks_text(ranks, list_group(s, stage, g, ranks), list, sizeof list);
        append(out, out_bytes, " ", "{"), append(out, out_bytes, "", list), append(out, out_bytes, "", "}");
    }
    append(out, out_bytes, " ", groups > GROUPS_SHOWN ? "…" : "");
}

static void leaders_text(const struct wm_stage_layout *stage, char *out, size_t out_bytes)
{
    char number[32];

    for (int g = 0; g < stage->group_count && g < GROUPS_SHOWN; g++) {
        snprintf(number, sizeof number, "%d", stage->members[stage->first[g] + stage->leader[g]]);
        append(out, out_bytes, g > 0 ? ", " : "; led by ", number);
    }
    append(out, out_bytes, ", ", stage->group_count > GROUPS_SHOWN ? "…" : "");
}

static void print_groups(const struct wm_terminal *terminal, const struct wm_scene *s, const struct wm_wrapper *w)
{
    const struct wm_stage_layout *stage = &s->layout->stages[w->stage];
    char text[GROUPS_SHOWN * (RANKS_BYTES + 24)] = "", prefix[48];
    int *ranks = calloc((size_t)s->site.ranks, sizeof *ranks);

    if (ranks != NULL)
        groups_text(s, w->stage, ranks, text, sizeof text);
    if (w->service->stage == WM_STAGE_FOLD && !all_go_on(s))
        leaders_text(stage, text, sizeof text);
    free(ranks);
    snprintf(prefix, sizeof prefix, "%11s%d group%s: ", "", stage->group_count, stage->group_count == 1 ? "" : "s");
    wm_terminal_wrap(terminal, prefix, text);
}

void wm_drawing_path(const struct wm_terminal *terminal, const struct wm_scene *s)
{
    char arguments[LIST_BYTES / 2], text[LIST_BYTES], prefix[32];

    heading(terminal, "path, outermost first, by lines of the map");
    for (int i = 0; i < s->answer.path->wrapper_count; i++) {
        const struct wm_wrapper *w = &s->answer.path->wrappers[i];

        wm_wrapper_describe(w, &s->site.grid, arguments, sizeof arguments);
        snprintf(text, sizeof text, "(%s%s%s)", w->class->name, arguments[0] ? " " : "", arguments);
        snprintf(prefix, sizeof prefix, "%7d  ", w->line);
        wm_terminal_wrap(terminal, prefix, text);
        if (w->stage >= 0 && s->layout != NULL)
            print_groups(terminal, s, w);
    }
}

static const char *role_of(const struct wm_wrapper *w, const struct wm_stage_layout *stage, int rank)
{
    bool leads = stage->leader[stage->group[rank]] == stage->index[rank];

    return w->service->stage == WM_STAGE_FOLD && leads ? " (leads)" : "";
}

/* A fold on the way up lets its leader alone go on. */
void wm_drawing_walk(const struct wm_scene *s, int rank, char *out, size_t out_bytes)
{
    enum wm_flow_kind flow = wm_operation_flow(s->facts.operation);

    out[0] = '\0';
    for (int i = 0; i < s->answer.path->wrapper_count; i++) {
        const struct wm_wrapper *w = &s->answer.path->wrappers[i];
        const struct wm_stage_layout *stage = w->stage >= 0 && !all_go_on(s) ? &s->layout->stages[w->stage] : NULL;
        char name[WM_DRAWING_NAME_BYTES], text[WM_DRAWING_NAME_BYTES + 32];

        if (stage != NULL && stage->group[rank] < 0)
            continue;
        wm_drawing_name(s, w, name);
        snprintf(text, sizeof text, "%d %s%s", w->line, name, stage != NULL ? role_of(w, stage, rank) : "");
        append(out, out_bytes, ", ", text);
        if (stage != NULL && flow != WM_FLOW_DOWN && w->service->stage == WM_STAGE_FOLD &&
            role_of(w, stage, rank)[0] == '\0') {
            append(out, out_bytes, ", ", flow == WM_FLOW_ALL ? "then waits for the result" : "then is done");
            return;
        }
    }
}

struct walks {
    int ranks;
    char (*texts)[WALK_BYTES];
    int *first; /* first[rank]: the first rank that walks alike */
    int *alike; /* room for a list of ranks */
};

static void alike_text(const struct walks *walks, int first, char *out, size_t out_bytes)
{
    int count = 0;

    for (int r = first; r < walks->ranks; r++)
        if (walks->first[r] == first)
            walks->alike[count++] = r;
    wm_ranks_text(walks->alike, count, out, out_bytes);
}

static void fill_walks(struct walks *walks, const struct wm_scene *s)
{
    for (int r = 0; r < s->site.ranks; r++) {
        int other = 0;

        wm_drawing_walk(s, r, walks->texts[r], sizeof walks->texts[r]);
        while (walks->first[other] != other || strcmp(walks->texts[other], walks->texts[r]) != 0)
            other++;
        walks->first[r] = other;
    }
}

/* Ranks that walk alike are told of once. */
static void print_alike(const struct wm_terminal *terminal, const struct walks *walks)
{
    char list[RANKS_BYTES], prefix[RANKS_BYTES + 32];
    size_t widest = 0, columns;

    for (int r = 0; r < walks->ranks; r++)
        if (walks->first[r] == r) {
            alike_text(walks, r, list, sizeof list);
            columns = wm_text_columns(list);
            widest = columns > widest ? columns : widest;
        }
    for (int r = 0; r < walks->ranks; r++)
        if (walks->first[r] == r) {
            alike_text(walks, r, list, sizeof list);
            snprintf(prefix, sizeof prefix, "  %s%*s  ", list, (int)(widest - wm_text_columns(list)), "");
            wm_terminal_wrap(terminal, prefix, walks->texts[r]);
        }
}

int wm_drawing_walks(const struct wm_terminal *terminal, const struct wm_scene *s)
{
    size_t ranks = (size_t)s->site.ranks;
    struct walks walks = {s->site.ranks, calloc(ranks, sizeof *walks.texts), calloc(ranks, sizeof *walks.first),
                          calloc(ranks, sizeof *walks.alike)};
    int rc = -WM_ENOMEM;

    if (walks.texts != NULL && walks.first != NULL && walks.alike != NULL) {
        heading(terminal, "who walks it how");
        for (int r = 0; r < s->site.ranks; r++)
            walks.first[r] = r;
        fill_walks(&walks, s);
        print_alike(terminal, &walks);
        rc = 0;
    }
    free(walks.texts);
    free(walks.first);
    free(walks.alike);
    return rc;
}

void wm_drawing_answer(const struct wm_terminal *terminal, const struct wm_scene *s)
{
    wm_drawing_head(terminal, &s->question, &s->facts);
    wm_drawing_premise(terminal, s);
    print_rule(terminal, s);
    if (s->answer.has_rule)
        wm_drawing_path(terminal, s);
}

int wm_drawing_print(const struct wm_terminal *terminal, const struct wm_scene *s, const struct wm_rounds *rounds,
                     bool all)
{
    int rc;

    wm_drawing_answer(terminal, s);
    if (s->facts.operation == WM_CONVEYOR) {
        heading(terminal, "no path: its constructor chooses hops and buffers");
        return 0;
    }
    if (s->facts.operation == WM_MESSAGES) {
        heading(terminal, "no path: they go as the limits of their group say");
        return 0;
    }
    if (s->facts.operation == WM_STATEMENT) {
        heading(terminal, "no path: it is the collective operation that it is, or goes by messages");
        return 0;
    }
    if (s->answer.path->native) {
        heading(terminal, "native: the MPI library's own collective carries it out");
        return 0;
    }
    if ((rc = wm_drawing_walks(terminal, s)) < 0 || (rc = wm_drawing_rounds(terminal, s, rounds, all)) < 0)
        return rc;
    return wm_drawing_sums(terminal, s, rounds);
}
