/* The packer: items and tags brought together for a codec, and what it gives back looked at. */
#include "core/convey/packer.h"

#include <stdlib.h>
#include <string.h>
#include "core/convey/codec.h"
#include "core/error.h"

/* GUARD: bytes behind what a codec may write, which must stay as they are. REST_MAX: of bodies that a codec has refused
 * in a row as many are not tried, up to so many. LEAST: smaller bodies travel as they are. */
enum { GUARD_BYTES = 64, GUARD_VALUE = 0xa5, REST_MAX = 16, LEAST_BYTES = 128, LAYOUT_MAX = 1 << 20 };

struct wm_packer {
    const convey_codec_t *codec;
    convey_cargo_t cargo;
    convey_layout_t layout;
    size_t unit_bytes, tag_bytes, item_bytes, units; /* item_bytes: of a unit, without what fills it up */
    char *packets;                                   /* items and tags side by side */
    char *packed;                                    /* compressed data, from layout.offset on, likewise */
    bool ours;                                       /* the codec does not spoil what it reads, and is trusted */
    bool in_place;                                   /* a body is laid out as the codec wants it */
    bool broken;
};

/* ---- construction ---- */

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static convey_cargo_t cargo_of(const struct wm_convey_form *form, const struct wm_convey_packing *packing)
{
    size_t item = packing->elastic ? form->unit_bytes : packing->item_bytes, tag = form->tag_bytes > 0 ? 4 : 0;

    return (convey_cargo_t){.tag_size = tag,
                            .item_size = item,
                            .packet_size = tag > 0 ? round_up(tag + item, tag) : item,
                            .max_items = form->units,
                            .arg = packing->arg};
}

static bool in_range(const convey_layout_t *l, const convey_cargo_t *cargo)
{
    if (l->align < 8 || l->align > CONVEY_MAX_ALIGN || (l->align & (l->align - 1)) != 0)
        return false;
    if (l->stride < cargo->packet_size || l->stride > cargo->packet_size + LAYOUT_MAX)
        return false;
    return l->slack <= LAYOUT_MAX && l->offset <= LAYOUT_MAX && l->overrun <= LAYOUT_MAX;
}

static bool make_room(struct wm_packer *p)
{
    size_t packets_bytes = (p->units + p->layout.slack) * p->layout.stride;
    size_t packed_bytes = p->layout.offset + p->units * (p->unit_bytes + p->tag_bytes) + p->layout.overrun;

    p->packets = aligned_alloc(CONVEY_MAX_ALIGN, round_up(packets_bytes + GUARD_BYTES, CONVEY_MAX_ALIGN));
    p->packed = aligned_alloc(CONVEY_MAX_ALIGN, round_up(packed_bytes + GUARD_BYTES, CONVEY_MAX_ALIGN));
    if (p->packets == NULL || p->packed == NULL)
        return false;
    memset(p->packets, 0, packets_bytes); /* what is slack is read, too */
    return true;
}

int wm_packer_new(struct wm_packer **packer, const struct wm_convey_form *form, const struct wm_convey_packing *packing)
{
    const convey_codec_t *codec = packing->codec;
    struct wm_packer *p;
    int rc;

    *packer = NULL;
    if ((p = calloc(1, sizeof *p)) == NULL)
        return -WM_ENOMEM;
    p->codec = codec;
    p->cargo = cargo_of(form, packing);
    p->unit_bytes = form->unit_bytes;
    p->tag_bytes = form->tag_bytes;
    p->item_bytes = p->cargo.item_size;
    p->units = form->units;
    if (p->cargo.packet_size == 0 || !codec->plan(&p->cargo, &p->layout)) {
        free(p);
        return 0;
    }
    p->ours = wm_codec_is_ours(codec);
    p->in_place = p->tag_bytes == 0 && p->layout.stride == p->unit_bytes && p->layout.slack == 0;
    rc = !in_range(&p->layout, &p->cargo) ? -WM_EINVAL : make_room(p) ? 0 : -WM_ENOMEM;
    if (rc < 0)
        wm_packer_free(p);
    else
        *packer = p;
    return rc;
}

void wm_packer_free(struct wm_packer *p)
{
    if (p == NULL)
        return;
    free(p->packed);
    free(p->packets);
    free(p);
}

void wm_packer_link(struct wm_packer *p, struct wm_packer_end *end, bool decompress)
{
    *end = (struct wm_packer_end){.decompress = decompress};
    if (p->codec->link != NULL)
        end->data = p->codec->link(&p->cargo, decompress);
}

void wm_packer_unlink(struct wm_packer *p, struct wm_packer_end *end)
{
    if (p->codec->unlink != NULL)
        p->codec->unlink(&p->cargo, end->data);
    end->data = NULL;
}

bool wm_packer_broken(const struct wm_packer *p)
{
    return p->broken;
}

/* ---- units and packets ---- */

static size_t plain_bytes(const struct wm_packer *p, size_t units)
{
    return units * (p->unit_bytes + p->tag_bytes);
}

static void gather(const struct wm_packer *p, const char *body, size_t units)
{
    const char *tags = body + units * p->unit_bytes;
    size_t stride = p->layout.stride, item_at = p->cargo.tag_size, end = item_at + p->item_bytes;

    for (size_t i = 0; i < units; i++) {
        char *packet = p->packets + i * stride;

        if (item_at > 0) {
            memset(packet, 0, item_at);
            memcpy(packet, tags + i * p->tag_bytes, p->tag_bytes);
        }
        memcpy(packet + item_at, body + i * p->unit_bytes, p->item_bytes);
        memset(packet + end, 0, stride - end);
    }
}

static void scatter(const struct wm_packer *p, char *body, size_t units)
{
    char *tags = body + units * p->unit_bytes;
    size_t stride = p->layout.stride, item_at = p->cargo.tag_size;

    for (size_t i = 0; i < units; i++) {
        const char *packet = p->packets + i * stride;

        memcpy(tags + i * p->tag_bytes, packet, p->tag_bytes);
        memcpy(body + i * p->unit_bytes, packet + item_at, p->item_bytes);
    }
}

/* Of all bytes and their places. */
static uint32_t sum_of(const struct wm_packer *p, const char *body, size_t units)
{
    size_t bytes = plain_bytes(p, units), i = 0;
    uint64_t sum = bytes, word;

    for (; i + 8 <= bytes; i += 8) {
        memcpy(&word, body + i, 8);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    for (; i < bytes; i++)
        sum = (sum ^ (unsigned char)body[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(sum >> 32);
}

/* ---- bodies ---- */

/* Behind what a codec may write in a call. Our own are not watched. */
struct guards {
    char *packets, *packed;
};

static struct guards set_guards(struct wm_packer *p, size_t units, size_t packed_bytes)
{
    struct guards g = {p->packets + (units + p->layout.slack) * p->layout.stride,
                       p->packed + p->layout.offset + packed_bytes + p->layout.overrun};

    if (!p->ours) {
        memset(g.packets, GUARD_VALUE, GUARD_BYTES);
        memset(g.packed, GUARD_VALUE, GUARD_BYTES);
    }
    return g;
}

static bool intact(const char *guard)
{
    for (int i = 0; i < GUARD_BYTES; i++)
        if ((unsigned char)guard[i] != GUARD_VALUE)
            return false;
    return true;
}

static bool are_intact(struct wm_packer *p, struct guards g)
{
    if (p->ours || (intact(g.packets) && intact(g.packed)))
        return true;
    p->broken = true;
    return false;
}

/* It is worth a try: the last ones were not refused, or long ago. */
static bool worth_it(struct wm_packer_end *end)
{
    if (end->rest == 0)
        return true;
    end->rest--;
    return false;
}

static void refused(struct wm_packer_end *end)
{
    if (end->refusals < REST_MAX)
        end->refusals++;
    end->rest = end->refusals;
}

size_t wm_packer_pack(struct wm_packer *p, struct wm_packer_end *end, char *body, size_t units, uint32_t *sum)
{
    size_t plain = plain_bytes(p, units), limit = plain - plain / 16, bytes;
    char *in = p->in_place && p->ours ? body : p->packets, *out = p->packed + p->layout.offset;
    struct guards guards;

    *sum = 0;
    if (p->broken || plain < LEAST_BYTES || !worth_it(end))
        return 0;
    if (in != body)
        gather(p, body, units);
    guards = set_guards(p, units, limit);
    bytes = p->codec->compress(&p->cargo, end->data, units, in, limit, out);
    if (!are_intact(p, guards) || bytes > limit) {
        p->broken = true;
        return 0;
    }
    if (bytes == 0) {
        refused(end);
        return 0;
    }
    end->refusals = 0;
    if (!p->ours)
        *sum = sum_of(p, body, units);
    memcpy(body, out, bytes);
    return bytes;
}

bool wm_packer_unpack(struct wm_packer *p, struct wm_packer_end *end, char *body, size_t units, size_t bytes,
                      uint32_t sum)
{
    char *in = p->packed + p->layout.offset, *out = p->in_place && p->ours ? body : p->packets;
    struct guards guards = set_guards(p, units, bytes);

    memcpy(in, body, bytes);
    p->codec->decompress(&p->cargo, end->data, units, bytes, in, out);
    if (!are_intact(p, guards))
        return false;
    if (out != body)
        scatter(p, body, units);
    if (!p->ours && sum_of(p, body, units) != sum)
        p->broken = true;
    return !p->broken;
}
