/* Eager limits, out of Open MPI's control variables. */
#include "core/eager.h"

#include <mpi.h>
#include <stdbool.h>
#include <string.h>

/* What Open MPI's transports put before an eager message's data, and count as part of it: measured with 4.1.4. */
enum { HEADER_BYTES = 56, TEXT_BYTES = 4096 };

/* Variables whose values decide, some of them under the names of several releases. */
enum { PROTOCOL, TRANSPORTS, NEAR, NEAR_FORMER, FAR, VARIABLES };

static const char *const names[VARIABLES] = {
    [PROTOCOL] = "pml",
    [TRANSPORTS] = "btl",
    [NEAR] = "btl_sm_eager_limit",
    [NEAR_FORMER] = "btl_vader_eager_limit",
    [FAR] = "btl_tcp_eager_limit",
};

struct values {
    char text[VARIABLES][TEXT_BYTES];
    uint64_t number[VARIABLES];
};

static void read_value(struct values *values, int variable, MPI_T_cvar_handle handle, MPI_Datatype type, int count)
{
    char *text = values->text[variable];

    if (type == MPI_CHAR && count < TEXT_BYTES) {
        PMPI_T_cvar_read(handle, text);
        text[TEXT_BYTES - 1] = '\0';
    } else if ((type == MPI_UNSIGNED_LONG || type == MPI_UNSIGNED_LONG_LONG) && count == 1) {
        unsigned long long number = 0;

        _Static_assert(sizeof(unsigned long) == sizeof number, "both have the size of a size_t");
        if (PMPI_T_cvar_read(handle, &number) == MPI_SUCCESS)
            values->number[variable] = number;
    }
}

static void take_variable(struct values *values, int index)
{
    char name[128];
    int name_bytes = sizeof name, verbosity, bind, scope, count, description_bytes = 0;
    MPI_T_cvar_handle handle;
    MPI_Datatype type;
    MPI_T_enum kinds;

    if (PMPI_T_cvar_get_info(index, name, &name_bytes, &verbosity, &type, &kinds, NULL, &description_bytes, &bind,
                             &scope) != MPI_SUCCESS)
        return;
    for (int i = 0; i < VARIABLES; i++) {
        if (strcmp(name, names[i]) != 0 || PMPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
            continue;
        read_value(values, i, handle, type, count);
        PMPI_T_cvar_handle_free(&handle);
    }
}

/* A list chooses, or, behind ^, leaves out; none leaves everything to the library. */
static bool may_use(const char *list, const char *component)
{
    bool named = strstr(list, component) != NULL;

    return list[0] == '\0' || (list[0] == '^' ? !named : named);
}

static uint64_t payload(uint64_t limit_bytes)
{
    return limit_bytes > HEADER_BYTES ? limit_bytes - HEADER_BYTES : 0;
}

void wm_eager_read(struct wm_eager *eager)
{
    struct values values = {0};
    int provided, count = 0;

    *eager = (struct wm_eager){0};
    if (PMPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return;
    PMPI_T_cvar_get_num(&count);
    for (int i = 0; i < count; i++)
        take_variable(&values, i);
    PMPI_T_finalize();
    if (!may_use(values.text[PROTOCOL], "ob1"))
        return;
    if (may_use(values.text[TRANSPORTS], "vader") || may_use(values.text[TRANSPORTS], "sm"))
        eager->near_bytes = payload(values.number[NEAR] > 0 ? values.number[NEAR] : values.number[NEAR_FORMER]);
    if (may_use(values.text[TRANSPORTS], "tcp"))
        eager->far_bytes = payload(values.number[FAR]);
}
