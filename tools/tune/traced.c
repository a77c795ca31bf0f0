/* What is tuned by a trace: what its calls, and runs of conveyors, took. */
#include "tools/tune/traced.h"

#include <stdlib.h>
#include <string.h>
#include "tools/gauge/conveyors.h"
#include "tools/init/costs.h"

static const double share_least = 0.01, alike = 2;

/* Runs of one conveyor are not made shorter or longer than that. */
static const uint64_t load_least = 64 << 10, load_most = 64 << 20;

bool wm_tune_is_tuned(int operation)
{
    return operation <= WM_CONVEYOR && wm_operation_bytes_shared((enum wm_operation)operation);
}

struct wm_tune_field *wm_tune_add_field(struct wm_tune_state *s, int operation, const struct wm_size_list *sizes,
                                        double weight)
{
    static const struct wm_size_list nothing = {.count = 1};
    struct wm_tune_field *f = &s->fields[s->count];

    if (s->count == WM_TUNE_FIELDS_MAX)
        return NULL;
    s->count++;
    *f = (struct wm_tune_field){.operation = (enum wm_operation)operation,
                                .sizes = operation == WM_BARRIER ? nothing : *sizes,
                                .load_bytes = wm_tune_kind((enum wm_operation)operation)->load_bytes,
                                .weight = weight};
    return f;
}

/* What calls took from the last arrival on, of an operation that can be tuned. */
static double service_ns(const struct wm_job_costs *costs, int operation)
{
    double ns = 0;

    for (int i = 0; i < WM_COST_SIZES; i++)
        ns += (double)costs->operations[operation].sizes[i].ns;
    return ns;
}

static void add_operation(struct wm_tune_state *s, const struct wm_operation_cost *cost, int operation, double ns,
                          double all)
{
    struct wm_size_list sizes = {0};

    for (int i = 0; i < WM_COST_SIZES; i++) {
        const struct wm_size_service *size = &cost->sizes[i];

        if ((double)size->ns > share_least * ns && size->bytes > 0 && size->bytes <= WM_TUNE_BYTES_MAX)
            sizes.bytes[sizes.count++] = size->bytes;
    }
    if (ns > share_least * all && (sizes.count > 0 || operation == WM_BARRIER))
        wm_tune_add_field(s, operation, &sizes, ns / all);
}

/* ---- conveyors ---- */

/* Of a name that would end a string, or a comment, in a map there can be no rules. */
static bool is_carried(const struct wm_conveyor_cost *c)
{
    return c->item_bytes > 0 && c->item_bytes <= WM_GAUGE_ITEM_BYTES_MAX && c->runs > 0 &&
           strpbrk(c->name, "\"\\\r\n") == NULL;
}

static double load_of(const struct wm_conveyor_cost *c)
{
    return (double)c->pushed / (double)c->runs;
}

/* Do they all push about as much in a run? Then what is raced for one of them is what is raced for the others. */
static bool are_alike(const struct wm_job_costs *costs)
{
    double least = 0, most = 0;

    for (int i = 0; i < costs->conveyor_count; i++)
        if (is_carried(&costs->conveyors[i])) {
            double load = load_of(&costs->conveyors[i]);

            least = least == 0 || load < least ? load : least;
            most = load > most ? load : most;
        }
    return most <= alike * least;
}

/* What rules see of it as `communicator`: conveyors that nobody named have titles such as "convey_new 2". */
static const char *ruled_name(const struct wm_conveyor_cost *c)
{
    const char *last = strrchr(c->name, ' ');
    bool numbered = last != NULL && last[1] != '\0' && last[1 + strspn(last + 1, "0123456789")] == '\0';

    return numbered && strstr(c->name, "convey_new") != NULL ? "MPI_COMM_WORLD" : c->name;
}

/* The field of conveyors of this name, made if need be; NULL: there is no room. */
static struct wm_tune_field *field_of(struct wm_tune_state *s, const char *name)
{
    const struct wm_size_list none = {0};
    struct wm_tune_field *f;

    for (int i = 0; i < s->count; i++)
        if (s->fields[i].operation == WM_CONVEYOR && strcmp(s->fields[i].name, name) == 0)
            return &s->fields[i];
    f = wm_tune_add_field(s, WM_CONVEYOR, &none, 0);
    if (f != NULL)
        snprintf(f->name, sizeof f->name, "%s", name);
    return f;
}

static uint64_t clamp_load(double load)
{
    return load < (double)load_least ? load_least : load > (double)load_most ? load_most : (uint64_t)load;
}

/* What a rank pushes in a run of a field is that of the conveyor that takes longest. */
static void add_conveyors(struct wm_tune_state *s, const struct wm_job_costs *costs, double all)
{
    double longest_ns[WM_TUNE_FIELDS_MAX] = {0};
    bool one = are_alike(costs);

    for (int i = 0; i < costs->conveyor_count; i++) {
        const struct wm_conveyor_cost *c = &costs->conveyors[i];
        double ns = (double)c->ns;
        struct wm_tune_field *f =
            is_carried(c) && ns > share_least * all ? field_of(s, one ? "" : ruled_name(c)) : NULL;

        if (f == NULL)
            continue;
        wm_sizes_add(&f->sizes, c->item_bytes);
        f->weight += ns / all;
        if (ns > longest_ns[f - s->fields]) {
            longest_ns[f - s->fields] = ns;
            f->load_bytes = clamp_load(load_of(c));
        }
    }
}

int wm_tune_add_traced(struct wm_tune_state *s, const char *trace, struct wm_error *error)
{
    static struct wm_job_costs costs;
    int rc = wm_job_costs_read(&costs, trace, error);
    double all = 0;

    if (rc < 0)
        return rc;
    for (int op = 0; op < WM_CONVEYOR; op++)
        all += wm_tune_is_tuned(op) ? service_ns(&costs, op) : 0;
    for (int i = 0; i < costs.conveyor_count; i++)
        all += (double)costs.conveyors[i].ns;
    for (int op = 0; op < WM_CONVEYOR; op++)
        if (wm_tune_is_tuned(op))
            add_operation(s, &costs.operations[op], op, service_ns(&costs, op), all);
    add_conveyors(s, &costs, all);
    if (s->count == 0)
        return wm_error_set(error, -WM_EINVAL,
                            "the trace '%s' has no calls of all its ranks that can be tuned; name operations by --op",
                            trace);
    return 0;
}
