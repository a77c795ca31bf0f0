/* Memory that this process may take. */
#include "tools/proof/allowance.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* What a file says; SIZE_MAX: it says "max", or is not there. */
static size_t read_limit(const char *path)
{
    unsigned long long bytes;
    FILE *file = fopen(path, "r");
    int found = file != NULL ? fscanf(file, "%llu", &bytes) : 0;

    if (file != NULL)
        fclose(file);
    return found == 1 ? (size_t)bytes : SIZE_MAX;
}

/* Of the group and of all above it. In a container the names may be those of the host: then the root's is there alone.
 */
static size_t read_limits(const char *root, const char *controller, char *group, const char *name)
{
    size_t least = SIZE_MAX, limit;
    char path[PATH_MAX];

    for (char *slash = group + strlen(group); slash != NULL; slash = strrchr(group, '/')) {
        *slash = '\0';
        snprintf(path, sizeof path, "%s%s%s/%s", root, controller, group, name);
        limit = read_limit(path);
        least = limit < least ? limit : least;
    }
    return least;
}

/* Is "memory" among the names between commas? */
static bool has_memory(const char *controllers)
{
    const char *at = strstr(controllers, "memory");

    return at != NULL && (at == controllers || at[-1] == ',') && (at[6] == '\0' || at[6] == ',');
}

/* A line: the hierarchy's number, 0 of version 2, its controllers, and the group. */
static size_t read_group(char *line, const char *root)
{
    char *controllers = strchr(line, ':'), *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;

    if (group == NULL)
        return SIZE_MAX;
    *controllers++ = *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (strcmp(line, "0") == 0)
        return read_limits(root, "", group, "memory.max");
    return has_memory(controllers) ? read_limits(root, "/memory", group, "memory.limit_in_bytes") : SIZE_MAX;
}

size_t wm_allowance_of_groups(const char *groups, const char *root)
{
    size_t least = SIZE_MAX, limit;
    char line[PATH_MAX];
    FILE *file = fopen(groups, "r");

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        limit = read_group(line, root);
        least = limit < least ? limit : least;
    }
    if (file != NULL)
        fclose(file);
    return least;
}

size_t wm_allowance(void)
{
    size_t least = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t groups = wm_allowance_of_groups("/proc/self/cgroup", "/sys/fs/cgroup");
    struct rlimit space;

    least = groups < least ? groups : least;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY && space.rlim_cur < least)
        least = (size_t)space.rlim_cur;
    return least;
}
