/* Transpose of a sparse matrix whose rows are dealt out over the ranks.
 *
 * One conveyor, used twice: first it brings each entry's column, so that ranks can count how long the new rows will be;
 * then, after a reset, and with items of another size, the entries themselves, which are put straight in their places.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "waymark/convey.h"
#include "examples/convey/dealt.h"
#include "examples/convey/matrix.h"
#include "examples/convey/random.h"

struct sparse {
    int64_t seed, rows, degree;
};

static bool make_entry(const void *context, int64_t number, struct entry *entry)
{
    const struct sparse *s = context;

    *entry = (struct entry){number % s->rows, random_below(s->seed, 0, number, s->rows)};
    return true;
}

static bool make_turned(const void *context, int64_t number, struct entry *entry)
{
    struct entry straight;

    make_entry(context, number, &straight);
    *entry = (struct entry){straight.column, straight.row};
    return true;
}

/* What to send: all entries of a matrix, one after the other. */
struct cursor {
    int64_t row, at;
};

static bool next_row(const struct matrix *m, struct cursor *cursor)
{
    while (cursor->row < m->places && cursor->at == m->start[cursor->row + 1])
        cursor->row++;
    return cursor->row < m->places;
}

/* How long the new rows are: t->start[place + 1]. */
static void count(const struct job *job, const struct matrix *m, convey_t *c, struct matrix *t)
{
    int64_t at = 0, place;

    while (convey_advance(c, at == m->start[m->places]) > convey_DONE) {
        for (; at < m->start[m->places]; at++) {
            place = dealt_place(job, m->column[at]);
            if (convey_push(c, &place, dealt_rank(job, m->column[at])) != convey_OK)
                break;
        }
        while (convey_pull(c, &place, NULL) == convey_OK)
            t->start[place + 1]++;
    }
}

/* `next`: where each new row goes on. Items are read in place: convey_apull. */
static void fill(const struct job *job, const struct matrix *m, convey_t *c, struct matrix *t, int64_t *next)
{
    struct cursor cursor = {0, 0};
    const struct entry *arrived;

    while (convey_advance(c, !next_row(m, &cursor)) > convey_DONE) {
        for (; next_row(m, &cursor); cursor.at++) {
            int64_t column = m->column[cursor.at];
            struct entry entry = {dealt_place(job, column), dealt_number(job, cursor.row)};

            if (convey_push(c, &entry, dealt_rank(job, column)) != convey_OK)
                break;
        }
        while ((arrived = convey_apull(c, NULL)) != NULL)
            t->column[next[arrived->row]++] = arrived->column;
    }
}

static void begin(const struct job *job, convey_t *c, size_t item_bytes)
{
    if (c == NULL || convey_begin(c, item_bytes, 0) != convey_OK)
        job_give_up(job, "there is no conveyor");
}

/* Rows come out in no order within a new row, since sources take turns as they like. */
static void transpose(const struct job *job, const struct matrix *m, convey_t *c, struct matrix *t)
{
    int64_t *next = job_memory(job, m->places, sizeof *next);

    t->places = m->places;
    t->start = job_memory(job, m->places + 1, sizeof *t->start);
    begin(job, c, sizeof(int64_t));
    count(job, m, c, t);
    convey_reset(c);
    for (int64_t row = 0; row < t->places; row++)
        t->start[row + 1] += t->start[row];
    memcpy(next, t->start, (size_t)t->places * sizeof *next);
    t->column = job_memory(job, t->start[t->places], sizeof *t->column);
    begin(job, c, sizeof(struct entry));
    fill(job, m, c, t, next);
    convey_reset(c);
    free(next);
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Against the transpose that is made without communication, of entries that are turned as they are generated. */
static int64_t differences(const struct job *job, const struct sparse *s, struct matrix *t)
{
    struct generator g = {make_turned, s, s->rows, s->rows * s->degree, false};
    struct matrix serial;
    int64_t wrong = 0;

    matrix_make_alone(&serial, job, &g);
    for (int64_t row = 0; row < t->places; row++) {
        int64_t begin = t->start[row], columns = t->start[row + 1] - begin;

        qsort(t->column + begin, (size_t)columns, sizeof *t->column, by_number);
        wrong += begin != serial.start[row] || columns != serial.start[row + 1] - begin ||
                 memcmp(t->column + begin, serial.column + begin, (size_t)columns * sizeof *t->column) != 0;
    }
    matrix_release(&serial);
    return wrong;
}

int main(int argc, char **argv)
{
    struct sparse s = {.rows = 1 << 16, .degree = 16};
    const struct job_option options[] = {
        {"rows", "rows and columns of the matrix", &s.rows, 1, INT64_C(1) << 40},
        {"degree", "entries of a row", &s.degree, 0, 1 << 20},
        {.name = NULL},
    };
    struct job job = {.name = "transpose",
                      .summary = "Transpose of a random sparse matrix whose rows are dealt out over the ranks.",
                      .examples = "  mpirun -n 2 transpose --rows 1M --degree 8\n"};
    struct generator g = {make_entry, &s, 0, 0, false};
    struct matrix m, t;
    convey_t *c;
    double seconds;
    int64_t wrong;

    MPI_Init(&argc, &argv);
    job_start(&job, options, argc, argv);
    s.seed = job.seed;
    g.rows = s.rows;
    g.entries = s.rows * s.degree;
    matrix_make(&m, &job, &g);
    c = convey_new(SIZE_MAX, 0, NULL, 0);
    seconds = job_seconds();
    transpose(&job, &m, c, &t);
    seconds = job_seconds() - seconds;
    convey_free(c);
    wrong = job_checks(&job, g.entries) ? differences(&job, &s, &t) : -1;
    matrix_release(&m);
    matrix_release(&t);
    return job_finish(&job, "entries", g.entries, seconds, wrong);
}
