/* Communicators that a module of Open MPI serves. */
#include "tools/bench/module.h"

#include <stdio.h>
#include <string.h>

enum { LIST_CHARS = 512, NAME_CHARS = 256, MODULE_CHARS = 64 };

/* The first version that chooses by communicator. */
enum { MAJOR = 4, MINOR = 1 };

/* The module that a control variable is the priority of: "tuned" of "coll_tuned_priority". */
static bool module_of(int variable, char *module)
{
    int verbosity, bind, scope, end = 0, length = NAME_CHARS, no_description = 0;
    char name[NAME_CHARS];
    MPI_Datatype type;
    MPI_T_enum words;

    return MPI_T_cvar_get_info(variable, name, &length, &verbosity, &type, &words, NULL, &no_description, &bind,
                               &scope) == MPI_SUCCESS &&
           sscanf(name, "coll_%63[a-z0-9]_priority%n", module, &end) == 1 && end > 0 && name[end] == '\0';
}

/* Is it among those that were opened? All of them are listed, "basic, tuned". Open MPI's collectives have a variable
 * each for their priorities, which goes with them. */
static bool has_module(const char *wanted, char *list)
{
    char module[MODULE_CHARS];
    bool found = false;
    int provided, count = 0;

    list[0] = '\0';
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return false;
    MPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        size_t length = strlen(list);

        if (!module_of(i, module))
            continue;
        found = found || strcmp(module, wanted) == 0;
        snprintf(list + length, LIST_CHARS - length, "%s%s", length > 0 ? ", " : "", module);
    }
    MPI_T_finalize();
    return found;
}

static int check(const char *name, struct wm_error *error)
{
    char list[LIST_CHARS], library[MPI_MAX_LIBRARY_VERSION_STRING];
    int major, minor, length;

    if (!has_module(name, list))
        return wm_error_set(error, -WM_EINVAL, "this Open MPI has no module '%s' for collectives; name one of %s", name,
                            list);
    PMPI_Get_library_version(library, &length);
    if (sscanf(library, "Open MPI v%d.%d", &major, &minor) == 2 && (major < MAJOR || (major == MAJOR && minor < MINOR)))
        return wm_error_set(error, -WM_EINVAL,
                            "this Open MPI, %d.%d, chooses no module by communicator; leave out --against, or take "
                            "version %d.%d or a later one",
                            major, minor, MAJOR, MINOR);
    return 0;
}

static int dup_preferring(MPI_Comm comm, const char *name, MPI_Comm *made)
{
    MPI_Info info;
    int rc;

    PMPI_Info_create(&info);
    PMPI_Info_set(info, "ompi_comm_coll_preference", name);
    rc = PMPI_Comm_dup_with_info(comm, info, made);
    PMPI_Info_free(&info);
    return rc;
}

/* The worst answer holds for all. */
static int agree(MPI_Comm comm, int rc, const char *name, struct wm_error *error)
{
    int worst;

    PMPI_Allreduce(&rc, &worst, 1, MPI_INT, MPI_MIN, comm);
    if (worst < 0 && rc == 0)
        wm_error_set(error, worst,
                     "the module '%s' is missing or fails at another rank; take the same Open MPI on all hosts", name);
    return worst;
}

int wm_bench_module_dup(MPI_Comm comm, const char *name, MPI_Comm *made, struct wm_error *error)
{
    bool chosen = strcmp(name, WM_BENCH_MODULE_DEFAULT) != 0;
    int rc = agree(comm, chosen ? check(name, error) : 0, name, error);
    MPI_Errhandler before;

    *made = MPI_COMM_NULL;
    if (rc < 0)
        return rc;
    PMPI_Comm_get_errhandler(comm, &before);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    rc = chosen ? dup_preferring(comm, name, made) : PMPI_Comm_dup(comm, made);
    PMPI_Comm_set_errhandler(comm, before);
    PMPI_Errhandler_free(&before);
    if (rc != MPI_SUCCESS)
        rc = wm_error_set(error, -WM_ESYSTEM, "Open MPI makes no communicator with its module '%s'; leave that out",
                          name);
    if ((rc = agree(comm, rc, name, error)) < 0)
        *made = MPI_COMM_NULL;
    else
        PMPI_Comm_set_errhandler(*made, MPI_ERRORS_ARE_FATAL);
    return rc;
}
