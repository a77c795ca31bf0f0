/* What is wrong with a port, in a sentence that names both ends. */
#include "core/port/sentence.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static int say(struct wm_ports *ports, enum wm_port_error error,
                                                     const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(ports->sentence, sizeof ports->sentence, format, arguments);
    va_end(arguments);
    return error;
}

const char *wm_port_sentence(const struct wm_ports *ports)
{
    return ports->sentence;
}

static const char *does(const struct wm_port *port)
{
    return port->use == WM_PORT_WRITE ? "writes to" : "reads from";
}

int wm_port_say_name(struct wm_ports *ports, const char *name)
{
    return say(ports, WM_PORT_NAME, "rank %d names a port by %zu bytes; a name has 1 to %d", ports->rank, strlen(name),
               WM_PORT_NAME_BYTES);
}

int wm_port_say_form(struct wm_ports *ports, const char *name, const struct wm_port_form *form)
{
    return say(ports, WM_PORT_FORM,
               "rank %d wants the port '%s' to be of type %d, with a capacity of %d, for %d writers and %d readers; "
               "types are those of enum wm_number, a capacity is at most %d, and none is below 0",
               ports->rank, name, (int)form->number, form->capacity, form->writers, form->readers,
               WM_PORT_CAPACITY_MAX);
}

int wm_port_say_twice(const struct wm_port *port, int holder)
{
    return say(port->ports, WM_PORT_TWICE, "rank %d opens the port '%s', which rank %d has opened already: find it",
               port->ports->rank, port->name, holder);
}

int wm_port_say_never(const struct wm_port *port, double seconds)
{
    return say(port->ports, WM_PORT_NEVER,
               "rank %d has looked for the port '%s' for %g s, but no rank has opened it, says rank %d, which keeps "
               "that name",
               port->ports->rank, port->name, seconds, wm_directory_keeper(port->ports, port->name));
}

static const char *describe(const struct wm_port_form *form, char *out, size_t out_bytes)
{
    if (form->number != WM_BYTES)
        snprintf(out, out_bytes, "%s", wm_number_name(form->number));
    else if (form->element_bytes > 0)
        snprintf(out, out_bytes, "elements of %zu bytes", form->element_bytes);
    else
        snprintf(out, out_bytes, "any bytes");
    return out;
}

int wm_port_say_type(const struct wm_port *port, const struct wm_port_form *wanted)
{
    char here[64], there[64];

    return say(port->ports, WM_PORT_TYPE, "rank %d wants %s in the port '%s', which rank %d has opened for %s",
               port->ports->rank, describe(wanted, here, sizeof here), port->name, port->rank,
               describe(&port->form, there, sizeof there));
}

int wm_port_say_use(const struct wm_port *port)
{
    return say(port->ports, WM_PORT_USE, "rank %d %s the port '%s' of rank %d by this end, and not the other way round",
               port->ports->rank, does(port), port->name, port->rank);
}

int wm_port_say_element(const struct wm_port *port, size_t bytes)
{
    char there[64];

    return say(port->ports, WM_PORT_SIZE, "rank %d writes %zu bytes to the port '%s', which rank %d has opened for %s",
               port->ports->rank, bytes, port->name, port->rank, describe(&port->form, there, sizeof there));
}

int wm_port_say_room(const struct wm_port *port, size_t bytes)
{
    return say(port->ports, WM_PORT_SIZE,
               "rank %d reads %zu bytes of the port '%s' at most, but the next message, of rank %d, has %zu: it can "
               "still be read",
               port->ports->rank, bytes, port->name, port->item->rank, port->item->bytes);
}

int wm_port_say_over(const struct wm_port *port)
{
    static const char *const what[] = {
        [WM_PORT_ENDED] = "its writers have all closed", [WM_PORT_CLOSED] = "its readers have all closed"};
    struct wm_ports *ports = port->ports;
    char unread[80] = "";

    if (port->use == WM_PORT_WRITE && port->unread > 0)
        snprintf(unread, sizeof unread, "; %d messages of rank %d were not read", port->unread, ports->rank);
    if (port->over == WM_PORT_POISONED)
        return say(ports, WM_PORT_POISONED, "rank %d %s the port '%s' of rank %d, which rank %d has poisoned%s",
                   ports->rank, does(port), port->name, port->rank, port->over_by, unread);
    return say(ports, port->over, "rank %d %s the port '%s' of rank %d, which %s, the last of them at rank %d%s",
               ports->rank, does(port), port->name, port->rank, what[port->over], port->over_by, unread);
}
