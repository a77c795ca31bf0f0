/* What it takes to judge so many pages (131072), written as ranks write them, in files of a node each: what 'waymark
 * doctor' says of them, with seconds, MiB of memory, and lines; for each of some ways to hang.
 *
 *   guard_judge [RANKS [DIR [WAY]]]   DIR, where the files are made (.), has room for 64 KiB a rank */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "core/guard/page.h"
#include "waymark/operation.h"

enum { ID = 77, SIDE = 64, TAG = 3 };

static struct wm_page *pages; /* of the node that is written; by rank of the job */
static int ranks;
static char directory[512];

static double now_s(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static _Noreturn void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static void begin(struct wm_page *page, int rank)
{
    page->bytes = sizeof *page;
    page->rank = rank;
    page->ranks = ranks;
    page->comm_count = 1;
    snprintf(page->host, sizeof page->host, "node%d", rank / SIDE);
    page->comms[0] =
        (struct wm_page_comm){.id = ID, .rank = rank, .ranks = ranks, .chain = WM_HASH_BEGIN, .name = "MPI_COMM_WORLD"};
    wm_page_begin(page, 1);
}

/* The file of the node whose first rank this is. */
static void write_node(int first, void (*write)(int rank))
{
    char name[640];
    int count = ranks - first < SIDE ? ranks - first : SIDE, file;
    size_t bytes = sizeof *pages * (size_t)count;

    snprintf(name, sizeof name, "%s/rank-%05d.page", directory, first);
    if ((file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600)) < 0 || ftruncate(file, (off_t)bytes) < 0)
        give_up(name);
    if ((pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)) == MAP_FAILED)
        give_up(name);
    pages -= first;
    for (int r = first; r < first + count; r++) {
        begin(&pages[r], r);
        write(r);
    }
    munmap(pages + first, bytes);
    close(file);
}

static void remove_files(void)
{
    char name[640];

    for (int first = 0; first < ranks; first += SIDE) {
        snprintf(name, sizeof name, "%s/rank-%05d.page", directory, first);
        unlink(name);
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

static int run_doctor(const char *output, struct rusage *usage)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        if (freopen(output, "w", stdout) != NULL)
            execlp("waymark", "waymark", "doctor", directory, NULL);
        give_up("waymark");
    }
    return child > 0 && wait4(child, &status, 0, usage) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void judge(const char *name, void (*write)(int rank))
{
    char output[640], line[512], first[512] = "";
    struct rusage usage;
    double begin_s;
    int lines = 0, status;
    FILE *text;

    for (int first_rank = 0; first_rank < ranks; first_rank += SIDE)
        write_node(first_rank, write);
    snprintf(output, sizeof output, "%s/output", directory);
    begin_s = now_s();
    status = run_doctor(output, &usage);
    begin_s = now_s() - begin_s;
    if ((text = fopen(output, "r")) != NULL) {
        for (; fgets(line, sizeof line, text) != NULL; lines++)
            if (lines == 0)
                snprintf(first, sizeof first, "%s", line);
        fclose(text);
    }
    printf("%-16s %6.2f s %6.0f MiB %3d lines, status %d  %.*s\n", name, begin_s, (double)usage.ru_maxrss / 1024, lines,
           status, (int)strcspn(first, "\n"), first);
    fflush(stdout);
    unlink(output);
    remove_files();
}

static const struct {
    const char *name;
    void (*write)(int rank);
} ways[] = {
    {"one computes", one_computes},
    {"half compute", half_compute},
    {"one differs", one_differs},
    {"circle", circle},
    {"chain", chain},
    {"scattered chain", scattered_chain},
    {"pairs", pairs},
    {"from any", anyone},
    {"halo and sum", halo_and_sum},
};

int main(int argc, char **argv)
{
    ranks = argc > 1 ? atoi(argv[1]) : 131072;
    if (ranks < 2 || ranks % 2 != 0)
        return 2;
    snprintf(directory, sizeof directory, "%s/guard_judge.XXXXXX", argc > 2 ? argv[2] : ".");
    if (mkdtemp(directory) == NULL)
        give_up(directory);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc <= 3 || strcmp(argv[3], ways[i].name) == 0)
            judge(ways[i].name, ways[i].write);
    return rmdir(directory) == 0 ? 0 : 1;
}
