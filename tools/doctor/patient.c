/* The patient: pages out of a directory, or out of the files that processes have open. */
#include "tools/doctor/patient.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/parse.h"
#include "tools/doctor/process.h"

static int find_place(const struct wm_patient *p, int rank)
{
    int low = 0, high = p->count;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (p->pages[middle]->rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Several processes may have the same page: its rank and its guard. False: it is not taken. */
bool wm_patient_take(struct wm_patient *p, const struct wm_page *page)
{
    int at = find_place(p, page->rank);

    if (at < p->count && p->pages[at]->rank == page->rank)
        return false;
    if (p->count == p->room) {
        int room = p->room > 0 ? 2 * p->room : 64;
        const struct wm_page **grown = realloc(p->pages, sizeof *grown * (size_t)room);

        if (grown == NULL)
            return false;
        p->pages = grown;
        p->room = room;
    }
    memmove(&p->pages[at + 1], &p->pages[at], sizeof *p->pages * (size_t)(p->count - at));
    p->pages[at] = page;
    p->count++;
    return true;
}

static void unmap(const struct wm_page *page)
{
    wm_page_free((struct wm_page *)page, -1);
}

static struct wm_page *map_file(int directory, const char *name)
{
    int fd = openat(directory, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct wm_page *page = fd >= 0 ? wm_page_map(fd, false) : NULL;

    if (fd >= 0)
        close(fd);
    return page;
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);

    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static int open_directory(struct wm_patient *p, DIR *stream)
{
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        struct wm_page *page = ends_in(entry->d_name, ".page") ? map_file(dirfd(stream), entry->d_name) : NULL;

        if (page != NULL && !wm_patient_take(p, page))
            unmap(page);
    }
    closedir(stream);
    return p->count;
}

/* Go through the pages that a process has open. */
static void each_page(int pid, void (*take)(void *context, int holder, struct wm_page *page), void *context)
{
    char name[32], link[4200];
    DIR *stream;

    snprintf(name, sizeof name, "/proc/%d/fd", pid);
    if ((stream = opendir(name)) == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        ssize_t length = readlinkat(dirfd(stream), entry->d_name, link, sizeof link - 1);
        struct wm_page *page;

        if (length <= 0)
            continue;
        link[length] = '\0';
        if (strncmp(link, "/memfd:" WM_PAGE_MEMORY, sizeof "/memfd:" WM_PAGE_MEMORY - 1) != 0 &&
            !ends_in(link, ".page"))
            continue;
        if ((page = map_file(dirfd(stream), entry->d_name)) != NULL)
            take(context, pid, page);
    }
    closedir(stream);
}

static void each_process(void (*take)(void *context, int holder, struct wm_page *page), void *context)
{
    DIR *stream = opendir("/proc");

    if (stream == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            each_page(atoi(entry->d_name), take, context);
    closedir(stream);
}

struct search {
    struct wm_patient *patient;
    int pid;
    bool found;
    uint64_t job;
};

static bool comes_from(int pid, int ancestor)
{
    for (int depth = 0; pid > 1 && depth < 64; depth++, pid = wm_process_parent(pid))
        if (pid == ancestor)
            return true;
    return false;
}

static void find_job(void *context, int holder, struct wm_page *page)
{
    struct search *s = context;

    if (!s->found && comes_from(holder, s->pid)) {
        s->found = true;
        s->job = page->job;
    }
    unmap(page);
}

static void take_of_job(void *context, int holder, struct wm_page *page)
{
    struct search *s = context;

    (void)holder;
    if (page->job != s->job || !wm_patient_take(s->patient, page))
        unmap(page);
}

static int open_job(struct wm_patient *p, int pid)
{
    struct search s = {.patient = p, .pid = pid};

    each_page(pid, find_job, &s);
    if (!s.found)
        each_process(find_job, &s);
    if (s.found)
        each_process(take_of_job, &s);
    return p->count;
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
    if ((stream != NULL ? open_directory(p, stream) : open_job(p, (int)pid)) == 0)
        return wm_error_set(
            error, -WM_ESYSTEM, "%s '%s' has no pages of ranks; is the job run with 'waymark run --guard on'%s?",
            stream != NULL ? "the directory" : "the process", name, stream != NULL ? "" : ", on this host");
    if ((p->gone = calloc((size_t)p->count, sizeof *p->gone)) == NULL) {
        wm_patient_release(p);
        return wm_error_set(error, -WM_ENOMEM, "no memory for %d pages", p->count);
    }
    return 0;
}

void wm_patient_release(struct wm_patient *p)
{
    for (int i = 0; i < p->count; i++)
        unmap(p->pages[i]);
    free(p->pages);
    free(p->gone);
    *p = (struct wm_patient){0};
}

bool wm_patient_is_here(const struct wm_page *page)
{
    char host[256] = "";
    size_t length;

    gethostname(host, sizeof host - 1);
    length = strcspn(host, ".");
    return strncmp(page->host, host, length) == 0 && strcspn(page->host, ".") == length;
}

/* Of a job that is over those were first that the guard found so first; if there was no guard, nobody knows. */
static void find_first(struct wm_patient *p)
{
    uint64_t first = 0;

    for (int i = 0; i < p->count; i++)
        if (p->pages[i]->gone > 0 && (first == 0 || p->pages[i]->gone < first))
            first = p->pages[i]->gone;
    for (int i = 0; i < p->count; i++)
        p->gone[i] = first > 0 && p->pages[i]->gone == first;
}

void wm_patient_look(struct wm_patient *p)
{
    p->over = true;
    for (int i = 0; i < p->count; i++) {
        const struct wm_page *page = p->pages[i];
        char state = wm_process_state(page->pid);
        bool here = wm_patient_is_here(page);

        p->gone[i] = page->gone > 0 ||
                     (here && (state == 0 || state == 'Z' || state == 'X' || wm_page_born(page->pid) != page->born));
        p->over = p->over && p->gone[i];
    }
    if (p->over)
        find_first(p);
}
