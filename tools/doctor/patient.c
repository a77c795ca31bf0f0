/* The patient: pages out of a directory, or out of the files that processes have open. */
#include "tools/doctor/patient.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "core/parse.h"
#include "tools/doctor/process.h"

static bool make_room(struct wm_patient *p, int more)
{
    struct wm_page_map *files = realloc(p->files, sizeof *files * (size_t)(p->file_count + 1));
    const struct wm_page **pages;
    int *ranks;

    if (files != NULL)
        p->files = files;
    while (p->room < p->pages.count + more)
        p->room = p->room > 0 ? 2 * p->room : 64;
    if ((pages = realloc(p->pages.list, sizeof *pages * (size_t)p->room)) != NULL)
        p->pages.list = pages;
    if ((ranks = realloc(p->ranks, sizeof *ranks * (size_t)p->room)) != NULL)
        p->ranks = ranks;
    return files != NULL && pages != NULL && ranks != NULL;
}

static void let_go(const struct wm_page_map *file)
{
    madvise(file->pages, (size_t)file->count * sizeof *file->pages, MADV_DONTNEED);
}

bool wm_patient_take(struct wm_patient *p, const struct wm_page_map *file, uint64_t job)
{
    int before = p->pages.count;

    if (!make_room(p, file->count))
        return false;
    for (int i = 0; i < file->count; i++)
        if (wm_page_is_begun(&file->pages[i]) && (job == 0 || file->pages[i].job == job)) {
            p->ranks[p->pages.count] = file->pages[i].rank;
            p->pages.list[p->pages.count++] = &file->pages[i];
        }
    let_go(file);
    if (p->pages.count == before)
        return false;
    p->files[p->file_count++] = *file;
    return true;
}

static int compare_ranks(const void *left, const void *right, void *ranks)
{
    int a = ((const int *)ranks)[*(const int *)left], b = ((const int *)ranks)[*(const int *)right];

    return (a > b) - (a < b);
}

bool wm_patient_admit(struct wm_patient *p)
{
    int *order = malloc(((size_t)p->pages.count + 1) * sizeof *order), kept = 0;
    const struct wm_page **pages = malloc(((size_t)p->pages.count + 1) * sizeof *pages);

    if (order != NULL && pages != NULL) {
        for (int i = 0; i < p->pages.count; i++)
            order[i] = i;
        qsort_r(order, (size_t)p->pages.count, sizeof *order, compare_ranks, p->ranks);
        for (int i = 0; i < p->pages.count; i++)
            if (i == 0 || p->ranks[order[i]] != p->ranks[order[i - 1]])
                pages[kept++] = p->pages.list[order[i]];
        free(p->pages.list);
        p->pages.list = pages;
        p->pages.count = kept;
        pages = NULL;
    }
    free(order);
    free(pages);
    return kept > 0 && (p->gone = calloc((size_t)kept, sizeof *p->gone)) != NULL && wm_pages_open_window(&p->pages);
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);

    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* What a file has of pages that a process writes; none, if it is a file that is known already. */
static struct wm_page_map map_file(const struct wm_patient *p, int directory, const char *name)
{
    int file = openat(directory, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct wm_page_map all = {0};

    if (file < 0)
        return all;
    all = wm_page_map(file, false);
    close(file);
    for (int i = 0; i < p->file_count && all.count > 0; i++)
        if (all.inode == p->files[i].inode && all.device == p->files[i].device) {
            wm_page_unmap(&all);
            all.count = 0;
        }
    return all;
}

static void take_or_leave(struct wm_patient *p, const struct wm_page_map *file, uint64_t job)
{
    if (file->count > 0 && !wm_patient_take(p, file, job))
        wm_page_unmap(file);
}

static void open_directory(struct wm_patient *p, DIR *stream)
{
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (ends_in(entry->d_name, ".page")) {
            struct wm_page_map file = map_file(p, dirfd(stream), entry->d_name);

            take_or_leave(p, &file, 0);
        }
    closedir(stream);
}

/* A process that a job is looked for by, or whose pages are taken. */
struct search {
    struct wm_patient *patient;
    int pid;
    bool found;
    uint64_t job;
};

/* Go through the files of pages that a process has open. */
static void each_file(int pid, void (*take)(struct search *s, int holder, const struct wm_page_map *file),
                      struct search *s)
{
    char name[32], link[4200];
    DIR *stream;

    snprintf(name, sizeof name, "/proc/%d/fd", pid);
    if ((stream = opendir(name)) == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        ssize_t length = readlinkat(dirfd(stream), entry->d_name, link, sizeof link - 1);
        struct wm_page_map file;

        if (length <= 0)
            continue;
        link[length] = '\0';
        if (strncmp(link, "/memfd:" WM_PAGE_MEMORY, sizeof "/memfd:" WM_PAGE_MEMORY - 1) != 0 &&
            !ends_in(link, ".page"))
            continue;
        file = map_file(s->patient, dirfd(stream), entry->d_name);
        if (file.count > 0)
            take(s, pid, &file);
    }
    closedir(stream);
}

static void each_process(void (*take)(struct search *s, int holder, const struct wm_page_map *file), struct search *s)
{
    DIR *stream = opendir("/proc");

    if (stream == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            each_file(atoi(entry->d_name), take, s);
    closedir(stream);
}

static bool comes_from(int pid, int ancestor)
{
    for (int depth = 0; pid > 1 && depth < 64; depth++, pid = wm_process_parent(pid))
        if (pid == ancestor)
            return true;
    return false;
}

static void find_job(struct search *s, int holder, const struct wm_page_map *file)
{
    for (int i = 0; i < file->count && !s->found; i++)
        if (wm_page_is_begun(&file->pages[i]) && comes_from(holder, s->pid)) {
            s->found = true;
            s->job = file->pages[i].job;
        }
    wm_page_unmap(file);
}

static void take_of_job(struct search *s, int holder, const struct wm_page_map *file)
{
    (void)holder;
    take_or_leave(s->patient, file, s->job);
}

static void open_job(struct wm_patient *p, int pid)
{
    struct search s = {.patient = p, .pid = pid};

    each_file(pid, find_job, &s);
    if (!s.found)
        each_process(find_job, &s);
    if (s.found)
        each_process(take_of_job, &s);
}

int wm_patient_open(struct wm_patient *p, const char *name, struct wm_error *error)
{
    DIR *stream = opendir(name);
    uint64_t pid = 0;

    *p = (struct wm_patient){0};
    if (stream == NULL && !wm_parse_number(name, 1, INT32_MAX, &pid))
        return wm_error_set(error, -WM_ESYSTEM,
                            "'%s' is neither a directory nor the number of a process; give the directory of 'waymark "
                            "run -t', or the process of a rank or of mpirun",
                            name);
    if (stream != NULL)
        open_directory(p, stream);
    else
        open_job(p, (int)pid);
    if (p->pages.count == 0)
        return wm_error_set(
            error, -WM_ESYSTEM, "%s '%s' has no pages of ranks; is the job run with 'waymark run --guard on'%s?",
            stream != NULL ? "the directory" : "the process", name, stream != NULL ? "" : ", on this host");
    if (!wm_patient_admit(p)) {
        wm_patient_release(p);
        return wm_error_set(error, -WM_ENOMEM, "no memory for the pages of ranks");
    }
    return 0;
}

void wm_patient_release(struct wm_patient *p)
{
    for (int i = 0; i < p->file_count; i++)
        wm_page_unmap(&p->files[i]);
    free(p->files);
    free(p->ranks);
    wm_pages_close_window(&p->pages);
    free(p->pages.list);
    free(p->gone);
    *p = (struct wm_patient){0};
}

/* Its process runs on this host. */
static bool is_here(const struct wm_page *page)
{
    char host[256] = "";
    size_t length;

    gethostname(host, sizeof host - 1);
    length = strcspn(host, ".");
    return strncmp(page->host, host, length) == 0 && strcspn(page->host, ".") == length;
}

char wm_patient_process(const struct wm_page *page)
{
    return is_here(page) ? wm_process_state(page->pid) : (char)page->process;
}

/* Of a job that is over those were first that the guard found so first; if there was no guard, nobody knows. */
static void find_first(struct wm_patient *p)
{
    uint64_t first = 0;

    for (int i = 0; i < p->pages.count; i++) {
        uint64_t gone = wm_pages_at(&p->pages, i)->gone;

        if (gone > 0 && (first == 0 || gone < first))
            first = gone;
    }
    for (int i = 0; i < p->pages.count; i++)
        p->gone[i] = first > 0 && wm_pages_at(&p->pages, i)->gone == first;
}

void wm_patient_look(struct wm_patient *p, uint64_t *doing)
{
    p->over = true;
    for (int i = 0; i < p->pages.count; i++) {
        const struct wm_page *page = wm_pages_at(&p->pages, i);
        char state = wm_process_state(page->pid);
        bool here = is_here(page);

        p->gone[i] = page->gone > 0 ||
                     (here && (state == 0 || state == 'Z' || state == 'X' || wm_page_born(page->pid) != page->born));
        p->over = p->over && p->gone[i];
        if (doing != NULL)
            doing[i] = __atomic_load_n(&page->now.doing, __ATOMIC_ACQUIRE);
    }
    if (p->over)
        find_first(p);
}
