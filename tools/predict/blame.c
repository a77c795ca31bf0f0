/* The way to the last item, walked back. */
#include "tools/predict/blame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    struct wm_time_blame *blame;
    const struct wm_simulation *s;
    const struct wm_path *path;
    int line;
    int64_t left; /* of what is being divided */
    struct wm_sim_skip skips[WM_GAPS_MAX];
};

static int line_of(const struct walk *w, int step)
{
    int node = wm_program_planned(w->s->program, step)->node;

    for (int i = 0; i < w->path->wrapper_count; i++)
        if (w->path->wrappers[i].node == node)
            return w->path->wrappers[i].line;
    return 0;
}

/* So much of what is left, no more than that, is the parameter's. */
static void give(struct walk *w, int64_t time, int section, int parameter, int level, int net)
{
    struct wm_time_blame *b = w->blame;
    struct wm_blame_part *part = b->parts;

    time = time < w->left ? time : w->left;
    if (time <= 0)
        return;
    w->left -= time;
    for (; part < b->parts + b->count; part++)
        if (part->line == w->line && part->section == section && part->parameter == parameter && part->level == level &&
            part->net == net)
            break;
    if (part == b->parts + WM_BLAME_PARTS_MAX)
        part--;
    else if (part == b->parts + b->count)
        b->parts[b->count++] = (struct wm_blame_part){
            .line = w->line, .section = section, .parameter = parameter, .level = level, .net = net};
    part->time += time;
    part->count++;
    if (section >= 0)
        b->sections[section] += time;
}

/* A message's link and row. */
struct way {
    const struct wm_model_link *link;
    const int64_t *row;
    int level, net;
    uint64_t bytes;
};

static struct way way_of(const struct walk *w, int step)
{
    const struct wm_program_step *message = &w->s->program->steps[step];
    int rank = w->s->program->steps[step].owner;
    struct way way = {.link = wm_simulation_link(w->s, step),
                      .level = wm_model_level(w->s->model, rank, message->peer),
                      .net = message->net,
                      .bytes = wm_simulation_bytes(w->s, message)};

    way.row = wm_model_message(way.link, way.bytes)->values;
    return way;
}

static void give_message(struct walk *w, const struct way *way, int parameter, bool by_bytes)
{
    give(w, by_bytes ? wm_model_bytes(way->row[parameter], way->bytes) : way->row[parameter], WM_PROFILE_MESSAGE,
         parameter, way->level, way->net);
}

static void give_received(struct walk *w, int step)
{
    struct way way = way_of(w, step);

    give_message(w, &way, WM_MESSAGE_RECEIVE, false);
    if (!wm_simulation_asks(w->s, step))
        give_message(w, &way, WM_MESSAGE_RECEIVE_BYTE, true);
    if (wm_simulation_step(w->s, step)->crossed)
        give_message(w, &way, WM_MESSAGE_CROSS, false);
}

static void give_kernel(struct walk *w, const struct wm_program_step *step)
{
    bool combines = step->kind == WM_STEP_REDUCE;

    give(w, w->s->model->kernels[combines]->values[WM_KERNEL_CALL], WM_PROFILE_KERNEL, WM_KERNEL_CALL, combines, 0);
    give(w, w->left, WM_PROFILE_KERNEL, WM_KERNEL_BYTE, combines, 0);
}

/* A step's own part in its item. */
static void give_run(struct walk *w, int step)
{
    const struct wm_program_step *run = &w->s->program->steps[step];
    struct way way;

    give(w, w->s->model->engine[WM_ENGINE_STEP], WM_PROFILE_ENGINE, WM_ENGINE_STEP, 0, 0);
    switch ((enum wm_step_kind)run->kind) {
    case WM_STEP_SEND:
        way = way_of(w, step);
        give_message(w, &way, WM_MESSAGE_SEND, false);
        give_message(w, &way, WM_MESSAGE_SEND_BYTE, true);
        return;
    case WM_STEP_RECV:
        way = way_of(w, step);
        give_received(w, step);
        give(w, wm_model_bytes(way.link->values[WM_LINK_UNEXPECTED_BYTE], way.bytes), WM_PROFILE_LINK,
             WM_LINK_UNEXPECTED_BYTE, way.level, way.net);
        give(w, w->left, WM_PROFILE_LINK, WM_LINK_POSTED, way.level, way.net);
        return;
    case WM_STEP_REDUCE:
    case WM_STEP_COPY:
        give_kernel(w, run);
        return;
    default:
        return;
    }
}

static void give_met(struct walk *w, int step)
{
    int seat;
    const struct wm_shared *shared = wm_simulation_shared(w->s, step, &seat)->shared;
    struct wm_model_cost cost = wm_model_shared(w->s->model, (enum wm_shared_kind)shared->kind, shared->size,
                                                (uint64_t)wm_shared_units(shared) * w->s->program->unit_bytes);

    if (w->left == cost.post && cost.post < cost.call + cost.moved + cost.more) {
        give(w, w->left, WM_PROFILE_SHARED, WM_SHARED_POST, shared->kind, 0);
        return;
    }
    give(w, cost.call, WM_PROFILE_SHARED, WM_SHARED_CALL, shared->kind, 0);
    give(w, cost.moved, WM_PROFILE_SHARED, WM_SHARED_BYTE, shared->kind, 0);
    give(w, w->left, WM_PROFILE_SHARED, WM_SHARED_ORDER, shared->kind, 0);
}

/* Whoever is asked may read the data at once. */
static void give_read(struct walk *w, int step)
{
    struct way way = way_of(w, step);

    give(w, w->s->model->engine[WM_ENGINE_POLL], WM_PROFILE_ENGINE, WM_ENGINE_POLL, 0, 0);
    give(w, way.link->values[WM_LINK_HANDSHAKE], WM_PROFILE_LINK, WM_LINK_HANDSHAKE, way.level, way.net);
    give_message(w, &way, WM_MESSAGE_BYTE, true);
}

/* What counts of the time between two moments (tools/predict/crowd.h). */
static int64_t counted(const struct walk *w, int64_t from, int64_t to)
{
    int64_t begin = from > w->s->crowd.begin ? from : w->s->crowd.begin;

    return to > begin ? to - begin : 0;
}

static void give_item(struct walk *w, const struct wm_sim_item *item)
{
    int step = (int)item->step;

    w->left = counted(w, item->start, item->end);
    switch ((enum wm_item_kind)item->kind) {
    case WM_ITEM_RUN:
        give_run(w, step);
        break;
    case WM_ITEM_LANDED:
        give(w, w->s->model->engine[WM_ENGINE_POLL], WM_PROFILE_ENGINE, WM_ENGINE_POLL, 0, 0);
        give_received(w, step);
        {
            struct way way = way_of(w, step);

            give(w, w->left, WM_PROFILE_LINK, WM_LINK_POSTED, way.level, way.net);
        }
        break;
    case WM_ITEM_MET:
        give_met(w, step);
        break;
    case WM_ITEM_ASKED:
        give_read(w, step);
        break;
    default:
        break;
    }
    give(w, w->left, WM_PROFILE_ENGINE, WM_ENGINE_POLL, 0, 0);
}

/* What a flow took beyond its own rate: the others' on what it shares with them. */
static void give_sharing(struct walk *w, int send, const struct way *way)
{
    const struct wm_model *m = w->s->model;
    const struct wm_program_step *message = &w->s->program->steps[send];
    int rank = w->s->program->steps[send].owner;

    if (message->held)
        give(w, w->left, WM_BLAME_DELAY, 0, 0, 0);
    else if (w->s->crowd.hosts != NULL)
        give(w, w->left, WM_PROFILE_HOST, WM_HOST_YIELD, 0, 0);
    else if (wm_simulation_asks(w->s, send) && way->row[WM_MESSAGE_SEND_BYTE] > 0)
        give(w, w->left, WM_PROFILE_MESSAGE, WM_MESSAGE_SEND_BYTE, way->level, way->net);
    else if (m->cuts[way->level][WM_CUT_OUT] > 0)
        give(w, w->left, WM_PROFILE_CUT, WM_CUT_OUT, way->level, 0);
    else if (m->grid->node[rank] == m->grid->node[message->peer])
        give(w, w->left, WM_PROFILE_HOST, WM_HOST_MEMORY, 0, 0);
    else
        give(w, w->left, WM_PROFILE_HOST, WM_HOST_OUT, 0, 0);
}

/* Was all that the item waits for done by the one that it waited for? */
static bool is_read(const struct walk *w, const struct wm_sim_item *item)
{
    return (item->kind == WM_ITEM_SENT || item->kind == WM_ITEM_LANDED) && wm_simulation_asks(w->s, (int)item->step) &&
           wm_simulation_reads(w->s, (int)item->step);
}

/* What passed between an item and the one that it waited for. */
static void give_gap(struct walk *w, const struct wm_sim_item *item)
{
    int step = (int)item->step;
    bool sends = w->s->program->steps[step].kind == WM_STEP_SEND;
    struct way way;

    if (w->left == 0)
        return;
    if (item->cause < 0) {
        give(w, w->left, WM_PROFILE_ENGINE, WM_ENGINE_FLIGHT, 0, 0);
        return;
    }
    if (item->kind == WM_ITEM_RUN || item->kind == WM_ITEM_MET || is_read(w, item)) {
        give(w, w->left, WM_PROFILE_HOST, WM_HOST_YIELD, 0, 0);
        return;
    }
    way = way_of(w, step);
    if (item->kind == WM_ITEM_ANSWERED)
        give(w, w->left, WM_PROFILE_LINK, WM_LINK_HANDSHAKE, way.level, way.net);
    if (item->kind == WM_ITEM_ASKED || item->kind == WM_ITEM_LANDED)
        give_message(w, &way, WM_MESSAGE_LATENCY, false);
    if (item->kind == WM_ITEM_LANDED || item->kind == WM_ITEM_SENT)
        give_message(w, &way, WM_MESSAGE_BYTE, true);
    give_sharing(w, sends ? step : w->s->program->steps[step].partner, &way);
}

static int compare_parts(const void *left, const void *right)
{
    const struct wm_blame_part *a = left, *b = right;

    if (a->time != b->time)
        return a->time < b->time ? 1 : -1;
    return a->line != b->line ? a->line - b->line : a->parameter - b->parameter;
}

/* What stands for many is walked through as often. */
static int cause_of(struct walk *w, int item)
{
    int cause = w->s->items[item].cause;

    for (struct wm_sim_skip *skip = w->skips; cause >= 0 && skip < w->skips + w->s->skip_count; skip++)
        if (item >= skip->first && cause < skip->first && skip->times > 0) {
            skip->times--;
            cause += skip->count;
        }
    return cause;
}

void wm_blame_walk(struct wm_time_blame *blame, const struct wm_simulation *s, const struct wm_path *path)
{
    struct walk w = {.blame = blame, .s = s, .path = path};

    *blame = (struct wm_time_blame){0};
    memcpy(w.skips, s->skips, sizeof w.skips);
    for (int i = s->last; i >= 0; i = cause_of(&w, i)) {
        const struct wm_sim_item *item = &s->items[i];

        w.line = line_of(&w, (int)item->step);
        give_item(&w, item);
        w.left = counted(&w, item->cause >= 0 ? s->items[item->cause].end : 0, item->start);
        w.line = item->cause >= 0 ? w.line : 0;
        give_gap(&w, item);
    }
    w.left = s->end;
    for (int i = 0; i < blame->count; i++)
        w.left -= blame->parts[i].time;
    give(&w, w.left, WM_PROFILE_ENGINE, WM_ENGINE_FLIGHT, 0, 0);
    qsort(blame->parts, (size_t)blame->count, sizeof *blame->parts, compare_parts);
}

void wm_blame_add(struct wm_time_blame *blame, enum wm_profile_section section, int parameter, int64_t time)
{
    struct walk w = {.blame = blame, .left = time};

    give(&w, time, (int)section, parameter, 0, 0);
    qsort(blame->parts, (size_t)blame->count, sizeof *blame->parts, compare_parts);
}

const char *wm_blame_text(const struct wm_blame_part *p, const struct wm_model *m, char out[WM_BLAME_CHARS])
{
    static const char *const nets[] = {[WM_NET_MPI] = "mpi", [WM_NET_SHM] = "shm"};
    const char *key;

    if (p->section == WM_BLAME_DELAY) {
        snprintf(out, WM_BLAME_CHARS, "delay");
        return out;
    }
    key = wm_profile_parameter((enum wm_profile_section)p->section, p->parameter)->key;
    if (p->section == WM_PROFILE_LINK || p->section == WM_PROFILE_MESSAGE)
        snprintf(out, WM_BLAME_CHARS, "%s of %s by %s", key, wm_model_level_name(m->grid, p->level), nets[p->net]);
    else if (p->section == WM_PROFILE_CUT)
        snprintf(out, WM_BLAME_CHARS, "%s of a group of %s", key, wm_model_level_name(m->grid, p->level));
    else if (p->section == WM_PROFILE_KERNEL)
        snprintf(out, WM_BLAME_CHARS, "%s of %s", key, p->level ? "combine" : "copy");
    else if (p->section == WM_PROFILE_SHARED)
        snprintf(out, WM_BLAME_CHARS, "%s of shared %s", key, wm_shared_name((enum wm_shared_kind)p->level));
    else
        snprintf(out, WM_BLAME_CHARS, "%s of %s", key, wm_profile_section_key((enum wm_profile_section)p->section));
    return out;
}
