/* Processes: /proc/PID/stat. */
#include "tools/doctor/process.h"

#include <stdio.h>
#include <string.h>

static bool read_stat(int pid, char *state, int *parent)
{
    char file[32], text[1024], *at;
    FILE *stream;
    size_t length;

    snprintf(file, sizeof file, "/proc/%d/stat", pid);
    if ((stream = fopen(file, "re")) == NULL)
        return false;
    length = fread(text, 1, sizeof text - 1, stream);
    fclose(stream);
    text[length] = '\0';
    at = strrchr(text, ')');
    return at != NULL && sscanf(at + 1, " %c %d", state, parent) == 2;
}

int wm_process_parent(int pid)
{
    char state;
    int parent;

    return read_stat(pid, &state, &parent) ? parent : 0;
}

char wm_process_state(int pid)
{
    char state;
    int parent;

    return read_stat(pid, &state, &parent) ? state : 0;
}
