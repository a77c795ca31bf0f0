/* A program with manners that a runtime has to bear: faulty MODE [FILE]. Each mode ends with collectives whose results
 * are checked; rank 0 then prints "results right". tests/mpi/faults.sh says what is expected of each. */
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Of memory, what little a rank still gets; of a collective's data. */
enum { SMALL_BYTES = 256 << 10, STARVING_COUNT = 1 << 19 };

static int rank, ranks;
static const char *file;
static volatile sig_atomic_t children_ended;

static void check(bool right, const char *what)
{
    if (right)
        return;
    printf("rank %d: %s is wrong\n", rank, what);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

/* Sizes that go through every rule of a map with sizes; the first call of each asks the map server. */
static void exercise(void)
{
    enum { LARGEST = 50000 };
    static int values[LARGEST], sums[LARGEST];

    for (int count = 1; count <= LARGEST; count *= 7) {
        for (int i = 0; i < count; i++)
            values[i] = rank + i;
        MPI_Allreduce(values, sums, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        check(sums[count - 1] == ranks * (ranks - 1) / 2 + ranks * (count - 1), "allreduce");
        MPI_Bcast(values, count, MPI_INT, ranks - 1, MPI_COMM_WORLD);
        check(values[0] == ranks - 1, "bcast");
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void write_file(int number)
{
    char name[512], text[32];
    int fd;

    snprintf(name, sizeof name, "%s.%d", file, rank);
    snprintf(text, sizeof text, "%d\n", number);
    fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        MPI_Abort(MPI_COMM_WORLD, 4);
    close(fd);
}

/* Says when it is well under way, and then goes on until it is killed, or for good measure a long time. */
static void mode_loop(void)
{
    int one = 1, sum;

    for (long turn = 0; turn < 100000000; turn++) {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        check(sum == ranks, "allreduce in a loop");
        if (turn == 500)
            write_file((int)getpid());
    }
}

static void mode_nothing(void)
{
}

static void ignore_children(void)
{
    signal(SIGCHLD, SIG_IGN);
}

static void take_children(int number)
{
    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        children_ended++;
}

static void handle_children(void)
{
    struct sigaction action = {.sa_handler = take_children};

    sigaction(SIGCHLD, &action, NULL);
}

static void make_child(void)
{
    if (fork() == 0)
        _exit(0);
}

/* Waits until it has no children at all. */
static void mode_wait_for_all(void)
{
    make_child();
    make_child();
    while (wait(NULL) > 0)
        children_ended++;
    check(children_ended == 2, "the number of children that ended");
}

/* A signal every millisecond: system calls are interrupted all the time. */
static void nothing(int number)
{
    (void)number;
}

static void start_timer(void)
{
    struct sigaction action = {.sa_handler = nothing};
    struct timespec period = {0, 1000000};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct itimerspec times = {period, period};
    timer_t timer;

    sigaction(SIGALRM, &action, NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &times, NULL);
}

/* The signals that Guile's collector uses, blocked. */
static void block_signals(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

/* A socket of a pair that this process made itself; MPI's own are connected to other processes. */
static bool is_own_pair(int fd)
{
    struct ucred peer;
    socklen_t length = sizeof peer;
    int domain = 0;
    socklen_t domain_length = sizeof domain;

    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_length) == 0 && domain == AF_UNIX &&
           getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.pid == getpid();
}

static bool is_server(int pid)
{
    char name[64], text[64] = "";
    FILE *comm;

    snprintf(name, sizeof name, "/proc/%d/comm", pid);
    if ((comm = fopen(name, "r")) == NULL)
        return false;
    if (fgets(text, sizeof text, comm) == NULL)
        text[0] = '\0';
    fclose(comm);
    return strncmp(text, "waymark-map-ser", 15) == 0;
}

/* Is the variable of this job in the process's environment? */
static bool is_ours(int pid)
{
    static char text[65536];
    char name[64];
    const char *job = getenv("FAULTS_JOB");
    size_t bytes;
    FILE *environment;

    snprintf(name, sizeof name, "/proc/%d/environ", pid);
    if (job == NULL || (environment = fopen(name, "r")) == NULL)
        return false;
    bytes = fread(text, 1, sizeof text - 1, environment);
    fclose(environment);
    for (size_t at = 0; at < bytes; at += strlen(text + at) + 1)
        if (strncmp(text + at, "FAULTS_JOB=", 11) == 0 && strcmp(text + at + 11, job) == 0)
            return true;
    return false;
}

/* Send a signal, or 0 for none, to the map servers of this job; returns how many there are. Rank 0 has one. */
static int signal_servers(int number)
{
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    int count = 0;

    while ((entry = readdir(processes)) != NULL) {
        int pid = atoi(entry->d_name);

        if (pid > 1 && is_server(pid) && is_ours(pid) && kill(pid, number) == 0)
            count++;
    }
    closedir(processes);
    return count;
}

/* Closes files that it does not know, as daemons do, and opens its own, which get the same numbers. Open MPI would not
 * survive the loss of its own sockets; so only pairs go. The map's is among them when its server ends. */
static void mode_closes_files(void)
{
    check(rank > 0 || signal_servers(0) == 1, "the number of servers before files are closed");
    for (int fd = 3; fd < 1024; fd++)
        if (is_own_pair(fd)) {
            close(fd);
            check(open(file, O_RDWR | O_CREAT | O_APPEND, 0600) == fd, "the number of a file");
        }
    while (rank == 0 && signal_servers(0) > 0)
        sched_yield();
}

static void mode_kill_server(void)
{
    int value = 7;

    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    check(rank > 0 || signal_servers(SIGKILL) == 1, "the number of servers that are killed");
}

/* The server is killed, and no other can be started. */
static void mode_loses_server(void)
{
    struct rlimit files, none = {0};

    mode_kill_server();
    getrlimit(RLIMIT_NOFILE, &files);
    none.rlim_max = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &none);
    exercise();
    setrlimit(RLIMIT_NOFILE, &files);
}

static void mode_loses_communicator(void)
{
    MPI_Comm lost;
    int one = 1, sum;

    MPI_Comm_dup(MPI_COMM_WORLD, &lost);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, lost);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &lost);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, lost);
}

/* From here on rank 1 gets no more memory in large pieces. Errors are returned: who gets one would go on. */
static void starve(void)
{
    unsigned long pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");
    struct rlimit limit;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(sizes != NULL && fscanf(sizes, "%lu", &pages) == 1, "the size of this process");
    fclose(sizes);
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + SMALL_BYTES;
    mallopt(M_MMAP_THRESHOLD, SMALL_BYTES / 2);
    if (rank == 1)
        setrlimit(RLIMIT_AS, &limit);
}

static double starving_values[STARVING_COUNT];

static void mode_starves_blocking(void)
{
    starve();
    MPI_Allreduce(MPI_IN_PLACE, starving_values, STARVING_COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void mode_starves_nonblocking(void)
{
    MPI_Request request;

    starve();
    MPI_Iallreduce(MPI_IN_PLACE, starving_values, STARVING_COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Every second number: the data is packed. */
static void mode_starves_packed(void)
{
    MPI_Datatype halves;

    MPI_Type_vector(STARVING_COUNT / 2, 1, 2, MPI_DOUBLE, &halves);
    MPI_Type_commit(&halves);
    starve();
    MPI_Bcast(starving_values, 1, halves, 0, MPI_COMM_WORLD);
}

static void mode_leaves_by_exit(void)
{
    exercise();
    if (rank == 0)
        printf("results right\n");
    fflush(stdout);
    exit(5);
}

static const struct mode {
    const char *name;
    void (*before)(void); /* MPI_Init */
    void (*after)(void);
} modes[] = {
    {"plain", mode_nothing, mode_nothing},
    {"loop", mode_nothing, mode_loop},
    {"ignores-children", ignore_children, mode_nothing},
    {"handles-children", handle_children, make_child},
    {"waits-for-all", mode_nothing, mode_wait_for_all},
    {"timer", start_timer, mode_nothing},
    {"blocks-signals", block_signals, mode_nothing},
    {"closes-files", mode_nothing, mode_closes_files},
    {"kills-server", mode_nothing, mode_kill_server},
    {"loses-server", mode_nothing, mode_loses_server},
    {"loses-communicator", mode_nothing, mode_loses_communicator},
    {"starves-blocking", mode_nothing, mode_starves_blocking},
    {"starves-nonblocking", mode_nothing, mode_starves_nonblocking},
    {"starves-packed", mode_nothing, mode_starves_packed},
    {"leaves-by-exit", mode_nothing, mode_leaves_by_exit},
};

static const struct mode *find_mode(const char *name)
{
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(name, modes[i].name) == 0)
            return &modes[i];
    fprintf(stderr, "faulty: no mode '%s'\n", name);
    exit(2);
}

/* Undisturbed: what a signal interrupts is not written again. */
static void say(const char *sentence)
{
    sigset_t all, before;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    puts(sentence);
    fflush(stdout);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(int argc, char **argv)
{
    const struct mode *mode = find_mode(argc > 1 ? argv[1] : "plain");

    file = argc > 2 ? argv[2] : "/dev/null";
    mode->before();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mode->after();
    exercise();
    if (rank == 0)
        say("results right");
    MPI_Finalize();
    return 0;
}
