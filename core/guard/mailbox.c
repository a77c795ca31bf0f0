/* Mailboxes: made, found and written. */
#include "core/guard/mailbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct wm_mailbox *wm_mailbox_new(int *fd, struct wm_error *error)
{
    struct wm_mailbox *m = MAP_FAILED;

    *fd = memfd_create(WM_MAILBOX_MEMORY, MFD_CLOEXEC);
    if (*fd >= 0 && ftruncate(*fd, sizeof *m) == 0)
        m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (m == MAP_FAILED) {
        wm_error_set(error, -WM_ESYSTEM, "no mailbox for new maps: %s", strerror(errno));
        if (*fd >= 0)
            close(*fd);
        return NULL;
    }
    m->bytes = sizeof *m;
    m->pid = getpid();
    memcpy(m->magic, WM_MAILBOX_MAGIC, sizeof m->magic);
    return m;
}

void wm_mailbox_free(struct wm_mailbox *m, int fd)
{
    munmap(m, sizeof *m);
    if (fd >= 0)
        close(fd);
}

static struct wm_mailbox *map_file(int directory, const char *name)
{
    int fd = openat(directory, name, O_RDWR | O_CLOEXEC);
    struct wm_mailbox *m = MAP_FAILED;
    struct stat status;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && status.st_size == (off_t)sizeof *m)
        m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (m == MAP_FAILED)
        return NULL;
    if (memcmp(m->magic, WM_MAILBOX_MAGIC, sizeof m->magic) == 0 && m->bytes == sizeof *m)
        return m;
    munmap(m, sizeof *m);
    return NULL;
}

struct wm_mailbox *wm_mailbox_of(int pid)
{
    static const char name[] = "/memfd:" WM_MAILBOX_MEMORY;
    char directory[32], link[sizeof name];
    struct wm_mailbox *m = NULL;
    DIR *stream;

    snprintf(directory, sizeof directory, "/proc/%d/fd", pid);
    if ((stream = opendir(directory)) == NULL)
        return NULL;
    for (struct dirent *entry; m == NULL && (entry = readdir(stream)) != NULL;) {
        ssize_t length = readlinkat(dirfd(stream), entry->d_name, link, sizeof link);

        if (length >= (ssize_t)sizeof name - 1 && memcmp(link, name, sizeof name - 1) == 0)
            m = map_file(dirfd(stream), entry->d_name);
    }
    closedir(stream);
    return m;
}

bool wm_mailbox_move(struct wm_mailbox *m, enum wm_mailbox_state from, enum wm_mailbox_state to)
{
    uint32_t expected = from;

    return __atomic_compare_exchange_n(&m->state, &expected, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* A writer that is gone has left it as it was. */
static bool take(struct wm_mailbox *m)
{
    enum wm_mailbox_state now = wm_mailbox_state(m);
    int32_t writer = __atomic_load_n(&m->writer, __ATOMIC_RELAXED);

    if (now == WM_MAILBOX_EMPTY)
        return wm_mailbox_move(m, now, WM_MAILBOX_WRITING);
    return (now == WM_MAILBOX_WRITING || now == WM_MAILBOX_ANSWERED) && writer > 0 && kill(writer, 0) < 0 &&
           errno == ESRCH && wm_mailbox_move(m, now, WM_MAILBOX_WRITING);
}

int wm_mailbox_ask(struct wm_mailbox *m, enum wm_mailbox_wish wish, const char *file, const char *text,
                   size_t text_bytes, const struct wm_trial_scope *scope, struct wm_error *error)
{
    if (text_bytes > WM_MAILBOX_TEXT_BYTES)
        return wm_error_set(error, -WM_EINVAL, "the map has %zu bytes, more than the %d that a running job takes",
                            text_bytes, WM_MAILBOX_TEXT_BYTES);
    if (wm_mailbox_state(m) == WM_MAILBOX_CLOSED)
        return wm_error_set(error, -WM_ESYSTEM, "the job ends: it takes no other map");
    if (!take(m))
        return wm_error_set(error, -WM_ESYSTEM, "process %d gives the job a map just now; try again", (int)m->writer);
    __atomic_store_n(&m->writer, (int32_t)getpid(), __ATOMIC_RELAXED);
    m->wish = wish;
    snprintf(m->file, sizeof m->file, "%s", file != NULL ? file : "");
    m->scope = scope != NULL ? *scope : (struct wm_trial_scope){0};
    m->text_bytes = text_bytes;
    if (text != NULL)
        memcpy(m->text, text, text_bytes);
    m->text[text_bytes] = '\0';
    return wm_mailbox_move(m, WM_MAILBOX_WRITING, WM_MAILBOX_ASKED)
               ? 0
               : wm_error_set(error, -WM_ESYSTEM, "the job ends: it takes no other map");
}

void wm_mailbox_add_round(struct wm_mailbox *m, const struct wm_mailbox_round *round)
{
    uint32_t count = wm_mailbox_rounds(m);

    if (count == WM_MAILBOX_ROUNDS_MAX)
        return;
    m->rounds[count] = *round;
    __atomic_store_n(&m->round_count, count + 1, __ATOMIC_RELEASE);
}

uint32_t wm_mailbox_rounds(const struct wm_mailbox *m)
{
    uint32_t count = __atomic_load_n(&m->round_count, __ATOMIC_ACQUIRE);

    return count < WM_MAILBOX_ROUNDS_MAX ? count : WM_MAILBOX_ROUNDS_MAX;
}
