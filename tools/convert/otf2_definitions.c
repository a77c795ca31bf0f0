/* otf2: the global definitions of an archive, which its events refer to. */
#include <stdio.h>
#include <stdlib.h>
#include "waymark/operation.h"
#include "tools/convert/otf2_archive.h"

/* Numbers of groups: all locations, then one for each communicator. */
enum { GROUP_LOCATIONS = 0, GROUP_COMMUNICATORS = 1 };

struct definitions {
    struct wm_converter *converter;
    struct wm_otf2 *otf2;
    OTF2_GlobalDefWriter *writer;
    OTF2_StringRef strings; /* so many */
    OTF2_StringRef empty;
    int rc;
};

static bool failed(struct definitions *d, OTF2_ErrorCode code)
{
    if (d->rc == 0)
        d->rc = wm_otf2_check(d->otf2, code);
    return d->rc < 0;
}

static OTF2_StringRef define_string(struct definitions *d, const char *text)
{
    char *clean = wm_text_clean(text);

    if (clean == NULL)
        d->rc = -WM_ENOMEM;
    else
        failed(d, OTF2_GlobalDefWriter_WriteString(d->writer, d->strings, clean));
    free(clean);
    return d->strings++;
}

static void define_clock(struct definitions *d)
{
    const struct wm_trace *trace = d->converter->trace;
    const struct wm_trace_rank *first = &trace->ranks[0];
    OTF2_ErrorCode code;

    for (int i = 1; i < trace->rank_count; i++)
        if (trace->ranks[i].start_ns < first->start_ns)
            first = &trace->ranks[i];
    code = OTF2_GlobalDefWriter_WriteClockProperties(d->writer, 1000000000, 0, (uint64_t)d->otf2->last_ns + 1,
                                                     first->start.realtime_ns);
    failed(d, code);
}

static void define_basics(struct definitions *d)
{
    d->empty = define_string(d, "");
    failed(d, OTF2_GlobalDefWriter_WriteParadigm(d->writer, OTF2_PARADIGM_MPI, define_string(d, "MPI"),
                                                 OTF2_PARADIGM_CLASS_PROCESS));
    failed(d, OTF2_GlobalDefWriter_WriteAttribute(d->writer, WM_OTF2_SEQUENCE, define_string(d, "sequence"),
                                                  define_string(d, "ordinal of the call on its communicator"),
                                                  OTF2_TYPE_UINT32));
}

static void define_hosts(struct definitions *d)
{
    OTF2_StringRef machine = define_string(d, "machine"), node = define_string(d, "node");

    failed(d, OTF2_GlobalDefWriter_WriteSystemTreeNode(d->writer, 0, define_string(d, "job"), machine,
                                                       OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (int i = 0; i < d->converter->host_count; i++) {
        OTF2_StringRef name = define_string(d, d->converter->hosts[i]);

        failed(d, OTF2_GlobalDefWriter_WriteSystemTreeNode(d->writer, (OTF2_SystemTreeNodeRef)i + 1, name, node, 0));
    }
}

/* Where each rank stands; ranks without a trace stand in the job. */
static void define_ranks(struct definitions *d)
{
    const struct wm_trace *trace = d->converter->trace;
    char name[32];

    for (int rank = 0, at = 0; rank < trace->job_ranks && d->rc == 0; rank++) {
        OTF2_SystemTreeNodeRef parent = 0;

        while (at < trace->rank_count && trace->ranks[at].rank < rank)
            at++;
        if (at < trace->rank_count && trace->ranks[at].rank == rank)
            parent = (OTF2_SystemTreeNodeRef)d->converter->host_of[at] + 1;
        snprintf(name, sizeof name, "rank %d", rank);
        failed(d, OTF2_GlobalDefWriter_WriteLocationGroup(d->writer, (OTF2_LocationGroupRef)rank,
                                                          define_string(d, name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                          parent, OTF2_UNDEFINED_LOCATION_GROUP));
    }
}

static void define_location(struct definitions *d, int rank, uint32_t track, uint64_t events)
{
    char name[64];

    if (track == 0)
        snprintf(name, sizeof name, "rank %d", rank);
    else
        snprintf(name, sizeof name, "rank %d, beside (%u)", rank, track);
    failed(d, OTF2_GlobalDefWriter_WriteLocation(d->writer, wm_otf2_location(rank, track), define_string(d, name),
                                                 OTF2_LOCATION_TYPE_CPU_THREAD, events, (OTF2_LocationGroupRef)rank));
}

/* Each location gets a file of local definitions, though there are none: some readers ask for it. */
static void define_locally(struct definitions *d, int rank, uint32_t track)
{
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(d->otf2->archive, wm_otf2_location(rank, track));

    if (writer == NULL)
        failed(d, OTF2_ERROR_FILE_INTERACTION);
    else
        failed(d, OTF2_Archive_CloseDefWriter(d->otf2->archive, writer));
}

static void define_locations(struct definitions *d)
{
    const struct wm_trace *trace = d->converter->trace;
    size_t at = 0;

    for (int rank = 0; rank < trace->job_ranks && d->rc == 0; rank++) {
        size_t first = at;

        for (; at < d->otf2->location_count && trace->ranks[d->otf2->locations[at].rank_index].rank == rank; at++)
            define_location(d, rank, d->otf2->locations[at].track, d->otf2->locations[at].events);
        if (at == first)
            define_location(d, rank, 0, 0);
    }
}

static void define_local_files(struct definitions *d)
{
    failed(d, OTF2_Archive_OpenDefFiles(d->otf2->archive));
    for (int rank = 0; rank < d->converter->trace->job_ranks && d->rc == 0; rank++)
        define_locally(d, rank, 0);
    for (size_t i = 0; i < d->otf2->location_count && d->rc == 0; i++)
        if (d->otf2->locations[i].track > 0)
            define_locally(d, d->converter->trace->ranks[d->otf2->locations[i].rank_index].rank,
                           d->otf2->locations[i].track);
    failed(d, OTF2_Archive_CloseDefFiles(d->otf2->archive));
}

static OTF2_RegionRole role_of(const struct wm_name *name)
{
    if ((name->kind != WM_TRACE_ENTER && name->kind != WM_TRACE_LEAVE) || name->operation < 0)
        return OTF2_REGION_ROLE_FUNCTION;
    if (name->operation == WM_BARRIER)
        return OTF2_REGION_ROLE_BARRIER;
    if (wm_operation_scans((enum wm_operation)name->operation))
        return OTF2_REGION_ROLE_COLL_OTHER;
    switch (wm_operation_flow((enum wm_operation)name->operation)) {
    case WM_FLOW_DOWN:
        return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case WM_FLOW_UP:
        return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case WM_FLOW_ALL:
        return OTF2_REGION_ROLE_COLL_ALL2ALL;
    }
    return OTF2_REGION_ROLE_FUNCTION;
}

/* A region an operation and line of the map; its canonical name is the function that the program called. */
static void define_region(struct definitions *d, uint32_t region)
{
    const struct wm_name *name = wm_names_get(d->converter->names, d->otf2->regions.names[region]);
    bool call = name->kind == WM_TRACE_ENTER || name->kind == WM_TRACE_LEAVE;
    OTF2_StringRef text = define_string(d, name->text), canonical = text, source, file;

    if (call && name->operation >= 0)
        canonical = define_string(d, wm_operation_function((enum wm_operation)name->operation));
    source = name->source[0] != '\0' ? define_string(d, name->source) : d->empty;
    file = name->file != NULL ? define_string(d, name->file) : d->empty;
    failed(d, OTF2_GlobalDefWriter_WriteRegion(d->writer, region, text, canonical, source, role_of(name),
                                               call ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
                                               file, (uint32_t)name->line, (uint32_t)name->line));
}

static void define_regions(struct definitions *d)
{
    for (uint32_t region = 0; region < d->otf2->regions.count && d->rc == 0; region++)
        define_region(d, region);
}

static void define_communicator(struct definitions *d, uint32_t key, uint64_t *members)
{
    const struct wm_trace_communicator *communicator = &d->converter->trace->communicators[key];
    OTF2_GroupRef group = GROUP_COMMUNICATORS + key;

    for (int i = 0; i < communicator->size; i++)
        members[i] = (uint64_t)communicator->ranks[i];
    failed(d, OTF2_GlobalDefWriter_WriteGroup(d->writer, group, d->empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                              OTF2_GROUP_FLAG_NONE, (uint32_t)communicator->size, members));
    failed(d, OTF2_GlobalDefWriter_WriteComm(d->writer, key, define_string(d, communicator->name), group,
                                             OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static void define_communicators(struct definitions *d)
{
    const struct wm_trace *trace = d->converter->trace;
    int most = trace->job_ranks;
    uint64_t *members;

    for (uint32_t key = 0; key < trace->communicator_count; key++)
        most = trace->communicators[key].size > most ? trace->communicators[key].size : most;
    members = calloc((size_t)most + 1, sizeof *members);
    if (members == NULL) {
        d->rc = -WM_ENOMEM;
        return;
    }
    for (int rank = 0; rank < trace->job_ranks; rank++)
        members[rank] = wm_otf2_location(rank, 0);
    failed(d, OTF2_GlobalDefWriter_WriteGroup(d->writer, GROUP_LOCATIONS, define_string(d, "ranks"),
                                              OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                              (uint32_t)trace->job_ranks, members));
    for (uint32_t key = 0; key < trace->communicator_count && d->rc == 0; key++)
        define_communicator(d, key, members);
    free(members);
}

int wm_otf2_define(struct wm_converter *converter, struct wm_otf2 *otf2)
{
    struct definitions d = {.converter = converter, .otf2 = otf2};

    define_local_files(&d);
    if (d.rc < 0)
        return d.rc;
    d.writer = OTF2_Archive_GetGlobalDefWriter(otf2->archive);
    if (d.writer == NULL)
        return wm_otf2_check(otf2, OTF2_ERROR_FILE_INTERACTION);
    define_clock(&d);
    define_basics(&d);
    define_hosts(&d);
    define_ranks(&d);
    define_locations(&d);
    define_regions(&d);
    define_communicators(&d);
    failed(&d, OTF2_Archive_CloseGlobalDefWriter(otf2->archive, d.writer));
    return d.rc;
}
