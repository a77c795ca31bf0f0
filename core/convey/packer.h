/* The packer: a codec at work on the bodies of parcels, which hold units and, right behind them, their tags.
 *
 * For the codec an item and its tag stand side by side, at the stride that it asks for; they are brought together in
 * memory of the packer's, and the codec never sees a parcel. Our own codecs leave what they read as it is, so without
 * tags they read parcels in place.
 *
 * What a codec could break, and what is done: layouts out of range are refused; more bytes than the limit, and bytes
 * written beyond what the layout told, are seen after the call; what comes out is compared with what went in by a sum
 * (not for our own codecs, which are tested). */
#ifndef WM_CONVEY_PACKER_H
#define WM_CONVEY_PACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/convey/carrier.h"

struct wm_packer;

/* *packer NULL and 0: the codec cannot compress such items. -WM_ENOMEM, or -WM_EINVAL: its layout is out of range. */
int wm_packer_new(struct wm_packer **packer, const struct wm_convey_form *form,
                  const struct wm_convey_packing *packing);
void wm_packer_free(struct wm_packer *packer);

/* One end of a link. */
struct wm_packer_end {
    void *data; /* the codec's */
    bool decompress;
    int refusals; /* in a row */
    int rest;     /* bodies that are not tried, after refusals */
};
void wm_packer_link(struct wm_packer *packer, struct wm_packer_end *end, bool decompress);
void wm_packer_unlink(struct wm_packer *packer, struct wm_packer_end *end);

/* Compress a body of `units`, in place. Returns the bytes it has now, 0: it is as it was, since that pays more. */
size_t wm_packer_pack(struct wm_packer *packer, struct wm_packer_end *end, char *body, size_t units, uint32_t *sum);
/* The other way. False: what comes out is not what went in. */
bool wm_packer_unpack(struct wm_packer *packer, struct wm_packer_end *end, char *body, size_t units, size_t bytes,
                      uint32_t sum);
/* The codec broke its contract. */
bool wm_packer_broken(const struct wm_packer *packer);

#endif
