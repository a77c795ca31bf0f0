/* Predictions of conveyors, and what is told of them. */
#include "tools/predict/conveyors.h"

#include <string.h>
#include "tools/text/table.h"

enum { TEXT_BYTES = 512 };

/* The design that a path's rule makes, or none; its network and form; what the map answered. */
struct asking {
    struct wm_site_answer answer;
    struct wm_convey_design design;
    struct wm_network network;
    struct wm_convey_form form;
};

/* Of the wrapper at the map's place `node`, 0: the rule's. */
static int line_of(const struct wm_path *path, int node)
{
    for (int i = 0; node != 0 && i < path->wrapper_count; i++)
        if (path->wrappers[i].node == node)
            return path->wrappers[i].line;
    return path->rule_line;
}

static int ask(struct asking *a, const struct wm_site_map *map, const struct wm_site *site,
               const struct wm_map_question *question, struct wm_error *error)
{
    struct wm_facts facts;
    int rc = wm_scene_facts(question, site, &facts, error);

    if (rc == 0)
        rc = wm_site_ask(map, site, &facts, false, &a->answer, error);
    if (rc == 0)
        rc = wm_convey_design_make(&a->design, a->answer.path, &site->grid, error);
    if (rc == 0)
        rc = wm_network_init(&a->network, &a->design, &site->grid, NULL, error);
    if (rc == 0)
        a->form = wm_convey_form(&a->design, a->network.first, (size_t)facts.bytes, question->elastic);
    return rc;
}

static void correct(struct wm_convey_prediction *p, const struct wm_profile *profile)
{
    const struct wm_profile_row *row = wm_profile_find(profile, WM_PROFILE_ERROR, "conveyors", 0, 0, p->item_bytes);
    int64_t factor = row != NULL && strcmp(row->name, "conveyors") == 0 ? row->values[WM_ERROR_FACTOR].value : 0;

    p->stamp = wm_stamp_of(profile, p->ranks, p->time.measured);
    if (factor == 0)
        return;
    p->error_ppm = row->values[WM_ERROR_NINETY].value;
    p->time.time = 0;
    for (int i = 0; i < WM_CONVEY_TIME_PARTS; i++)
        p->time.time += p->time.parts[i] = (int64_t)((__int128)p->time.parts[i] * factor / 1000000);
    p->time.drain = (int64_t)((__int128)p->time.drain * factor / 1000000);
}

static int predict(struct wm_convey_prediction *p, struct asking *a, const struct wm_site *site,
                   const struct wm_profile *profile, struct wm_error *error)
{
    const struct wm_path *path = a->answer.path;
    struct wm_model model;
    int rc = wm_model_init(&model, profile, &site->grid);

    if (rc < 0)
        wm_error_set(error, rc, "no memory for the model");
    else
        rc = wm_convey_time_find(&p->time, &model, &a->network, &a->form, p->items, error);
    wm_model_release(&model);
    if (rc < 0)
        return rc;
    p->has_rule = a->answer.has_rule;
    p->rule_line = path->rule_line;
    p->buffers_line = line_of(path, a->design.aggregate_node);
    p->route_line = line_of(path, a->design.route_node);
    p->buffer_bytes = a->design.buffer_bytes;
    p->buffers = a->design.buffers;
    p->hops = a->network.first->hops;
    wm_prediction_label(p->label, path);
    wm_survey_make(&p->memory, &a->network, &a->form);
    correct(p, profile);
    return 0;
}

int wm_convey_predict(struct wm_convey_prediction *p, const struct wm_site_map *map, const struct wm_site *site,
                      const struct wm_map_question *question, uint64_t items, const struct wm_profile *profile,
                      struct wm_error *error)
{
    struct wm_map_question asked = *question;
    struct asking a = {0};
    int rc;

    asked.facts.operation = WM_CONVEYOR;
    asked.facts.load = items * asked.facts.bytes;
    *p = (struct wm_convey_prediction){.map = question->map,
                                       .machine = site->machine,
                                       .ranks = site->ranks,
                                       .items = items,
                                       .item_bytes = asked.facts.bytes};
    rc = ask(&a, map, site, &asked, error);
    if (rc == 0)
        rc = predict(p, &a, site, profile, error);
    wm_network_release(&a.network);
    wm_site_answer_release(&a.answer);
    return rc < 0 ? wm_site_map_place(map, error) : 0;
}

/* ---- text ---- */

/* "mine" of "/…/mine.scm". */
static struct wm_text short_name(const char *map)
{
    const char *slash = strrchr(map, '/');
    struct wm_text text;

    snprintf(text.text, sizeof text.text, "%.40s", slash != NULL ? slash + 1 : map);
    if (strlen(text.text) > 4 && strcmp(text.text + strlen(text.text) - 4, ".scm") == 0)
        text.text[strlen(text.text) - 4] = '\0';
    return text;
}

static double per_item_ns(const struct wm_convey_prediction *p)
{
    return (double)p->time.time * 1e-3 / (double)p->items;
}

static struct wm_text rate_text(const struct wm_convey_prediction *p)
{
    return wm_count_text((uint64_t)(1e9 / per_item_ns(p)));
}

static struct wm_text error_text(const struct wm_convey_prediction *p)
{
    struct wm_text text;

    if (p->error_ppm == 0)
        snprintf(text.text, sizeof text.text, "± ?");
    else
        snprintf(text.text, sizeof text.text, "± %d %%", (int)((p->error_ppm + 5000) / 10000));
    return text;
}

static int64_t round_ns(int64_t ps)
{
    return (ps + 500) / 1000;
}

static void print_table(const struct wm_convey_prediction *all, int count, const struct wm_terminal *terminal)
{
    static const char *const heads[] = {"map",     "machine", "item",  "items/s a rank", "ns an item",
                                        "the run", "±",       "drain", "memory a rank"};
    struct wm_table table;

    wm_table_init(&table, "llrrrrlrr");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        wm_table_cell(&table, "%s", heads[i]);
    for (int i = 0; i < count; i++) {
        const struct wm_convey_prediction *p = &all[i];

        wm_table_cell(&table, "%s", short_name(p->map).text);
        wm_table_cell(&table, "%s", p->machine);
        wm_table_cell(&table, "%s", wm_bytes_text(p->item_bytes).text);
        wm_table_cell(&table, "%s", rate_text(p).text);
        wm_table_cell(&table, "%.2f", per_item_ns(p));
        wm_table_cell(&table, "%s", wm_time_text(round_ns(p->time.time)).text);
        wm_table_cell(&table, "%s", error_text(p).text);
        wm_table_cell(&table, "%s", wm_time_text(round_ns(p->time.drain)).text);
        wm_table_cell(&table, "%s", wm_bytes_text(p->memory.most.total).text);
    }
    wm_table_print(&table, terminal);
}

/* The line of the map that a part belongs to; 0: none. */
static int part_line(const struct wm_convey_prediction *p, int part)
{
    switch (part) {
    case WM_CONVEY_TIME_BUFFERS:
        return p->buffers_line;
    case WM_CONVEY_TIME_RELAY:
    case WM_CONVEY_TIME_CROSS:
    case WM_CONVEY_TIME_CARD:
    case WM_CONVEY_TIME_END:
        return p->route_line;
    default:
        return p->rule_line;
    }
}

static void print_parts(const struct wm_convey_prediction *p, const struct wm_terminal *terminal)
{
    struct wm_table table;

    wm_table_init(&table, "rrrl");
    wm_table_cell(&table, "share");
    wm_table_cell(&table, "ns an item");
    wm_table_cell(&table, "line");
    wm_table_cell(&table, "what");
    for (int i = 0; i < WM_CONVEY_TIME_PARTS; i++) {
        if (p->time.parts[i] == 0)
            continue;
        wm_table_cell(&table, "%s", wm_share_text(p->time.parts[i], p->time.time).text);
        wm_table_cell(&table, "%.2f", (double)p->time.parts[i] * 1e-3 / (double)p->items);
        if (part_line(p, i) > 0)
            wm_table_cell(&table, "%d", part_line(p, i));
        else
            wm_table_cell(&table, "-");
        wm_table_cell(&table, "%s", wm_convey_time_name((enum wm_convey_time_part)i));
    }
    wm_table_print(&table, terminal);
}

static void print_one(const struct wm_convey_prediction *p, const struct wm_terminal *terminal)
{
    char text[TEXT_BYTES];

    fprintf(terminal->file, "\n%s%s%s: %s, ", wm_terminal_bold(terminal), short_name(p->map).text,
            wm_terminal_plain(terminal), wm_stamp_name(p->stamp));
    if (p->has_rule)
        fprintf(terminal->file, "%s%srule at line %d\n", p->label, p->label[0] != '\0' ? ", " : "", p->rule_line);
    else
        fprintf(terminal->file, "no rule: as a constructor that leaves all to the machine makes it\n");
    print_parts(p, terminal);
    snprintf(
        text, sizeof text,
        "%s, %.2f taken by an item on average; %s of %s a link. To begin and to reset a run like the one before takes "
        "%s more.%s%s",
        wm_number_text((uint64_t)p->hops, "hop").text, p->time.hops,
        wm_number_text((uint64_t)p->buffers, "buffer").text, wm_bytes_text(p->buffer_bytes).text,
        wm_time_text(round_ns(p->time.begin)).text,
        p->time.parts[WM_CONVEY_TIME_CARD] > 0 ? " The hosts' cards decide: the cores wait for them."
        : p->time.card > 0                     ? " The ranks' cores decide."
                                               : "",
        p->time.crowded ? " Hosts have fewer cores than ranks, which share them." : "");
    wm_terminal_wrap(terminal, "", text);
}

void wm_convey_predictions_text(const struct wm_convey_prediction *all, int count, const char *profile_name, FILE *out)
{
    struct wm_terminal terminal = wm_terminal_of(out);
    char text[TEXT_BYTES];

    snprintf(
        text, sizeof text,
        "conveyors, by the profile %s: every rank pushes %s to ranks that are drawn, one by one, and pulls what comes; "
        "what the program does besides is not in it",
        profile_name, wm_number_text(all[0].items, "item").text);
    wm_terminal_wrap(&terminal, "", text);
    print_table(all, count, &terminal);
    if (count == 1)
        print_one(all, &terminal);
}

/* ---- JSON ---- */

static json_t *memory_json(const struct wm_convey_memory *m)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "rings", (json_int_t)m->rings, "parcels", (json_int_t)m->parcels, "tables",
                     (json_int_t)m->tables, "total", (json_int_t)m->total);
}

static json_t *one_json(const struct wm_convey_prediction *p)
{
    json_t *parts = json_array();

    for (int i = 0; i < WM_CONVEY_TIME_PARTS; i++)
        json_array_append_new(parts,
                              json_pack("{s:s, s:i, s:I}", "what", wm_convey_time_name((enum wm_convey_time_part)i),
                                        "line", part_line(p, i), "ps", (json_int_t)p->time.parts[i]));
    return json_pack("{s:s, s:s, s:i, s:I, s:I, s:i, s:s, s:I, s:i, s:i, s:f, s:f, s:I, s:I, s:s, s:I, s:I, s:I, s:f, "
                     "s:b, s:o, s:o, s:o}",
                     "map", p->map, "machine", p->machine, "ranks", p->ranks, "items", (json_int_t)p->items, "bytes",
                     (json_int_t)p->item_bytes, "rule_line", p->has_rule ? p->rule_line : 0, "label", p->label,
                     "buffer_bytes", (json_int_t)p->buffer_bytes, "buffers", p->buffers, "hops", p->hops,
                     "items_per_second", 1e9 / per_item_ns(p), "ns_per_item", per_item_ns(p), "ps",
                     (json_int_t)p->time.time, "error_ppm", (json_int_t)p->error_ppm, "stamp", wm_stamp_name(p->stamp),
                     "card_ps", (json_int_t)p->time.card, "begin_ps", (json_int_t)p->time.begin, "drain_ps",
                     (json_int_t)p->time.drain, "hops_taken", p->time.hops, "crowded", p->time.crowded, "memory_least",
                     memory_json(&p->memory.least), "memory_most", memory_json(&p->memory.most), "parts", parts);
}

void wm_convey_predictions_json(const struct wm_convey_prediction *all, int count, const char *profile_name, FILE *out)
{
    json_t *list = json_array(), *json;

    for (int i = 0; i < count; i++)
        json_array_append_new(list, one_json(&all[i]));
    json = json_pack("{s:b, s:s, s:o}", "predicted", 1, "profile", profile_name, "conveyors", list);
    json_dumpf(json, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(json);
}
