/* Names: found again by what they depend on, and by their text, in two hash tables. */
#include "tools/convert/names.h"

#include <stdlib.h>
#include <string.h>
#include "core/hash.h"
#include "tools/convert/event.h"
#include "tools/convert/naming.h"
#include "core/vector.h"

/* All that a name depends on. */
struct key {
    uint32_t what;  /* kind, flags, node */
    uint32_t which; /* a mark or a statement, by rank; a conveyor's run: in `where` */
    uint64_t where;
};

struct slot {
    struct key key;
    uint32_t number; /* 0: empty */
};

struct wm_names {
    const struct wm_trace *trace;
    size_t count, capacity;
    struct wm_name *items; /* number - 1 */
    size_t slot_count, slot_used, text_slot_count;
    struct slot *slots;
    uint32_t *text_slots;
};

static uint64_t hash_of_key(const struct key *key)
{
    return wm_hash_add(wm_hash_add(WM_HASH_BEGIN, (uint64_t)key->what << 32 | key->which), key->where);
}

int wm_names_new(struct wm_names **names_out, const struct wm_trace *trace)
{
    struct wm_names *names = calloc(1, sizeof *names);

    *names_out = NULL;
    if (names == NULL)
        return -WM_ENOMEM;
    names->trace = trace;
    names->slot_count = names->text_slot_count = 256;
    names->slots = calloc(names->slot_count, sizeof *names->slots);
    names->text_slots = calloc(names->text_slot_count, sizeof *names->text_slots);
    if (names->slots == NULL || names->text_slots == NULL) {
        wm_names_free(names);
        return -WM_ENOMEM;
    }
    *names_out = names;
    return 0;
}

void wm_names_free(struct wm_names *names)
{
    if (names == NULL)
        return;
    for (size_t i = 0; i < names->count; i++)
        wm_name_release(&names->items[i]);
    free(names->items);
    free(names->slots);
    free(names->text_slots);
    free(names);
}

const struct wm_name *wm_names_get(const struct wm_names *names, uint32_t number)
{
    return &names->items[number - 1];
}

static int grow(struct wm_names *names)
{
    size_t count = 2 * names->slot_count;
    struct slot *slots = calloc(count, sizeof *slots);

    if (slots == NULL)
        return -WM_ENOMEM;
    for (size_t i = 0; i < names->slot_count; i++) {
        size_t at = hash_of_key(&names->slots[i].key) & (count - 1);

        if (names->slots[i].number == 0)
            continue;
        while (slots[at].number != 0)
            at = (at + 1) & (count - 1);
        slots[at] = names->slots[i];
    }
    free(names->slots);
    names->slots = slots;
    names->slot_count = count;
    return 0;
}

static int grow_texts(struct wm_names *names)
{
    size_t count = 2 * names->text_slot_count;
    uint32_t *slots = calloc(count, sizeof *slots);

    if (slots == NULL)
        return -WM_ENOMEM;
    for (uint32_t i = 0; i < names->count; i++) {
        size_t at = wm_hash_add_text(WM_HASH_BEGIN, names->items[i].text) & (count - 1);

        while (slots[at] != 0)
            at = (at + 1) & (count - 1);
        slots[at] = i + 1;
    }
    free(names->text_slots);
    names->text_slots = slots;
    names->text_slot_count = count;
    return 0;
}

/* The number of this text, whose name is new and taken over; 0: out of memory. */
static uint32_t keep(struct wm_names *names, struct wm_name *name)
{
    size_t at;

    if (2 * names->count >= names->text_slot_count && grow_texts(names) < 0)
        return 0;
    for (at = wm_hash_add_text(WM_HASH_BEGIN, name->text);; at++) {
        at &= names->text_slot_count - 1;
        if (names->text_slots[at] == 0)
            break;
        if (strcmp(names->items[names->text_slots[at] - 1].text, name->text) == 0) {
            wm_name_release(name);
            return names->text_slots[at];
        }
    }
    if (wm_vector_reserve(&names->items, &names->capacity, names->count + 1, sizeof *names->items) < 0)
        return 0;
    names->items[names->count++] = *name;
    names->text_slots[at] = (uint32_t)names->count;
    return (uint32_t)names->count;
}

static uint32_t make(struct wm_names *names, int rank_index, const struct wm_trace_record *record)
{
    struct wm_name name;
    uint32_t number = 0;

    if (wm_name_make(&name, names->trace, rank_index, record) == 0)
        number = keep(names, &name);
    if (number == 0)
        wm_name_release(&name);
    return number;
}

static struct key key_of(const struct wm_names *names, int rank_index, const struct wm_trace_record *record)
{
    uint8_t kind = record->kind == WM_TRACE_LEAVE ? WM_TRACE_ENTER : record->kind;
    struct key key = {(uint32_t)kind << 24 | (uint32_t)record->flags << 16 | record->node, 0, 0};

    if (kind == WM_TRACE_MARK) {
        key.which = (uint32_t)rank_index;
        key.where = record->argument;
    } else if (kind == WM_TRACE_REGION) {
        key.which = (uint32_t)rank_index;
        key.where = record->communicator;
    } else if (wm_record_of_statement(record)) {
        key.which = (uint32_t)rank_index;
        key.where = (uint32_t)record->peer;
    } else if (wm_record_conveys(record)) {
        key.which = wm_trace_communicator_key(&names->trace->ranks[rank_index], record->communicator);
        key.where = (uint64_t)(uintptr_t)wm_trace_conveyor_find(&names->trace->ranks[rank_index], record);
    }
    return key;
}

uint32_t wm_names_find(struct wm_names *names, int rank_index, const struct wm_trace_record *record)
{
    struct key key = key_of(names, rank_index, record);
    size_t at;
    uint32_t number;

    if (2 * names->slot_used >= names->slot_count && grow(names) < 0)
        return 0;
    for (at = hash_of_key(&key) & (names->slot_count - 1); names->slots[at].number != 0;
         at = (at + 1) & (names->slot_count - 1))
        if (names->slots[at].key.what == key.what && names->slots[at].key.which == key.which &&
            names->slots[at].key.where == key.where)
            return names->slots[at].number;
    number = make(names, rank_index, record);
    if (number != 0) {
        names->slots[at] = (struct slot){key, number};
        names->slot_used++;
    }
    return number;
}
