/* Instances for the page: shows the chosen ones again and prints each as a small timeline with its messages. */
#include <string.h>
#include "tools/analysis/critical.h"
#include "tools/analysis/observer.h"
#include "tools/report/page_bytes.h"
#include "tools/report/page_instances.h"
#include "tools/report/page_timeline.h"
#include "core/vector.h"

enum { PIECES_BYTES = 16000, PIECES_BYTES_MIN = 2000 };

/* The pieces of the instance that is being shown, as they come. */
struct piece {
    int member;
    struct wm_page_look look;
    int64_t begin_ns, end_ns;
};

struct drawing {
    const struct wm_page_instances *instances;
    const struct wm_page_choice *choices;
    int choice_count, printed;
    FILE *out;
    size_t budget_bytes;
    struct piece *pieces;
    size_t piece_count, piece_capacity;
    struct wm_critical_step *steps;
    size_t step_count, step_capacity;
    bool *is_critical; /* by message */
    size_t critical_capacity;
    int *lane_of_member; /* -1: not drawn */
    size_t lane_capacity;
    int lane_count, member_of_lane[WM_PAGE_LANES_MAX];
    int64_t begin_ns, end_ns;
    bool failed;
};

static int take_piece(void *context, const struct wm_instance *instance, const struct wm_region *region,
                      const struct wm_cost_piece *piece)
{
    struct drawing *drawing = context;

    (void)instance;
    if (wm_vector_reserve(&drawing->pieces, &drawing->piece_capacity, drawing->piece_count + 1,
                          sizeof *drawing->pieces) < 0)
        return -WM_ENOMEM;
    drawing->pieces[drawing->piece_count++] = (struct piece){
        region->member, {piece->kind, piece->node, region->node, region->operation}, piece->begin_ns, piece->end_ns};
    return 0;
}

static void take_step(void *context, const struct wm_critical_step *step)
{
    struct drawing *drawing = context;

    if (wm_vector_reserve(&drawing->steps, &drawing->step_capacity, drawing->step_count + 1, sizeof *drawing->steps) <
        0)
        drawing->failed = true;
    else
        drawing->steps[drawing->step_count++] = *step;
}

static const struct wm_page_choice *find_choice(const struct drawing *drawing, const struct wm_instance *instance)
{
    for (int i = 0; i < drawing->choice_count; i++)
        if (drawing->choices[i].note.communicator == instance->communicator->key &&
            drawing->choices[i].note.sequence == instance->sequence)
            return &drawing->choices[i];
    return NULL;
}

static void add_lane(struct drawing *drawing, int member)
{
    if (drawing->lane_count < WM_PAGE_LANES_MAX)
        drawing->lane_of_member[member] = drawing->lane_count++;
}

/* Which members are drawn: all, or those of the critical path and some at equal distances. In order of member. */
static int choose_lanes(struct drawing *drawing, const struct wm_instance *instance)
{
    int size = instance->communicator->size, stride = 1 + (size - 1) / (WM_PAGE_LANES_MAX / 2);

    if (wm_vector_reserve(&drawing->lane_of_member, &drawing->lane_capacity, (size_t)size + 1,
                          sizeof *drawing->lane_of_member) < 0)
        return -WM_ENOMEM;
    for (int i = 0; i < size; i++)
        drawing->lane_of_member[i] = -1;
    drawing->lane_count = 0;
    if (size > WM_PAGE_LANES_MAX) {
        for (int i = 0; i < size; i += stride)
            add_lane(drawing, i);
        for (size_t i = 0; i < drawing->step_count; i++)
            if (drawing->lane_of_member[drawing->steps[i].member] < 0)
                add_lane(drawing, drawing->steps[i].member);
    } else
        for (size_t i = 0; i < instance->part_count; i++)
            if (drawing->lane_of_member[instance->parts[i].member] < 0)
                add_lane(drawing, instance->parts[i].member);
    drawing->lane_count = 0;
    for (int i = 0; i < size; i++)
        if (drawing->lane_of_member[i] >= 0) {
            drawing->member_of_lane[drawing->lane_count] = i;
            drawing->lane_of_member[i] = drawing->lane_count++;
        }
    return 0;
}

static void find_extent(struct drawing *drawing, const struct wm_instance *instance)
{
    drawing->begin_ns = INT64_MAX;
    drawing->end_ns = INT64_MIN;
    for (size_t i = 0; i < instance->region_count; i++) {
        const struct wm_region *region = &instance->regions[i];
        int64_t last_ns = region->left ? region->leave_ns : region->enter_ns;

        if (!region->outermost)
            continue;
        if (region->enter_ns < drawing->begin_ns)
            drawing->begin_ns = region->enter_ns;
        if (last_ns > drawing->end_ns)
            drawing->end_ns = last_ns;
    }
}

/* One number of each lane's outermost region; "null" where there is none. */
static void print_regions(struct drawing *drawing, const struct wm_instance *instance, const char *name,
                          int64_t (*number)(const struct drawing *, const struct wm_region *))
{
    int64_t values[WM_PAGE_LANES_MAX];

    for (int i = 0; i < drawing->lane_count; i++)
        values[i] = WM_TIME_UNKNOWN;
    for (size_t i = 0; i < instance->region_count; i++)
        if (instance->regions[i].outermost && drawing->lane_of_member[instance->regions[i].member] >= 0)
            values[drawing->lane_of_member[instance->regions[i].member]] = number(drawing, &instance->regions[i]);
    fprintf(drawing->out, ",\"%s\":[", name);
    for (int i = 0; i < drawing->lane_count; i++)
        if (values[i] == WM_TIME_UNKNOWN)
            fprintf(drawing->out, "%snull", i ? "," : "");
        else
            fprintf(drawing->out, "%s%lld", i ? "," : "", (long long)values[i]);
    fputs("]", drawing->out);
}

static int64_t enter_of(const struct drawing *drawing, const struct wm_region *region)
{
    return region->enter_ns - drawing->begin_ns;
}

static int64_t leave_of(const struct drawing *drawing, const struct wm_region *region)
{
    return region->left ? region->leave_ns - drawing->begin_ns : WM_TIME_UNKNOWN;
}

static int64_t wait_of(const struct drawing *drawing, const struct wm_region *region)
{
    (void)drawing;
    return region->wait_ns;
}

static bool is_drawn(const struct drawing *drawing, const struct wm_trace_message *message)
{
    return message->send_post_ns != WM_TIME_UNKNOWN && message->receive_done_ns != WM_TIME_UNKNOWN &&
           drawing->lane_of_member[message->source] >= 0 && drawing->lane_of_member[message->destination] >= 0;
}

static void print_message(struct drawing *drawing, const struct wm_trace_message *message, bool critical, bool first)
{
    int64_t post_ns = message->receive_post_ns == WM_TIME_UNKNOWN ? message->receive_done_ns : message->receive_post_ns;

    fprintf(drawing->out, "%s[%d,%d,%lld,%lld,%lld,%llu,%d]", first ? "" : ",",
            drawing->lane_of_member[message->source], drawing->lane_of_member[message->destination],
            (long long)(message->send_post_ns - drawing->begin_ns), (long long)(post_ns - drawing->begin_ns),
            (long long)(message->receive_done_ns - drawing->begin_ns), (unsigned long long)message->bytes, critical);
}

/* Those of the critical path first, then others while there is room. */
static void print_messages(struct drawing *drawing, const struct wm_instance *instance, int messages_max)
{
    int printed = 0;

    fprintf(drawing->out, ",\"messages_total\":%zu,\"messages\":[", instance->message_count);
    for (int critical = 1; critical >= 0; critical--)
        for (size_t i = 0; i < instance->message_count && printed < messages_max; i++)
            if (drawing->is_critical[i] == (critical == 1) && is_drawn(drawing, &instance->messages[i]))
                print_message(drawing, &instance->messages[i], critical == 1, printed++ == 0);
    fputs("]", drawing->out);
}

/* From the end backwards, while there is room. */
static void print_critical(struct drawing *drawing, int steps_max)
{
    int printed = 0;

    fputs(",\"critical\":[", drawing->out);
    for (size_t i = 0; i < drawing->step_count && printed < steps_max; i++) {
        const struct wm_critical_step *step = &drawing->steps[i];

        if (drawing->lane_of_member[step->member] >= 0)
            fprintf(drawing->out, "%s[%d,%lld,%lld,%d]", printed++ ? "," : "", drawing->lane_of_member[step->member],
                    (long long)(step->begin_ns - drawing->begin_ns), (long long)(step->end_ns - drawing->begin_ns),
                    step->message != NULL);
    }
    fputs("],", drawing->out);
}

static int print_pieces(struct drawing *drawing, size_t budget_bytes)
{
    struct wm_page_timeline timeline;
    int rc = wm_page_timeline_init(&timeline, drawing->lane_count, drawing->begin_ns);

    for (size_t i = 0; i < drawing->piece_count && rc >= 0; i++) {
        const struct piece *piece = &drawing->pieces[i];
        int lane = drawing->lane_of_member[piece->member];

        if (lane >= 0)
            rc = wm_page_timeline_add(&timeline, lane, &piece->look, piece->begin_ns, piece->end_ns);
    }
    if (rc >= 0)
        rc = wm_page_timeline_fit(&timeline, budget_bytes);
    if (rc >= 0)
        rc = wm_page_timeline_print(&timeline, drawing->out);
    wm_page_timeline_release(&timeline);
    return rc;
}

static uint64_t bytes_of(const struct wm_instance *instance)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < instance->region_count; i++)
        if (instance->regions[i].outermost && instance->regions[i].bytes > bytes)
            bytes = instance->regions[i].bytes;
    return bytes;
}

static size_t bounded(size_t value, size_t low, size_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Lanes and their regions; the rest of the instance follows. */
static void print_lanes(struct drawing *drawing, const struct wm_instance *instance)
{
    fputs(",\"ranks\":[", drawing->out);
    for (int i = 0; i < drawing->lane_count; i++)
        fprintf(drawing->out, "%s%d", i ? "," : "", instance->communicator->ranks[drawing->member_of_lane[i]]);
    fputs("]", drawing->out);
    print_regions(drawing, instance, "enter_ns", enter_of);
    print_regions(drawing, instance, "leave_ns", leave_of);
    print_regions(drawing, instance, "wait_ns", wait_of);
}

static int print_instance(struct drawing *drawing, const struct wm_instance *instance,
                          const struct wm_page_choice *choice)
{
    const struct wm_page_worst *line = &drawing->instances->lines[choice->note.line];
    size_t share = drawing->budget_bytes / (size_t)drawing->choice_count;

    fprintf(drawing->out, "%s{\"communicator\":%u,\"sequence\":%u,\"node\":%u,\"operation\":\"%s\",\"median\":%s",
            drawing->printed++ ? ",\n" : "", instance->communicator->key, instance->sequence, line->node,
            wm_operation_name(line->operation), choice->median ? "true" : "false");
    fprintf(drawing->out, ",\"instances\":%llu,\"begin_ns\":%lld,\"duration_ns\":%lld,\"bytes\":%llu,\"members\":%d",
            (unsigned long long)line->instances, (long long)drawing->begin_ns,
            (long long)(drawing->end_ns - drawing->begin_ns), (unsigned long long)bytes_of(instance),
            instance->communicator->size);
    print_lanes(drawing, instance);
    print_messages(drawing, instance, (int)bounded(share / 120, 0, WM_PAGE_MESSAGES_MAX));
    print_critical(drawing, (int)bounded(share / 160, 0, WM_PAGE_STEPS_MAX));
    if (print_pieces(drawing, bounded(share / 4, PIECES_BYTES_MIN, PIECES_BYTES)) < 0)
        return -WM_ENOMEM;
    fputs("}", drawing->out);
    return 0;
}

/* Walk its critical path, and mark the messages on it. 0 or -WM_ENOMEM. */
static int find_path(struct drawing *drawing, const struct wm_instance *instance)
{
    if (wm_vector_reserve(&drawing->is_critical, &drawing->critical_capacity, instance->message_count + 1,
                          sizeof *drawing->is_critical) < 0)
        return -WM_ENOMEM;
    memset(drawing->is_critical, 0, (instance->message_count + 1) * sizeof *drawing->is_critical);
    drawing->step_count = 0;
    wm_critical_walk(instance, take_step, drawing);
    for (size_t i = 0; i < drawing->step_count; i++)
        if (drawing->steps[i].message != NULL)
            drawing->is_critical[drawing->steps[i].message - instance->messages] = true;
    return drawing->failed ? -WM_ENOMEM : 0;
}

static int take_instance(void *context, const struct wm_instance *instance)
{
    struct drawing *drawing = context;
    const struct wm_page_choice *choice = find_choice(drawing, instance);
    int rc = 0;

    if (choice != NULL) {
        rc = find_path(drawing, instance);
        if (rc >= 0)
            rc = choose_lanes(drawing, instance);
        find_extent(drawing, instance);
        if (rc >= 0)
            rc = print_instance(drawing, instance, choice);
    }
    drawing->piece_count = 0;
    return rc;
}

int wm_page_instances_print(struct wm_page_instances *instances, struct wm_trace *trace, size_t budget_bytes, FILE *out)
{
    struct wm_page_choice choices[WM_PAGE_CHOSEN_MAX];
    struct wm_instance_name names[WM_PAGE_CHOSEN_MAX];
    struct drawing drawing = {.instances = instances, .choices = choices, .out = out, .budget_bytes = budget_bytes};
    struct wm_observer observer = {&drawing, take_piece, take_instance};
    int rc = 0;

    drawing.choice_count = wm_page_instances_choose(instances, choices);
    for (int i = 0; i < drawing.choice_count; i++)
        names[i] = (struct wm_instance_name){choices[i].note.communicator, choices[i].note.sequence};
    fputs("[", out);
    if (drawing.choice_count > 0)
        rc = wm_analysis_replay(trace, names, (size_t)drawing.choice_count, &observer);
    fputs("]", out);
    free(drawing.pieces);
    free(drawing.steps);
    free(drawing.is_critical);
    free(drawing.lane_of_member);
    return rc;
}
