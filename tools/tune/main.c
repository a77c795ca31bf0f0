/* waymark-tune: the program with MPI that tunes. `waymark tune` becomes it, with one word of JSON: the file of the
 * state, or the map to check. */
#include <jansson.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/bench/terminal.h"
#include "tools/text/output.h"
#include "tools/tune/check.h"
#include "tools/tune/hunt.h"
#include "tools/tune/map.h"

enum { FAILED = 1, INTERRUPTED = 130 };

/* Shares of the budget: of the first launch for races, and of each launch for what confirms. */
static const double race_share = 0.42, first_share = 0.06, confirm_share = 0.1;

struct job {
    struct wm_tune_session session;
    struct wm_tune_hunt hunt;
    struct wm_tune_state *state;
    const char *file; /* of the state */
    int named;        /* fields that have rules in the map */
    struct wm_profile profile;
};

static void on_signal(int number)
{
    (void)number;
    wm_tune_interrupt();
}

/* Write state and map: what is found out so far is a map, too. Launchers do not wait long for who is interrupted, so
 * both are there whenever a launch ends before it is whole. */
static int write_all(struct job *j, bool whole, struct wm_error *error)
{
    struct wm_tune_state *s = j->state;
    struct wm_tune_launch *launch = &s->launches[s->launch_count - 1];
    struct wm_output output;
    int rc;

    *launch = (struct wm_tune_launch){.whole = whole,
                                      .seconds = wm_tune_now_s() - j->hunt.begin_s,
                                      .batches = j->session.batches,
                                      .barrier_low_ns = j->hunt.barrier_low_ns,
                                      .barrier_high_ns = j->hunt.barrier_high_ns};
    for (int i = 0; i < s->count; i++)
        wm_tune_field_choose(&s->fields[i]);
    rc = wm_tune_state_save(s, j->file, error);
    if (rc < 0 || (rc = wm_output_open(&output, s->output, error)) < 0)
        return rc;
    j->named = 0;
    for (int i = 0; i < s->count; i++) {
        wm_tune_field_settle(&s->fields[i], wm_tune_state_needed(s));
        j->named += wm_tune_field_named(&s->fields[i]);
    }
    wm_tune_print_map(output.file, &j->session, s, j->file, !whole);
    for (int i = 0; i < s->count; i++)
        wm_tune_field_choose(&s->fields[i]);
    return wm_output_commit(&output, error);
}

/* Until all has been raced. */
static bool race_all(struct job *j, double end_s, struct wm_error *error)
{
    double weight = 0;

    for (int i = 0; i < j->state->count; i++)
        weight += j->state->fields[i].raced ? 0 : j->state->fields[i].weight;
    for (int i = 0; i < j->state->count; i++) {
        struct wm_tune_field *f = &j->state->fields[i];
        double now = wm_tune_now_s();

        if (f->raced)
            continue;
        if (!wm_tune_hunt_operation(&j->hunt, f, now + (end_s - now) * f->weight / weight, error) ||
            write_all(j, false, error) < 0)
            return false;
        weight -= f->weight;
    }
    return true;
}

static bool confirm_all(struct job *j, struct wm_error *error)
{
    for (int i = 0; i < j->state->count; i++) {
        double now = wm_tune_now_s();

        if (!wm_tune_confirm(&j->hunt, &j->state->fields[i], now + (j->hunt.end_s - now) / (j->state->count - i)) ||
            write_all(j, false, error) < 0)
            return false;
    }
    return true;
}

/* What this launch has time for. */
static bool hunt_all(struct job *j, struct wm_error *error)
{
    struct wm_tune_state *s = j->state;
    double budget = s->budget_s, races = 0;
    bool raced = true;

    for (int i = 0; i < s->count; i++)
        raced = raced && s->fields[i].raced;
    races = raced ? 0 : race_share * budget;
    for (int i = 0; i < s->launch_count - 1 && races > 0; i++) /* those that were interrupted */
        races -= s->launches[i].seconds < races ? s->launches[i].seconds : races;
    j->hunt.end_s = j->hunt.begin_s + races + (raced ? confirm_share : first_share) * budget;
    return (raced || race_all(j, j->hunt.begin_s + races, error)) && confirm_all(j, error);
}

/* Who goes on with the state on another machine would join what does not belong together. Another library may do better
 * or worse: what was found out stays, and is confirmed anew. */
static int check_machine(struct job *j, struct wm_error *error)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    struct wm_tune_state *s = j->state;
    int length;

    if (j->session.machine[0] == '\0')
        return wm_error_set(error, -WM_EINVAL,
                            "ranks stand on the hosts neither in blocks nor dealt out one by one; start the job with "
                            "mpirun --map-by slot");
    if (s->machine[0] != '\0' && strcmp(s->machine, j->session.machine) != 0)
        return wm_error_set(error, -WM_EINVAL,
                            "the state is of %s, and this job is %s; start as many ranks as then, or tune without "
                            "--resume",
                            s->machine, j->session.machine);
    PMPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    if (s->library[0] != '\0' && strncmp(s->library, library, sizeof s->library - 1) != 0) {
        fprintf(stderr, "waymark tune: the state is of %s, and this is %s: its rules are confirmed anew\n", s->library,
                library);
        for (int i = 0; i < s->launch_count; i++)
            s->launches[i].whole = false;
        for (int i = 0; i < s->count; i++)
            wm_tune_field_doubt(&s->fields[i]);
    }
    snprintf(s->machine, sizeof s->machine, "%s", j->session.machine);
    snprintf(s->library, sizeof s->library, "%.*s", (int)sizeof s->library - 1, library);
    return 0;
}

static void tell(const struct job *j)
{
    const struct wm_tune_state *s = j->state;

    printf("%s: rules for %d of %d operations, as of launch %d; what is not named stays native%s\n", s->output,
           j->named, s->count, s->launch_count,
           j->hunt.interrupted ? "; interrupted, so this is what was found until then" : "");
    if (!wm_tune_state_done(s) && s->launcher[0] == '\0')
        printf("To go on in another launch: mpirun -n %d waymark tune --resume %s\n", j->session.ranks, j->file);
}

static int run_state(struct job *j, struct wm_error *error)
{
    struct wm_tune_state *s = j->state;
    int rc;

    if (s == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for the state; give the job more");
    if ((rc = wm_tune_state_load(s, j->file, error)) < 0 || (rc = check_machine(j, error)) < 0)
        return rc;
    if (s->launch_count == WM_TUNE_LAUNCHES_MAX)
        return wm_error_set(error, -WM_EINVAL, "'%s' has seen %d launches; tune anew", j->file, s->launch_count);
    j->hunt.launch = ++s->launch_count;
    j->hunt.seed = s->seed + (uint64_t)s->launch_count;
    if (s->profile[0] != '\0' && (rc = wm_profile_load(&j->profile, s->profile, error)) < 0)
        return rc;
    j->hunt.profile = s->profile[0] != '\0' ? &j->profile : NULL;
    if ((rc = write_all(j, false, error)) < 0)
        return rc;
    if (!hunt_all(j, error) && !j->hunt.interrupted)
        return j->hunt.fault != NULL ? wm_error_set(error, -WM_ESYSTEM, "%s", j->hunt.fault) : error->code;
    return write_all(j, !j->hunt.interrupted, error);
}

/* Rank 0. Returns the exit status. */
static int lead(struct job *j, const json_t *words)
{
    struct wm_error error = {0};
    json_int_t seed = 0;
    int rc;

    j->hunt.session = &j->session;
    j->hunt.begin_s = wm_tune_now_s();
    j->hunt.shows = wm_bench_on_terminal(STDERR_FILENO);
    if (json_unpack((json_t *)words, "{sI}", "seed", &seed) == 0) {
        j->hunt.seed = (uint64_t)seed;
        rc = wm_tune_check(&j->hunt, words);
        return j->hunt.interrupted ? INTERRUPTED : rc;
    }
    j->file = json_string_value(json_object_get(words, "state"));
    j->state = calloc(1, sizeof *j->state);
    rc = run_state(j, &error);
    if (j->hunt.shows)
        fputs("\r\033[K", stderr);
    if (rc < 0)
        fprintf(stderr, "waymark tune: %s\n", error.text);
    else
        tell(j);
    wm_profile_release(&j->profile);
    free(j->state);
    return rc < 0 ? FAILED : j->hunt.interrupted ? INTERRUPTED : 0;
}

int main(int argc, char **argv)
{
    static struct job j;
    json_t *words = argc == 2 ? json_loads(argv[1], 0, NULL) : NULL;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_RESTART};
    int status = 0;

    if (words == NULL) {
        fprintf(stderr, "waymark-tune: this program is started by 'waymark tune'; see 'waymark help tune'\n");
        return 2;
    }
    sigaction(SIGINT, &action, NULL); /* mpirun sends SIGTERM for the user's ^C; a second one ends at once */
    sigaction(SIGTERM, &action, NULL);
    MPI_Init(&argc, &argv);
    wm_tune_session_init(&j.session);
    if (j.session.rank == 0) {
        status = lead(&j, words);
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
