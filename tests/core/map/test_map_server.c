/* The map server's life: how it is started, how it dies, and that its client survives. */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/core/map/maps.h"

enum { TEST_LIMIT_SECONDS = 120 };

static const char simple_map[] = "(path-map (on bcast ((< bytes 100) (bcast all #:shape (lambda (m) #f)))\n"
                                 "                    ((< bytes 200) (let loop () (loop)))\n"
                                 "                    (else (native))))";

/* Servers of this test are told from others by a variable in their environment, which shows under /proc. */
static char mark[64];

static bool carries_mark(const char *pid)
{
    char path[300], environment[65536];
    FILE *file;
    size_t bytes;

    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    file = fopen(path, "r");
    if (file == NULL)
        return false;
    bytes = fread(environment, 1, sizeof environment, file);
    fclose(file);
    return memmem(environment, bytes, mark, strlen(mark)) != NULL;
}

static bool is_server(const char *pid)
{
    char path[300], name[32] = "";
    FILE *file;

    snprintf(path, sizeof path, "/proc/%s/comm", pid);
    file = fopen(path, "r");
    if (file == NULL)
        return false;
    if (fgets(name, sizeof name, file) == NULL)
        name[0] = '\0';
    fclose(file);
    return strncmp(name, "waymark-map-ser", 15) == 0 && carries_mark(pid);
}

/* The living servers of this test; *last is one of them. */
static int count_servers(pid_t *last)
{
    DIR *directory = opendir("/proc");
    struct dirent *entry;
    int count = 0;

    while ((entry = readdir(directory)) != NULL)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && is_server(entry->d_name)) {
            *last = (pid_t)atoi(entry->d_name);
            count++;
        }
    closedir(directory);
    return count;
}

/* A process that was told to die is gone soon, and the test program's own limit of time bounds the wait. */
static void wait_until_gone(void)
{
    pid_t pid;

    while (count_servers(&pid) > 0)
        sched_yield();
}

static struct wm_map *open_with(const char *text, unsigned deadline_ms)
{
    struct wm_map_options options = {.deadline_ms = deadline_ms, .grace_ms = 500};
    struct wm_error error;
    struct wm_map *map;

    if (wm_map_open(&map, "map.scm", text, strlen(text), &options, &error) < 0)
        maps_print(&error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(map);
    return map;
}

/* A map whose server is the only one: that of an earlier case may still be on its way out. */
static struct wm_map *open_alone(const char *text, unsigned deadline_ms)
{
    wait_until_gone();
    return open_with(text, deadline_ms);
}

static void server__is_one_process_and_ends_when_the_map_is_closed(void)
{
    struct wm_map *map = open_alone(simple_map, 0);
    pid_t pid;

    CU_ASSERT_EQUAL(count_servers(&pid), 1);
    wm_map_close(map);
    wait_until_gone();
    wm_map_close(NULL);
}

static void server__is_no_child_to_wait_for(void)
{
    struct wm_map *map = open_with(simple_map, 0);

    CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
    CU_ASSERT_EQUAL(errno, ECHILD);
    wm_map_close(map);
}

static void reap_all(int signal)
{
    int saved = errno;

    (void)signal;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    errno = saved;
}

static void server__may_be_reaped_by_the_application(void)
{
    struct sigaction handler = {.sa_handler = reap_all}, before;
    struct wm_facts facts = maps_facts(WM_BCAST, 8);
    struct wm_map *map;

    sigaction(SIGCHLD, &handler, &before);
    map = open_with(simple_map, 0);
    json_decref(maps_ask(map, &facts));
    wm_map_close(map);
    handler.sa_handler = SIG_IGN;
    sigaction(SIGCHLD, &handler, NULL);
    map = open_with(simple_map, 0);
    json_decref(maps_ask(map, &facts));
    wm_map_close(map);
    sigaction(SIGCHLD, &before, NULL);
}

static void server__starts_under_blocked_signals_and_a_preload(void)
{
    struct wm_facts facts = maps_facts(WM_BCAST, 8);
    sigset_t all, before;
    struct wm_map *map;

    setenv("LD_PRELOAD", "/nowhere/libwaymark-mpi.so", 1);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    map = open_with(simple_map, 0);
    json_decref(maps_ask(map, &facts));
    wm_map_close(map);
    sigprocmask(SIG_SETMASK, &before, NULL);
    unsetenv("LD_PRELOAD");
}

/* What is set for the program says nothing about the server. */
static void server__starts_whatever_the_environment_and_the_limits(void)
{
    static const char *const variables[] = {"GC_INITIAL_HEAP_SIZE", "GC_MAXIMUM_HEAP_SIZE",
                                            "GUILE_SYSTEM_COMPILED_PATH", "GUILE_SYSTEM_PATH", "GUILE_INSTALL_LOCALE"};
    struct wm_facts facts = maps_facts(WM_BCAST, 8);
    struct rlimit before, few;
    struct wm_map *map;

    setenv("GC_INITIAL_HEAP_SIZE", "300M", 1);
    setenv("GC_MAXIMUM_HEAP_SIZE", "1M", 1);
    setenv("GUILE_SYSTEM_COMPILED_PATH", "/nowhere", 1);
    setenv("GUILE_SYSTEM_PATH", "/nowhere", 1);
    setenv("GUILE_INSTALL_LOCALE", "0", 1);
    getrlimit(RLIMIT_NOFILE, &before);
    few = (struct rlimit){.rlim_cur = 8, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    map = open_with(simple_map, 0);
    setrlimit(RLIMIT_NOFILE, &before);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        unsetenv(variables[i]);
    json_decref(maps_ask(map, &facts));
    wm_map_close(map);
}

/* In a process of its own, since nobody but root could raise the limit again. */
static void start__without_files_is_not_the_maps_fault(void)
{
    static const struct rlimit few = {6, 6};
    pid_t child = fork();
    int status;

    if (child == 0) {
        struct wm_error error;
        struct wm_map *map;

        setrlimit(RLIMIT_NOFILE, &few);
        _exit(wm_map_open(&map, "map.scm", simple_map, strlen(simple_map), NULL, &error) != -WM_ESYSTEM ||
              error.file[0] != '\0');
    }
    CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
    CU_ASSERT_EQUAL(status, 0);
}

static void on_alarm(int signal)
{
    (void)signal;
}

static void question__survives_signals_of_the_application(void)
{
    struct sigaction handler = {.sa_handler = on_alarm}, before;
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    struct wm_facts facts = maps_facts(WM_BCAST, 8);
    struct wm_map *map;

    sigaction(SIGALRM, &handler, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    map = open_with(simple_map, 0);
    for (int i = 0; i < 100; i++)
        json_decref(maps_ask(map, &facts));
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    alarm(TEST_LIMIT_SECONDS);
    wm_map_close(map);
}

static void server__killed_between_questions_is_started_again(void)
{
    struct wm_facts facts = maps_facts(WM_BCAST, 8);
    struct wm_map *map = open_alone(simple_map, 0);
    pid_t pid, successor;

    json_decref(maps_ask(map, &facts));
    CU_ASSERT_EQUAL_FATAL(count_servers(&pid), 1);
    kill(pid, SIGKILL);
    wait_until_gone();
    json_decref(maps_ask(map, &facts));
    CU_ASSERT_EQUAL_FATAL(count_servers(&successor), 1);
    CU_ASSERT_NOT_EQUAL(successor, pid);
    wm_map_close(map);
}

static void server__stopped_is_replaced(void)
{
    struct wm_facts facts = maps_facts(WM_BCAST, 8);
    struct wm_map *map = open_alone(simple_map, 500);
    pid_t pid, successor;

    CU_ASSERT_EQUAL_FATAL(count_servers(&pid), 1);
    kill(pid, SIGSTOP);
    json_decref(maps_ask(map, &facts));
    CU_ASSERT_EQUAL_FATAL(count_servers(&successor), 1);
    CU_ASSERT_NOT_EQUAL(successor, pid);
    wm_map_close(map);
}

static void server__ends_with_its_client_though_a_fork_of_it_lives(void)
{
    int life[2];
    pid_t client, forked, pid;
    char byte;

    wait_until_gone();
    CU_ASSERT_EQUAL_FATAL(pipe(life), 0);
    client = fork();
    if (client == 0) {
        struct wm_map *map = open_with(simple_map, 0);

        forked = fork(); /* holds all that is open, until its end of the pipe is closed */
        if (forked == 0)
            _exit(close(life[1]) == 0 && read(life[0], &byte, 1) == 0 && map != NULL ? 0 : 1);
        _exit(forked < 0);
    }
    waitpid(client, NULL, 0);
    wait_until_gone();
    CU_ASSERT_EQUAL(count_servers(&pid), 0);
    close(life[0]);
    close(life[1]);
}

static void start__costs_the_first_question_nothing(void)
{
    struct wm_map *map = open_with(simple_map, 15);

    wm_map_close(map);
}

static void loop__ends_with_its_place_and_the_next_question_is_answered(void)
{
    struct wm_facts facts = maps_facts(WM_BCAST, 150);
    struct wm_map *map = open_with(simple_map, 1000);
    struct wm_error error;
    char *answer;

    CU_ASSERT_EQUAL(wm_map_ask(map, &facts, &answer, &error), -WM_EMAP);
    CU_ASSERT_STRING_EQUAL(error.text, "this does not end: stopped at the time limit (an endless loop?)");
    CU_ASSERT_EQUAL(error.line, 2);
    CU_ASSERT_EQUAL(error.column, 36);
    facts.bytes = 1000;
    json_decref(maps_ask(map, &facts));
    wm_map_close(map);
}

static void macro__that_expands_for_ever_ends_too(void)
{
    const char *text = "(define-syntax-rule (again x) (again x))\n(path-map (on bcast (again (native))))";
    struct wm_error error;
    struct wm_map *map;

    /* Whether it meets the limit of time or of memory depends on the machine. */
    CU_ASSERT_EQUAL(wm_map_open(&map, "map.scm", text, strlen(text), NULL, &error), -WM_EMAP);
    CU_ASSERT_EQUAL(error.line, 2);
    CU_ASSERT_PTR_NULL(map);
    wm_map_close(map);
}

static void procedure__of_an_earlier_server_is_not_confused_with_a_new_one(void)
{
    struct wm_facts facts = maps_facts(WM_BCAST, 8);
    struct wm_map *map = open_alone(simple_map, 0);
    json_t *answer;
    int parent;
    pid_t pid;

    json_decref(maps_ask(map, &facts));
    CU_ASSERT_EQUAL(wm_map_parents(map, 0, 1, &parent, NULL), 0);
    CU_ASSERT_EQUAL_FATAL(count_servers(&pid), 1);
    kill(pid, SIGKILL);
    wait_until_gone();
    answer = maps_ask(map, &facts);
    CU_ASSERT_EQUAL(wm_map_parents(map, 0, 1, &parent, NULL), -WM_EMAP);
    CU_ASSERT_EQUAL(wm_map_parents(map, 1000000, 1, &parent, NULL), 0);
    json_decref(answer);
    wm_map_close(map);
}

static void server__lost_before_its_procedures_are_asked_is_not_the_maps_fault(void)
{
    struct wm_facts facts = maps_facts(WM_BCAST, 8);
    struct wm_map *map = open_alone(simple_map, 0);
    int parent;
    pid_t pid;

    json_decref(maps_ask(map, &facts));
    CU_ASSERT_EQUAL_FATAL(count_servers(&pid), 1);
    kill(pid, SIGKILL);
    wait_until_gone();
    CU_ASSERT_EQUAL(wm_map_parents(map, 0, 1, &parent, NULL), -WM_ESERVER);
    wm_map_close(map);
}

static void start__fails_when_there_is_no_server(void)
{
    struct wm_map_options options = {.server = "/nowhere/waymark-map-server"};
    struct wm_error error;
    struct wm_map *map;

    CU_ASSERT_EQUAL(wm_map_open(&map, "map.scm", "(path-map)", 10, &options, &error), -WM_ESYSTEM);
    CU_ASSERT_STRING_EQUAL(error.text,
                           "cannot start the map server '/nowhere/waymark-map-server': No such file or directory");
    CU_ASSERT_PTR_NULL(map);
}

static void start__fails_when_the_server_is_another_program(void)
{
    struct wm_map_options options = {.server = "/bin/true"};
    struct wm_error error;
    struct wm_map *map;

    CU_ASSERT_EQUAL(wm_map_open(&map, "map.scm", "(path-map)", 10, &options, &error), -WM_ESERVER);
    CU_ASSERT_PTR_NULL(map);
}

static void start__fails_with_a_sentence_without_the_module(void)
{
    char *specs = strdup(getenv("WAYMARK_SPECS")), *libexec = strdup(getenv("WAYMARK_LIBEXEC")), server[4096];
    struct wm_map_options options = {.server = server};
    struct wm_error error;
    struct wm_map *map;

    snprintf(server, sizeof server, "%s/waymark-map-server", libexec);
    setenv("WAYMARK_SPECS", "/nowhere", 1);
    setenv("WAYMARK_LIBEXEC", "/nowhere", 1);
    CU_ASSERT_EQUAL(wm_map_open(&map, "map.scm", "(path-map)", 10, &options, &error), -WM_ESYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "cannot load its Scheme module (waymark)"));
    CU_ASSERT_PTR_NULL(map);
    wm_map_close(map);
    setenv("WAYMARK_SPECS", specs, 1);
    setenv("WAYMARK_LIBEXEC", libexec, 1);
    free(specs);
    free(libexec);
}

static void servers__keep_no_descriptor_of_the_client(void)
{
    struct wm_map *first = open_alone(simple_map, 0), *second = open_with(simple_map, 0);
    struct wm_facts facts = maps_facts(WM_BCAST, 8);
    pid_t pid;

    /* Were the first map's socket open in the second's server, the first server would never see its end. */
    wm_map_close(first);
    while (count_servers(&pid) > 1)
        sched_yield();
    json_decref(maps_ask(second, &facts));
    wm_map_close(second);
    wait_until_gone();
}

static void servers__leave_no_zombie_and_no_process(void)
{
    pid_t pid;

    wait_until_gone();
    CU_ASSERT_EQUAL(count_servers(&pid), 0);
    CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
}

int main(void)
{
    static const struct check_case cases[] = {
        CASE(server__is_one_process_and_ends_when_the_map_is_closed),
        CASE(server__is_no_child_to_wait_for),
        CASE(server__may_be_reaped_by_the_application),
        CASE(server__starts_under_blocked_signals_and_a_preload),
        CASE(server__starts_whatever_the_environment_and_the_limits),
        CASE(start__without_files_is_not_the_maps_fault),
        CASE(question__survives_signals_of_the_application),
        CASE(server__killed_between_questions_is_started_again),
        CASE(server__stopped_is_replaced),
        CASE(server__ends_with_its_client_though_a_fork_of_it_lives),
        CASE(start__costs_the_first_question_nothing),
        CASE(loop__ends_with_its_place_and_the_next_question_is_answered),
        CASE(macro__that_expands_for_ever_ends_too),
        CASE(procedure__of_an_earlier_server_is_not_confused_with_a_new_one),
        CASE(server__lost_before_its_procedures_are_asked_is_not_the_maps_fault),
        CASE(start__fails_when_there_is_no_server),
        CASE(start__fails_when_the_server_is_another_program),
        CASE(start__fails_with_a_sentence_without_the_module),
        CASE(servers__keep_no_descriptor_of_the_client),
        CASE(servers__leave_no_zombie_and_no_process),
    };

    maps_use_build_tree();
    snprintf(mark, sizeof mark, "WAYMARK_TEST_MARK=%ld", (long)getpid());
    putenv(mark);
    alarm(TEST_LIMIT_SECONDS);
    return check_main("map server", cases, sizeof cases / sizeof cases[0]);
}
