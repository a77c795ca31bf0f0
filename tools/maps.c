/* The maps that come with Waymark: found by name, and listed where a name is wrong. */
#include "tools/maps.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/map/map.h"

enum { MAPS_MAX = 64 };

static const char *directory(void)
{
    const char *specs = getenv("WAYMARK_SPECS");

    return specs != NULL ? specs : WM_SPECSDIR;
}

/* A path map, and not the module that maps are written in. */
static int is_map(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot != NULL && dot != entry->d_name && strcmp(dot, ".scm") == 0 && strcmp(entry->d_name, "waymark.scm") != 0;
}

/* Names without ".scm"; the caller frees each. */
static size_t find_names(char *names[MAPS_MAX])
{
    struct dirent **entries;
    int found = scandir(directory(), &entries, is_map, alphasort);
    size_t count = 0;

    for (int i = 0; i < found; i++) {
        if (count < MAPS_MAX && (names[count] = strdup(entries[i]->d_name)) != NULL) {
            *strrchr(names[count], '.') = '\0';
            count++;
        }
        free(entries[i]);
    }
    if (found >= 0)
        free(entries);
    return count;
}

static void free_names(char *names[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
}

static void join(char *names[], size_t count, char *out, size_t out_bytes)
{
    size_t length = 0;

    out[0] = '\0';
    for (size_t i = 0; i < count && length < out_bytes; i++)
        length += (size_t)snprintf(out + length, out_bytes - length, "%s%s", i > 0 ? ", " : "", names[i]);
}

void wm_maps_list(char *out, size_t out_bytes)
{
    char *names[MAPS_MAX];
    size_t count = find_names(names);

    join(names, count, out, out_bytes);
    free_names(names, count);
}

/* A word that is neither a file nor a shipped map. */
static int unknown_map(const char *name, struct wm_error *error)
{
    char *names[MAPS_MAX], list[512];
    size_t count = find_names(names);
    const char *near = wm_error_nearest(name, (const char *const *)names, count);

    join(names, count, list, sizeof list);
    if (count == 0)
        wm_error_set(error, -WM_EMAP, "no file '%s', and no maps in '%s'; write the map's path", name, directory());
    else if (near != NULL)
        wm_error_set(error, -WM_EMAP,
                     "no map '%s': neither a file nor one that comes with Waymark; did you mean '%s'? (%s)", name, near,
                     list);
    else
        wm_error_set(error, -WM_EMAP, "no map '%s': neither a file nor one that comes with Waymark (%s)", name, list);
    free_names(names, count);
    return -WM_EMAP;
}

static bool is_shipped(const char *name)
{
    char *names[MAPS_MAX];
    size_t count = find_names(names);
    bool found = false;

    for (size_t i = 0; i < count; i++)
        found = found || strcmp(names[i], name) == 0;
    free_names(names, count);
    return found;
}

int wm_maps_read(const char *name, char **file_name, char **text, size_t *text_bytes, struct wm_error *error)
{
    *file_name = *text = NULL;
    if (strchr(name, '/') == NULL && access(name, F_OK) != 0 && !is_shipped(name))
        return unknown_map(name, error);
    return wm_map_read(name, file_name, text, text_bytes, error);
}
