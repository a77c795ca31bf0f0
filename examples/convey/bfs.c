/* Breadth-first search of a Kronecker graph, level by level, by a handler.
 *
 * What arrives is given to a function within convey_advance, so the search itself only pushes: nothing is pulled.
 * Every level is a run of the same conveyor: begin, push, advance until done, reset. */
#include <mpi.h>
#include <stdlib.h>
#include "waymark/convey.h"
#include "waymark/mark.h"
#include "examples/convey/dealt.h"
#include "examples/convey/kronecker.h"
#include "examples/convey/random.h"

struct visit {
    int64_t place, parent; /* of a vertex at the rank that gets this */
};

struct search {
    const struct job *job;
    struct matrix graph;
    int64_t vertices;
    int64_t *parent, *level;  /* [places] -1: not reached */
    int64_t *frontier, *next; /* places of the vertices of this level, and of the next one */
    int64_t frontier_count, next_count;
    int64_t depth;
};

/* The handler: vertices that are reached for the first time make the next level. */
static void reach(void *context, const void *items, size_t count, int64_t from)
{
    const struct visit *visit = items;
    struct search *s = context;

    (void)from;
    for (size_t i = 0; i < count; i++)
        if (s->parent[visit[i].place] < 0) {
            s->parent[visit[i].place] = visit[i].parent;
            s->level[visit[i].place] = s->depth;
            s->next[s->next_count++] = visit[i].place;
        }
}

static void push_neighbours(struct search *s, convey_t *c, int64_t place)
{
    for (int64_t at = s->graph.start[place]; at < s->graph.start[place + 1]; at++) {
        int64_t vertex = s->graph.column[at];
        struct visit visit = {dealt_place(s->job, vertex), dealt_number(s->job, place)};

        while (convey_push(c, &visit, dealt_rank(s->job, vertex)) == convey_FAIL)
            convey_advance(c, false);
    }
}

static void run_level(struct search *s, convey_t *c)
{
    int64_t *reached;

    s->depth++;
    if (convey_begin(c, sizeof(struct visit), 0) != convey_OK)
        job_give_up(s->job, "a conveyor cannot begin");
    for (int64_t i = 0; i < s->frontier_count; i++)
        push_neighbours(s, c, s->frontier[i]);
    while (convey_advance(c, true) > convey_DONE)
        continue;
    convey_reset(c);
    reached = s->next;
    s->next = s->frontier;
    s->frontier = reached;
    s->frontier_count = s->next_count;
    s->next_count = 0;
}

static void search(struct search *s, convey_t *c, int64_t root)
{
    struct visit first = {dealt_place(s->job, root), root};

    for (int64_t place = 0; place < s->graph.places; place++)
        s->parent[place] = s->level[place] = -1;
    s->depth = 0;
    if (dealt_rank(s->job, root) == s->job->rank)
        reach(s, &first, 1, 0);
    s->frontier[0] = first.place;
    s->frontier_count = s->next_count;
    s->next_count = 0;
    wm_trace_mark("search"); /* where each begins, if the run is traced */
    while (job_sum(s->frontier_count) > 0) {
        wm_trace_mark("level");
        run_level(s, c);
    }
}

/* Entries of the graph that the last search looked at. */
static int64_t scanned(const struct search *s)
{
    int64_t count = 0;

    for (int64_t place = 0; place < s->graph.places; place++)
        if (s->level[place] >= 0)
            count += s->graph.start[place + 1] - s->graph.start[place];
    return job_sum(count);
}

static void serial_levels(const struct matrix *graph, int64_t root, int64_t *level, int64_t *queue)
{
    int64_t head = 0, tail = 0;

    for (int64_t vertex = 0; vertex < graph->places; vertex++)
        level[vertex] = -1;
    level[root] = 0;
    for (queue[tail++] = root; head < tail; head++)
        for (int64_t at = graph->start[queue[head]]; at < graph->start[queue[head] + 1]; at++)
            if (level[graph->column[at]] < 0) {
                level[graph->column[at]] = level[queue[head]] + 1;
                queue[tail++] = graph->column[at];
            }
}

static bool neighbours(const struct matrix *graph, int64_t a, int64_t b)
{
    for (int64_t at = graph->start[a]; at < graph->start[a + 1]; at++)
        if (graph->column[at] == b)
            return true;
    return false;
}

/* Levels are what they are; parents may be any neighbour of the level before. */
static int64_t differences(const struct search *s, const struct generator *g, int64_t root)
{
    int64_t *level = dealt_gather(s->job, s->level, s->vertices),
            *parent = dealt_gather(s->job, s->parent, s->vertices);
    struct job alone = {.name = s->job->name, .rank = 0, .ranks = 1};
    struct matrix graph;
    int64_t *serial, *queue, wrong = 0;

    if (s->job->rank > 0)
        return 0;
    matrix_make_alone(&graph, &alone, g);
    serial = job_memory(s->job, s->vertices, sizeof *serial);
    queue = job_memory(s->job, s->vertices, sizeof *queue);
    serial_levels(&graph, root, serial, queue);
    for (int64_t v = 0; v < s->vertices; v++)
        wrong += level[v] != serial[v] ||
                 (level[v] > 0 && (serial[parent[v]] != level[v] - 1 || !neighbours(&graph, v, parent[v])));
    matrix_release(&graph);
    free(serial);
    free(queue);
    free(level);
    free(parent);
    return wrong;
}

static void prepare(struct search *s, const struct job *job, const struct generator *g)
{
    s->job = job;
    s->vertices = g->rows;
    matrix_make(&s->graph, job, g);
    s->parent = job_memory(job, s->graph.places, sizeof *s->parent);
    s->level = job_memory(job, s->graph.places, sizeof *s->level);
    s->frontier = job_memory(job, s->graph.places, sizeof *s->frontier);
    s->next = job_memory(job, s->graph.places, sizeof *s->next);
}

static void release(struct search *s)
{
    matrix_release(&s->graph);
    free(s->parent);
    free(s->level);
    free(s->frontier);
    free(s->next);
}

int main(int argc, char **argv)
{
    struct kronecker k = {.scale = 14, .degree = 16};
    int64_t roots = 4, edges = 0, wrong = 0;
    const struct job_option options[] = {
        {"scale", "2 to this power is the number of vertices", &k.scale, 1, 40},
        {"degree", "edges of a vertex that are thrown", &k.degree, 1, 1 << 20},
        {"roots", "searches, each from another vertex", &roots, 1, 1 << 20},
        {.name = NULL},
    };
    struct job job = {.name = "bfs",
                      .summary = "Breadth-first search of a Kronecker graph, level by level, by a handler.",
                      .examples = "  mpirun -n 2 bfs --scale 18 --roots 8\n"};
    struct generator g;
    struct search s = {.job = NULL};
    convey_t *c;
    double seconds = 0;

    MPI_Init(&argc, &argv);
    job_start(&job, options, argc, argv);
    k.seed = job.seed;
    g = kronecker_edges(&k);
    prepare(&s, &job, &g);
    c = convey_new(SIZE_MAX, 0, NULL, 0);
    if (c == NULL || convey_set_handler(c, reach, &s, false) != convey_OK)
        job_give_up(&job, "there is no conveyor");
    for (int64_t i = 0; i < roots; i++) {
        int64_t root = random_below(job.seed, -2, i, g.rows);
        double start = job_seconds();

        search(&s, c, root);
        seconds += job_seconds() - start;
        edges += scanned(&s);
        wrong = job_checks(&job, g.entries * roots) ? wrong + differences(&s, &g, root) : -1;
    }
    convey_free(c);
    release(&s);
    return job_finish(&job, "entries scanned", edges, seconds, wrong);
}
