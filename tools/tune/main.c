/* waymark-tune: the program with MPI that tunes. `waymark tune` becomes it, with one word of JSON, the choice. */
#include <jansson.h>
#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/bench/terminal.h"
#include "tools/text/output.h"
#include "tools/tune/hunt.h"
#include "tools/tune/map.h"

enum { FAILED = 1, INTERRUPTED = 130 };

struct job {
    struct wm_tune_session session;
    struct wm_tune_hunt hunt;
    const char *output, *profile_file, *again;
    uint32_t operations;
    struct wm_size_list sizes;
    struct wm_tune_field fields[WM_OPERATION_COUNT]; /* of those that are tuned */
    int count;
    struct wm_profile profile;
};

static void on_signal(int number)
{
    (void)number;
    wm_tune_interrupt();
}

static bool unpack(struct job *j, const json_t *words, double *budget_s)
{
    const json_t *sizes = json_object_get(words, "sizes"), *size;
    json_int_t operations, seed;
    size_t i;

    if (json_unpack((json_t *)words, "{ss, ss, s?s, sI, sf, sI}", "output", &j->output, "again", &j->again, "profile",
                    &j->profile_file, "operations", &operations, "budget", budget_s, "seed", &seed) < 0)
        return false;
    json_array_foreach (sizes, i, size)
        if (i < WM_SIZES_MAX)
            j->sizes.bytes[j->sizes.count++] = (uint64_t)json_integer_value(size);
    j->operations = (uint32_t)operations;
    j->hunt.seed = (uint64_t)seed;
    return j->sizes.count > 0 && j->operations != 0;
}

/* What is done so far is a map, too. */
static int write_map(const struct job *j, struct wm_error *error)
{
    const char *slash = strrchr(j->output, '/');
    struct wm_tune_header header = {.again = j->again,
                                    .name = slash != NULL ? slash + 1 : j->output,
                                    .seconds = wm_tune_now_s() - j->hunt.begin_s,
                                    .interrupted = j->hunt.interrupted};
    struct wm_output output;

    if (wm_output_open(&output, j->output, error) < 0)
        return -WM_ESYSTEM;
    wm_tune_print_map(output.file, &j->session, &header, j->fields, j->count);
    return wm_output_commit(&output, error);
}

static void tell(const struct job *j)
{
    int named = 0;

    for (int i = 0; i < j->count; i++)
        for (int p = 0; p < j->fields[i].count; p++)
            if (j->fields[i].points[p].path != 0) {
                named++;
                break;
            }
    printf("%s: rules for %d of %d operations; what is not named stays native%s\n", j->output, named, j->count,
           j->hunt.interrupted ? "; interrupted, so this is what was found until then" : "");
}

static int hunt_all(struct job *j, struct wm_error *error)
{
    for (int i = 0; i < j->count; i++) {
        double now = wm_tune_now_s(), end = now + (j->hunt.end_s - now) / (j->count - i);
        static const struct wm_size_list nothing = {.count = 1};
        bool sized = j->fields[i].operation != WM_BARRIER;

        if (!wm_tune_hunt_operation(&j->hunt, &j->fields[i], sized ? &j->sizes : &nothing, end, error))
            return j->hunt.interrupted     ? 0
                   : j->hunt.fault != NULL ? wm_error_set(error, -WM_ESYSTEM, "%s", j->hunt.fault)
                                           : error->code;
    }
    return 0;
}

/* Rank 0. Returns the exit status. */
static int lead(struct job *j, double budget_s)
{
    struct wm_error error = {0};
    int rc = 0;

    j->hunt.session = &j->session;
    j->hunt.begin_s = wm_tune_now_s();
    j->hunt.end_s = j->hunt.begin_s + budget_s;
    j->hunt.shows = wm_bench_on_terminal(STDERR_FILENO);
    for (int o = 0; o < WM_OPERATION_COUNT; o++)
        if (j->operations >> o & 1)
            j->fields[j->count++] = (struct wm_tune_field){.operation = (enum wm_operation)o};
    if (j->session.machine[0] == '\0')
        rc = wm_error_set(&error, -WM_EINVAL,
                          "ranks stand on the hosts neither in blocks nor dealt out one by one; start the job with "
                          "mpirun --map-by slot");
    if (rc == 0 && j->profile_file != NULL && (rc = wm_profile_load(&j->profile, j->profile_file, &error)) == 0)
        j->hunt.profile = &j->profile;
    if (rc == 0 && (rc = hunt_all(j, &error)) == 0)
        rc = write_map(j, &error);
    if (j->hunt.shows)
        fputs("\r\033[K", stderr);
    if (rc < 0)
        fprintf(stderr, "waymark tune: %s\n", error.text);
    else
        tell(j);
    wm_profile_release(&j->profile);
    return rc < 0 ? FAILED : j->hunt.interrupted ? INTERRUPTED : 0;
}

int main(int argc, char **argv)
{
    static struct job j;
    json_t *words = argc == 2 ? json_loads(argv[1], 0, NULL) : NULL;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_RESTART};
    double budget_s;
    int status = 0;

    if (words == NULL || !unpack(&j, words, &budget_s)) {
        fprintf(stderr, "waymark-tune: this program is started by 'waymark tune'; see 'waymark help tune'\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    sigaction(SIGINT, &action, NULL); /* mpirun sends SIGTERM for the user's ^C; a second one ends at once */
    sigaction(SIGTERM, &action, NULL);
    wm_tune_session_init(&j.session);
    if (j.session.rank == 0) {
        status = lead(&j, budget_s);
        wm_tune_end(&j.session);
    } else {
        wm_tune_follow(&j.session);
    }
    PMPI_Bcast(&status, 1, MPI_INT, 0, j.session.own);
    wm_tune_session_release(&j.session);
    json_decref(words);
    MPI_Finalize();
    return status;
}
