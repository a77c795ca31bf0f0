/* Definitions: reads rank-NNNNN.json, a JSON object a line, and matches communicators across ranks. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/hash.h"
#include "tracer/reader.h"

/* A line that names RANK_MAX ranks is as long. */
enum { ID_MAX = 1 << 20, NODE_MAX = UINT16_MAX, RANK_MAX = 1 << 20, LINE_BYTES_MAX = 1 << 23 };

/* What a line may be that cannot be used. */
enum { DAMAGED = 1, ANOTHER_RANK = 2 };

/* A distinct list of world ranks and the communicators over it, in the order of definition. A rank's nth
 * definition of the list means the nth communicator; `reader_rank` and `seen` count for the rank that is
 * being read. */
struct list {
    uint64_t hash;
    int size;
    int32_t *ranks;
    uint32_t *keys;
    uint32_t key_count;
    int reader_rank;
    uint32_t seen;
};

struct wm_trace_index {
    struct list *lists;
    uint32_t list_count;
    uint32_t *slots; /* hash table: list + 1, 0: empty */
    uint32_t slot_count;
};

static char *string_of(const json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));

    return strdup(value != NULL ? value : "");
}

static int integer_of(const json_t *object, const char *name, json_int_t low, json_int_t high, int fallback)
{
    const json_t *value = json_object_get(object, name);

    if (!json_is_integer(value) || json_integer_value(value) < low || json_integer_value(value) > high)
        return fallback;
    return (int)json_integer_value(value);
}

static int replace(char **string, char *value)
{
    free(*string);
    *string = value;
    return value != NULL ? 0 : -WM_ENOMEM;
}

static uint64_t bytes_of(const json_t *object, const char *name)
{
    json_int_t value = json_integer_value(json_object_get(object, name));

    return value > 0 ? (uint64_t)value : 0;
}

static void read_processors(struct wm_trace_rank *rank, const json_t *list)
{
    const json_t *entry;
    size_t i;

    memset(rank->processors, 0, sizeof rank->processors);
    json_array_foreach (list, i, entry)
        if (json_is_integer(entry) && json_integer_value(entry) >= 0 &&
            json_integer_value(entry) < 64 * WM_TRACE_PROCESSOR_WORDS)
            rank->processors[json_integer_value(entry) / 64] |= UINT64_C(1) << json_integer_value(entry) % 64;
}

static int define_rank(struct wm_trace *trace, struct wm_trace_rank *rank, const json_t *object)
{
    const json_t *pid = json_object_get(object, "pid");

    if (integer_of(object, "rank", 0, RANK_MAX, rank->rank) != rank->rank)
        return ANOTHER_RANK;
    rank->ranks = integer_of(object, "ranks", rank->rank + 1, RANK_MAX, 0); /* so its own rank is never stale */
    rank->pid = json_is_integer(pid) ? (long)json_integer_value(pid) : 0;
    rank->process = integer_of(object, "process", 0, RANK_MAX, 0);
    rank->siblings = integer_of(object, "siblings", 1, RANK_MAX, 0);
    rank->sibling = integer_of(object, "sibling", 0, rank->siblings - 1, 0);
    rank->mpi_eager_bytes = bytes_of(object, "mpi_eager_bytes");
    rank->mpi_eager_far_bytes = bytes_of(object, "mpi_eager_far_bytes");
    rank->shm_eager_bytes = bytes_of(object, "shm_eager_bytes");
    rank->p2p = json_is_true(json_object_get(object, "p2p"));
    read_processors(rank, json_object_get(object, "processors"));
    if (replace(&rank->host, string_of(object, "host")) < 0 ||
        replace(&rank->program, string_of(object, "program")) < 0 ||
        replace(&rank->version, string_of(object, "version")) < 0)
        return -WM_ENOMEM;
    if (trace->map_file == NULL && json_is_string(json_object_get(object, "map_file")) &&
        replace(&trace->map_file, string_of(object, "map_file")) < 0)
        return -WM_ENOMEM;
    if (trace->map_text == NULL && json_is_string(json_object_get(object, "map_text")) &&
        replace(&trace->map_text, string_of(object, "map_text")) < 0)
        return -WM_ENOMEM;
    return 0;
}

static int define_clock(struct wm_trace *trace, struct wm_trace_rank *rank, const json_t *object)
{
    (void)trace; /* the trace file's header has the rest, and is written with it */
    return replace(&rank->boot, string_of(object, "boot"));
}

static int define_node(struct wm_trace *trace, struct wm_trace_rank *rank, const json_t *object)
{
    int number = integer_of(object, "node", 0, NODE_MAX, -1);
    struct wm_trace_node *node;

    (void)rank;
    if (number < 0)
        return DAMAGED;
    if (number >= trace->node_count) {
        node = realloc(trace->nodes, (size_t)(number + 1) * sizeof *node);
        if (node == NULL)
            return -WM_ENOMEM;
        memset(node + trace->node_count, 0, (size_t)(number + 1 - trace->node_count) * sizeof *node);
        trace->nodes = node;
        trace->node_count = number + 1;
    }
    node = &trace->nodes[number];
    if (node->wrapper != NULL)
        return 0;
    node->line = integer_of(object, "line", 1, INT_MAX, 0);
    node->column = integer_of(object, "column", 1, INT_MAX, 0);
    node->wrapper = string_of(object, "wrapper");
    node->label = string_of(object, "label");
    node->operation = string_of(object, "operation");
    node->map_file = json_is_string(json_object_get(object, "map_file")) ? string_of(object, "map_file") : NULL;
    return node->wrapper != NULL && node->label != NULL && node->operation != NULL ? 0 : -WM_ENOMEM;
}

const struct wm_trace_map *wm_trace_map_find(const struct wm_trace *trace, int number)
{
    for (int i = 0; i < trace->map_count; i++)
        if (number >= trace->maps[i].first_node && number <= trace->maps[i].last_node)
            return &trace->maps[i];
    return NULL;
}

const char *wm_trace_map_text(const struct wm_trace *trace, const struct wm_trace_node *node)
{
    const struct wm_trace_map *map;

    if (node->map_file == NULL)
        return trace->map_text;
    map = wm_trace_map_find(trace, (int)(node - trace->nodes));
    return map != NULL ? map->text : NULL;
}

static int define_map(struct wm_trace *trace, struct wm_trace_rank *rank, const json_t *object)
{
    struct wm_trace_map *maps, map = {.first_node = integer_of(object, "first_node", 1, NODE_MAX, -1)};

    (void)rank;
    if (map.first_node < 0 || (map.last_node = integer_of(object, "last_node", map.first_node, NODE_MAX, -1)) < 0)
        return DAMAGED;
    if (wm_trace_map_find(trace, map.first_node) != NULL)
        return 0;
    if ((maps = realloc(trace->maps, (size_t)(trace->map_count + 1) * sizeof *maps)) == NULL)
        return -WM_ENOMEM;
    trace->maps = maps;
    map.file = string_of(object, "file");
    map.text = string_of(object, "text");
    maps[trace->map_count++] = map;
    return map.file != NULL && map.text != NULL ? 0 : -WM_ENOMEM;
}

static uint64_t hash_of(const int32_t *ranks, int size)
{
    uint64_t hash = wm_hash_add(WM_HASH_BEGIN, (uint64_t)size);

    for (int i = 0; i < size; i++)
        hash = wm_hash_add(hash, (uint32_t)ranks[i]);
    return hash;
}

static int grow_slots(struct wm_trace_index *index)
{
    uint32_t count = index->slot_count ? 2 * index->slot_count : 64;
    uint32_t *slots = calloc(count, sizeof *slots);

    if (slots == NULL)
        return -WM_ENOMEM;
    for (uint32_t i = 0; i < index->list_count; i++) {
        uint64_t at = index->lists[i].hash;

        while (slots[at & (count - 1)] != 0)
            at++;
        slots[at & (count - 1)] = i + 1;
    }
    free(index->slots);
    index->slots = slots;
    index->slot_count = count;
    return 0;
}

/* The entry for these ranks; takes `ranks` over. NULL: out of memory. */
static struct list *find_list(struct wm_trace_index *index, int32_t *ranks, int size)
{
    uint64_t hash = hash_of(ranks, size);
    struct list *list;
    uint64_t at;

    if (2 * index->list_count >= index->slot_count && grow_slots(index) < 0)
        goto fail;
    for (at = hash; index->slots[at & (index->slot_count - 1)] != 0; at++) {
        list = &index->lists[index->slots[at & (index->slot_count - 1)] - 1];
        if (list->hash == hash && list->size == size && memcmp(list->ranks, ranks, (size_t)size * sizeof *ranks) == 0) {
            free(ranks);
            return list;
        }
    }
    if ((index->list_count & (index->list_count - 1)) == 0) {
        list = realloc(index->lists, (index->list_count ? 2 * (size_t)index->list_count : 1) * sizeof *list);
        if (list == NULL)
            goto fail;
        index->lists = list;
    }
    index->slots[at & (index->slot_count - 1)] = index->list_count + 1;
    list = &index->lists[index->list_count++];
    *list = (struct list){.hash = hash, .size = size, .ranks = ranks, .reader_rank = -1};
    return list;
fail:
    free(ranks);
    return NULL;
}

static int add_communicator(struct wm_trace *trace, struct list *list, const json_t *object)
{
    uint32_t key = trace->communicator_count;
    struct wm_trace_communicator *communicators;
    uint32_t *keys;

    keys = realloc(list->keys, (list->key_count + 1) * sizeof *keys);
    if (keys == NULL)
        return -WM_ENOMEM;
    list->keys = keys;
    if ((key & (key - 1)) == 0) {
        communicators = realloc(trace->communicators, (key ? 2 * (size_t)key : 1) * sizeof *communicators);
        if (communicators == NULL)
            return -WM_ENOMEM;
        trace->communicators = communicators;
    }
    trace->communicators[key] = (struct wm_trace_communicator){
        .key = key, .name = string_of(object, "name"), .size = list->size, .ranks = list->ranks};
    trace->communicator_count++;
    list->keys[list->key_count++] = key;
    return trace->communicators[key].name != NULL ? 0 : -WM_ENOMEM;
}

static int set_key(struct wm_trace_rank *rank, uint32_t id, uint32_t key)
{
    uint32_t length = rank->communicator_ids ? rank->communicator_ids : 16;
    uint32_t *keys;

    while (length <= id)
        length *= 2;
    if (length > rank->communicator_ids) {
        keys = realloc(rank->communicator_keys, length * sizeof *keys);
        if (keys == NULL)
            return -WM_ENOMEM;
        memset(keys + rank->communicator_ids, 0, (length - rank->communicator_ids) * sizeof *keys);
        rank->communicator_keys = keys;
        rank->communicator_ids = length;
    }
    rank->communicator_keys[id] = key + 1;
    return 0;
}

/* The array of world ranks; NULL when it is not one, or out of memory. */
static int32_t *ranks_of(const json_t *array, int *size)
{
    size_t count = json_array_size(array);
    int32_t *ranks = count > 0 && count <= RANK_MAX ? malloc(count * sizeof *ranks) : NULL;

    for (size_t i = 0; ranks != NULL && i < count; i++) {
        const json_t *value = json_array_get(array, i);

        if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > RANK_MAX) {
            free(ranks);
            return NULL;
        }
        ranks[i] = (int32_t)json_integer_value(value);
    }
    *size = (int)count;
    return ranks;
}

static int define_communicator(struct wm_trace *trace, struct wm_trace_rank *rank, const json_t *object)
{
    int id = integer_of(object, "id", 0, ID_MAX, -1);
    int size, rc = 0;
    int32_t *ranks = id >= 0 ? ranks_of(json_object_get(object, "ranks"), &size) : NULL;
    struct list *list;

    if (ranks == NULL)
        return DAMAGED;
    list = find_list(trace->index, ranks, size);
    if (list == NULL)
        return -WM_ENOMEM;
    if (list->reader_rank != rank->rank)
        list->seen = 0;
    list->reader_rank = rank->rank;
    if (list->seen++ == list->key_count)
        rc = add_communicator(trace, list, object);
    return rc < 0 ? rc : set_key(rank, (uint32_t)id, list->keys[list->seen - 1]);
}

/* A name that came after the communicator. */
static int define_name(struct wm_trace *trace, struct wm_trace_rank *rank, const json_t *object)
{
    int id = integer_of(object, "communicator", 0, ID_MAX, -1);
    uint32_t key = id >= 0 ? wm_trace_communicator_key(rank, (uint32_t)id) : WM_TRACE_NO_COMMUNICATOR;

    if (key == WM_TRACE_NO_COMMUNICATOR)
        return DAMAGED;
    return replace(&trace->communicators[key].name, string_of(object, "name"));
}

static int define_conveyor(struct wm_trace *trace, struct wm_trace_rank *rank, const json_t *object)
{
    int count = rank->conveyor_count, rc;
    struct wm_trace_conveyor *grown;

    (void)trace;
    if ((count & (count - 1)) == 0) {
        grown = realloc(rank->conveyors, (count > 0 ? 2 * (size_t)count : 1) * sizeof *grown);
        if (grown == NULL)
            return -WM_ENOMEM;
        rank->conveyors = grown;
    }
    rc = wm_trace_conveyor_read(&rank->conveyors[count], object);
    rank->conveyor_count += rc == 0;
    return rc;
}

static int define_mark(struct wm_trace *trace, struct wm_trace_rank *rank, const json_t *object)
{
    int id = integer_of(object, "id", 0, ID_MAX, -1), count = rank->mark_count;
    struct wm_trace_mark *grown;

    (void)trace;
    if (id < 0 || !json_is_string(json_object_get(object, "name")))
        return 1;
    if ((count & (count - 1)) == 0) {
        grown = realloc(rank->marks, (count > 0 ? 2 * (size_t)count : 1) * sizeof *grown);
        if (grown == NULL)
            return -WM_ENOMEM;
        rank->marks = grown;
    }
    rank->marks[count] = (struct wm_trace_mark){.id = (uint32_t)id, .name = string_of(object, "name")};
    rank->mark_count += rank->marks[count].name != NULL;
    return rank->marks[count].name != NULL ? 0 : -WM_ENOMEM;
}

static int define_protocol(struct wm_trace *trace, struct wm_trace_rank *rank, const json_t *object)
{
    int count = rank->protocol_count;
    struct wm_trace_protocol *grown, protocol = {.id = (uint32_t)integer_of(object, "protocol", 0, ID_MAX, 0),
                                                 .endpoint = integer_of(object, "endpoint", 0, INT_MAX, -1),
                                                 .endpoints = integer_of(object, "endpoints", 0, INT_MAX, 0)};

    (void)trace;
    if (protocol.id == 0 || protocol.endpoint < 0 || !json_is_string(json_object_get(object, "name")))
        return 1;
    if ((count & (count - 1)) == 0) {
        grown = realloc(rank->protocols, (count > 0 ? 2 * (size_t)count : 1) * sizeof *grown);
        if (grown == NULL)
            return -WM_ENOMEM;
        rank->protocols = grown;
    }
    if ((protocol.name = string_of(object, "name")) == NULL)
        return -WM_ENOMEM;
    rank->protocols[rank->protocol_count++] = protocol;
    return 0;
}

/* Numbers ascend. */
static int define_superblock(struct wm_trace *trace, struct wm_trace_rank *rank, const json_t *object)
{
    int number = integer_of(object, "superblock", 0, ID_MAX, -1), count = rank->superblock_count;
    struct wm_trace_superblock *grown;

    (void)trace;
    if (number < 0 || !json_is_string(json_object_get(object, "name")) ||
        (count > 0 && (uint32_t)number <= rank->superblocks[count - 1].number))
        return DAMAGED;
    if ((count & (count - 1)) == 0) {
        grown = realloc(rank->superblocks, (count > 0 ? 2 * (size_t)count : 1) * sizeof *grown);
        if (grown == NULL)
            return -WM_ENOMEM;
        rank->superblocks = grown;
    }
    rank->superblocks[count] =
        (struct wm_trace_superblock){.number = (uint32_t)number, .name = string_of(object, "name")};
    rank->superblock_count += rank->superblocks[count].name != NULL;
    return rank->superblocks[count].name != NULL ? 0 : -WM_ENOMEM;
}

/* Numbers ascend. */
static int define_statement(struct wm_trace *trace, struct wm_trace_rank *rank, const json_t *object)
{
    int count = rank->statement_count, rc;
    struct wm_trace_statement *grown, statement;

    (void)trace;
    if ((count & (count - 1)) == 0) {
        grown = realloc(rank->statements, (count > 0 ? 2 * (size_t)count : 1) * sizeof *grown);
        if (grown == NULL)
            return -WM_ENOMEM;
        rank->statements = grown;
    }
    rc = wm_trace_statement_read(&statement, object);
    if (rc != 0)
        return rc;
    if (count > 0 && statement.number <= rank->statements[count - 1].number) {
        wm_trace_statement_release(&statement);
        return DAMAGED;
    }
    rank->statements[rank->statement_count++] = statement;
    return 0;
}

/* Returns 0; DAMAGED for a line that is not understood; ANOTHER_RANK; -WM_ENOMEM. Definitions of unknown kinds are for
 * later versions. */
static int define_line(struct wm_trace *trace, struct wm_trace_rank *rank, const char *line, size_t length)
{
    static const struct {
        const char *name;
        int (*define)(struct wm_trace *, struct wm_trace_rank *, const json_t *);
    } definitions[] = {
        {"rank", define_rank},
        {"clock", define_clock},
        {"communicator", define_communicator},
        {"node", define_node},
        {"map", define_map},
        {"conveyor", define_conveyor},
        {"mark", define_mark},
        {"name", define_name},
        {"protocol", define_protocol},
        {"statement", define_statement},
        {"superblock", define_superblock},
    };
    json_t *object = json_loadb(line, length, JSON_ALLOW_NUL, NULL);
    const char *name = json_string_value(json_object_get(object, "define"));
    int rc = name == NULL;

    for (size_t i = 0; name != NULL && i < sizeof definitions / sizeof definitions[0]; i++)
        if (strcmp(definitions[i].name, name) == 0)
            rc = definitions[i].define(trace, rank, object);
    json_decref(object);
    return rc;
}

struct line {
    char *text;
    size_t length, capacity;
};

/* The next line, or of a longer one its first LINE_BYTES_MAX bytes. 1, 0 at the end, or -WM_ENOMEM. */
static int read_line(struct line *line, FILE *file)
{
    int c;

    line->length = 0;
    while ((c = getc_unlocked(file)) != EOF && c != '\n') {
        if (line->length == LINE_BYTES_MAX)
            continue;
        if (line->length == line->capacity) {
            size_t more = line->capacity > 0 ? 2 * line->capacity : 1 << 10;
            char *grown = realloc(line->text, more);

            if (grown == NULL)
                return -WM_ENOMEM;
            line->text = grown;
            line->capacity = more;
        }
        line->text[line->length++] = (char)c;
    }
    return c != EOF || line->length > 0;
}

static int read_lines(struct wm_trace *trace, struct wm_trace_rank *rank, FILE *file, const char *name)
{
    struct line line = {0};
    int damaged = 0, rc;

    while ((rc = read_line(&line, file)) > 0) {
        rc = line.length < LINE_BYTES_MAX ? define_line(trace, rank, line.text, line.length) : DAMAGED;
        damaged += rc > 0;
        if (rc < 0 || rc == ANOTHER_RANK)
            break;
    }
    free(line.text);
    if (rc == ANOTHER_RANK)
        return wm_trace_warn(trace, "'%s' is the file of another rank, and left out", name);
    if (rc >= 0 && damaged > 0)
        rc = wm_trace_warn(trace, "'%s' has %d damaged line%s, left out", name, damaged, damaged == 1 ? "" : "s");
    return rc < 0 ? rc : 0;
}

/* NULL: there is no such file. A pipe is none, and must not make us wait. */
static FILE *open_regular(const char *name)
{
    int number = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    FILE *file = NULL;

    if (number >= 0 && fstat(number, &status) == 0 && S_ISREG(status.st_mode))
        file = fdopen(number, "r");
    if (number >= 0 && file == NULL)
        close(number);
    return file;
}

int wm_trace_define(struct wm_trace *trace, struct wm_trace_rank *rank)
{
    char name[PATH_MAX];
    FILE *file;
    int rc;

    rank->host = strdup("");
    rank->program = strdup("");
    rank->version = strdup("");
    rank->boot = strdup("");
    if (trace->index == NULL)
        trace->index = calloc(1, sizeof *trace->index);
    if (!rank->host || !rank->program || !rank->version || !rank->boot || trace->index == NULL)
        return -WM_ENOMEM;
    snprintf(name, sizeof name, "%s/rank-%05d.json", trace->directory, rank->rank);
    file = open_regular(name);
    if (file == NULL)
        return wm_trace_warn(trace, "'%s' cannot be read: the communicators of rank %d are unknown", name, rank->rank);
    rc = read_lines(trace, rank, file, name);
    fclose(file);
    return rc;
}

void wm_trace_definitions_free(struct wm_trace *trace)
{
    for (int i = 0; i < trace->node_count; i++) {
        free(trace->nodes[i].wrapper);
        free(trace->nodes[i].label);
        free(trace->nodes[i].operation);
        free(trace->nodes[i].map_file);
    }
    free(trace->nodes);
    for (uint32_t i = 0; i < trace->communicator_count; i++)
        free(trace->communicators[i].name);
    free(trace->communicators);
    for (uint32_t i = 0; trace->index != NULL && i < trace->index->list_count; i++) {
        free(trace->index->lists[i].ranks);
        free(trace->index->lists[i].keys);
    }
    if (trace->index != NULL) {
        free(trace->index->lists);
        free(trace->index->slots);
    }
    free(trace->index);
    free(trace->map_file);
    free(trace->map_text);
    for (int i = 0; i < trace->map_count; i++) {
        free(trace->maps[i].file);
        free(trace->maps[i].text);
    }
    free(trace->maps);
}
