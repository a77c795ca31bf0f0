/* A machine written out as text, "node=4,core=8": places for a grid that one does not have. */
#include "core/path/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 1 << 17, RANKS_MAX = 1 << 22, HOSTS_MAX = 1024, ENTRIES_MAX = 64 };

/* Numbers given in turn to node after node: 4+2 is 4, 2, 4, 2, … */
struct turns {
    int count, numbers[ENTRIES_MAX];
};

struct machine {
    int nodes; /* 0: as many as there are hosts, or numbers of cores or clusters */
    struct turns cores;
    struct turns clusters; /* a number alone: of clusters, which are blocks of nodes; else each node's, from 1 */
    int sockets;           /* per node */
    int siblings;          /* per core, in one process */
    bool cyclic;
    const char *hosts[HOSTS_MAX]; /* of the nodes */
    int host_count;               /* 0: they are called node0, node1, … */
};

static int bad(struct wm_error *error, const char *text)
{
    return wm_error_set(error, -WM_EINVAL,
                        "'%s' is no machine; write node=NODES,core=CORES, for example node=4,core=8, "
                        "cluster=2,node=4, cluster=1+2,node=4, node=2,core=4+2, core=4,sibling=2, host=n1+n2,core=4 or "
                        "node=2,core=4,order=cyclic",
                        text);
}

/* Numbers joined by '+', each from 1. Returns how many, 0 when malformed. */
static int parse_numbers(const char *text, int *numbers, int max)
{
    int count = 0;

    for (;;) {
        char *end;
        long value = strtol(text, &end, 10);

        if (*text < '0' || *text > '9' || value < 1 || value > RANKS_MAX || count == max)
            return 0;
        numbers[count++] = (int)value;
        if (*end == '\0')
            return count;
        if (*end != '+')
            return 0;
        text = end + 1;
    }
}

static bool parse_turns(const char *text, struct turns *turns)
{
    turns->count = parse_numbers(text, turns->numbers, ENTRIES_MAX);
    return turns->count > 0;
}

/* Names joined by '+', which stay where they are. */
static bool parse_hosts(struct machine *machine, char *text)
{
    const char *host;

    machine->host_count = 0;
    while ((host = strsep(&text, "+")) != NULL) {
        if (host[0] == '\0' || strlen(host) >= WM_HOST_CHARS || machine->host_count == HOSTS_MAX)
            return false;
        machine->hosts[machine->host_count++] = host;
    }
    return true;
}

static bool parse_word(struct machine *machine, char *word)
{
    char *value = strchr(word, '=');

    if (value == NULL)
        return false;
    *value++ = '\0';
    if (strcmp(word, "node") == 0)
        return parse_numbers(value, &machine->nodes, 1) == 1 && machine->nodes <= NODES_MAX;
    if (strcmp(word, "cluster") == 0)
        return parse_turns(value, &machine->clusters);
    if (strcmp(word, "core") == 0)
        return parse_turns(value, &machine->cores);
    if (strcmp(word, "socket") == 0)
        return parse_numbers(value, &machine->sockets, 1) == 1;
    if (strcmp(word, "sibling") == 0)
        return parse_numbers(value, &machine->siblings, 1) == 1;
    if (strcmp(word, "host") == 0)
        return parse_hosts(machine, value);
    if (strcmp(word, "order") == 0 && (strcmp(value, "cyclic") == 0 || strcmp(value, "block") == 0)) {
        machine->cyclic = strcmp(value, "cyclic") == 0;
        return true;
    }
    return false;
}

static bool parse_words(struct machine *machine, char *text)
{
    char *rest;

    for (char *word = strtok_r(text, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest))
        if (!parse_word(machine, word))
            return false;
    return true;
}

static int number_of(const struct turns *turns, int node)
{
    return turns->numbers[node % turns->count];
}

static int cores_of(const struct machine *machine, int node)
{
    return number_of(&machine->cores, node);
}

static int cluster_of(const struct machine *machine, int node)
{
    if (machine->clusters.count == 1)
        return (int)((int64_t)node * machine->clusters.numbers[0] / machine->nodes);
    return number_of(&machine->clusters, node) - 1;
}

static void place_fill(const struct machine *machine, struct wm_place *place, int rank, int node, int core)
{
    place->world_rank = rank;
    place->node = node;
    place->cluster = cluster_of(machine, node);
    place->process = machine->siblings > 1 ? 1 + rank / machine->siblings : 0;
    place->socket = place->numa = core * machine->sockets / cores_of(machine, node);
    if (machine->host_count > 0)
        snprintf(place->host, sizeof place->host, "%s", machine->hosts[node]);
    else
        snprintf(place->host, sizeof place->host, "node%d", node);
}

/* The ranks of a core follow each other. Returns the next one. */
static int core_fill(const struct machine *machine, struct wm_place *places, int rank, int node, int core)
{
    for (int i = 0; i < machine->siblings; i++)
        place_fill(machine, &places[rank + i], rank + i, node, core);
    return rank + machine->siblings;
}

static void deal(const struct machine *machine, struct wm_place *places, int ranks)
{
    int rank = 0;

    if (!machine->cyclic)
        for (int node = 0; node < machine->nodes; node++)
            for (int core = 0; core < cores_of(machine, node); core++)
                rank = core_fill(machine, places, rank, node, core);
    for (int core = 0; rank < ranks; core++)
        for (int node = 0; node < machine->nodes; node++)
            if (core < cores_of(machine, node))
                rank = core_fill(machine, places, rank, node, core);
}

static int check_turns(const struct machine *machine, const struct turns *turns, const char *word, const char *text,
                       struct wm_error *error)
{
    if (turns->count <= machine->nodes)
        return 0;
    return wm_error_set(error, -WM_EINVAL, "'%s' has %s for %d nodes, but node=%d; write node=%d, or fewer %s", text,
                        word, turns->count, machine->nodes, turns->count, word);
}

/* How many nodes there are, as the words together say. */
static int find_nodes(struct machine *machine, const char *text, struct wm_error *error)
{
    int cores = machine->cores.count, clusters = machine->clusters.count, rc;

    if (machine->nodes == 0)
        machine->nodes = machine->host_count > 0 ? machine->host_count : cores > clusters ? cores : clusters;
    if (machine->host_count > 0 && machine->host_count != machine->nodes)
        return wm_error_set(error, -WM_EINVAL, "'%s' names %d hosts, but node=%d; leave out node, or name each host",
                            text, machine->host_count, machine->nodes);
    rc = check_turns(machine, &machine->cores, "cores", text, error);
    return rc < 0 ? rc : check_turns(machine, &machine->clusters, "clusters", text, error);
}

/* At least one, or -WM_EINVAL. */
static int count_ranks(const struct machine *machine, const char *text, struct wm_error *error)
{
    long total = 0;

    for (int node = 0; node < machine->nodes; node++)
        total += (long)cores_of(machine, node) * machine->siblings;
    if (total > RANKS_MAX)
        return wm_error_set(error, -WM_EINVAL, "'%s' has %ld ranks; at most %d are possible", text, total, RANKS_MAX);
    return (int)total;
}

static int no_memory(struct wm_error *error, const char *text)
{
    return wm_error_set(error, -WM_ENOMEM, "no memory for the machine '%s'", text);
}

int wm_grid_parse_machine(const char *text, struct wm_place **places, int *ranks, struct wm_error *error)
{
    struct machine machine = {.cores = {1, {1}}, .clusters = {1, {1}}, .sockets = 1, .siblings = 1};
    char *copy = strdup(text);
    int rc;

    *places = NULL;
    if (copy == NULL)
        return no_memory(error, text);
    rc = parse_words(&machine, copy) ? find_nodes(&machine, text, error) : bad(error, text);
    if (rc == 0)
        rc = count_ranks(&machine, text, error);
    if (rc > 0 && (*places = calloc((size_t)rc, sizeof **places)) == NULL)
        rc = no_memory(error, text);
    if (rc > 0) {
        *ranks = rc;
        deal(&machine, *places, rc);
    }
    free(copy);
    return rc > 0 ? 0 : rc;
}

/* ---- the other way ---- */

/* Who is together: nodes and clusters are numbered in the order of their first ranks. */
struct census {
    int ranks, nodes, clusters;
    int *node, *cluster; /* [rank] */
    int *on, *in;        /* [node]: its ranks, its cluster */
};

struct seat {
    int number, rank;
};

static int compare_seats(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;

    return x->number != y->number ? (x->number > y->number) - (x->number < y->number) : x->rank - y->rank;
}

/* Number them anew, in the order of their first ranks. Returns how many there are, 0 where there is no memory. */
static int number_by_first_ranks(int *numbers, int ranks)
{
    struct seat *seats = malloc(sizeof *seats * (size_t)ranks);
    int *first = malloc(sizeof *first * (size_t)ranks), count = 0;

    for (int r = 0; seats != NULL && r < ranks; r++)
        seats[r] = (struct seat){numbers[r], r};
    if (seats != NULL && first != NULL) {
        qsort(seats, (size_t)ranks, sizeof *seats, compare_seats);
        for (int i = 0; i < ranks; i++)
            first[seats[i].rank] =
                i > 0 && seats[i].number == seats[i - 1].number ? first[seats[i - 1].rank] : seats[i].rank;
        for (int r = 0; r < ranks; r++)
            numbers[r] = first[r] == r ? count++ : numbers[first[r]];
    }
    free(seats);
    free(first);
    return count;
}

static void release(struct census *c)
{
    free(c->node);
    free(c->cluster);
    free(c->on);
    free(c->in);
}

/* False: there is no memory. */
static bool take_census(struct census *c, const struct wm_place *places, int ranks)
{
    size_t bytes = sizeof(int) * (size_t)ranks;

    *c = (struct census){.ranks = ranks, .node = malloc(bytes), .cluster = malloc(bytes)};
    c->on = calloc(1, bytes);
    c->in = malloc(bytes);
    if (c->node == NULL || c->cluster == NULL || c->on == NULL || c->in == NULL)
        return false;
    for (int r = 0; r < ranks; r++) {
        c->node[r] = places[r].node;
        c->cluster[r] = places[r].cluster;
    }
    c->nodes = number_by_first_ranks(c->node, ranks);
    c->clusters = number_by_first_ranks(c->cluster, ranks);
    for (int r = 0; c->nodes > 0 && r < ranks; r++) {
        c->on[c->node[r]]++;
        c->in[c->node[r]] = c->cluster[r];
    }
    return c->nodes > 0 && c->clusters > 0;
}

/* Its numbers are in this order, too. */
static bool says(const char *text, const struct census *c)
{
    struct wm_error ignored;
    struct wm_place *said;
    bool same;
    int count;

    if (wm_grid_parse_machine(text, &said, &count, &ignored) < 0)
        return false;
    same = count == c->ranks;
    for (int r = 0; same && r < count; r++)
        same = said[r].node == c->node[r] && said[r].cluster == c->cluster[r];
    free(said);
    return same;
}

/* After how many nodes the numbers come again; ENTRIES_MAX: perhaps they do not. */
static int period_of(const int *numbers, int nodes)
{
    int period = 0, n;

    do {
        period++;
        for (n = period; n < nodes && numbers[n] == numbers[n - period]; n++)
            ;
    } while (n < nodes && period < ENTRIES_MAX);
    return period;
}

/* "4+2": what is given in turn to all nodes. */
static void append_turns(const int *numbers, int first, int nodes, char *text, size_t text_bytes)
{
    int count = period_of(numbers, nodes);

    for (int n = 0; n < count && strlen(text) + 16 < text_bytes; n++)
        wm_text_append(text, text_bytes, "%s%d", n > 0 ? "+" : "", first + numbers[n]);
}

/* Clusters in equal blocks of nodes, or each node's. */
static bool write_machine(const struct census *c, bool blocks, char *text, size_t text_bytes)
{
    text[0] = '\0';
    if (c->clusters > 1) {
        wm_text_append(text, text_bytes, "cluster=");
        if (blocks)
            wm_text_append(text, text_bytes, "%d", c->clusters);
        else
            append_turns(c->in, 1, c->nodes, text, text_bytes);
        wm_text_append(text, text_bytes, ",");
    }
    wm_text_append(text, text_bytes, "node=%d,core=", c->nodes);
    append_turns(c->on, 0, c->nodes, text, text_bytes);
    if (says(text, c))
        return true;
    wm_text_append(text, text_bytes, ",order=cyclic");
    return says(text, c);
}

bool wm_grid_write_machine(const struct wm_place *places, int ranks, char *text, size_t text_bytes)
{
    struct census c;
    bool written = take_census(&c, places, ranks) &&
                   (write_machine(&c, true, text, text_bytes) || write_machine(&c, false, text, text_bytes));

    release(&c);
    if (!written)
        text[0] = '\0';
    return written;
}
