/* The two carriers of the wire, as core/message/wire.c takes its choice: what each function does is said of its
 * namesake in core/message/wire.h. */
#ifndef WM_MESSAGE_WIRE_CARRIERS_H
#define WM_MESSAGE_WIRE_CARRIERS_H

#include "core/message/wire.h"

bool wm_wire_ring_write(struct wm_wire_peer *peer, const struct wm_line_head *head, const struct wm_line_body *body);
size_t wm_wire_ring_write_data(struct wm_wire *wire, struct wm_wire_peer *peer, const struct wm_line_head *head,
                               const char *data, size_t bytes);
bool wm_wire_ring_look(struct wm_wire_peer *peer, struct wm_wire_line *line);
void wm_wire_ring_take(struct wm_wire_peer *peer);

/* Post parcels to receive, where some process is not near. */
void wm_wire_parcels_open(struct wm_wire *wire, int parcels);
void wm_wire_parcels_close(struct wm_wire *wire);
bool wm_wire_parcel_write(struct wm_wire *wire, struct wm_wire_peer *peer, const struct wm_line_head *head,
                          const struct wm_line_body *body);
bool wm_wire_parcel_gather(struct wm_wire *wire, struct wm_wire_peer *peer, const struct wm_line_head *head,
                           const struct wm_line_body *body, size_t most_bytes);
size_t wm_wire_parcel_write_data(struct wm_wire *wire, struct wm_wire_peer *peer, const struct wm_line_head *head,
                                 const char *data, size_t bytes);
bool wm_wire_parcel_look(struct wm_wire_peer *peer, struct wm_wire_line *line);
void wm_wire_parcel_take(struct wm_wire *wire, struct wm_wire_peer *peer);

#endif
