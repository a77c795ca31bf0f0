/* wanlink TAP TAP DELAY_MS MBIT: joins two tap devices as a long line would.
 *
 * Every frame leaves DELAY_MS after it has gone onto the line; each direction takes MBIT megabits a second (0: as many
 * as come) and queues what comes faster. Runs until it is killed. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { QUEUE_FRAMES = 1 << 15, FRAME_BYTES_MAX = 1 << 16 };

struct frame {
    int64_t due_ns;
    size_t bytes;
    unsigned char *data;
};

/* A queue of frames on their way to `out`; head and tail only grow. */
struct direction {
    int in, out;
    int64_t free_ns; /* when the line has taken all that came before */
    unsigned head, tail;
    struct frame queue[QUEUE_FRAMES];
};

static int64_t delay_ns;
static double ns_per_byte;

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void die(const char *what)
{
    fprintf(stderr, "wanlink: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int tap_open(const char *name)
{
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK);

    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    if (fd < 0 || ioctl(fd, TUNSETIFF, &request) < 0)
        die(name);
    return fd;
}

/* A wire does not wait for the ranks that keep the processors busy. Where it is not allowed, it does. */
static void come_first(void)
{
    struct sched_param priority = {.sched_priority = 1};

    prctl(PR_SET_TIMERSLACK, 1UL);
    sched_setscheduler(0, SCHED_FIFO, &priority);
}

static void put_on_line(struct direction *d, const unsigned char *data, size_t bytes)
{
    struct frame *f = &d->queue[d->tail % QUEUE_FRAMES];
    int64_t now = now_ns();

    if (d->tail - d->head == QUEUE_FRAMES)
        return; /* full: dropped, as a router would */
    if (d->free_ns < now)
        d->free_ns = now;
    d->free_ns += (int64_t)((double)bytes * ns_per_byte);
    f->data = malloc(bytes);
    if (f->data == NULL)
        die("malloc");
    memcpy(f->data, data, bytes);
    f->bytes = bytes;
    f->due_ns = d->free_ns + delay_ns;
    d->tail++;
}

static void take(struct direction *d)
{
    static unsigned char data[FRAME_BYTES_MAX];
    ssize_t bytes;

    while ((bytes = read(d->in, data, sizeof data)) > 0)
        put_on_line(d, data, (size_t)bytes);
}

/* Hand over what is due. Returns when the next one is, or INT64_MAX. */
static int64_t give(struct direction *d)
{
    while (d->head != d->tail) {
        struct frame *f = &d->queue[d->head % QUEUE_FRAMES];

        if (f->due_ns > now_ns())
            return f->due_ns;
        if (write(d->out, f->data, f->bytes) < 0 && errno != EIO && errno != EAGAIN)
            die("write");
        free(f->data);
        d->head++;
    }
    return INT64_MAX;
}

static void wait_until(int64_t due_ns, struct pollfd *ends)
{
    int64_t wait_ns = due_ns - now_ns();
    struct timespec wait = {0};

    if (wait_ns > 0) {
        wait.tv_sec = wait_ns / 1000000000;
        wait.tv_nsec = wait_ns % 1000000000;
    }
    if (ppoll(ends, 2, due_ns == INT64_MAX ? NULL : &wait, NULL) < 0 && errno != EINTR)
        die("poll");
}

int main(int argc, char **argv)
{
    static struct direction ways[2];

    if (argc != 5) {
        fprintf(stderr, "usage: wanlink TAP TAP DELAY_MS MBIT\n");
        return 2;
    }
    for (int i = 0; i < 2; i++)
        ways[i].in = ways[1 - i].out = tap_open(argv[1 + i]);
    delay_ns = (int64_t)(atof(argv[3]) * 1e6);
    ns_per_byte = atof(argv[4]) > 0 ? 8e3 / atof(argv[4]) : 0;
    come_first();
    for (;;) {
        struct pollfd ends[2] = {{ways[0].in, POLLIN, 0}, {ways[1].in, POLLIN, 0}};
        int64_t first_ns = give(&ways[0]), second_ns = give(&ways[1]);

        wait_until(first_ns < second_ns ? first_ns : second_ns, ends);
        for (int i = 0; i < 2; i++)
            if (ends[i].revents & POLLIN)
                take(&ways[i]);
    }
}
