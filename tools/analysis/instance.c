/* One instance: turns runs of records into regions, messages and works. */
#include "tools/analysis/instance.h"

#include <string.h>
#include "core/hash.h"
#include "core/vector.h"
#include "waymark/operation.h"

int wm_instance_init(struct wm_instance *instance, struct wm_trace *trace)
{
    *instance = (struct wm_instance){.trace = trace, .member_key = WM_TRACE_NO_COMMUNICATOR, .slot_count = 64};
    instance->slots = calloc(instance->slot_count, sizeof *instance->slots);
    instance->member_of_world = malloc((size_t)trace->job_ranks * sizeof *instance->member_of_world);
    if (instance->slots == NULL || instance->member_of_world == NULL)
        return -WM_ENOMEM;
    memset(instance->member_of_world, -1, (size_t)trace->job_ranks * sizeof *instance->member_of_world);
    return 0;
}

void wm_instance_release(struct wm_instance *instance)
{
    free(instance->parts);
    free(instance->regions);
    free(instance->sides);
    free(instance->works);
    free(instance->messages);
    free(instance->slots);
    free(instance->member_of_world);
}

static uint64_t hash_of(int source, int destination, uint32_t number)
{
    uint64_t ends = (uint64_t)(uint32_t)source << 32 | (uint32_t)destination;

    return wm_hash_add(wm_hash_add(WM_HASH_BEGIN, ends), number);
}

static uint64_t hash_of_message(const struct wm_trace_message *message)
{
    return hash_of(message->source, message->destination, message->number);
}

/* Empty the hash table: slot by slot while it is sparse, else all of it. */
static void clear_slots(struct wm_instance *instance)
{
    size_t mask = instance->slot_count - 1;

    if (instance->message_count * 4 > instance->slot_count) {
        memset(instance->slots, 0, instance->slot_count * sizeof *instance->slots);
        return;
    }
    for (size_t i = 0; i < instance->message_count; i++) {
        size_t at = hash_of_message(&instance->messages[i]) & mask;

        while (instance->slots[at] != 0) {
            instance->slots[at] = 0;
            at = (at + 1) & mask;
        }
    }
}

/* Which member of the communicator each world rank is. */
static void learn_members(struct wm_instance *instance, uint32_t key)
{
    const struct wm_trace *trace = instance->trace;
    const struct wm_trace_communicator *old = instance->communicator;

    if (key == instance->member_key)
        return;
    for (int i = 0; old != NULL && i < old->size; i++)
        if (old->ranks[i] < trace->job_ranks)
            instance->member_of_world[old->ranks[i]] = -1;
    instance->communicator = &trace->communicators[key];
    instance->member_key = key;
    for (int i = 0; i < instance->communicator->size; i++)
        if (instance->communicator->ranks[i] < trace->job_ranks)
            instance->member_of_world[instance->communicator->ranks[i]] = i;
}

void wm_instance_begin(struct wm_instance *instance, uint32_t communicator, uint32_t sequence)
{
    clear_slots(instance);
    learn_members(instance, communicator);
    instance->sequence = sequence;
    instance->part_count = instance->region_count = instance->side_count = 0;
    instance->work_count = instance->message_count = 0;
}

static int grow_slots(struct wm_instance *instance)
{
    size_t count = 2 * instance->slot_count;
    uint32_t *slots = calloc(count, sizeof *slots);

    if (slots == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < instance->message_count; i++) {
        size_t at = hash_of_message(&instance->messages[i]) & (count - 1);

        while (slots[at] != 0)
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(instance->slots);
    instance->slots = slots;
    instance->slot_count = count;
    return 0;
}

/* The message of this name, new if need be. Returns its index or a negative code. */
static int64_t find_message(struct wm_instance *instance, int source, int destination, uint64_t argument)
{
    uint32_t number = (uint32_t)(argument >> 40);
    size_t at;

    if (2 * instance->message_count >= instance->slot_count && grow_slots(instance) < 0)
        return -WM_ENOMEM;
    for (at = hash_of(source, destination, number);; at++) {
        at &= instance->slot_count - 1;
        if (instance->slots[at] == 0)
            break;
        const struct wm_trace_message *message = &instance->messages[instance->slots[at] - 1];

        if (message->source == source && message->destination == destination && message->number == number)
            return instance->slots[at] - 1;
    }
    if (wm_vector_reserve(&instance->messages, &instance->message_capacity, instance->message_count + 1,
                          sizeof *instance->messages) < 0)
        return -WM_ENOMEM;
    instance->messages[instance->message_count] = (struct wm_trace_message){
        source,          destination,     number,         0, 0, argument & 0xffffffffffu, WM_TIME_UNKNOWN,
        WM_TIME_UNKNOWN, WM_TIME_UNKNOWN, WM_TIME_UNKNOWN};
    instance->slots[at] = (uint32_t)++instance->message_count;
    return (int64_t)instance->message_count - 1;
}

static struct wm_region *find_region(struct wm_instance *instance, const struct wm_member_part *part, uint16_t node)
{
    for (size_t i = 0; i < part->region_count; i++)
        if (instance->regions[part->first_region + i].node == node)
            return &instance->regions[part->first_region + i];
    return NULL;
}

static uint32_t bit_of(const struct wm_instance *instance, const struct wm_member_part *part,
                       const struct wm_region *region)
{
    return 1u << (region - &instance->regions[part->first_region]);
}

static int enter(struct wm_instance *instance, struct wm_member_part *part, const struct wm_trace_record *record,
                 int64_t time_ns)
{
    struct wm_region *region = find_region(instance, part, record->node);

    if (region == NULL) {
        if (part->region_count == WM_REGIONS_PER_RANK || record->flags >= WM_OPERATION_COUNT) {
            instance->unknown++;
            return 0;
        }
        if (wm_vector_reserve(&instance->regions, &instance->region_capacity, instance->region_count + 1,
                              sizeof *instance->regions) < 0)
            return -WM_ENOMEM;
        region = &instance->regions[instance->region_count++];
        *region = (struct wm_region){
            .rank_index = part->rank_index,
            .member = part->member,
            .node = record->node,
            .operation = record->flags,
            .outermost = part->region_count == 0,
            .root = record->flags != WM_STATEMENT ? record->peer : -1,
            .enter_ns = time_ns,
            .late_member = -1,
        };
        part->region_count++;
    }
    region->depth++;
    region->pieces++;
    region->bytes += record->argument;
    part->open_regions |= bit_of(instance, part, region);
    return 0;
}

static int leave(struct wm_instance *instance, struct wm_member_part *part, const struct wm_trace_record *record,
                 int64_t time_ns)
{
    struct wm_region *region = find_region(instance, part, record->node);

    if (region == NULL || region->depth == 0) {
        instance->incomplete++;
        return 0;
    }
    region->leave_ns = time_ns > region->enter_ns ? time_ns : region->enter_ns;
    if (--region->depth > 0)
        return 0;
    region->left = true;
    part->open_regions &= ~bit_of(instance, part, region);
    return 0;
}

static int edge(struct wm_instance *instance, struct wm_member_part *part, const struct wm_trace_record *record,
                int64_t time_ns)
{
    bool receive = record->kind == WM_TRACE_RECV_POST || record->kind == WM_TRACE_RECV_DONE;
    bool post = record->kind == WM_TRACE_RECV_POST || record->kind == WM_TRACE_SEND_POST;
    struct wm_trace_message *message;
    int64_t index;

    if (record->peer < 0 || record->peer >= instance->communicator->size) {
        instance->unknown++;
        return 0;
    }
    index = find_message(instance, receive ? record->peer : part->member, receive ? part->member : record->peer,
                         record->argument);
    if (index < 0)
        return (int)index;
    message = &instance->messages[index];
    *(receive ? &message->receive_node : &message->send_node) = record->node;
    if (!post) {
        *(receive ? &message->receive_done_ns : &message->send_done_ns) = time_ns;
        return 0;
    }
    *(receive ? &message->receive_post_ns : &message->send_post_ns) = time_ns;
    if (wm_vector_reserve(&instance->sides, &instance->side_capacity, instance->side_count + 1,
                          sizeof *instance->sides) < 0)
        return -WM_ENOMEM;
    instance->sides[instance->side_count++] = (struct wm_trace_side){(uint32_t)index, receive, part->open_regions};
    part->side_count++;
    return 0;
}

static int work(struct wm_instance *instance, struct wm_member_part *part, const struct wm_trace_record *record,
                int64_t time_ns)
{
    const struct wm_trace_rank *rank = &instance->trace->ranks[part->rank_index];

    if (wm_vector_reserve(&instance->works, &instance->work_capacity, instance->work_count + 1,
                          sizeof *instance->works) < 0)
        return -WM_ENOMEM;
    instance->works[instance->work_count++] = (struct wm_attributed_work){
        time_ns - wm_trace_duration_ns(rank, record->argument), time_ns, record->node, record->kind == WM_TRACE_SHARED};
    part->work_count++;
    return 0;
}

/* The program sat in MPI_Wait or its like until now. */
static int flight(struct wm_instance *instance, struct wm_member_part *part, const struct wm_trace_record *record,
                  int64_t time_ns)
{
    const struct wm_trace_rank *rank = &instance->trace->ranks[part->rank_index];

    part->flight_wait_ns += wm_trace_duration_ns(rank, record->argument);
    part->flight_end_ns = time_ns;
    return 0;
}

static int (*const takers[WM_TRACE_KIND_COUNT])(struct wm_instance *, struct wm_member_part *,
                                                const struct wm_trace_record *, int64_t) = {
    [WM_TRACE_ENTER] = enter,    [WM_TRACE_LEAVE] = leave,    [WM_TRACE_SEND_POST] = edge, [WM_TRACE_SEND_DONE] = edge,
    [WM_TRACE_RECV_POST] = edge, [WM_TRACE_RECV_DONE] = edge, [WM_TRACE_REDUCE] = work,    [WM_TRACE_COPY] = work,
    [WM_TRACE_SHARED] = work,    [WM_TRACE_WAIT] = flight,
};

/* The part of the run's rank: the last one, or a new one. NULL: out of memory. */
static struct wm_member_part *part_of(struct wm_instance *instance, const struct wm_trace_run *run, int member)
{
    struct wm_member_part *part = instance->part_count ? &instance->parts[instance->part_count - 1] : NULL;
    const struct wm_trace_rank *rank = &instance->trace->ranks[run->rank_index];

    if (part != NULL && part->rank_index == run->rank_index)
        return part;
    if (wm_vector_reserve(&instance->parts, &instance->part_capacity, instance->part_count + 1,
                          sizeof *instance->parts) < 0)
        return NULL;
    part = &instance->parts[instance->part_count++];
    *part = (struct wm_member_part){
        .rank_index = run->rank_index,
        .member = member,
        .cut = rank->first > 0 && run->first == rank->first,
        .flight_end_ns = WM_TIME_UNKNOWN,
        .first_region = instance->region_count,
        .first_side = instance->side_count,
        .first_work = instance->work_count,
    };
    return part;
}

static int take(struct wm_instance *instance, struct wm_member_part *part, struct wm_trace_rank *rank, uint64_t number)
{
    const struct wm_trace_record *found = wm_trace_record_get(rank, number);
    struct wm_trace_record record;
    int64_t time_ns;

    if (found == NULL)
        return 0;
    record = *found;                 /* a live job may overwrite it between a check and its use */
    if (takers[record.kind] == NULL) /* clocks and conveyors may stand between those of a call */
        return 0;
    time_ns = wm_trace_ns(rank, record.time_ticks);
    if (wm_trace_plausible(rank, time_ns))
        return takers[record.kind](instance, part, &record, time_ns);
    instance->unknown++;
    return 0;
}

int wm_instance_add(struct wm_instance *instance, const struct wm_trace_run *run)
{
    struct wm_trace_rank *rank = &instance->trace->ranks[run->rank_index];
    int member = instance->member_of_world[rank->rank];
    struct wm_member_part *part;

    if (member < 0) {
        instance->unknown += run->count;
        return 0;
    }
    part = part_of(instance, run, member);
    if (part == NULL)
        return -WM_ENOMEM;
    for (uint64_t number = run->first; number < run->first + run->count; number++)
        if (take(instance, part, rank, number) < 0)
            return -WM_ENOMEM;
    if (part->cut) { /* of a call whose beginning is lost nothing can be said */
        instance->incomplete += part->region_count;
        instance->region_count = part->first_region;
        part->region_count = 0;
        part->open_regions = 0;
    }
    return 0;
}
