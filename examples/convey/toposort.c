/* Topological sort: a sparse matrix whose rows and columns were shuffled is made upper triangular again.
 *
 * A row with one column left is a pivot. Its rank tells the column's rank (conveyor `pivots`), which tells all rows
 * that have the column (conveyor `cuts`), whereby rows lose a column, and some become pivots. A rank is done when its
 * last row was a pivot. Both conveyors are steady, as everybody waits for others; and a pivot that leaves its rank
 * without work is pushed urgently, since nothing will fill its buffer. A row's level is one more than those of the
 * pivots that cut it: rows of a level do not depend on each other, and the result is the levels, from the last to the
 * first. */
#include <mpi.h>
#include <stdlib.h>
#include "waymark/convey.h"
#include "examples/convey/dealt.h"
#include "examples/convey/shuffled.h"

struct pivot {
    int64_t place; /* of the column */
    int64_t level; /* of the row; in the end, its position */
};

struct cut {
    int64_t place; /* of the row */
    int64_t column, level;
};

struct sort {
    const struct job *job;
    int64_t rows;              /* of the matrix */
    struct matrix turned;      /* a column's rows */
    int64_t places;            /* rows of this rank, and columns */
    int64_t *left, *sum;       /* [places] of a row's columns that are left: how many, and the sum of their numbers */
    int64_t *level;            /* [places] of rows */
    int64_t *ready;            /* [places] rows that are pivots, in the order in which they became so */
    int64_t ready_count, done; /* the first `done` of them are told */
    struct pivot *told;        /* [places] columns that have their pivot */
    int64_t told_count, cutting, at;         /* the column that is being cut, and how far that is */
    int64_t *row_position, *column_position; /* [places] the answer */
};

static void tell_pivots(struct sort *s, convey_t *pivots)
{
    int pushed = convey_OK;

    for (; s->done < s->ready_count && pushed == convey_OK; s->done += pushed == convey_OK) {
        int64_t row = s->ready[s->done], column = s->sum[row], owner = dealt_rank(s->job, column);
        struct pivot pivot = {dealt_place(s->job, column), s->level[row]};

        if (s->done + 1 < s->ready_count)
            pushed = convey_push(pivots, &pivot, owner);
        else
            pushed = convey_push_urgent(pivots, &pivot, owner);
    }
}

static void tell_cuts(struct sort *s, convey_t *cuts)
{
    for (; s->cutting < s->told_count; s->cutting++, s->at = 0) {
        const struct pivot *pivot = &s->told[s->cutting];
        int64_t begin = s->turned.start[pivot->place], count = s->turned.start[pivot->place + 1] - begin;

        for (; s->at < count; s->at++) {
            int64_t row = s->turned.column[begin + s->at];
            struct cut cut = {dealt_place(s->job, row), dealt_number(s->job, pivot->place), pivot->level};

            if (convey_push(cuts, &cut, dealt_rank(s->job, row)) != convey_OK)
                return;
        }
    }
}

/* The pivot's own row is told as well, and has no column left then. */
static void take_cuts(struct sort *s, convey_t *cuts)
{
    struct cut cut;

    while (convey_pull(cuts, &cut, NULL) == convey_OK) {
        if (--s->left[cut.place] == 0)
            continue;
        s->sum[cut.place] -= cut.column;
        if (s->level[cut.place] <= cut.level)
            s->level[cut.place] = cut.level + 1;
        if (s->left[cut.place] == 1)
            s->ready[s->ready_count++] = cut.place;
    }
}

static void sort(struct sort *s, convey_t *pivots, convey_t *cuts)
{
    bool more = true;

    while (more = convey_advance(pivots, s->done == s->places) > convey_DONE,
           convey_advance(cuts, !more && s->cutting == s->told_count) > convey_DONE) {
        tell_pivots(s, pivots);
        while (convey_pull(pivots, &s->told[s->told_count], NULL) == convey_OK)
            s->told_count++;
        tell_cuts(s, cuts);
        take_cuts(s, cuts);
    }
}

/* Rows stand by levels, the first level last; within a level by ranks, then as they are. */
static void place_rows(struct sort *s)
{
    int64_t levels = 1;
    int64_t *here, *before, *all, end = s->rows;

    for (int64_t row = 0; row < s->places; row++)
        levels = s->level[row] >= levels ? s->level[row] + 1 : levels;
    levels = job_most(levels);
    here = job_memory(s->job, levels, sizeof *here);
    before = job_memory(s->job, levels, sizeof *before);
    all = job_memory(s->job, levels, sizeof *all);
    for (int64_t row = 0; row < s->places; row++)
        here[s->level[row]]++;
    MPI_Exscan(here, before, (int)levels, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(here, all, (int)levels, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int64_t level = 0; level < levels; level++) {
        before[level] = end - 1 - before[level];
        end -= all[level];
    }
    for (int64_t row = 0; row < s->places; row++)
        s->row_position[row] = before[s->level[row]]--;
    free(here);
    free(before);
    free(all);
}

/* A column stands where its pivot does. */
static void place_columns(struct sort *s, convey_t *pivots)
{
    struct pivot pivot;
    int64_t row = 0;

    while (convey_advance(pivots, row == s->places) > convey_DONE) {
        for (; row < s->places; row++) {
            pivot = (struct pivot){dealt_place(s->job, s->sum[row]), s->row_position[row]};
            if (convey_push(pivots, &pivot, dealt_rank(s->job, s->sum[row])) != convey_OK)
                break;
        }
        while (convey_pull(pivots, &pivot, NULL) == convey_OK)
            s->column_position[pivot.place] = pivot.level;
    }
}

static void begin(const struct job *job, convey_t *c, size_t item_bytes)
{
    if (c == NULL || convey_begin(c, item_bytes, 0) != convey_OK)
        job_give_up(job, "there is no conveyor");
}

static double timed(struct sort *s)
{
    convey_t *pivots = convey_new(SIZE_MAX, 0, NULL, convey_opt_PROGRESS);
    convey_t *cuts = convey_new(SIZE_MAX, 0, NULL, convey_opt_PROGRESS);
    double seconds = job_seconds();

    begin(s->job, pivots, sizeof(struct pivot));
    begin(s->job, cuts, sizeof(struct cut));
    sort(s, pivots, cuts);
    convey_reset(cuts);
    convey_reset(pivots);
    place_rows(s);
    begin(s->job, pivots, sizeof(struct pivot));
    place_columns(s, pivots);
    convey_reset(pivots);
    seconds = job_seconds() - seconds;
    convey_free(cuts);
    convey_free(pivots);
    return seconds;
}

static void *numbers(const struct sort *s)
{
    return job_memory(s->job, s->places, sizeof(int64_t));
}

static void prepare(struct sort *s, const struct matrix *m)
{
    s->places = m->places;
    s->left = numbers(s);
    s->sum = numbers(s);
    s->level = numbers(s);
    s->ready = numbers(s);
    s->row_position = numbers(s);
    s->column_position = numbers(s);
    s->told = job_memory(s->job, s->places, sizeof *s->told);
    for (int64_t row = 0; row < s->places; row++) {
        s->left[row] = m->start[row + 1] - m->start[row];
        for (int64_t at = m->start[row]; at < m->start[row + 1]; at++)
            s->sum[row] += m->column[at];
        if (s->left[row] == 1)
            s->ready[s->ready_count++] = row;
    }
}

static void release(struct sort *s)
{
    matrix_release(&s->turned);
    free(s->left);
    free(s->sum);
    free(s->level);
    free(s->ready);
    free(s->told);
    free(s->row_position);
    free(s->column_position);
}

int main(int argc, char **argv)
{
    struct shuffled shuffled = {.scale = 16, .degree = 4};
    const struct job_option options[] = {
        {"scale", "2 to this power is the number of rows", &shuffled.scale, 1, 40},
        {"degree", "entries of a row, with its diagonal", &shuffled.degree, 1, 1 << 20},
        {.name = NULL},
    };
    struct job job = {.name = "toposort",
                      .summary = "A shuffled upper triangular matrix is sorted again, on steady conveyors.",
                      .examples = "  mpirun -n 2 toposort --scale 20\n"};
    struct sort s = {.job = &job};
    struct generator entries, turned;
    struct matrix m;
    double seconds;
    int64_t wrong;

    MPI_Init(&argc, &argv);
    job_start(&job, options, argc, argv);
    shuffled.seed = job.seed;
    entries = shuffled_entries(&shuffled);
    turned = shuffled_turned(&shuffled);
    s.rows = entries.rows;
    matrix_make(&m, &job, &entries);
    matrix_make(&s.turned, &job, &turned);
    prepare(&s, &m);
    matrix_release(&m);
    seconds = timed(&s);
    wrong = job_checks(&job, entries.entries) ? shuffled_faults(&job, &entries, s.row_position, s.column_position) : -1;
    release(&s);
    return job_finish(&job, "entries", entries.entries, seconds, wrong);
}
