/* What ports consist of: ends, hosts, the directory, and the lines that they write to each other.
 *
 * An **end** is its rank's; at the **host** stands a **member** for each end, and the queue of items. A line to an end
 * or to a member has its address, which its owner gave out. An end leaves in four lines, so that none comes to what is
 * freed: it says CLOSE, the host BYE as its last line, the end LEFT as its last; a message that met BYE on the way is
 * sent back ahead of LEFT. What is on the same rank is handled at once, in place of a line.
 *
 * A writer has a **window**: so many of its messages may be unread. It is 1, and what the host has promised of the
 * capacity: shares of all writers that are there, given out anew with each acknowledgement. */
#ifndef WM_PORT_STATE_H
#define WM_PORT_STATE_H

#include "core/message/endpoints.h"
#include "waymark/port.h"

enum wm_port_line_kind {
    /* To the rank that keeps the name; with a notice. */
    WM_PORT_REGISTER,   /* a host has it; answered by REGISTERED */
    WM_PORT_UNREGISTER, /* the host is empty; answered by GONE */
    WM_PORT_FIND,       /* an end looks for it; answered, some time, by its host */
    WM_PORT_FORGET,     /* it does no longer; answered by FORGOTTEN, unless it was found before */
    /* To the host's rank. */
    WM_PORT_REGISTERED, /* notice: the rank whose port has the name */
    WM_PORT_GONE,
    WM_PORT_JOIN, /* notice: the end that looked for it */
    /* To a member. */
    WM_PORT_WRITTEN,  /* a message */
    WM_PORT_WANTED,   /* the end wants one; `number`: it may send it back */
    WM_PORT_KEPT,     /* what it was given for such a wish is read */
    WM_PORT_RETURNED, /* or is not: the message; `number`: its writer */
    WM_PORT_POISON,
    WM_PORT_CLOSE,
    WM_PORT_LEFT,
    /* To an end. */
    WM_PORT_JOINED,  /* notice: its member; `window` */
    WM_PORT_REFUSED, /* notice: of another form */
    WM_PORT_FORGOTTEN,
    WM_PORT_READ_SO_FAR, /* `number` more of its messages; `window` */
    WM_PORT_GIVEN,       /* a message; `number`: its writer */
    WM_PORT_OVER,        /* `code`: why; `number`: by which rank; `window`: so many of its messages were not read */
    WM_PORT_BYE
};

struct wm_port_line {
    uint8_t kind, code;
    uint16_t window;
    int32_t number;
    uint64_t to; /* an address */
};

/* The data of lines about names and forms; as much of `name` as there is. */
struct wm_port_notice {
    uint64_t end, host; /* an end; a host, or its member */
    int32_t rank, use;  /* of who asks */
    struct wm_port_form form;
    char name[WM_PORT_NAME_BYTES + 1];
};

/* A message, and whatever has data and is on its way. */
struct wm_port_item {
    struct wm_port_item *next;
    struct wm_port_item *next_arriving;
    struct wm_port_member *writer; /* in a queue; NULL: it has come back */
    struct wm_port_host *host;     /* in whose queue it is, or NULL */
    struct wm_port *port;          /* that reads it next, or NULL */
    int rank;                      /* its writer's */
    struct wm_envelope envelope;
    bool here; /* its envelope is complete, and nothing looks for that any more */
    struct wm_port_line line;
    size_t bytes;
    char data[];
};

/* An end of this rank. */
struct wm_port {
    struct wm_ports *ports;
    struct wm_port *next, **link; /* of all of this rank */
    enum wm_port_use use;
    int rank;        /* the host's */
    uint64_t member; /* at the host; 0: it is not joined yet */
    bool refused, forgotten, closing, bye;
    enum wm_port_error over;
    int over_by;
    int window, unread;        /* of a writer */
    bool wants, may_return;    /* of a reader: it has asked for a message; which it may send back */
    struct wm_port_item *item; /* that it reads next */
    struct wm_port_form form;  /* the host's */
    char name[];
};

/* An end, as the host sees it. */
struct wm_port_member {
    struct wm_port_member *next, **link; /* of its host */
    struct wm_port_member *next_waiting;
    struct wm_port_host *host;
    uint64_t end;
    int rank;
    enum wm_port_use use;
    bool quiet, left;       /* quiet: no more lines go to it */
    bool may_return, holds; /* holds: a message that may come back */
    int window;
    int unread, read; /* messages in the queue; those read since the last acknowledgement */
};

struct wm_port_host {
    struct wm_ports *ports;
    struct wm_port_host *next, **link; /* of all of this rank */
    struct wm_port_form form;
    int holder; /* of the name; -1: it is not said yet */
    bool taken, going, gone;
    enum wm_port_error over;
    int over_by;
    struct wm_port_member *members;
    struct wm_port_member *waiting, **waiting_end; /* readers, in the order in which they asked */
    struct wm_port_item *queue, **queue_end;
    int queued, promised, held;
    int here[2], come[2]; /* ends, by use */
    char name[];
};

struct wm_port_entry;

struct wm_ports {
    struct wm_protocol protocol; /* the first member: what arrives finds it */
    struct wm_message_way *ways[2];
    struct wm_endpoints *group;
    int rank, ranks;
    struct wm_port *ends;
    struct wm_port_host *hosts;
    struct wm_port_entry **entries; /* of the directory: a hash table */
    size_t entry_count, bucket_count;
    struct wm_port_item *arriving, *leaving; /* those whose envelope is not complete */
    uint64_t events;                         /* in which an end may have become ready */
    char sentence[700];
};

/* core/port/ports.c. The ports of a group that spans processes, with an endpoint at each. Collective. */
struct wm_ports *wm_ports_over(struct wm_endpoints *group);
/* Write a line, with an item's data or NULL; the item is no longer the caller's. */
void wm_ports_say(struct wm_ports *ports, int rank, struct wm_port_line line, struct wm_port_item *item);
void wm_ports_notify(struct wm_ports *ports, int rank, struct wm_port_line line, const struct wm_port_notice *notice);
struct wm_port_item *wm_port_item_new(const void *data, size_t bytes);
/* It is not needed; it is freed when nothing writes to it any more. */
void wm_port_item_drop(struct wm_port_item *item);
/* Nothing happened, for the `turn`th time in a row. */
void wm_ports_rest(struct wm_ports *ports, unsigned *turn);

static inline uint64_t wm_port_address(const void *of)
{
    return (uint64_t)(uintptr_t)of;
}

/* core/port/directory.c. Who keeps a name; a line to the keeper. */
int wm_directory_keeper(const struct wm_ports *ports, const char *name);
void wm_directory_line(struct wm_ports *ports, enum wm_port_line_kind kind, const struct wm_port_notice *notice);
void wm_directory_free(struct wm_ports *ports);

/* core/port/host.c. */
struct wm_port_host *wm_host_new(struct wm_ports *ports, const char *name, const struct wm_port_form *form);
void wm_host_free(struct wm_port_host *host);
/* Lines to a host, and to a member; the item is theirs. */
void wm_host_line(struct wm_port_host *host, const struct wm_port_line *line, const struct wm_port_notice *notice);
void wm_member_line(struct wm_port_member *member, const struct wm_port_line *line, struct wm_port_item *item);
/* Give what is there to those who wait. */
void wm_host_serve(struct wm_port_host *host);

/* core/port/end.c. A line to an end; the item is the end's. */
void wm_end_line(struct wm_port *port, const struct wm_port_line *line, struct wm_port_item *item);
/* The item of an end is here. */
void wm_end_arrived(struct wm_port *port);
/* Its next read or write does not wait. If it does, a reader has asked for a message, which it may send back or not. */
bool wm_end_is_ready(struct wm_port *port, bool may_return);

#endif
