/* A sparse matrix by rows that are dealt out over the ranks, made of generated entries. */
#include <mpi.h>
#include <stdlib.h>
#include "waymark/convey.h"
#include "examples/convey/dealt.h"
#include "examples/convey/matrix.h"

/* Entries of this rank, in any order. */
struct heap {
    struct entry *entry;
    int64_t count, room;
};

static void keep(const struct job *job, struct heap *heap, struct entry entry)
{
    if (heap->count == heap->room) {
        heap->room = 2 * heap->room + 1024;
        heap->entry = realloc(heap->entry, (size_t)heap->room * sizeof entry);
        if (heap->entry == NULL)
            job_give_up(job, "there is no memory for the matrix: take a smaller one");
    }
    heap->entry[heap->count++] = entry;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Sort each row, and let only one of equal columns stand if `once`. */
static void tidy(struct matrix *m, bool once)
{
    int64_t kept = 0;

    for (int64_t row = 0; row < m->places; row++) {
        int64_t begin = m->start[row], end = m->start[row + 1], first = kept;

        qsort(m->column + begin, (size_t)(end - begin), sizeof *m->column, by_number);
        for (int64_t i = begin; i < end; i++)
            if (!once || kept == first || m->column[kept - 1] != m->column[i])
                m->column[kept++] = m->column[i];
        m->start[row] = first;
    }
    m->start[m->places] = kept;
}

/* By counting: how many a row, where each row begins, each entry to its row. */
static void arrange(struct matrix *m, const struct job *job, const struct generator *g, const struct heap *heap)
{
    int64_t *next;

    m->places = dealt_count(job, g->rows);
    m->start = job_memory(job, m->places + 1, sizeof *m->start);
    m->column = job_memory(job, heap->count, sizeof *m->column);
    for (int64_t i = 0; i < heap->count; i++)
        m->start[dealt_place(job, heap->entry[i].row) + 1]++;
    for (int64_t row = 0; row < m->places; row++)
        m->start[row + 1] += m->start[row];
    next = job_memory(job, m->places, sizeof *next);
    for (int64_t row = 0; row < m->places; row++)
        next[row] = m->start[row];
    for (int64_t i = 0; i < heap->count; i++)
        m->column[next[dealt_place(job, heap->entry[i].row)]++] = heap->entry[i].column;
    free(next);
    tidy(m, g->once);
}

static void exchange(const struct job *job, const struct generator *g, convey_t *c, struct heap *heap)
{
    int64_t number = job->rank;
    struct entry entry;

    while (convey_advance(c, number >= g->entries) > convey_DONE) {
        for (; number < g->entries; number += job->ranks)
            if (g->make(g->context, number, &entry) && convey_push(c, &entry, dealt_rank(job, entry.row)) != convey_OK)
                break;
        while (convey_pull(c, &entry, NULL) == convey_OK)
            keep(job, heap, entry);
    }
}

void matrix_make(struct matrix *matrix, const struct job *job, const struct generator *generator)
{
    convey_t *c = convey_new(SIZE_MAX, 0, NULL, 0);
    struct heap heap = {NULL, 0, 0};

    if (c == NULL || convey_begin(c, sizeof(struct entry), 0) != convey_OK)
        job_give_up(job, "there is no conveyor");
    exchange(job, generator, c, &heap);
    convey_reset(c);
    convey_free(c);
    arrange(matrix, job, generator, &heap);
    free(heap.entry);
}

void matrix_make_alone(struct matrix *matrix, const struct job *job, const struct generator *generator)
{
    struct heap heap = {NULL, 0, 0};
    struct entry entry;

    for (int64_t number = 0; number < generator->entries; number++)
        if (generator->make(generator->context, number, &entry) && dealt_rank(job, entry.row) == job->rank)
            keep(job, &heap, entry);
    arrange(matrix, job, generator, &heap);
    free(heap.entry);
}

void matrix_release(struct matrix *matrix)
{
    free(matrix->start);
    free(matrix->column);
}
