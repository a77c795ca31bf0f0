/* Ends of ports: opened and found, written to, read from, closed. */
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/port/sentence.h"
#include "core/port/state.h"

enum { CAPACITY = 16 };

static void say(const struct wm_port *port, enum wm_port_line_kind kind, int32_t number, struct wm_port_item *item)
{
    struct wm_port_line line = {.kind = (uint8_t)kind, .number = number, .to = port->member};

    wm_ports_say(port->ports, port->rank, line, item);
}

/* ---- opening and finding ---- */

static struct wm_port *new_end(struct wm_ports *ports, const char *name, enum wm_port_use use)
{
    size_t name_bytes = strlen(name) + 1;
    struct wm_port *port = wm_allocate_zeroed(sizeof *port + name_bytes, "a port");

    port->ports = ports;
    port->use = use;
    memcpy(port->name, name, name_bytes);
    port->next = ports->ends;
    port->link = &ports->ends;
    if (port->next != NULL)
        port->next->link = &port->next;
    ports->ends = port;
    return port;
}

static void free_end(struct wm_port *port)
{
    if (port->next != NULL)
        port->next->link = port->link;
    *port->link = port->next;
    free(port);
}

/* What is left open is the default. */
static struct wm_port_form complete(const struct wm_port_form *form)
{
    struct wm_port_form whole = form != NULL ? *form : (struct wm_port_form){0};

    if (whole.number != WM_BYTES)
        whole.element_bytes = wm_number_bytes(whole.number);
    if (whole.capacity == 0)
        whole.capacity = CAPACITY;
    if (whole.writers == 0)
        whole.writers = 1;
    if (whole.readers == 0)
        whole.readers = 1;
    return whole;
}

static int check(struct wm_ports *ports, const char *name, const struct wm_port_form *form)
{
    size_t bytes = strlen(name);

    if (bytes == 0 || bytes > WM_PORT_NAME_BYTES)
        return wm_port_say_name(ports, name);
    if ((unsigned)form->number > WM_DOUBLE || form->capacity < 0 || form->capacity > WM_PORT_CAPACITY_MAX ||
        form->writers < 0 || form->readers < 0)
        return wm_port_say_form(ports, name, form);
    return WM_PORT_DONE;
}

static struct wm_port_notice notice_of(const struct wm_port *port, const struct wm_port_form *form)
{
    struct wm_port_notice notice = {
        .end = wm_port_address(port), .rank = port->ports->rank, .use = (int32_t)port->use, .form = *form};

    memcpy(notice.name, port->name, strlen(port->name) + 1);
    return notice;
}

static void ask_keeper(const struct wm_port *port, enum wm_port_line_kind kind, const struct wm_port_notice *notice)
{
    wm_ports_notify(port->ports, wm_directory_keeper(port->ports, port->name),
                    (struct wm_port_line){.kind = (uint8_t)kind}, notice);
}

int wm_port_open(struct wm_ports *ports, const char *name, enum wm_port_use use, const struct wm_port_form *form,
                 struct wm_port **port)
{
    struct wm_port_form whole = complete(form);
    int error = check(ports, name, &whole);
    struct wm_port_notice notice;
    struct wm_port_host *host;

    *port = NULL;
    if (error != WM_PORT_DONE)
        return error;
    host = wm_host_new(ports, name, &whole);
    *port = new_end(ports, name, use);
    notice = notice_of(*port, &whole);
    notice.host = wm_port_address(host);
    wm_endpoints_drain(ports->group); /* who tries again and again lets others go on */
    ask_keeper(*port, WM_PORT_REGISTER, &notice);
    for (unsigned turn = 0; host->holder < 0;)
        wm_ports_rest(ports, &turn);
    if (!host->taken) {
        wm_host_line(host, &(struct wm_port_line){.kind = WM_PORT_JOIN}, &notice);
        return WM_PORT_DONE;
    }
    error = wm_port_say_twice(*port, host->holder);
    free_end(*port);
    *port = NULL;
    wm_host_free(host);
    return error;
}

/* False: nobody has opened it by the deadline. */
static bool search(struct wm_port *port, const struct wm_port_notice *notice, double seconds)
{
    double begin = PMPI_Wtime();
    unsigned turn = 0;
    bool forgets = false;

    wm_endpoints_drain(port->ports->group);
    ask_keeper(port, WM_PORT_FIND, notice);
    while (port->member == 0 && !port->refused && !port->forgotten) {
        if (!forgets && seconds >= 0 && PMPI_Wtime() - begin >= seconds) {
            ask_keeper(port, WM_PORT_FORGET, notice);
            forgets = true;
        } else {
            wm_ports_rest(port->ports, &turn);
        }
    }
    return !port->forgotten;
}

int wm_port_find(struct wm_ports *ports, const char *name, enum wm_port_use use, const struct wm_port_form *form,
                 double seconds, struct wm_port **port)
{
    struct wm_port_form whole = complete(form);
    int error = check(ports, name, &whole);
    struct wm_port_notice notice;

    *port = NULL;
    if (error != WM_PORT_DONE)
        return error;
    *port = new_end(ports, name, use);
    notice = notice_of(*port, &whole);
    if (!search(*port, &notice, seconds))
        error = wm_port_say_never(*port, seconds);
    else if ((*port)->refused)
        error = wm_port_say_type(*port, &whole);
    if (error != WM_PORT_DONE) {
        free_end(*port);
        *port = NULL;
    }
    return error;
}

/* ---- lines ---- */

static void joined(struct wm_port *port, const struct wm_port_line *line, const struct wm_port_notice *notice)
{
    port->rank = notice->rank;
    port->form = notice->form;
    port->refused = line->kind == WM_PORT_REFUSED;
    port->member = notice->host;
    port->window = line->window;
    port->over = line->code;
    port->over_by = line->number;
}

/* It goes as soon as it has nothing to send back. */
static void go(struct wm_port *port)
{
    if (port->item != NULL && !port->item->here)
        return;
    if (port->item != NULL)
        say(port, WM_PORT_RETURNED, port->item->rank, port->item);
    say(port, WM_PORT_LEFT, 0, NULL);
    free_end(port);
}

void wm_end_arrived(struct wm_port *port)
{
    port->ports->events++;
    if (port->bye)
        go(port);
}

static void given(struct wm_port *port, const struct wm_port_line *line, struct wm_port_item *item)
{
    item->rank = line->number;
    item->port = port;
    port->item = item;
    port->wants = false;
}

void wm_end_line(struct wm_port *port, const struct wm_port_line *line, struct wm_port_item *item)
{
    port->ports->events++;
    if (line->kind == WM_PORT_GIVEN) {
        given(port, line, item);
        return;
    }
    if (line->kind == WM_PORT_JOINED || line->kind == WM_PORT_REFUSED) {
        joined(port, line, (const struct wm_port_notice *)(const void *)item->data);
    } else if (line->kind == WM_PORT_FORGOTTEN) {
        port->forgotten = true;
    } else if (line->kind == WM_PORT_READ_SO_FAR) {
        port->unread -= line->number;
        port->window = line->window;
    } else if (line->kind == WM_PORT_OVER) {
        port->over = line->code;
        port->over_by = line->number;
        port->unread -= line->window;
        if (port->over == WM_PORT_POISONED && port->item != NULL)
            wm_port_item_drop(port->item);
        if (port->over == WM_PORT_POISONED)
            port->item = NULL;
    } else {
        port->bye = true;
        go(port);
    }
    free(item);
}

/* ---- writing and reading ---- */

static void want(struct wm_port *port, bool may_return)
{
    if (port->wants || port->item != NULL || port->over != WM_PORT_DONE)
        return;
    port->wants = true;
    port->may_return = may_return;
    say(port, WM_PORT_WANTED, may_return, NULL);
}

bool wm_end_is_ready(struct wm_port *port, bool may_return)
{
    if (port->use == WM_PORT_WRITE)
        return port->over != WM_PORT_DONE || port->unread < port->window;
    want(port, may_return);
    return port->item != NULL ? port->item->here : port->over != WM_PORT_DONE;
}

static void send(struct wm_port *port, const void *data, size_t bytes)
{
    struct wm_ports *ports = port->ports;
    struct wm_port_line line = {.kind = WM_PORT_WRITTEN, .to = port->member};
    struct wm_envelope envelope = {.buffer = (void *)(uintptr_t)data, .bytes = bytes, .peer = port->rank};
    unsigned turn = 0;

    port->unread++;
    if (port->rank == ports->rank) {
        say(port, WM_PORT_WRITTEN, 0, wm_port_item_new(data, bytes));
        return;
    }
    wm_protocol_send_away(&ports->protocol, &envelope, &line);
    while (!envelope.complete)
        wm_ports_rest(ports, &turn);
}

int wm_port_write(struct wm_port *port, const void *data, size_t bytes)
{
    unsigned turn = 0;

    if (port->use != WM_PORT_WRITE)
        return wm_port_say_use(port);
    if (port->form.element_bytes > 0 && bytes % port->form.element_bytes != 0)
        return wm_port_say_element(port, bytes);
    while (!wm_end_is_ready(port, false))
        wm_ports_rest(port->ports, &turn);
    if (port->over != WM_PORT_DONE)
        return wm_port_say_over(port);
    send(port, data, bytes);
    return WM_PORT_DONE;
}

int wm_port_read(struct wm_port *port, void *data, size_t *bytes)
{
    struct wm_port_item *item;
    unsigned turn = 0;

    if (port->use != WM_PORT_READ)
        return wm_port_say_use(port);
    while (!wm_end_is_ready(port, false))
        wm_ports_rest(port->ports, &turn);
    item = port->item;
    if (item == NULL)
        return wm_port_say_over(port);
    if (item->bytes > *bytes)
        return wm_port_say_room(port, *bytes);
    *bytes = item->bytes;
    if (item->bytes > 0)
        memcpy(data, item->data, item->bytes);
    port->item = NULL;
    free(item);
    if (port->may_return)
        say(port, WM_PORT_KEPT, 0, NULL);
    return WM_PORT_DONE;
}

void wm_port_close(struct wm_port *port)
{
    if (port == NULL)
        return;
    port->closing = true;
    say(port, WM_PORT_CLOSE, 0, NULL);
}

void wm_port_poison(struct wm_port *port)
{
    if (port == NULL)
        return;
    say(port, WM_PORT_POISON, 0, NULL);
    wm_port_close(port);
}
