/* The host of a port: its queue, who waits for it, and when it is over. */
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/port/state.h"

struct wm_port_host *wm_host_new(struct wm_ports *ports, const char *name, const struct wm_port_form *form)
{
    size_t name_bytes = strlen(name) + 1;
    struct wm_port_host *h = wm_allocate_zeroed(sizeof *h + name_bytes, "a port");

    h->ports = ports;
    h->form = *form;
    h->holder = -1;
    h->waiting_end = &h->waiting;
    h->queue_end = &h->queue;
    memcpy(h->name, name, name_bytes);
    h->next = ports->hosts;
    h->link = &ports->hosts;
    if (h->next != NULL)
        h->next->link = &h->next;
    ports->hosts = h;
    return h;
}

/* ---- members ---- */

static void say(const struct wm_port_member *m, struct wm_port_line line, struct wm_port_item *item)
{
    line.to = m->end;
    if (!m->quiet)
        wm_ports_say(m->host->ports, m->rank, line, item);
}

/* Its share of the capacity; but no less than it has been promised, as far as it may have made use of that. */
static void promise(struct wm_port_member *writer, int used)
{
    struct wm_port_host *h = writer->host;
    int writers = h->here[WM_PORT_WRITE] > h->form.writers ? h->here[WM_PORT_WRITE] : h->form.writers;
    int share = h->form.capacity / writers, left = h->form.capacity - (h->promised - (writer->window - 1));
    int more = share < left ? share : left;

    if (more < used)
        more = used;
    h->promised += more - (writer->window - 1);
    writer->window = 1 + more;
}

/* A message of a writer is read. Half a window is told at a time. */
static void count_read(struct wm_port_member *writer)
{
    struct wm_port_line line = {.kind = WM_PORT_READ_SO_FAR, .number = ++writer->read};

    writer->unread--;
    if (writer->quiet || 2 * writer->read < writer->window)
        return;
    promise(writer, writer->window - writer->read - 1);
    writer->read = 0;
    line.window = (uint16_t)writer->window;
    say(writer, line, NULL);
}

static void free_member(struct wm_port_member *m)
{
    if (m->next != NULL)
        m->next->link = m->link;
    *m->link = m->next;
    m->host->promised -= m->window - 1;
    free(m);
}

static void stop_waiting(struct wm_port_member *m)
{
    struct wm_port_member **link = &m->host->waiting;

    while (*link != NULL && *link != m)
        link = &(*link)->next_waiting;
    if (*link == m && (*link = m->next_waiting) == NULL)
        m->host->waiting_end = link;
}

static struct wm_port_member *take_waiting(struct wm_port_host *h)
{
    struct wm_port_member *m = h->waiting;

    stop_waiting(m);
    return m;
}

static void tell_over(const struct wm_port_member *m)
{
    const struct wm_port_host *h = m->host;

    say(m,
        (struct wm_port_line){
            .kind = WM_PORT_OVER, .code = (uint8_t)h->over, .number = h->over_by, .window = (uint16_t)m->read},
        NULL);
}

/* ---- the queue ---- */

static void put(struct wm_port_host *h, struct wm_port_item *item)
{
    item->next = NULL;
    *h->queue_end = item;
    h->queue_end = &item->next;
    item->host = h;
    h->queued++;
}

static struct wm_port_item *take(struct wm_port_host *h)
{
    struct wm_port_item *item = h->queue;
    struct wm_port_member *writer = item->writer;

    if ((h->queue = item->next) == NULL)
        h->queue_end = &h->queue;
    h->queued--;
    item->host = NULL;
    item->writer = NULL;
    if (writer == NULL)
        return item;
    count_read(writer);
    if (writer->left && writer->unread == 0)
        free_member(writer);
    return item;
}

static void drop_queue(struct wm_port_host *h)
{
    for (struct wm_port_item *item = h->queue, *next; item != NULL; item = next) {
        next = item->next;
        if (item->writer != NULL && --item->writer->unread == 0 && item->writer->left)
            free_member(item->writer);
        wm_port_item_drop(item);
    }
    h->queue = NULL;
    h->queue_end = &h->queue;
    h->queued = 0;
}

void wm_host_serve(struct wm_port_host *h)
{
    while (h->waiting != NULL && h->queue != NULL && h->queue->here) {
        struct wm_port_member *reader = take_waiting(h);
        struct wm_port_item *item = take(h);

        reader->holds = reader->may_return;
        h->held += reader->holds;
        say(reader, (struct wm_port_line){.kind = WM_PORT_GIVEN, .number = item->rank}, item);
    }
    while (h->over == WM_PORT_ENDED && h->queue == NULL && h->held == 0 && h->waiting != NULL)
        tell_over(take_waiting(h));
}

/* ---- the end ---- */

static void finish(struct wm_port_host *h, enum wm_port_error over, int by)
{
    h->over = over;
    h->over_by = by;
    if (over == WM_PORT_ENDED) {
        wm_host_serve(h);
        return;
    }
    drop_queue(h);
    while (h->waiting != NULL)
        take_waiting(h);
    for (struct wm_port_member *m = h->members, *next; m != NULL; m = next) {
        next = m->next;
        if (over == WM_PORT_POISONED || m->use == WM_PORT_WRITE)
            tell_over(m);
    }
}

static int wanted(const struct wm_port_host *h, enum wm_port_use use)
{
    return use == WM_PORT_WRITE ? h->form.writers : h->form.readers;
}

/* All that are to come have come and gone. */
static bool are_through(const struct wm_port_host *h, enum wm_port_use use)
{
    return h->here[use] == 0 && h->come[use] >= wanted(h, use);
}

static void go_if_through(struct wm_port_host *h)
{
    struct wm_port_notice notice = {.host = wm_port_address(h), .rank = h->ports->rank};

    if (!are_through(h, WM_PORT_READ) || !are_through(h, WM_PORT_WRITE))
        return;
    if (h->gone) {
        wm_host_free(h);
        return;
    }
    if (h->going)
        return;
    h->going = true;
    memcpy(notice.name, h->name, strlen(h->name) + 1);
    wm_ports_notify(h->ports, wm_directory_keeper(h->ports, h->name), (struct wm_port_line){.kind = WM_PORT_UNREGISTER},
                    &notice);
}

/* What it held is read, or back. */
static void let_go(struct wm_port_member *m)
{
    m->host->held -= m->holds;
    m->holds = false;
}

static void leave(struct wm_port_member *m)
{
    struct wm_port_host *h = m->host;
    enum wm_port_use use = m->use;
    int rank = m->rank;

    let_go(m);
    h->here[use]--;
    m->left = true;
    if (m->unread == 0)
        free_member(m);
    if (are_through(h, use) && use == WM_PORT_READ && (h->over == WM_PORT_DONE || h->over == WM_PORT_ENDED))
        finish(h, WM_PORT_CLOSED, rank);
    else if (are_through(h, use) && h->over == WM_PORT_DONE)
        finish(h, WM_PORT_ENDED, rank);
    go_if_through(h);
}

void wm_host_free(struct wm_port_host *h)
{
    drop_queue(h);
    while (h->members != NULL)
        free_member(h->members);
    if (h->next != NULL)
        h->next->link = h->link;
    *h->link = h->next;
    free(h);
}

/* ---- lines ---- */

static bool is_of_form(const struct wm_port_host *h, const struct wm_port_form *form)
{
    return form->number == h->form.number && form->element_bytes == h->form.element_bytes;
}

static void join(struct wm_port_host *h, const struct wm_port_notice *asks)
{
    bool fits = is_of_form(h, &asks->form), late = h->over != WM_PORT_ENDED || asks->use == WM_PORT_WRITE;
    struct wm_port_line line = {.kind = fits ? WM_PORT_JOINED : WM_PORT_REFUSED, .to = asks->end};
    struct wm_port_notice notice = {.form = h->form, .rank = h->ports->rank};
    struct wm_port_member *m;

    if (fits) {
        m = wm_allocate_zeroed(sizeof *m, "a port");
        *m = (struct wm_port_member){.next = h->members, .link = &h->members, .host = h, .end = asks->end};
        m->rank = asks->rank;
        m->use = (enum wm_port_use)asks->use;
        m->window = 1;
        if (m->next != NULL)
            m->next->link = &m->next;
        h->members = m;
        h->here[m->use]++;
        h->come[m->use]++;
        if (m->use == WM_PORT_WRITE)
            promise(m, 0);
        notice.host = wm_port_address(m);
        line.window = (uint16_t)m->window;
        line.code = (uint8_t)(late ? h->over : WM_PORT_DONE);
        line.number = h->over_by;
    }
    wm_ports_notify(h->ports, asks->rank, line, &notice);
}

void wm_host_line(struct wm_port_host *h, const struct wm_port_line *line, const struct wm_port_notice *notice)
{
    if (line->kind == WM_PORT_JOIN) {
        join(h, notice);
    } else if (line->kind == WM_PORT_REGISTERED) {
        h->holder = line->number;
        h->taken = line->code != 0;
    } else {
        h->gone = true;
        go_if_through(h);
    }
}

static void written(struct wm_port_member *writer, struct wm_port_item *item)
{
    struct wm_port_host *h = writer->host;

    if (h->over != WM_PORT_DONE) {
        wm_port_item_drop(item);
        return;
    }
    item->writer = writer;
    item->rank = writer->rank;
    writer->unread++;
    put(h, item);
    wm_host_serve(h);
}

static void want(struct wm_port_member *reader, bool may_return)
{
    struct wm_port_host *h = reader->host;

    if (h->over == WM_PORT_POISONED)
        return; /* it has been told */
    reader->may_return = may_return;
    reader->next_waiting = NULL;
    *h->waiting_end = reader;
    h->waiting_end = &reader->next_waiting;
    wm_host_serve(h);
}

/* Ahead of the others: it was the first. */
static void put_back(struct wm_port_host *h, struct wm_port_item *item)
{
    if (h->over == WM_PORT_POISONED) {
        wm_port_item_drop(item);
        return;
    }
    if ((item->next = h->queue) == NULL)
        h->queue_end = &item->next;
    h->queue = item;
    item->host = h;
    h->queued++;
    wm_host_serve(h);
}

void wm_member_line(struct wm_port_member *m, const struct wm_port_line *line, struct wm_port_item *item)
{
    if (line->kind == WM_PORT_WRITTEN) {
        written(m, item);
        return;
    }
    if (line->kind == WM_PORT_RETURNED) {
        item->rank = line->number;
        let_go(m);
        put_back(m->host, item);
        return;
    }
    free(item);
    if (line->kind == WM_PORT_WANTED) {
        want(m, line->number != 0);
    } else if (line->kind == WM_PORT_KEPT) {
        let_go(m);
        wm_host_serve(m->host);
    } else if (line->kind == WM_PORT_POISON) {
        if (m->host->over != WM_PORT_POISONED)
            finish(m->host, WM_PORT_POISONED, m->rank);
    } else if (line->kind == WM_PORT_CLOSE) {
        stop_waiting(m);
        m->quiet = true;
        wm_ports_say(m->host->ports, m->rank, (struct wm_port_line){.kind = WM_PORT_BYE, .to = m->end}, NULL);
    } else {
        leave(m);
    }
}
