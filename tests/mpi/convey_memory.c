/* Conveyors under the map of the run: what each rank says that it holds, what it took from the user's allocator, and
 * what it took from the heap. Arguments: sizes of items; `elastic` from there on, of elastic ones. */
#include <malloc.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "waymark/convey_comm.h"

enum { FIGURES = 3, ITEM_BYTES_MAX = 4096, ALIGN = 64 };

static int rank, ranks;
static uint64_t grabbed;

static void *grab(void *self, size_t size, const char *file, uint64_t line)
{
    (void)self, (void)file, (void)line;
    grabbed += size;
    return aligned_alloc(ALIGN, (size + ALIGN - 1) & ~(size_t)(ALIGN - 1));
}

static void give_back(void *self, void *block)
{
    (void)self;
    free(block);
}

static uint64_t heap(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* An item for everyone, and back: memory is held while they are under way. */
static int run(convey_t *c, size_t bytes, bool elastic, struct convey_live *live)
{
    char item[ITEM_BYTES_MAX] = {0};
    convey_item_t got;
    int pushed = 0, pulled = 0, state;
    int64_t from;

    do {
        while (pushed < ranks && (elastic ? convey_epush(c, bytes, item, pushed) : convey_push(c, item, pushed)) > 0)
            pushed++;
        if (convey_live(c, live) < 0)
            return -1;
        state = convey_advance(c, pushed == ranks);
        while ((elastic ? convey_epull(c, &got) : convey_pull(c, item, &from)) > 0)
            pulled++;
    } while (state == convey_OK || state == convey_NEAR);
    return pulled == ranks ? 0 : -1;
}

/* Twice, since the first run asks the map: the second one builds links and buffers alone. */
static int measure(size_t bytes, bool elastic, uint64_t figures[FIGURES])
{
    const convey_alc8r_t alloc = {.grab = grab, .free = give_back};
    convey_t *c = wm_convey_new_with(MPI_COMM_WORLD, NULL, elastic ? bytes : 0, SIZE_MAX, &alloc, convey_opt_COMPRESS);
    struct convey_live live = {0};
    uint64_t before = 0;
    int rc = c == NULL ? -1 : 0;

    for (int round = 0; rc == 0 && round < 2; round++) {
        grabbed = 0;
        before = heap();
        if (convey_begin(c, elastic ? 1 : bytes, 0) < 0)
            return -1;
        figures[2] = heap() - before;
        rc = run(c, bytes, elastic, &live);
        if (convey_reset(c) < 0)
            rc = -1;
        if (round == 0 && convey_set_codec(c, NULL, NULL) < 0)
            rc = -1;
    }
    figures[0] = live.bytes_held;
    figures[1] = grabbed;
    return rc < 0 || convey_free(c) < 0 ? -1 : 0;
}

static int tell(size_t bytes, bool elastic)
{
    uint64_t mine[FIGURES], *all = malloc(sizeof *all * FIGURES * (size_t)ranks);
    int rc = all == NULL ? -1 : measure(bytes, elastic, mine);

    if (rc < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(mine, FIGURES, MPI_UINT64_T, all, FIGURES, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < ranks; r++)
        printf("items %zu rank %d holds %llu grabbed %llu heap %llu\n", bytes, r, (unsigned long long)all[3 * r],
               (unsigned long long)all[3 * r + 1], (unsigned long long)all[3 * r + 2]);
    free(all);
    return rc;
}

int main(int argc, char **argv)
{
    bool elastic = false;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "elastic") == 0)
            elastic = true;
        else
            tell((size_t)atol(argv[i]), elastic);
    }
    MPI_Finalize();
    return 0;
}
