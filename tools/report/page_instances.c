/* Instances for the page: notes how long each took, and chooses the ones that are drawn. */
#include "tools/report/page_instances.h"

#include <string.h>
#include "core/vector.h"

static struct wm_page_worst *find_line(struct wm_page_instances *instances, const struct wm_region *region)
{
    for (size_t i = 0; i < instances->line_count; i++)
        if (instances->lines[i].node == region->node && instances->lines[i].operation == region->operation)
            return &instances->lines[i];
    if (wm_vector_reserve(&instances->lines, &instances->line_capacity, instances->line_count + 1,
                          sizeof *instances->lines) < 0)
        return NULL;
    instances->lines[instances->line_count] =
        (struct wm_page_worst){.node = region->node, .operation = region->operation};
    return &instances->lines[instances->line_count++];
}

/* An insertion sort of a handful. */
static void keep_worst(struct wm_page_worst *line, const struct wm_page_note *note)
{
    int at = line->count;

    while (at > 0 && line->worst[at - 1].duration_ns < note->duration_ns)
        at--;
    if (at == WM_PAGE_WORST)
        return;
    if (line->count < WM_PAGE_WORST)
        line->count++;
    memmove(&line->worst[at + 1], &line->worst[at], (size_t)(line->count - 1 - at) * sizeof line->worst[0]);
    line->worst[at] = *note;
}

static int keep_note(struct wm_page_instances *instances, const struct wm_page_note *note)
{
    if (instances->step == 0)
        instances->step = 1;
    if (++instances->skipped < instances->step)
        return 0;
    instances->skipped = 0;
    if (instances->note_count == WM_PAGE_NOTES_MAX) {
        for (size_t i = 0; i < WM_PAGE_NOTES_MAX / 2; i++)
            instances->notes[i] = instances->notes[2 * i];
        instances->note_count /= 2;
        instances->step *= 2;
    }
    if (wm_vector_reserve(&instances->notes, &instances->note_capacity, instances->note_count + 1,
                          sizeof *instances->notes) < 0)
        return -WM_ENOMEM;
    instances->notes[instances->note_count++] = *note;
    return 0;
}

int wm_page_instances_add(struct wm_page_instances *instances, const struct wm_instance *instance)
{
    const struct wm_region *first = NULL;
    int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;
    struct wm_page_worst *line;
    struct wm_page_note note;

    for (size_t i = 0; i < instance->region_count; i++) {
        const struct wm_region *region = &instance->regions[i];
        int64_t last_ns = region->left ? region->leave_ns : region->enter_ns;

        if (!region->outermost)
            continue;
        if (first == NULL)
            first = region;
        if (region->enter_ns < begin_ns)
            begin_ns = region->enter_ns;
        if (last_ns > end_ns)
            end_ns = last_ns;
    }
    line = first == NULL ? NULL : find_line(instances, first);
    if (line == NULL)
        return first == NULL ? 0 : -WM_ENOMEM;
    note = (struct wm_page_note){end_ns - begin_ns, (uint32_t)(line - instances->lines), instance->communicator->key,
                                 instance->sequence};
    line->instances++;
    keep_worst(line, &note);
    return keep_note(instances, &note);
}

void wm_page_instances_release(struct wm_page_instances *instances)
{
    free(instances->notes);
    free(instances->lines);
}

static int compare_notes(const void *a, const void *b)
{
    const struct wm_page_note *x = a, *y = b;

    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->duration_ns > y->duration_ns) - (x->duration_ns < y->duration_ns);
}

struct chosen {
    struct wm_page_choice *choices;
    int count;
};

static void choose(struct chosen *chosen, const struct wm_page_note *note, bool median)
{
    for (int i = 0; i < chosen->count; i++)
        if (chosen->choices[i].note.communicator == note->communicator &&
            chosen->choices[i].note.sequence == note->sequence)
            return;
    if (chosen->count < WM_PAGE_CHOSEN_MAX)
        chosen->choices[chosen->count++] = (struct wm_page_choice){*note, median};
}

/* The median of a line, when it has more than its worst: of notes that are sorted. */
static void choose_median(struct chosen *chosen, const struct wm_page_instances *instances, uint32_t line)
{
    size_t first = 0, end;

    while (first < instances->note_count && instances->notes[first].line < line)
        first++;
    for (end = first; end < instances->note_count && instances->notes[end].line == line;)
        end++;
    if (end > first)
        choose(chosen, &instances->notes[first + (end - first) / 2], true);
}

static int compare_worst(const void *a, const void *b)
{
    const struct wm_page_note *x = a, *y = b;

    return (x->duration_ns < y->duration_ns) - (x->duration_ns > y->duration_ns);
}

/* The worst of all lines, each with the median of its line. */
static void choose_worst_of_all(struct chosen *chosen, const struct wm_page_instances *instances)
{
    struct wm_page_note worst[2 * WM_PAGE_WORST];
    int count = 0;

    for (size_t i = 0; i < instances->line_count; i++) {
        const struct wm_page_worst *line = &instances->lines[i];

        memcpy(&worst[count], line->worst, (size_t)line->count * sizeof line->worst[0]);
        count += line->count;
        qsort(worst, (size_t)count, sizeof worst[0], compare_worst);
        if (count > WM_PAGE_WORST)
            count = WM_PAGE_WORST;
    }
    for (int i = 0; i < count; i++)
        choose(chosen, &worst[i], false);
    for (int i = 0; i < count; i++)
        choose_median(chosen, instances, worst[i].line);
}

int wm_page_instances_choose(struct wm_page_instances *instances, struct wm_page_choice choices[WM_PAGE_CHOSEN_MAX])
{
    struct chosen chosen = {choices, 0};

    if (instances->note_count == 0)
        return 0;
    qsort(instances->notes, instances->note_count, sizeof *instances->notes, compare_notes);
    choose_worst_of_all(&chosen, instances);
    /* Then of each line the median and its worst, the worst of all lines before the second worst. */
    for (size_t i = 0; i < instances->line_count; i++)
        choose_median(&chosen, instances, (uint32_t)i);
    for (int rank = 0; rank < WM_PAGE_WORST; rank++)
        for (size_t i = 0; i < instances->line_count; i++)
            if (rank < instances->lines[i].count)
                choose(&chosen, &instances->lines[i].worst[rank], false);
    return chosen.count;
}
