/* Sites: asked of addr2line, one by one, and kept. */
#include "tools/doctor/site.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

extern char **environ;

struct known {
    struct known *next;
    struct wm_page_module module;
    uint64_t offset;
    struct wm_call_site site;
};

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash != NULL ? slash + 1 : file;
}

/* Start it with its output in a pipe. -1: there is no addr2line. */
static int start(const char *file, const char *offset, pid_t *pid)
{
    const char *const words[] = {"addr2line", "-Cfe", file, offset, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], rc;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    rc = posix_spawnp(pid, words[0], &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (rc == 0)
        return ends[0];
    close(ends[0]);
    return -1;
}

/* Two lines: the function, and FILE:LINE, each "??" where it is not known. */
static void ask(struct wm_call_site *site, const char *file, uint64_t offset)
{
    char number[32], place[4096] = "", *colon;
    pid_t pid;
    FILE *stream;
    int fd;

    snprintf(number, sizeof number, "0x%llx", (unsigned long long)offset);
    if ((fd = start(file, number, &pid)) < 0)
        return;
    stream = fdopen(fd, "r");
    if (stream != NULL && fgets(site->function, sizeof site->function, stream) != NULL) {
        site->function[strcspn(site->function, "\n")] = '\0';
        if (fgets(place, sizeof place, stream) == NULL)
            place[0] = '\0';
    }
    if (stream != NULL)
        fclose(stream);
    waitpid(pid, NULL, 0);
    if (strcmp(site->function, "??") == 0)
        site->function[0] = '\0';
    if (place[0] == '?' || (colon = strrchr(place, ':')) == NULL)
        return;
    *colon = '\0';
    site->line = atoi(colon + 1);
    if (site->line > 0)
        snprintf(site->file, sizeof site->file, "%.*s", (int)sizeof site->file - 1, base_name(place));
}

static void describe(struct wm_call_site *site, const struct wm_page_module *module, uint64_t offset)
{
    char file[WM_PAGE_FILE_CHARS];

    snprintf(file, sizeof file, "%.*s", (int)sizeof module->file, module->file);
    ask(site, file, offset);
    if (site->line > 0)
        snprintf(site->text, sizeof site->text, "%.140s:%d", site->file, site->line);
    else if (site->function[0] != '\0')
        snprintf(site->text, sizeof site->text, "%.80s in %.70s", site->function, base_name(file));
    else
        snprintf(site->text, sizeof site->text, "%.100s+0x%llx", base_name(file), (unsigned long long)offset);
    wm_plain_text(site->text, false);
    wm_plain_text(site->function, false);
    wm_plain_text(site->file, false);
}

/* The call stands before the address that it returns to. */
const struct wm_call_site *wm_call_site_find(const struct wm_page *page, uint64_t address)
{
    static const struct wm_call_site nowhere;
    static struct known *all;
    const struct wm_page_module *module = address != 0 ? wm_page_find_module(page, address - 1) : NULL;
    struct known *k;
    uint64_t offset;

    if (module == NULL)
        return &nowhere;
    offset = address - 1 - module->base;
    for (k = all; k != NULL; k = k->next)
        if (k->offset == offset && strncmp(k->module.file, module->file, sizeof module->file) == 0)
            return &k->site;
    if ((k = calloc(1, sizeof *k)) == NULL)
        return &nowhere;
    k->module = *module;
    k->offset = offset;
    k->next = all;
    all = k;
    describe(&k->site, module, offset);
    return &k->site;
}
