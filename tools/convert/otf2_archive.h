/* An OTF2 archive under construction: what the events say is written at once, what they refer to at the end.
 *
 * Locations: the rank in the lower 32 bits, the track in the upper. Strings are numbered as they come. Only a build
 * with libotf2 has this. */
#ifndef WM_CONVERT_OTF2_ARCHIVE_H
#define WM_CONVERT_OTF2_ARCHIVE_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/convert/converter.h"

struct wm_otf2_location {
    int rank_index;
    uint32_t track;
    uint64_t events;
};

/* The names that are regions, or markers, numbered from 0 in the order of their first use, as readers want them. */
struct wm_otf2_numbers {
    size_t of_count;
    uint32_t *of_name; /* by a name's number: ours + 1, 0: not used */
    uint32_t count;
    size_t capacity;
    uint32_t *names; /* the other way */
};

struct wm_otf2 {
    OTF2_Archive *archive;
    OTF2_MarkerWriter *marker_writer; /* NULL until the first mark */
    OTF2_AttributeList *attributes;
    OTF2_ErrorCode failure; /* the first one */
    size_t location_count, location_capacity;
    struct wm_otf2_location *locations; /* whose events are written */
    size_t writer_count, writer_capacity;
    OTF2_EvtWriter **writers; /* of the rank under way, by track */
    struct wm_otf2_numbers regions, markers;
    uint64_t finished_bytes; /* of files that are closed */
    uint64_t pending;        /* events since the size was looked at */
    int64_t last_ns;         /* of all events */
};

enum { WM_OTF2_SEQUENCE = 0 }; /* the only attribute */

/* Remember the first failure. Returns 0 or -WM_ETRACE. */
int wm_otf2_check(struct wm_otf2 *otf2, OTF2_ErrorCode code);

OTF2_LocationRef wm_otf2_location(int rank, uint32_t track);

/* Where the library keeps what it has not written: a few chunks a file, instead of its own 128 MiB. */
extern const OTF2_MemoryCallbacks wm_otf2_memory;

/* Write the global definitions: clock, hosts, ranks, locations, regions, groups and communicators. Returns 0,
 * -WM_ENOMEM or -WM_ETRACE. */
int wm_otf2_define(struct wm_converter *converter, struct wm_otf2 *otf2);

#endif
