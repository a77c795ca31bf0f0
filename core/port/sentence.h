/* What is wrong, in a sentence that names both ends: kept for wm_port_sentence. All return the error. */
#ifndef WM_PORT_SENTENCE_H
#define WM_PORT_SENTENCE_H

#include "core/port/state.h"

int wm_port_say_name(struct wm_ports *ports, const char *name);
int wm_port_say_form(struct wm_ports *ports, const char *name, const struct wm_port_form *form);
int wm_port_say_twice(const struct wm_port *port, int holder);
int wm_port_say_never(const struct wm_port *port, double seconds);
/* The end wants another form than the host's. */
int wm_port_say_type(const struct wm_port *port, const struct wm_port_form *wanted);
int wm_port_say_use(const struct wm_port *port);
/* So many bytes are no number of elements. */
int wm_port_say_element(const struct wm_port *port, size_t bytes);
/* The message that is next does not fit into so many. */
int wm_port_say_room(const struct wm_port *port, size_t bytes);
int wm_port_say_over(const struct wm_port *port);

#endif
