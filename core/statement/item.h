/* What packs items and what unpacks them have in common with parts. */
#ifndef WM_ITEM_H
#define WM_ITEM_H

#include "core/statement/items.h"

/* The variables whose values an item carries: of the storage what a sender tells, of the data what a receiver tells. */
uint32_t wm_item_variables(const struct wm_statement *s, int reduction, enum wm_side teller);
/* The bytes of their values. */
size_t wm_item_values_bytes(const struct wm_statement *s, int reduction, enum wm_side teller);
/* Write the values of a lane. */
void wm_item_write_values(const struct wm_frame *f, int lane, int reduction, enum wm_side teller, char *to);

/* Numbers as they are stored by the reduction. 0, or the frame's fault: one that the storage's type has not. */
int wm_numbers_pack(struct wm_frame *f, const struct wm_reduction *r, void *to, enum wm_number from_type,
                    const void *from, size_t count);
/* The elements of a section, in the same way. */
int wm_section_pack(struct wm_frame *f, const struct wm_reduction *r, const struct wm_section *section, char *to);

/* Store elements, or combine them with what stands there: the data of one section; of each lane one element, `stride`
 * bytes apart. */
void wm_section_store(const struct wm_reduction *r, const struct wm_bound bindings[], const struct wm_section *section,
                      const char *from);
void wm_elements_store(const struct wm_frame *f, const struct wm_reduction *r, const size_t elements[],
                       const char *from, size_t stride);

#endif
