/* What a record's state or event is called: from the map's nodes, the marks and the conveyors. */
#include "tools/convert/naming.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "waymark/operation.h"
#include "tools/convert/event.h"

const char *wm_conveyor_word(const struct wm_trace_record *record)
{
    static const char *const states[] = {"dormant", "working", "endgame", "cleanup", "complete"};
    static const char *const reasons[] = {"full", "flush", "urgent", "endgame"};
    static const char *const counts[] = {"pushed", "pulled", "refused"};
    static const char *const steps[] = {"pushed", "relayed", "arrived"};
    static const struct {
        const char *const *words;
        uint8_t count;
    } tables[WM_TRACE_KIND_COUNT] = {
        [WM_TRACE_CONVEY_STATE] = {states, 5},
        [WM_TRACE_CONVEY_CLOSE] = {reasons, 4},
        [WM_TRACE_CONVEY_COUNT] = {counts, 3},
        [WM_TRACE_CONVEY_SAMPLE] = {steps, 3},
    };

    return record->flags < tables[record->kind].count ? tables[record->kind].words[record->flags] : "";
}

bool wm_record_conveys(const struct wm_trace_record *record)
{
    return record->kind >= WM_TRACE_CONVEY_STATE && record->kind <= WM_TRACE_CONVEY_SAMPLE;
}

/* What the kind is called where it is no call; NULL: as the table of kinds says. */
static const char *const kind_words[WM_TRACE_KIND_COUNT] = {
    [WM_TRACE_SEND_POST] = "send",
    [WM_TRACE_SEND_DONE] = "sent",
    [WM_TRACE_RECV_POST] = "await",
    [WM_TRACE_RECV_DONE] = "receive",
    [WM_TRACE_REDUCE] = "operator",
    [WM_TRACE_COPY] = "copy",
    [WM_TRACE_QUESTION] = "question to the map server",
    [WM_TRACE_SHARED] = "shared step",
    [WM_TRACE_CONVEY_OPEN] = "open",
    [WM_TRACE_CONVEY_CLOSE] = "close",
    [WM_TRACE_CONVEY_TAKE] = "take",
    [WM_TRACE_CONVEY_PULL] = "pull",
    [WM_TRACE_CONVEY_GIVE] = "give",
    [WM_TRACE_CONVEY_BLOCKED] = "no room",
    [WM_TRACE_CONVEY_COUNT] = "count",
    [WM_TRACE_CONVEY_SAMPLE] = "item",
    [WM_TRACE_CLOCK] = "clock",
    [WM_TRACE_SYNC] = "clocks compared",
    [WM_TRACE_LEVEL] = "recording level",
    [WM_TRACE_ASK] = "path asked for",
    [WM_TRACE_MAP_EPOCH] = "another map holds",
    [WM_TRACE_P2P_POST] = "own message posted",
    [WM_TRACE_P2P_DONE] = "own message over",
    [WM_TRACE_MESSAGE_POST] = "message posted",
    [WM_TRACE_MESSAGE_KEPT] = "message kept",
    [WM_TRACE_MESSAGE_MATCH] = "message matched",
    [WM_TRACE_MESSAGE_DONE] = "message done",
};

static const struct wm_trace_node *node_of(const struct wm_trace *trace, unsigned node)
{
    return node > 0 && (int)node < trace->node_count && trace->nodes[node].wrapper != NULL ? &trace->nodes[node] : NULL;
}

static const char *file_of(const struct wm_trace *trace, const struct wm_trace_node *node)
{
    const char *path = node == NULL ? NULL : node->map_file != NULL ? node->map_file : trace->map_file;
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;

    return slash != NULL ? slash + 1 : path;
}

/* "(cluster.scm:3)", with a blank before it; "" where no place is known. */
static void print_place(FILE *out, const struct wm_trace *trace, const struct wm_trace_node *node)
{
    const char *file = file_of(trace, node);

    if (node != NULL && node->line > 0)
        fprintf(out, " (%s:%d)", file != NULL ? file : "map", node->line);
}

static const char *operation_of(const struct wm_trace_record *record)
{
    return record->flags < WM_OPERATION_COUNT ? wm_operation_name(record->flags) : "unknown operation";
}

/* "statement halo", or "statement jacobi.c:81" of one that has no name. */
static void print_statement(FILE *out, const struct wm_trace_rank *rank, const struct wm_trace_record *record)
{
    const struct wm_trace_statement *statement = wm_trace_statement_find(rank, record->peer);
    const char *slash = statement != NULL ? strrchr(statement->file, '/') : NULL;

    fputs("statement", out);
    if (statement != NULL && statement->name[0] != '\0')
        fprintf(out, " %s", statement->name);
    else if (statement != NULL)
        fprintf(out, " %s:%d", slash != NULL ? slash + 1 : statement->file, statement->line);
}

static void print_call(FILE *out, const struct wm_trace *trace, int rank_index, const struct wm_trace_record *record)
{
    const struct wm_trace_node *node = node_of(trace, record->node);

    if (wm_record_of_statement(record))
        print_statement(out, &trace->ranks[rank_index], record);
    else
        fputs(operation_of(record), out);
    if (record->node == 0)
        fputs(" (no rule)", out);
    else if (node == NULL)
        fprintf(out, " (node %u)", record->node);
    else if (node->label != NULL && node->label[0] != '\0')
        fprintf(out, ": %s", node->label);
    print_place(out, trace, node);
}

static void print_conveyor(FILE *out, const struct wm_trace *trace, int rank_index,
                           const struct wm_trace_record *record)
{
    const struct wm_trace_conveyor *conveyor = wm_trace_conveyor_find(&trace->ranks[rank_index], record);

    fprintf(out, "conveyor%s%s:", conveyor != NULL && conveyor->name[0] != '\0' ? " " : "",
            conveyor != NULL ? conveyor->name : "");
    if (kind_words[record->kind] != NULL)
        fprintf(out, " %s", kind_words[record->kind]);
    if (record->kind != WM_TRACE_CONVEY_CLOSE && wm_conveyor_word(record)[0] != '\0')
        fprintf(out, " %s", wm_conveyor_word(record));
}

static void print_mark(FILE *out, const struct wm_trace_rank *rank, uint64_t id)
{
    for (int i = 0; i < rank->mark_count; i++) {
        if (rank->marks[i].id == id) {
            fputs(rank->marks[i].name, out);
            return;
        }
    }
    fprintf(out, "mark %llu", (unsigned long long)id);
}

static void print_region(FILE *out, const struct wm_trace_rank *rank, const struct wm_trace_record *record)
{
    int found = wm_trace_superblock_find(rank, record);

    fprintf(out, "superblock%s%s: %s", found >= 0 ? " " : "", found >= 0 ? rank->superblocks[found].name : "",
            wm_trace_region_name(record->flags));
}

static void print_name(FILE *out, const struct wm_trace *trace, int rank_index, const struct wm_trace_record *record)
{
    if (record->kind == WM_TRACE_ENTER || record->kind == WM_TRACE_LEAVE || record->kind == WM_TRACE_STATEMENT) {
        print_call(out, trace, rank_index, record);
    } else if (record->kind == WM_TRACE_WAIT) {
        fputs("wait for ", out);
        print_call(out, trace, rank_index, record);
    } else if (record->kind == WM_TRACE_MARK) {
        print_mark(out, &trace->ranks[rank_index], record->argument);
    } else if (record->kind == WM_TRACE_REGION) {
        print_region(out, &trace->ranks[rank_index], record);
    } else if (wm_record_conveys(record)) {
        print_conveyor(out, trace, rank_index, record);
    } else {
        fputs(kind_words[record->kind], out);
        print_place(out, trace, node_of(trace, record->node));
    }
}

static char *clean_part(const char *text, size_t length)
{
    char *part = strndup(text, length), *clean = part != NULL ? wm_text_clean(part) : NULL;

    free(part);
    return clean;
}

/* Line `line` of the map without the blanks around it (new); "" where the text is not in the trace. */
static char *source_of(const struct wm_trace *trace, const struct wm_trace_node *node)
{
    const char *at = wm_trace_map_text(trace, node);
    size_t length;

    for (int line = 1; at != NULL && line < node->line; line++) {
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    if (at == NULL || node->line < 1)
        return strdup("");
    length = strcspn(at, "\n");
    while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '\r' || at[length - 1] == '\t'))
        length--;
    for (; length > 0 && (*at == ' ' || *at == '\t'); length--)
        at++;
    return clean_part(at, length);
}

/* Five fields and the line's text, quoted by `quote`, into `form`. The text is new, or NULL. */
static char *place_text(const char *form, char *(*quote)(const char *), const char *file,
                        const struct wm_trace_node *node, const char *source)
{
    char *words[] = {quote(file != NULL ? file : ""), quote(node->wrapper),
                     quote(node->label != NULL ? node->label : ""), quote(source)};
    char *text = NULL;

    if (words[0] != NULL && words[1] != NULL && words[2] != NULL && words[3] != NULL &&
        asprintf(&text, form, words[0], node->line, node->column, words[1], words[2], words[3]) < 0)
        text = NULL;
    for (int i = 0; i < 4; i++)
        free(words[i]);
    return text;
}

static void set_place(struct wm_name *name, const struct wm_trace *trace, const struct wm_trace_node *node)
{
    if (node == NULL) {
        name->source = strdup("");
        name->place_json = strdup("");
        name->place_csv = strdup(",,,,,");
        return;
    }
    name->source = source_of(trace, node);
    name->file = file_of(trace, node);
    name->line = node->line;
    if (name->source == NULL)
        return;
    name->place_json = place_text(",\"file\":%s,\"line\":%d,\"column\":%d,\"wrapper\":%s,\"label\":%s,\"source\":%s",
                                  wm_text_json, name->file, node, name->source);
    name->place_csv = place_text("%s,%d,%d,%s,%s,%s", wm_text_csv, name->file, node, name->source);
}

void wm_name_release(struct wm_name *name)
{
    free(name->text);
    free(name->json);
    free(name->csv);
    free(name->source);
    free(name->place_json);
    free(name->place_csv);
}

int wm_name_make(struct wm_name *name, const struct wm_trace *trace, int rank_index,
                 const struct wm_trace_record *record)
{
    char *raw = NULL;
    size_t length;
    FILE *out = open_memstream(&raw, &length);

    *name = (struct wm_name){.operation = -1, .kind = record->kind};
    if (out == NULL)
        return -WM_ENOMEM;
    print_name(out, trace, rank_index, record);
    if (fclose(out) == 0 && (name->text = wm_text_clean(raw)) != NULL) {
        name->json = wm_text_json(name->text);
        name->csv = wm_text_csv(name->text);
    }
    free(raw);
    if (record->kind != WM_TRACE_MARK && record->kind < WM_TRACE_CONVEY_STATE && record->kind != WM_TRACE_CLOCK &&
        record->flags < WM_OPERATION_COUNT)
        name->operation = record->flags;
    if (record->kind == WM_TRACE_WAIT)
        name->operation = record->flags < WM_OPERATION_COUNT ? record->flags : -1;
    set_place(name, trace, node_of(trace, record->node));
    if (name->text == NULL || name->json == NULL || name->csv == NULL || name->source == NULL)
        return -WM_ENOMEM;
    return name->place_json != NULL && name->place_csv != NULL ? 0 : -WM_ENOMEM;
}
