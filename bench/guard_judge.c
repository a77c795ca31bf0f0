/* What it takes to judge so many pages (131072), written as ranks write them, and to put the case into words: seconds,
 * MiB that the judge takes beside the pages, lines; for each of some ways to hang. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "tools/doctor/case.h"
#include "tools/doctor/words.h"
#include "waymark/operation.h"

enum { ID = 77, SIDE = 64, TAG = 3 };

static struct wm_page *pages;
static int ranks;

static double now_s(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Memory that was not touched is given anew, zeroed. */
static void begin(void)
{
    size_t bytes = sizeof *pages * (size_t)ranks;

    if (pages != NULL)
        munmap(pages, bytes);
    pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) {
        perror("guard_judge");
        exit(1);
    }
    for (int r = 0; r < ranks; r++) {
        pages[r].rank = r;
        pages[r].ranks = ranks;
        pages[r].comm_count = 1;
        snprintf(pages[r].host, sizeof pages[r].host, "node%d", r / SIDE);
        pages[r].comms[0] = (struct wm_page_comm){
            .id = ID, .rank = r, .ranks = ranks, .chain = WM_HASH_BEGIN, .name = "MPI_COMM_WORLD"};
    }
}

static void collective(int rank, uint64_t print)
{
    struct wm_page *page = &pages[rank];

    page->calls[0] = (struct wm_page_call){.id = ID, .operation = WM_ALLREDUCE, .print = print, .offset = 16};
    wm_page_add(page, &page->comms[0], &page->calls[0], print);
    wm_page_enter(page);
}

static void traffic(int rank, int peer)
{
    for (int i = 0; i < 3; i++) {
        wm_post_count_sent(&pages[rank].post, 0, peer, TAG);
        wm_post_count_received(&pages[rank].post, 0, peer, TAG);
        pages[rank].comms[0].received++;
    }
}

static void receive(int rank, int peer)
{
    pages[rank].post.with[0] = (struct wm_page_message){.kind = WM_POST_RECEIVED, .peer = peer, .tag = TAG};
    wm_page_enter_message(&pages[rank], WM_POST_RECV, 32, 1);
}

/* A halo of six, in MPI_Waitall for what never comes. */
static void wait_for_halo(int rank)
{
    const int steps[] = {1, SIDE, SIDE * SIDE};

    for (int i = 0; i < 6; i++) {
        int peer = (rank + (i % 2 ? ranks - steps[i / 2] % ranks : steps[i / 2])) % ranks;
        struct wm_page_message m = {.request = 4096 + (uint64_t)i * 640,
                                    .kind = WM_POST_RECEIVED,
                                    .peer = peer,
                                    .tag = TAG,
                                    .flags = WM_POST_ACTIVE,
                                    .function = WM_POST_IRECV};

        traffic(rank, peer);
        wm_post_add(&pages[rank].post, &m);
        pages[rank].post.pending++;
        pages[rank].post.handles[i] = m.request;
    }
    wm_page_enter_message(&pages[rank], WM_POST_WAITALL, 48, 6);
}

static void one_computes(int r)
{
    if (r < ranks - 1)
        collective(r, 1);
}

static void half_compute(int r)
{
    if (r % 2 == 0)
        collective(r, 1);
}

static void one_differs(int r)
{
    collective(r, r == ranks / 3 ? 2 : 1);
}

static void circle(int r)
{
    traffic(r, (r + 1) % ranks);
    receive(r, (r + 1) % ranks);
}

static void chain(int r)
{
    if (r > 0)
        receive(r, r - 1);
}

static void scattered_chain(int r)
{
    int64_t next = ((int64_t)r * 40503 + 1) % ranks;

    if (next != 0)
        receive(r, (int)next);
}

static void pairs(int r)
{
    receive(r, r ^ 1);
}

static void anyone(int r)
{
    traffic(r, (r + 1) % ranks);
    pages[r].comms[0].received = 0;
    wm_post_forget_comm(&pages[r].post, 0);
    receive(r, WM_PAGE_ANY);
}

static void halo_and_sum(int r)
{
    if (r % 1000 == 0)
        collective(r, 1);
    else
        wait_for_halo(r);
}

static void judge(const char *name, void (*write)(int rank))
{
    struct wm_patient patient = {.pages = malloc(sizeof *patient.pages * (size_t)ranks),
                                 .gone = calloc((size_t)ranks, sizeof(bool)),
                                 .count = ranks};
    enum wm_case_status status;
    struct wm_judgement j;
    double begin_s;
    size_t bytes = 0, lines = 0, used;
    char *text = NULL;
    json_t *object;
    FILE *out;

    begin();
    for (int r = 0; r < ranks; r++) {
        write(r);
        patient.pages[r] = &pages[r];
    }
    used = mallinfo2().uordblks + mallinfo2().hblkhd;
    begin_s = now_s();
    if (wm_judge(&j, patient.pages, patient.gone, NULL, ranks) < 0)
        exit(1);
    object = wm_case_make(&patient, &j, &status);
    used = mallinfo2().uordblks + mallinfo2().hblkhd - used;
    out = open_memstream(&text, &bytes);
    wm_words_print(out, object);
    fclose(out);
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    printf("%-16s %6.2f s %6.0f MiB %3zu lines  %.*s\n", name, now_s() - begin_s, (double)used / (1 << 20), lines,
           (int)strcspn(text, "\n"), text);
    json_decref(object);
    wm_judgement_release(&j);
    free(text);
    free(patient.pages);
    free(patient.gone);
}

int main(int argc, char **argv)
{
    ranks = argc > 1 ? atoi(argv[1]) : 131072;
    if (ranks < 2 || ranks % 2 != 0)
        return 2;
    judge("one computes", one_computes);
    judge("half compute", half_compute);
    judge("one differs", one_differs);
    judge("circle", circle);
    judge("chain", chain);
    judge("scattered chain", scattered_chain);
    judge("pairs", pairs);
    judge("from any", anyone);
    judge("halo and sum", halo_and_sum);
    return 0;
}
