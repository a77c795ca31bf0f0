/* Handing the node's memory over by Unix sockets. */
#include "core/node/handover.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "core/hash.h"

/* Room for a file and for who sends it, and the message's only byte. */
struct parcel {
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
    } control;
    char byte;
    struct iovec data;
    struct msghdr message;
};

static void begin(struct parcel *p)
{
    *p = (struct parcel){.data = {&p->byte, 1}};
    p->message = (struct msghdr){
        .msg_iov = &p->data, .msg_iovlen = 1, .msg_control = p->control.room, .msg_controllen = sizeof p->control.room};
}

/* A name that begins with a zero stands in no directory. */
static socklen_t name(const struct wm_memory_invitation *invitation, int number, struct sockaddr_un *address)
{
    uint64_t secret = wm_hash_scatter(wm_hash_add(wm_hash_add(WM_HASH_BEGIN, invitation->token), (uint64_t)number));
    int chars;

    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    chars = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "waymark-%016" PRIx64, secret);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)chars);
}

static int new_socket(void)
{
    return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int wm_handover_await(const struct wm_memory_invitation *invitation, int number)
{
    struct sockaddr_un address;
    socklen_t bytes = name(invitation, number, &address);
    int s = new_socket();

    if (s >= 0 && setsockopt(s, SOL_SOCKET, SO_PASSCRED, &(int){1}, sizeof(int)) == 0 &&
        bind(s, (struct sockaddr *)&address, bytes) == 0)
        return s;
    if (s >= 0)
        close(s);
    return -1;
}

bool wm_handover_send(const struct wm_memory_invitation *invitation, int number)
{
    struct sockaddr_un address;
    struct parcel p;
    int s = new_socket();
    bool sent;

    begin(&p);
    p.message.msg_name = &address;
    p.message.msg_namelen = name(invitation, number, &address);
    p.message.msg_controllen = CMSG_SPACE(sizeof(int));
    p.control.head =
        (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&p.control.head), &invitation->file, sizeof(int));
    sent = s >= 0 && sendmsg(s, &p.message, 0) == 1;
    if (s >= 0)
        close(s);
    return sent;
}

/* The next file that has come, -1: none; and whether it is from the one that made the memory. */
static int receive(const struct wm_memory_invitation *invitation, int s, bool *meant)
{
    struct ucred sender = {0};
    struct parcel p;
    int file = -1;

    begin(&p);
    if (recvmsg(s, &p.message, MSG_CMSG_CLOEXEC) < 0)
        return -1;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&p.message); c != NULL; c = CMSG_NXTHDR(&p.message, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
            memcpy(&file, CMSG_DATA(c), sizeof file);
        else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS)
            memcpy(&sender, CMSG_DATA(c), sizeof sender);
    *meant = sender.pid == (pid_t)invitation->process && sender.uid == getuid();
    return file;
}

struct wm_memory_failure wm_handover_fetch(const struct wm_memory_invitation *invitation, int s)
{
    struct wm_memory_failure failed = {WM_MEMORY_FAULT_OPEN, EACCES};
    bool meant = false;
    int file;

    while (!meant && (file = receive(invitation, s, &meant)) >= 0)
        if (meant)
            failed = wm_memory_join_file(invitation, file);
        else
            close(file);
    close(s);
    return failed;
}
