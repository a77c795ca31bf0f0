/* The maps that come with Waymark: found by name, and listed where a name is wrong. */
#include "tools/run/maps.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/map/map.h"
#include "core/settings.h"

enum { MAPS_MAX = 64 };

static const char *directory(void)
{
    return wm_environment_or("WAYMARK_SPECS", WM_SPECSDIR);
}

/* A path map, and not the module that maps are written in. */
static bool is_map(const char *file)
{
    const char *dot = strrchr(file, '.');

    return dot != NULL && dot != file && strcmp(dot, ".scm") == 0 && strcmp(file, "waymark.scm") != 0;
}

/* A folder of maps: not that of the module, nor that of models, which are to be asked about, not to be run. */
static bool is_folder(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strchr(entry->d_name, '.') == NULL && strcmp(entry->d_name, "waymark") != 0 &&
           strcmp(entry->d_name, "models") != 0;
}

static int is_listed(const struct dirent *entry)
{
    return is_map(entry->d_name) || is_folder(entry);
}

static size_t find_in(const char *folder, char *names[MAPS_MAX], size_t count)
{
    struct dirent **entries;
    char path[PATH_MAX];
    int found;

    snprintf(path, sizeof path, "%s/%s", directory(), folder);
    found = scandir(path, &entries, is_listed, alphasort);
    for (int i = 0; i < found; i++) {
        const char *file = entries[i]->d_name;

        if (is_map(file) && count < MAPS_MAX &&
            asprintf(&names[count], "%s%.*s", folder, (int)(strlen(file) - strlen(".scm")), file) >= 0)
            count++;
        free(entries[i]);
    }
    if (found >= 0)
        free(entries);
    return count;
}

/* Names without ".scm", those in folders behind the others; the caller frees each. */
static size_t find_names(char *names[MAPS_MAX])
{
    struct dirent **entries;
    int found = scandir(directory(), &entries, is_listed, alphasort);
    size_t count = find_in("", names, 0);

    for (int i = 0; i < found; i++) {
        char folder[NAME_MAX + 2];

        snprintf(folder, sizeof folder, "%s/", entries[i]->d_name);
        if (is_folder(entries[i]))
            count = find_in(folder, names, count);
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

void wm_maps_each(void (*each)(void *context, const char *name), void *context)
{
    char *names[MAPS_MAX];
    size_t count = find_names(names);

    for (size_t i = 0; i < count; i++)
        each(context, names[i]);
    free_names(names, count);
}

/* A folder stands for its maps: "flat, ring, pycsp/…". */
static void join(char *names[], size_t count, char *out, size_t out_bytes)
{
    size_t length = 0, folder_chars = 0;

    out[0] = '\0';
    for (size_t i = 0; i < count && length < out_bytes; i++) {
        const char *slash = strchr(names[i], '/');

        if (slash != NULL && folder_chars > 0 && strncmp(names[i], names[i - 1], folder_chars) == 0)
            continue;
        folder_chars = slash != NULL ? (size_t)(slash - names[i]) + 1 : 0;
        length += (size_t)snprintf(out + length, out_bytes - length, "%s%.*s%s", i > 0 ? ", " : "",
                                   slash != NULL ? (int)folder_chars : (int)strlen(names[i]), names[i],
                                   slash != NULL ? "…" : "");
    }
}

/* A word that is neither a file nor a shipped map. */
static int unknown_map(const char *name, struct wm_error *error)
{
    char *names[MAPS_MAX], list[512];
    size_t count = find_names(names);

    join(names, count, list, sizeof list);
    if (count == 0)
        wm_error_set(error, -WM_EMAP, "no file '%s', and no maps in '%s'; write the map's path", name, directory());
    else
        wm_error_set(error, -WM_EMAP, "no map '%s': neither a file nor one that comes with Waymark%s (%s)", name,
                     wm_error_suggest(name, (const char *const *)names, count, "", NULL).text, list);
    free_names(names, count);
    return -WM_EMAP;
}

/* Is it a map that comes with Waymark; or could it be meant as one, by having no '/' or that of a shipped folder? */
static bool is_shipped(const char *name, bool *meant)
{
    char *names[MAPS_MAX];
    size_t count = find_names(names), folder_chars = strcspn(name, "/");
    bool found = false;

    *meant = name[folder_chars] == '\0';
    for (size_t i = 0; i < count; i++) {
        found = found || strcmp(names[i], name) == 0;
        *meant = *meant || (strncmp(names[i], name, folder_chars) == 0 && names[i][folder_chars] == '/');
    }
    free_names(names, count);
    return found;
}

int wm_maps_read(const char *name, char **file_name, char **text, size_t *text_bytes, struct wm_error *error)
{
    bool meant;

    *file_name = *text = NULL;
    if (access(name, F_OK) != 0 && !is_shipped(name, &meant) && meant)
        return unknown_map(name, error);
    return wm_map_read(name, file_name, text, text_bytes, error);
}

int wm_maps_open(struct wm_map **map, const char *file_name, const char *text, size_t text_bytes,
                 struct wm_error *error)
{
    struct wm_settings settings;
    struct wm_map_options options = {0};
    int rc = wm_setting_read(&settings, WM_SETTING_MAP_DEADLINE, error);

    *map = NULL;
    options.deadline_ms = rc == 0 ? settings.map_deadline_ms : 0;
    return rc < 0 ? rc : wm_map_open(map, file_name, text, text_bytes, &options, error);
}
