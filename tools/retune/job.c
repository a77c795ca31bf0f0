/* Jobs: found by a process, waited for. */
#include "tools/retune/job.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tools/doctor/process.h"
#include "tracer/clock.h"

static bool comes_from(int pid, int ancestor)
{
    for (int depth = 0; pid > 1 && depth < 64; depth++, pid = wm_process_parent(pid))
        if (pid == ancestor)
            return true;
    return false;
}

static struct wm_mailbox *find_below(int ancestor)
{
    DIR *stream = opendir("/proc");
    struct wm_mailbox *mailbox = NULL;

    if (stream == NULL)
        return NULL;
    for (struct dirent *entry; mailbox == NULL && (entry = readdir(stream)) != NULL;) {
        int pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;

        if (pid > 0 && comes_from(pid, ancestor))
            mailbox = wm_mailbox_of(pid);
    }
    closedir(stream);
    return mailbox;
}

/* Does it start ranks? What stands above it may have started other jobs, too. */
static bool is_launcher(int pid)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "orted", "prterun", "prted", "slurmstepd"};
    char file[32], name[32] = "";
    FILE *stream;
    bool is = false;

    snprintf(file, sizeof file, "/proc/%d/comm", pid);
    if ((stream = fopen(file, "re")) == NULL)
        return false;
    if (fgets(name, sizeof name, stream) != NULL)
        name[strcspn(name, "\n")] = '\0';
    fclose(stream);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is = is || strcmp(name, names[i]) == 0;
    return is;
}

/* The rank's, or a shell's of its, … */
static int launcher_of(int pid)
{
    for (int up = 0; pid > 1 && up < 8; up++, pid = wm_process_parent(pid))
        if (is_launcher(pid))
            return pid;
    return 0;
}

struct wm_mailbox *wm_retune_job(int pid, struct wm_error *error)
{
    struct wm_mailbox *mailbox = find_below(pid);
    int launcher = mailbox == NULL ? launcher_of(pid) : 0;

    if (launcher > 0)
        mailbox = find_below(launcher);
    if (mailbox == NULL)
        wm_error_set(error, -WM_ESYSTEM,
                     "no job of process %d takes another map; start it by 'waymark run --retune 0.5', and name the "
                     "process of a rank, or of its mpirun, on the host of rank 0",
                     pid);
    return mailbox;
}

static int read_answer(struct wm_mailbox *m, struct wm_error *error)
{
    int status = m->status;

    m->sentence[sizeof m->sentence - 1] = '\0';
    if (status < 0)
        wm_error_set(error, status, "%s", m->sentence);
    wm_mailbox_move(m, WM_MAILBOX_ANSWERED, WM_MAILBOX_EMPTY);
    return status;
}

static int give_up(struct wm_mailbox *m, struct wm_error *error)
{
    if (wm_mailbox_move(m, WM_MAILBOX_ASKED, WM_MAILBOX_EMPTY))
        return wm_error_set(error, -WM_ESYSTEM,
                            "rank 0 has made no collective call that looks for maps; nothing is changed; 'waymark "
                            "doctor' tells where it is, --wait waits longer");
    return wm_error_set(error, -WM_ESYSTEM,
                        "rank 0 reads the map, but has not come to a call since; the map may still be taken");
}

int wm_retune_await(struct wm_mailbox *m, int64_t patience_ns, struct wm_error *error)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    uint64_t begin = wm_clock_monotonic_ns();

    for (;;) {
        enum wm_mailbox_state state = wm_mailbox_state(m);

        if (state == WM_MAILBOX_ANSWERED)
            return read_answer(m, error);
        if (state == WM_MAILBOX_CLOSED || wm_process_state(m->pid) == 0)
            return wm_error_set(error, -WM_ESYSTEM, "the job has ended; nothing is changed");
        if (wm_clock_monotonic_ns() - begin > (uint64_t)patience_ns)
            return give_up(m, error);
        nanosleep(&pause, NULL);
    }
}
