/* The output of a conversion: buffered, bounded, and renamed only when it is whole. */
#include "tools/convert/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tools/text/units.h"

/* The file by which a directory is known as one that a conversion made. */
static const char OWN_MARK[] = ".waymark-convert";

static int remove_entry(const char *name, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(name);
}

static void remove_tree(const char *name)
{
    nftw(name, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* nftw has no context; the tools are one thread. */
static uint64_t tree_bytes;

static int add_entry(const char *name, const struct stat *status, int kind, struct FTW *place)
{
    (void)name, (void)place;
    tree_bytes += kind == FTW_F ? (uint64_t)status->st_size : 0;
    return 0;
}

static uint64_t measure_tree(const char *name)
{
    tree_bytes = 0;
    nftw(name, add_entry, 8, FTW_PHYS);
    return tree_bytes;
}

static bool is_own(const char *directory)
{
    char mark[PATH_MAX];
    struct stat status;

    snprintf(mark, sizeof mark, "%s/%s", directory, OWN_MARK);
    return lstat(mark, &status) == 0 && S_ISREG(status.st_mode);
}

/* May the name be given to the output at the end? */
static int check_place(const char *name, bool directory, struct wm_error *error)
{
    struct stat status;

    if (lstat(name, &status) != 0)
        return 0;
    if (S_ISDIR(status.st_mode) && !(directory && is_own(name)))
        return wm_error_set(
            error, -WM_ETRACE,
            "'%s' is a directory that no conversion made, and is left as it is: give another name by -o", name);
    if (directory && !S_ISDIR(status.st_mode))
        return wm_error_set(error, -WM_ETRACE,
                            "'%s' is a file, and this format is a directory: give another name by -o", name);
    return 0;
}

static int make_directory(struct wm_sink *output)
{
    char mark[PATH_MAX];
    int file;

    if (mkdir(output->temporary, 0777) != 0)
        return -1;
    snprintf(mark, sizeof mark, "%s/%s", output->temporary, OWN_MARK);
    file = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
        rmdir(output->temporary);
        return -1;
    }
    return close(file);
}

/* A device or a named pipe, which is written to directly? */
static bool is_special(const struct wm_sink *output)
{
    struct stat status;

    return !output->directory && stat(output->name, &status) == 0 && !S_ISREG(status.st_mode) &&
           !S_ISDIR(status.st_mode);
}

static int make(struct wm_sink *output, struct wm_error *error)
{
    int rc;

    if (strcmp(output->name, "-") == 0 && !output->directory) {
        output->file = STDOUT_FILENO;
        return 0;
    }
    if (is_special(output) && (output->file = open(output->name, O_WRONLY | O_CLOEXEC)) >= 0)
        return 0;
    if (strlen(output->name) > PATH_MAX - 64)
        return wm_error_set(error, -WM_ETRACE, "the name of the output is too long");
    rc = check_place(output->name, output->directory, error);
    if (rc < 0)
        return rc;
    if (asprintf(&output->temporary, "%s.part-%ld", output->name, (long)getpid()) < 0) {
        output->temporary = NULL;
        return wm_error_set(error, -WM_ENOMEM, "out of memory");
    }
    if (output->directory)
        rc = make_directory(output);
    else
        rc = output->file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (rc >= 0)
        return 0;
    rc = wm_error_set(error, -WM_ETRACE, "cannot write '%s': %s", output->name, strerror(errno));
    free(output->temporary); /* not made here, so not to be removed */
    output->temporary = NULL;
    return rc;
}

int wm_sink_open(struct wm_sink **output_out, const char *name, bool directory, uint64_t max_bytes,
                 struct wm_error *error)
{
    struct wm_sink *output = calloc(1, sizeof *output);
    size_t length = strlen(name);
    int rc;

    *output_out = NULL;
    if (output == NULL)
        return wm_error_set(error, -WM_ENOMEM, "out of memory");
    while (length > 1 && name[length - 1] == '/')
        length--;
    output->name = strndup(name, length);
    output->directory = directory;
    output->max_bytes = max_bytes;
    output->file = -1;
    rc = output->name == NULL ? wm_error_set(error, -WM_ENOMEM, "out of memory") : make(output, error);
    if (rc < 0)
        wm_sink_close(output);
    else
        *output_out = output;
    return rc;
}

static void flush(struct wm_sink *output)
{
    size_t done = 0;

    while (done < output->used && output->failure == 0) {
        ssize_t rc = write(output->file, output->buffer + done, output->used - done);

        if (rc >= 0)
            done += (size_t)rc;
        else if (errno != EINTR)
            output->failure = errno;
    }
    output->used = 0;
}

void wm_sink_write(struct wm_sink *output, const void *data, size_t bytes)
{
    const char *from = data;

    wm_sink_count(output, output->bytes + bytes);
    if (output->full || output->failure != 0)
        return;
    while (bytes > 0) {
        size_t room = sizeof output->buffer - output->used, part = bytes < room ? bytes : room;

        memcpy(output->buffer + output->used, from, part);
        output->used += part;
        from += part;
        bytes -= part;
        if (output->used == sizeof output->buffer)
            flush(output);
    }
}

void wm_sink_text(struct wm_sink *output, const char *text)
{
    wm_sink_write(output, text, strlen(text));
}

/* The digits of a number, right-aligned in `end[-20] … end[-1]`; returns where they begin. */
static char *digits_before(char *end, uint64_t number)
{
    do
        *--end = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return end;
}

void wm_sink_unsigned(struct wm_sink *output, uint64_t number)
{
    char text[24], *begin = digits_before(text + sizeof text, number);

    wm_sink_write(output, begin, (size_t)(text + sizeof text - begin));
}

void wm_sink_number(struct wm_sink *output, int64_t number)
{
    if (number < 0)
        wm_sink_write(output, "-", 1);
    wm_sink_unsigned(output, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void wm_sink_decimal(struct wm_sink *output, int64_t ns, int digits)
{
    uint64_t number = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    char text[24], *end = text + sizeof text, *begin = digits_before(end, number);

    while (end - begin <= digits)
        *--begin = '0';
    if (ns < 0)
        wm_sink_write(output, "-", 1);
    wm_sink_write(output, begin, (size_t)(end - begin - digits));
    wm_sink_write(output, ".", 1);
    wm_sink_write(output, end - digits, (size_t)digits);
}

void wm_sink_print(struct wm_sink *output, const char *format, ...)
{
    va_list arguments;
    char *text;
    int length;

    va_start(arguments, format);
    length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        output->failure = ENOMEM;
        return;
    }
    wm_sink_write(output, text, (size_t)length);
    free(text);
}

void wm_sink_count(struct wm_sink *output, uint64_t bytes)
{
    if (bytes > output->max_bytes)
        output->full = true;
    else
        output->bytes = bytes;
}

int wm_sink_check(const struct wm_sink *output, struct wm_error *error)
{
    if (output->failure != 0)
        return wm_error_set(error, -WM_ETRACE, "cannot write '%s': %s", output->name, strerror(output->failure));
    if (output->full)
        return wm_error_set(error, -WM_ETRACE,
                            "the output would be larger than %s: choose fewer ranks by --ranks or a shorter time by "
                            "--begin and --end, or allow more by --max-bytes",
                            wm_bytes_text(output->max_bytes).text);
    return 0;
}

/* A directory of an earlier conversion makes room first: rename replaces empty ones only. */
static int install_directory(struct wm_sink *output)
{
    char *old;
    int rc;

    if (rename(output->temporary, output->name) == 0)
        return 0;
    if ((errno != ENOTEMPTY && errno != EEXIST) || !is_own(output->name) ||
        asprintf(&old, "%s.old", output->temporary) < 0)
        return -1;
    rc = rename(output->name, old);
    if (rc == 0)
        rc = rename(output->temporary, output->name);
    if (rc == 0)
        remove_tree(old);
    free(old);
    return rc;
}

int wm_sink_install(struct wm_sink *output, struct wm_error *error)
{
    int rc = 0;

    if (output->file >= 0)
        flush(output);
    if (output->directory)
        wm_sink_count(output, measure_tree(output->temporary));
    if (output->file >= 0 && output->file != STDOUT_FILENO) {
        if (close(output->file) != 0 && output->failure == 0)
            output->failure = errno;
        output->file = -1;
    }
    if (output->failure == 0 && !output->full && output->temporary != NULL) {
        rc = output->directory ? install_directory(output) : rename(output->temporary, output->name);
        output->failure = rc < 0 ? errno : 0;
        output->installed = rc == 0;
    }
    return wm_sink_check(output, error);
}

void wm_sink_close(struct wm_sink *output)
{
    if (output == NULL)
        return;
    if (output->file >= 0 && output->file != STDOUT_FILENO)
        close(output->file);
    if (output->temporary != NULL && !output->installed)
        remove_tree(output->temporary);
    free(output->temporary);
    free(output->name);
    free(output);
}
