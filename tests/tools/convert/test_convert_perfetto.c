/* Perfetto's packets, decoded again: a small reader of protocol buffers, and what must hold of the sample's. Also the
 * encoder, and the texts that all formats share. */
#include "tests/tools/convert/conversions.h"
#include "tools/convert/protobuf.h"

enum { TRACKS_MAX = 64, NAMES_MAX = 256, FLOWS_MAX = 32 };

struct slice {
    const unsigned char *at, *end;
};

struct field {
    uint64_t number, value; /* value: of varints and fixed ones */
    unsigned wire;
    struct slice part; /* of what has a length */
};

static uint64_t read_varint(struct slice *from)
{
    uint64_t value = 0;
    unsigned shift = 0;

    do {
        CU_ASSERT_FATAL(from->at < from->end && shift < 64);
        value |= (uint64_t)(*from->at & 0x7f) << shift;
        shift += 7;
    } while (*from->at++ & 0x80);
    return value;
}

static bool next_field(struct slice *from, struct field *field)
{
    uint64_t tag, bytes;

    if (from->at == from->end)
        return false;
    tag = read_varint(from);
    *field = (struct field){.number = tag >> 3, .wire = tag & 7};
    if (field->wire == 0) {
        field->value = read_varint(from);
        return true;
    }
    CU_ASSERT_FATAL(field->wire == 1 || field->wire == 2);
    bytes = field->wire == 1 ? 8 : read_varint(from);
    CU_ASSERT_FATAL(bytes <= (uint64_t)(from->end - from->at));
    field->part = (struct slice){from->at, from->at + bytes};
    for (unsigned i = 0; field->wire == 1 && i < 8; i++)
        field->value |= (uint64_t)from->at[i] << (8 * i);
    from->at += bytes;
    return true;
}

/* The last field of this number; 0 where there is none. */
static struct field find(struct slice message, unsigned number)
{
    struct field field, found = {0};

    while (next_field(&message, &field))
        if (field.number == number)
            found = field;
    return found;
}

struct track {
    uint64_t uuid, parent;
    int depth;
    uint64_t last;
};

struct reading {
    struct track tracks[TRACKS_MAX];
    int track_count;
    bool names[NAMES_MAX], categories[NAMES_MAX], annotations[NAMES_MAX];
    uint64_t begins, ends, instants, cut;
    uint64_t flows[FLOWS_MAX], flow_ends[FLOWS_MAX];
    int flow_count, flow_end_count, snapshots;
    bool saw_source, saw_mark;
};

static struct track *find_track(struct reading *r, uint64_t uuid)
{
    for (int i = 0; i < r->track_count; i++)
        if (r->tracks[i].uuid == uuid)
            return &r->tracks[i];
    return NULL;
}

static bool holds(struct slice text, const char *words)
{
    size_t length = strlen(words);

    for (const unsigned char *at = text.at; at + length <= text.end; at++)
        if (memcmp(at, words, length) == 0)
            return true;
    return false;
}

static void read_interned(struct reading *r, struct slice interned)
{
    struct field entry;

    while (next_field(&interned, &entry)) {
        uint64_t iid = find(entry.part, 1).value;
        bool *known = entry.number == 1 ? r->categories : entry.number == 2 ? r->names : r->annotations;

        CU_ASSERT_FATAL(iid > 0 && iid < NAMES_MAX);
        CU_ASSERT_FALSE(known[iid]); /* told once */
        CU_ASSERT(find(entry.part, 2).part.at < find(entry.part, 2).part.end);
        known[iid] = true;
        r->saw_mark |= entry.number == 2 && holds(find(entry.part, 2).part, "Pajé: \"x\", y\nz");
    }
}

static void read_descriptor(struct reading *r, struct slice descriptor)
{
    struct track track = {.uuid = find(descriptor, 1).value, .parent = find(descriptor, 5).value};

    CU_ASSERT_PTR_NULL(find_track(r, track.uuid));
    CU_ASSERT(track.parent == 0 || find_track(r, track.parent) != NULL);
    CU_ASSERT_FATAL(r->track_count < TRACKS_MAX);
    r->tracks[r->track_count++] = track;
}

static void read_details(struct reading *r, struct slice event)
{
    struct field field;

    while (next_field(&event, &field)) {
        if (field.number == 4) {
            uint64_t iid = find(field.part, 1).value;

            CU_ASSERT(iid < NAMES_MAX && r->annotations[iid]);
            r->saw_source |= holds(find(field.part, 6).part, "(trace 'all) ; \"quoted\", with a comma");
            r->cut += find(field.part, 2).value;
        }
        if (field.number == 47 && r->flow_count < FLOWS_MAX)
            r->flows[r->flow_count++] = field.value;
        if (field.number == 48 && r->flow_end_count < FLOWS_MAX)
            r->flow_ends[r->flow_end_count++] = field.value;
    }
}

static void read_event(struct reading *r, uint64_t time, struct slice event)
{
    struct track *track = find_track(r, find(event, 11).value);
    uint64_t type = find(event, 9).value, name = find(event, 10).value, category = find(event, 3).value;

    CU_ASSERT_PTR_NOT_NULL_FATAL(track);
    CU_ASSERT(time >= track->last);
    track->last = time;
    track->depth += type == 1 ? 1 : type == 2 ? -1 : 0;
    CU_ASSERT(track->depth >= 0);
    r->begins += type == 1;
    r->ends += type == 2;
    r->instants += type == 3;
    if (type != 2)
        CU_ASSERT(name < NAMES_MAX && r->names[name] && category < NAMES_MAX && r->categories[category]);
    read_details(r, event);
}

static void read_packet(struct reading *r, struct slice packet)
{
    struct field interned = find(packet, 12), descriptor = find(packet, 60), event = find(packet, 11);

    CU_ASSERT_EQUAL(find(packet, 10).value, 1);
    r->snapshots += find(packet, 6).wire == 2;
    if (interned.wire == 2)
        read_interned(r, interned.part);
    if (descriptor.wire == 2)
        read_descriptor(r, descriptor.part);
    if (event.wire == 2)
        read_event(r, find(packet, 8).value, event.part);
}

static void check_flows(const struct reading *r)
{
    CU_ASSERT_EQUAL(r->flow_count, r->flow_end_count + SAMPLE_LONE_SENDS);
    for (int i = 0; i < r->flow_end_count; i++) {
        int starts = 0;

        for (int k = 0; k < r->flow_count; k++)
            starts += r->flows[k] == r->flow_ends[i];
        CU_ASSERT_EQUAL(starts, 1);
    }
}

static void perfetto__decodes_and_all_references_resolve(void)
{
    struct wm_conversion conversion = conversion_to("perfetto");
    struct converted result = convert(&conversion);
    struct slice trace = {(unsigned char *)result.data, (unsigned char *)result.data + result.bytes};
    struct reading reading = {0};
    struct field packet;

    while (next_field(&trace, &packet)) {
        CU_ASSERT_FATAL(packet.number == 1 && packet.wire == 2);
        read_packet(&reading, packet.part);
    }
    for (int i = 0; i < reading.track_count; i++)
        CU_ASSERT_EQUAL(reading.tracks[i].depth, 0);
    check_flows(&reading);
    CU_ASSERT_EQUAL(reading.begins, result.counts.begins);
    CU_ASSERT_EQUAL(reading.ends, result.counts.ends);
    CU_ASSERT_EQUAL(reading.cut, SAMPLE_CUT);
    CU_ASSERT_EQUAL((uint64_t)reading.flow_count, result.counts.records[WM_TRACE_SEND_POST]);
    CU_ASSERT_EQUAL(reading.instants, SAMPLE_RANKS * (1 + 7) + result.counts.records[WM_TRACE_SEND_POST] +
                                          result.counts.records[WM_TRACE_RECV_DONE]);
    CU_ASSERT_EQUAL(reading.snapshots, 1);
    CU_ASSERT(reading.saw_source && (reading.saw_mark || !conversions_have_marks()));
    free(result.data);
}

static void varints__are_as_the_specification_shows(void)
{
    unsigned char bytes[16] = {0}, room[64];
    struct wm_protobuf message = {.bytes = room, .capacity = sizeof room};

    CU_ASSERT_EQUAL(wm_protobuf_varint(bytes, 0), 1);
    CU_ASSERT_EQUAL(wm_protobuf_varint(bytes, 150), 2);
    CU_ASSERT(bytes[0] == 0x96 && bytes[1] == 0x01);
    CU_ASSERT_EQUAL(wm_protobuf_varint(bytes, UINT64_MAX), 10);
    wm_protobuf_unsigned(&message, 1, 150);
    wm_protobuf_bytes(&message, 2, "testing", 7);
    CU_ASSERT_EQUAL(message.used, 12);
    CU_ASSERT_EQUAL(memcmp(room, "\x08\x96\x01\x12\x07testing", 12), 0);
    wm_protobuf_signed(&message, 3, -1);
    CU_ASSERT_EQUAL(message.used, 23);
    wm_protobuf_fixed64(&message, 47, 0x0102030405060708);
    CU_ASSERT_EQUAL(memcmp(room + 23, "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01", 10), 0);
    CU_ASSERT_EQUAL(message.overflow, 0);
    wm_protobuf_bytes(&message, 4, room, 40);
    CU_ASSERT_EQUAL(message.overflow, 1);
}

static void expect_text(char *(*quote)(const char *), const char *text, const char *expected)
{
    char *found = quote(text);

    CU_ASSERT_STRING_EQUAL(found, expected);
    free(found);
}

static void texts__are_quoted_and_made_valid(void)
{
    expect_text(wm_text_clean, "é € 𝄞", "é € 𝄞");
    expect_text(wm_text_clean, "a\xff\x62\xc3", "a\xef\xbf\xbd\x62\xef\xbf\xbd");
    expect_text(wm_text_clean, "\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd");                 /* overlong */
    expect_text(wm_text_clean, "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
    expect_text(wm_text_clean, "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    expect_text(wm_text_json, "a \"b\"\n\\\x01", "\"a \\\"b\\\"\\n\\\\\\u0001\"");
    expect_text(wm_text_json, "\xff", "\"\xef\xbf\xbd\"");
    expect_text(wm_text_csv, "plain", "plain");
    expect_text(wm_text_csv, "", "");
    expect_text(wm_text_csv, "a,b", "\"a,b\"");
    expect_text(wm_text_csv, "\"", "\"\"\"\"");
    expect_text(wm_text_csv, "two\nlines", "\"two\nlines\"");
}

static const struct check_case cases[] = {
    CASE(perfetto__decodes_and_all_references_resolve),
    CASE(varints__are_as_the_specification_shows),
    CASE(texts__are_quoted_and_made_valid),
};

int main(void)
{
    int status;

    conversions_begin();
    status = check_main("convert_perfetto", cases, sizeof cases / sizeof cases[0]);
    conversions_end();
    return status;
}
